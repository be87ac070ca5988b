// Puts with signal to a target that waits for it: half of a ping-pong in which each side reads what it was sent into a
// buffer of its own and puts it from there. Semaphores: half of a ping-pong of posts. The limit is one whole cache-line
// round trip.
#include <weft/signal.h>

#include <memory>
#include <string>
#include <vector>

#include "weft/benchmarks.hpp"

namespace bench {
namespace {

// One iteration is there and back. `send(turn)` signals to the other rank, `await(turn)` waits for its signal.
template <class Send, class Await>
Loop ping_pong(uint32_t rank, Send send, Await await) {
  return [=, turn = uint64_t{0}](uint64_t iterations) mutable {
    if (rank > 1) return;
    for (uint64_t i = 0; i < iterations; ++i) {
      ++turn;
      if (rank == 1) await(turn);
      send(turn);
      if (rank == 0) await(turn);
    }
  };
}

// The payload's first word counts its journeys.
Loop put_signal_loop(const Bench& bench, const Symmetric& memory, size_t payload_at, size_t size, weft_signal_op_t op) {
  const uint32_t rank = bench.job.rank();
  const size_t word = memory.offset();
  const size_t payload = memory.offset() + payload_at;
  char* own = memory.on(rank);
  auto kept = std::make_shared<std::vector<char>>(size);
  char* local = kept->data();
  return ping_pong(
      rank,
      [=](uint64_t turn) {
        if (size != 0) {
          uint64_t journeys;
          std::memcpy(local, own + payload_at, size);
          std::memcpy(&journeys, local, sizeof journeys);
          ++journeys;
          require(journeys == 2 * turn - 1 + rank, "a signal came before its payload");
          std::memcpy(local, &journeys, sizeof journeys);
        }
        weft_put_signal(1 - rank, payload, kept->data(), size, word, op == WEFT_SIGNAL_SET ? turn : 1, op);
      },
      [=](uint64_t turn) { weft_signal_wait(word, WEFT_GE, turn, nullptr); });
}

}  // namespace

void signals(const Bench& bench) {
  const uint32_t rank = bench.job.rank();
  std::vector<std::unique_ptr<Symmetric>> memories;
  std::vector<Subject> subjects;
  const auto put_signal = [&](const std::string& name, size_t payload_at, size_t size, weft_signal_op_t op) {
    memories.push_back(std::make_unique<Symmetric>(bench, payload_at + size + line_bytes));
    subjects.push_back({name, size, put_signal_loop(bench, *memories.back(), payload_at, size, op), 0, 2});
  };
  put_signal("put_signal_line", sizeof(uint64_t), 0, WEFT_SIGNAL_SET);
  put_signal("put_signal_line", sizeof(uint64_t), 8, WEFT_SIGNAL_SET);
  put_signal("put_signal_line", sizeof(uint64_t), 56, WEFT_SIGNAL_SET);
  put_signal("put_signal_add_line", sizeof(uint64_t), 8, WEFT_SIGNAL_ADD);
  for (size_t size : {size_t{8}, size_t{64}, size_t{512}, size_t{4096}})
    put_signal("put_signal_apart", 2 * line_bytes, size, WEFT_SIGNAL_SET);

  const Symmetric semaphore(bench, line_bytes);
  const size_t word = semaphore.offset();
  subjects.push_back({"semaphore", 8,
                      ping_pong(
                          rank, [=](uint64_t) { weft_semaphore_post(1 - rank, word, 1); },
                          [=](uint64_t) { weft_semaphore_wait(word, 1); }),
                      0, 2});
  const BareLines lines(bench);
  if (lines.mapped())
    subjects.push_back({"bare_signal", 0, two_line_round_trip(rank, lines.own(), lines.others()), 0, 2});
  const Symmetric limit(bench, sizeof(Box));
  bench.section("signals, one way");
  bench.compare(Unit::ns, {line_limit(bench, limit)}, subjects);
}

}  // namespace bench
