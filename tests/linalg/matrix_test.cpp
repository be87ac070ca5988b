// Layouts, descriptors, filling, gathering and redistribution.
#include <weft/barrier.h>
#include <weft/segment.h>

#include <climits>
#include <functional>
#include <optional>
#include <regex>

#include "linalg/random_case.hpp"
#include "support/full_segment.hpp"

using namespace linalg_test;

namespace {

std::string described(uint64_t seed) { return "seed " + std::to_string(seed) + " (LINALG_SEED)"; }

template <class T>
T applied(weft_la_op_t op, uint64_t number, int64_t i, int64_t j) {
  if (op == WEFT_LA_NONE) return element_at<T>(number, i, j);
  const T x = element_at<T>(number, j, i);
  return op == WEFT_LA_CONJUGATE ? weft::la::conjugate(x) : x;
}

template <class T>
void copies_any_part(uint64_t seed) {
  Dice dice(seed);
  const RandomGrid first(dice), second(dice);
  const bool one_grid = dice.once_in(2);
  weft_la_grid_t* from_grid = first.get();
  weft_la_grid_t* to_grid = one_grid ? first.get() : second.get();
  const auto op = static_cast<weft_la_op_t>(dice.between(0, 2));
  const int64_t m = dice.between(0, 60), n = dice.between(0, 60);
  const int64_t ia = dice.between(0, 20), ja = dice.between(0, 20), ib = dice.between(0, 20), jb = dice.between(0, 20);
  const int64_t extra = dice.between(0, 5);
  if (from_grid == nullptr || to_grid == nullptr) return;
  if (!one_grid && weft_la_grid_rows(from_grid) * weft_la_grid_columns(from_grid) != weft_size()) return;
  if (!one_grid && weft_la_grid_rows(to_grid) * weft_la_grid_columns(to_grid) != weft_size()) return;

  const int64_t down = op == WEFT_LA_NONE ? m : n, across = op == WEFT_LA_NONE ? n : m;
  const TestMatrix<T> a(from_grid, random_layout(dice, from_grid, type_of<T>, ia + down + extra, ja + across), 1);
  const TestMatrix<T> b(to_grid, random_layout(dice, to_grid, type_of<T>, ib + m, jb + n + extra), 2);
  ASSERT_EQ(weft_la_copy(op, m, n, {a, ia, ja}, {b, ib, jb}), WEFT_OK);
  b.for_each([&](int64_t i, int64_t j, T& x) {
    const bool inside = i >= ib && i < ib + m && j >= jb && j < jb + n;
    const T expected = !inside              ? element_at<T>(2, i, j)
                       : op == WEFT_LA_NONE ? applied<T>(op, 1, i - ib + ia, j - jb + ja)
                                            : applied<T>(op, 1, i - ib + ja, j - jb + ia);
    EXPECT_EQ(x, expected) << described(seed) << " at " << i << ", " << j;
  });
}

RANK_TEST(LinalgMatrix, AnyPartIsCopiedBetweenAnyTwoLayouts) {
  for_seeds(60, [](uint64_t seed) {
    switch (seed % 4) {
      case 0:
        copies_any_part<float>(seed);
        break;
      case 1:
        copies_any_part<double>(seed);
        break;
      case 2:
        copies_any_part<std::complex<float>>(seed);
        break;
      case 3:
        copies_any_part<std::complex<double>>(seed);
        break;
    }
  });
}

RANK_TEST(LinalgMatrix, GatherAndScatterAreEachOthersInverse) {
  for_seeds(10, [](uint64_t seed) {
    Dice dice(seed);
    const RandomGrid grid(dice);
    if (grid.get() == nullptr) return;
    const int64_t m = dice.between(0, 50), n = dice.between(0, 50), leading = m + dice.between(1, 3);
    const auto members = weft_la_grid_rows(grid.get()) * weft_la_grid_columns(grid.get());
    const auto root = static_cast<uint32_t>(dice.between(0, members - 1));
    const uint32_t me =
        weft_la_grid_row(grid.get()) * weft_la_grid_columns(grid.get()) + weft_la_grid_column(grid.get());
    const TestMatrix<double> a(grid.get(), random_layout(dice, grid.get(), WEFT_LA_D, m, n), 1);
    const TestMatrix<double> b(grid.get(), random_layout(dice, grid.get(), WEFT_LA_D, m, n), 2);
    std::vector<double> whole(me == root ? static_cast<size_t>(leading * n) : 0, -7.0);
    ASSERT_EQ(weft_la_gather(a, root, whole.data(), leading), WEFT_OK);
    for (size_t at = 0; at < whole.size(); ++at) {
      const auto i = static_cast<int64_t>(at) % leading, j = static_cast<int64_t>(at) / leading;
      EXPECT_EQ(whole[at], i < m ? element_at<double>(1, i, j) : -7.0) << described(seed);
    }
    ASSERT_EQ(weft_la_scatter(b, root, whole.data(), leading), WEFT_OK);
    b.for_each([&](int64_t i, int64_t j, double& x) { EXPECT_EQ(x, element_at<double>(1, i, j)) << described(seed); });
  });
}

// ScaLAPACK's NUMROC and INDXL2G, from its sources' comments, one element after the other.
RANK_TEST(LinalgMatrix, PartsHaveTheElementsThatScalapackGivesThem) {
  for_seeds(20, [](uint64_t seed) {
    Dice dice(seed);
    const RandomGrid grid(dice);
    if (grid.get() == nullptr) return;
    const auto layout = random_layout(dice, grid.get(), WEFT_LA_S, dice.between(0, 70), dice.between(0, 70));
    const TestMatrix<float> a(grid.get(), layout, 1);
    const weft_la_local_t local = weft_la_matrix_local(a);
    std::vector<int64_t> rows, columns;
    for (int64_t i = 0; i < layout.rows; ++i)
      if ((i / layout.row_block + layout.first_row) % weft_la_grid_rows(grid.get()) == weft_la_grid_row(grid.get()))
        rows.push_back(i);
    for (int64_t j = 0; j < layout.columns; ++j)
      if ((j / layout.column_block + layout.first_column) % weft_la_grid_columns(grid.get()) ==
          weft_la_grid_column(grid.get()))
        columns.push_back(j);
    ASSERT_EQ(local.rows, static_cast<int64_t>(rows.size())) << described(seed);
    ASSERT_EQ(local.columns, static_cast<int64_t>(columns.size())) << described(seed);
    for (int64_t i = 0; i < local.rows; ++i) EXPECT_EQ(weft_la_global_row(a, i), rows[static_cast<size_t>(i)]);
    for (int64_t j = 0; j < local.columns; ++j) EXPECT_EQ(weft_la_global_column(a, j), columns[static_cast<size_t>(j)]);
    EXPECT_EQ(local.data == nullptr, rows.empty() || columns.empty());
    EXPECT_GE(local.leading, local.rows);

    const auto leading = static_cast<int64_t>(rows.size()) + 3;
    std::vector<float> array(static_cast<size_t>(leading) * columns.size());
    ASSERT_EQ(weft_la_export(a, array.data(), leading), WEFT_OK);
    for (size_t j = 0; j < columns.size(); ++j)
      for (size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(array[i + j * static_cast<size_t>(leading)], element_at<float>(1, rows[i], columns[j]));
    for (float& x : array) x += 1;
    ASSERT_EQ(weft_la_import(a, array.data(), leading), WEFT_OK);
    a.for_each([](int64_t i, int64_t j, float& x) { EXPECT_EQ(x, element_at<float>(1, i, j) + 1); });
  });
}

RANK_TEST(LinalgMatrix, DescriptorsAreConvertedBothWays) {
  const int descriptor[9] = {1, 42, 1000, 2000, 64, 32, 1, 0, 512};
  weft_la_layout_t layout;
  ASSERT_EQ(weft_la_layout_from_scalapack(descriptor, WEFT_LA_Z, &layout), WEFT_OK);
  EXPECT_EQ(layout.type, WEFT_LA_Z);
  EXPECT_EQ(layout.rows, 1000);
  EXPECT_EQ(layout.columns, 2000);
  EXPECT_EQ(layout.row_block, 64);
  EXPECT_EQ(layout.column_block, 32);
  EXPECT_EQ(layout.first_row, 1u);
  EXPECT_EQ(layout.first_column, 0u);
  int back[9] = {};
  ASSERT_EQ(weft_la_layout_to_scalapack(&layout, 42, 512, back), WEFT_OK);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(back[i], descriptor[i]) << i;
  for (const int leading : {0, -5}) {
    EXPECT_EQ(weft_la_layout_to_scalapack(&layout, 7, leading, back), WEFT_ERR_INVALID);
    EXPECT_EQ(back[1], 42);
  }

  layout.rows = int64_t{INT_MAX} + 1;
  EXPECT_EQ(weft_la_layout_to_scalapack(&layout, 42, 512, back), WEFT_ERR_INVALID);
  int wrong[9] = {501, 42, 1000, 2000, 64, 32, 1, 0, 512};
  EXPECT_EQ(weft_la_layout_from_scalapack(wrong, WEFT_LA_Z, &layout), WEFT_ERR_INVALID);
}

RANK_TEST(LinalgMatrix, GridsOfZeroAreChosen) {
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  EXPECT_EQ(weft_la_grid_rows(grid) * weft_la_grid_columns(grid), weft_size());
  EXPECT_GE(weft_la_grid_rows(grid), weft_la_grid_columns(grid));
  EXPECT_EQ(weft_la_grid_row(grid) * weft_la_grid_columns(grid) + weft_la_grid_column(grid), weft_rank());
  weft_la_grid_free(grid);
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 1, 0, &grid), WEFT_OK);
  EXPECT_EQ(weft_la_grid_columns(grid), weft_size());
  weft_la_grid_free(grid);
}

RANK_TEST(LinalgMatrix, OneThatIsLargerThanTheMemoryIsRefusedOnAllRanks) {
  weft_la_grid_t* grid = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  weft_la_matrix_t* matrix = nullptr;
  const int64_t n = int64_t{3} << 20;
  const weft_la_layout_t layout = {WEFT_LA_D, n, n, 64, 64, 0, 0};
  EXPECT_EQ(weft_la_matrix_create(grid, &layout, &matrix), WEFT_ERR_NO_MEMORY);
  EXPECT_EQ(matrix, nullptr);
  weft_la_grid_free(grid);
}

RANK_TEST(LinalgMatrix, WorkspaceThatOneRankHasNoMemoryForIsRefusedOnAllWithALine) {
  weft_la_grid_t *grid = nullptr, *line = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid), WEFT_OK);
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 1, 0, &line), WEFT_OK);
  const int64_t n = 2048, small = 256;
  const weft_la_layout_t layout = {WEFT_LA_S, n, n, 1, 1, 0, 0}, factors = {WEFT_LA_S, n, n, n, 128, 0, 0};
  const weft_la_layout_t product = {WEFT_LA_S, small, small, 1, 1, 0, 0};
  const weft_la_layout_t other = {WEFT_LA_S, small, small, 3, 1, 0, 0};  // no two operands' panels are both in place
  weft_la_matrix_t *a = nullptr, *x = nullptr, *y = nullptr, *z = nullptr;
  ASSERT_EQ(weft_la_matrix_create(grid, &layout, &a), WEFT_OK);
  for (weft_la_matrix_t** matrix : {&x, &z}) ASSERT_EQ(weft_la_matrix_create(grid, &product, matrix), WEFT_OK);
  ASSERT_EQ(weft_la_matrix_create(grid, &other, &y), WEFT_OK);
  const bool short_of_memory = weft_rank() == weft_size() - 1;

  const auto refused = [&](const std::string& function, size_t hole, const std::function<int()>& call) {
    std::optional<weft_test::FullSegment> full;
    if (short_of_memory) full.emplace(hole);
    const bool looks = weft_rank() == 0;  // it is the one that prints
    if (looks) testing::internal::CaptureStderr();
    EXPECT_EQ(call(), WEFT_ERR_NO_MEMORY) << function;
    if (!looks) return;
    const std::regex line_of_it("weft: " + function + ": a rank's segment has no [0-9.]+ [KM]iB \\(([0-9]+) bytes\\) " +
                                "left for workspace; raise WEFT_SEGMENT_SIZE, or use more hosts\n");
    const std::string said = testing::internal::GetCapturedStderr();
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(said, parts, line_of_it)) << function << ": " << said;
    EXPECT_GE(std::stoull(parts[1]), 64u) << function;
  };
  const float one = 1;
  const auto multiply = [&](weft_la_variant_t variant) {
    return weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, small, small, small, &one, weft_la_whole(x), weft_la_whole(y), &one,
                        weft_la_whole(z), variant);
  };
  for (weft_la_variant_t variant : {WEFT_LA_BROADCAST, WEFT_LA_BLOCKING, WEFT_LA_FLAT, WEFT_LA_PULL}) {
    if (variant == WEFT_LA_PULL && weft_size() == 1) continue;  // in place
    refused("weft_la_gemm", 0, [&] { return multiply(variant); });
    EXPECT_EQ(multiply(variant), WEFT_OK);
  }
  int64_t info = 77;
  refused("weft_la_potrf", 0, [&] { return weft_la_potrf(WEFT_LA_LOWER, n, weft_la_whole(a), &info); });
  std::vector<int64_t> pivots(static_cast<size_t>(n), 77);
  // The copy in columns has room, what it is factored with has not. LU's first call makes the teams that it works on.
  EXPECT_EQ(weft_la_getrf(small, small, weft_la_whole(z), pivots.data(), &info), WEFT_OK);
  info = 77;
  refused("weft_la_getrf", weft_la_matrix_bytes(line, &factors),
          [&] { return weft_la_getrf(n, n, weft_la_whole(a), pivots.data(), &info); });
  EXPECT_EQ(info, 77);
  for (weft_la_matrix_t* matrix : {a, x, y, z}) weft_la_matrix_free(matrix);
  weft_la_grid_free(line);
  weft_la_grid_free(grid);
}

// Where there is a little room, a call that changes its operands in steps has all it needs, or does not begin.
RANK_TEST(LinalgMatrix, ACallInANearlyFullSegmentSucceedsOrLeavesItsOperandsAsTheyWere) {
  weft_la_grid_t *line = nullptr, *square = nullptr;
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 1, 0, &line), WEFT_OK);
  ASSERT_EQ(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 1, &square), WEFT_OK);
  constexpr int64_t n = 520, most_columns = 60;
  for (weft_la_grid_t* grid : {line, square})
    for (const int64_t columns : {int64_t{1}, most_columns}) {
      const TestMatrix<double> a(grid, {WEFT_LA_D, n, n, 64, 64, 0, 0}, 1);
      const TestMatrix<double> b(grid, {WEFT_LA_D, n, columns, 64, 64, 0, 0}, 2);
      std::vector<int64_t> pivots(n, 77);
      int64_t info = 77;
      // The grid of one row on which LU works is there.
      ASSERT_EQ(weft_la_gesv(n, columns, weft_la_whole(a), pivots.data(), weft_la_whole(b), &info), WEFT_OK);
      const auto expected = [&](const TestMatrix<double>* matrix, int64_t i, int64_t j) {
        const double diagonal = matrix == &a && i == j ? n : 0;
        return value_at(matrix == &a ? 1 : 2, std::min(i, j), std::max(i, j)) + diagonal;
      };
      const auto fill = [&] {
        for (const TestMatrix<double>* matrix : {&a, &b})
          matrix->for_each([&](int64_t i, int64_t j, double& x) { x = expected(matrix, i, j); });
        weft_barrier();
      };
      const auto is_as_filled = [&] {
        bool is = true;
        for (const TestMatrix<double>* matrix : {&a, &b})
          matrix->for_each([&](int64_t i, int64_t j, const double& x) { is = is && x == expected(matrix, i, j); });
        return is;
      };
      int refused = 0, served = 0;
      for (size_t hole = 0; hole <= size_t{16} << 20; hole = hole == 0 ? 4096 : hole * 32)
        for (const bool lu : {true, false}) {
          fill();
          int status = WEFT_OK;
          {
            std::optional<weft_test::FullSegment> full;
            if (weft_rank() == weft_size() - 1) full.emplace(hole);
            if (weft_rank() == 0) testing::internal::CaptureStderr();
            status = lu ? weft_la_gesv(n, columns, weft_la_whole(a), pivots.data(), weft_la_whole(b), &info)
                        : weft_la_posv(WEFT_LA_LOWER, n, columns, weft_la_whole(a), weft_la_whole(b), &info);
            if (weft_rank() == 0) testing::internal::GetCapturedStderr();
          }
          (status == WEFT_OK ? served : refused) += 1;
          ASSERT_TRUE(status == WEFT_OK || status == WEFT_ERR_NO_MEMORY) << status;
          EXPECT_EQ(is_as_filled(), status != WEFT_OK) << "hole " << hole << (lu ? ", LU" : ", Cholesky");
        }
      EXPECT_GT(refused, 0);
      EXPECT_GT(served, 0);
    }
  weft_la_grid_free(square);
  weft_la_grid_free(line);
}

}  // namespace
