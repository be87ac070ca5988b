// Latency, bandwidth and message rate: messages with a 0-byte acknowledgement, and MPI's own puts and gets. The
// messages also beside a TCP socket between the same two processes, as weft-bench's puts and gets are (`network`):
//
//  net_send_ack  a message until its acknowledgement is here. Limit: tcp round trip
//  net_flood     windows of 16 messages and one acknowledgement. Limit: tcp stream
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "common/opaque.hpp"
#include "common/tcp.hpp"
#include "mpi/benchmarks.hpp"

namespace bench {
namespace {

constexpr int tag = 1;
constexpr size_t flood_window = 16;  // messages of a flood that are under way at once
constexpr size_t batch = 64;         // messages between two waits of the rate benchmarks
constexpr size_t word = sizeof(uint64_t);

struct Ends {
  char* local;   // on every rank
  char* mapped;  // rank 1's memory
  MPI_Win window;
};

int count_of(size_t size) { return static_cast<int>(size); }

// None between hosts.
Loop copies(const Bench& bench, char* to, const char* from, size_t messages, size_t bytes) {
  if (!one_host()) return {};
  return on_rank_0(bench, [=](uint64_t iterations) {
    size_t size = bytes;
    for (uint64_t n = 0; n < iterations; ++n) {
      size_t at = 0;
      repeat(messages, [&] {
        opaque(size, at);
        std::memcpy(to + at, from + at, size);
        at += size;
      });
    }
  });
}

Loop blocking_messages(const Bench& bench, const Ends& ends, int size) {
  return two_sides(
      bench,
      [=](uint64_t iterations) {
        for (uint64_t i = 0; i < iterations; ++i) {
          MPI_Send(ends.local, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
          MPI_Recv(nullptr, 0, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
      },
      [=](uint64_t iterations) {
        for (uint64_t i = 0; i < iterations; ++i) {
          MPI_Recv(ends.local, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Send(nullptr, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
        }
      });
}

// `messages` non-blocking ones under way at once, each to a place of its own, and one acknowledgement for all.
Loop nonblocking_messages(const Bench& bench, const Ends& ends, size_t messages, size_t size) {
  return two_sides(
      bench,
      [=, requests = std::vector<MPI_Request>(messages + 1)](uint64_t iterations) mutable {
        for (uint64_t n = 0; n < iterations; ++n) {
          MPI_Irecv(nullptr, 0, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &requests[messages]);
          for (size_t i = 0; i < messages; ++i)
            MPI_Isend(ends.local + i * size, count_of(size), MPI_BYTE, 1, tag, MPI_COMM_WORLD, &requests[i]);
          MPI_Waitall(count_of(messages + 1), requests.data(), MPI_STATUSES_IGNORE);
        }
      },
      [=, requests = std::vector<MPI_Request>(messages)](uint64_t iterations) mutable {
        for (uint64_t n = 0; n < iterations; ++n) {
          for (size_t i = 0; i < messages; ++i)
            MPI_Irecv(ends.local + i * size, count_of(size), MPI_BYTE, 0, tag, MPI_COMM_WORLD, &requests[i]);
          MPI_Waitall(count_of(messages), requests.data(), MPI_STATUSES_IGNORE);
          MPI_Request acknowledgement;
          MPI_Isend(nullptr, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &acknowledgement);
          MPI_Wait(&acknowledgement, MPI_STATUS_IGNORE);
        }
      });
}

Loop puts(const Bench& bench, const Ends& ends, size_t messages, size_t size) {
  return on_rank_0(bench, [=](uint64_t iterations) {
    const int count = count_of(size);
    for (uint64_t n = 0; n < iterations; ++n) {
      for (size_t i = 0; i < messages; ++i)
        MPI_Put(ends.local + i * size, count, MPI_BYTE, 1, static_cast<MPI_Aint>(i * size), count, MPI_BYTE,
                ends.window);
      MPI_Win_flush(1, ends.window);
    }
  });
}

Loop gets(const Bench& bench, const Ends& ends, size_t messages, size_t size) {
  return on_rank_0(bench, [=](uint64_t iterations) {
    const int count = count_of(size);
    for (uint64_t n = 0; n < iterations; ++n) {
      for (size_t i = 0; i < messages; ++i)
        MPI_Get(ends.local + i * size, count, MPI_BYTE, 1, static_cast<MPI_Aint>(i * size), count, MPI_BYTE,
                ends.window);
      MPI_Win_flush(1, ends.window);
    }
  });
}

using Local = std::unique_ptr<char, decltype(&std::free)>;
Local local_memory(size_t bytes) {
  Local local(static_cast<char*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)), &std::free);
  std::memset(local.get(), 1, bytes);
  return local;
}

struct Memory {
  explicit Memory(size_t bytes) : window(bytes), local(local_memory(bytes)) {}
  Ends ends() const { return {local.get(), window.on(1), window.handle()}; }
  Window window;
  Local local;
};

// Collective. The socket uses the interface that WEFT_NET_INTERFACE names, or the first by which they meet.
void connect(const Bench& bench, Tcp& tcp) {
  const bool loopback = one_host();
  Tcp::Places places;
  if (bench.job.rank() == 1) {
    tcp.listen_on_wanted(loopback, places);
    MPI_Send(&places, sizeof places, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
    tcp.accept_one();
  } else if (bench.job.rank() == 0) {
    MPI_Recv(&places, sizeof places, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tcp.call(places);
  }
  bench.job.barrier();
}

}  // namespace

void network(const Bench& bench) {
  const Local memory = local_memory(flood_window * bench.max_size);
  const Ends ends = {memory.get(), nullptr, MPI_WIN_NULL};
  bench.section("beside a TCP socket");
  Tcp tcp;
  connect(bench, tcp);
  for (size_t size : {size_t{8}, size_t{64}, size_t{1024}, size_t{4096}, size_t{16384}}) {
    if (size > bench.max_size) break;
    bench.compare(Unit::ns, {{"tcp round trip", tcp.round_trip(bench.job.rank(), size)}},
                  {{"net_send_ack", size, blocking_messages(bench, ends, count_of(size))}});
  }
  for (size_t size : sizes(4096, bench.max_size, 4)) {
    const auto amount = static_cast<double>(flood_window * size);
    bench.compare(Unit::gigabytes_per_second,
                  {{"tcp stream", tcp.stream(bench.job.rank(), flood_window * size), amount}},
                  {{"net_flood", size, nonblocking_messages(bench, ends, flood_window, size), 0, amount}});
  }
}

void latency(const Bench& bench) {
  const Memory memory(bench.max_size);
  const Ends ends = memory.ends();
  bench.section("message and acknowledgement");
  for (size_t size : sizes(1, bench.max_size, 2))
    bench.compare(Unit::ns,
                  {{"memcpy", copies(bench, ends.mapped, ends.local, 1, size)},
                   {"memcpy", copies(bench, ends.local, ends.mapped, 1, size)}},
                  {{"send_ack", size, blocking_messages(bench, ends, count_of(size)), 0},
                   {"isend_ack", size, nonblocking_messages(bench, ends, 1, size), 0},
                   {"put", size, puts(bench, ends, 1, size), 0},
                   {"get", size, gets(bench, ends, 1, size), 1}});
}

void bandwidth(const Bench& bench) {
  const Memory memory(flood_window * bench.max_size);
  const Ends ends = memory.ends();
  bench.section("flood, windows of 16");
  for (size_t size : sizes(64, bench.max_size, 4)) {
    const auto amount = static_cast<double>(flood_window * size);
    bench.compare(Unit::gigabytes_per_second,
                  {{"memcpy", copies(bench, ends.mapped, ends.local, flood_window, size), amount},
                   {"memcpy", copies(bench, ends.local, ends.mapped, flood_window, size), amount}},
                  {{"isend_flood", size, nonblocking_messages(bench, ends, flood_window, size), 0, amount},
                   {"put_flood", size, puts(bench, ends, flood_window, size), 0, amount},
                   {"get_flood", size, gets(bench, ends, flood_window, size), 1, amount}});
  }
}

void rate(const Bench& bench) {
  const Memory memory(batch * word);
  const Ends ends = memory.ends();
  bench.section("message rate");
  bench.compare(Unit::millions_per_second,
                {{"memcpy", copies(bench, ends.mapped, ends.local, batch, word), batch},
                 {"memcpy", copies(bench, ends.local, ends.mapped, batch, word), batch}},
                {{"isend_rate", word, nonblocking_messages(bench, ends, batch, word), 0, batch},
                 {"put_rate", word, puts(bench, ends, batch, word), 0, batch},
                 {"get_rate", word, gets(bench, ends, batch, word), 1, batch}});
}

}  // namespace bench
