// weft-two-sided, weft-two-sided-mpich and weft-two-sided-sim: what two-sided messages cost, by two MPI libraries and
// by the model of simulated jobs (docs/SIMULATION.md), from one source. `size_bytes` is the message's size, but of the
// match_... the length of a list:
//
//  ping_pong         half of a round trip between ranks 0 and 1
//  flood             a message of windows of 64 from rank 0 to 1, each window with one acknowledgement
//  exchange          MPI_Alltoall of all ranks, blocks of this size
//  many_to_one       a message of 8 bytes that rank 0 takes in, while all others send windows of 64; size_bytes: 8
//  match_posted      half of a round trip with so many receives posted before that which fits
//  match_unexpected  half of a round trip with so many messages before it that nobody has received
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "common/options.hpp"
#include "common/results.hpp"
#include "common/timing.hpp"

namespace bench {
namespace {

constexpr const char* about = "Two-sided messages: eager and rendezvous, floods, exchanges, matching.";
constexpr const char* footer = "Run it by this MPI's own launcher, or by weftrun --sim PLATFORM, with 2 ranks or more.";
const std::vector<std::string> names = {"ping_pong",   "flood",        "exchange",
                                        "many_to_one", "match_posted", "match_unexpected"};

constexpr int window = 64;
constexpr int tag = 1, other_tag = 2, end_tag = 3;

class Study {
 public:
  Study(const Options& options, Report* report) : options_(options), report_(report), buffers_(room()) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  void run(const std::string& name) {
    if (name == "ping_pong") by_size(name, 2, [this](size_t bytes) { ping_pong(bytes, tag); });
    if (name == "flood") by_size(name, window, [this](size_t bytes) { flood(bytes); });
    if (name == "exchange") by_size(name, 1, [this](size_t bytes) { exchange(bytes); });
    if (name == "many_to_one") measure(name, 8, window * (size_ - 1.0), [this] { many_to_one(8); });
    if (name != "match_posted" && name != "match_unexpected") return;
    for (const int depth : {0, 64, 256, 1024, 4096})
      if (name == "match_posted")
        behind_posted(depth);
      else
        behind_unexpected(depth);
  }

 private:
  size_t room() const { return options_.max_size * window; }

  // `parts`: what one call is divided by.
  void measure(const std::string& name, size_t size, double parts, const std::function<void()>& once) {
    once();
    const double alone = block(1, once);
    int count = alone > 0 ? std::clamp(static_cast<int>(options_.effort.block_ns / alone), 1, 10000) : 1;
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);  // rank 0's clock decides
    std::vector<double> ns;
    for (int i = 0; i < options_.effort.repetitions; ++i) ns.push_back(block(count, once) / count);
    if (report_ != nullptr) report_->add({name, size, quantile(ns, options_.effort.quantile) / parts, "ns", {}});
  }

  static double block(int count, const std::function<void()>& once) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < count; ++i) once();
    return (MPI_Wtime() - start) * 1e9;
  }

  void by_size(const std::string& name, double parts, const std::function<void(size_t)>& once) {
    constexpr int calls = 16;
    for (size_t bytes = 8; bytes <= options_.max_size; bytes *= 2)
      measure(name, bytes, parts * calls, [&] {
        for (int i = 0; i < calls; ++i) once(bytes);
      });
  }

  char* place(int number, size_t bytes) { return buffers_.data() + static_cast<size_t>(number) * bytes; }

  void ping_pong(size_t bytes, int its_tag) {
    const int n = static_cast<int>(bytes);
    if (rank_ > 1) return;
    if (rank_ == 0) MPI_Send(place(0, 0), n, MPI_BYTE, 1, its_tag, MPI_COMM_WORLD);
    MPI_Recv(place(0, 0), n, MPI_BYTE, 1 - rank_, its_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank_ == 1) MPI_Send(place(0, 0), n, MPI_BYTE, 0, its_tag, MPI_COMM_WORLD);
  }

  void flood(size_t bytes) {
    if (rank_ > 1) return;
    if (rank_ == 0) return send_window(1, bytes);
    requests_.resize(window);
    for (int i = 0; i < window; ++i)
      MPI_Irecv(place(i, bytes), static_cast<int>(bytes), MPI_BYTE, 0, tag, MPI_COMM_WORLD,
                &requests_[static_cast<size_t>(i)]);
    MPI_Waitall(window, requests_.data(), MPI_STATUSES_IGNORE);
    acknowledge(0);
  }

  static void acknowledge(int to) {
    char end = 0;
    MPI_Send(&end, 1, MPI_BYTE, to, end_tag, MPI_COMM_WORLD);
  }

  // And waits for its acknowledgement.
  void send_window(int to, size_t bytes) {
    requests_.resize(window);
    for (int i = 0; i < window; ++i)
      MPI_Isend(place(i, bytes), static_cast<int>(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD,
                &requests_[static_cast<size_t>(i)]);
    MPI_Waitall(window, requests_.data(), MPI_STATUSES_IGNORE);
    char end = 0;
    MPI_Recv(&end, 1, MPI_BYTE, to, end_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  void exchange(size_t bytes) {
    const auto all = static_cast<size_t>(size_) * bytes;
    if (exchanged_.size() < 2 * all) exchanged_.resize(2 * all);
    const int n = static_cast<int>(bytes);
    MPI_Alltoall(exchanged_.data(), n, MPI_BYTE, exchanged_.data() + all, n, MPI_BYTE, MPI_COMM_WORLD);
  }

  void many_to_one(size_t bytes) {
    if (rank_ != 0) return send_window(0, bytes);
    std::vector<MPI_Request> all;
    for (int i = 0; i < window; ++i)
      for (int from = 1; from < size_; ++from)
        MPI_Irecv(place(i, bytes), static_cast<int>(bytes), MPI_BYTE, from, tag, MPI_COMM_WORLD, &all.emplace_back());
    MPI_Waitall(static_cast<int>(all.size()), all.data(), MPI_STATUSES_IGNORE);
    for (int to = 1; to < size_; ++to) acknowledge(to);
  }

  // To rank 1, which waits for others first.
  void send_others(int count, size_t bytes) {
    for (int i = 0; i < count && rank_ == 0; ++i)
      MPI_Send(place(1, bytes), static_cast<int>(bytes), MPI_BYTE, 1, other_tag, MPI_COMM_WORLD);
  }

  // Rank 1 has so many receives that do not fit what comes.
  void behind_posted(int depth) {
    constexpr size_t bytes = 8;
    std::vector<MPI_Request> posted(rank_ == 1 ? static_cast<size_t>(depth) : 0);
    for (MPI_Request& request : posted)
      MPI_Irecv(place(1, bytes), bytes, MPI_BYTE, 0, other_tag, MPI_COMM_WORLD, &request);
    measure("match_posted", static_cast<size_t>(depth), 2 * 16, [this] {
      for (int i = 0; i < 16; ++i) ping_pong(bytes, tag);
    });
    send_others(depth, bytes);
    MPI_Waitall(static_cast<int>(posted.size()), posted.data(), MPI_STATUSES_IGNORE);
  }

  // Rank 1 has so many messages that it has not received.
  void behind_unexpected(int depth) {
    constexpr size_t bytes = 8;
    send_others(depth, bytes);
    measure("match_unexpected", static_cast<size_t>(depth), 2 * 16, [this] {
      for (int i = 0; i < 16; ++i) ping_pong(bytes, tag);
    });
    if (rank_ == 1)
      for (int i = 0; i < depth; ++i)
        MPI_Recv(place(1, bytes), bytes, MPI_BYTE, 0, other_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  const Options& options_;
  Report* const report_;
  int rank_ = 0, size_ = 1;
  std::vector<char> buffers_;
  std::vector<char> exchanged_;
  std::vector<MPI_Request> requests_;
};

int run(const Options& options) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) {
    std::fputs(WEFT_BENCH_PROGRAM ": at least 2 ranks are needed\n", stderr);
    return 2;
  }
  Report report(options.title, static_cast<unsigned>(size), WEFT_BENCH_MPI);
  Study study(options, rank == 0 ? &report : nullptr);
  for (const std::string& name : options.benchmarks) {
    if (rank == 0) report.section(name);
    study.run(name);
  }
  return rank != 0 || options.json.empty() || report.write_json(options.json) ? 0 : 1;
}

int explain(const Parsed& parsed) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::fputs(parsed.message.c_str(), parsed.exit_code == 0 ? stdout : stderr);
  return parsed.exit_code;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const bench::Parsed parsed =
      bench::parse_options(argc, argv, bench::names, WEFT_BENCH_PROGRAM, bench::about, bench::footer);
#if defined(WEFT_SIM_MPI)
  // MPI_Init() returns in simulated jobs alone.
  if (!parsed.options && parsed.exit_code == 0) return std::fputs(parsed.message.c_str(), stdout) < 0;
#endif
  MPI_Init(&argc, &argv);
  const int code = parsed.options ? bench::run(*parsed.options) : bench::explain(parsed);
  MPI_Finalize();
  return code;
}
