// Non-contiguous copies (<bupc.h>) on the core's vector, indexed and strided operations. A copy from shared to shared
// is a put if its source is mapped here, a get if its destination is; else its pieces go through a buffer.
#include "weft/vis.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "upcrt/runtime.hpp"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {
namespace {

// One side of a copy as parts. A shared side names the thread once.
struct Parts {
  const char* function;
  bool shared = false;
  weft_rank_t thread = 0;
  std::vector<weft_remote_part_t> remote;  // if shared
  std::vector<weft_local_part_t> local;    // if private

  void add(upcr_pts_t p, size_t size) {
    if (size == 0) return;
    if (remote.empty()) {
      thread = thread_of(p);
    } else if (thread_of(p) != thread) {
      fail({}, "%s: the shared parts of one side must have affinity to one thread; this list has threads %u and %u",
           function, thread, thread_of(p));
    }
    check_access(self(), function, p, size, {});
    remote.push_back({p.offset, size});
  }
  void add(const void* p, size_t size) {
    if (size != 0) local.push_back({const_cast<void*>(p), size});  // a source is only read
  }

  // The same parts through pointers, if they are mapped here.
  bool to_local() {
    if (!shared) return true;
    for (const weft_remote_part_t& part : remote) {
      char* const address = mapped(upcr_make(part.offset, thread, 0));
      if (address == nullptr) {
        local.clear();
        return false;
      }
      local.push_back({address, part.size});
    }
    return true;
  }
};

template <class Address>
constexpr bool is_shared = std::is_same_v<Address, upcr_pts_t>;

template <class Address>
Parts new_parts(const char* function) {
  Parts parts;
  parts.function = function;
  parts.shared = is_shared<Address>;
  return parts;
}

void check_status(const char* function, int status) {
  if (status == WEFT_ERR_INVALID) fail({}, "%s: source and destination have different numbers of bytes", function);
}

upc_handle_t put(const Parts& to, const Parts& from, bool async) {
  weft_handle_t handle = WEFT_HANDLE_DONE;
  const int status =
      async ? weft_put_vector_nb(to.thread, to.remote.size(), to.remote.data(), from.local.size(), from.local.data(), 0,
                                 &handle)
            : weft_put_vector(to.thread, to.remote.size(), to.remote.data(), from.local.size(), from.local.data());
  check_status(to.function, status);
  return handle;
}

upc_handle_t get(const Parts& to, const Parts& from, bool async) {
  weft_handle_t handle = WEFT_HANDLE_DONE;
  const int status =
      async ? weft_get_vector_nb(from.thread, to.local.size(), to.local.data(), from.remote.size(), from.remote.data(),
                                 0, &handle)
            : weft_get_vector(from.thread, to.local.size(), to.local.data(), from.remote.size(), from.remote.data());
  check_status(from.function, status);
  return handle;
}

upc_handle_t copy(Parts to, Parts from, bool async) {
  if (!from.shared || (to.shared && from.to_local())) return put(to, from, async);
  if (to.to_local()) return get(to, from, async);
  size_t bytes = 0;
  for (const weft_remote_part_t& part : from.remote) bytes += part.size;
  std::vector<char> buffer(bytes);
  Parts between;
  between.function = to.function;
  between.add(static_cast<const void*>(buffer.data()), bytes);
  (void)get(between, from, false);
  return put(to, between, false);
}

// ---- Lists ----

template <class To, class From>
upc_handle_t copy_vlist(const char* function, size_t to_count, const To* to, size_t from_count, const From* from,
                        bool async) {
  Parts destination = new_parts<decltype(To::addr)>(function);
  Parts source = new_parts<decltype(From::addr)>(function);
  for (size_t i = 0; i < to_count; ++i) destination.add(to[i].addr, to[i].len);
  for (size_t i = 0; i < from_count; ++i) source.add(from[i].addr, from[i].len);
  return copy(std::move(destination), std::move(source), async);
}

// The offsets of parts that must be of one thread's memory, which is `thread` then.
std::vector<size_t> offsets_of(const char* function, size_t count, const upcr_pts_t* parts, size_t size,
                               weft_rank_t& thread) {
  State& state = self();
  thread = thread_of(parts[0]);
  std::vector<size_t> offsets(count);
  bool sound = state.layout.shadow == 0;
  for (size_t i = 0; i < count; ++i) {
    sound = sound && thread_of(parts[i]) == thread && parts[i].offset >= UPCR_STATIC_BASE;
    offsets[i] = parts[i].offset;
  }
  if (sound) return offsets;
  Parts checked = new_parts<upcr_pts_t>(function);
  for (size_t i = 0; i < count; ++i) checked.add(parts[i], size);
  return offsets;
}

upc_handle_t put_ilist(const char* function, size_t to_count, const upcr_pts_t* to, size_t to_size, size_t from_count,
                       const void* const* from, size_t from_size, bool async) {
  weft_handle_t handle = WEFT_HANDLE_DONE;
  weft_rank_t thread = 0;
  const std::vector<size_t> offsets = offsets_of(function, to_count, to, to_size, thread);
  check_status(
      function,
      async ? weft_put_indexed_nb(thread, to_count, offsets.data(), to_size, from_count, from, from_size, 0, &handle)
            : weft_put_indexed(thread, to_count, offsets.data(), to_size, from_count, from, from_size));
  return handle;
}

upc_handle_t get_ilist(const char* function, size_t to_count, void* const* to, size_t to_size, size_t from_count,
                       const upcr_pts_t* from, size_t from_size, bool async) {
  weft_handle_t handle = WEFT_HANDLE_DONE;
  weft_rank_t thread = 0;
  const std::vector<size_t> offsets = offsets_of(function, from_count, from, from_size, thread);
  check_status(
      function,
      async ? weft_get_indexed_nb(thread, to_count, to, to_size, from_count, offsets.data(), from_size, 0, &handle)
            : weft_get_indexed(thread, to_count, to, to_size, from_count, offsets.data(), from_size));
  return handle;
}

template <class To, class From>
upc_handle_t copy_ilist(const char* function, size_t to_count, const To* to, size_t to_size, size_t from_count,
                        const From* from, size_t from_size, bool async) {
  const bool any = to_count != 0 && to_size != 0 && from_count != 0 && from_size != 0;
  if constexpr (!is_shared<From>)
    if (any) return put_ilist(function, to_count, to, to_size, from_count, from, from_size, async);
  if constexpr (!is_shared<To>)
    if (any) return get_ilist(function, to_count, to, to_size, from_count, from, from_size, async);
  Parts destination = new_parts<To>(function);
  Parts source = new_parts<From>(function);
  for (size_t i = 0; i < to_count; ++i) destination.add(to[i], to_size);
  for (size_t i = 0; i < from_count; ++i) source.add(from[i], from_size);
  return copy(std::move(destination), std::move(source), async);
}

// ---- Strides ----

upcr_pts_t at(upcr_pts_t p, size_t bytes) { return upcr_field(p, bytes); }
const void* at(const void* p, size_t bytes) { return static_cast<const char*>(p) + bytes; }
void* at(void* p, size_t bytes) { return static_cast<char*>(p) + bytes; }

template <class To, class From>
upc_handle_t copy_fstrided(const char* function, To to, size_t to_size, size_t to_stride, size_t to_count, From from,
                           size_t from_size, size_t from_stride, size_t from_count, bool async) {
  Parts destination = new_parts<To>(function);
  Parts source = new_parts<From>(function);
  for (size_t i = 0; i < to_count; ++i) destination.add(at(to, i * to_stride), to_size);
  for (size_t i = 0; i < from_count; ++i) source.add(at(from, i * from_stride), from_size);
  return copy(std::move(destination), std::move(source), async);
}

// count[0] bytes in a row, count[d] times at strides[d - 1] bytes.
struct Block {
  const size_t* count;
  size_t levels;
  size_t extent(const size_t* strides) const {
    size_t bytes = count[0];
    for (size_t d = 0; d < levels; ++d) bytes += (count[d + 1] - 1) * strides[d];
    return bytes;
  }
  bool empty() const {
    return std::any_of(count, count + levels + 1, [](size_t n) { return n == 0; });
  }
};

std::vector<ptrdiff_t> signed_strides(const size_t* strides, size_t levels) { return {strides, strides + levels}; }

upc_handle_t put_strided(upcr_pts_t to, const ptrdiff_t* to_strides, const void* from, const ptrdiff_t* from_strides,
                         const Block& block, bool async) {
  weft_handle_t handle = WEFT_HANDLE_DONE;
  if (async)
    (void)weft_put_strided_nb(thread_of(to), to.offset, to_strides, from, from_strides, block.count[0], block.count + 1,
                              block.levels, 0, &handle);
  else
    (void)weft_put_strided(thread_of(to), to.offset, to_strides, from, from_strides, block.count[0], block.count + 1,
                           block.levels);
  return handle;
}

upc_handle_t get_strided(void* to, const ptrdiff_t* to_strides, upcr_pts_t from, const ptrdiff_t* from_strides,
                         const Block& block, bool async) {
  weft_handle_t handle = WEFT_HANDLE_DONE;
  if (async)
    (void)weft_get_strided_nb(to, to_strides, thread_of(from), from.offset, from_strides, block.count[0],
                              block.count + 1, block.levels, 0, &handle);
  else
    (void)weft_get_strided(to, to_strides, thread_of(from), from.offset, from_strides, block.count[0], block.count + 1,
                           block.levels);
  return handle;
}

template <class To, class From>
upc_handle_t copy_strided(const char* function, To to, const size_t* to_strides, From from, const size_t* from_strides,
                          const size_t* count, size_t levels, bool async) {
  if (levels > WEFT_STRIDED_DIMENSIONS)
    fail({}, "%s: %zu levels of strides; the most is %d", function, levels, WEFT_STRIDED_DIMENSIONS);
  const Block block{count, levels};
  if (block.empty()) return WEFT_HANDLE_DONE;
  const std::vector<ptrdiff_t> to_signed = signed_strides(to_strides, levels);
  const std::vector<ptrdiff_t> from_signed = signed_strides(from_strides, levels);
  if constexpr (is_shared<To>) check_access(self(), function, to, block.extent(to_strides), {});
  if constexpr (is_shared<From>) check_access(self(), function, from, block.extent(from_strides), {});
  if constexpr (!is_shared<From>) {
    return put_strided(to, to_signed.data(), from, from_signed.data(), block, async);
  } else if constexpr (!is_shared<To>) {
    return get_strided(to, to_signed.data(), from, from_signed.data(), block, async);
  } else {
    if (const char* source = mapped(from))
      return put_strided(to, to_signed.data(), source, from_signed.data(), block, async);
    if (char* destination = mapped(to))
      return get_strided(destination, to_signed.data(), from, from_signed.data(), block, async);
    // Through a buffer without gaps.
    std::vector<ptrdiff_t> dense(levels);
    size_t bytes = count[0];
    for (size_t d = 0; d < levels; ++d) {
      dense[d] = static_cast<ptrdiff_t>(bytes);
      bytes *= count[d + 1];
    }
    std::vector<char> buffer(bytes);
    (void)get_strided(buffer.data(), dense.data(), from, from_signed.data(), block, false);
    return put_strided(to, to_signed.data(), buffer.data(), dense.data(), block, false);
  }
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

// Each function twice: blocking, and asynchronous with a handle. `result` is empty or `return`.
#define WEFT_BUPC_VIS(type, result, suffix, async)                                                                    \
  type bupc_memcpy_vlist##suffix(size_t n, bupc_smemvec_t const to[], size_t m, bupc_smemvec_t const from[]) {        \
    result copy_vlist("bupc_memcpy_vlist", n, to, m, from, async);                                                    \
  }                                                                                                                   \
  type bupc_memput_vlist##suffix(size_t n, bupc_smemvec_t const to[], size_t m, bupc_pmemvec_t const from[]) {        \
    result copy_vlist("bupc_memput_vlist", n, to, m, from, async);                                                    \
  }                                                                                                                   \
  type bupc_memget_vlist##suffix(size_t n, bupc_pmemvec_t const to[], size_t m, bupc_smemvec_t const from[]) {        \
    result copy_vlist("bupc_memget_vlist", n, to, m, from, async);                                                    \
  }                                                                                                                   \
  type bupc_memcpy_ilist##suffix(size_t n, upcr_pts_t const to[], size_t to_size, size_t m, upcr_pts_t const from[],  \
                                 size_t from_size) {                                                                  \
    result copy_ilist("bupc_memcpy_ilist", n, to, to_size, m, from, from_size, async);                                \
  }                                                                                                                   \
  type bupc_memput_ilist##suffix(size_t n, upcr_pts_t const to[], size_t to_size, size_t m, const void* const from[], \
                                 size_t from_size) {                                                                  \
    result copy_ilist("bupc_memput_ilist", n, to, to_size, m, from, from_size, async);                                \
  }                                                                                                                   \
  type bupc_memget_ilist##suffix(size_t n, void* const to[], size_t to_size, size_t m, upcr_pts_t const from[],       \
                                 size_t from_size) {                                                                  \
    result copy_ilist("bupc_memget_ilist", n, to, to_size, m, from, from_size, async);                                \
  }                                                                                                                   \
  type bupc_memcpy_fstrided##suffix(upcr_pts_t to, size_t to_size, size_t to_stride, size_t n, upcr_pts_t from,       \
                                    size_t from_size, size_t from_stride, size_t m) {                                 \
    result copy_fstrided("bupc_memcpy_fstrided", to, to_size, to_stride, n, from, from_size, from_stride, m, async);  \
  }                                                                                                                   \
  type bupc_memput_fstrided##suffix(upcr_pts_t to, size_t to_size, size_t to_stride, size_t n, const void* from,      \
                                    size_t from_size, size_t from_stride, size_t m) {                                 \
    result copy_fstrided("bupc_memput_fstrided", to, to_size, to_stride, n, from, from_size, from_stride, m, async);  \
  }                                                                                                                   \
  type bupc_memget_fstrided##suffix(void* to, size_t to_size, size_t to_stride, size_t n, upcr_pts_t from,            \
                                    size_t from_size, size_t from_stride, size_t m) {                                 \
    result copy_fstrided("bupc_memget_fstrided", to, to_size, to_stride, n, from, from_size, from_stride, m, async);  \
  }                                                                                                                   \
  type bupc_memcpy_strided##suffix(upcr_pts_t to, const size_t to_strides[], upcr_pts_t from,                         \
                                   const size_t from_strides[], const size_t count[], size_t levels) {                \
    result copy_strided("bupc_memcpy_strided", to, to_strides, from, from_strides, count, levels, async);             \
  }                                                                                                                   \
  type bupc_memput_strided##suffix(upcr_pts_t to, const size_t to_strides[], const void* from,                        \
                                   const size_t from_strides[], const size_t count[], size_t levels) {                \
    result copy_strided("bupc_memput_strided", to, to_strides, from, from_strides, count, levels, async);             \
  }                                                                                                                   \
  type bupc_memget_strided##suffix(void* to, const size_t to_strides[], upcr_pts_t from, const size_t from_strides[], \
                                   const size_t count[], size_t levels) {                                             \
    result copy_strided("bupc_memget_strided", to, to_strides, from, from_strides, count, levels, async);             \
  }

WEFT_BUPC_VIS(void, (void), , false)
WEFT_BUPC_VIS(upc_handle_t, return, _async, true)
#undef WEFT_BUPC_VIS

}  // extern "C"
