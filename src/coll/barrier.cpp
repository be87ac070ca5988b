#include "coll/barrier.hpp"

namespace weft::coll {

using conduit::RankId;

namespace {

// The same on every rank: ranks of one host agree on whether they are crowded.
Schedule schedule_of(core::Rank& rank) {
  const bool share_processors = rank.capabilities().crowded && rank.conduit().host_size() == rank.size();
  return {rank.size(), share_processors ? Schedule::widest_radix(rank.size()) : 2};
}

}  // namespace

Barrier::Barrier(core::Rank& rank)
    : rank_(rank),
      own_(*reinterpret_cast<Area*>(rank.conduit().segment() + core::ControlArea::barrier_offset)),
      protocol_(schedule_of(rank)) {
  const Schedule schedule = schedule_of(rank);
  for (uint32_t step = 0; step < schedule.steps(); ++step) {
    const auto partner = static_cast<RankId>((rank.id() + schedule.distance(step)) % rank.size());
    std::byte* segment = rank.conduit().mapped(partner);
    Area* area = segment ? reinterpret_cast<Area*>(segment + core::ControlArea::barrier_offset) : nullptr;
    partners_.push_back({partner, area});
  }
  rank.handlers().add_internal(core::Internal::barrier_word, on_word, this);
}

// args: parity, step, word
void Barrier::on_word(void* self, const conduit::AmDelivery& message) {
  Dissemination::put(static_cast<Barrier*>(self)->own_, message.args[0], message.args[1], message.args[2]);
}

void Barrier::tell(uint64_t parity, uint32_t step, uint64_t word) {
  const Partner& partner = partners_[step];
  if (partner.area) {
    Dissemination::put(*partner.area, parity, step, word);
    rank_.conduit().nudge(partner.rank);
    return;
  }
  const uint64_t args[] = {parity, step, word};
  const conduit::AmMessage message = {
      .handler = static_cast<uint16_t>(core::Internal::barrier_word), .arg_count = 3, .args = args};
  rank_.progress().wait([&] {
    return rank_.conduit().am_send(partner.rank, conduit::AmClass::request, message) != conduit::Result::retry;
  });
}

bool Barrier::advance() {
  return protocol_.advance(own_, [this](auto parity, auto step, auto word) { tell(parity, step, word); });
}

Status Barrier::notify(int32_t value, bool anonymous) {
  if (notified_) return WEFT_ERR_INVALID;
  notified_ = true;
  own_value_ = value;
  own_anonymous_ = anonymous;
  protocol_.arrive(value, anonymous, [this](auto parity, auto step, auto word) { tell(parity, step, word); });
  return {};
}

Status Barrier::finish(int32_t value, bool anonymous) {
  notified_ = false;
  const bool own_differs = anonymous != own_anonymous_ || (!anonymous && value != own_value_);
  return protocol_.mismatch() || own_differs ? Status(WEFT_ERR_MISMATCH) : Status();
}

Status Barrier::wait(int32_t value, bool anonymous) {
  if (!notified_) return WEFT_ERR_INVALID;
  rank_.progress().wait([&] { return advance(); });
  return finish(value, anonymous);
}

Status Barrier::try_wait(int32_t value, bool anonymous, bool& arrived) {
  if (!notified_) return WEFT_ERR_INVALID;
  arrived = advance();
  if (!arrived) {
    rank_.progress().poll();
    arrived = advance();
  }
  return arrived ? finish(value, anonymous) : Status();
}

}  // namespace weft::coll
