// Blocking puts and gets, against a memcpy between the same two places.
//
//  put, get              the size is known only at run time, so both sides call the C library's memcpy
//  put_fixed, get_fixed  the size is a constant, so both sides are a load and a store
//  get_chain             each get's offset is what the one before fetched: the latency of a get
//  put_get_chain         a value is put and got back, again and again: the latency of the pair
#include <weft/rma.h>

#include <vector>

#include "common/opaque.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

// The two ends of a transfer. `mapped` is where rank 1's memory is mapped here.
struct Ends {
  char* local;
  weft_rank_t peer;
  size_t offset;
  char* mapped;
};

constexpr size_t word = sizeof(uint64_t);

// A loop around call(local, peer, offset, size): variables of the loop itself, which stay in registers.
template <class Call>
Loop weft_loop(const Bench& bench, const Ends& ends, size_t bytes, Call call) {
  return on_rank_0(bench, [=](uint64_t iterations) {
    char* local = ends.local;
    weft_rank_t peer = ends.peer;
    size_t offset = ends.offset;
    size_t size = bytes;
    repeat(
        iterations, [&]() __attribute__((always_inline)) {
          opaque(local, peer, offset, size);
          call(local, peer, offset, size);
        });
  });
}

// The bare loop of the same shape around call(local, mapped, size), or none if the peer's memory is not mapped.
template <class Call>
Loop bare_loop(const Bench& bench, const Ends& ends, size_t bytes, Call call) {
  if (ends.mapped == nullptr) return {};
  return on_rank_0(bench, [=](uint64_t iterations) {
    char* local = ends.local;
    char* mapped = ends.mapped;
    size_t size = bytes;
    repeat(
        iterations, [&]() __attribute__((always_inline)) {
          opaque(local, mapped, size);
          call(local, mapped, size);
        });
  });
}

uint64_t load(const char* from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// The memory holds 0, so that each place is the one before; the processor cannot know.
void chains(const Bench& bench, const Ends& ends) {
  const auto bare = [&](auto call) { return bare_loop(bench, ends, word, call); };
  const auto weft = [&](auto call) { return weft_loop(bench, ends, word, call); };
  const Loop copy = bare([](char* local, char* mapped, size_t) { std::memcpy(local, mapped + load(local), word); });
  const Loop load_only = bare([](char*, char*& mapped, size_t) { mapped += load(mapped); });
  const Loop two_copies = bare([](char* local, char* mapped, size_t) {
    std::memcpy(mapped, local, word);
    opaque(local, mapped);
    std::memcpy(local, mapped, word);
  });
  const Loop get = weft(
      [](char* local, weft_rank_t peer, size_t offset, size_t) { weft_get(local, peer, offset + load(local), word); });
  const Loop get_value =
      weft([](char*, weft_rank_t peer, size_t& offset, size_t) { offset += weft_get_value(peer, offset, word); });
  const Loop put_get = weft([](char* local, weft_rank_t peer, size_t offset, size_t) {
    weft_put(peer, offset, local, word);
    opaque(local, peer, offset);
    weft_get(local, peer, offset, word);
  });
  bench.compare(
      Unit::ns, {{"memcpy", copy}, {"load", load_only}, {"two memcpys", two_copies}},
      {{"get_chain", word, get, 0}, {"get_value_chain", word, get_value, 1}, {"put_get_chain", word, put_get, 2}});
}

template <size_t bytes>
void fixed(const Bench& bench, const Ends& ends) {
  const auto bare = [&](auto call) { return bare_loop(bench, ends, bytes, call); };
  const auto weft = [&](auto call) { return weft_loop(bench, ends, bytes, call); };
  bench.compare(
      Unit::ns,
      {{"memcpy", bare([](char* local, char* mapped, size_t) { std::memcpy(mapped, local, bytes); })},
       {"memcpy", bare([](char* local, char* mapped, size_t) { std::memcpy(local, mapped, bytes); })}},
      {{"put_fixed", bytes,
        weft([](char* local, weft_rank_t peer, size_t offset, size_t) { weft_put(peer, offset, local, bytes); }), 0},
       {"get_fixed", bytes,
        weft([](char* local, weft_rank_t peer, size_t offset, size_t) { weft_get(local, peer, offset, bytes); }), 1}});
}

void any_size(const Bench& bench, const Ends& ends, size_t bytes) {
  const auto bare = [&](auto call) { return bare_loop(bench, ends, bytes, call); };
  const auto weft = [&](auto call) { return weft_loop(bench, ends, bytes, call); };
  bench.compare(
      Unit::ns,
      {{"memcpy", bare([](char* local, char* mapped, size_t size) { std::memcpy(mapped, local, size); })},
       {"memcpy", bare([](char* local, char* mapped, size_t size) { std::memcpy(local, mapped, size); })}},
      {{"put", bytes,
        weft([](char* local, weft_rank_t peer, size_t offset, size_t size) { weft_put(peer, offset, local, size); }),
        0},
       {"get", bytes,
        weft([](char* local, weft_rank_t peer, size_t offset, size_t size) { weft_get(local, peer, offset, size); }),
        1}});
}

}  // namespace

void latency(const Bench& bench) {
  const Symmetric memory(bench, bench.max_size + 64);
  std::vector<char> local(bench.max_size + 64);
  const Ends ends = {local.data(), 1, memory.offset(), memory.mapped() ? memory.on(1) : nullptr};
  bench.section("blocking put and get");
  chains(bench, ends);
  fixed<8>(bench, ends);
  fixed<64>(bench, ends);
  for (size_t size : sizes(1, bench.max_size, 2)) any_size(bench, ends, size);
}

}  // namespace bench
