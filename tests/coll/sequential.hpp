// What a collective must do, computed one member after another: the data every member gives and what it must find. Data
// are a function of (seed, member, index), so any rank can compute any member's part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/coll.h"
#include "weft/rma.h"

namespace coll_test {

enum class Kind {
  broadcast,
  scatter,
  gather,
  gather_all,
  exchange,
  exchange_v,
  gather_v,
  scatter_v,
  gather_all_v,
  permute,
  reduce,
  reduce_all,
  reduce_scatter,
  prefix,
  prefix_exclusive
};
inline constexpr Kind kinds[] = {Kind::broadcast,      Kind::scatter,    Kind::gather,          Kind::gather_all,
                                 Kind::exchange,       Kind::exchange_v, Kind::gather_v,        Kind::scatter_v,
                                 Kind::gather_all_v,   Kind::permute,    Kind::reduce,          Kind::reduce_all,
                                 Kind::reduce_scatter, Kind::prefix,     Kind::prefix_exclusive};
const char* name_of(Kind kind);
/// With a list of the members' sizes.
inline bool lists(Kind kind) { return kind >= Kind::gather_v && kind <= Kind::gather_all_v; }
inline bool reduces(Kind kind) { return kind >= Kind::reduce; }

/// One collective on one team, all that members agree on.
struct Case {
  Kind kind;
  weft_team_t team;
  size_t size;    // bytes of a block, with a list of sizes twice the mean; reductions: elements
  uint32_t root;  // permute: the shift
  unsigned flags;
  bool in_place;
  int reduction;  // index into the reductions of sequential.cpp
  uint64_t seed;
};

/// Reductions by number: every pair of type and operation, then a function of the caller's that does not commute.
size_t reduction_count();
weft_reduction_t reduction_number(int number);

/// The buffers of one member, in the segment or on the heap, and the call itself.
class Member {
 public:
  Member(const Case& what, bool source_in_segment, bool destination_in_segment);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  /// Calls the collective; non-blocking if handle is given.
  int call(weft_handle_t* handle);
  /// Empty if the destination holds what it must and the source is as it was.
  std::string check() const;

 private:
  struct Buffer {
    unsigned char* data = nullptr;
    size_t size = 0;
    size_t offset = 0;  // in the segment, or 0
    void make(size_t bytes, bool in_segment);
    void free();
  };
  std::vector<unsigned char> given(uint32_t member) const;
  std::vector<unsigned char> expected() const;
  size_t pair_size(uint32_t from, uint32_t to) const;
  size_t block_size(uint32_t member) const;
  void list_blocks();
  void make_listed(bool source_in_segment, bool destination_in_segment);
  std::vector<unsigned char> laid_out() const;
  int call_listed(weft_handle_t* handle);
  std::vector<unsigned char> combined(uint32_t first, uint32_t end) const;

  Case case_;
  uint32_t me_, n_;
  weft_reduction_t reduction_{};
  size_t element_ = 1;
  Buffer source_, destination_;
  std::vector<unsigned char> original_;
  std::vector<size_t> vectors_[4];       // exchange_v
  std::vector<size_t> sizes_, offsets_;  // gather_v, scatter_v, gather_all_v: blocks with gaps between them
};

}  // namespace coll_test
