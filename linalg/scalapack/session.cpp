#include "linalg/scalapack/session.hpp"

#include <dlfcn.h>
#include <weft/job.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>

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
  long served = 0, passed_on = 0;
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

int processes() {
  int me = 0, count = 0;
  call_other("blacs_pinfo_", nullptr, &me, &count);
  return count;
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

weft_la_grid_t* agree(const Context& context, uint32_t arguments, bool in_order) {
  if (context.rows < 1 || context.rows * context.columns != processes()) return nullptr;
  const bool runs = weft_runs() && weft_size() == static_cast<weft_rank_t>(context.rows * context.columns);
  const auto mine = static_cast<size_t>(context.row * context.columns + context.column);
  std::vector<int> values(static_cast<size_t>(context.rows * context.columns), 0);
  values[mine] = static_cast<int>(weft_rank());
  // The largest argument and the least are the same if all are.
  const int sum = static_cast<int>(arguments & INT_MAX);
  values.insert(values.end(), {in_order && runs ? 0 : 1, sum, INT_MAX - sum});
  largest(context, values);
  const auto answers = values.end() - 3;
  if (answers[0] != 0 || answers[1] != INT_MAX - answers[2]) return nullptr;
  values.erase(answers, values.end());
  return grid_of(context, values);
}

void count_call(bool served) { ++(served ? state().served : state().passed_on); }

void leave() {
  State& now = state();
  const char* statistics = std::getenv("WEFT_STATS");
  if (now.weft == State::ours) {
    if (weft_rank() == 0 && statistics != nullptr && *statistics == '1')
      std::fprintf(stderr, "weft-scalapack: Weft served %ld calls, ScaLAPACK %ld\n", now.served, now.passed_on);
    now.grids.clear();
    weft_finalize();
  }
  now.weft = State::left;
}

}  // namespace weft::scalapack
