#include "conduit/ip/handshake.hpp"

namespace weft::conduit::ip {
namespace {

constexpr std::string_view responder_label = "responder", initiator_label = "initiator", key_label = "encryption",
                           datagrams_label = "datagrams";
constexpr std::string_view verdict_labels[] = {"verdict0", "verdict1", "verdict2"};

}  // namespace

Mac key_of(Bytes secret, Bytes nonce) { return mac_of(secret, bytes_of("weft ip 1"), nonce); }

std::string fingerprint_of(const Mac& key) {
  const Mac mac = mac_of(key, bytes_of("fingerprint"), {});
  std::string text;
  for (const std::byte each : std::span(mac).first(fingerprint_size / 2)) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(each) >> 4];
    text += "0123456789abcdef"[std::to_integer<unsigned>(each) & 15];
  }
  return text;
}

Handshake Handshake::call(const Credentials& credentials, RankId peer, const Nonce& nonce) {
  Handshake made(credentials, true);
  made.peer_ = peer;
  made.hello_.security = static_cast<uint16_t>(credentials.security);
  made.hello_.initiator = credentials.rank;
  made.hello_.responder = peer;
  made.hello_.nonce = nonce;
  made.put_out(made.hello_);
  made.wait_for(Stage::challenge, sizeof(Challenge));
  return made;
}

Handshake Handshake::answer(const Credentials& credentials, const Nonce& nonce) {
  Handshake made(credentials, false);
  made.own_nonce_ = nonce;
  made.wait_for(Stage::hello, sizeof(Hello));
  return made;
}

void Handshake::wait_for(Stage stage, size_t size) {
  stage_ = stage;
  in_size_ = 0;
  wanted_ = size;
}

// Of the label, the hello and the responder's nonce: all that the two have agreed on.
Mac Handshake::mac(std::string_view label) const {
  std::array<std::byte, sizeof(Hello) + nonce_size> agreed;
  std::memcpy(agreed.data(), &hello_, sizeof hello_);
  std::memcpy(agreed.data() + sizeof hello_, responder_nonce_.data(), nonce_size);
  return mac_of(credentials_->key, bytes_of(label), agreed);
}

Mac Handshake::key() const { return mac(key_label); }

Mac Handshake::datagram_secret() const { return mac(datagrams_label); }

Handshake::Step Handshake::sent(size_t count) {
  out_begin_ += count;
  if (out_begin_ == out_end_ && stage_ == Stage::none && step_ == Step::more) step_ = Step::over;
  return step_;
}

Handshake::Step Handshake::received(size_t count) {
  in_size_ += count;
  if (step_ == Step::more && wanted_ != 0 && in_size_ == wanted_) step_ = take_message();
  return step_;
}

Handshake::Step Handshake::take_message() {
  switch (stage_) {
    case Stage::hello:
      return take_hello();
    case Stage::challenge:
      return take_challenge();
    case Stage::proof:
      if (!equal(mac(initiator_label), Bytes(in_).first(sizeof(Mac)))) return Step::wrong;
      wait_for(Stage::none, 0);
      return Step::asks;
    case Stage::verdict:
      return take_verdict();
    case Stage::none:
      break;
  }
  return Step::wrong;
}

Handshake::Step Handshake::take_hello() {
  std::memcpy(&hello_, in_.data(), sizeof hello_);
  const Hello expected;
  const bool good = hello_.magic == expected.magic && hello_.version == protocol_version &&
                    hello_.security == static_cast<uint16_t>(credentials_->security) && hello_.zero == 0 &&
                    hello_.reserved == 0 && hello_.responder == credentials_->rank &&
                    hello_.initiator != credentials_->rank && hello_.initiator < credentials_->size;
  if (!good) return Step::wrong;
  peer_ = hello_.initiator;
  responder_nonce_ = own_nonce_;
  put_out(Challenge{own_nonce_, mac(responder_label)});
  wait_for(Stage::proof, sizeof(Mac));
  return Step::more;
}

Handshake::Step Handshake::take_challenge() {
  Challenge challenge;
  std::memcpy(&challenge, in_.data(), sizeof challenge);
  responder_nonce_ = challenge.nonce;
  if (!equal(mac(responder_label), challenge.mac)) return Step::wrong;
  put_out(mac(initiator_label));
  wait_for(Stage::verdict, sizeof(VerdictMessage));
  return Step::more;
}

Handshake::Step Handshake::take_verdict() {
  VerdictMessage message;
  std::memcpy(&message, in_.data(), sizeof message);
  if (message.verdict >= std::size(verdict_labels) || message.zero != 0) return Step::wrong;
  if (!equal(mac(verdict_labels[message.verdict]), message.mac)) return Step::wrong;
  verdict_ = static_cast<Verdict>(message.verdict);
  wait_for(Stage::none, 0);
  return Step::over;
}

Handshake::Step Handshake::decide(Verdict verdict) {
  verdict_ = verdict;
  const auto code = static_cast<uint32_t>(verdict);
  put_out(VerdictMessage{code, 0, mac(verdict_labels[code])});
  return step_ = Step::more;
}

}  // namespace weft::conduit::ip
