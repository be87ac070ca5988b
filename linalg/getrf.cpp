// LU factorisation with partial pivoting, on whole columns.
//
// Each rank has whole block columns, in turn: the matrix is copied to such a layout unless it lies so. So to search a
// pivot and to exchange rows takes no communication, and what ranks send each other are finished panels:
//
//   for each panel k, a block column from its diagonal down:
//     if panel k + 1 is mine: apply panel k to it, factor it, tell all
//     apply panel k to my other columns right of it:
//       exchange their rows; U(k, j) = L(k, k)^-1 A(k, j); A(below, j) -= L(below, k) U(k, j)
//
// So the next panel is factored while the others compute. A signal says that a panel is finished and brings its pivots.
// Mapped panels are read in place: nothing changes them before all are done, because the exchanges that later panels
// demand of them are made at the end. Elsewhere a panel is read as soon as it is signalled, while the one before is
// applied.
#include "linalg/getrf.hpp"

#include <weft/job.h>
#include <weft/signal.h>

#include <map>

#include "linalg/arguments.hpp"
#include "linalg/blas.hpp"
#include "linalg/copy.hpp"
#include "linalg/fetch.hpp"
#include "linalg/pieces.hpp"
#include "linalg/trsm.hpp"

namespace weft::la {
namespace {

// A part of a matrix on a grid of one row, each block column whole on one rank, and its factorisation. The part begins
// where a block column does.
template <class T>
class ColumnLu {
 public:
  ColumnLu(const weft_la_part_t& a, int64_t m, int64_t n)
      : matrix_(*a.matrix),
        grid_(matrix_.grid),
        first_row_(a.row),
        first_column_(a.column),
        m_(m),
        n_(n),
        block_(matrix_.layout.column_block),
        panels_((std::min(m, n) + block_ - 1) / block_),
        memory_(panel_words() * sizeof(uint64_t) + static_cast<size_t>(panels_ * (block_ + 1)) * sizeof(int)),
        buffers_{Workspace(buffer_bytes()), Workspace(buffer_bytes())} {
    if (memory_.missing() == 0) std::fill_n(memory_.data<uint64_t>(), panel_words(), 0);
  }

  size_t missing() const { return memory_.missing() + buffers_[0].missing() + buffers_[1].missing(); }

  // Collective, as all of it. The memory of all ranks is there, and their columns are.
  void run() {
    starts_ = grid_.everyones(memory_.offset());
    if (mine(0)) factor(0);
    for (int64_t k = 0; k < panels_; ++k) {
      wait(k);
      const bool next_is_mine = k + 1 < panels_ && mine(k + 1);
      const int64_t next = local_column(k + 1);
      if (next_is_mine) {
        apply(k, next, next + width(k + 1));
        factor(k + 1);
      }
      apply(k, next_is_mine ? next + width(k + 1) : next, columns_before(n_));
    }
    weft_nbi_wait();
    grid_.barrier();  // all panels have been read
    const int64_t first = columns_before(0);
    for (int64_t k = 1; k < panels_; ++k)
      blas::exchange_rows(local_column(k) - first, own(start(k), first), matrix_.leading(), pivots(k), pivot_count(k));
  }

  // The result of LAPACK's getrf, with pivots from 0.
  void tell(int64_t* result, int64_t* info) const {
    *info = 0;
    for (int64_t k = 0; k < panels_; ++k) {
      for (int64_t i = 0; i < pivot_count(k); ++i) result[start(k) + i] = start(k) + pivots(k)[i] - 1;
      const int zero = pivots(k)[block_];
      if (zero != 0 && *info == 0) *info = start(k) + zero;
    }
  }

 private:
  int64_t start(int64_t k) const { return k * block_; }
  int64_t width(int64_t k) const { return std::min(block_, n_ - start(k)); }
  int64_t height(int64_t k) const { return m_ - start(k); }
  int64_t pivot_count(int64_t k) const { return std::min(width(k), height(k)); }
  uint32_t owner(int64_t k) const { return matrix_.columns.owner(first_column_ + start(k)); }
  bool mine(int64_t k) const { return owner(k) == grid_.column; }
  // This rank's columns of the matrix before a column of the part.
  int64_t columns_before(int64_t column) const { return matrix_.columns.before(grid_.column, first_column_ + column); }
  // Where this rank's first column of block column k, or of a later one, stands.
  int64_t local_column(int64_t k) const { return columns_before(std::min(start(k), n_)); }
  // A row of the part in a column of this rank.
  T* own(int64_t row, int64_t column) const {
    return matrix_.data<T>() + first_row_ + row + column * matrix_.leading();
  }

  // In this order: a signal word for each panel; for each panel its pivots, from 1 and counted from its first row, and
  // getrf's info behind them.
  size_t panel_words() const { return static_cast<size_t>(panels_); }
  size_t pivots_at(int64_t k) const {
    return panel_words() * sizeof(uint64_t) + static_cast<size_t>(k * (block_ + 1)) * sizeof(int);
  }
  int* pivots(int64_t k) const { return reinterpret_cast<int*>(memory_.data<char>() + pivots_at(k)); }

  size_t buffer_bytes() const { return grid_.mapped ? 0 : static_cast<size_t>(m_ * block_) * sizeof(T); }

  void factor(int64_t k) {
    const int64_t info = blas::getrf(height(k), width(k), own(start(k), local_column(k)), matrix_.leading(), pivots(k));
    pivots(k)[block_] = static_cast<int>(info);
    for (uint32_t turn = 1; turn < grid_.size(); ++turn) {
      const uint32_t to = (grid_.column + turn) % grid_.size();
      weft_put_signal_nbi(grid_.ranks[to], starts_[to] + pivots_at(k), pivots(k),
                          static_cast<size_t>(block_ + 1) * sizeof(int),
                          starts_[to] + static_cast<size_t>(k) * sizeof(uint64_t), 1, WEFT_SIGNAL_SET, 0);
    }
  }

  bool signalled(int64_t k) const { return __atomic_load_n(memory_.data<uint64_t>() + k, __ATOMIC_ACQUIRE) != 0; }

  // Begins to read panel k, which is finished, unless it has been begun.
  void begin(int64_t k) {
    if (begun_ > k) return;
    begun_ = k + 1;
    if (mine(k) || grid_.mapped) return;
    const Interval rows = {first_row_ + start(k), height(k)}, columns = {first_column_ + start(k), pivot_count(k)};
    fetches_[k % 2] = Fetch<T>(matrix_, {rows}, {columns}, WEFT_LA_NONE, buffers_[k % 2].template data<T>(), height(k));
  }

  void wait(int64_t k) {
    if (!mine(k) && !signalled(k)) {
      const weft_signal_condition_t set = {memory_.offset() + static_cast<size_t>(k) * sizeof(uint64_t), WEFT_NE, 0};
      weft_signal_wait_any(&set, 1, nullptr, nullptr);
    }
    begin(k);
    fetches_[k % 2].finish();
  }

  View<T> panel(int64_t k) const {
    if (!mine(k) && !grid_.mapped) return {buffers_[k % 2].template data<T>(), height(k)};
    const int64_t column = matrix_.columns.local(first_column_ + start(k));
    const size_t offset = matrix_.offset(0, owner(k), first_row_ + start(k), column);
    return {static_cast<const T*>(weft_pointer(grid_.ranks[owner(k)], offset)), matrix_.leading()};
  }

  // Applies panel k to some of this rank's columns; between hosts in pieces, between which communication goes on.
  void apply(int64_t k, int64_t begin_column, int64_t end) {
    const View<T> left = panel(k);
    const int64_t depth = pivot_count(k), below = height(k) - depth, leading = matrix_.leading();
    const int64_t piece = grid_.mapped ? std::max<int64_t>(end - begin_column, 1) : 512;
    for (int64_t j = begin_column; j < end; j += piece) {
      const int64_t count = std::min(piece, end - j);
      T* top = own(start(k), j);
      blas::exchange_rows(count, top, leading, pivots(k), depth);
      blas::trsm(WEFT_LA_LEFT, WEFT_LA_LOWER, WEFT_LA_NONE, WEFT_LA_UNIT, depth, count, T(1), left.data, left.leading,
                 top, leading);
      const View<T> under = {left.data + depth, left.leading};
      gemm_in_pieces(grid_, WEFT_LA_NONE, WEFT_LA_NONE, below, count, depth, T(-1), under, {top, leading}, T(1),
                     top + depth, leading, [&] { communicate(k); });
    }
  }

  // Sends what others read, and begins to read the panel behind k when it is finished.
  void communicate(int64_t k) {
    weft_poll();
    if (k + 1 < panels_ && !mine(k + 1) && signalled(k + 1)) begin(k + 1);
  }

  Matrix& matrix_;
  const Grid& grid_;
  const int64_t first_row_, first_column_, m_, n_, block_, panels_;
  Workspace memory_;
  Workspace buffers_[2];  // panels that were read: the one that is applied, and the next
  Fetch<T> fetches_[2];
  std::vector<uint64_t> starts_;
  int64_t begun_ = 0;  // panels below this one are here or on their way
};

// Blocks that BLAS is fast with, and enough of them for all ranks to have work.
int64_t block_for(int64_t columns, uint32_t ranks) {
  const int64_t share = columns / (4 * static_cast<int64_t>(ranks)) / 32 * 32;
  return std::clamp<int64_t>(share, 32, 128);
}

// Whether the part lies as ColumnLu wants it, in blocks that BLAS is not slow with.
bool lies_in_columns(const weft_la_part_t& a) {
  const int64_t block = a.matrix->layout.column_block;
  return a.matrix->grid.rows == 1 && a.column % block == 0 && block >= 32 && block <= 256;
}

// Makes the grid that getrf() works on, if it needs one.
int prepare_getrf(const weft_la_part_t& a, const char* function) {
  Grid* line = nullptr;
  return lies_in_columns(a) ? static_cast<int>(WEFT_OK) : a.matrix->grid.line(&line, function);
}

template <class T>
int factor_columns(int64_t m, int64_t n, const weft_la_part_t& a, int64_t* pivots, int64_t* info,
                   const char* function) {
  ColumnLu<T> lu(a, m, n);
  if (int status = have_workspace(a.matrix->grid, lu.missing(), function); status != WEFT_OK) return status;
  lu.run();
  lu.tell(pivots, info);
  a.matrix->grid.barrier();  // others may read this rank's columns
  return WEFT_OK;
}

}  // namespace

template <class T>
void exchange_rows(const weft_la_part_t& part, int64_t columns, const int64_t* pivots, int64_t count, bool backward) {
  Matrix& matrix = *part.matrix;
  const Grid& grid = matrix.grid;
  // What each row has when all exchanges are done, of those that take part in one.
  std::map<int64_t, int64_t> content;
  const auto at = [&](int64_t row) -> int64_t& { return content.try_emplace(row, row).first->second; };
  for (int64_t step = 0; step < count; ++step) {
    const int64_t i = backward ? count - 1 - step : step;
    if (pivots[i] != i) std::swap(at(i), at(pivots[i]));
  }
  std::vector<int64_t> mine;  // in this rank's numbers
  std::vector<Interval> sources;
  for (const auto& [row, source] : content) {
    if (row == source || matrix.rows.owner(part.row + row) != grid.row) continue;
    mine.push_back(matrix.rows.local(part.row + row));
    sources.push_back({part.row + source, 1});
  }
  const auto across = matrix.columns.intervals(grid.column, part.column, part.column + columns, 0);
  const int64_t first = matrix.columns.before(grid.column, part.column);
  const int64_t width = matrix.columns.before(grid.column, part.column + columns) - first;
  const auto height = static_cast<int64_t>(mine.size());
  std::vector<T> rows(static_cast<size_t>(height * width));
  grid.barrier();
  if (!rows.empty()) Fetch<T>(matrix, sources, across, WEFT_LA_NONE, rows.data(), height);
  grid.barrier();
  for (int64_t j = 0; j < width; ++j)
    for (int64_t i = 0; i < height; ++i)
      matrix.data<T>()[mine[static_cast<size_t>(i)] + (first + j) * matrix.leading()] =
          rows[static_cast<size_t>(i + j * height)];
  grid.barrier();
}

template <class T>
int getrf(int64_t m, int64_t n, const weft_la_part_t& a, int64_t* pivots, int64_t* info, const char* function) {
  if (m == 0 || n == 0) {
    *info = 0;
    return WEFT_OK;
  }
  if (lies_in_columns(a)) return factor_columns<T>(m, n, a, pivots, info, function);
  Grid* line = nullptr;
  if (int status = a.matrix->grid.line(&line, function); status != WEFT_OK) return status;
  const weft_la_layout_t layout = {a.matrix->layout.type, m, n, m, block_for(std::min(m, n), line->size()), 0, 0};
  Matrix* columns = nullptr;
  if (int status = create_matrix(*line, layout, function, &columns); status != WEFT_OK) return status;
  const TemporaryMatrix owner(columns);
  copy_part(WEFT_LA_NONE, m, n, a, weft_la_whole(columns));
  if (int status = factor_columns<T>(m, n, weft_la_whole(columns), pivots, info, function); status != WEFT_OK)
    return status;
  copy_part(WEFT_LA_NONE, m, n, weft_la_whole(columns), a);
  return WEFT_OK;
}

namespace {

// op(A) X = B by the factors of A.
template <class T>
struct FactorSolve {
  FactorSolve(weft_la_op_t op, int64_t order, int64_t count, const weft_la_part_t& a, const int64_t* given_pivots,
              const weft_la_part_t& right)
      : lower{WEFT_LA_LEFT, WEFT_LA_LOWER, op, WEFT_LA_UNIT, order, count, T(1), a, right},
        upper{WEFT_LA_LEFT, WEFT_LA_UPPER, op, WEFT_LA_GENERAL, order, count, T(1), a, right},
        plain(op == WEFT_LA_NONE),
        n(order),
        columns(count),
        pivots(given_pivots),
        b(right) {}

  int have_room(const char* function) const {
    Room room = room_for(lower);
    room.add(room_for(upper));
    return la::have_room(b.matrix->grid, room, function);
  }

  int run(const char* function) const {
    if (plain) exchange_rows<T>(b, columns, pivots, n, false);
    if (int status = solve_triangular(plain ? lower : upper, function); status != WEFT_OK) return status;
    if (int status = solve_triangular(plain ? upper : lower, function); status != WEFT_OK) return status;
    if (!plain) exchange_rows<T>(b, columns, pivots, n, true);
    return WEFT_OK;
  }

  const Trsm<T> lower, upper;
  const bool plain;
  const int64_t n, columns;
  const int64_t* const pivots;
  const weft_la_part_t b;
};

void check(Arguments& arguments, int64_t n, int64_t columns, const weft_la_part_t& a, const int64_t* pivots,
           const weft_la_part_t& b) {
  arguments.matrix("a.matrix", a.matrix).matrix("b.matrix", b.matrix).size("n", n).size("columns", columns);
  arguments.part("a", a, n, n).part("b", b, n, columns);
  arguments.not_null("pivots", pivots, n != 0);
  arguments.same_grid("a", a.matrix, "b", b.matrix).same_type("a", a.matrix, "b", b.matrix);
  arguments.disjoint("b", b, n, columns, "a", a, n, n);
}

}  // namespace
}  // namespace weft::la

using namespace weft::la;

extern "C" {

int weft_la_getrf(int64_t m, int64_t n, weft_la_part_t a, int64_t* pivots, int64_t* info) {
  Arguments arguments("weft_la_getrf");
  arguments.matrix("a.matrix", a.matrix).size("m", m).size("n", n).part("a", a, m, n);
  arguments.not_null("pivots", pivots, m != 0 && n != 0).not_null("info", info);
  if (arguments.status() != WEFT_OK) return arguments.status();
  return with_type(a.matrix->layout.type, [&]<class T>() { return getrf<T>(m, n, a, pivots, info, "weft_la_getrf"); });
}

int weft_la_getrs(weft_la_op_t op, int64_t n, int64_t columns, weft_la_part_t a, const int64_t* pivots,
                  weft_la_part_t b) {
  Arguments arguments("weft_la_getrs");
  check(arguments, n, columns, a, pivots, b);
  arguments.choice("op", op, WEFT_LA_CONJUGATE);
  if (arguments.status() != WEFT_OK) return arguments.status();
  for (int64_t i = 0; i < n && checks_ranks(); ++i) arguments.alike("pivots[" + std::to_string(i) + "]", pivots[i]);
  for (int64_t i = 0; i < n && arguments.status() == WEFT_OK; ++i)
    if (pivots[i] < i || pivots[i] >= n)
      arguments.fail("pivots[%lld] is %lld; it is %lld to %lld", static_cast<long long>(i),
                     static_cast<long long>(pivots[i]), static_cast<long long>(i), static_cast<long long>(n - 1));
  if (arguments.status() != WEFT_OK) return arguments.status();
  return with_type(a.matrix->layout.type, [&]<class T>() {
    const FactorSolve<T> solve(op, n, columns, a, pivots, b);
    const int status = solve.have_room("weft_la_getrs");
    return status == WEFT_OK ? solve.run("weft_la_getrs") : status;
  });
}

int weft_la_gesv(int64_t n, int64_t columns, weft_la_part_t a, int64_t* pivots, weft_la_part_t b, int64_t* info) {
  Arguments arguments("weft_la_gesv");
  check(arguments, n, columns, a, pivots, b);
  arguments.not_null("info", info);
  if (arguments.status() != WEFT_OK) return arguments.status();
  return with_type(a.matrix->layout.type, [&]<class T>() {
    const FactorSolve<T> solve(WEFT_LA_NONE, n, columns, a, pivots, b);
    int64_t zero = 0;
    int status = prepare_getrf(a, "weft_la_gesv");  // its grid takes memory that the solution has not then
    if (status == WEFT_OK) status = solve.have_room("weft_la_gesv");
    if (status == WEFT_OK) status = getrf<T>(n, n, a, pivots, &zero, "weft_la_gesv");
    if (status == WEFT_OK && zero == 0) status = solve.run("weft_la_gesv");
    if (status == WEFT_OK) *info = zero;
    return status;
  });
}

}  // extern "C"
