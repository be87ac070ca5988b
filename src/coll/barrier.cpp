#include "coll/barrier.hpp"

#include "base/log.hpp"

namespace weft::coll {

using conduit::RankId;

uint64_t Barrier::Knowledge::encode(uint64_t number) const {
  return number << number_shift | (mismatch ? uint64_t{1} << 33 : 0) | (known ? uint64_t{1} << 32 : 0) |
         static_cast<uint32_t>(value);
}

Barrier::Knowledge Barrier::Knowledge::decode(uint64_t word) {
  Knowledge knowledge;
  knowledge.value = static_cast<int32_t>(static_cast<uint32_t>(word));
  knowledge.known = (word >> 32 & 1) != 0;
  knowledge.mismatch = (word >> 33 & 1) != 0;
  return knowledge;
}

void Barrier::Knowledge::combine(const Knowledge& other) {
  mismatch = mismatch || other.mismatch || (known && other.known && value != other.value);
  if (!known && other.known) {
    known = true;
    value = other.value;
  }
}

Barrier::Barrier(core::Rank& rank)
    : rank_(rank),
      own_(*reinterpret_cast<Area*>(rank.conduit().segment() + core::ControlArea::barrier_offset)) {
  for (uint64_t distance = 1; distance < rank.size(); distance *= 2) {
    const auto partner = static_cast<RankId>((rank.id() + distance) % rank.size());
    std::byte* segment = rank.conduit().mapped(partner);
    Area* area = segment ? reinterpret_cast<Area*>(segment + core::ControlArea::barrier_offset) : nullptr;
    partners_.push_back({partner, area});
  }
  rank.handlers().add_internal(core::Internal::barrier_word, on_word, this);
}

// args: parity, round, word
void Barrier::on_word(void* self, const conduit::AmDelivery& message) {
  Area& area = static_cast<Barrier*>(self)->own_;
  area.words[message.args[0]][message.args[1]].word.store(message.args[2], std::memory_order_release);
}

void Barrier::tell() {
  const uint64_t parity = number_ & 1;
  const uint64_t word = knowledge_.encode(number_);
  const Partner& partner = partners_[round_];
  if (partner.area) {
    // release: what this rank, and those it heard from, did before is visible to the partner.
    partner.area->words[parity][round_].word.store(word, std::memory_order_release);
    rank_.conduit().nudge(partner.rank);
    return;
  }
  const uint64_t args[] = {parity, round_, word};
  const conduit::AmMessage message = {
      .handler = static_cast<uint16_t>(core::Internal::barrier_word), .arg_count = 3, .args = args};
  rank_.progress().wait([&] {
    return rank_.conduit().am_send(partner.rank, conduit::AmClass::request, message) != conduit::Result::retry;
  });
}

// True, and combined, if the word of this round has come.
bool Barrier::heard() {
  const uint64_t word = own_.words[number_ & 1][round_].word.load(std::memory_order_acquire);
  if (word >> number_shift != (number_ & ((uint64_t{1} << (64 - number_shift)) - 1))) return false;
  knowledge_.combine(Knowledge::decode(word));
  return true;
}

// Goes through all rounds whose word has come; true if that was the last.
bool Barrier::advance() {
  while (round_ < partners_.size()) {
    if (!heard()) return false;
    if (++round_ < partners_.size()) tell();
  }
  return true;
}

Status Barrier::notify(int32_t value, bool anonymous) {
  if (notified_) {
    base::log_error("barrier: notify was called twice without a wait between");
    return WEFT_ERR_INVALID;
  }
  notified_ = true;
  own_value_ = value;
  own_anonymous_ = anonymous;
  knowledge_ = {.value = anonymous ? 0 : value, .known = !anonymous, .mismatch = false};
  ++number_;
  round_ = 0;
  if (!partners_.empty()) tell();
  return {};
}

Status Barrier::finish(int32_t value, bool anonymous) {
  notified_ = false;
  const bool own_differs = anonymous != own_anonymous_ || (!anonymous && value != own_value_);
  return knowledge_.mismatch || own_differs ? Status(WEFT_ERR_MISMATCH) : Status();
}

namespace {
Status wait_without_notify() {
  base::log_error("barrier: wait was called without a notify before it");
  return WEFT_ERR_INVALID;
}
}  // namespace

Status Barrier::wait(int32_t value, bool anonymous) {
  if (!notified_) return wait_without_notify();
  rank_.progress().wait([&] { return advance(); });
  return finish(value, anonymous);
}

Status Barrier::try_wait(int32_t value, bool anonymous, bool& arrived) {
  if (!notified_) return wait_without_notify();
  arrived = advance();
  if (!arrived) {
    rank_.progress().poll();
    arrived = advance();
  }
  return arrived ? finish(value, anonymous) : Status();
}

}  // namespace weft::coll
