// How two ends of a connection prove to each other that they belong to the job, without sockets: bytes in, bytes out.
// docs/IP-PROTOCOL.md says what the messages are and what they protect against.
//
// A Handshake asks for exactly the bytes of the next message (room()), so what follows the last stays in the socket.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "conduit/conduit.hpp"
#include "conduit/ip/crypto.hpp"

namespace weft::conduit::ip {

/// Changes whenever ranks with the old and the new code would misunderstand each other.
inline constexpr uint16_t protocol_version = 2;

/// encrypt: as auth, and what follows the handshake is encrypted.
enum class Security : uint16_t { off, auth, encrypt };

inline constexpr size_t nonce_size = 16;
using Nonce = std::array<std::byte, nonce_size>;

/// What a rank knows of the job.
struct Credentials {
  Mac key{};  ///< all zero with Security::off, where nobody proves anything
  RankId rank = 0, size = 0;
  Security security = Security::auth;
};

/// The job's key, made from the secret that its ranks share; `nonce` is of this job alone, where the secret is not.
Mac key_of(Bytes secret, Bytes nonce = {});
/// What tells ranks whether they have the same key, and nobody what it is.
std::string fingerprint_of(const Mac& key);
inline constexpr size_t fingerprint_size = 16;

enum class Verdict : uint32_t { welcome, connected, crossing };

struct Hello {
  std::array<char, 8> magic = {'w', 'e', 'f', 't', 'i', 'p', '0', '1'};
  uint16_t version = protocol_version;
  uint16_t security = 0;
  RankId initiator = 0, responder = 0;
  uint32_t zero = 0;
  Nonce nonce{};
  uint64_t reserved = 0;
};
static_assert(sizeof(Hello) == 48);

struct Challenge {
  Nonce nonce{};
  Mac mac{};
};
struct VerdictMessage {
  uint32_t verdict = 0, zero = 0;
  Mac mac{};
};

class Handshake {
 public:
  enum class Step : uint8_t {
    more,   ///< there are bytes to send, to receive, or both
    asks,   ///< responder: the other end has proved itself; decide()
    over,   ///< the verdict is known and nothing is left to send
    wrong,  ///< not of this job: close the connection
  };

  /// The initiator's end and the responder's. `nonce` is fresh; `credentials` outlive the handshake.
  static Handshake call(const Credentials& credentials, RankId peer, const Nonce& nonce);
  static Handshake answer(const Credentials& credentials, const Nonce& nonce);

  Step step() const { return step_; }
  bool initiator() const { return initiator_; }
  /// Responder: as claimed, once a hello has come; verified from `asks` on.
  RankId peer() const { return peer_; }
  Verdict verdict() const { return verdict_; }
  /// When over: a key that the two ends have and nobody else, of this connection alone.
  Mac key() const;
  /// Likewise, what keys for datagrams are made from.
  Mac datagram_secret() const;

  /// What is to be sent, and that so much of it was.
  Bytes output() const { return Bytes(out_).subspan(out_begin_, out_end_ - out_begin_); }
  Step sent(size_t count);
  /// Where the next bytes are wanted, none while there is nothing to wait for; and that so many came.
  std::span<std::byte> room() { return std::span(in_).subspan(in_size_, wanted_ - in_size_); }
  Step received(size_t count);
  /// Responder, in `asks`.
  Step decide(Verdict verdict);

 private:
  enum class Stage : uint8_t { hello, challenge, proof, verdict, none };

  Handshake(const Credentials& credentials, bool initiator) : credentials_(&credentials), initiator_(initiator) {}

  Mac mac(std::string_view label) const;
  Step take_message();
  Step take_hello();
  Step take_challenge();
  Step take_verdict();
  void wait_for(Stage stage, size_t size);
  template <class Message>
  void put_out(const Message& message) {
    static_assert(sizeof message <= sizeof out_);
    std::memcpy(out_.data(), &message, sizeof message);
    out_begin_ = 0;
    out_end_ = sizeof message;
  }

  const Credentials* credentials_;
  bool initiator_;
  RankId peer_ = 0;
  Stage stage_ = Stage::none;
  Step step_ = Step::more;
  Verdict verdict_ = Verdict::welcome;
  Hello hello_;
  Nonce own_nonce_{}, responder_nonce_{};
  std::array<std::byte, 64> in_{}, out_{};
  size_t in_size_ = 0, wanted_ = 0, out_begin_ = 0, out_end_ = 0;
};

}  // namespace weft::conduit::ip
