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
  permute,
  reduce,
  reduce_all,
  reduce_scatter,
  prefix,
  count
};
const char* name_of(Op op);
inline bool is_reduction(Op op) { return op >= Op::reduce && op <= Op::prefix; }
inline bool has_root(Op op) { return op == Op::broadcast || op == Op::scatter || op == Op::gather || op == Op::reduce; }

/// Sizes and offsets of exchange_v, one per member, copied from the program's arrays.
struct VectorSizes {
  std::unique_ptr<size_t[]> storage;  // four arrays in a row
  const size_t* to_size = nullptr;
  const size_t* to_offset = nullptr;
  const size_t* from_size = nullptr;
  const size_t* from_offset = nullptr;
};

/// What makes or frees a team, for comparisons: the collectives inside look alike.
enum class TeamFunction : uint8_t { none, split, split_stride, split_host, from_list, pair, free };
struct TeamCall {
  TeamFunction function;
  uint32_t count = 0, stride = 0;  // split_stride
};

struct Request {
  Op op = Op::barrier;
  bool in_all = false, out_all = false;  // ALLSYNC
  bool out_none = false;                 // OUT_NOSYNC
  bool own_copy = false;                 // in place, where the algorithms need the source apart from the destination
  static constexpr uint16_t users_function = 0xff00;
  uint16_t reduction_code = 0;  // for comparisons: the operation's number * 16 + the type's, or users_function
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;     // in place has been resolved: where the data is
  size_t size = 0;                       // bytes of a block; of the whole vector in reductions without blocks
  uint32_t root = 0;                     // permute: whom this member sends to
  bool exclusive = false;                // prefix
  Fold fold = {};
  const VectorSizes* sizes = nullptr;
  const TeamCall* team_call = nullptr;  // while the collective is begun
};

}  // namespace weft::coll
