// LU factorisation with partial pivoting, panel by panel:
//
//   for each panel of `width` columns, from row and column k:
//     factor A(k.., panel) with pivoting                      one rank, another one each time
//     exchange the rows of the columns beside the panel
//     U(panel, right of it) = L(panel, panel)^-1 A            triangular solve
//     A(below, right of it) -= L(below, panel) U              multiplication
#include "linalg/getrf.hpp"

#include <map>

#include "linalg/arguments.hpp"
#include "linalg/blas.hpp"
#include "linalg/copy.hpp"
#include "linalg/gemm.hpp"
#include "linalg/trsm.hpp"

namespace weft::la {
namespace {

constexpr int64_t panel_width = 128;

weft_la_part_t moved(const weft_la_part_t& part, int64_t rows, int64_t columns) {
  return {part.matrix, part.row + rows, part.column + columns};
}

// Factors a panel, whose pivots are told as rows of the panel.
template <class T>
int factor_panel(int64_t m, int64_t width, const weft_la_part_t& panel, uint32_t member, int64_t* pivots, int64_t* info,
                 const char* function) {
  Grid& grid = panel.matrix->grid;
  const int64_t count = std::min(m, width);
  Matrix* matrix = nullptr;
  const int status = create_on_member(grid, panel.matrix->layout.type, m, width, member, function, &matrix);
  if (status != WEFT_OK) return status;
  const TemporaryMatrix owner(matrix);
  copy_part(WEFT_LA_NONE, m, width, panel, weft_la_whole(matrix));
  std::vector<int64_t> result(static_cast<size_t>(count + 1));  // pivots, and info
  if (weft_team_rank(grid.all) == member) {
    std::vector<int> from_one(static_cast<size_t>(count));
    result.back() = blas::getrf(m, width, matrix->data<T>(), matrix->leading(), from_one.data());
    for (size_t i = 0; i < from_one.size(); ++i) result[i] = from_one[i] - 1;
  }
  weft_broadcast(grid.all, result.data(), result.data(), result.size() * sizeof(int64_t), member, 0);
  copy_part(WEFT_LA_NONE, m, width, weft_la_whole(matrix), panel);
  std::copy_n(result.begin(), count, pivots);
  *info = result.back();
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
  Grid& grid = a.matrix->grid;
  const int64_t count = std::min(m, n);
  *info = 0;
  for (int64_t k = 0; k < count; k += panel_width) {
    const int64_t width = std::min(panel_width, count - k), right = n - k - width, below = m - k - width;
    const auto member = static_cast<uint32_t>(k / panel_width % grid.size());
    int64_t zero = 0;
    int status = factor_panel<T>(m - k, width, moved(a, k, k), member, pivots + k, &zero, function);
    if (status != WEFT_OK) return status;
    if (zero != 0 && *info == 0) *info = k + zero;
    exchange_rows<T>(moved(a, k, 0), k, pivots + k, width, false);
    exchange_rows<T>(moved(a, k, k + width), right, pivots + k, width, false);
    for (int64_t i = k; i < k + width; ++i) pivots[i] += k;

    const weft_la_part_t beside = moved(a, k, k + width);
    const Trsm<T> solve{WEFT_LA_LEFT, WEFT_LA_LOWER, WEFT_LA_NONE,   WEFT_LA_UNIT, width,
                        right,        T(1),          moved(a, k, k), beside};
    if (status = solve_triangular(solve, function); status != WEFT_OK) return status;
    const Gemm<T> update{WEFT_LA_NONE, WEFT_LA_NONE,
                         below,        right,
                         width,        T(-1),
                         T(1),         moved(a, k + width, k),
                         beside,       moved(a, k + width, k + width)};
    if (status = multiply(update, WEFT_LA_AUTO, function); status != WEFT_OK) return status;
  }
  return WEFT_OK;
}

namespace {

template <class T>
int solve_by_factors(weft_la_op_t op, int64_t n, int64_t columns, const weft_la_part_t& a, const int64_t* pivots,
                     const weft_la_part_t& b, const char* function) {
  const Trsm<T> lower{WEFT_LA_LEFT, WEFT_LA_LOWER, op, WEFT_LA_UNIT, n, columns, T(1), a, b};
  const Trsm<T> upper{WEFT_LA_LEFT, WEFT_LA_UPPER, op, WEFT_LA_GENERAL, n, columns, T(1), a, b};
  const bool plain = op == WEFT_LA_NONE;
  if (plain) exchange_rows<T>(b, columns, pivots, n, false);
  if (int status = solve_triangular(plain ? lower : upper, function); status != WEFT_OK) return status;
  if (int status = solve_triangular(plain ? upper : lower, function); status != WEFT_OK) return status;
  if (!plain) exchange_rows<T>(b, columns, pivots, n, true);
  return WEFT_OK;
}

void check(Arguments& arguments, int64_t n, int64_t columns, const weft_la_part_t& a, const int64_t* pivots,
           const weft_la_part_t& b) {
  arguments.matrix("a.matrix", a.matrix).matrix("b.matrix", b.matrix).size("n", n).size("columns", columns);
  arguments.part("a", a, n, n).part("b", b, n, columns).not_null("pivots", pivots);
  arguments.same_grid("a", a.matrix, "b", b.matrix).same_type("a", a.matrix, "b", b.matrix);
}

}  // namespace
}  // namespace weft::la

using namespace weft::la;

extern "C" {

int weft_la_getrf(int64_t m, int64_t n, weft_la_part_t a, int64_t* pivots, int64_t* info) {
  Arguments arguments("weft_la_getrf");
  arguments.matrix("a.matrix", a.matrix).size("m", m).size("n", n).part("a", a, m, n);
  arguments.not_null("pivots", pivots).not_null("info", info);
  if (arguments.status() != WEFT_OK) return arguments.status();
  return with_type(a.matrix->layout.type, [&]<class T>() { return getrf<T>(m, n, a, pivots, info, "weft_la_getrf"); });
}

int weft_la_getrs(weft_la_op_t op, int64_t n, int64_t columns, weft_la_part_t a, const int64_t* pivots,
                  weft_la_part_t b) {
  Arguments arguments("weft_la_getrs");
  check(arguments, n, columns, a, pivots, b);
  arguments.choice("op", op, WEFT_LA_CONJUGATE);
  for (int64_t i = 0; i < n && arguments.status() == WEFT_OK; ++i)
    if (pivots[i] < i || pivots[i] >= n)
      arguments.fail("pivots[%lld] is %lld; it is %lld to %lld", static_cast<long long>(i),
                     static_cast<long long>(pivots[i]), static_cast<long long>(i), static_cast<long long>(n - 1));
  if (arguments.status() != WEFT_OK) return arguments.status();
  return with_type(a.matrix->layout.type,
                   [&]<class T>() { return solve_by_factors<T>(op, n, columns, a, pivots, b, "weft_la_getrs"); });
}

int weft_la_gesv(int64_t n, int64_t columns, weft_la_part_t a, int64_t* pivots, weft_la_part_t b, int64_t* info) {
  Arguments arguments("weft_la_gesv");
  check(arguments, n, columns, a, pivots, b);
  arguments.not_null("info", info);
  if (arguments.status() != WEFT_OK) return arguments.status();
  return with_type(a.matrix->layout.type, [&]<class T>() {
    int64_t zero = 0;
    int status = getrf<T>(n, n, a, pivots, &zero, "weft_la_gesv");
    if (status == WEFT_OK && zero == 0)
      status = solve_by_factors<T>(WEFT_LA_NONE, n, columns, a, pivots, b, "weft_la_gesv");
    if (status == WEFT_OK) *info = zero;
    return status;
  });
}

}  // extern "C"
