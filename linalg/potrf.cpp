// Cholesky factorisation A = L L^H, driven by its data.
//
//   for each block column k:
//     A(k, k) = L(k, k) L(k, k)^H                             its owner
//     L(i, k) = A(i, k) L(k, k)^-H           for all i > k    the grid column of k: the panel
//     A(i, j) -= L(i, k) L(j, k)^H           for all i >= j > k
//
// There is no such loop below. A rank does what it can do next: it looks at its block columns from left to right, the
// next panel first, applies to a column all finished panels that are still due, in one multiplication each, and factors
// the column when all are applied. Where nothing is to be done it waits for any of the signals that would change that.
// So panels run ahead of updates by as much as the data allow, without a lookahead to be set.
//
// Signals. Each rank has a word per diagonal block, a word per panel and grid row, and one that says that the matrix is
// not positive definite. They are zero when the call begins and set once.
//
// Panels never change once they are finished. So where memory is mapped they are read in place; elsewhere each rank
// gets what it needs of a panel when its signals have come, into a ring of panels. That there is room in the ring is
// one more condition for what can be done next: a panel gives its place back when it is applied to all columns, and any
// panel in the ring can be applied to any column, so the ring never blocks.
#include "linalg/potrf.hpp"

#include <weft/job.h>
#include <weft/signal.h>

#include <array>

#include "linalg/arguments.hpp"
#include "linalg/blas.hpp"
#include "linalg/copy.hpp"
#include "linalg/fetch.hpp"

namespace weft::la {
namespace {

// The blocks of the part, numbered from 0 in both dimensions.
struct Blocks {
  Blocks(const weft_la_part_t& a, int64_t order)
      : matrix(*a.matrix),
        grid(matrix.grid),
        part(a),
        n(order),
        size(matrix.layout.row_block),
        count((n + size - 1) / size) {}

  int64_t start(int64_t k) const { return std::min(k * size, n); }
  int64_t width(int64_t k) const { return start(k + 1) - start(k); }
  uint32_t row_owner(int64_t k) const { return matrix.rows.owner(part.row + start(k)); }
  uint32_t column_owner(int64_t k) const { return matrix.columns.owner(part.column + start(k)); }
  // Where the first row of block row k, or of a later one, stands on a grid row; columns alike.
  int64_t local_row(uint32_t p, int64_t k) const { return matrix.rows.before(p, part.row + start(k)); }
  int64_t local_column(uint32_t q, int64_t k) const { return matrix.columns.before(q, part.column + start(k)); }

  Matrix& matrix;
  const Grid& grid;
  const weft_la_part_t part;
  const int64_t n, size, count;
};

// The signal words of all ranks.
class Signals {
 public:
  explicit Signals(const Blocks& blocks)
      : grid_(blocks.grid), count_(blocks.count), memory_(sizeof(uint64_t) * words()) {
    if (memory_.missing() == 0) std::fill_n(memory_.data<uint64_t>(), words(), 0);
  }
  size_t missing() const { return memory_.missing(); }
  void exchange() { starts_ = grid_.everyones(memory_.offset()); }

  // Numbers of words.
  size_t failed() const { return 0; }
  size_t diagonal(int64_t k) const { return static_cast<size_t>(1 + k); }
  size_t panel(int64_t k, uint32_t p) const { return static_cast<size_t>(1 + count_ + k * grid_.rows) + p; }

  void send(uint32_t r, uint32_t c, size_t word, uint64_t value) const {
    const uint32_t peer = grid_.member(r, c);
    weft_put_signal_nbi(grid_.ranks[peer], 0, nullptr, 0, starts_[peer] + sizeof(uint64_t) * word, value,
                        WEFT_SIGNAL_SET, 0);
  }
  void send_all(size_t word, uint64_t value) const {
    for (uint32_t r = 0; r < grid_.rows; ++r)
      for (uint32_t c = 0; c < grid_.columns; ++c) send(r, c, word, value);
  }
  weft_signal_condition_t is_set(size_t word) const { return {memory_.offset() + sizeof(uint64_t) * word, WEFT_NE, 0}; }
  // The word's value; does not poll.
  uint64_t value(size_t word) const { return __atomic_load_n(memory_.data<uint64_t>() + word, __ATOMIC_ACQUIRE); }

 private:
  size_t words() const { return static_cast<size_t>(1 + count_ + count_ * grid_.rows); }
  const Grid& grid_;
  int64_t count_;
  Workspace memory_;
  std::vector<uint64_t> starts_;
};

// Some finished panels side by side: `left` has this rank's rows from a block row on, `right` those of one block row.
template <class T>
struct PanelGroup {
  int64_t depth;
  View<T> left, right;
};

// Panels where they lie. Those of one grid column are one array there, and are applied as one.
template <class T>
class PanelsInPlace {
 public:
  explicit PanelsInPlace(const Blocks& blocks) : blocks_(blocks) {}
  size_t missing() const { return 0; }
  bool has_room(int64_t, int64_t) const { return true; }
  void begin(int64_t) {}
  bool arrived(int64_t) { return true; }
  void wait(int64_t) {}

  template <class Use>
  void for_groups(int64_t j, int64_t begin, int64_t end, Use use) const {
    const Grid& grid = blocks_.grid;
    for (uint32_t turn = 0; turn < grid.columns; ++turn) {
      const uint32_t q = (grid.column + turn) % grid.columns;
      const int64_t first = blocks_.local_column(q, begin), depth = blocks_.local_column(q, end) - first;
      if (depth != 0) use(PanelGroup<T>{depth, at(grid.row, q, j, first), at(blocks_.row_owner(j), q, j, first)});
    }
  }

 private:
  View<T> at(uint32_t p, uint32_t q, int64_t block_row, int64_t column) const {
    const size_t offset = blocks_.matrix.offset(p, q, blocks_.local_row(p, block_row), column);
    return {static_cast<const T*>(weft_pointer(blocks_.grid.rank(p, q), offset)), blocks_.matrix.leading(p)};
  }
  const Blocks& blocks_;
};

// Panels that were got, in a ring: what this rank needs of them as left operand, and, at the rows that its block
// columns have the numbers of, as right one.
template <class T>
class PanelRing {
 public:
  explicit PanelRing(const Blocks& blocks)
      : blocks_(blocks),
        first_row_(blocks.local_row(blocks.grid.row, 0)),
        first_column_(blocks.local_column(blocks.grid.column, 0)),
        left_leading_(blocks.local_row(blocks.grid.row, blocks.count) - first_row_),
        right_leading_(blocks.local_column(blocks.grid.column, blocks.count) - first_column_),
        left_(bytes(left_leading_)),
        right_(bytes(right_leading_)) {}
  size_t missing() const { return left_.missing() + right_.missing(); }
  bool has_room(int64_t k, int64_t applied_to_all) const { return k < applied_to_all + places; }

  void begin(int64_t k) {
    const weft_la_part_t& part = blocks_.part;
    const Grid& grid = blocks_.grid;
    const int64_t below = blocks_.start(k + 1);
    const std::vector<Interval> column = {{part.column + blocks_.start(k), blocks_.width(k)}};
    auto& fetches = fetches_[static_cast<size_t>(k % places)];
    const auto rows = blocks_.matrix.rows.intervals(grid.row, part.row + below, part.row + blocks_.n, 0);
    const auto columns = blocks_.matrix.columns.intervals(grid.column, part.column + below, part.column + blocks_.n,
                                                          part.row - part.column);
    if (!rows.empty()) fetches[0] = Fetch<T>(blocks_.matrix, rows, column, WEFT_LA_NONE, left(k + 1, k), left_leading_);
    if (!columns.empty())
      fetches[1] = Fetch<T>(blocks_.matrix, columns, column, WEFT_LA_NONE, right(k + 1, k), right_leading_);
  }
  bool arrived(int64_t k) {
    auto& fetches = fetches_[static_cast<size_t>(k % places)];
    return fetches[0].test() && fetches[1].test();
  }
  void wait(int64_t k) {
    for (Fetch<T>& fetch : fetches_[static_cast<size_t>(k % places)]) fetch.finish();
  }

  template <class Use>
  void for_groups(int64_t j, int64_t begin, int64_t end, Use use) const {
    for (int64_t k = begin; k < end;) {
      const int64_t stop = std::min(end, (k / places + 1) * places);  // where the ring begins again
      use(PanelGroup<T>{
          blocks_.start(stop) - blocks_.start(k), {left(j, k), left_leading_}, {right(j, k), right_leading_}});
      k = stop;
    }
  }

 private:
  static constexpr int64_t places = 8;
  size_t bytes(int64_t extent) const { return static_cast<size_t>(extent * places * blocks_.size) * sizeof(T); }
  T* left(int64_t block_row, int64_t k) const {
    return left_.template data<T>() + blocks_.local_row(blocks_.grid.row, block_row) - first_row_ +
           k % places * blocks_.size * left_leading_;
  }
  T* right(int64_t block_row, int64_t k) const {
    return right_.template data<T>() + blocks_.local_column(blocks_.grid.column, block_row) - first_column_ +
           k % places * blocks_.size * right_leading_;
  }

  const Blocks& blocks_;
  int64_t first_row_, first_column_, left_leading_, right_leading_;
  Workspace left_, right_;
  std::array<std::array<Fetch<T>, 2>, places> fetches_;
};

template <class T, class Panels>
class Scheduler {
 public:
  Scheduler(const Blocks& blocks, Signals& signals, Panels& panels)
      : blocks_(blocks), signals_(signals), panels_(panels), grid_(blocks.grid) {
    for (int64_t j = 0; j < blocks.count; ++j)
      if (blocks.column_owner(j) == grid_.column) columns_.push_back({j, 0, false});
  }

  // The order of the leading minor that is not positive definite, or 0, as far as this rank has heard.
  int64_t run() {
    while (first_ < columns_.size()) {
      if (const uint64_t order = signals_.value(signals_.failed()); order != 0) return static_cast<int64_t>(order);
      look_for_panels();
      if (!do_something()) wait();
      if (failed_ != 0) break;  // its signal may be under way to this rank, too
    }
    return failed_;
  }

 private:
  struct Column {
    int64_t block;
    int64_t applied;         // panels below this one are applied
    bool diagonal_factored;  // on the grid row that has the diagonal block
  };

  // Counts the panels that have come, and begins to get those whose signals have.
  void look_for_panels() {
    while (begun_ < blocks_.count && panels_.has_room(begun_, applied_to_all()) && signalled(begun_))
      panels_.begin(begun_++);
    while (arrived_ < begun_ && panels_.arrived(arrived_)) ++arrived_;
  }

  bool signalled(int64_t k) const {
    for (uint32_t p = 0; p < grid_.rows; ++p)
      if (missing(k, p)) return false;
    return true;
  }
  bool missing(int64_t k, uint32_t p) const {
    const bool has_part = blocks_.local_row(p, k + 1) != blocks_.local_row(p, blocks_.count);
    return has_part && signals_.value(signals_.panel(k, p)) == 0;
  }
  int64_t applied_to_all() const {
    int64_t least = blocks_.count;
    for (size_t i = first_; i < columns_.size(); ++i) least = std::min(least, columns_[i].applied);
    return least;
  }

  // The leftmost thing that can be done. False if there is none.
  bool do_something() {
    for (size_t i = first_; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      const int64_t due = std::min(arrived_, column.block);
      if (column.applied < due) {
        apply(column.block, column.applied, due);
        column.applied = due;
        return true;
      }
      if (column.applied == column.block && factor(column)) {
        ++first_;  // only the first one can have all panels applied before it
        return true;
      }
    }
    return false;
  }

  T* own(int64_t block_row, int64_t j) const {
    return blocks_.matrix.data<T>() + blocks_.local_row(grid_.row, block_row) +
           blocks_.local_column(grid_.column, j) * leading();
  }
  int64_t leading() const { return blocks_.matrix.leading(); }
  int64_t rows_from(int64_t block_row) const {
    return blocks_.local_row(grid_.row, blocks_.count) - blocks_.local_row(grid_.row, block_row);
  }

  // A(i, j) -= L(i, k) L(j, k)^H for this rank's i >= j and the panels k from `begin` to below `end`.
  void apply(int64_t j, int64_t begin, int64_t end) {
    const int64_t width = blocks_.width(j);
    const int64_t diagonal_rows = blocks_.row_owner(j) == grid_.row ? width : 0;
    panels_.for_groups(j, begin, end, [&](const PanelGroup<T>& group) {
      const View<T>& left = group.left;
      if (diagonal_rows != 0) blas::herk_lower(width, group.depth, left.data, left.leading, own(j, j), leading());
      blas::gemm(WEFT_LA_NONE, WEFT_LA_CONJUGATE, rows_from(j) - diagonal_rows, width, group.depth, T(-1),
                 left.data + diagonal_rows, left.leading, group.right.data, group.right.leading, T(1),
                 own(j, j) + diagonal_rows, leading());
    });
  }

  // Factors what this rank has of a column to which all panels are applied, and tells those who wait for it. False if
  // the diagonal block has not been factored yet.
  bool factor(Column& column) {
    const int64_t k = column.block, width = blocks_.width(k);
    const bool has_diagonal = blocks_.row_owner(k) == grid_.row;
    if (has_diagonal) {
      if (const int64_t order = blas::potrf_lower(width, own(k, k), leading()); order != 0) {
        failed_ = blocks_.start(k) + order;
        signals_.send_all(signals_.failed(), static_cast<uint64_t>(failed_));
        return true;
      }
      for (uint32_t r = 0; r < grid_.rows; ++r)
        if (r != grid_.row) signals_.send(r, grid_.column, signals_.diagonal(k), 1);
    } else if (rows_from(k) != 0 && signals_.value(signals_.diagonal(k)) == 0) {
      return false;
    }
    const int64_t rows = rows_from(k + 1);
    if (rows != 0) {
      std::vector<T> copy;
      const View<T> diagonal = has_diagonal ? View<T>{own(k, k), leading()} : read_diagonal(k, copy);
      blas::trsm(WEFT_LA_RIGHT, WEFT_LA_LOWER, WEFT_LA_CONJUGATE, WEFT_LA_GENERAL, rows, width, T(1), diagonal.data,
                 diagonal.leading, own(k + 1, k), leading());
      signals_.send_all(signals_.panel(k, grid_.row), 1);
    }
    return true;
  }

  View<T> read_diagonal(int64_t k, std::vector<T>& copy) const {
    const int64_t width = blocks_.width(k);
    const std::vector<Interval> rows = {{blocks_.part.row + blocks_.start(k), width}};
    const std::vector<Interval> columns = {{blocks_.part.column + blocks_.start(k), width}};
    if (const View<T> there = view<T>(blocks_.matrix, rows, columns); there.data != nullptr) return there;
    copy.resize(static_cast<size_t>(width * width));
    Fetch<T>(blocks_.matrix, rows, columns, WEFT_LA_NONE, copy.data(), width);
    return {copy.data(), width};
  }

  // Until something comes that this rank can go on with.
  void wait() {
    if (arrived_ < begun_) {
      panels_.wait(arrived_);
      return;
    }
    std::vector<weft_signal_condition_t> any = {signals_.is_set(signals_.failed())};
    const Column& column = columns_[first_];
    if (column.applied == column.block) any.push_back(signals_.is_set(signals_.diagonal(column.block)));
    if (begun_ < blocks_.count && panels_.has_room(begun_, applied_to_all())) {
      const size_t others = any.size();
      for (uint32_t p = 0; p < grid_.rows; ++p)
        if (missing(begun_, p)) any.push_back(signals_.is_set(signals_.panel(begun_, p)));
      if (any.size() == others) return;  // the last of them has come meanwhile
    }
    weft_signal_wait_any(any.data(), any.size(), nullptr, nullptr);
  }

  const Blocks& blocks_;
  Signals& signals_;
  Panels& panels_;
  const Grid& grid_;
  std::vector<Column> columns_;  // of this rank, from left to right
  size_t first_ = 0;             // those before it are factored
  int64_t begun_ = 0;            // panels below this one have come or are on their way
  int64_t failed_ = 0;           // order of the leading minor that this rank found not positive definite
  int64_t arrived_ = 0;          // panels below this one can be applied
};

template <class T, class Panels>
int factor_by(const Blocks& blocks, int64_t* info, const char* function) {
  Signals signals(blocks);
  Panels panels(blocks);
  // Also the barrier before which nobody reads or signals.
  const size_t missing = signals.missing() + panels.missing();
  if (int status = have_workspace(blocks.grid, missing, function); status != WEFT_OK) return status;
  signals.exchange();
  const int64_t order = Scheduler<T, Panels>(blocks, signals, panels).run();
  weft_nbi_wait();
  *info = blocks.grid.largest(order);
  return WEFT_OK;
}

// A part that factor_by() can factor as it lies.
bool fits(weft_la_triangle_t triangle, const weft_la_part_t& a) {
  const weft_la_layout_t& layout = a.matrix->layout;
  return triangle == WEFT_LA_LOWER && layout.row_block == layout.column_block && a.row % layout.row_block == 0 &&
         a.column % layout.column_block == 0;
}

}  // namespace

template <class T>
int potrf(weft_la_triangle_t triangle, int64_t n, const weft_la_part_t& a, int64_t* info, const char* function) {
  Grid& grid = a.matrix->grid;
  if (fits(triangle, a)) {
    const Blocks blocks(a, n);
    return grid.mapped ? factor_by<T, PanelsInPlace<T>>(blocks, info, function)
                       : factor_by<T, PanelRing<T>>(blocks, info, function);
  }
  constexpr int64_t block = 128;
  const weft_la_layout_t layout = {a.matrix->layout.type, n, n, block, block, 0, 0};
  Matrix* matrix = nullptr;
  if (int status = create_matrix(grid, layout, function, &matrix); status != WEFT_OK) return status;
  const TemporaryMatrix owner(matrix);
  const weft_la_part_t copy = weft_la_whole(matrix);
  copy_lower(triangle == WEFT_LA_LOWER ? WEFT_LA_NONE : WEFT_LA_CONJUGATE, n, a, copy);
  if (int status = potrf<T>(WEFT_LA_LOWER, n, copy, info, function); status != WEFT_OK) return status;
  if (*info != 0) return WEFT_OK;
  if (triangle == WEFT_LA_LOWER) {
    copy_lower(WEFT_LA_NONE, n, copy, a);
  } else {
    copy_upper(WEFT_LA_CONJUGATE, n, copy, a);
  }
  return WEFT_OK;
}

#define WEFT_LA_INSTANTIATE(T) \
  template int potrf<T>(weft_la_triangle_t, int64_t, const weft_la_part_t&, int64_t*, const char*);
WEFT_LA_FOR_ALL_TYPES(WEFT_LA_INSTANTIATE)

}  // namespace weft::la

using namespace weft::la;

namespace {

void check_square(Arguments& arguments, weft_la_triangle_t triangle, int64_t n, const weft_la_part_t& a) {
  arguments.matrix("a.matrix", a.matrix).choice("triangle", triangle, WEFT_LA_UPPER).size("n", n);
  arguments.part("a", a, n, n);
}

}  // namespace

extern "C" int weft_la_potrf(weft_la_triangle_t triangle, int64_t n, weft_la_part_t a, int64_t* info) {
  Arguments arguments("weft_la_potrf");
  check_square(arguments, triangle, n, a);
  arguments.not_null("info", info);
  if (arguments.status() != WEFT_OK) return arguments.status();
  int64_t order = 0;
  const int status =
      with_type(a.matrix->layout.type, [&]<class T>() { return potrf<T>(triangle, n, a, &order, "weft_la_potrf"); });
  if (status == WEFT_OK) *info = order;
  return status;
}
