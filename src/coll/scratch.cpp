#include "coll/scratch.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "coll/dissemination_task.hpp"

namespace weft::coll {

namespace {
constexpr size_t most_in_message = size_t{16} << 10;

// Of a bank that need not grow for any request that it holds.
constexpr size_t generous_bulk = size_t{1} << 20;
constexpr uint32_t generous_lines = generous_bulk / 4 / line_bytes;
}  // namespace

Members::Members(core::Rank& rank, rma::OneSided& rma, core::RankList ranks, uint32_t me)
    : rank_(rank),
      rma_(rma),
      conduit_(rank.conduit()),
      ranks_(std::move(ranks)),
      reachable_(rank.direct()),
      segment_(rank.conduit().segment()),
      message_max_(rank.settings().progress == "thread" ? 0 : std::min(most_in_message, rank.capabilities().max_long)),
      me_(me) {
  for (uint32_t member = 0; member < size() && all_direct_; ++member)
    all_direct_ = reachable_[ranks_[member]] != nullptr;
  if (!all_direct_) return;
  std::byte* const first = reachable_[ranks_[0]];
  if (size() > 1) distance_ = reachable_[ranks_[1]] - first;
  bool regular = true;
  for (uint32_t member = 0; member < size() && regular; ++member)
    regular = reachable_[ranks_[member]] - first == member * distance_;
  if (regular) base_ = first;
}

std::string Members::name(uint32_t member) const {
  const std::string rank = "rank " + std::to_string(ranks_[member]);
  return is_whole_job() ? rank : "member " + std::to_string(member) + " (" + rank + ")";
}

std::string Members::number(uint32_t member) const {
  const std::string number = std::to_string(member);
  return is_whole_job() ? number : number + " (rank " + std::to_string(ranks_[member]) + ")";
}

void Members::register_handler(core::Rank& rank) {
  rank.handlers().add_setter(core::Internal::collective_message, on_message, rank.conduit().segment());
}

// The data is in place. args: the word, its value
void Members::on_message(void* segment, const conduit::AmDelivery& message) {
  store(static_cast<std::byte*>(segment) + message.args[0], message.args[1]);
}

// What is small goes as an active message, which nobody acknowledges: half the messages of a put with a signal.
// Handlers run where their rank polls, so where a thread is to serve it while it computes, all goes as puts with
// signals.
bool Members::send(uint32_t member, uint64_t offset, const void* data, size_t size, uint64_t word, uint64_t value,
                   rma::Operation& operation) {
  if (size <= message_max_ && rank_.mapped()[ranks_[member]] == nullptr) {
    const uint64_t args[] = {word, value};
    const conduit::AmMessage message = {.kind = size == 0 ? conduit::AmKind::short_ : conduit::AmKind::long_,
                                        .handler = core::number_of(core::Internal::collective_message),
                                        .arg_count = 2,
                                        .args = args,
                                        .payload = data,
                                        .size = size,
                                        .offset = offset};
    return conduit_.am_send(ranks_[member], conduit::AmClass::request, message) != conduit::Result::retry;
  }
  const core::OnBehalf behalf(WEFT_DETAIL_LIBRARY);
  return rma_.put_signal(operation, ranks_[member], offset, data, size, word, value, conduit::SignalOp::set,
                         {.immediate = true}) != rma::Result::retry;
}

// ---- Making ----

uint32_t Scratch::rounds() const { return std::max(1u, static_cast<uint32_t>(std::bit_width(members_.size() - 1))); }

uint64_t Scratch::barrier_at() const { return (table_at(2) + line_bytes - 1) / line_bytes * line_bytes; }

// Memory from `begin` to `end` that is zero before `used` as it is: what nobody touches takes no memory.
void Scratch::clear(uint64_t begin, uint64_t end, uint64_t used) {
  begin = std::max(begin, used);
  if (begin < end) std::memset(members_.segment() + begin, 0, end - begin);
}

Status Scratch::allocate_banks(uint64_t& offset, bool untouched) {
  size_t at = 0;
  size_t fresh = 0;
  const Status status = members_.core().heap().allocate_local(2 * bank_bytes(), alignment, at, &fresh);
  if (!status.ok()) return status;
  // The lines must hold no stamps; memory that was in use before holds anything.
  for (uint32_t bank = 0; bank < 2 && !untouched; ++bank)
    clear(at + bank * bank_bytes(), at + bank * bank_bytes() + lines_ * line_bytes, at + fresh);
  offset = at;
  return {};
}

Status Scratch::allocate(Place& place, bool untouched) {
  // Between hosts a turn is a barrier of many microseconds, for which those who run ahead wait. Memory that is reserved
  // and not used costs nothing, unless the segment is small; but lines are cleared. A call with two lines for each
  // member should not have to wait for a growth: that takes as many polls as a barrier, and a member that computes
  // between two non-blocking calls polls once for each.
  const bool direct = members_.all_direct();
  const uint32_t n = members_.size();
  lines_ = direct ? std::max(256u, 8 * n) : std::max({1024u, 32 * n, std::min(64 * n, generous_lines)});
  constexpr size_t small = size_t{32} << 10, large = 16 * small;
  bulk_ = direct ? small : std::clamp(members_.core().conduit().segment_size() / 512 / small * small, small, large);
  set_modest();
  size_t control = 0, fresh = 0;
  Status status = members_.core().heap().allocate_local(control_bytes(), line_bytes, control, &fresh);
  if (!status.ok()) return status;
  if (!untouched) clear(control, control + control_bytes(), control + fresh);
  place.control = control;
  status = allocate_banks(place.banks, untouched);
  if (!status.ok()) (void)members_.core().heap().release_local(control);
  return status;
}

void Scratch::connect(std::vector<Place> places) {
  const auto same = [&](const Place& place) { return place == places[0]; };
  if (std::ranges::all_of(places, same)) return connect(places[0]);
  places_ = std::move(places);
  which_ = ~uint32_t{0};
}

void Scratch::connect(Place place) {
  places_ = {place};
  which_ = 0;
}

Scratch::Scratch(Members& members, Scheduler& scheduler)
    : members_(members),
      scheduler_(scheduler),
      line_check_(members.core().settings().check ? std::make_unique<LineCheck>() : nullptr) {}

Scratch::~Scratch() {
  if (places_.empty()) return;
  (void)members_.core().heap().release_local(banks(members_.me()));
  (void)members_.core().heap().release_local(control(members_.me()));
}

bool Scratch::quiet() const {
  return !growing_ && bank_[0].turning.ended() && bank_[1].turning.ended() && detached_.remote_done();
}

void Scratch::check_lines() {
  for (uint32_t bank = 0; bank < 2; ++bank) check_lines_of(bank);
}

void Scratch::check_lines_of(uint32_t bank) {
  if (line_check_ == nullptr) return;
  const std::string wrong = line_check_->look(bank, members_.segment() + banks(members_.me()));
  if (wrong.empty()) return;
  const std::string line = "collectives: " + wrong + " (rule 1 of docs/ADDING-A-COLLECTIVE.md)";
  members_.core().refuse(line.c_str(), false);
}

// ---- Regions ----

namespace {

// The largest request that banks of this size serve as they are. Larger ones would fill a bank in a few calls, and each
// change of banks costs a barrier. So they make the banks grow first. Banks that are generous already grow only if they
// must. Those that are kept for some calls hold a few of them: memory counts more there.
template <class Size>
Size modest(Size bank, Size generous, Size kept_for) {
  return bank < generous ? std::max(bank / 32, std::min(bank / 4, kept_for)) : bank;
}

template <class Size>
Size grown(Size bank, Size generous, Size kept_for, Size needs) {
  while (needs > modest(bank, generous, kept_for)) bank *= 2;
  return bank;
}

}  // namespace

void Scratch::set_modest() {
  modest_bulk_ = modest(bulk_, generous_bulk, kept_for_.bulk);
  modest_lines_ = modest(lines_, generous_lines, kept_for_.lines);
}

Needs Scratch::grown_for(const Needs& needs, const Needs& kept_for) const {
  return {.lines = grown(lines_, generous_lines, kept_for.lines, needs.lines),
          .bulk = grown(bulk_, generous_bulk, kept_for.bulk, needs.bulk)};
}

size_t Scratch::growth_for(const Needs& needs) const {
  const Needs banks = grown_for(needs, larger(kept_for_, needs));
  return banks.lines == lines_ && banks.bulk == bulk_ ? 0 : 2 * (banks.lines * line_bytes + banks.bulk);
}

bool Scratch::make_room(const Needs& needs) {
  if (growing_) return false;
  if (needs.lines > modest_lines_ || needs.bulk > modest_bulk_) {
    const Needs banks = grown_for(needs, kept_for_);
    lines_ = banks.lines;
    bulk_ = banks.bulk;
    growing_ = true;
    modest_lines_ = 0;
    growing_task_ = grow();
    if (growing_) return false;
  }
  // Which bank comes next depends on the calls alone, not on whose turn is over first: all members must agree.
  if (bank_[current_].closed) return false;
  if (bank_[current_].lines + needs.lines > lines_ || bank_[current_].bulk + needs.bulk > bulk_) {
    close(current_);
    current_ ^= 1;
    if (bank_[current_].closed) return false;
  }
  return true;
}

void Scratch::close(uint32_t bank) {
  bank_[bank].closed = true;
  turn_if_ready(bank);
}

void Scratch::turn_if_ready(uint32_t bank) {
  Bank& ready = bank_[bank];
  if (!ready.closed || ready.users != 0 || !ready.turning.ended()) return;
  ++ready.turns;
  ready.turning = turn(bank);
}

// ---- What members tell each other about the space itself ----

// Sets a word in a member's control area; with it, possibly, entries of a table.
class Scratch::Tell : public Waiter {
 public:
  Tell(Scratch& scratch, uint32_t member, uint64_t word, uint64_t value, uint64_t offset = 0,
       const uint64_t* data = nullptr, size_t size = 0)
      : scratch_(scratch), member_(member), offset_(offset), data_(data), size_(size), word_(word), value_(value) {}
  bool await_ready() { return attempt(); }
  void await_suspend(std::coroutine_handle<> awaiting) {
    handle = awaiting;
    ready = [](Waiter& waiter) { return static_cast<Tell&>(waiter).attempt(); };
    scratch_.scheduler_.add_independent(*this);
  }
  void await_resume() {}

 private:
  bool attempt() {
    const uint64_t control = scratch_.control(member_);
    return scratch_.members_.put_signal(member_, control + offset_, data_, size_, control + word_, value_,
                                        scratch_.detached_);
  }

  Scratch& scratch_;
  uint32_t member_;
  uint64_t offset_;
  const uint64_t* data_;
  size_t size_;
  uint64_t word_, value_;
};

// A word of this rank's own control area.
bool Scratch::word_reached(Scratch& scratch, uint64_t word, uint64_t value) {
  const Members& members = scratch.members_;
  return members.own_word(scratch.control(members.me()) + word) >= value;
}

// Waits until holds() does.
class Scratch::Await : public Waiter {
 public:
  Await(Scratch& scratch, bool (*holds)(Scratch&, uint64_t, uint64_t), uint64_t a = 0, uint64_t b = 0)
      : scratch_(scratch), holds_(holds), a_(a), b_(b) {}
  bool await_ready() { return holds_(scratch_, a_, b_); }
  void await_suspend(std::coroutine_handle<> awaiting) {
    handle = awaiting;
    ready = [](Waiter& waiter) { return static_cast<Await&>(waiter).await_ready(); };
    scratch_.scheduler_.add(*this);
  }
  void await_resume() {}

 private:
  Scratch& scratch_;
  bool (*holds_)(Scratch&, uint64_t, uint64_t);
  uint64_t a_, b_;
};

// A barrier. A rank's word may already be of its next turn when it is read; later includes earlier.
Task Scratch::turn(uint32_t bank) {
  const uint64_t number = bank_[bank].turns;
  co_await disseminate(
      *this, members_.size(), members_.me(), 2,
      [this, bank, number](uint32_t member, uint32_t round) {
        return Tell(*this, member, turn_word(bank, round), number);
      },
      [this, bank, number](uint32_t round) { return Await(*this, word_reached, turn_word(bank, round), number); });
  check_lines_of(bank);
  bank_[bank].lines = 0;
  bank_[bank].bulk = 0;
  bank_[bank].closed = false;
  changed_ = true;
}

Task Scratch::grow() {
  co_await Await(*this, [](Scratch& s, uint64_t, uint64_t) {
    return s.bank_[0].users == 0 && s.bank_[1].users == 0 && s.bank_[0].turning.ended() && s.bank_[1].turning.ended();
  });
  const uint32_t me = members_.me();
  const uint32_t size = members_.size();
  const uint64_t number = ++growths_;
  // A member may be one growth ahead of another, so the two parities have a table each.
  const uint64_t parity = number & 1;
  const uint64_t table = table_at(parity);
  uint64_t fresh = 0;
  if (!allocate_banks(fresh, false).ok()) {
    char use[120];
    std::snprintf(use, sizeof use, "the collectives of a team of %u now need there for messages to each other", size);
    members_.core().refuse_for_room(2 * bank_bytes(), use);
  }
  // Bruck's all-gather: entry i is that of the member i places before this one, and in each round a member has twice as
  // many.
  auto* const known = reinterpret_cast<uint64_t*>(members_.segment() + control(me) + table);
  known[0] = fresh;
  uint32_t round = 0;
  for (uint32_t have = 1; have < size; have *= 2, ++round) {
    const size_t bytes = std::min(have, size - have) * sizeof *known;
    const uint64_t word = growth_word(parity, round);
    co_await Tell(*this, (me + have) % size, word, number, table + have * sizeof *known, known, bytes);
    co_await Await(*this, word_reached, word, number);
  }
  // Everybody has told, so everybody has ended its earlier collectives: nobody looks at the old banks.
  check_lines();
  co_await Await(*this, [](Scratch& s, uint64_t, uint64_t) { return s.detached_.local_done(); });
  (void)members_.core().heap().release_local(banks(me));
  std::vector<Place> places(size);
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t member = (me + size - i) % size;
    places[member] = {control(member), known[i]};
  }
  connect(std::move(places));
  for (Bank& bank : bank_) bank.lines = 0, bank.bulk = 0, bank.closed = false;
  current_ = 0;
  set_modest();
  growing_ = false;
  changed_ = true;
}

}  // namespace weft::coll
