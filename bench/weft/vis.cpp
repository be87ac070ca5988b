// Non-contiguous transfers of many small elements, against the loop that one would write by hand between the same two
// places. That loop has the element's size as a constant, where the call has it as an argument; strides are variables.
//
//  put_strided, get_strided   1,024 elements that lie two element sizes apart on the peer, packed in a local array
//  put_indexed, get_indexed   the same places as two lists of addresses
//  put_vector, get_vector     the same as two lists of parts; the loop by hand has the size from the list, too
#include <weft/vis.h>

#include <utility>
#include <vector>

#include "common/opaque.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

constexpr size_t elements = 1024;

// One transfer described in all three ways, for elements of `bytes`.
struct Places {
  Places(const Symmetric& memory, size_t bytes)
      : local(elements * bytes), mapped(memory.mapped() ? memory.on(1) : nullptr) {
    for (size_t i = 0; i < elements; ++i) {
      offsets.push_back(memory.offset() + 2 * i * bytes);
      addresses.push_back(local.data() + i * bytes);
      remote_parts.push_back({offsets.back(), bytes});
      local_parts.push_back({addresses.back(), bytes});
    }
    base = mapped == nullptr ? nullptr : mapped - memory.offset();
  }
  std::vector<char> local;
  char* mapped;
  char* base;  // of the peer's segment
  std::vector<size_t> offsets;
  std::vector<void*> addresses;
  std::vector<weft_remote_part_t> remote_parts;
  std::vector<weft_local_part_t> local_parts;
};

template <class Body>
Loop loop_of(const Bench& bench, Body body) {
  return on_rank_0(bench, [body](uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; ++i) {
      opaque();
      body();
    }
  });
}

template <size_t bytes>
void size(const Bench& bench, const Symmetric& memory) {
  Places places(memory, bytes);
  const ptrdiff_t far = 2 * bytes, near = bytes;
  const size_t count = elements;
  const auto bare = [&](auto body) { return places.mapped == nullptr ? Loop() : loop_of(bench, body); };
  const auto weft = [&](auto body) { return loop_of(bench, body); };
  bench.compare(
      Unit::ns,
      {{"bare loop", bare([&] {
          char *to = places.mapped, *from = places.local.data();
          ptrdiff_t to_stride = far, from_stride = near;
          opaque(to, from, to_stride, from_stride);
          for (size_t i = 0; i < elements; ++i, to += to_stride, from += from_stride) std::memcpy(to, from, bytes);
        })},
       {"bare loop", bare([&] {
          char *to = places.local.data(), *from = places.mapped;
          ptrdiff_t to_stride = near, from_stride = far;
          opaque(to, from, to_stride, from_stride);
          for (size_t i = 0; i < elements; ++i, to += to_stride, from += from_stride) std::memcpy(to, from, bytes);
        })},
       {"bare loop", bare([&] {
          size_t* to = places.offsets.data();
          void** from = places.addresses.data();
          char* base = places.base;
          opaque(to, from, base);
          for (size_t i = 0; i < elements; ++i) std::memcpy(base + to[i], from[i], bytes);
        })},
       {"bare loop", bare([&] {
          size_t* from = places.offsets.data();
          void** to = places.addresses.data();
          char* base = places.base;
          opaque(to, from, base);
          for (size_t i = 0; i < elements; ++i) std::memcpy(to[i], base + from[i], bytes);
        })},
       {"bare loop", bare([&] {
          weft_remote_part_t* to = places.remote_parts.data();
          weft_local_part_t* from = places.local_parts.data();
          char* base = places.base;
          opaque(to, from, base);
          for (size_t i = 0; i < elements; ++i) std::memcpy(base + to[i].offset, from[i].address, from[i].size);
        })},
       {"bare loop", bare([&] {
          weft_remote_part_t* from = places.remote_parts.data();
          weft_local_part_t* to = places.local_parts.data();
          char* base = places.base;
          opaque(to, from, base);
          for (size_t i = 0; i < elements; ++i) std::memcpy(to[i].address, base + from[i].offset, from[i].size);
        })}},
      {{"put_strided", bytes,
        weft([&] { weft_put_strided(1, memory.offset(), &far, places.local.data(), &near, bytes, &count, 1); }), 0},
       {"get_strided", bytes,
        weft([&] { weft_get_strided(places.local.data(), &near, 1, memory.offset(), &far, bytes, &count, 1); }), 1},
       {"put_indexed", bytes, weft([&] {
          weft_put_indexed(1, elements, places.offsets.data(), bytes, elements, places.addresses.data(), bytes);
        }),
        2},
       {"get_indexed", bytes, weft([&] {
          weft_get_indexed(1, elements, places.addresses.data(), bytes, elements, places.offsets.data(), bytes);
        }),
        3},
       {"put_vector", bytes,
        weft([&] { weft_put_vector(1, elements, places.remote_parts.data(), elements, places.local_parts.data()); }),
        4},
       {"get_vector", bytes,
        weft([&] { weft_get_vector(1, elements, places.local_parts.data(), elements, places.remote_parts.data()); }),
        5}});
}

}  // namespace

void non_contiguous(const Bench& bench) {
  const Symmetric memory(bench, 2 * elements * 128);
  bench.section("1,024 elements, by their size");
  size<4>(bench, memory);
  size<8>(bench, memory);
  size<12>(bench, memory);
  size<16>(bench, memory);
  size<24>(bench, memory);
  size<32>(bench, memory);
  size<48>(bench, memory);
  size<64>(bench, memory);
  size<96>(bench, memory);
  size<128>(bench, memory);
}

}  // namespace bench
