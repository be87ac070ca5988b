// The scratch space of a team: where its members put messages for each other.
//
// Problem. A sender must know where in the receiver's memory its message goes, with no receive posted and no tag to
// match, with any number of collectives under way; and memory must not be used again before its last reader has gone.
//
// Choice. All members make the same calls in the same order, so all make the same allocations: a region is at the same
// place in everybody's scratch space, and a sender knows it without asking. A region has lines and bulk. A line is one
// cache line: two stamps, and 48 bytes that may travel with the first. A message is there when its stamp is that of the
// collective (its number on the team), so nothing is ever cleared: a line holds nothing but stamps in its first two
// words, and older stamps are smaller.
//
// Reuse. The space is two banks. A bank that is full is closed; when this rank's collectives in it have ended, it takes
// part in a barrier for that bank (turn), and when that is over nobody can read or write its old contents any more.
// Meanwhile the other bank serves. So a barrier is paid once for a bank full of collectives, and seldom waited for.
//
// Growth. A collective that needs more than a bank waits until the earlier ones have ended; then every member allocates
// larger banks and the others learn where they are, in as many messages a member as a barrier takes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coll/dissemination.hpp"
#include "coll/line_check.hpp"
#include "coll/task.hpp"
#include "core/rank.hpp"
#include "core/rank_list.hpp"
#include "os/dataless.hpp"
#include "rma/one_sided.hpp"

namespace weft::coll {

using conduit::RankId;

inline constexpr size_t line_bytes = 64;
inline constexpr size_t line_second_stamp_at = 8;
inline constexpr size_t line_payload = 48;
inline constexpr size_t line_payload_at = 16;

/// What a collective needs in every member's memory.
struct Needs {
  uint32_t lines = 0;
  size_t bulk = 0;  // bytes
};

inline Needs larger(const Needs& a, const Needs& b) {
  return {.lines = std::max(a.lines, b.lines), .bulk = std::max(a.bulk, b.bulk)};
}

/// Where it has it, relative to the start of the banks.
struct Region {
  uint32_t bank = 0;
  uint64_t lines = 0;
  uint64_t bulk = 0;
  uint64_t stamp = 0;
};

/// The members of a team, and how to write to their memory.
class Members {
 public:
  Members(core::Rank& rank, rma::OneSided& rma, core::RankList ranks, uint32_t me);

  uint32_t me() const { return me_; }
  uint32_t size() const { return ranks_.size(); }
  RankId rank(uint32_t member) const { return ranks_[member]; }
  /// For messages: "member 2 (rank 5)", or "rank 5" in a team of all ranks in their order.
  std::string name(uint32_t member) const;
  /// The same of a member that a call names: "2 (rank 5)", or "5".
  std::string number(uint32_t member) const;
  const core::RankList& ranks() const { return ranks_; }
  bool is_whole_job() const { return ranks_.is_whole(rank_.size()); }
  /// The member's segment if this rank may load and store it, else null; and whether that is so for all of them.
  std::byte* direct(uint32_t member) const {
    return __builtin_expect(base_ != nullptr, 1) ? base_ + member * distance_ : reachable_[ranks_[member]];
  }
  bool all_direct() const { return all_direct_; }
  std::byte* segment() const { return segment_; }

  /// Puts data and then sets a word, both in the member's segment. False: declined for now.
  bool put_signal(uint32_t member, uint64_t offset, const void* data, size_t size, uint64_t word, uint64_t value,
                  rma::Operation& operation) {
    if (std::byte* base = direct(member)) {
      if (size != 0) os::copy_data(base + offset, data, size);
      store(base + word, value);
      if (member != me_) conduit_.nudge(ranks_[member]);
      return true;
    }
    return send(member, offset, data, size, word, value, operation);
  }
  /// A word of this rank's own segment.
  uint64_t own_word(uint64_t offset) const { return load(segment_ + offset); }

  static uint64_t load(const std::byte* word) {
    // acquire: the data that the stamp announces is visible.
    return std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(const_cast<std::byte*>(word)))
        .load(std::memory_order_acquire);
  }
  static void store(std::byte* word, uint64_t value) {
    // release: the data is visible to whoever sees the stamp.
    std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(word)).store(value, std::memory_order_release);
  }

  core::Rank& core() const { return rank_; }

  /// Once per rank, before the first message can come.
  static void register_handler(core::Rank& rank);

 private:
  bool send(uint32_t member, uint64_t offset, const void* data, size_t size, uint64_t word, uint64_t value,
            rma::Operation& operation);
  static void on_message(void* segment, const conduit::AmDelivery& message);

  core::Rank& rank_;
  rma::OneSided& rma_;
  conduit::Conduit& conduit_;
  core::RankList ranks_;
  const core::MappedPeers& reachable_;
  // The members' segments, if all are there and an equal distance apart; else null.
  std::byte* base_ = nullptr;
  ptrdiff_t distance_ = 0;
  std::byte* segment_;
  size_t message_max_;  // what goes as an active message, if its receiver's memory is not mapped
  uint32_t me_;
  bool all_direct_ = true;
};

class Scratch {
 public:
  /// Of the banks.
  static constexpr size_t alignment = 4096;

  Scratch(Members& members, Scheduler& scheduler);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Where this rank's control area and banks are, for the other members.
  struct Place {
    uint64_t control, banks;
    bool operator==(const Place&) const = default;
  };
  /// untouched: at the start of a job, when the segment is zero and others may have sent something already.
  Status allocate(Place& place, bool untouched = false);
  /// What the others said, by member. Nothing is sent before.
  void connect(std::vector<Place> places);
  /// The same if everybody said `place`.
  void connect(Place place);

  /// True and a region, or false: try again when changed() has been called.
  bool reserve(const Needs& needs, Region& region) {
    if (__builtin_expect(!fits(needs), 0) && !make_room(needs)) return false;
    take(needs, region);
    return true;
  }
  /// The region that reserve() would find, if it need not make room; nothing is reserved.
  bool peek(const Needs& needs, Region& region) const {
    if (!fits(needs)) return false;
    region = next_region();
    return true;
  }
  /// This rank has ended its part in a region.
  void release(const Region& region) {
    Bank& bank = bank_[region.bank];
    --bank.users;
    if (__builtin_expect(bank.closed, 0)) turn_if_ready(region.bank);
  }
  /// WEFT_CHECK: of the lines of calls; else null.
  LineCheck* line_check() { return line_check_.get(); }
  /// WEFT_CHECK: ends the job if a line has come that nobody waited for. All members' calls have ended.
  void check_lines();
  /// From now on collectives with such needs are served by the banks as they are, once these are large enough.
  void keep_for(const Needs& needs) {
    kept_for_ = larger(kept_for_, needs);
    set_modest();
  }
  /// What both banks take when they are large enough for collectives with such needs; 0 if they are.
  size_t growth_for(const Needs& needs) const;
  /// True once after a reserve() in vain may succeed.
  bool take_changed() { return std::exchange(changed_, false); }

  /// Offset of the banks in the segment of a member.
  uint64_t banks(uint32_t member) const { return places_[member & which_].banks; }
  uint64_t control(uint32_t member) const { return places_[member & which_].control; }
  rma::Operation& detached() { return detached_; }
  /// The offset of the area of the split-phase barrier in the segment of a member.
  uint64_t barrier_area(uint32_t member) const { return control(member) + barrier_at(); }

  Scheduler& scheduler() { return scheduler_; }
  /// No turn or growth is under way, nothing posted is outstanding.
  bool quiet() const;

 private:
  struct Bank {
    uint32_t users = 0;
    uint32_t lines = 0;  // in use
    size_t bulk = 0;
    bool closed = false;  // until its turn is over
    uint64_t turns = 0;
    Task turning;
  };
  class Tell;
  class Await;
  static bool word_reached(Scratch& scratch, uint64_t word, uint64_t value);

  uint32_t rounds() const;
  uint64_t turn_word(uint32_t bank, uint32_t round) const { return (uint64_t{bank} * rounds() + round) * line_bytes; }
  // Of growths with even and odd numbers.
  uint64_t growth_word(uint64_t parity, uint32_t round) const {
    return ((2 + parity) * uint64_t{rounds()} + round) * line_bytes;
  }
  uint64_t table_at(uint64_t parity) const {
    return 4 * uint64_t{rounds()} * line_bytes + parity * members_.size() * sizeof(uint64_t);
  }
  uint64_t barrier_at() const;
  size_t control_bytes() const { return barrier_at() + sizeof(Dissemination::Area); }
  size_t bank_bytes() const { return lines_ * line_bytes + bulk_; }

  void set_modest();
  Needs grown_for(const Needs& needs, const Needs& kept_for) const;
  bool make_room(const Needs& needs);
  bool fits(const Needs& needs) const {
    const Bank& bank = bank_[current_];
    return needs.lines <= modest_lines_ && needs.bulk <= modest_bulk_ && bank.lines + needs.lines <= lines_ &&
           bank.bulk + needs.bulk <= bulk_ && !bank.closed;
  }
  Region next_region() const {
    const Bank& bank = bank_[current_];
    const uint64_t start = current_ * bank_bytes();
    return {.bank = current_,
            .lines = start + bank.lines * line_bytes,
            .bulk = start + lines_ * line_bytes + bank.bulk,
            .stamp = stamp_ + 1};
  }
  void take(const Needs& needs, Region& region) {
    Bank& bank = bank_[current_];
    region = next_region();
    ++stamp_;
    bank.lines += needs.lines;
    bank.bulk += (needs.bulk + line_bytes - 1) / line_bytes * line_bytes;
    ++bank.users;
  }
  void check_lines_of(uint32_t bank);
  void clear(uint64_t begin, uint64_t end, uint64_t used);
  Status allocate_banks(uint64_t& offset, bool untouched);
  void close(uint32_t bank);
  void turn_if_ready(uint32_t bank);
  Task turn(uint32_t bank);
  Task grow();

  Members& members_;
  Scheduler& scheduler_;
  std::vector<Place> places_;  // by member; one if all are alike
  uint32_t which_ = 0;         // of a member's number: all bits, or none if one place is everybody's
  uint32_t lines_ = 0;         // per bank
  size_t bulk_ = 0;
  // A collective that needs more than this asks for larger banks; 0 while they are on their way.
  uint32_t modest_lines_ = 0;
  size_t modest_bulk_ = 0;
  Needs kept_for_;
  Bank bank_[2];
  uint32_t current_ = 0;
  uint64_t stamp_ = 0;
  uint64_t growths_ = 0;
  bool growing_ = false;
  bool changed_ = false;
  Task growing_task_;
  std::unique_ptr<LineCheck> line_check_;
  rma::Operation detached_;  // signals that nobody waits for by name
};

}  // namespace weft::coll
