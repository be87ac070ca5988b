// weft-bench: the microbenchmarks of Weft, each beside the machine's limit.
#include <weft/barrier.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/sim.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "common/options.hpp"
#include "weft/benchmarks.hpp"

namespace bench {
namespace {

constexpr const char* about = "Microbenchmarks of Weft, each beside the machine's own limit, measured in turn with it.";
constexpr const char* footer =
    "Run it by: weftrun -n 2 weft-bench latency\n\n"
    "Every value is the median of some blocks; the blocks of Weft and of the bare machine alternate. The limit is a\n"
    "memcpy through a pointer with the same source and destination, or one cache line there and back between two\n"
    "cores. Loops are unrolled alike, and peer, offset, pointers and contents are unknown to the compiler at each "
    "call.\n"
    "'put' and 'get' have a size that is known only at run time, '_fixed' ones a constant; a '_chain' depends on the\n"
    "call before it. See weft-bench(1).";

const std::vector<std::string> names = {"latency", "bandwidth", "rate", "am",       "barrier",      "atomic",  "signal",
                                        "network", "tail",      "coll", "ordering", "registration", "overlap", "vis"};
const std::map<std::string, void (*)(const Bench&)> functions = {
    {"latency", latency}, {"bandwidth", bandwidth}, {"rate", rate},         {"am", active_messages},
    {"barrier", barrier}, {"atomic", atomics},      {"signal", signals},    {"network", network},
    {"tail", tail},       {"coll", collectives},    {"ordering", ordering}, {"registration", registration},
    {"overlap", overlap}, {"vis", non_contiguous}};

class WeftJob final : public Job {
 public:
  WeftJob() { require(weft_alloc_symmetric(sizeof(uint64_t), 0, &offset_) == WEFT_OK, "no memory for a word"); }
  ~WeftJob() override { weft_free_symmetric(offset_); }
  uint32_t rank() const override { return weft_rank(); }
  uint32_t size() const override { return weft_size(); }
  void barrier() override { weft_barrier(); }
  uint64_t agree(uint64_t value) override {
    for (weft_rank_t peer = 0; rank() == 0 && peer < size(); ++peer) weft_put_value(peer, offset_, value, sizeof value);
    weft_barrier();
    const uint64_t agreed = weft_get_value(rank(), offset_, sizeof value);
    weft_barrier();
    return agreed;
  }
  // What a simulated rank does alone may take no time, and more often tells no more there.
  uint64_t most_iterations() const override { return weft_simulated() != nullptr ? 64 : Job::most_iterations(); }
  double now_ns() const override { return static_cast<double>(weft_time_ns()); }

 private:
  size_t offset_ = 0;
};

const std::map<std::string, const char*> not_simulated = {
    {"network", "compares with sockets, which no simulated machine has"},
    {"tail", "compares with sockets, which no simulated machine has"},
    {"overlap", "computes and reads the kernel's clock, which a simulated machine does not have"}};

// True, after a line about the first that cannot be, unless all of them can be simulated.
bool refuse_to_simulate(const std::vector<std::string>& benchmarks, bool speaks) {
  for (const std::string& name : benchmarks) {
    const auto found = not_simulated.find(name);
    if (found == not_simulated.end()) continue;
    if (speaks) std::fprintf(stderr, "weft-bench: '%s' %s; choose other benchmarks\n", name.c_str(), found->second);
    return true;
  }
  return false;
}

int run(const Options& options) {
  if (weft_size() < 2) {
    std::fputs("weft-bench: at least 2 ranks are needed: weftrun -n 2 weft-bench latency\n", stderr);
    return 2;
  }
  const char* chosen = std::getenv("WEFT_CONDUIT");
  const std::string conduit = chosen && std::string(chosen) != "auto" ? chosen
                              : weft_host_size() == weft_size()       ? "smp"
                                                                      : "auto";
  WeftJob job;
  if (weft_simulated() != nullptr && refuse_to_simulate(options.benchmarks, job.rank() == 0)) return 2;
  Report report(options.title, job.size(), conduit, weft_simulated());
  const Bench bench = {job, job.rank() == 0 ? &report : nullptr, options.effort, options.max_size};
  for (const std::string& name : options.benchmarks) functions.at(name)(bench);
  return job.rank() != 0 || options.json.empty() || report.write_json(options.json) ? 0 : 1;
}

// The one line about a wrong command line is rank 0's.
int explain(const Parsed& parsed) {
  if (weft_rank() == 0) std::fputs(parsed.message.c_str(), parsed.exit_code == 0 ? stdout : stderr);
  return parsed.exit_code;
}

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  const bench::Parsed parsed =
      bench::parse_options(argc, argv, bench::names, "weft-bench", bench::about, bench::footer);
  if (weft_init_thread(&argc, &argv, WEFT_THREAD_SINGLE) != WEFT_OK) return 1;
  const int code = parsed.options ? bench::run(*parsed.options) : bench::explain(parsed);
  weft_finalize();
  return code;
}
