// Random problems: teams, grids, layouts and values, from a seed that is printed where a case fails.
#pragma once

#include <weft/coll.h>
#include <weft/linalg.h>

#include <complex>
#include <cstdlib>
#include <string>
#include <vector>

#include "linalg/scalar.hpp"
#include "support/ranks.hpp"

namespace linalg_test {

using weft::la::is_complex;
using weft::la::Real;

template <class T>
inline constexpr weft_la_type_t type_of = std::is_same_v<T, float>          ? WEFT_LA_S
                                          : std::is_same_v<T, double>       ? WEFT_LA_D
                                          : is_complex<T> && sizeof(T) == 8 ? WEFT_LA_C
                                                                            : WEFT_LA_Z;

/// How many cases a test of many runs: LINALG_CASES, or as many as fit in a quick test.
inline uint64_t cases(uint64_t usual) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  usual = (usual + 3) / 4;
#endif
  const char* text = std::getenv("LINALG_CASES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}
/// The first seed: LINALG_SEED, to run one case again.
inline uint64_t first_seed() {
  const char* text = std::getenv("LINALG_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

/// Calls one_case(seed) for so many seeds; ends on all ranks when one of them has found a mistake.
template <class Case>
void for_seeds(uint64_t usual, Case one_case) {
  for (uint64_t seed = first_seed(), end = seed + cases(usual); seed < end; ++seed) {
    one_case(seed);
    int32_t failed = testing::Test::HasFailure() ? 1 : 0;
    weft_reduce_all(WEFT_TEAM_WORLD, &failed, WEFT_IN_PLACE, 1, weft_reduction_of(WEFT_I32, WEFT_REDUCE_MAX), 0);
    if (failed != 0) return;
  }
}

/// A value of an element that depends on where it is and on the matrix: from -1 to 1.
inline double value_at(uint64_t matrix, int64_t row, int64_t column) {
  uint64_t x = matrix * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(row) * 0xbf58476d1ce4e5b9u +
               static_cast<uint64_t>(column) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}
template <class T>
T element_at(uint64_t matrix, int64_t row, int64_t column) {
  const auto real = static_cast<Real<T>>(value_at(matrix, row, column));
  if constexpr (is_complex<T>) {
    return {real, static_cast<Real<T>>(value_at(matrix + 1000, row, column))};
  } else {
    return real;
  }
}

/// The same numbers on every rank.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(weft_test::random_numbers(seed)) {}
  int64_t between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_() % static_cast<uint64_t>(most - least + 1));
  }
  bool once_in(int64_t n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 random_;
};

/// A grid of some ranks of the job in some order; NULL on those outside.
class RandomGrid {
 public:
  explicit RandomGrid(Dice& dice) {
    const int64_t key = dice.between(0, weft_size() - 1);
    weft_team_split(WEFT_TEAM_WORLD, 0, static_cast<int32_t>((weft_rank() + key) % weft_size()), &team_);
    const auto size = static_cast<int64_t>(weft_size());
    const int64_t members = dice.once_in(4) ? dice.between(1, size) : size;
    const int64_t rows = dice.between(1, members);
    REQUIRE(weft_la_grid_create(team_, static_cast<uint32_t>(rows), static_cast<uint32_t>(members / rows), &grid_) ==
            WEFT_OK);
  }
  ~RandomGrid() {
    weft_la_grid_free(grid_);
    weft_team_free(team_);
  }
  RandomGrid(const RandomGrid&) = delete;
  RandomGrid& operator=(const RandomGrid&) = delete;
  weft_la_grid_t* get() const { return grid_; }

 private:
  weft_team_t team_ = WEFT_TEAM_NONE;
  weft_la_grid_t* grid_ = nullptr;
};

inline weft_la_layout_t random_layout(Dice& dice, const weft_la_grid_t* grid, weft_la_type_t type, int64_t rows,
                                      int64_t columns) {
  weft_la_layout_t layout = {type, rows, columns, dice.between(1, 12), dice.between(1, 12), 0, 0};
  if (dice.once_in(8)) layout.row_block = 100;  // some ranks have nothing
  if (dice.once_in(8)) layout.column_block = 100;
  layout.first_row = static_cast<uint32_t>(dice.between(0, weft_la_grid_rows(grid) - 1));
  layout.first_column = static_cast<uint32_t>(dice.between(0, weft_la_grid_columns(grid) - 1));
  return layout;
}

/// A matrix for the length of a test, filled by element_at of its number.
template <class T>
class TestMatrix {
 public:
  TestMatrix(weft_la_grid_t* grid, const weft_la_layout_t& layout, uint64_t number) {
    REQUIRE(weft_la_matrix_create(grid, &layout, &matrix_) == WEFT_OK);
    REQUIRE(weft_la_fill(
                matrix_,
                [](int64_t i, int64_t j, void* element, void* argument) {
                  *static_cast<T*>(element) = element_at<T>(*static_cast<uint64_t*>(argument), i, j);
                },
                &number) == WEFT_OK);
  }
  ~TestMatrix() { weft_la_matrix_free(matrix_); }
  TestMatrix(const TestMatrix&) = delete;
  TestMatrix& operator=(const TestMatrix&) = delete;
  operator weft_la_matrix_t*() const { return matrix_; }

  /// Calls each(row, column, element) for this rank's part.
  template <class Each>
  void for_each(Each each) const {
    const weft_la_local_t local = weft_la_matrix_local(matrix_);
    for (int64_t j = 0; j < local.columns; ++j)
      for (int64_t i = 0; i < local.rows; ++i)
        each(weft_la_global_row(matrix_, i), weft_la_global_column(matrix_, j),
             static_cast<T*>(local.data)[i + j * local.leading]);
  }

 private:
  weft_la_matrix_t* matrix_ = nullptr;
};

/// A matrix of one process.
template <class T>
struct Dense {
  Dense(int64_t row_count, int64_t column_count)
      : rows(row_count), columns(column_count), data(static_cast<size_t>(row_count * column_count)) {}
  T& operator()(int64_t i, int64_t j) { return data[static_cast<size_t>(i + j * rows)]; }
  const T& operator()(int64_t i, int64_t j) const { return data[static_cast<size_t>(i + j * rows)]; }
  int64_t leading() const { return std::max<int64_t>(rows, 1); }

  int64_t rows, columns;
  std::vector<T> data;
};

template <class T>
Dense<T> dense(uint64_t number, int64_t rows, int64_t columns) {
  Dense<T> result(rows, columns);
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i) result(i, j) = element_at<T>(number, i, j);
  return result;
}

/// The largest difference to a dense matrix on this rank, and where it is, in words.
template <class T>
void expect_near(const TestMatrix<T>& matrix, const Dense<T>& expected, double tolerance, const std::string& what) {
  double worst = 0;
  int64_t row = 0, column = 0;
  matrix.for_each([&](int64_t i, int64_t j, T& x) {
    const double error = std::abs(std::complex<double>(x) - std::complex<double>(expected(i, j)));
    if (error > worst || error != error) {
      worst = error != error ? 1e300 : error;
      row = i;
      column = j;
    }
  });
  EXPECT_LE(worst, tolerance) << what << ": worst at (" << row << ", " << column << ") on rank " << weft_rank();
}

template <class T>
inline constexpr double epsilon = static_cast<double>(std::numeric_limits<Real<T>>::epsilon());

}  // namespace linalg_test
