// weft-tune: measures every candidate for every collective and writes a table that WEFT_TUNE_FILE loads; shows why a
// choice is what it is.
#include <weft/barrier.h>
#include <weft/coll.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/segment.h>
#include <weft/tune.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

struct Options {
  std::vector<std::string> ops = {"broadcast", "scatter",    "gather",         "gather_all", "exchange",
                                  "reduce",    "reduce_all", "reduce_scatter", "prefix"};
  std::vector<size_t> sizes;
  std::vector<uint32_t> teams;
  std::string output;
  double milliseconds = 4;  // per candidate
  double prune = 6;  // candidates that the model expects to be this many times slower than the best are not tried
  bool show = false;
};

using Run = std::function<void(weft_team, void* to, const void* from, size_t size)>;

const std::map<std::string, Run>& runs() {
  static const weft_reduction sum = weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD);
  static const std::map<std::string, Run> table = {
      {"barrier",
       [](weft_team t, void*, const void*, size_t) {
         weft_handle done;
         weft_team_barrier_nb(t, &done);
         weft_handle_wait(done);
       }},
      {"broadcast", [](weft_team t, void* to, const void* from, size_t n) { weft_broadcast(t, to, from, n, 0, 0); }},
      {"scatter", [](weft_team t, void* to, const void* from, size_t n) { weft_scatter(t, to, from, n, 0, 0); }},
      {"gather", [](weft_team t, void* to, const void* from, size_t n) { weft_gather(t, to, from, n, 0, 0); }},
      {"gather_all", [](weft_team t, void* to, const void* from, size_t n) { weft_gather_all(t, to, from, n, 0); }},
      {"exchange", [](weft_team t, void* to, const void* from, size_t n) { weft_exchange(t, to, from, n, 0); }},
      {"permute", [](weft_team t, void* to, const void* from,
                     size_t n) { weft_permute(t, to, from, n, (weft_team_rank(t) + 1) % weft_team_size(t), 0); }},
      {"reduce", [](weft_team t, void* to, const void* from, size_t n) { weft_reduce(t, to, from, n / 8, sum, 0, 0); }},
      {"reduce_all",
       [](weft_team t, void* to, const void* from, size_t n) { weft_reduce_all(t, to, from, n / 8, sum, 0); }},
      {"reduce_scatter",
       [](weft_team t, void* to, const void* from, size_t n) { weft_reduce_scatter(t, to, from, n / 8, sum, 0); }},
      {"prefix", [](weft_team t, void* to, const void* from, size_t n) { weft_prefix(t, to, from, n / 8, sum, 0); }},
  };
  return table;
}

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double slowest(weft_team team, double value) {
  double most = 0;
  weft_reduce_all(team, &most, &value, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), 0);
  return most;
}

// Nanoseconds of one call, as the slowest member sees it: the median of five blocks that begin and end with a barrier.
double measure(const Options& options, weft_team team, const Run& run, void* to, const void* from, size_t size) {
  const auto block = [&](uint64_t calls) {
    weft_team_barrier(team);
    const double start = now_ns();
    for (uint64_t i = 0; i < calls; ++i) run(team, to, from, size);
    weft_team_barrier(team);
    return slowest(team, now_ns() - start) / static_cast<double>(calls);
  };
  block(1);
  const double first = block(4);
  const auto calls = static_cast<uint64_t>(std::clamp(options.milliseconds * 1e6 / 5 / first, 1.0, 1e5));
  double times[5];
  for (double& time : times) time = block(calls);
  std::sort(times, times + 5);
  return times[2];
}

std::vector<weft_candidate> candidates_of(weft_team team, const std::string& op, size_t size) {
  std::vector<weft_candidate> list(64);
  size_t count = 0;
  if (weft_tune_candidates(team, op.c_str(), size, list.data(), list.size(), &count) != WEFT_OK) return {};
  list.resize(std::min(count, list.size()));
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.predicted_ns < b.predicted_ns; });
  return list;
}

std::string name_of(const weft_candidate& c) {
  std::string name = c.algorithm;
  if (c.radix != 0) name += ":" + std::to_string(c.radix);
  if (c.segment != 0) name += ":" + std::to_string(c.segment);
  return name;
}

void show(const Options& options, weft_team team) {
  for (const std::string& op : options.ops) {
    for (const size_t size : options.sizes) {
      std::printf("%s of %zu bytes on %u ranks, %s\n  %-24s %14s %14s\n", op.c_str(), size, weft_team_size(team),
                  weft_tune_machine(), "candidate", "predicted ns", "measured ns");
      const std::vector<weft_candidate> list = candidates_of(team, op, size);
      bool measured = false;
      for (const weft_candidate& c : list) {
        measured = measured || c.measured_ns > 0;
        char time[32] = "-";
        if (c.measured_ns > 0) std::snprintf(time, sizeof time, "%.0f", c.measured_ns);
        std::printf("  %-24s %14.0f %14s%s\n", name_of(c).c_str(), c.predicted_ns, time, c.chosen ? "  <- chosen" : "");
      }
      std::printf("  %s\n\n",
                  measured ? "chosen for the least measured time (WEFT_TUNE_FILE)"
                           : "chosen for the least predicted time: no measurement of this size and number of ranks");
    }
  }
}

void tune_team(const Options& options, weft_team team, FILE* file) {
  const size_t largest = *std::max_element(options.sizes.begin(), options.sizes.end()) * weft_team_size(team);
  size_t from = 0, to = 0;
  if (weft_alloc(largest, 4096, &from) != WEFT_OK || weft_alloc(largest, 4096, &to) != WEFT_OK) weft_abort("no memory");
  std::memset(weft_pointer(weft_rank(), from), 0, largest);
  std::memset(weft_pointer(weft_rank(), to), 0, largest);
  for (const std::string& op : options.ops) {
    for (const size_t size : options.sizes) {
      const std::vector<weft_candidate> list = candidates_of(team, op, size);
      for (const weft_candidate& c : list) {
        if (c.predicted_ns > options.prune * list[0].predicted_ns) break;
        if (weft_tune_set(team, op.c_str(), size, &c) != WEFT_OK) continue;
        const double ns =
            measure(options, team, runs().at(op), weft_pointer(weft_rank(), to), weft_pointer(weft_rank(), from), size);
        if (file != nullptr)
          std::fprintf(file, "%s %u %zu %s %u %llu %.1f\n", op.c_str(), weft_team_size(team), size, c.algorithm,
                       c.radix, static_cast<unsigned long long>(c.segment), ns);
      }
      weft_tune_set(team, op.c_str(), size, nullptr);
    }
  }
  weft_free(from);
  weft_free(to);
}

int tune(const Options& options) {
  FILE* file = nullptr;
  if (weft_rank() == 0) {
    file = std::fopen(options.output.c_str(), "w");
    if (file == nullptr) {
      std::fprintf(stderr, "weft-tune: cannot write %s\n", options.output.c_str());
      weft_exit(1);
    }
    std::fprintf(
        file,
        "weft-tune 1\nmachine %s\n# operation members bytes algorithm radix segment ns (slowest member, median of 5)\n",
        weft_tune_machine());
  }
  for (const uint32_t members : options.teams) {
    weft_team team = WEFT_TEAM_NONE;
    weft_team_split(WEFT_TEAM_WORLD, weft_rank() < members ? 0 : WEFT_NO_COLOR, 0, &team);
    if (team != WEFT_TEAM_NONE) tune_team(options, team, file);
    weft_team_free(team);
  }
  if (file != nullptr && std::fclose(file) != 0) {
    std::fprintf(stderr, "weft-tune: writing %s failed\n", options.output.c_str());
    weft_exit(1);
  }
  weft_barrier();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Measures every candidate for every collective, for WEFT_TUNE_FILE. Run it by weftrun -n N weft-tune -o FILE; "
      "'weft-tune show' explains choices."};
  std::vector<std::string> names;
  for (const auto& entry : runs()) names.push_back(entry.first);
  app.add_option("--ops", options.ops, "Collectives, separated by commas")->delimiter(',')->check(CLI::IsMember(names));
  app.add_option("--sizes", options.sizes, "Bytes, separated by commas")->delimiter(',');
  app.add_option("--teams", options.teams, "Numbers of members, separated by commas; default: all ranks")
      ->delimiter(',');
  app.add_option("-o,--output", options.output, "The table to write");
  app.add_option("--milliseconds", options.milliseconds, "Measuring time per candidate");
  app.add_option("--prune", options.prune, "Leave out candidates predicted to be this many times slower than the best");
  app.add_subcommand("show", "Print candidates with predicted and measured times")
      ->callback([&] { options.show = true; })
      ->fallthrough();
  try {
    app.parse(argc, argv);
    if (!options.show && options.output.empty()) throw CLI::ValidationError("-o FILE is needed (or: weft-tune show)");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  if (options.sizes.empty())
    for (size_t size = 8; size <= size_t{4} << 20; size *= 4) options.sizes.push_back(size);
  if (options.teams.empty()) options.teams.push_back(weft_size());
  int code = 0;
  if (!options.show)
    code = tune(options);
  else if (weft_rank() == 0)
    show(options, WEFT_TEAM_WORLD);
  weft_finalize();
  return code;
}
