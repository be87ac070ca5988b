// Random problems by ScaLAPACK and by libweft-scalapack, in one program: the same results, the same elements around
// them.
//   mpirun -n 4 scalapack_compare [CASES [SEED]]       WEFT_SCALAPACK_FROM=1, or small problems never reach Weft
//   mpirun -n 4 scalapack_compare alpha|beta           a product in which each process has another one
#include <mpi.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridmap(int* context, const int* processes, int leading, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* process, const int* first, const int* processes);
}

#define DECLARE(prefix, letter, T)                                                                                    \
  extern "C" void prefix##letter##gemm_(const char*, const char*, const int*, const int*, const int*, const T*,       \
                                        const T*, const int*, const int*, const int*, const T*, const int*,           \
                                        const int*, const int*, const T*, T*, const int*, const int*, const int*);    \
  extern "C" void prefix##letter##potrf_(const char*, const int*, T*, const int*, const int*, const int*, int*);      \
  extern "C" void prefix##letter##potrs_(const char*, const int*, const int*, const T*, const int*, const int*,       \
                                         const int*, T*, const int*, const int*, const int*, int*);                   \
  extern "C" void prefix##letter##getrf_(const int*, const int*, T*, const int*, const int*, const int*, int*, int*); \
  extern "C" void prefix##letter##gesv_(const int*, const int*, T*, const int*, const int*, const int*, int*, T*,     \
                                        const int*, const int*, const int*, int*);
#define FUNCTIONS(letter, T)                                                             \
  DECLARE(p, letter, T)                                                                  \
  DECLARE(weft_p, letter, T)                                                             \
  template <>                                                                            \
  struct Functions<T> {                                                                  \
    decltype(&p##letter##gemm_) gemm[2] = {p##letter##gemm_, weft_p##letter##gemm_};     \
    decltype(&p##letter##potrf_) potrf[2] = {p##letter##potrf_, weft_p##letter##potrf_}; \
    decltype(&p##letter##potrs_) potrs[2] = {p##letter##potrs_, weft_p##letter##potrs_}; \
    decltype(&p##letter##getrf_) getrf[2] = {p##letter##getrf_, weft_p##letter##getrf_}; \
    decltype(&p##letter##gesv_) gesv[2] = {p##letter##gesv_, weft_p##letter##gesv_};     \
  };
template <class T>
struct Functions;
FUNCTIONS(s, float)
FUNCTIONS(d, double)
FUNCTIONS(c, std::complex<float>)
FUNCTIONS(z, std::complex<double>)

namespace {

std::mt19937 dice;  // the same on all ranks
int failures = 0;
MPI_Comm together = MPI_COMM_WORLD;  // the ranks of the grid that problems are compared on

int from_to(int least, int most) { return std::uniform_int_distribution<int>(least, most)(dice); }

struct Grid {
  int context = 0, rows = 0, columns = 0, row = 0, column = 0;
};

// Values without ties, so that there is one choice of pivots.
template <class T>
T random_value(uint32_t i, uint32_t j) {
  std::mt19937_64 random(uint64_t{i} << 32 | j);
  std::uniform_real_distribution<float> part(-1, 1);
  if constexpr (std::is_floating_point_v<T>) {
    return part(random);
  } else {
    const float real = part(random);
    return {real, part(random)};
  }
}

// A distributed matrix twice: for each of the two libraries.
template <class T>
struct Pair {
  using Real = decltype(std::abs(T()));
  // `diagonal`: 0, or what the diagonal of the part from (row, column) on is.
  Pair(const Grid& grid, int mb, int nb, int rows, int columns, int margin, bool aligned, double diagonal = 0) {
    row = aligned ? from_to(0, 2) * mb : from_to(0, margin);
    column = aligned ? row / mb * nb : from_to(0, margin);
    const int m = row + rows + from_to(0, margin), n = column + columns + from_to(0, margin);
    const int first_row = from_to(0, grid.rows - 1), first_column = from_to(0, grid.columns - 1);
    local_rows = numroc_(&m, &mb, &grid.row, &first_row, &grid.rows);
    const int local_columns = numroc_(&n, &nb, &grid.column, &first_column, &grid.columns);
    const int leading = std::max(local_rows, 1) + from_to(0, 3);
    const int fields[] = {1, grid.context, m, n, mb, nb, first_row, first_column, leading};
    std::copy_n(fields, 9, descriptor);
    local[0].assign(static_cast<size_t>(leading * (local_columns + 1)), T(77));
    for (int j = 0; j < local_columns; ++j)
      for (int i = 0; i < local_rows; ++i) {
        const int gi = (i / mb * grid.rows + (grid.rows + grid.row - first_row) % grid.rows) * mb + i % mb - row;
        const int gj =
            (j / nb * grid.columns + (grid.columns + grid.column - first_column) % grid.columns) * nb + j % nb - column;
        T& place = local[0][static_cast<size_t>(i + j * leading)];
        place = random_value<T>(static_cast<uint32_t>(gi + 1000), static_cast<uint32_t>(gj + 1000));
        if (diagonal != 0 && gi == gj) place = static_cast<Real>(diagonal);
      }
    local[1] = local[0];
    ++row;  // as ScaLAPACK counts
    ++column;
  }

  // Whether both libraries left the same, but for `tolerance` times the largest element.
  bool same(double tolerance) const {
    double most = 1, difference = 0;
    for (size_t i = 0; i < local[0].size(); ++i) {
      most = std::max(most, static_cast<double>(std::abs(local[0][i])));
      difference = std::max(difference, static_cast<double>(std::abs(local[0][i] - local[1][i])));
    }
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, together);
    return difference <= tolerance * most;
  }

  int row, column, local_rows;
  int descriptor[9];
  std::vector<T> local[2];
};

void expect(bool fine, const char* what, int number) {
  int all = fine ? 1 : 0, rank = 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, together);
  MPI_Comm_rank(together, &rank);
  if (all == 1) return;
  ++failures;
  if (rank == 0) std::printf("case %d: %s differs\n", number, what);
}

template <class T>
double tolerance(int n) {
  return 100.0 * (n + 10) * static_cast<double>(std::numeric_limits<decltype(std::abs(T()))>::epsilon());
}

template <class T>
void compare_gemm(const Grid& grid, int number) {
  const int m = from_to(1, 60), n = from_to(1, 60), k = from_to(1, 60);
  const char op_a = "NTCn"[from_to(0, 3)], op_b = "NTCc"[from_to(0, 3)];
  const bool plain_a = op_a == 'N' || op_a == 'n', plain_b = op_b == 'N';
  const auto block = [] { return from_to(1, 20); };
  Pair<T> a(grid, block(), block(), plain_a ? m : k, plain_a ? k : m, 15, false);
  Pair<T> b(grid, block(), block(), plain_b ? k : n, plain_b ? n : k, 15, false);
  Pair<T> c(grid, block(), block(), m, n, 15, false);
  const T alpha = random_value<T>(1, 2), beta = from_to(0, 2) == 0 ? T(0) : random_value<T>(3, 4);
  for (int library = 0; library < 2; ++library)
    Functions<T>().gemm[library](&op_a, &op_b, &m, &n, &k, &alpha, a.local[library].data(), &a.row, &a.column,
                                 a.descriptor, b.local[library].data(), &b.row, &b.column, b.descriptor, &beta,
                                 c.local[library].data(), &c.row, &c.column, c.descriptor);
  expect(c.same(tolerance<T>(k)), "gemm", number);
  expect(a.same(0) && b.same(0), "gemm's operand", number);
}

template <class T>
void compare_cholesky(const Grid& grid, int number) {
  const int n = from_to(1, 70), nb = from_to(1, 20);
  const char triangle = "LUlu"[from_to(0, 3)];
  const bool definite = from_to(0, 3) != 0;
  Pair<T> a(grid, nb, nb, n, n, 15, true, definite ? 3.0 * n : -1);
  int info[2] = {};
  for (int library = 0; library < 2; ++library)
    Functions<T>().potrf[library](&triangle, &n, a.local[library].data(), &a.row, &a.column, a.descriptor,
                                  &info[library]);
  expect(info[0] == info[1] && (info[0] == 0) == definite, "potrf's info", number);
  if (!definite) return;
  expect(a.same(tolerance<T>(n)), "potrf", number);
}

// ScaLAPACK wants B's rows to begin where A's do. What B's elements are does not matter.
template <class T>
void align(const Grid& grid, const Pair<T>& a, Pair<T>& b) {
  const int nb = a.descriptor[4];
  b.descriptor[6] = (a.descriptor[6] + (a.row - 1) / nb + grid.rows * 3 - (b.row - 1) / nb) % grid.rows;
  const int rows = b.descriptor[2], columns = b.descriptor[3];
  b.local_rows = numroc_(&rows, &nb, &grid.row, &b.descriptor[6], &grid.rows);
  const int local_columns = numroc_(&columns, &nb, &grid.column, &b.descriptor[7], &grid.columns);
  b.descriptor[8] = std::max(b.local_rows, 1);
  b.local[0].resize(static_cast<size_t>(b.descriptor[8] * (local_columns + 1)), T(3));
  b.local[1] = b.local[0];
}

template <class T>
void compare_solution(const Grid& grid, int number) {
  const int n = from_to(1, 70), columns = from_to(1, 10), nb = from_to(1, 20);
  const char triangle = "LU"[from_to(0, 1)];
  Pair<T> a(grid, nb, nb, n, n, 0, true, 3.0 * n);
  Pair<T> b(grid, nb, nb, n, columns, 0, true);
  align(grid, a, b);
  int info[4] = {};
  for (int library = 0; library < 2; ++library) {
    Functions<T>().potrf[library](&triangle, &n, a.local[library].data(), &a.row, &a.column, a.descriptor,
                                  &info[library]);
    Functions<T>().potrs[library](&triangle, &n, &columns, a.local[library].data(), &a.row, &a.column, a.descriptor,
                                  b.local[library].data(), &b.row, &b.column, b.descriptor, &info[2 + library]);
  }
  expect(info[0] == 0 && info[1] == 0 && info[2] == 0 && info[3] == 0, "potrs's info", number);
  expect(b.same(tolerance<T>(n)), "potrs", number);
}

// Of the rows that this process has. ScaLAPACK writes other places, too.
template <class T>
bool same_pivots(const Grid& grid, const Pair<T>& a, int count, const std::vector<int> (&pivots)[2]) {
  const int nb = a.descriptor[4];
  for (int row = a.row - 1; row < a.row - 1 + count; ++row) {
    if ((row / nb + a.descriptor[6]) % grid.rows != grid.row) continue;
    const auto place = static_cast<size_t>(row / nb / grid.rows * nb + row % nb);
    if (pivots[0][place] != pivots[1][place]) return false;
  }
  return true;
}

template <class T>
void compare_lu(const Grid& grid, int number) {
  const int m = from_to(1, 70), n = from_to(1, 70), nb = from_to(1, 20);
  Pair<T> a(grid, nb, nb, m, n, 15, true);
  int info[2] = {};
  std::vector<int> pivots[2];
  for (int library = 0; library < 2; ++library) {
    pivots[library].assign(static_cast<size_t>(a.local_rows + nb), -5);
    Functions<T>().getrf[library](&m, &n, a.local[library].data(), &a.row, &a.column, a.descriptor,
                                  pivots[library].data(), &info[library]);
  }
  expect(info[0] == info[1], "getrf's info", number);
  expect(same_pivots(grid, a, std::min(m, n), pivots), "getrf's pivots", number);
  expect(a.same(tolerance<T>(100 * n)), "getrf", number);
}

template <class T>
void compare_gesv(const Grid& grid, int number) {
  const int n = from_to(1, 70), columns = from_to(1, 10), nb = from_to(1, 20);
  Pair<T> a(grid, nb, nb, n, n, 0, true, 3.0 * n), b(grid, nb, nb, n, columns, 0, true);
  align(grid, a, b);
  int info[2] = {};
  for (int library = 0; library < 2; ++library) {
    std::vector<int> pivots(static_cast<size_t>(a.local_rows + nb));
    Functions<T>().gesv[library](&n, &columns, a.local[library].data(), &a.row, &a.column, a.descriptor, pivots.data(),
                                 b.local[library].data(), &b.row, &b.column, b.descriptor, &info[library]);
  }
  expect(info[0] == 0 && info[1] == 0, "gesv's info", number);
  expect(b.same(tolerance<T>(n)), "gesv", number);
}

// What ScaLAPACK finds wrong is what the program hears.
void compare_refusals(const Grid& grid) {
  Pair<double> a(grid, 4, 4, 20, 20, 0, true, 60);
  const int n = 20, negative = -1, beyond = 21;
  for (int library = 0; library < 2; ++library) {
    int info = 0;
    Functions<double>().potrf[library]("X", &n, a.local[library].data(), &a.row, &a.column, a.descriptor, &info);
    expect(info == -1, "info for a wrong triangle", library);
    Functions<double>().potrf[library]("L", &negative, a.local[library].data(), &a.row, &a.column, a.descriptor, &info);
    expect(info == -2, "info for a negative order", library);
    Functions<double>().potrf[library]("L", &beyond, a.local[library].data(), &a.row, &a.column, a.descriptor, &info);
    expect(info < 0, "info for a part that leaves its matrix", library);
    a.descriptor[8] = 0;
    std::vector<int> pivots(100);
    Functions<double>().getrf[library](&n, &n, a.local[library].data(), &a.row, &a.column, a.descriptor, pivots.data(),
                                       &info);
    expect(info < 0, "info for a wrong leading dimension", library);
    a.descriptor[8] = std::max(a.local_rows, 1);
  }
}

template <class T>
void compare_all(const Grid& grid, int number) {
  compare_gemm<T>(grid, number);
  compare_cholesky<T>(grid, number);
  compare_solution<T>(grid, number);
  compare_lu<T>(grid, number);
  compare_gesv<T>(grid, number);
}

Grid grid_of(int context) {
  Grid grid;
  grid.context = context;
  Cblacs_gridinfo(context, &grid.rows, &grid.columns, &grid.row, &grid.column);
  return grid;
}

Grid grid_of_all(const char* order, int rows, int columns) {
  int context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, order, rows, columns);
  return grid_of(context);
}

// A context of `count` processes from `first` on, in a column. All processes call it.
int context_of_some(int first, int count) {
  std::vector<int> processes(static_cast<size_t>(count));
  std::iota(processes.begin(), processes.end(), first);
  int context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridmap(&context, processes.data(), count, count, 1);
  return context;
}

// Two grids of some ranks that work at the same time, and between their problems one of all ranks; of more than two
// ranks the last is in none of the two. Twice: Weft has not started, and it has.
void compare_at_once(int rank, int ranks, unsigned seed) {
  if (ranks == 1) return;
  const int half = ranks / 2, behind = std::max(half + 1, ranks - 1);
  const int contexts[] = {context_of_some(0, half), context_of_some(half, behind - half)};
  const Grid all = grid_of_all("Row", 1, ranks);
  const int mine = rank < half ? 0 : rank < behind ? 1 : 2;
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, mine, rank, &some);
  for (unsigned round = 0; round < 2; ++round) {
    together = some;
    if (mine < 2) compare_all<double>(grid_of(contexts[mine]), -1);
    together = MPI_COMM_WORLD;
    dice.seed(seed + round + 1);  // some ranks have used more of it than others
    compare_all<double>(all, -1);
  }
  MPI_Comm_free(&some);
  if (mine < 2) Cblacs_gridexit(contexts[mine]);
  Cblacs_gridexit(all.context);
}

void run(int cases, int ranks) {
  for (int number = 0; number < cases; ++number) {
    std::vector<int> divisors;
    for (int rows = 1; rows <= ranks; ++rows)
      if (ranks % rows == 0) divisors.push_back(rows);
    const int rows = divisors[static_cast<size_t>(from_to(0, static_cast<int>(divisors.size()) - 1))];
    const Grid grid = grid_of_all(from_to(0, 1) == 0 ? "Row" : "Column", rows, ranks / rows);
    compare_all<float>(grid, number);
    compare_all<double>(grid, number);
    compare_all<std::complex<float>>(grid, number);
    compare_all<std::complex<double>>(grid, number);
    if (number == 0) compare_refusals(grid);
    Cblacs_gridexit(grid.context);
  }
}

void multiply_by_own(bool alpha_differs, int rank, int ranks) {
  using T = std::complex<double>;
  const Grid grid = grid_of_all("Row", 1, ranks);
  const int n = 20, nb = 4;
  const Pair<T> a(grid, nb, nb, n, n, 0, true), b(grid, nb, nb, n, n, 0, true);
  Pair<T> c(grid, nb, nb, n, n, 0, true);
  const T own(0.5, rank), one(1);
  Functions<T>().gemm[1]("N", "N", &n, &n, &n, alpha_differs ? &own : &one, a.local[1].data(), &a.row, &a.column,
                         a.descriptor, b.local[1].data(), &b.row, &b.column, b.descriptor, alpha_differs ? &one : &own,
                         c.local[1].data(), &c.row, &c.column, c.descriptor);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "alpha" || what == "beta") {
    multiply_by_own(what == "alpha", rank, ranks);
    MPI_Finalize();
    return 0;
  }
  const int cases = argc > 1 ? std::atoi(argv[1]) : 10;
  unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : std::random_device()();
  MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  dice.seed(seed);
  if (rank == 0) std::printf("%d cases, seed %u\n", cases, seed);
  compare_at_once(rank, ranks, seed);
  run(cases, ranks);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d failures\n", failures);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
