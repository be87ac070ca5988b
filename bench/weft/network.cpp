// Puts, gets and requests between ranks 0 and 1 beside a plain TCP socket between the same two processes on the same
// interface, and what one more peer costs in memory.
//
//  put_complete  a blocking put: the time until the target has acknowledged it. Limit: tcp round trip
//  net_get       Limit: the same round trip, which is as long in the other direction
//  net_request_reply  a short request until its reply has come. Limit: the same
//  udp_round_trip  of plain datagrams, beside that of TCP; up to 1 KiB
//  net_put_rate, net_request_rate  64 puts of 8 bytes, waited for, or short requests, of which one is answered; each
//  net_put_flood, net_get_flood  windows of 16, each window waited for. Limit: tcp stream
//  memory_per_peer  resident memory of rank 0 after it has exchanged messages and data with all others, less before
#include <unistd.h>
#include <weft/am.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "common/udp.hpp"
#include "weft/attended.hpp"

namespace bench {
namespace {

constexpr size_t window = 16, burst = 64;

thread_local uint64_t replies = 0;  // a rank may be a thread
thread_local weft_am_id_t ask, answer, tell;

void on_ask(const weft_am_t* message) { weft_am_reply_short(message, answer, nullptr, 0); }
void on_answer(const weft_am_t*) { ++replies; }
void on_tell(const weft_am_t*) {}

void register_handlers() {
  const weft_am_entry_t entries[] = {{"weft-bench network ask", on_ask, &ask, WEFT_AM_ANY},
                                     {"weft-bench network answer", on_answer, &answer, WEFT_AM_ANY},
                                     {"weft-bench network tell", on_tell, &tell, WEFT_AM_ANY}};
  require(weft_am_register(entries, std::size(entries)) == WEFT_OK, "the handlers could not be registered");
}

void request_and_wait() {
  const uint64_t before = replies;
  weft_am_request_short(1, ask, nullptr, 0, 0);
  while (replies == before) weft_poll();
}

// Collective. On the interface of the TCP socket.
void connect(const Bench& bench, const Tcp& tcp, Udp& udp) {
  const Symmetric memory(bench, sizeof(Tcp::Place));
  const uint32_t rank = bench.job.rank();
  if (rank < 2) {
    Tcp::Place own = tcp.own_place();
    udp.bind(own);
    weft_put(1 - rank, memory.offset(), &own, sizeof own);
  }
  bench.job.barrier();
  if (rank < 2) udp.connect(*memory.on<Tcp::Place>(rank));
  bench.job.barrier();
}

void latency_beside_tcp(const Bench& bench, Tcp& tcp, Udp& udp, const Symmetric& memory, char* local) {
  const size_t offset = memory.offset();
  for (const size_t size : {8, 64, 512, 4096, 16384, 65536, 1 << 20, 4 << 20}) {
    if (size > bench.max_size) break;
    const Symmetric put_flag(bench, sizeof(uint64_t)), get_flag(bench, sizeof(uint64_t));
    const Loop put = attended(bench, put_flag, [=](uint64_t iterations) {
      for (uint64_t i = 0; i < iterations; ++i) weft_put(1, offset, local, size);
    });
    const Loop get = attended(bench, get_flag, [=](uint64_t iterations) {
      for (uint64_t i = 0; i < iterations; ++i) weft_get(local, 1, offset, size);
    });
    const Bare limit = {"tcp round trip", tcp.round_trip(bench.job.rank(), size)};
    std::vector<Subject> subjects = {{"put_complete", size, put, 0}, {"net_get", size, get, 0}};
    if (size <= Udp::size_max) subjects.push_back({"udp_round_trip", size, udp.round_trip(bench.job.rank(), size), 0});
    bench.compare(Unit::ns, {limit}, subjects);
  }
}

void small_beside_tcp(const Bench& bench, Tcp& tcp, const Symmetric& memory, char* local) {
  const size_t offset = memory.offset();
  const Symmetric trip_flag(bench, sizeof(uint64_t)), put_flag(bench, sizeof(uint64_t)),
      request_flag(bench, sizeof(uint64_t));
  const Loop trip = attended(bench, trip_flag, [](uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; ++i) request_and_wait();
  });
  const Loop puts = attended(bench, put_flag, [=](uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; ++i) {
      for (size_t k = 0; k < burst; ++k) weft_put_nbi(1, offset + 8 * k, local + 8 * k, 8, 0);
      weft_nbi_wait();
    }
  });
  const Loop requests = attended(bench, request_flag, [](uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; ++i) {
      for (size_t k = 1; k < burst; ++k) weft_am_request_short(1, tell, nullptr, 0, 0);
      request_and_wait();
    }
  });
  const auto amount = static_cast<double>(burst);
  bench.compare(Unit::ns, {{"tcp round trip", tcp.round_trip(bench.job.rank(), 8)}},
                {{"net_request_reply", 0, trip, 0},
                 {"net_put_rate", 8, puts, 0, amount},
                 {"net_request_rate", 0, requests, 0, amount}});
}

void flood_beside_tcp(const Bench& bench, Tcp& tcp, const Symmetric& memory, char* local) {
  const size_t offset = memory.offset();
  for (size_t size : sizes(4096, bench.max_size, 4)) {
    const Symmetric put_flag(bench, sizeof(uint64_t)), get_flag(bench, sizeof(uint64_t));
    const Loop put = attended(bench, put_flag, [=](uint64_t iterations) {
      for (uint64_t i = 0; i < iterations; ++i) {
        for (size_t k = 0; k < window; ++k) weft_put_nbi(1, offset + k * size, local + k * size, size, 0);
        weft_nbi_wait();
      }
    });
    const Loop get = attended(bench, get_flag, [=](uint64_t iterations) {
      for (uint64_t i = 0; i < iterations; ++i) {
        for (size_t k = 0; k < window; ++k) weft_get_nbi(local + k * size, 1, offset + k * size, size, 0);
        weft_nbi_wait();
      }
    });
    const auto amount = static_cast<double>(window * size);
    const Bare limit = {"tcp stream", tcp.stream(bench.job.rank(), window * size), amount};
    bench.compare(Unit::gigabytes_per_second, {limit},
                  {{"net_put_flood", size, put, 0, amount}, {"net_get_flood", size, get, 0, amount}});
  }
}

// Memory of this process that is not shared with others, in bytes.
double resident_bytes() {
  long pages = 0, resident = 0, shared = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld %ld %ld", &pages, &resident, &shared) != 3) resident = shared = 0;
  std::fclose(file);
  return static_cast<double>((resident - shared) * sysconf(_SC_PAGESIZE));
}

void talk_to_all(const Symmetric& memory, char* local, weft_rank_t first) {
  for (weft_rank_t peer = first; peer < weft_size(); ++peer)
    for (int round = 0; round < 100; ++round) {
      weft_put(peer, memory.offset(), local, 4096);
      weft_get(local, peer, memory.offset(), 4096);
      weft_put_signal(peer, memory.offset(), local, 1024, memory.offset() + 8192, 1, WEFT_SIGNAL_SET);
    }
}

// The first peer brings what all share, so the others are what counts.
void memory_per_peer(const Bench& bench, const Symmetric& memory, char* local) {
  if (weft_size() < 4) return;
  if (bench.job.rank() == 0) {
    weft_get(local, 1, memory.offset(), 4096);
    const double before = resident_bytes();
    talk_to_all(memory, local, 2);
    const double peers = weft_size() - 2;
    bench.report->add({"memory_per_peer", 0, (resident_bytes() - before) / peers / 1024, "KiB", std::nullopt});
  }
  bench.job.barrier();
}

}  // namespace

void network(const Bench& bench) {
  const size_t bytes = std::max(window * bench.max_size, burst * 8);
  const Symmetric memory(bench, bytes + 16384);
  const std::unique_ptr<char, decltype(&std::free)> local(
      static_cast<char*>(std::aligned_alloc(4096, (bytes + 16384 + 4095) / 4096 * 4096)), &std::free);
  require(local != nullptr, "not enough memory for the local buffers");
  std::memset(local.get(), 1, bytes);
  bench.section("beside a TCP socket");
  memory_per_peer(bench, memory, local.get());
  Tcp tcp;
  Udp udp;
  register_handlers();
  connect(bench, tcp);
  connect(bench, tcp, udp);
  latency_beside_tcp(bench, tcp, udp, memory, local.get());
  small_beside_tcp(bench, tcp, memory, local.get());
  flood_beside_tcp(bench, tcp, memory, local.get());
}

}  // namespace bench
