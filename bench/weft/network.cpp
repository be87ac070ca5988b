// Puts and gets between ranks 0 and 1 beside a plain TCP socket between the same two processes on the same interface,
// and what one more peer costs in memory.
//
//  put_complete  a blocking put: the time until the target has acknowledged it. Limit: tcp round trip
//  net_get       Limit: the same round trip, which is as long in the other direction
//  net_put_flood, net_get_flood  windows of 16, each window waited for. Limit: tcp stream
//  memory_per_peer  resident memory of rank 0 after it has exchanged messages and data with all others, less before
#include <unistd.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/signal.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "common/tcp.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

constexpr size_t window = 16;

// Collective. The socket uses the interface that the job does, as far as a benchmark can know it.
void connect(const Bench& bench, Tcp& tcp) {
  const Symmetric memory(bench, sizeof(Tcp::Place));
  const uint32_t rank = bench.job.rank();
  Tcp::Place place;
  if (rank == 1) {
    const char* setting = std::getenv("WEFT_NET_INTERFACE");
    std::string interface = setting ? setting : "";
    interface = interface.substr(0, interface.find(','));
    require(tcp.listen_on(interface, weft_host_size() == weft_size(), place), "no interface for a TCP socket");
    weft_put(0, memory.offset(), &place, sizeof place);
  }
  bench.job.barrier();
  if (rank == 0) {
    weft_get(&place, 0, memory.offset(), sizeof place);
    tcp.call(place);
  }
  if (rank == 1) tcp.accept_one();
  bench.job.barrier();
}

// The loop on rank 0, while rank 1 looks after the network as a program does that waits for it. The socket's other end
// polls, too. The last word tells rank 1 that the block is over: one put more per block.
template <class Body>
Loop attended(const Bench& bench, const Symmetric& flag, Body body) {
  const size_t offset = flag.offset();
  const uint32_t rank = bench.job.rank();
  return [=, blocks = uint64_t{0}](uint64_t iterations) mutable {
    ++blocks;
    if (rank == 0) {
      body(iterations);
      weft_put(1, offset, &blocks, sizeof blocks);
    } else if (rank == 1) {
      auto* word = static_cast<uint64_t*>(weft_pointer(1, offset));
      while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != blocks) weft_poll();
    }
  };
}

void latency_beside_tcp(const Bench& bench, Tcp& tcp, const Symmetric& memory, char* local) {
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
    bench.compare(Unit::ns, {limit}, {{"put_complete", size, put, 0}, {"net_get", size, get, 0}});
  }
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
  const size_t bytes = window * bench.max_size;
  const Symmetric memory(bench, bytes + 16384);
  const std::unique_ptr<char, decltype(&std::free)> local(
      static_cast<char*>(std::aligned_alloc(4096, (bytes + 16384 + 4095) / 4096 * 4096)), &std::free);
  require(local != nullptr, "not enough memory for the local buffers");
  std::memset(local.get(), 1, bytes);
  bench.section("beside a TCP socket");
  memory_per_peer(bench, memory, local.get());
  Tcp tcp;
  connect(bench, tcp);
  latency_beside_tcp(bench, tcp, memory, local.get());
  flood_beside_tcp(bench, tcp, memory, local.get());
}

}  // namespace bench
