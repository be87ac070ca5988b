// Active messages: request and reply there and back, and floods of requests.
//
// Round trips echo the payload: the request's handler replies with what it was given. The limit is the bare echo of the
// same payload between the two cores, which for a short message is one cache line there and back. A flood's time ends
// when its last handler has run; its limit is a bare queue of cache lines, and for bandwidth a memcpy.
#include <weft/am.h>
#include <weft/job.h>

#include <string>
#include <vector>

#include "common/opaque.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

// What the handlers count. Thread-local: a rank may be a thread.
thread_local uint64_t requests = 0;
thread_local uint64_t replies = 0;
thread_local size_t echo_offset = 0;  // where long messages go
thread_local weft_am_id ping_short, ping_medium, ping_long, pong, count_only;

void on_ping_short(const weft_am* message) {
  ++requests;
  weft_am_reply_short(message, pong, message->args, message->arg_count);
}
void on_ping_medium(const weft_am* message) {
  ++requests;
  weft_am_reply_medium(message, pong, message->payload, message->size, nullptr, 0);
}
void on_ping_long(const weft_am* message) {
  ++requests;
  weft_am_reply_long(message, pong, echo_offset, message->payload, message->size, nullptr, 0);
}
void on_pong(const weft_am*) { ++replies; }
void on_count(const weft_am*) { ++requests; }

void register_handlers() {
  const weft_am_entry entries[] = {{"weft-bench ping short", on_ping_short, &ping_short, WEFT_AM_ANY},
                                   {"weft-bench ping medium", on_ping_medium, &ping_medium, WEFT_AM_ANY},
                                   {"weft-bench ping long", on_ping_long, &ping_long, WEFT_AM_ANY},
                                   {"weft-bench pong", on_pong, &pong, WEFT_AM_ANY},
                                   {"weft-bench count", on_count, &count_only, WEFT_AM_ANY}};
  require(weft_am_register(entries, std::size(entries)) == WEFT_OK, "the handlers could not be registered");
}

void poll_until(const uint64_t& counter, uint64_t target) {
  while (counter < target) {
    weft_poll();
    opaque();
  }
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
  if (bench.job.rank() == 1) return [](uint64_t iterations) { poll_until(requests, requests + iterations); };
  return [](uint64_t) {};
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
  if (bench.job.rank() == 1) return [](uint64_t iterations) { poll_until(requests, requests + iterations); };
  return [](uint64_t) {};
}

void short_messages(const Bench& bench, const Symmetric& memory) {
  static constexpr uint64_t args[WEFT_AM_ARGS] = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto send = [](weft_am_id id, uint32_t count) { weft_am_request_short(1, id, args, count, 0); };
  bench.section("short active messages");
  std::vector<Subject> trips;
  for (uint32_t count : {0u, 1u, 4u, 8u})
    trips.push_back(
        {"am_short_round_trip", count * sizeof(uint64_t), round_trip(bench, [=] { send(ping_short, count); })});
  bench.compare(Unit::ns, {line_limit(bench, memory)}, trips);

  const Symmetric queue(bench, sizeof(LineQueue));
  Bare limit = {"bare line queue", {}};
  if (auto* lines = queue.on<LineQueue>(1)) limit.loop = line_flood(bench.job.rank(), lines);
  std::vector<Subject> floods;
  for (uint32_t count : {0u, 1u, 4u, 8u})
    floods.push_back({"am_short_flood", count * sizeof(uint64_t), flood(bench, [=] { send(count_only, count); })});
  bench.compare(Unit::millions_per_second, {limit}, floods);
}

// Requests with a payload. The echo's box lies behind the place of long payloads.
struct Payload {
  const char* name;
  size_t largest;
  Loop trip;
  Loop flood;
};

void with_payload(const Bench& bench, const Payload& kind, const Symmetric& box, const Symmetric& landing, char* local,
                  size_t size) {
  Bare echo = {size <= sizeof(Box::payload) ? "line round trip" : "bare echo", {}};
  if (box.on(0)) echo.loop = bare_echo(bench.job.rank(), box.on<Box>(0), local, size);
  bench.compare(Unit::ns, {echo}, {{std::string("am_") + kind.name + "_round_trip", size, kind.trip}});

  const auto bytes = static_cast<double>(size);
  Bare copy = {"memcpy", {}, bytes};
  if (char* mapped = landing.on(1))
    copy.loop = on_rank_0(bench, [=, n = size](uint64_t iterations) mutable {
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
  bench.section("medium and long messages");
  for (size_t size : sizes(8, largest_medium, 8)) {
    const Symmetric box(bench, sizeof(Box) + size);
    const auto send = [=](weft_am_id id) { weft_am_request_medium(1, id, local, size, nullptr, 0, 0); };
    with_payload(bench,
                 {"medium", largest_medium, round_trip(bench, [=] { send(ping_medium); }),
                  flood(bench, [=] { send(count_only); })},
                 box, landing, local, size);
  }
  for (size_t size : sizes(8, largest_long, 8)) {
    const Symmetric box(bench, sizeof(Box) + size);
    const size_t offset = landing.offset();
    const auto send = [=](weft_am_id id) { weft_am_request_long(1, id, offset, local, size, nullptr, 0, 0); };
    with_payload(
        bench,
        {"long", largest_long, round_trip(bench, [=] { send(ping_long); }), flood(bench, [=] { send(count_only); })},
        box, landing, local, size);
  }
}

}  // namespace bench
