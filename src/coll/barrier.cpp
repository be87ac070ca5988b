#include "coll/barrier.hpp"

#include <string>
#include <utility>

namespace weft::coll {

namespace {

// The same on every rank: ranks of one host agree on whether they are crowded.
bool share_processors(core::Rank& rank) {
  return rank.capabilities().crowded && rank.conduit().host_size() == rank.size();
}

// The first rank's, if ranks that share processors share memory. Either all ranks map all others' memory or none does;
// a rank's own is always mapped.
Dissemination::Board* board_of(core::Rank& rank) {
  if (!share_processors(rank) || rank.size() > Dissemination::Board::most_ranks) return nullptr;
  size_t distance = 0;
  std::byte* const first = rank.mapped().base_of_all(rank.size(), distance);
  return first == nullptr ? nullptr
                          : reinterpret_cast<Dissemination::Board*>(first + core::ControlArea::barrier_offset);
}

Schedule schedule_of(core::Rank& rank, bool has_board) {
  return has_board ? Schedule(rank.size(), rank.size()) : Schedule::suited(rank.size(), share_processors(rank));
}

const char* name_of(Occasion occasion) {
  switch (occasion) {
    case Occasion::barrier:
      return "weft_barrier";
    case Occasion::finalize:
      return "weft_finalize";
    case Occasion::register_handlers:
      return "weft_am_register";
    default:
      return "a collective call of a language's runtime";
  }
}

}  // namespace

// args: parity, step, word
void Barrier::on_word(void* area, const conduit::AmDelivery& message) {
  Dissemination::put(*static_cast<Area*>(area), message.args[0], message.args[1], message.args[2]);
}

Barrier::Wiring Barrier::all_ranks(core::Rank& rank) {
  const auto area_in = [](std::byte* segment) {
    return reinterpret_cast<Area*>(segment + core::ControlArea::barrier_offset);
  };
  Area* const own = area_in(rank.conduit().segment());
  Board* const board = board_of(rank);
  rank.handlers().add_internal(core::Internal::barrier_word, on_word, own);
  return {.team = core::world_team,
          .members = core::RankList(0, 1, rank.size()),
          .me = rank.id(),
          .schedule = schedule_of(rank, board != nullptr),
          .own = own,
          .area =
              [&rank, area_in](uint32_t member) {
                std::byte* const segment = rank.conduit().mapped(member);
                return segment == nullptr ? nullptr : area_in(segment);
              },
          .send =
              [&rank](uint32_t member, uint64_t parity, uint32_t step, uint64_t word) {
                const uint64_t args[] = {parity, step, word};
                const conduit::AmMessage message = {
                    .handler = core::number_of(core::Internal::barrier_word), .arg_count = 3, .args = args};
                rank.progress().wait([&] {
                  return rank.conduit().am_send(member, conduit::AmClass::request, message) != conduit::Result::retry;
                });
              },
          .board = board};
}

Barrier::Barrier(core::Rank& rank, core::CallChecks& checks, Wiring wiring)
    : rank_(rank),
      checks_(checks),
      team_(wiring.team),
      members_(std::move(wiring.members)),
      me_(wiring.me),
      own_(*wiring.own),
      board_(wiring.board),
      protocol_(wiring.schedule),
      send_(std::move(wiring.send)) {
  const Schedule& schedule = protocol_.schedule();
  for (uint32_t step = 0; step < schedule.steps(); ++step) {
    const auto member = static_cast<uint32_t>((me_ + schedule.distance(step)) % members_.size());
    partners_.push_back({member, members_[member], wiring.area(member)});
  }
}

// Not inlined: notify() and wait() would save registers for the call of send_, which mapped members do without.
[[gnu::noinline]] void Barrier::tell(uint64_t parity, uint32_t step, uint64_t word) {
  const Partner& partner = partners_[step];
  if (board_) {
    if (step == 0) Dissemination::put(*board_, parity, me_, word);
    rank_.conduit().nudge(partner.rank);
    return;
  }
  if (partner.area == nullptr) return send_(partner.member, parity, step, word);
  Dissemination::put(*partner.area, parity, step, word);
  rank_.conduit().nudge(partner.rank);
}

uint32_t Barrier::teller(uint32_t step) const {
  const auto distance = static_cast<uint32_t>(protocol_.schedule().distance(step));
  return me_ >= distance ? me_ - distance : me_ + members_.size() - distance;
}

uint64_t Barrier::load(uint64_t parity, uint32_t step) const {
  return board_ ? Dissemination::get(*board_, parity, teller(step)) : Dissemination::get(own_, parity, step);
}

bool Barrier::advance() {
  return protocol_.advance([this](auto parity, auto step) { return load(parity, step); },
                           [this](auto parity, auto step, auto word) { tell(parity, step, word); });
}

// If a rank has come on another occasion: ends the job, or gives true if this rank's is a language's runtime's.
[[gnu::noinline, gnu::cold]] bool Barrier::stuck_of_kind() {
  uint32_t step;
  Occasion theirs;
  if (!protocol_.stuck([this](auto parity, auto at) { return load(parity, at); }, step, theirs)) return false;
  if (occasion_ >= Occasion::kind_1) return true;
  const std::string line =
      core::describe_calls({rank_.id(), name_of(occasion_)}, {members_[teller(step)], name_of(theirs)}) + "; " +
      core::same_calls_rule;
  rank_.refuse(line.c_str());
}

Status Barrier::notify(int32_t value, bool anonymous, Occasion occasion) {
  if (notified_) return WEFT_ERR_INVALID;
  notified_ = true;
  own_value_ = value;
  own_anonymous_ = anonymous;
  occasion_ = occasion;
  if (checks_.on) checks_.ledger.announce(team_, core::CallKind::barrier);
  count_ += occasion == Occasion::barrier || occasion >= Occasion::kind_1 ? 1 : 0;
  protocol_.arrive(
      value, anonymous, [this](auto parity, auto step, auto word) { tell(parity, step, word); }, occasion);
  return {};
}

Status Barrier::finish(int32_t value, bool anonymous) {
  notified_ = false;
  const bool own_differs = anonymous != own_anonymous_ || (!anonymous && value != own_value_);
  return protocol_.mismatch() || own_differs ? Status(WEFT_ERR_MISMATCH) : Status();
}

Status Barrier::wait(int32_t value, bool anonymous) {
  if (!notified_) return WEFT_ERR_INVALID;
  return __builtin_expect(advance() || wait_for_others(), 1) ? finish(value, anonymous) : Status(WEFT_RETRY);
}

// False if another rank has come for something else. Apart, so that whoever comes last need not prepare for it.
[[gnu::noinline]] bool Barrier::wait_for_others() {
  // Whether somebody came for something else is looked at rarely: that look costs what looking for the word costs.
  constexpr uint32_t looks_between = 128;
  uint32_t looks = 0;
  bool stuck = false;
  Waiting waiting(*this);
  rank_.progress().wait([&] {
    if (advance()) return true;
    if (__builtin_expect(++looks % looks_between != 0, 1)) return false;
    waiting.look();
    return stuck = stuck_of_kind();
  });
  return !stuck;
}

Status Barrier::try_wait(int32_t value, bool anonymous, bool& arrived) {
  if (!notified_) return WEFT_ERR_INVALID;
  arrived = advance();
  if (!arrived) {
    rank_.progress().poll();
    arrived = advance();
    if (!arrived) (void)stuck_of_kind();
  }
  return arrived ? finish(value, anonymous) : Status();
}

}  // namespace weft::coll
