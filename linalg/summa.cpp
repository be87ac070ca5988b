#include "linalg/summa.hpp"

namespace weft::la {
namespace {

// The steps of each pair of owners, one list per pair.
template <class T>
std::vector<std::vector<typename Summa<T>::Step>> lists_of_steps(const Gemm<T>& gemm, int64_t depth) {
  const Axis &a = gemm.a.matrix->columns, &b = gemm.b.matrix->rows;
  std::vector<std::vector<typename Summa<T>::Step>> lists;
  for (uint32_t p = 0; p < b.parts; ++p) {
    for (uint32_t q = 0; q < a.parts; ++q) {
      auto& list = lists.emplace_back();
      for (const Interval& of_a : a.intervals(q, gemm.a.column, gemm.a.column + gemm.k, -gemm.a.column)) {
        const int64_t first = gemm.b.row + of_a.start;
        for (Interval rest : b.intervals(p, first, first + of_a.count, -gemm.b.row)) {
          while (rest.count > 0) {
            if (list.empty() || list.back().depth == depth) list.push_back({{}, 0, q, p});
            const int64_t count = std::min(rest.count, depth - list.back().depth);
            list.back().sum.push_back({rest.start, count});
            list.back().depth += count;
            rest = {rest.start + count, rest.count - count};
          }
        }
      }
    }
  }
  return lists;
}

std::vector<Interval> moved(std::vector<Interval> list, int64_t by) {
  for (Interval& interval : list) interval.start += by;
  return list;
}

}  // namespace

template <class T>
Summa<T>::Summa(const Gemm<T>& gemm, size_t slots)
    : gemm_(gemm),
      m_(gemm.local_m()),
      n_(gemm.local_n()),
      depth_(std::min(gemm.k, most_depth_)),
      slots_(slots),
      rows_(gemm.row_axis().intervals(gemm.grid().row, gemm.c.row, gemm.c.row + gemm.m, gemm.a.row - gemm.c.row)),
      columns_(gemm.column_axis().intervals(gemm.grid().column, gemm.c.column, gemm.c.column + gemm.n,
                                            gemm.b.column - gemm.c.column)),
      workspace_(slots * slot_elements() * sizeof(T)) {
  const auto lists = lists_of_steps(gemm, depth_);
  size_t longest = 0;
  for (const auto& list : lists) longest = std::max(longest, list.size());
  for (size_t i = 0; i < longest; ++i)
    for (const auto& list : lists)
      if (i < list.size()) steps_.push_back(list[i]);
}

template <class T>
void Summa<T>::pack(size_t step) const {
  const Step& s = steps_[step];
  if (owns_a(s) && m_ != 0)
    Fetch<T>(*gemm_.a.matrix, rows_, moved(s.sum, gemm_.a.column), WEFT_LA_NONE, a_panel(step), m_);
  if (owns_b(s) && n_ != 0)
    Fetch<T>(*gemm_.b.matrix, moved(s.sum, gemm_.b.row), columns_, WEFT_LA_NONE, b_panel(step), s.depth);
}

template <class T>
void Summa<T>::multiply(size_t step) const {
  const Step& s = steps_[step];
  multiply_local(gemm_, WEFT_LA_NONE, WEFT_LA_NONE, s.depth, View<T>{a_panel(step), m_},
                 View<T>{b_panel(step), s.depth}, step == 0 ? gemm_.beta : T(1));
}

template class Summa<float>;
template class Summa<double>;
template class Summa<std::complex<float>>;
template class Summa<std::complex<double>>;

}  // namespace weft::la
