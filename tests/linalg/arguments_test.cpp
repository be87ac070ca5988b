// Wrong arguments: every rank gets the error, and the first one prints one line that names function, argument, value
// and constraint.
#include <weft/barrier.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "linalg/matrix.hpp"
#include "linalg/random_case.hpp"

using namespace linalg_test;

namespace {

const std::string not_made = ": it was not made, or this rank is outside the grid";

bool checked() {
  const char* checks = std::getenv("WEFT_CHECK");
  return checks != nullptr && checks == std::string("1");
}

// That all ranks are refused, and `speaker` alone prints. Ranks that are threads share what they print.
void refused(const std::function<int()>& call, const std::string& line, weft_rank_t speaker = 0) {
  const bool threads = weft_test::ranks_are_threads();
  const bool looks = !threads || weft_rank() == speaker;
  weft_barrier();
  if (looks) testing::internal::CaptureStderr();
  if (threads) weft_barrier();
  EXPECT_EQ(call(), WEFT_ERR_INVALID) << line;
  if (threads) weft_barrier();
  const std::string expected = threads || weft_rank() == speaker ? "weft: " + line + "\n" : "";
  EXPECT_EQ(looks ? testing::internal::GetCapturedStderr() : expected, expected);
}

// The line about an argument of which two ranks gave other values.
std::string differs(const std::string& what, const char* one, weft_rank_t on, const char* other, weft_rank_t other_on,
                    const char* all = "ranks of the grid") {
  return what + " is " + one + " on rank " + std::to_string(on) + " and " + other + " on rank " +
         std::to_string(other_on) + "; all " + all + " give the same";
}

// What a line says for a matrix.
std::string number_of(const weft_la_matrix_t* matrix) {
  return "matrix " + std::to_string(matrix->number) + " of grid " + std::to_string(matrix->grid.number);
}

RANK_TEST(LinalgArguments, GridsOfWhichRanksGiveOtherShapesAreRefusedByAll) {
  if (weft_size() == 1) return;
  const weft_rank_t end = weft_size() - 1;
  const bool last = weft_rank() == end;
  char byte = 0;
  weft_la_grid_t* const untouched = reinterpret_cast<weft_la_grid_t*>(&byte);
  weft_la_grid_t* grid = untouched;
  const auto create = [&](uint32_t rows, uint32_t columns) {
    return [=, &grid] { return weft_la_grid_create(WEFT_TEAM_WORLD, rows, columns, &grid); };
  };
  refused(create(last ? 2 : 1, 0), differs("weft_la_grid_create: rows", "1", 0, "2", end, "members of the team"));
  refused(create(1, last ? 1 : 2), differs("weft_la_grid_create: columns", "1", end, "2", 0, "members of the team"));
  refused(create(last ? 1 : 2, last ? 2 : 1),
          differs("weft_la_grid_create: rows", "1", end, "2", 0, "members of the team"));
  refused(create(last ? 1 : 5, 7), differs("weft_la_grid_create: rows", "1", end, "5", 0, "members of the team"));
  for (const bool on_first : {false, true})
    refused(
        [&] {
          return weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, (on_first ? weft_rank() == 0 : last) ? nullptr : &grid);
        },
        differs("weft_la_grid_create: grid", "usable", on_first ? 1 : 0, "NULL", on_first ? 0 : end,
                "members of the team"));
  refused([&] { return weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, nullptr); }, "weft_la_grid_create: grid is NULL");
  EXPECT_EQ(grid, untouched);
}

RANK_TEST(LinalgArguments, ThatDifferBetweenRanksAreRefusedByAllWhereCallsAreChecked) {
  if (!checked() || weft_size() == 1) return;
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  const weft_rank_t end = weft_size() - 1;
  const bool last = weft_rank() == end;
  weft_la_layout_t layout = {WEFT_LA_D, 10, 10, 3, last ? 4 : 3, 0, 0};
  weft_la_matrix_t* none = nullptr;
  refused([&] { return weft_la_matrix_create(grid, &layout, &none); },
          differs("weft_la_matrix_create: layout.column_block", "3", 0, "4", end));
  layout.column_block = 3;
  {
    const TestMatrix<double> a(grid, layout, 1);
    int64_t pivots[10], info = 77;
    refused([&] { return weft_la_getrf(10, last ? 9 : 10, weft_la_whole(a), pivots, &info); },
            differs("weft_la_getrf: n", "9", end, "10", 0));
    refused([&] { return weft_la_getrf(10, 10, weft_la_whole(a), last ? nullptr : pivots, &info); },
            differs("weft_la_getrf: pivots", "usable", 0, "NULL", end));
    refused([&] { return weft_la_matrix_create(grid, weft_rank() == 0 ? nullptr : &layout, &none); },
            differs("weft_la_matrix_create: layout", "usable", 1, "NULL", 0));
    refused([&] { return weft_la_matrix_create(grid, &layout, last ? nullptr : &none); },
            differs("weft_la_matrix_create: matrix", "usable", 0, "NULL", end));
    refused(
        [&] {
          return weft_la_copy(WEFT_LA_NONE, 1, 1, {last ? nullptr : static_cast<weft_la_matrix_t*>(a), 0, 0},
                              {a, 5, 5});
        },
        differs("weft_la_copy: a.matrix", "usable", 0, "NULL", end));
    {
      weft_la_grid_t* other_grid = nullptr;
      ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &other_grid), WEFT_OK);
      {
        const TestMatrix<double> far(other_grid, layout, 2);
        const weft_la_part_t part_a = weft_la_whole(last ? far : a);
        const double one = 1;
        refused(
            [&] {
              return weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, 2, 2, 2, &one, part_a, {a, 2, 2}, &one, {a, 5, 5},
                                  WEFT_LA_AUTO);
            },
            differs("weft_la_gemm: a.matrix", number_of(a).c_str(), 0, number_of(far).c_str(), end));
        const weft_la_part_t one_way[] = {weft_la_whole(a), weft_la_whole(far)};
        refused([&] { return weft_la_copy(WEFT_LA_NONE, 2, 2, one_way[last ? 1 : 0], one_way[last ? 0 : 1]); },
                differs("weft_la_copy: a.matrix", number_of(a).c_str(), 0, number_of(far).c_str(), end));
      }
      weft_la_grid_free(other_grid);
    }
    int64_t some[] = {0, 1, last ? 2 : 3, 3};
    refused(
        [&] {
          return weft_la_getrs(WEFT_LA_NONE, 4, 1, {a, 0, 0}, some, {a, 5, 5});
        },
        differs("weft_la_getrs: pivots[2]", "2", end, "3", 0));
    EXPECT_EQ(info, 77);
    EXPECT_EQ(weft_la_getrf(10, 10, weft_la_whole(a), pivots, &info), WEFT_OK);
  }
  weft_la_grid_free(grid);
}

RANK_TEST(LinalgArguments, FunctionsThatDifferBetweenRanksAreNamedWhereCallsAreChecked) {
  if (!checked() || weft_size() == 1) return;
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  const weft_la_layout_t layout = {WEFT_LA_D, 10, 10, 3, 3, 0, 0};
  const weft_rank_t end = weft_size() - 1;
  {
    const TestMatrix<double> a(grid, layout, 1), b(grid, layout, 2);
    int64_t pivots[10], info = 77;
    const double one = 1;
    weft_la_matrix_t* none = nullptr;
    const std::pair<const char*, std::function<int()>> calls[] = {
        {"weft_la_matrix_create", [&] { return weft_la_matrix_create(grid, &layout, &none); }},
        // As many arguments as the one before has.
        {"weft_la_gesv", [&] { return weft_la_gesv(10, 10, weft_la_whole(a), pivots, weft_la_whole(b), &info); }},
        {"weft_la_trsm",
         [&] {
           return weft_la_trsm(WEFT_LA_LEFT, WEFT_LA_LOWER, WEFT_LA_NONE, WEFT_LA_UNIT, 2, 2, &one, weft_la_whole(a),
                               weft_la_whole(b));
         }},
        {"weft_la_matrix_free", [&] { return weft_la_matrix_free(a); }},
        {"weft_la_grid_free", [&] { return weft_la_grid_free(grid); }},
    };
    for (const auto& [name, call] : calls)
      for (const auto& [other_name, other_call] : calls) {
        if (name == other_name) continue;
        refused([&, &mine = call, &ends = other_call] { return weft_rank() == end ? ends() : mine(); },
                std::string(name) + ": rank 0 calls it, and rank " + std::to_string(end) + " " + other_name +
                    "; all ranks of the grid call the same functions in the same order");
      }
    EXPECT_EQ(none, nullptr);
    EXPECT_EQ(info, 77);
    EXPECT_EQ(weft_la_copy(WEFT_LA_NONE, 10, 10, weft_la_whole(a), weft_la_whole(b)), WEFT_OK);
  }
  weft_la_grid_free(grid);
}

template <class T>
void scalars_that_differ(weft_la_type_t type, const T& usual, const T& other, const std::string& prefix,
                         const char* text, const char* other_text) {
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  const weft_rank_t end = weft_size() - 1;
  {
    const TestMatrix<T> a(grid, {type, 10, 10, 3, 3, 0, 0}, 1), b(grid, {type, 10, 10, 3, 3, 0, 0}, 2),
        c(grid, {type, 10, 10, 3, 3, 0, 0}, 3);
    const T* const mine = weft_rank() == end ? &other : &usual;
    const auto gemm = [&](const T* alpha, const T* beta) {
      return weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, 10, 10, 10, alpha, weft_la_whole(a), weft_la_whole(b), beta,
                          weft_la_whole(c), WEFT_LA_AUTO);
    };
    const auto line = [&](const char* function, const char* name) {
      return differs(std::string(function) + ": " + prefix + name, text, 0, other_text, end);
    };
    refused([&] { return gemm(mine, &usual); }, line("weft_la_gemm", "alpha"));
    refused([&] { return gemm(&usual, mine); }, line("weft_la_gemm", "beta"));
    refused(
        [&] {
          return weft_la_trsm(WEFT_LA_RIGHT, WEFT_LA_LOWER, WEFT_LA_NONE, WEFT_LA_GENERAL, 10, 10, mine,
                              weft_la_whole(a), weft_la_whole(b));
        },
        line("weft_la_trsm", "alpha"));
    c.for_each([](int64_t i, int64_t j, T& x) { EXPECT_EQ(x, element_at<T>(3, i, j)); });
    // Whatever its bits are, what is no number is the same everywhere.
    const T not_numbers[] = {T(std::numeric_limits<float>::quiet_NaN()), T(-std::numeric_limits<float>::quiet_NaN())};
    EXPECT_EQ(gemm(&not_numbers[weft_rank() == end ? 1 : 0], &usual), WEFT_OK);
  }
  weft_la_grid_free(grid);
}

RANK_TEST(LinalgArguments, ScalarsThatDifferBetweenRanksAreNamedWhereCallsAreChecked) {
  if (!checked() || weft_size() == 1) return;
  scalars_that_differ<float>(WEFT_LA_S, 0.5f, 2.0f, "", "0.5", "2");
  scalars_that_differ<double>(WEFT_LA_D, 0.1, std::nextafter(0.1, 1.0), "", "0.10000000000000001",
                              "0.10000000000000002");
  scalars_that_differ<std::complex<float>>(WEFT_LA_C, {1.0f, 0.0f}, {1.0f, 2.0f}, "the imaginary part of ", "0", "2");
  scalars_that_differ<std::complex<double>>(WEFT_LA_Z, {1.0, 3.0}, {2.0, 3.0}, "the real part of ", "1", "2");
}

RANK_TEST(LinalgArguments, MatricesThatDifferBetweenRanksAreNamedWhereCallsAreChecked) {
  if (!checked() || weft_size() == 1) return;
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  const weft_la_layout_t layout = {WEFT_LA_D, 10, 10, 3, 3, 0, 0};
  const weft_rank_t end = weft_size() - 1;
  const bool last = weft_rank() == end;
  {
    const TestMatrix<double> a(grid, layout, 1), b(grid, layout, 2), c(grid, layout, 3);
    const double one = 1;
    refused(
        [&] {
          return weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, 10, 10, 10, &one, weft_la_whole(a),
                              weft_la_whole(last ? c : b), &one, weft_la_whole(last ? b : c), WEFT_LA_AUTO);
        },
        differs("weft_la_gemm: b.matrix", number_of(b).c_str(), 0, number_of(c).c_str(), end));
    refused(
        [&] { return weft_la_copy(WEFT_LA_NONE, 10, 10, weft_la_whole(last ? b : a), weft_la_whole(last ? a : b)); },
        differs("weft_la_copy: a.matrix", number_of(a).c_str(), 0, number_of(b).c_str(), end));
    refused([&] { return weft_la_matrix_free(last ? a : b); },
            differs("weft_la_matrix_free: matrix", number_of(a).c_str(), end, number_of(b).c_str(), 0));
    refused([&] { return weft_la_gather(last ? a : b, 0, nullptr, 10); },
            differs("weft_la_gather: matrix", number_of(a).c_str(), end, number_of(b).c_str(), 0));
    // Those that the library makes for itself are not counted.
    int64_t info = 77;
    ASSERT_EQ(weft_la_potrf(WEFT_LA_UPPER, 1, weft_la_whole(a), &info), WEFT_OK);
    const TestMatrix<double> d(grid, layout, 4);
    EXPECT_EQ(number_of(d), "matrix 4 of grid " + std::to_string(d.operator weft_la_matrix_t*()->grid.number));
  }
  weft_la_grid_free(grid);
}

RANK_TEST(LinalgArguments, WrongOnesAreNamedWithTheirValueAndConstraint) {
  weft_la_grid_t *grid = nullptr, *other_grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &other_grid), WEFT_OK);
  const weft_la_layout_t layout = {WEFT_LA_D, 10, 20, 3, 3, 0, 0};
  weft_la_layout_t single = layout;
  single.type = WEFT_LA_S;
  {
    const TestMatrix<double> a(grid, layout, 1), b(grid, layout, 2), far(other_grid, layout, 3);
    const TestMatrix<float> s(grid, single, 4);
    const double one = 1;
    weft_la_part_t part_a = weft_la_whole(a), part_b = weft_la_whole(b);
    const auto gemm = [&](int64_t m, int64_t n, int64_t k, weft_la_part_t c) {
      return weft_la_gemm(WEFT_LA_NONE, WEFT_LA_TRANSPOSE, m, n, k, &one, part_a, part_b, &one, c, WEFT_LA_AUTO);
    };
    const volatile int seven = 7;  // C programs can give any number
    int64_t info = 77;
    refused([&] { return gemm(-1, 2, 2, part_a); }, "weft_la_gemm: m is -1; it is at least 0");
    refused([&] { return gemm(2, 2, 2, {nullptr, 0, 0}); }, "weft_la_gemm: c.matrix is NULL" + not_made);
    refused(
        [&] {
          return gemm(2, 2, 2, {far, 0, 0});
        },
        "weft_la_gemm: a and c are on two grids; weft_la_copy copies a matrix to another grid");
    refused(
        [&] {
          return gemm(2, 2, 2, {s, 0, 0});
        },
        "weft_la_gemm: a has type WEFT_LA_D and c type WEFT_LA_S; they are of one type");
    refused(
        [&] {
          return weft_la_gemm(WEFT_LA_NONE, static_cast<weft_la_op_t>(seven), 1, 1, 1, &one, part_a, part_b, &one,
                              part_a, WEFT_LA_AUTO);
        },
        "weft_la_gemm: op_b is 7; its values are 0 to 2");
    refused(
        [&] {
          return gemm(4, 4, 4, {a, 3, 3});
        },
        "weft_la_gemm: c overlaps a in their matrix (row 3, column 3); give it a matrix or a part of its own");
    refused(
        [&] {
          return gemm(4, 4, 4, {b, 2, 0});
        },
        "weft_la_gemm: c overlaps b in their matrix (row 2, column 0); give it a matrix or a part of its own");
    const TestMatrix<double> own(grid, layout, 5);
    EXPECT_EQ(weft_la_copy(WEFT_LA_NONE, 4, 4, {own, 0, 0}, {own, 4, 0}), WEFT_OK);
    EXPECT_EQ(gemm(0, 4, 4, {a, 3, 3}), WEFT_OK);
    refused(
        [&] {
          return weft_la_copy(WEFT_LA_NONE, 5, 5, part_a, {a, 1, 1});
        },
        "weft_la_copy: b overlaps a in their matrix (row 1, column 1); give it a matrix or a part of its own");
    refused(
        [&] {
          return weft_la_posv(WEFT_LA_LOWER, 5, 2, part_a, {a, 0, 4}, &info);
        },
        "weft_la_posv: b overlaps a in their matrix (row 0, column 4); give it a matrix or a part of its own");
    refused([&] { return weft_la_potrf(WEFT_LA_LOWER, 5, part_a, nullptr); }, "weft_la_potrf: info is NULL");
    refused([&] { return weft_la_posv(WEFT_LA_LOWER, 5, -3, part_a, part_b, &info); },
            "weft_la_posv: columns is -3; it is at least 0");
    refused(
        [&] {
          return weft_la_trsm(WEFT_LA_LEFT, static_cast<weft_la_triangle_t>(seven), WEFT_LA_NONE, WEFT_LA_GENERAL, 1, 1,
                              &one, part_a, part_b);
        },
        "weft_la_trsm: triangle is 7; its values are 0 to 1");
    refused([&] { return weft_la_gather(a, 99, nullptr, 1); },
            "weft_la_gather: root is 99; the grid has " + std::to_string(weft_size()) + " ranks");
    EXPECT_EQ(info, 77);
    a.for_each([](int64_t i, int64_t j, double& x) { EXPECT_EQ(x, element_at<double>(1, i, j)); });
  }
  weft_la_matrix_t* matrix = nullptr;
  weft_la_layout_t wrong = layout;
  wrong.row_block = 0;
  refused([&] { return weft_la_matrix_create(grid, &wrong, &matrix); },
          "weft_la_matrix_create: layout.row_block is 0; it is at least 1");
  wrong = layout;
  wrong.type = static_cast<weft_la_type_t>(weft_rank() == weft_size() - 1 ? WEFT_LA_Z : WEFT_LA_S);
  if (checked() && weft_size() != 1)
    refused([&] { return weft_la_matrix_create(grid, &wrong, &matrix); },
            differs("weft_la_matrix_create: layout.type", "WEFT_LA_S", 0, "WEFT_LA_Z", weft_size() - 1));
  wrong = layout;
  wrong.first_column = 50;
  refused([&] { return weft_la_matrix_create(grid, &wrong, &matrix); },
          "weft_la_matrix_create: layout.first_column is 50; the grid has " +
              std::to_string(weft_la_grid_columns(grid)) + " columns");
  EXPECT_EQ(matrix, nullptr);
  weft_la_grid_free(grid);
  weft_la_grid_free(other_grid);
  refused([&] { return weft_la_grid_create(WEFT_TEAM_WORLD, 5, 7, &grid); },
          "weft_la_grid_create: rows x columns is 5 x 7; the team has " + std::to_string(weft_size()) + " members");
}

RANK_TEST(LinalgArguments, APartOutsideItsMatrixIsToldWithItsPlaceItsSizeAndTheMatrixsSize) {
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  {
    const TestMatrix<double> a(grid, {WEFT_LA_D, 10, 20, 3, 3, 0, 0}, 1), b(grid, {WEFT_LA_D, 10, 20, 3, 3, 0, 0}, 2);
    const TestMatrix<double> empty(grid, {WEFT_LA_D, 0, 0, 3, 3, 0, 0}, 3);
    const struct {
      int64_t rows, columns;
      weft_la_part_t part;
      const char* line;
    } cases[] = {
        {2, 5, {a, 9, 0}, "a.row is 9; 2 rows from there must lie in a.matrix, which is 10 x 20: a.row is 0 to 8"},
        {2, 5, {a, -1, 0}, "a.row is -1; 2 rows from there must lie in a.matrix, which is 10 x 20: a.row is 0 to 8"},
        {2,
         1,
         {a, 0, 20},
         "a.column is 20; 1 column from there must lie in a.matrix, which is 10 x 20: a.column is 0 to 19"},
        {2,
         21,
         {a, 0, 0},
         "a.column is 0; 21 columns from there must lie in a.matrix, which is 10 x 20: it has too few columns"},
        {0, 5, {a, 11, 0}, "a.row is 11; 0 rows from there must lie in a.matrix, which is 10 x 20: a.row is 0 to 10"},
        {1, 0, {empty, 0, 0}, "a.row is 0; 1 row from there must lie in a.matrix, which is 0 x 0: it has too few rows"},
        {0,
         0,
         {empty, 0, -3},
         "a.column is -3; 0 columns from there must lie in a.matrix, which is 0 x 0: a.column is 0 to 0"},
        {INT64_MAX,
         1,
         {a, INT64_MAX, 0},
         "a.row is 9223372036854775807; 9223372036854775807 rows from there must lie in a.matrix, which is 10 x 20: it "
         "has too few rows"},
    };
    for (const auto& [rows, columns, part, line] : cases)
      refused(
          [&, r = rows, c = columns, from = part] { return weft_la_copy(WEFT_LA_NONE, r, c, from, weft_la_whole(b)); },
          std::string("weft_la_copy: ") + line);
    for (const weft_la_part_t nothing : {weft_la_part_t{a, 10, 20}, weft_la_part_t{empty, 0, 0}})
      EXPECT_EQ(weft_la_copy(WEFT_LA_NONE, 0, 0, nothing, weft_la_whole(b)), WEFT_OK);
    int64_t info = 77;
    refused(
        [&] { return weft_la_potrf(WEFT_LA_LOWER, 11, weft_la_whole(a), &info); },
        "weft_la_potrf: a.row is 0; 11 rows from there must lie in a.matrix, which is 10 x 20: it has too few rows");
    EXPECT_EQ(info, 77);
  }
  weft_la_grid_free(grid);
}

// With WEFT_CHECK=1 such calls end the job: misuse_test.py.
RANK_TEST(LinalgArguments, NullWhereNoOtherArgumentTellsTheGridIsToldByOneRank) {
  if (checked()) return;
  int64_t info = 77;
  const auto factor = [&] { return weft_la_potrf(WEFT_LA_LOWER, 5, {nullptr, 0, 0}, &info); };
  const std::string line = "weft_la_potrf: a.matrix is NULL" + not_made;
  refused(factor, line);
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  refused(factor, line);
  {
    const TestMatrix<double> a(grid, {WEFT_LA_D, 10, 10, 3, 3, 0, 0}, 1);
    const double one = 1;
    refused(
        [&] {
          return weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, 1, 1, 1, &one, {nullptr, 0, 0}, {a, 0, 0}, &one, {a, 5, 5},
                              WEFT_LA_AUTO);
        },
        "weft_la_gemm: a.matrix is NULL" + not_made);
  }
  weft_la_grid_free(grid);
  EXPECT_EQ(info, 77);

  // A grid of the last rank alone: the first of the others speaks for them.
  weft_team_t turned = WEFT_TEAM_NONE;
  ASSERT_EQ(weft_team_split(WEFT_TEAM_WORLD, 0, -static_cast<int32_t>(weft_rank()), &turned), WEFT_OK);
  ASSERT_EQ(weft_la_grid_create(turned, 1, 1, &grid), WEFT_OK);
  const bool inside = weft_rank() == weft_size() - 1;
  EXPECT_EQ(grid != nullptr, inside);
  EXPECT_EQ(weft_la_matrix_bytes(nullptr, nullptr), 0u);
  const auto as_outside = [&](bool outside, const std::function<int()>& call) {
    return [=] { return outside ? call() : static_cast<int>(WEFT_ERR_INVALID); };
  };
  const weft_la_layout_t layout = {WEFT_LA_D, 10, 10, 3, 3, 0, 0};
  weft_la_matrix_t* matrix = nullptr;
  refused(as_outside(inside, factor), line, weft_size() - 1);
  if (weft_size() != 1)
    refused(as_outside(!inside, [&] { return weft_la_matrix_create(grid, &layout, &matrix); }),
            "weft_la_matrix_create: grid is NULL" + not_made, weft_size() - 2);
  weft_la_grid_free(grid);
  weft_team_free(turned);
}

RANK_TEST(LinalgArguments, LayoutsThatDifferBetweenRanksAreRefusedByAllWhereCallsAreNotChecked) {
  if (checked() || weft_size() == 1) return;
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  const bool last = weft_rank() == weft_size() - 1;
  const weft_la_layout_t usual = {WEFT_LA_D, 10, 10, 3, 3, 0, 0};
  const weft_la_layout_t others[] = {{WEFT_LA_S, 10, 10, 3, 3, 0, 0},
                                     {WEFT_LA_D, 11, 10, 3, 3, 0, 0},
                                     {WEFT_LA_D, 10, 1000000, 3, 3, 0, 0},
                                     {WEFT_LA_D, 10, 10, 4, 3, 0, 0},
                                     {WEFT_LA_D, 10, 10, 3, 4, 0, 0}};
  weft_la_matrix_t* matrix = nullptr;
  for (const weft_la_layout_t& other : others)
    refused([&] { return weft_la_matrix_create(grid, last ? &other : &usual, &matrix); },
            "weft_la_matrix_create: ranks of the grid give different layouts, or call other functions; WEFT_CHECK=1 "
            "says which");
  EXPECT_EQ(matrix, nullptr);
  weft_la_grid_free(grid);
}

RANK_TEST(LinalgArguments, AnEmptyPartNeedsNoPivots) {
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  {
    const TestMatrix<double> a(grid, {WEFT_LA_D, 10, 10, 3, 3, 0, 0}, 1), b(grid, {WEFT_LA_D, 10, 10, 3, 3, 0, 0}, 2);
    const auto part_a = weft_la_whole(a), part_b = weft_la_whole(b);
    int64_t info = 77;
    EXPECT_EQ(weft_la_getrf(0, 10, part_a, nullptr, &info), WEFT_OK);
    EXPECT_EQ(weft_la_getrf(10, 0, part_a, nullptr, &info), WEFT_OK);
    EXPECT_EQ(info, 0);
    EXPECT_EQ(weft_la_getrs(WEFT_LA_NONE, 0, 5, part_a, nullptr, part_b), WEFT_OK);
    EXPECT_EQ(weft_la_gesv(0, 5, part_a, nullptr, part_b, &info), WEFT_OK);
    refused([&] { return weft_la_getrf(1, 1, part_a, nullptr, &info); }, "weft_la_getrf: pivots is NULL");
    refused([&] { return weft_la_gesv(1, 0, part_a, nullptr, part_b, &info); }, "weft_la_gesv: pivots is NULL");
  }
  weft_la_grid_free(grid);
}

RANK_TEST(LinalgArguments, GridsAndMatricesThatWereFreedAreTold) {
  const weft_la_layout_t layout = {WEFT_LA_D, 10, 10, 3, 3, 0, 0};
  const std::string freed = " was freed before; free it once, after its last use";
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  weft_la_matrix_t *a = nullptr, *b = nullptr;
  ASSERT_EQ(weft_la_matrix_create(grid, &layout, &a), WEFT_OK);
  ASSERT_EQ(weft_la_matrix_create(grid, &layout, &b), WEFT_OK);
  const auto free_grid = [&] { return weft_la_grid_free(grid); };
  refused(free_grid, "weft_la_grid_free: the grid still has matrices, 2; free them first");
  EXPECT_EQ(weft_la_matrix_free(a), WEFT_OK);
  refused(free_grid, "weft_la_grid_free: the grid still has matrices, 1; free them first");
  weft_la_matrix_t* c = nullptr;  // not where a was
  ASSERT_EQ(weft_la_matrix_create(grid, &layout, &c), WEFT_OK);
  refused([&] { return weft_la_copy(WEFT_LA_NONE, 2, 2, weft_la_whole(a), weft_la_whole(b)); },
          "weft_la_copy: a.matrix" + freed);
  EXPECT_EQ(weft_la_copy(WEFT_LA_NONE, 2, 2, weft_la_whole(c), weft_la_whole(b)), WEFT_OK);
  if (!checked()) {
    int64_t info = 0;
    refused([&] { return weft_la_matrix_free(a); }, "weft_la_matrix_free: matrix" + freed);
    refused([&] { return weft_la_potrf(WEFT_LA_LOWER, 2, weft_la_whole(a), &info); },
            "weft_la_potrf: a.matrix" + freed);
    double array[100];
    const std::function<int()> of_one[] = {[&] { return weft_la_export(a, array, 10); },
                                           [&] { return weft_la_import(a, array, 10); }};
    for (const auto& call : of_one)
      refused([&] { return weft_rank() == 0 ? call() : static_cast<int>(WEFT_ERR_INVALID); },
              std::string(&call == of_one ? "weft_la_export" : "weft_la_import") + ": matrix" + freed);
  }
  EXPECT_EQ(weft_la_matrix_free(b), WEFT_OK);
  EXPECT_EQ(weft_la_matrix_free(c), WEFT_OK);
  EXPECT_EQ(weft_la_grid_free(grid), WEFT_OK);
  if (!checked()) {
    refused(free_grid, "weft_la_grid_free: grid" + freed);
    refused([&] { return weft_la_matrix_create(grid, &layout, &a); }, "weft_la_matrix_create: grid" + freed);
  }
  EXPECT_EQ(weft_la_grid_free(nullptr), WEFT_OK);
  EXPECT_EQ(weft_la_matrix_free(nullptr), WEFT_OK);
}

// Ranks that are threads share what is kept. AddressSanitizer keeps more of its own.
RANK_TEST(LinalgArguments, TheLast256OfAProcessThatWereFreedAreKnownAndOlderOnesGiveTheirMemoryBack) {
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  const weft_la_layout_t layout = {WEFT_LA_S, 1, 1, 1, 1, 0, 0};
  std::vector<weft_la_matrix_t*> freed;
  for (int i = 0; i < 600; ++i) {
    freed.push_back(nullptr);
    ASSERT_EQ(weft_la_matrix_create(grid, &layout, &freed.back()), WEFT_OK);
    weft_la_matrix_free(freed.back());
  }
  const auto kept = static_cast<std::ptrdiff_t>(weft_test::ranks_are_threads() ? 256 / weft_size() - 1 : 256);
  for (auto last = freed.end() - kept; last != freed.end(); ++last)
    EXPECT_EQ(weft::la::given(*last), weft::la::Given::freed);
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(std::set<weft_la_matrix_t*>(freed.begin(), freed.end()).size(), 600u);
#endif
  weft_la_grid_free(grid);
}

}  // namespace
