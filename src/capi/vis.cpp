// Vector, indexed and strided transfers. In order: the description is folded, then a mapped peer gets direct copies
// (base/small_copy.hpp), any other large pieces as transfers of their own and small ones packed into messages
// (rma/pieces.hpp, packing.hpp).
#include "weft/vis.h"

#include <cstddef>
#include <cstring>

#include "base/small_copy.hpp"
#include "capi/forms.hpp"
#include "rma/packing.hpp"
#include "rma/pieces.hpp"

namespace weft::capi {
namespace {

using Direction = rma::Packer::Direction;

void copy_directly(std::byte* base, const rma::Strided& shape, Direction direction) {
  shape.for_each_run([&](const rma::Strided::Run& run) {
    const base::Row far = {base + run.remote, run.remote_stride}, near = {run.local, run.local_stride};
    direction == Direction::put ? base::copy_elements(shape.element_size(), far, near, run.count)
                                : base::copy_elements(shape.element_size(), near, far, run.count);
  });
}

// Lists of parts, and as pairs if they are such.
template <class Lists>
struct Paired {
  Lists lists;
  rma::Pairs pairs;

  template <class Consumer>
  void for_each_piece(Consumer consumer) const {
    lists.for_each_piece(consumer);
  }
};

template <class Near>
void copy_directly(std::byte* base, const rma::Pairs& pairs, const Near& near, Direction direction) {
  const base::PlaceList far = {reinterpret_cast<uint64_t>(base), pairs.remote.positions, pairs.remote.step};
  direction == Direction::put ? base::copy_elements(pairs.size, far, near, pairs.count)
                              : base::copy_elements(pairs.size, near, far, pairs.count);
}

template <class Lists>
void copy_directly(std::byte* base, const Paired<Lists>& shape, Direction direction) {
  const rma::Pairs& pairs = shape.pairs;
  if (pairs.size != 0 && pairs.whole != nullptr)
    return copy_directly(base, pairs, base::Row{pairs.whole, static_cast<ptrdiff_t>(pairs.size)}, direction);
  if (pairs.size != 0) return copy_directly(base, pairs, pairs.local, direction);
  if (direction == Direction::put)
    shape.for_each_piece(
        [&](uint64_t offset, std::byte* local, size_t size) { base::copy_piece(base + offset, local, size); });
  else
    shape.for_each_piece(
        [&](uint64_t offset, std::byte* local, size_t size) { base::copy_piece(local, base + offset, size); });
}

void add_all(rma::Packer& packer, const rma::Strided& shape) {
  shape.for_each_piece([&](uint64_t offset, std::byte* local, size_t size) { packer.add(offset, local, size); });
}
template <class Lists>
void add_all(rma::Packer& packer, const Paired<Lists>& shape) {
  if (shape.pairs.size != 0) return packer.add(shape.pairs);
  shape.for_each_piece([&](uint64_t offset, std::byte* local, size_t size) { packer.add(offset, local, size); });
}

template <class Shape>
rma::Result begin(Thread& thread, rma::Operation& operation, weft_rank_t peer, const Shape& shape, Direction direction,
                  unsigned flags) {
  if (char* base = direct(thread, peer)) {
    copy_directly(reinterpret_cast<std::byte*>(base), shape, direction);
    return rma::Result::done;
  }
  rma::Packer packer(thread.rank->rma, operation, peer, direction, rma_flags(flags));
  add_all(packer, shape);
  return packer.finish();
}

// Whether check_shape() would find nothing, unless memory is checked.
bool are_sound(size_t segment_size, const rma::Pairs& pairs) {
  if (pairs.size == 0 || pairs.size > segment_size) return false;
  uint64_t outside = 0, null = 0;
  pairs.for_each_piece([&](uint64_t offset, const std::byte* local, size_t size) {
    outside |= offset > segment_size - size ? 1u : 0u;
    null |= local == nullptr ? 1u : 0u;
  });
  return (outside | null) == 0;
}

template <class Shape>
void check_shape(const Thread& thread, const char* function, weft_rank_t peer, const Shape& shape) {
  check_peer(thread, function, peer);
  if (direct(thread, peer) != nullptr) return;  // not in checked mode
  if constexpr (requires { shape.pairs; })
    if (!thread.rank->check && are_sound(thread.context.segment_size, shape.pairs)) return;
  shape.for_each_piece([&](uint64_t offset, std::byte* local, size_t size) {
    check_range(thread, function, peer, offset, size);
    check_pointer(function, local, "local address of a part");
  });
}

template <class Form, class Shape>
int run(const char* function, weft_rank_t peer, const Shape& shape, Direction direction, Form form) {
  Thread& thread = enter(function);
  check_flags(thread, function, form.flags);
  check_shape(thread, function, peer, shape);
  return form(thread, peer,
              [&](rma::Operation& operation) { return begin(thread, operation, peer, shape, direction, form.flags); });
}

int refuse_totals(const char* function, size_t remote, size_t local) {
  if (remote == rma::impossible || local == rma::impossible)
    base::log_error("%s: the %s parts add up to more bytes than any memory has", function,
                    remote == rma::impossible ? "remote" : "local");
  else
    base::log_error("%s: the remote parts are %zu bytes, the local ones %zu; they must add up to the same", function,
                    remote, local);
  return WEFT_ERR_INVALID;
}

// All parts of a side that has `count` of one size.
size_t total(size_t count, size_t size) {
  size_t sum;
  return __builtin_mul_overflow(count, size, &sum) ? rma::impossible : sum;
}

template <class Form>
int run_vector(const char* function, weft_rank_t peer, size_t remote_count, const weft_remote_part_t* remote,
               size_t local_count, const weft_local_part_t* local, Direction direction, Form form) {
  check_pointer(function, remote, remote_count, "list of remote parts");
  check_pointer(function, local, local_count, "list of local parts");
  const rma::PartLists lists{remote_count,
                             [=](size_t i) {
                               return rma::Part{remote[i].offset, remote[i].size};
                             },
                             local_count,
                             [=](size_t i) {
                               return rma::Part{reinterpret_cast<uint64_t>(local[i].address), local[i].size};
                             }};
  const size_t size = lists.uniform_size();
  const bool possible = size != 0 ? total(remote_count, size) != rma::impossible : lists.consistent();
  if (!possible) return refuse_totals(function, lists.remote_total(), lists.local_total());
  static_assert(offsetof(weft_remote_part_t, offset) == 0 && offsetof(weft_local_part_t, address) == 0);
  const rma::Pairs pairs{size, remote_count, {0, remote, sizeof *remote}, {0, local, sizeof *local}};
  return run(function, peer, Paired<decltype(lists)>{lists, pairs}, direction, form);
}

template <class Form>
int run_indexed(const char* function, weft_rank_t peer, size_t remote_count, const size_t* remote, size_t remote_size,
                size_t local_count, const void* const* local, size_t local_size, Direction direction, Form form) {
  check_pointer(function, remote, remote_count, "list of remote offsets");
  check_pointer(function, local, local_count, "list of local addresses");
  const size_t remote_total = total(remote_count, remote_size), local_total = total(local_count, local_size);
  if (remote_total != local_total || local_total == rma::impossible)
    return refuse_totals(function, remote_total, local_total);
  const rma::PartLists lists{remote_count,
                             [=](size_t i) {
                               return rma::Part{remote[i], remote_size};
                             },
                             local_count,
                             [=](size_t i) {
                               return rma::Part{reinterpret_cast<uint64_t>(local[i]), local_size};
                             }};
  const bool one_place = local_count == 1;
  rma::Pairs pairs{remote_size == local_size || one_place ? remote_size : 0,
                   remote_count,
                   {0, remote, sizeof *remote},
                   {0, local, sizeof *local}};
  // A put only reads through the pointer.
  if (one_place) pairs.whole = static_cast<std::byte*>(const_cast<void*>(local[0]));
  return run(function, peer, Paired<decltype(lists)>{lists, pairs}, direction, form);
}

template <class Form>
int run_strided(const char* function, weft_rank_t peer, size_t remote, const ptrdiff_t* remote_stride,
                const void* local, const ptrdiff_t* local_stride, size_t element_size, const size_t* count,
                size_t dimensions, Direction direction, Form form) {
  if (dimensions > WEFT_STRIDED_DIMENSIONS) {
    base::log_error("%s: %zu dimensions; the most is %d", function, dimensions, WEFT_STRIDED_DIMENSIONS);
    return WEFT_ERR_INVALID;
  }
  check_pointer(function, remote_stride, dimensions, "list of remote strides");
  check_pointer(function, local_stride, dimensions, "list of local strides");
  check_pointer(function, count, dimensions, "list of counts");
  if (rma::Strided::total(element_size, count, dimensions) == rma::impossible) {
    base::log_error("%s: the block has more bytes than any memory", function);
    return WEFT_ERR_INVALID;
  }
  // A put only reads through the pointer.
  auto* bytes = static_cast<std::byte*>(const_cast<void*>(local));
  const rma::Strided shape(remote, remote_stride, bytes, local_stride, element_size, count, dimensions);
  return run(function, peer, shape, direction, form);
}

}  // namespace
}  // namespace weft::capi

using namespace weft::capi;

extern "C" {

int weft_put_vector(weft_rank_t peer, size_t remote_count, const weft_remote_part_t* remote, size_t local_count,
                    const weft_local_part_t* local) {
  return run_vector("weft_put_vector", peer, remote_count, remote, local_count, local, Direction::put, Blocking{});
}
int weft_put_vector_nb(weft_rank_t peer, size_t remote_count, const weft_remote_part_t* remote, size_t local_count,
                       const weft_local_part_t* local, unsigned flags, weft_handle_t* handle) {
  return run_vector("weft_put_vector_nb", peer, remote_count, remote, local_count, local, Direction::put,
                    Explicit{flags, handle});
}
int weft_put_vector_nbi(weft_rank_t peer, size_t remote_count, const weft_remote_part_t* remote, size_t local_count,
                        const weft_local_part_t* local, unsigned flags) {
  return run_vector("weft_put_vector_nbi", peer, remote_count, remote, local_count, local, Direction::put,
                    Implicit{flags});
}
int weft_get_vector(weft_rank_t peer, size_t local_count, const weft_local_part_t* local, size_t remote_count,
                    const weft_remote_part_t* remote) {
  return run_vector("weft_get_vector", peer, remote_count, remote, local_count, local, Direction::get, Blocking{});
}
int weft_get_vector_nb(weft_rank_t peer, size_t local_count, const weft_local_part_t* local, size_t remote_count,
                       const weft_remote_part_t* remote, unsigned flags, weft_handle_t* handle) {
  return run_vector("weft_get_vector_nb", peer, remote_count, remote, local_count, local, Direction::get,
                    Explicit{flags, handle});
}
int weft_get_vector_nbi(weft_rank_t peer, size_t local_count, const weft_local_part_t* local, size_t remote_count,
                        const weft_remote_part_t* remote, unsigned flags) {
  return run_vector("weft_get_vector_nbi", peer, remote_count, remote, local_count, local, Direction::get,
                    Implicit{flags});
}

int weft_put_indexed(weft_rank_t peer, size_t remote_count, const size_t* remote_offsets, size_t remote_size,
                     size_t local_count, const void* const* local, size_t local_size) {
  return run_indexed("weft_put_indexed", peer, remote_count, remote_offsets, remote_size, local_count, local,
                     local_size, Direction::put, Blocking{});
}
int weft_put_indexed_nb(weft_rank_t peer, size_t remote_count, const size_t* remote_offsets, size_t remote_size,
                        size_t local_count, const void* const* local, size_t local_size, unsigned flags,
                        weft_handle_t* handle) {
  return run_indexed("weft_put_indexed_nb", peer, remote_count, remote_offsets, remote_size, local_count, local,
                     local_size, Direction::put, Explicit{flags, handle});
}
int weft_put_indexed_nbi(weft_rank_t peer, size_t remote_count, const size_t* remote_offsets, size_t remote_size,
                         size_t local_count, const void* const* local, size_t local_size, unsigned flags) {
  return run_indexed("weft_put_indexed_nbi", peer, remote_count, remote_offsets, remote_size, local_count, local,
                     local_size, Direction::put, Implicit{flags});
}
int weft_get_indexed(weft_rank_t peer, size_t local_count, void* const* local, size_t local_size, size_t remote_count,
                     const size_t* remote_offsets, size_t remote_size) {
  return run_indexed("weft_get_indexed", peer, remote_count, remote_offsets, remote_size, local_count, local,
                     local_size, Direction::get, Blocking{});
}
int weft_get_indexed_nb(weft_rank_t peer, size_t local_count, void* const* local, size_t local_size,
                        size_t remote_count, const size_t* remote_offsets, size_t remote_size, unsigned flags,
                        weft_handle_t* handle) {
  return run_indexed("weft_get_indexed_nb", peer, remote_count, remote_offsets, remote_size, local_count, local,
                     local_size, Direction::get, Explicit{flags, handle});
}
int weft_get_indexed_nbi(weft_rank_t peer, size_t local_count, void* const* local, size_t local_size,
                         size_t remote_count, const size_t* remote_offsets, size_t remote_size, unsigned flags) {
  return run_indexed("weft_get_indexed_nbi", peer, remote_count, remote_offsets, remote_size, local_count, local,
                     local_size, Direction::get, Implicit{flags});
}

int weft_put_strided(weft_rank_t peer, size_t remote_offset, const ptrdiff_t* remote_stride, const void* local,
                     const ptrdiff_t* local_stride, size_t element_size, const size_t* count, size_t dimensions) {
  return run_strided("weft_put_strided", peer, remote_offset, remote_stride, local, local_stride, element_size, count,
                     dimensions, Direction::put, Blocking{});
}
int weft_put_strided_nb(weft_rank_t peer, size_t remote_offset, const ptrdiff_t* remote_stride, const void* local,
                        const ptrdiff_t* local_stride, size_t element_size, const size_t* count, size_t dimensions,
                        unsigned flags, weft_handle_t* handle) {
  return run_strided("weft_put_strided_nb", peer, remote_offset, remote_stride, local, local_stride, element_size,
                     count, dimensions, Direction::put, Explicit{flags, handle});
}
int weft_put_strided_nbi(weft_rank_t peer, size_t remote_offset, const ptrdiff_t* remote_stride, const void* local,
                         const ptrdiff_t* local_stride, size_t element_size, const size_t* count, size_t dimensions,
                         unsigned flags) {
  return run_strided("weft_put_strided_nbi", peer, remote_offset, remote_stride, local, local_stride, element_size,
                     count, dimensions, Direction::put, Implicit{flags});
}
int weft_get_strided(void* local, const ptrdiff_t* local_stride, weft_rank_t peer, size_t remote_offset,
                     const ptrdiff_t* remote_stride, size_t element_size, const size_t* count, size_t dimensions) {
  return run_strided("weft_get_strided", peer, remote_offset, remote_stride, local, local_stride, element_size, count,
                     dimensions, Direction::get, Blocking{});
}
int weft_get_strided_nb(void* local, const ptrdiff_t* local_stride, weft_rank_t peer, size_t remote_offset,
                        const ptrdiff_t* remote_stride, size_t element_size, const size_t* count, size_t dimensions,
                        unsigned flags, weft_handle_t* handle) {
  return run_strided("weft_get_strided_nb", peer, remote_offset, remote_stride, local, local_stride, element_size,
                     count, dimensions, Direction::get, Explicit{flags, handle});
}
int weft_get_strided_nbi(void* local, const ptrdiff_t* local_stride, weft_rank_t peer, size_t remote_offset,
                         const ptrdiff_t* remote_stride, size_t element_size, const size_t* count, size_t dimensions,
                         unsigned flags) {
  return run_strided("weft_get_strided_nbi", peer, remote_offset, remote_stride, local, local_stride, element_size,
                     count, dimensions, Direction::get, Implicit{flags});
}

}  // extern "C"
