#include "conduit/ip/tls.hpp"

#include <dlfcn.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/log.hpp"

namespace weft::conduit::ip {
namespace {

constexpr const char* library_name = "libssl.so.3";
static_assert(OPENSSL_VERSION_MAJOR == 3, "the library that is opened is that of the headers");

// What TLS calls a record: so many plain bytes at most, and more than encryption and a change of keys add to them.
constexpr size_t record_max = SSL3_RT_MAX_PLAIN_LENGTH, record_extra = 512;
// Encrypted bytes on their way to or from the socket.
constexpr size_t buffer_size = size_t{64} << 10;

// OpenSSL's functions, by their names there.
// clang-format off
#define WEFT_TLS_FUNCTIONS(each)                                                                                 \
  each(TLS_method) each(SSL_CTX_new) each(SSL_CTX_ctrl) each(SSL_CTX_set_options) each(SSL_CTX_set_ciphersuites) \
  each(SSL_CTX_set_num_tickets) each(SSL_CTX_set_psk_client_callback) each(SSL_CTX_set_psk_server_callback)      \
  each(SSL_new) each(SSL_free) each(SSL_set_bio) each(SSL_set_connect_state) each(SSL_set_accept_state)          \
  each(SSL_set_ex_data) each(SSL_get_ex_data) each(SSL_do_handshake) each(SSL_is_init_finished)                  \
  each(SSL_read_ex) each(SSL_write_ex) each(SSL_key_update) each(SSL_get_error) each(SSL_pending)                \
  each(BIO_new_bio_pair) each(BIO_free) each(BIO_nread0) each(BIO_nread) each(BIO_nwrite0) each(BIO_nwrite)      \
  each(BIO_ctrl_pending) each(BIO_ctrl_get_write_guarantee) each(ERR_clear_error)                                 \
  each(SSL_export_keying_material)
// clang-format on
struct Library {
#define WEFT_TLS_MEMBER(name) decltype(&::name) name = nullptr;
  WEFT_TLS_FUNCTIONS(WEFT_TLS_MEMBER)
#undef WEFT_TLS_MEMBER
  SSL_CTX* context = nullptr;
  const char* problem = nullptr;
};

// The callbacks by which OpenSSL asks for the key that the ends share. It has one identity; who it is the handshake of
// handshake.hpp has settled.
constexpr const char identity[] = "weft";

unsigned key_for_client(SSL* ssl, const char*, char* name, unsigned name_size, unsigned char* key, unsigned key_size);
unsigned key_for_server(SSL* ssl, const char* name, unsigned char* key, unsigned key_size);

// Only TLS 1.3, one cipher, and a key that both have: there are no certificates and nothing to negotiate.
SSL_CTX* make_context(const Library& library) {
  SSL_CTX* context = library.SSL_CTX_new(library.TLS_method());
  if (context == nullptr) return nullptr;
  library.SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_3_VERSION, nullptr);
  library.SSL_CTX_ctrl(context, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, nullptr);
  library.SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  library.SSL_CTX_set_num_tickets(context, 0);
  library.SSL_CTX_set_psk_client_callback(context, key_for_client);
  library.SSL_CTX_set_psk_server_callback(context, key_for_server);
  return library.SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") == 1 ? context : nullptr;
}

Library open_now() {
  Library library;
  void* handle = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);  // never closed; its libcrypto is found through it
  bool all = handle != nullptr;
#define WEFT_TLS_LOAD(name) \
  all = all && (library.name = reinterpret_cast<decltype(&::name)>(::dlsym(handle, #name))) != nullptr;
  WEFT_TLS_FUNCTIONS(WEFT_TLS_LOAD)
#undef WEFT_TLS_LOAD
  if (!all)
    library.problem = ::dlerror();
  else if ((library.context = make_context(library)) == nullptr)
    library.problem = "it does not offer TLS 1.3 with AES-128-GCM";
  return library;
}

const Library& library() {
  static const Library opened = open_now();
  return opened;
}

unsigned copy_key(SSL* ssl, unsigned char* key, unsigned key_size) {
  const auto& mac = *static_cast<const Mac*>(library().SSL_get_ex_data(ssl, 0));
  if (key_size < mac.size()) return 0;
  std::memcpy(key, mac.data(), mac.size());
  return static_cast<unsigned>(mac.size());
}

unsigned key_for_client(SSL* ssl, const char*, char* name, unsigned name_size, unsigned char* key, unsigned key_size) {
  if (name_size < sizeof identity) return 0;
  std::memcpy(name, identity, sizeof identity);
  return copy_key(ssl, key, key_size);
}

unsigned key_for_server(SSL* ssl, const char* name, unsigned char* key, unsigned key_size) {
  return std::strcmp(name, identity) == 0 ? copy_key(ssl, key, key_size) : 0;
}

}  // namespace

Status open_tls() {
  if (library().problem == nullptr) return {};
  base::log_error("OpenSSL cannot be used (%s): install libssl3 for WEFT_IP_SECURITY=encrypt", library().problem);
  return WEFT_ERR_UNSUPPORTED;
}

struct Tls::Parts {
  Parts(const Mac& with, uint64_t most) : key(with), records_per_key(most) {}
  ~Parts() {
    library().SSL_free(ssl);  // and inner
    library().BIO_free(outer);
  }

  // Goes on with the handshake; false: it has failed. What it leaves in OpenSSL's list of errors is of no use to
  // others.
  bool shake() {
    library().ERR_clear_error();
    const int result = library().SSL_do_handshake(ssl);
    return result == 1 || library().SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ;
  }

  // Encrypts at most a record, for which there is room.
  bool encrypt(const std::byte* bytes, size_t size) {
    library().ERR_clear_error();
    if (++records % records_per_key == 0 && library().SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) != 1)
      return false;
    size_t written = 0;
    return library().SSL_write_ex(ssl, bytes, size, &written) == 1 && written == size;
  }

  Mac key;
  uint64_t records_per_key, records = 0;
  SSL* ssl = nullptr;
  BIO* inner = nullptr;  // OpenSSL's end of the buffers
  BIO* outer = nullptr;  // ours
  std::array<std::byte, record_max> together;
};

Tls::Tls(Side side, const Mac& key, uint64_t records_per_key) : parts_(std::make_unique<Parts>(key, records_per_key)) {
  const Library& tls = library();
  Parts& parts = *parts_;
  parts.ssl = tls.SSL_new(tls.context);
  if (parts.ssl == nullptr || tls.BIO_new_bio_pair(&parts.inner, buffer_size, &parts.outer, buffer_size) != 1) {
    base::log_error("OpenSSL has no memory for another connection");
    std::abort();
  }
  tls.SSL_set_bio(parts.ssl, parts.inner, parts.inner);
  tls.SSL_set_ex_data(parts.ssl, 0, &parts.key);
  if (side == Side::client)
    tls.SSL_set_connect_state(parts.ssl);
  else
    tls.SSL_set_accept_state(parts.ssl);
  if (side == Side::client) (void)parts.shake();
}

Tls::~Tls() = default;

bool Tls::ready() const {
  return library().SSL_is_init_finished(parts_->ssl) != 0 &&
         library().BIO_ctrl_get_write_guarantee(parts_->inner) >= record_max + record_extra;
}

std::optional<Mac> Tls::exported_key(std::string_view label) const {
  const Library& tls = library();
  Mac key;
  if (tls.SSL_is_init_finished(parts_->ssl) == 0 ||
      tls.SSL_export_keying_material(parts_->ssl, reinterpret_cast<unsigned char*>(key.data()), key.size(),
                                     label.data(), label.size(), nullptr, 0, 0) != 1)
    return {};
  return key;
}

ssize_t Tls::write(const iovec* pieces, size_t count) {
  Parts& parts = *parts_;
  size_t taken = 0, skip = 0;
  while (count > 0 && ready()) {
    // As much as one record holds: long pieces from where they are, short ones together.
    const std::byte* from = static_cast<const std::byte*>(pieces->iov_base) + skip;
    size_t size = std::min(pieces->iov_len - skip, record_max);
    skip += size;
    if (size < record_max) {
      std::memcpy(parts.together.data(), from, size);
      from = parts.together.data();
    }
    while (count > 0 && skip == pieces->iov_len) {
      ++pieces, --count, skip = 0;
      if (count == 0 || size == record_max) continue;
      const size_t more = std::min(pieces->iov_len, record_max - size);
      std::memcpy(parts.together.data() + size, pieces->iov_base, more);
      size += more;
      skip = more;
    }
    if (size != 0 && !parts.encrypt(from, size)) return -1;
    taken += size;
  }
  return static_cast<ssize_t>(taken);
}

ssize_t Tls::read(const iovec* pieces, size_t count) {
  Parts& parts = *parts_;
  if (library().SSL_is_init_finished(parts.ssl) == 0 && !parts.shake()) return -1;
  size_t filled = 0;
  for (; count > 0; ++pieces, --count) {
    for (size_t at = 0; at < pieces->iov_len;) {
      size_t came = 0;
      library().ERR_clear_error();
      if (library().SSL_read_ex(parts.ssl, static_cast<std::byte*>(pieces->iov_base) + at, pieces->iov_len - at,
                                &came) != 1)
        return library().SSL_get_error(parts.ssl, 0) == SSL_ERROR_WANT_READ ? static_cast<ssize_t>(filled) : -1;
      at += came;
      filled += came;
    }
  }
  return static_cast<ssize_t>(filled);
}

bool Tls::holds_input() const {
  return library().SSL_pending(parts_->ssl) != 0 || library().BIO_ctrl_pending(parts_->inner) != 0;
}

Bytes Tls::output() const {
  char* start = nullptr;
  const int size = library().BIO_nread0(parts_->outer, &start);
  return {reinterpret_cast<const std::byte*>(start), size > 0 ? static_cast<size_t>(size) : 0};
}

void Tls::sent(size_t count) {
  char* start;
  (void)library().BIO_nread(parts_->outer, &start, static_cast<int>(count));
}

std::span<std::byte> Tls::room() {
  char* start = nullptr;
  const int size = library().BIO_nwrite0(parts_->outer, &start);
  return {reinterpret_cast<std::byte*>(start), size > 0 ? static_cast<size_t>(size) : 0};
}

void Tls::received(size_t count) {
  char* start;
  (void)library().BIO_nwrite(parts_->outer, &start, static_cast<int>(count));
}

}  // namespace weft::conduit::ip
