// How many 8-byte messages per second: blocking, with a handle each, and with implicit handles, in batches that go to
// the words of a small array. The limit is a memcpy of 8 bytes to or from the same words.
#include <weft/rma.h>

#include <array>
#include <memory>

#include "common/opaque.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

constexpr size_t batch = 64;
constexpr size_t word = sizeof(uint64_t);
using Words = std::array<uint64_t, batch>;

// One iteration is a batch: `message(i)` for each i, then `finish()`.
template <class Message, class Finish>
Loop batches(Message message, Finish finish) {
  return [=](uint64_t iterations) mutable {
    for (uint64_t n = 0; n < iterations; ++n) {
      size_t i = 0;
      repeat(batch, [&] {
        opaque(i);
        message(i++);
      });
      finish();
    }
  };
}

void nothing() {}

}  // namespace

void rate(const Bench& bench) {
  const Symmetric memory(bench, sizeof(Words));
  auto words = std::make_shared<Words>();
  auto all_handles = std::make_shared<std::array<weft_handle_t, batch>>();
  uint64_t* local = words->data();
  weft_handle_t* handles = all_handles->data();
  char* mapped = memory.mapped() ? memory.on(1) : nullptr;
  const size_t offset = memory.offset();
  const weft_rank_t peer = 1;

  const auto wait_handles = [=] { weft_handle_wait_all(handles, batch); };
  const auto wait_implicit = [] { weft_nbi_wait(); };
  const Loop put = batches([=](size_t i) { weft_put(peer, offset + i * word, local + i, word); }, nothing);
  const Loop put_nb =
      batches([=](size_t i) { weft_put_nb(peer, offset + i * word, local + i, word, 0, handles + i); }, wait_handles);
  const Loop put_nbi =
      batches([=](size_t i) { weft_put_nbi(peer, offset + i * word, local + i, word, 0); }, wait_implicit);
  const Loop get = batches([=](size_t i) { weft_get(local + i, peer, offset + i * word, word); }, nothing);
  const Loop get_nb =
      batches([=](size_t i) { weft_get_nb(local + i, peer, offset + i * word, word, 0, handles + i); }, wait_handles);
  const Loop get_nbi =
      batches([=](size_t i) { weft_get_nbi(local + i, peer, offset + i * word, word, 0); }, wait_implicit);
  Bare put_limit = {"memcpy", {}, batch};
  Bare get_limit = {"memcpy", {}, batch};
  if (mapped) {
    put_limit.loop =
        on_rank_0(bench, batches([=](size_t i) { std::memcpy(mapped + i * word, local + i, word); }, nothing));
    get_limit.loop =
        on_rank_0(bench, batches([=](size_t i) { std::memcpy(local + i, mapped + i * word, word); }, nothing));
  }
  bench.section("message rate");
  bench.compare(Unit::millions_per_second, {put_limit, get_limit},
                {{"put_rate", word, on_rank_0(bench, put), 0, batch},
                 {"put_nb_rate", word, on_rank_0(bench, put_nb), 0, batch},
                 {"put_nbi_rate", word, on_rank_0(bench, put_nbi), 0, batch},
                 {"get_rate", word, on_rank_0(bench, get), 1, batch},
                 {"get_nb_rate", word, on_rank_0(bench, get_nb), 1, batch},
                 {"get_nbi_rate", word, on_rank_0(bench, get_nbi), 1, batch}});
}

}  // namespace bench
