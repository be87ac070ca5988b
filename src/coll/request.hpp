// What a program asked for, in one shape for all collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "coll/fold.hpp"

namespace weft::coll {

enum class Op : uint8_t {
  barrier,
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
  count
};
const char* name_of(Op op);
inline bool is_reduction(Op op) { return op >= Op::reduce && op <= Op::prefix; }
inline bool from_root(Op op) { return op == Op::broadcast || op == Op::scatter || op == Op::scatter_v; }
inline bool to_root(Op op) { return op == Op::gather || op == Op::gather_v || op == Op::reduce; }
inline bool has_root(Op op) { return from_root(op) || to_root(op); }
/// A size for each member, or each pair of members.
inline bool has_sizes(Op op) { return op >= Op::exchange_v && op <= Op::gather_all_v; }

/// Sizes and offsets of such an operation, one per member, of the destination and of the source, as far as it has them.
/// Of gather_v and scatter_v only the root has any.
struct VectorSizes {
  std::unique_ptr<size_t[]> storage;  // arrays that outlive the program's
  const size_t* to_size = nullptr;
  const size_t* to_offset = nullptr;
  const size_t* from_size = nullptr;
  const size_t* from_offset = nullptr;
  size_t own = 0;  // not of exchange_v: this member's block
};

/// What makes or frees a team, for comparisons: the collectives inside look alike.
enum class TeamFunction : uint8_t { none, split, split_stride, split_host, from_list, pair, free };
struct TeamCall {
  TeamFunction function;
  uint32_t count = 0, stride = 0;  // split_stride
};

struct Needs;

struct Request {
  Op op = Op::barrier;
  bool in_all = false, out_all = false;  // ALLSYNC
  bool out_none = false;                 // OUT_NOSYNC
  bool own_copy = false;                 // in place, where the algorithms need the source apart from the destination
  static constexpr uint16_t users_function = 0xff00;
  uint16_t reduction_code = 0;  // for comparisons: the operation's number * 16 + the type's, or users_function
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;  // in place has been resolved: where the data is
  // Bytes of a block; of the whole vector in reductions without blocks; of the largest block in gather_all_v; 0 in the
  // other operations with sizes.
  size_t size = 0;
  uint32_t root = 0;       // permute: whom this member sends to
  bool exclusive = false;  // prefix
  Fold fold = {};
  const VectorSizes* sizes = nullptr;
  const Needs* room = nullptr;          // while the collective is begun: what it takes at least of scratch space
  const TeamCall* team_call = nullptr;  // while the collective is begun
};

}  // namespace weft::coll
