#include "conduit/ip/crypto.hpp"

#include <dlfcn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"

namespace weft::conduit::ip {
namespace {

constexpr const char* library_name = "libcrypto.so.3";
static_assert(OPENSSL_VERSION_MAJOR == 3, "the library that is opened is that of the headers");

// OpenSSL's functions, by their names there: those of the handshake, and those of seals, without which there are no
// datagrams.
// clang-format off
#define WEFT_HASH_FUNCTIONS(each) each(HMAC) each(EVP_sha256) each(CRYPTO_memcmp)
#define WEFT_SEAL_FUNCTIONS(each)                                                                                \
  each(EVP_MAC_fetch) each(EVP_MAC_CTX_new) each(EVP_MAC_CTX_free) each(EVP_MAC_init) each(EVP_MAC_update)       \
  each(EVP_MAC_final) each(EVP_CIPHER_CTX_new) each(EVP_CIPHER_CTX_free) each(EVP_CIPHER_CTX_ctrl)               \
  each(EVP_aes_128_gcm) each(EVP_CipherInit_ex) each(EVP_CipherUpdate) each(EVP_CipherFinal_ex)
// clang-format on
struct Library {
#define WEFT_CRYPTO_MEMBER(name) decltype(&::name) name = nullptr;
  WEFT_HASH_FUNCTIONS(WEFT_CRYPTO_MEMBER)
  WEFT_SEAL_FUNCTIONS(WEFT_CRYPTO_MEMBER)
#undef WEFT_CRYPTO_MEMBER
  const char* problem = nullptr;
  EVP_MAC* siphash = nullptr;  // never freed
  bool encrypts = false;
  // libsodium's SipHash-2-4 of 128 bits, if it is there: the same tags, without what OpenSSL does around them.
  using FastSiphash = int(unsigned char* tag, const unsigned char* text, unsigned long long size,
                          const unsigned char* key);
  FastSiphash* fast_siphash = nullptr;
};

Library open_now() {
  Library library;
  void* handle = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);  // never closed
  bool all = handle != nullptr;
#define WEFT_CRYPTO_LOAD(name) \
  all = all && (library.name = reinterpret_cast<decltype(&::name)>(::dlsym(handle, #name))) != nullptr;
  WEFT_HASH_FUNCTIONS(WEFT_CRYPTO_LOAD)
  if (!all) {
    library.problem = ::dlerror();
    return library;
  }
  WEFT_SEAL_FUNCTIONS(WEFT_CRYPTO_LOAD)
#undef WEFT_CRYPTO_LOAD
  if (all) library.siphash = library.EVP_MAC_fetch(nullptr, "SIPHASH", nullptr);
  library.encrypts = all && library.EVP_aes_128_gcm() != nullptr;
  if (void* sodium = ::dlopen("libsodium.so.23", RTLD_NOW | RTLD_LOCAL); sodium != nullptr)  // never closed
    library.fast_siphash = reinterpret_cast<Library::FastSiphash*>(::dlsym(sodium, "crypto_shorthash_siphashx24"));
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
  const unsigned char* made =
      crypto.HMAC(crypto.EVP_sha256(), key.data(), static_cast<int>(key.size()),
                  reinterpret_cast<const unsigned char*>(text.data()), first.size() + second.size(),
                  reinterpret_cast<unsigned char*>(mac.data()), &size);
  if (made != nullptr) return mac;
  // A hash that anybody could guess must not be sent or believed.
  base::log_error("OpenSSL makes no HMAC-SHA256");
  std::abort();
}

bool equal(const Mac& one, Bytes other) {
  return other.size() == one.size() && library().CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

// ---- Seals ----

struct Seal::Parts {
  ~Parts() {
    library().EVP_MAC_CTX_free(mac);
    library().EVP_CIPHER_CTX_free(cipher);
  }
  // OpenSSL's functions fail only where it has no memory left.
  static void must(bool did) {
    if (did) return;
    base::log_error("OpenSSL seals no datagrams");
    std::abort();
  }
  static unsigned char* raw(std::span<std::byte> bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

  using Tag = std::array<std::byte, tag_size>;
  Tag tag_of(std::span<std::byte> bytes) {
    Tag tag;
    if (library().fast_siphash != nullptr) {
      (void)library().fast_siphash(raw(tag), raw(bytes), bytes.size(), key.data());  // always 0
      return tag;
    }
    size_t size = 0;
    must(library().EVP_MAC_init(mac, key.data(), key.size(), nullptr) == 1 &&
         library().EVP_MAC_update(mac, raw(bytes), bytes.size()) == 1 &&
         library().EVP_MAC_final(mac, raw(tag), &size, tag.size()) == 1 && size == tag.size());
    return tag;
  }
  // All but the tag, which is still to be made or looked at.
  void run_cipher(std::span<std::byte> head, std::span<std::byte> text, uint64_t number, int encrypt) {
    std::array<unsigned char, 12> nonce{};
    std::memcpy(nonce.data(), &number, sizeof number);
    int size = 0;
    must(library().EVP_CipherInit_ex(cipher, nullptr, nullptr, nullptr, nonce.data(), encrypt) == 1 &&
         library().EVP_CipherUpdate(cipher, nullptr, &size, raw(head), static_cast<int>(head.size())) == 1 &&
         (text.empty() ||
          library().EVP_CipherUpdate(cipher, raw(text), &size, raw(text), static_cast<int>(text.size())) == 1));
  }
  bool finish_cipher() {
    std::array<unsigned char, 16> rest;
    int size = 0;
    return library().EVP_CipherFinal_ex(cipher, rest.data(), &size) == 1;
  }

  std::array<unsigned char, 16> key;
  EVP_MAC_CTX* mac = nullptr;
  EVP_CIPHER_CTX* cipher = nullptr;
};

bool Seal::possible(How how) { return how == How::tag ? library().siphash != nullptr : library().encrypts; }

Seal::Seal(How how, const Mac& key) : parts_(std::make_unique<Parts>()) {
  std::memcpy(parts_->key.data(), key.data(), parts_->key.size());
  if (how == How::tag) {
    parts_->mac = library().EVP_MAC_CTX_new(library().siphash);
    Parts::must(parts_->mac != nullptr);
    return;
  }
  parts_->cipher = library().EVP_CIPHER_CTX_new();
  Parts::must(parts_->cipher != nullptr && library().EVP_CipherInit_ex(parts_->cipher, library().EVP_aes_128_gcm(),
                                                                       nullptr, parts_->key.data(), nullptr, 1) == 1);
}

Seal::~Seal() = default;
Seal::Seal(Seal&&) noexcept = default;
Seal& Seal::operator=(Seal&&) noexcept = default;

void Seal::close(std::span<std::byte> sealed, size_t head, uint64_t number) {
  const size_t all = sealed.size() - tag_size;
  const std::span<std::byte> tag = sealed.subspan(all);
  if (parts_->mac != nullptr) {
    std::ranges::copy(parts_->tag_of(sealed.first(all)), tag.begin());
    return;
  }
  parts_->run_cipher(sealed.first(head), sealed.subspan(head, all - head), number, 1);
  Parts::must(parts_->finish_cipher() && library().EVP_CIPHER_CTX_ctrl(parts_->cipher, EVP_CTRL_AEAD_GET_TAG,
                                                                       static_cast<int>(tag_size), tag.data()) == 1);
}

bool Seal::open(std::span<std::byte> sealed, size_t head, uint64_t number) {
  if (sealed.size() < head + tag_size) return false;
  const size_t all = sealed.size() - tag_size;
  const std::span<std::byte> tag = sealed.subspan(all);
  if (parts_->mac != nullptr) {
    const Parts::Tag made = parts_->tag_of(sealed.first(all));
    return library().CRYPTO_memcmp(made.data(), tag.data(), tag.size()) == 0;
  }
  parts_->run_cipher(sealed.first(head), sealed.subspan(head, all - head), number, 0);
  return library().EVP_CIPHER_CTX_ctrl(parts_->cipher, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag_size), tag.data()) ==
             1 &&
         parts_->finish_cipher();
}

Status random_bytes(std::span<std::byte> bytes) {
  if (::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size())) return {};
  base::log_error("the system gives no random numbers: %s", std::strerror(errno));
  return WEFT_ERR_SYSTEM;
}

}  // namespace weft::conduit::ip
