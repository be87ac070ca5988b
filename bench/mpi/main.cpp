// weft-bench-mpi and weft-bench-mpich: what two-sided and one-sided MPI do of the things that weft-bench measures, with
// the same loops, limits, command line and JSON. One source, built once for each MPI.
#include <cstdio>
#include <map>

#include "common/options.hpp"
#include "mpi/benchmarks.hpp"

namespace bench {
namespace {

constexpr const char* about = "The microbenchmarks of weft-bench by MPI, each beside the machine's own limit.";
constexpr const char* footer =
    "Run it by this MPI's own launcher with 2 ranks, each bound to a core. See weft-bench(1).";

const std::vector<std::string> names = {"latency", "bandwidth", "rate",    "am",  "barrier",
                                        "atomic",  "signal",    "network", "coll"};
const std::map<std::string, void (*)(const Bench&)> functions = {
    {"latency", latency},        {"bandwidth", bandwidth}, {"rate", rate},
    {"am", message_round_trip},  {"barrier", barriers},    {"atomic", atomics},
    {"signal", message_one_way}, {"network", network},     {"coll", collectives}};

class MpiJob final : public Job {
 public:
  uint32_t rank() const override { return mpi_rank(); }
  uint32_t size() const override { return mpi_size(); }
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
  uint64_t agree(uint64_t value) override {
    MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return value;
  }
};

int run(const Options& options) {
  if (mpi_size() < 2) {
    std::fputs(WEFT_BENCH_PROGRAM ": at least 2 ranks are needed\n", stderr);
    return 2;
  }
  MpiJob job;
  Report report(options.title, job.size(), WEFT_BENCH_MPI);
  const Bench bench = {job, job.rank() == 0 ? &report : nullptr, options.effort, options.max_size};
  for (const std::string& name : options.benchmarks) functions.at(name)(bench);
  return job.rank() != 0 || options.json.empty() || report.write_json(options.json) ? 0 : 1;
}

int explain(const Parsed& parsed) {
  if (mpi_rank() == 0) std::fputs(parsed.message.c_str(), parsed.exit_code == 0 ? stdout : stderr);
  return parsed.exit_code;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const bench::Parsed parsed =
      bench::parse_options(argc, argv, bench::names, WEFT_BENCH_PROGRAM, bench::about, bench::footer);
  MPI_Init(&argc, &argv);
  const int code = parsed.options ? bench::run(*parsed.options) : bench::explain(parsed);
  MPI_Finalize();
  return code;
}
