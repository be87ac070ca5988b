// Random messages, and such of which some bits were changed, for the parser of conduit ofi: ofi_fuzz [SECONDS [SEED]].
//
// Each case is a seed: a receive buffer that ends where the message does, so that AddressSanitizer sees who reads on.
// What the parser takes for a message is used as the conduit uses it: every argument and byte of payload is read, what
// a message writes is written to a segment. A seed given runs that case alone when SECONDS is 0.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "conduit/ofi/wire.hpp"

namespace {

using namespace weft::conduit;
using namespace weft::conduit::ofi;
using Random = std::mt19937_64;

constexpr uint64_t segment_size = 4096;

struct Counts {
  uint64_t cases = 0, taken = 0, controls = 0, refused = 0;
};

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Aligned = std::unique_ptr<std::byte, Free>;

Aligned aligned(size_t size) { return Aligned(static_cast<std::byte*>(std::aligned_alloc(64, (size + 63) / 64 * 64))); }

[[noreturn]] void fail(uint64_t seed, const char* what) {
  std::fprintf(stderr, "ofi_fuzz: %s (ofi_fuzz 0 %llu)\n", what, static_cast<unsigned long long>(seed));
  std::abort();
}

uint64_t number(Random& random) {
  static constexpr uint64_t edges[] = {0, 8, segment_size, largest_payload, uint64_t{1} << 32, uint64_t{1} << 63};
  switch (random() % 16) {
    case 0:
      return random();
    case 1:
      return edges[random() % std::size(edges)] - random() % 3;
    default:
      return random() % (segment_size / 8) * 8;
  }
}

// A message that some rank could send, of any kind, its numbers wild now and then.
std::vector<std::byte> random_message(Random& random) {
  static constexpr uint8_t control_args[] = {0, 4, 6, 5, 1, 4, 1, 0, 0};
  static const std::byte payload[600]{};
  uint64_t args[16];
  for (uint64_t& arg : args) arg = number(random);
  WireMessage message;
  message.description = Description::decode(static_cast<uint8_t>(random()));
  message.handler = static_cast<uint16_t>(random() % 300);
  if (message.description.kind == WireKind::control && random() % 8 != 0) {
    message.handler = static_cast<uint16_t>(random() % std::size(control_args));
    message.description.arg_count = control_args[message.handler];
    if (message.handler == static_cast<uint16_t>(Control::atomic)) args[2] = random() % 6 | random() % 13 << 8;
    if (message.handler == static_cast<uint16_t>(Control::fill)) args[2] %= 64, args[3] = random() % 256;
    if (message.handler == static_cast<uint16_t>(Control::signal)) args[3] = random() % 2;
    if (message.handler == static_cast<uint16_t>(Control::atomic_result)) args[3] = random() % 9;
  }
  message.args = args;
  message.size = random() % sizeof payload;
  message.offset = number(random);
  if (!message.description.in_place && message.leading_words() != 0) message.payload = payload;
  std::vector<std::byte> bytes(message.bytes());
  message.encode_front(bytes.data(), random(), static_cast<RankId>(random()), static_cast<uint8_t>(random()));
  for (uint64_t i = random() % 3; i > 0; --i)
    if (random() % 2 == 0) bytes[random() % bytes.size()] ^= std::byte{static_cast<uint8_t>(1u << random() % 8)};
  if (random() % 8 == 0) bytes.resize(sizeof(Header) + random() % (bytes.size() - sizeof(Header) + 1));
  return bytes;
}

// As Service::handle() does, but for what is an address at the requester.
void carry_out(uint64_t seed, const WireMessage& message, std::byte* segment) {
  const uint64_t* args = message.args;
  switch (static_cast<Control>(message.handler)) {
    case Control::fill:
      std::memset(segment + args[1], static_cast<int>(args[3]), args[2]);
      return;
    case Control::atomic: {
      uint64_t before = 0;
      run_atomic(segment + args[1], {.type = static_cast<AtomicType>(args[2] & 0xff),
                                     .op = static_cast<AtomicOp>(args[2] >> 8),
                                     .operand = args[3],
                                     .compare = args[4],
                                     .result = &before});
      return;
    }
    case Control::signal:
      if (message.payload != nullptr) std::memcpy(segment + message.offset, message.payload, message.size);
      apply_signal(segment + args[1], args[2], static_cast<SignalOp>(args[3]));
      return;
    case Control::atomic_result: {
      const std::unique_ptr<std::byte[]> result(new std::byte[sizeof(uint64_t)]);
      std::memcpy(result.get(), &args[2], args[3]);
      return;
    }
    case Control::end:
      fail(seed, "a control message of no kind was taken");
    default:
      return;
  }
}

void run_case(uint64_t seed, std::byte* segment, Counts& counts) {
  Random random(seed);
  ++counts.cases;
  const std::vector<std::byte> sent = random_message(random);
  // It ends where the allocation does, but for what its alignment needs.
  const size_t size = sent.size(), shift = (64 - size % 64) % 64;
  const Aligned memory = aligned(size + shift);
  std::byte* data = memory.get() + shift / wire_unit * wire_unit;
  std::memcpy(data, sent.data(), size);
  Header header;
  std::memcpy(&header, data, sizeof header);
  WireMessage message;
  if (!WireMessage::decode(data, size, header, segment_size, message)) {
    ++counts.refused;
    return;
  }
  ++counts.taken;
  volatile uint64_t sum = 0;  // so that the reading is not in vain
  for (uint8_t i = 0; i < message.description.arg_count; ++i) sum = sum + message.args[i];
  for (size_t i = 0; message.payload != nullptr && i < message.size; ++i)
    sum = sum + static_cast<uint64_t>(message.payload[i]);
  if (message.leading_words() == 2 && message.size != 0) segment[message.offset + message.size - 1] = std::byte{1};
  if (message.description.kind != WireKind::control) return;
  ++counts.controls;
  carry_out(seed, message, segment);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
  std::printf("ofi_fuzz: seeds from %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  const Aligned segment = aligned(segment_size);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  Counts counts;
  do run_case(seed++, segment.get(), counts);
  while (Clock::now() < end);
  std::printf("%llu cases: %llu taken, %llu of them the conduit's own, %llu refused\n",
              static_cast<unsigned long long>(counts.cases), static_cast<unsigned long long>(counts.taken),
              static_cast<unsigned long long>(counts.controls), static_cast<unsigned long long>(counts.refused));
  return (counts.controls != 0 && counts.refused != 0) || seconds < 1 ? 0 : 1;
}
