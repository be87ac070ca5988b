// Active messages: request and reply there and back, and floods of requests.
//
// Round trips echo the payload: the request's handler replies with what it was given. The limit is the bare echo of the
// same payload between the two cores, which for a short message is one cache line there and back. A flood's time ends
// when its last handler has run; its limit is a bare queue of cache lines, and for bandwidth a memcpy. Between all
// pairs each rank sends a request to each other one, and waits for the replies.
#include <weft/am.h>
#include <weft/job.h>
#include <weft/signal.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/opaque.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

// What the handlers count. Thread-local: a rank may be a thread.
thread_local uint64_t requests = 0;
thread_local uint64_t replies = 0;
// What `requests` will be after the current loop. Kept, because requests may arrive before rank 1 has begun its loop.
thread_local uint64_t expected = 0;
thread_local size_t echo_offset = 0;            // where long messages go
thread_local uint64_t* replies_seen = nullptr;  // in the segment, for a rank that sleeps until they have come
thread_local weft_am_id_t ping_short, ping_medium, ping_long, ping_all, pong, pong_all, count_only;

void on_ping_short(const weft_am_t* message) {
  ++requests;
  weft_am_reply_short(message, pong, message->args, message->arg_count);
}
void on_ping_medium(const weft_am_t* message) {
  ++requests;
  weft_am_reply_medium(message, pong, message->payload, message->size, nullptr, 0);
}
void on_ping_long(const weft_am_t* message) {
  ++requests;
  weft_am_reply_long(message, pong, echo_offset, message->payload, message->size, nullptr, 0);
}
void on_pong(const weft_am_t*) { ++replies; }
void on_ping_all(const weft_am_t* message) { weft_am_reply_short(message, pong_all, nullptr, 0); }
void on_pong_all(const weft_am_t*) { ++*replies_seen; }
void on_count(const weft_am_t*) { ++requests; }

void register_handlers() {
  const weft_am_entry_t entries[] = {{"weft-bench ping short", on_ping_short, &ping_short, WEFT_AM_ANY},
                                     {"weft-bench ping medium", on_ping_medium, &ping_medium, WEFT_AM_ANY},
                                     {"weft-bench ping long", on_ping_long, &ping_long, WEFT_AM_ANY},
                                     {"weft-bench ping all", on_ping_all, &ping_all, WEFT_AM_ANY},
                                     {"weft-bench pong", on_pong, &pong, WEFT_AM_ANY},
                                     {"weft-bench pong all", on_pong_all, &pong_all, WEFT_AM_ANY},
                                     {"weft-bench count", on_count, &count_only, WEFT_AM_ANY}};
  require(weft_am_register(entries, std::size(entries)) == WEFT_OK, "the handlers could not be registered");
}

void poll_until(const uint64_t& counter, uint64_t target) {
  while (counter < target) {
    weft_poll();
    opaque();
  }
}

// Rank 1's part: handlers, until all requests of the loop have been handled. Other ranks have none.
Loop answer(const Bench& bench) {
  if (bench.job.rank() != 1) return [](uint64_t) {};
  return [](uint64_t iterations) {
    expected += iterations;
    poll_until(requests, expected);
  };
}

// Rank 0 sends one request and waits for its reply, again and again.
template <class Send>
Loop round_trip(const Bench& bench, Send send) {
  if (bench.job.rank() == 0)
    return [=](uint64_t iterations) {
      const uint64_t end = replies + iterations;
      while (replies < end) {
        const uint64_t next = replies + 1;
        send();
        poll_until(replies, next);
      }
    };
  return answer(bench);
}

// Rank 0 sends requests, the last of which is answered; messages of one kind arrive in order.
template <class Send>
Loop flood(const Bench& bench, Send send) {
  if (bench.job.rank() == 0)
    return [=](uint64_t iterations) {
      for (uint64_t i = 0; i + 1 < iterations; ++i) send();
      const uint64_t next = replies + 1;
      weft_am_request_short(1, ping_short, nullptr, 0, 0);
      poll_until(replies, next);
    };
  return answer(bench);
}

void short_messages(const Bench& bench, const Symmetric& memory) {
  static constexpr uint64_t args[WEFT_AM_ARGS] = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto send = [](weft_am_id_t id, uint32_t count) { weft_am_request_short(1, id, args, count, 0); };
  bench.section("short active messages");
  std::vector<Subject> trips;
  for (uint32_t count : {0u, 1u, 4u, 8u})
    trips.push_back(
        {"am_short_round_trip", count * sizeof(uint64_t), round_trip(bench, [=] { send(ping_short, count); })});
  const BareLines lines(bench);
  if (lines.mapped())
    trips.push_back({"bare_two_lines", 0, two_line_round_trip(lines.rank, lines.own(), lines.others())});
  bench.compare(Unit::ns, {line_limit(bench, memory)}, trips);

  const Symmetric queue(bench, sizeof(LineQueue));
  Bare limit = {"bare line queue", {}};
  if (queue.mapped()) limit.loop = line_flood(bench.job.rank(), queue.on<LineQueue>(1));
  std::vector<Subject> floods;
  for (uint32_t count : {0u, 1u, 4u, 8u})
    floods.push_back({"am_short_flood", count * sizeof(uint64_t), flood(bench, [=] { send(count_only, count); })});
  bench.compare(Unit::millions_per_second, {limit}, floods);
}

void all_pairs(const Bench& bench) {
  const Symmetric memory(bench, std::max(sizeof(Box), bench.job.size() * sizeof(uint64_t)));
  const Symmetric word(bench, sizeof(uint64_t));
  const weft_rank_t me = bench.job.rank(), ranks = bench.job.size();
  replies_seen = word.on<uint64_t>(me);
  const Loop loop = [=, offset = word.offset(), sent = uint64_t{0}](uint64_t iterations) mutable {
    for (uint64_t i = 0; i < iterations; ++i) {
      for (weft_rank_t peer = 0; peer < ranks; ++peer)
        if (peer != me) weft_am_request_short(peer, ping_all, nullptr, 0, 0);
      weft_signal_wait(offset, WEFT_GE, sent += ranks - 1, nullptr);
    }
  };
  bench.section("short active messages between all pairs");
  // In its turn a rank takes its replies, answers the others, and sends again.
  bench.compare(Unit::ns, {meeting_limit(bench, memory)}, {{"am_all_pairs", 0, loop}});
}

// Requests with a payload.
struct Payload {
  const char* name;
  Loop trip;
  Loop flood;
};

void with_payload(const Bench& bench, const Payload& kind, const Symmetric& box, const Symmetric& landing, char* local,
                  size_t size) {
  Bare echo = {size <= sizeof(Box::payload) ? "line round trip" : "bare echo", {}};
  const uint32_t rank = bench.job.rank();
  if (box.mapped()) echo.loop = bare_echo(rank, box.on<Box>(rank), box.on<Box>(rank == 0 ? 1 : 0), size);
  bench.compare(Unit::ns, {echo}, {{std::string("am_") + kind.name + "_round_trip", size, kind.trip}});

  const auto bytes = static_cast<double>(size);
  Bare copy = {"memcpy", {}, bytes};
  if (landing.mapped())
    copy.loop = on_rank_0(bench, [=, mapped = landing.on(1), n = size](uint64_t iterations) mutable {
      repeat(iterations, [&] {
        opaque(n);
        std::memcpy(mapped, local, n);
      });
    });
  bench.compare(Unit::gigabytes_per_second, {copy},
                {{std::string("am_") + kind.name + "_flood", size, kind.flood, 0, bytes}});
}

}  // namespace

void active_messages(const Bench& bench) {
  static thread_local bool registered = false;
  if (!registered) register_handlers();
  registered = true;
  const size_t largest_long = std::min(bench.max_size, weft_am_max_reply_long());
  const size_t largest_medium = std::min(bench.max_size, weft_am_max_medium());
  const size_t largest = std::max(largest_long, largest_medium);
  const Symmetric landing(bench, largest + line_bytes);
  std::vector<char> payload(largest + line_bytes, 1);
  char* local = payload.data();
  echo_offset = landing.offset();
  {
    const Symmetric word(bench, sizeof(Box));
    short_messages(bench, word);
  }
  all_pairs(bench);
  bench.section("medium and long messages");
  for (size_t size : sizes(8, largest_medium, 8)) {
    const Symmetric box(bench, echo_bytes(size));
    const auto send = [=](weft_am_id_t id) { weft_am_request_medium(1, id, local, size, nullptr, 0, 0); };
    with_payload(bench,
                 {"medium", round_trip(bench, [=] { send(ping_medium); }), flood(bench, [=] { send(count_only); })},
                 box, landing, local, size);
  }
  for (size_t size : sizes(8, largest_long, 8)) {
    const Symmetric box(bench, echo_bytes(size));
    const size_t offset = landing.offset();
    const auto send = [=](weft_am_id_t id) { weft_am_request_long(1, id, offset, local, size, nullptr, 0, 0); };
    with_payload(bench, {"long", round_trip(bench, [=] { send(ping_long); }), flood(bench, [=] { send(count_only); })},
                 box, landing, local, size);
  }
}

}  // namespace bench
