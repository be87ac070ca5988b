#include "conduit/ip/crypto.hpp"

#include <dlfcn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"

namespace weft::conduit::ip {
namespace {

constexpr const char* library_name = "libcrypto.so.3";
static_assert(OPENSSL_VERSION_MAJOR == 3, "the library that is opened is that of the headers");

struct Library {
  decltype(&::HMAC) hmac = nullptr;
  decltype(&::EVP_sha256) sha256 = nullptr;
  decltype(&::CRYPTO_memcmp) compare = nullptr;
  const char* problem = nullptr;
};

template <class Function>
bool load(void* handle, Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  return function != nullptr;
}

Library open_now() {
  Library library;
  void* handle = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);  // never closed
  const bool all = handle != nullptr && load(handle, library.hmac, "HMAC") &&
                   load(handle, library.sha256, "EVP_sha256") && load(handle, library.compare, "CRYPTO_memcmp");
  if (!all) library.problem = ::dlerror();
  return library;
}

const Library& library() {
  static const Library opened = open_now();
  return opened;
}

}  // namespace

Status open_crypto() {
  if (library().problem == nullptr) return {};
  base::log_error("OpenSSL cannot be used (%s): install libssl3 for WEFT_CONDUIT=ip", library().problem);
  return WEFT_ERR_UNSUPPORTED;
}

Mac mac_of(Bytes key, Bytes first, Bytes second) {
  std::array<std::byte, 256> text;
  std::ranges::copy(first, text.begin());
  std::ranges::copy(second, text.begin() + static_cast<std::ptrdiff_t>(first.size()));
  Mac mac{};
  unsigned size = mac.size();
  const Library& crypto = library();
  const unsigned char* made = crypto.hmac(
      crypto.sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
      first.size() + second.size(), reinterpret_cast<unsigned char*>(mac.data()), &size);
  if (made != nullptr) return mac;
  // A hash that anybody could guess must not be sent or believed.
  base::log_error("OpenSSL makes no HMAC-SHA256");
  std::abort();
}

bool equal(const Mac& one, Bytes other) {
  return other.size() == one.size() && library().compare(one.data(), other.data(), one.size()) == 0;
}

Status random_bytes(std::span<std::byte> bytes) {
  if (::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size())) return {};
  base::log_error("the system gives no random numbers: %s", std::strerror(errno));
  return WEFT_ERR_SYSTEM;
}

}  // namespace weft::conduit::ip
