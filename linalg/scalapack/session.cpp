#include "linalg/scalapack/session.hpp"

#include <dlfcn.h>
#include <weft/job.h>
#include <weft/segment.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>

#include "linalg/report.hpp"

namespace weft::scalapack {
namespace {

struct FreeGrid {
  void operator()(weft_la_grid_t* grid) const { weft_la_grid_free(grid); }
};
using OwnGrid = std::unique_ptr<weft_la_grid_t, FreeGrid>;

struct KnownGrid {
  int rows, columns;
  std::vector<int> ranks;  // row by row
  OwnGrid grid;
};

// One thread calls ScaLAPACK, as MPI programs with BLACS do.
struct State {
  enum { untried, ours, the_programs, unavailable, left } weft = untried;
  std::vector<KnownGrid> grids;
  std::array<long, outcomes> calls = {};  // of this process, by Outcome
  int process = -1;                       // BLACS's number of it, known from the first call on
};
// Lives until the process ends: after Weft has ended nothing may be freed by it.
State& state() {
  static auto* const all = new State;
  return *all;
}

// Whether this rank can call Weft. Collective over the job where it has not been started yet.
bool weft_runs() {
  State& now = state();
  if (now.weft == State::untried) {
    if (weft_size() != 0) {
      now.weft = State::the_programs;
    } else {
      now.weft = weft_init(nullptr, nullptr) == WEFT_OK ? State::ours : State::unavailable;
    }
  }
  return now.weft == State::ours || now.weft == State::the_programs;
}

// Of this process: its number, and how many there are.
std::pair<int, int> processes() {
  int me = 0, count = 0;
  call_other("blacs_pinfo_", nullptr, &me, &count);
  return {me, count};
}

// The largest value of each place, on all processes of the context. BLACS compares absolute values: none is negative.
void largest(const Context& context, std::vector<int>& values) {
  const int one = 1, count = static_cast<int>(values.size()), none = -1;
  int places = 0;  // of the largest values; not wanted
  call_other("igamx2d_", nullptr, &context.number, "All", " ", &count, &one, values.data(), &count, &places, &places,
             &none, &none, &none, size_t{3}, size_t{1});
}

weft_la_grid_t* grid_of(const Context& context, const std::vector<int>& ranks) {
  State& now = state();
  for (const KnownGrid& known : now.grids)
    if (known.rows == context.rows && known.columns == context.columns && known.ranks == ranks) return known.grid.get();
  const la::Silence silence;
  const std::vector<uint32_t> members(ranks.begin(), ranks.end());
  weft_team_t team = WEFT_TEAM_NONE;
  if (weft_team_from_list(WEFT_TEAM_WORLD, members.data(), static_cast<uint32_t>(members.size()), &team) != WEFT_OK)
    return nullptr;
  weft_la_grid_t* grid = nullptr;
  const int status =
      weft_la_grid_create(team, static_cast<uint32_t>(context.rows), static_cast<uint32_t>(context.columns), &grid);
  weft_team_free(team);
  if (status != WEFT_OK) return nullptr;
  now.grids.push_back({context.rows, context.columns, ranks, OwnGrid(grid)});
  return grid;
}

// The line of WEFT_STATS=1, of process 0.
void tell_calls() {
  const State& now = state();
  const char* statistics = std::getenv("WEFT_STATS");
  if (now.process != 0 || statistics == nullptr || *statistics != '1') return;
  const auto of = [&](Outcome outcome) { return now.calls[static_cast<size_t>(outcome)]; };
  const long served = of(Outcome::served), all = std::accumulate(now.calls.begin(), now.calls.end(), 0L);
  std::string line =
      "weft-scalapack: Weft served " + std::to_string(served) + " calls, ScaLAPACK " + std::to_string(all - served);
  const char* separator = ": ";
  const auto add = [&](Outcome outcome, const char* why) {
    if (of(outcome) == 0) return;
    line += separator + std::to_string(of(outcome)) + " " + why;
    separator = ", ";
  };
  add(Outcome::small, "below WEFT_SCALAPACK_FROM");
  add(Outcome::not_all_ranks, "on grids without all ranks");
  add(Outcome::unavailable, "as Weft cannot start");
  add(Outcome::arguments, "for their arguments");
  add(Outcome::no_memory, "for want of memory");
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

void* other_function(const char* name, const void* own) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) found = dlsym(RTLD_DEFAULT, name);  // this library stands behind ScaLAPACK
  if (found != nullptr && found != own) return found;
  std::fprintf(stderr, "weft-scalapack: there is no %s; link ScaLAPACK behind libweft-scalapack\n", name);
  std::exit(1);
}

Context context_of(int number) {
  Context context = {number, -1, -1, -1, -1};
  call_other("blacs_gridinfo_", nullptr, &number, &context.rows, &context.columns, &context.row, &context.column);
  if (context.row < 0) context.rows = context.columns = -1;
  return context;
}

int64_t least_size() {
  const char* text = std::getenv("WEFT_SCALAPACK_FROM");
  const long long value =
      text == nullptr ? 0 : std::strtoll(text, nullptr, 10);  // weft_init() refuses what is no number
  return value > 0 ? value : 256;
}

void compare(const Context& context, const std::string& function, const std::vector<Given>& given) {
  // As many numbers for every function; each in four parts, which are not negative.
  constexpr size_t letters = 8, most_given = 40, numbers = letters + most_given, parts = 4, part_bits = 16;
  const auto processes = static_cast<size_t>(context.rows * context.columns);
  const auto mine = static_cast<size_t>(context.row * context.columns + context.column);
  std::vector<int> all(processes * numbers * parts, 0);
  const auto place = [&](size_t process, size_t number) { return (process * numbers + number) * parts; };
  const auto set = [&](size_t number, int64_t value) {
    for (size_t part = 0; part < parts; ++part)
      all[place(mine, number) + part] = static_cast<uint16_t>(static_cast<uint64_t>(value) >> part * part_bits);
  };
  const auto get = [&](size_t process, size_t number) {
    uint64_t value = 0;
    for (size_t part = 0; part < parts; ++part)
      value |= static_cast<uint64_t>(all[place(process, number) + part]) << part * part_bits;
    return static_cast<int64_t>(value);
  };
  for (size_t i = 0; i < function.size(); ++i) set(i, function[i]);
  for (size_t i = 0; i < given.size(); ++i) set(letters + i, given[i].value);
  largest(context, all);

  const auto name_of = [&](size_t process) {
    std::string name;
    for (size_t i = 0; i < letters && get(process, i) != 0; ++i) name += static_cast<char>(get(process, i));
    return name;
  };
  const auto place_of = [&](size_t process) {
    const auto columns = static_cast<size_t>(context.columns);
    return "process (" + std::to_string(process / columns) + ", " + std::to_string(process % columns) + ")";
  };
  std::string line;
  for (size_t i = 0; i < numbers && line.empty(); ++i)
    for (size_t process = 1; process < processes && line.empty(); ++process) {
      if (get(process, i) == get(0, i)) continue;
      const std::string other = name_of(process), first = place_of(0), where = place_of(process);
      const auto text = [&](size_t of) {
        const Given::Kind kind = given[i - letters].kind;
        const int64_t value = get(of, i);
        if (kind == Given::letter) return std::string(1, static_cast<char>(value));
        return kind == Given::real ? la::real_text(value) : std::to_string(value);
      };
      line = i < letters ? first + " calls it, and " + where + " " + other + "; all call the same function"
                         : given[i - letters].name + " is " + text(0) + " on " + first + " and " + text(process) +
                               " on " + where + "; all give the same";
    }
  if (line.empty()) return;
  if (mine == 0) std::fprintf(stderr, "weft-scalapack: %s: %s\n", function.c_str(), line.c_str());
  std::vector<int> printed = {0};
  largest(context, printed);  // the first process that ends takes the others with it
  std::exit(1);
}

weft_la_grid_t* agree(const Context& context, uint32_t arguments, bool in_order, Outcome* why) {
  *why = Outcome::not_all_ranks;
  if (context.rows < 1 || context.rows * context.columns != processes().second) return nullptr;
  const bool runs = weft_runs() && weft_size() == static_cast<weft_rank_t>(context.rows * context.columns);
  const auto mine = static_cast<size_t>(context.row * context.columns + context.column);
  std::vector<int> values(static_cast<size_t>(context.rows * context.columns), 0);
  values[mine] = static_cast<int>(weft_rank());
  // The largest argument and the least are the same if all are.
  const int sum = static_cast<int>(arguments & INT_MAX);
  values.insert(values.end(), {runs ? 0 : 1, in_order ? 0 : 1, sum, INT_MAX - sum});
  largest(context, values);
  const auto answers = values.end() - 4;
  *why = answers[0] != 0 ? Outcome::unavailable : Outcome::arguments;
  if (answers[0] != 0 || answers[1] != 0 || answers[2] != INT_MAX - answers[3]) return nullptr;
  values.erase(answers, values.end());
  *why = Outcome::no_memory;
  return grid_of(context, values);
}

bool have_room(const Context& context, size_t bytes) {
  std::vector<int> missing = {bytes > weft_segment_size() ? 1 : 0};
  largest(context, missing);
  return missing[0] == 0;
}

void count_call(Outcome outcome, const char* function) {
  State& now = state();
  if (now.process < 0) now.process = processes().first;
  if (outcome == Outcome::no_memory && now.process == 0 && now.calls[static_cast<size_t>(outcome)] == 0)
    std::fprintf(stderr,
                 "weft-scalapack: %.*s: Weft has no memory for the copies of its operands, or to work with; a rank's "
                 "segment has %s; ScaLAPACK does this call, and others like it; raise WEFT_SEGMENT_SIZE\n",
                 static_cast<int>(std::strlen(function)) - 1, function, la::readable_size(weft_segment_size()).c_str());
  ++now.calls[static_cast<size_t>(outcome)];
}

void leave() {
  State& now = state();
  tell_calls();
  if (now.weft == State::ours) {
    now.grids.clear();
    weft_finalize();
  }
  now.weft = State::left;
}

}  // namespace weft::scalapack
