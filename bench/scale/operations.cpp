#include "scale/operations.hpp"

#include <weft/barrier.h>
#include <weft/coll.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/segment.h>
#include <weft/sim.h>

#include <algorithm>

namespace scale {
namespace {

constexpr uint32_t root = 0;
constexpr const char *latency = "latency", *put_flood = "put_flood", *get_flood = "get_flood";
constexpr uint64_t flood_bytes = uint64_t{8} << 20, most_messages = 512;  // a flood is as long as that, or 16 messages

// One call of a collective.
struct Call {
  weft_team_t team;
  size_t size;
  char* to;
  const char* from;
  unsigned flags;
};

weft_reduction_t sum() { return weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD); }

struct Collective {
  const char* name;
  bool from_root;   // it begins when the root calls it
  bool has_blocks;  // a block of the size for each member
  int (*begin)(const Call&, weft_handle_t*);
  int (*call)(const Call&);
};

const Collective collectives[] = {
    {"barrier", false, false, [](const Call& c, weft_handle_t* h) { return weft_team_barrier_nb(c.team, h); },
     [](const Call& c) { return weft_team_barrier(c.team); }},
    {"broadcast", true, false,
     [](const Call& c, weft_handle_t* h) { return weft_broadcast_nb(c.team, c.to, c.from, c.size, root, c.flags, h); },
     [](const Call& c) { return weft_broadcast(c.team, c.to, c.from, c.size, root, c.flags); }},
    {"scatter", true, true,
     [](const Call& c, weft_handle_t* h) { return weft_scatter_nb(c.team, c.to, c.from, c.size, root, c.flags, h); },
     [](const Call& c) { return weft_scatter(c.team, c.to, c.from, c.size, root, c.flags); }},
    {"gather", false, true,
     [](const Call& c, weft_handle_t* h) { return weft_gather_nb(c.team, c.to, c.from, c.size, root, c.flags, h); },
     [](const Call& c) { return weft_gather(c.team, c.to, c.from, c.size, root, c.flags); }},
    {"gather_all", false, true,
     [](const Call& c, weft_handle_t* h) { return weft_gather_all_nb(c.team, c.to, c.from, c.size, c.flags, h); },
     [](const Call& c) { return weft_gather_all(c.team, c.to, c.from, c.size, c.flags); }},
    {"exchange", false, true,
     [](const Call& c, weft_handle_t* h) { return weft_exchange_nb(c.team, c.to, c.from, c.size, c.flags, h); },
     [](const Call& c) { return weft_exchange(c.team, c.to, c.from, c.size, c.flags); }},
    {"reduce", false, false,
     [](const Call& c, weft_handle_t* h) {
       return weft_reduce_nb(c.team, c.to, c.from, c.size / sizeof(double), sum(), root, c.flags, h);
     },
     [](const Call& c) { return weft_reduce(c.team, c.to, c.from, c.size / sizeof(double), sum(), root, c.flags); }},
    {"reduce_all", false, false,
     [](const Call& c, weft_handle_t* h) {
       return weft_reduce_all_nb(c.team, c.to, c.from, c.size / sizeof(double), sum(), c.flags, h);
     },
     [](const Call& c) { return weft_reduce_all(c.team, c.to, c.from, c.size / sizeof(double), sum(), c.flags); }},
};

const Collective* find_collective(const std::string& name) {
  for (const Collective& each : collectives)
    if (name == each.name) return &each;
  return nullptr;
}

void require(int status, const char* what) {
  if (status != WEFT_OK) weft_abort(what);
}

uint64_t latest(uint64_t time_ns) {
  uint64_t found = 0;
  require(weft_reduce_all(WEFT_TEAM_WORLD, &found, &time_ns, 1, weft_reduction_of(WEFT_U64, WEFT_REDUCE_MAX), 0),
          "the ranks' times could not be compared");
  return found;
}

// Ranks leave a barrier at different times, up to a round apart; a clock that all share lets them start together.
void start_together() {
  weft_barrier();
  const uint64_t start = latest(weft_time_ns()) + 20000;
  while (weft_time_ns() < start) weft_poll();
}

void call_all(const Options& options, const Collective& collective, const Call& call) {
  if (!options.in_flight) {
    for (uint32_t i = 0; i < options.calls; ++i) {
      require(collective.call(call), "a collective failed");
      weft_sim_compute(options.operations, 0);
    }
    return;
  }
  std::vector<weft_handle_t> handles(options.calls);
  for (weft_handle_t& handle : handles) require(collective.begin(call, &handle), "a collective could not begin");
  constexpr int pieces = 64;
  for (int i = 0; i < pieces && options.operations != 0; ++i) {
    weft_sim_compute(options.operations * options.calls / pieces, 0);
    weft_poll();
  }
  weft_handle_wait_all(handles.data(), handles.size());
}

// To or from the rank at the same place of the other half, which has nothing to do.
void transfer_all(const std::string& way, uint64_t messages, size_t size, char* to, const char* from) {
  const weft_rank_t peer = weft_rank() + weft_size() / 2;
  const size_t offset = weft_offset(to);
  for (uint64_t i = 0; i < messages; ++i) {
    if (way == latency)
      weft_put(peer, offset, from, size);
    else if (way == put_flood)
      weft_put_nbi(peer, offset, from, size, 0);
    else
      weft_get_nbi(to, peer, offset, size, 0);
  }
  weft_nbi_wait();
}

}  // namespace

const std::vector<std::string>& operation_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {latency, put_flood, get_flood};
    for (const Collective& collective : collectives) all.emplace_back(collective.name);
    return all;
  }();
  return names;
}

double nanoseconds(const Options& options, weft_team_t team, size_t size, char* to, const char* from) {
  const Collective* const collective = find_collective(options.operation);
  const bool is_flood = collective == nullptr && options.operation != latency;
  const uint64_t calls = is_flood ? std::clamp<uint64_t>(flood_bytes / size, 16, most_messages) : options.calls;
  const bool takes_part = collective != nullptr || weft_rank() < options.senders;
  const bool begins_it = collective != nullptr && collective->from_root ? weft_team_rank(team) == root : takes_part;
  const unsigned flags = options.is_strict ? WEFT_IN_ALLSYNC | WEFT_OUT_ALLSYNC : 0;
  start_together();
  const uint64_t called = weft_time_ns();
  if (collective != nullptr)
    call_all(options, *collective, {team, size, to, from, flags});
  else if (takes_part)
    transfer_all(options.operation, calls, size, to, from);
  const uint64_t returned = weft_time_ns();
  const uint64_t begin = latest(begins_it ? called : 0), end = latest(takes_part ? returned : 0);
  return static_cast<double>(end - begin) / static_cast<double>(calls);
}

size_t buffer_bytes(const Options& options, size_t size, uint32_t members) {
  const Collective* const collective = find_collective(options.operation);
  return collective != nullptr && collective->has_blocks ? size * members : size;
}

}  // namespace scale
