#include "boot/secret.hpp"

#include <sys/random.h>

#include <bit>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "base/log.hpp"

namespace weft::boot {
namespace {

// SipHash (Aumasson, Bernstein 2012), section 2: the compression of one round.
struct SipState {
  uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void absorb(uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

}  // namespace

uint64_t Secret::token(uint64_t first, uint64_t second) const {
  SipState state = {low_ ^ 0x736f6d6570736575u, high_ ^ 0x646f72616e646f6du, low_ ^ 0x6c7967656e657261u,
                    high_ ^ 0x7465646279746573u};
  state.absorb(first);
  state.absorb(second);
  state.absorb(uint64_t{16} << 56);  // the last word: what is left of the input, none, and its length
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

Status random_bits(uint64_t& bits) {
  if (::getrandom(&bits, sizeof bits, 0) == sizeof bits) return {};
  base::log_error("the system gives no random numbers: %s", std::strerror(errno));
  return WEFT_ERR_SYSTEM;
}

Status Secret::share(Boot& boot, Secret& secret) {
  constexpr const char* key = "secret";
  Status status;
  if (boot.rank() == 0) {
    uint64_t low = 0, high = 0;
    status = random_bits(low);
    if (status.ok()) status = random_bits(high);
    char text[40];
    std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, low, high);
    // Tell the others even of a failure, so that nobody waits for ever.
    const Status sent = boot.put(key, status.ok() ? text : "failed");
    if (status.ok()) status = sent;
  }
  const Status fenced = boot.fence();
  if (!status.ok()) return status;
  if (!fenced.ok()) return fenced;
  std::string text;
  status = boot.get(0, key, text);
  if (!status.ok()) return status;
  Secret shared;
  if (std::sscanf(text.c_str(), "%16" SCNx64 "%16" SCNx64, &shared.low_, &shared.high_) != 2) return WEFT_ERR_BOOT;
  secret = shared;
  return {};
}

}  // namespace weft::boot
