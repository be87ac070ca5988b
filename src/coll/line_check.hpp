// WEFT_CHECK: every stamp that a member was sent has been waited for by the collective that it was sent to.
//
// One that nobody waits for may come when its line serves another collective, and takes that one's stamp away: a rare
// hang, far from the mistake. So each call has a record of what it waited for. When a bank's turn is over
// everybody's calls in it have ended, and its lines hold the stamps that have come: whatever came to a call and was not
// waited for is the mistake. One that is still on its way then is not seen; memory that is mapped has no such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft::coll {

struct Region;

class LineCheck {
 public:
  /// The lines of one call, on this rank.
  class Record {
   public:
    /// `stamp_at`: as Region::lines.
    void awaited(uint64_t stamp_at);

   private:
    friend class LineCheck;
    std::string call_;  // "reduce_all=ring"
    uint64_t first_ = 0, stamp_ = 0;
    std::vector<bool> awaited_;  // two of each line
  };

  /// A call begins in a region of this many lines. The record lives until its bank is looked at.
  Record& begin(const Region& region, uint32_t lines, std::string call);
  /// All calls in this bank have ended, and all lines have come. Returns what is wrong, or "", and forgets the records.
  std::string look(uint32_t bank, const std::byte* own_banks);

 private:
  std::vector<std::unique_ptr<Record>> records_[2];
};

}  // namespace weft::coll
