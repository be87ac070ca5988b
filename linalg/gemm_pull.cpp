// Matrix multiplication in which each rank computes its part of C and reads what it needs of A and B itself (SRUMMA).
//
//   for each set K of indices of the sum:
//     C(my rows, my columns) += op(A)(my rows, K) op(B)(K, my columns)
//
// The order of the sum is free. So the sets are chosen such that one operand, the one of which this rank needs more, is
// never copied: K is what one rank of its row (column) has of it, which is one array there, and which BLAS reads in
// place if it is mapped. Ranks begin with their own, so that they do not all read from one. The other operand's panel
// is copied together from its owners, and read ahead while BLAS computes, unless it, too, is one array.
#include <weft/job.h>

#include <utility>

#include "linalg/gemm.hpp"

namespace weft::la {
namespace {

// One operand, as this rank uses it: at its own rows (A) or columns (B), `fixed`, and any indices of the sum.
template <class T>
struct Operand {
  const Matrix& matrix;
  bool sum_in_columns;  // the indices of the sum are the matrix's columns: A as it is, B transposed
  int64_t sum_start;    // the first one
  std::vector<Interval> fixed;
  int64_t fixed_count;

  const Axis& sum_axis() const { return sum_in_columns ? matrix.columns : matrix.rows; }
  uint32_t own_part() const { return sum_in_columns ? matrix.grid.column : matrix.grid.row; }
  std::vector<Interval> shifted(std::vector<Interval> sum) const {
    for (Interval& interval : sum) interval.start += sum_start;
    return sum;
  }
  View<T> in_place(const std::vector<Interval>& sum) const {
    return sum_in_columns ? view<T>(matrix, fixed, shifted(sum)) : view<T>(matrix, shifted(sum), fixed);
  }
  int64_t packed_leading(int64_t depth) const { return sum_in_columns ? fixed_count : depth; }
  Fetch<T> fetch(const std::vector<Interval>& sum, int64_t depth, T* to) const {
    const int64_t leading = packed_leading(depth);
    return sum_in_columns ? Fetch<T>(matrix, fixed, shifted(sum), WEFT_LA_NONE, to, leading)
                          : Fetch<T>(matrix, shifted(sum), fixed, WEFT_LA_NONE, to, leading);
  }
};

// Indices of the sum, from 0, that are computed in one call of BLAS.
struct Step {
  std::vector<Interval> sum;
  int64_t depth;
};

// Cuts a list into steps of at most `depth` indices.
void add_steps(std::vector<Step>& steps, const std::vector<Interval>& list, int64_t depth) {
  Step step{{}, 0};
  for (Interval rest : list) {
    while (rest.count > 0) {
      const int64_t count = std::min(rest.count, depth - step.depth);
      step.sum.push_back({rest.start, count});
      step.depth += count;
      rest = {rest.start + count, rest.count - count};
      if (step.depth == depth) steps.push_back(std::exchange(step, Step{{}, 0}));
    }
  }
  if (step.depth != 0) steps.push_back(std::move(step));
}

// One set per owner of `lead`, this rank's own first.
template <class T>
std::vector<Step> steps_by_owner(const Operand<T>& lead, int64_t k, int64_t depth) {
  std::vector<Step> steps;
  const Axis& axis = lead.sum_axis();
  for (uint32_t turn = 0; turn < axis.parts; ++turn)
    add_steps(
        steps,
        axis.intervals((lead.own_part() + turn) % axis.parts, lead.sum_start, lead.sum_start + k, -lead.sum_start),
        depth);
  return steps;
}

template <class T>
bool all_in_place(const Operand<T>& operand, const std::vector<Step>& steps) {
  return std::all_of(steps.begin(), steps.end(),
                     [&](const Step& step) { return operand.in_place(step.sum).data != nullptr; });
}

// Bytes of the largest panel that is not in place.
template <class T>
size_t panel_bytes(const Operand<T>& operand, const std::vector<Step>& steps) {
  int64_t deepest = 0;
  for (const Step& step : steps)
    if (operand.in_place(step.sum).data == nullptr) deepest = std::max(deepest, step.depth);
  return static_cast<size_t>(deepest * operand.fixed_count) * sizeof(T);
}

// An operand's panels: in place where they can be, else in two buffers, one read and one filled.
template <class T>
class Panels {
 public:
  Panels(const Operand<T>& operand, const std::vector<Step>& steps)
      : operand_(operand),
        steps_(steps),
        buffers_{Workspace(panel_bytes(operand, steps)), Workspace(panel_bytes(operand, steps))} {}
  size_t missing() const { return buffers_[0].missing() + buffers_[1].missing(); }

  void begin(size_t step) {
    Slot& slot = slots_[step % 2];
    slot.view = operand_.in_place(steps_[step].sum);
    if (slot.view.data != nullptr) return;
    T* buffer = buffers_[step % 2].template data<T>();
    slot.fetch = operand_.fetch(steps_[step].sum, steps_[step].depth, buffer);
    slot.view = {buffer, operand_.packed_leading(steps_[step].depth)};
  }
  View<T> finish(size_t step) {
    slots_[step % 2].fetch.finish();
    return slots_[step % 2].view;
  }

 private:
  struct Slot {
    Fetch<T> fetch;
    View<T> view;
  };

  const Operand<T>& operand_;
  const std::vector<Step>& steps_;
  Workspace buffers_[2];
  Slot slots_[2];
};

// A product on this rank: its operands, and the order of the sum.
template <class T>
struct Pull {
  explicit Pull(const Gemm<T>& gemm) : left(left_of(gemm)), right(right_of(gemm)) {
    const int64_t m = left.fixed_count, n = right.fixed_count;
    if (m == 0 || n == 0) return;
    const bool left_first = m >= n;
    const Operand<T>& larger = left_first ? left : right;
    const Operand<T>& smaller = left_first ? right : left;
    steps = steps_by_owner(larger, gemm.k, gemm.k);
    if (!all_in_place(larger, steps) || !all_in_place(smaller, steps))
      steps = steps_by_owner(larger, gemm.k, panel_depth<T>(smaller.fixed_count));
    if (!all_in_place(larger, steps)) {
      const auto others = steps_by_owner(smaller, gemm.k, panel_depth<T>(larger.fixed_count));
      if (all_in_place(smaller, others)) steps = others;
    }
  }

  static Operand<T> left_of(const Gemm<T>& gemm) {
    const weft_la_part_t& a = gemm.a;
    const bool plain = gemm.op_a == WEFT_LA_NONE;
    const int64_t shift = (plain ? a.row : a.column) - gemm.c.row;
    const auto rows = gemm.row_axis().intervals(gemm.grid().row, gemm.c.row, gemm.c.row + gemm.m, shift);
    return {*a.matrix, plain, plain ? a.column : a.row, rows, gemm.local_m()};
  }
  static Operand<T> right_of(const Gemm<T>& gemm) {
    const weft_la_part_t& b = gemm.b;
    const bool plain = gemm.op_b == WEFT_LA_NONE;
    const int64_t shift = (plain ? b.column : b.row) - gemm.c.column;
    const auto columns = gemm.column_axis().intervals(gemm.grid().column, gemm.c.column, gemm.c.column + gemm.n, shift);
    return {*b.matrix, !plain, plain ? b.row : b.column, columns, gemm.local_n()};
  }

  const Operand<T> left, right;
  std::vector<Step> steps;
};

}  // namespace

template <class T>
size_t pull_bytes(const Gemm<T>& gemm) {
  const Pull<T> pull(gemm);
  return 2 * (panel_bytes(pull.left, pull.steps) + panel_bytes(pull.right, pull.steps));
}

template <class T>
int gemm_pull(const Gemm<T>& gemm, const char* function) {
  const Grid& grid = gemm.grid();
  const Pull<T> pull(gemm);
  const std::vector<Step>& steps = pull.steps;
  Panels<T> left_panels(pull.left, steps), right_panels(pull.right, steps);
  // Also the barrier before which nobody reads.
  const size_t missing = left_panels.missing() + right_panels.missing();
  if (int status = have_workspace(grid, missing, function); status != WEFT_OK) return status;

  const auto begin = [&](size_t step) {
    left_panels.begin(step);
    right_panels.begin(step);
  };
  if (!steps.empty()) begin(0);
  for (size_t s = 0; s < steps.size(); ++s) {
    const View<T> panel_a = left_panels.finish(s), panel_b = right_panels.finish(s);
    if (!grid.mapped && s + 1 < steps.size()) begin(s + 1);
    multiply_local(gemm, gemm.op_a, gemm.op_b, steps[s].depth, panel_a, panel_b, s == 0 ? gemm.beta : T(1));
    if (grid.mapped && s + 1 < steps.size()) begin(s + 1);  // nothing to wait for: what was copied is in the cache
  }
  grid.barrier();
  return WEFT_OK;
}

#define WEFT_LA_INSTANTIATE(T)                   \
  template size_t pull_bytes<T>(const Gemm<T>&); \
  template int gemm_pull<T>(const Gemm<T>&, const char*);
WEFT_LA_FOR_ALL_TYPES(WEFT_LA_INSTANTIATE)

}  // namespace weft::la
