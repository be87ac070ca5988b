// Cholesky factorisation A = L L^H, driven by its data.
//
//   for each block column k:
//     A(k, k) = L(k, k) L(k, k)^H                             its owner
//     L(i, k) = A(i, k) L(k, k)^-H           for all i > k    the grid column of k: the panel
//     A(i, j) -= L(i, k) L(j, k)^H           for all i >= j > k
//
// There is no such loop below. A rank does what it can do next. First comes its next panel: it applies to that column
// the finished panels that are still due, and factors it when all are applied. Otherwise it applies a panel that is
// still due to a column of its own. Where nothing is to be done it waits for any of the signals that would change that.
// So panels run ahead of updates by as much as the data allow, without a lookahead to be set.
//
// BLAS copies its left operand before it multiplies, so an update of one block column of 128 has nine tenths of the
// rate of a wide one. Columns that are not next are therefore updated some together, by some panels together: few
// enough that the next panel does not wait for long.
//
// Panels never change once they are finished. So where memory is mapped they are read in place (PanelsInPlace);
// elsewhere their owners put them to the ranks that need them (PanelsByMessages). There each rank has room for some
// panels. Any of them can be applied to any column, and makes room when it is applied to all; so nobody waits for ever.
// Were the leftmost columns updated first there, as they are elsewhere, the last ones would keep the room of all panels
// meanwhile, and links would be idle.
#include "linalg/potrf.hpp"

#include "linalg/arguments.hpp"
#include "linalg/blas.hpp"
#include "linalg/copy.hpp"
#include "linalg/panels_by_messages.hpp"
#include "linalg/panels_in_place.hpp"
#include "linalg/pieces.hpp"

namespace weft::la {
namespace {

template <class T, class Panels>
class Scheduler {
 public:
  Scheduler(const Blocks& blocks, SignalWords& failure, Panels& panels)
      : blocks_(blocks), failure_(failure), panels_(panels), grid_(blocks.grid) {
    for (int64_t j = 0; j < blocks.count; ++j)
      if (blocks.column_owner(j) == grid_.column) columns_.push_back({j, 0});
  }

  // The order of the leading minor that is not positive definite, or 0, as far as this rank has heard.
  int64_t run() {
    while (failed_ == 0) {  // its signal may be under way to this rank, too
      if (const uint64_t order = failure_.value(0); order != 0) return static_cast<int64_t>(order);
      arrived_ = panels_.arrived(applied_to_all());
      if (first_ == columns_.size() && !panels_.sending()) break;
      if (!do_something()) wait();
    }
    return failed_;
  }

 private:
  struct Column {
    int64_t block;
    int64_t applied;  // panels below this one are applied
  };

  int64_t applied_to_all() const {
    int64_t least = blocks_.count;
    for (size_t i = first_; i < columns_.size(); ++i) least = std::min(least, columns_[i].applied);
    return least;
  }

  // What the next panel waits for. Then, where panels take room, what lets go of the oldest one; else what the panels
  // after the next wait for. False if nothing can be done.
  bool do_something() {
    if (first_ == columns_.size()) return false;
    if (advance_next_panel()) return true;
    const auto begin = columns_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto has_fewer = [](const Column& x, const Column& y) { return x.applied < y.applied; };
    const auto is_due = [&](const Column& x) { return x.applied < due_to(x); };
    const auto column = Panels::take_room ? std::min_element(begin, columns_.end(), has_fewer)
                                          : std::find_if(begin, columns_.end(), is_due);
    if (column == columns_.end() || !is_due(*column)) return false;
    const auto i = static_cast<size_t>(column - columns_.begin());
    apply(i, end_of_group(i), std::min(due_to(*column), column->applied + deep_));
    return true;
  }

  int64_t due_to(const Column& column) const { return std::min(arrived_, column.block); }

  // Does something to this rank's next panel. Only that one can have all panels before it applied.
  bool advance_next_panel() {
    const Column& next = columns_[first_];
    if (const int64_t due = due_to(next); next.applied < due) {
      const bool last = due == next.block && due - next.applied <= deep_;
      apply(first_, last ? first_ + 1 : end_of_group(first_), std::min(due, next.applied + deep_));
      return true;
    }
    if (next.applied == arrived_ && next.block == arrived_ + 1 && panels_.next_column_is_served()) {
      apply(first_, first_ + 1, next.block);
      return true;
    }
    if (next.applied != next.block || !factor(next.block)) return false;
    ++first_;
    return true;
  }

  // Behind the last of the columns from number i on that are updated together: to all as many panels are applied. They
  // are at most a quarter of those that are left: near the end of the matrix the next panel matters more.
  size_t end_of_group(size_t i) const {
    const size_t most = std::clamp<size_t>((columns_.size() - i) / 4, 1, wide_);
    size_t end = i + 1;
    while (end < i + most && columns_[end].applied == columns_[i].applied) ++end;
    return end;
  }

  T* own(int64_t block_row, int64_t j) const { return blocks_.template own<T>(block_row, j); }
  int64_t leading() const { return blocks_.matrix.leading(); }
  int64_t rows_from(int64_t block_row) const {
    return blocks_.local_row(grid_.row, blocks_.count) - blocks_.local_row(grid_.row, block_row);
  }

  // A(i, j) -= L(i, k) L(j, k)^H for this rank's i >= j, its columns from number `from` to below `to`, to which as many
  // panels are applied, and the further panels k below `end`.
  void apply(size_t from, size_t to, int64_t end) {
    std::vector<int64_t> group_columns;
    for (size_t i = from; i < to; ++i) group_columns.push_back(columns_[i].block);
    const int64_t first = group_columns.front(), last = group_columns.back();
    const int64_t all = rows_from(first), common = all - rows_from(last + 1);
    panels_.for_groups(group_columns, columns_[from].applied, end, [&](const PanelGroup<T>& group) {
      const View<T>& left = group.left;
      const View<T>& right = group.right;
      int64_t columns = 0;
      for (const int64_t j : group_columns) {
        const int64_t width = blocks_.width(j), row = all - rows_from(j);
        const int64_t diagonal_rows = blocks_.row_owner(j) == grid_.row ? width : 0, below = row + diagonal_rows;
        if (diagonal_rows != 0)
          blas::herk_lower(width, group.depth, left.data + row, left.leading, own(j, j), leading());
        blas::gemm(WEFT_LA_NONE, WEFT_LA_CONJUGATE, common - below, width, group.depth, T(-1), left.data + below,
                   left.leading, right.data + columns, right.leading, T(1), own(j, j) + diagonal_rows, leading());
        columns += width;
      }
      gemm_in_pieces(grid_, WEFT_LA_NONE, WEFT_LA_CONJUGATE, all - common, columns, group.depth, T(-1),
                     View<T>{left.data + common, left.leading}, right, T(1), own(last + 1, first), leading(),
                     [&] { panels_.progress(); });
    });
    for (size_t i = from; i < to; ++i) columns_[i].applied = end;
  }

  // Factors what this rank has of block column k, to which all panels are applied, and tells those who wait for it.
  // False if the diagonal block has not come yet.
  bool factor(int64_t k) {
    const int64_t width = blocks_.width(k), rows = rows_from(k + 1);
    View<T> diagonal{own(k, k), leading()};
    if (blocks_.row_owner(k) == grid_.row) {
      if (const int64_t order = blas::potrf_lower(width, own(k, k), leading()); order != 0) {
        failed_ = blocks_.start(k) + order;
        for (uint32_t member = 0; member < grid_.size(); ++member)
          failure_.send(member, 0, static_cast<uint64_t>(failed_));
        return true;
      }
      panels_.send_diagonal(k);
    } else if (rows != 0) {
      diagonal = panels_.diagonal(k);
      if (diagonal.data == nullptr) return false;
    }
    if (rows != 0) {
      blas::trsm(WEFT_LA_RIGHT, WEFT_LA_LOWER, WEFT_LA_CONJUGATE, WEFT_LA_GENERAL, rows, width, T(1), diagonal.data,
                 diagonal.leading, own(k + 1, k), leading());
      panels_.finished(k);
    }
    return true;
  }

  // Until something comes that this rank can go on with.
  void wait() {
    if (panels_.wait_to_send()) return;
    std::vector<weft_signal_condition_t> any = {failure_.at_least(0, 1)};
    if (first_ < columns_.size() && columns_[first_].applied == columns_[first_].block)
      any.push_back(panels_.diagonal_arrived(columns_[first_].block));
    if (!panels_.add_conditions(applied_to_all(), any)) return;
    weft_signal_wait_any(any.data(), any.size(), nullptr, nullptr);
  }

  const Blocks& blocks_;
  SignalWords& failure_;  // one: the order of a leading minor that is not positive definite
  Panels& panels_;
  const Grid& grid_;
  const size_t wide_ = static_cast<size_t>(std::max<int64_t>(1, 512 / blocks_.size));  // columns in an update
  const int64_t deep_ = std::max<int64_t>(1, 256 / blocks_.size);                      // panels in an update
  std::vector<Column> columns_;  // of this rank, from left to right
  size_t first_ = 0;             // those before it are factored
  int64_t failed_ = 0;           // order of the leading minor that this rank found not positive definite
  int64_t arrived_ = 0;          // panels below this one can be applied
};

template <class T, class Panels>
int factor_by(const Blocks& blocks, int64_t* info, const char* function) {
  SignalWords failure(blocks.grid, 1);
  Panels panels(blocks);
  // Also the barrier before which nobody reads or signals.
  const size_t missing = failure.missing() + panels.missing();
  if (int status = have_workspace(blocks.grid, missing, function); status != WEFT_OK) return status;
  failure.exchange();
  panels.exchange();
  const int64_t order = Scheduler<T, Panels>(blocks, failure, panels).run();
  panels.wait_for_all();
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
                       : factor_by<T, PanelsByMessages<T>>(blocks, info, function);
  }
  constexpr int64_t block = 96;
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
