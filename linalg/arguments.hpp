// What every function of the interface looks at before it works: one line names the first argument that is wrong.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "linalg/matrix.hpp"
#include "linalg/report.hpp"

namespace weft::la {

/// Collects the first problem of a call. Ranks give the same arguments, so all of them find the same; the first of the
/// grid prints it. With WEFT_CHECK=1 status() compares them, so it is collective.
class Arguments {
 public:
  explicit Arguments(const char* function) : function_(function) {}

  Arguments& not_null(const char* name, const void* pointer) {
    if (pointer == nullptr) fail("%s is NULL", name);
    return *this;
  }
  Arguments& grid(const Grid* grid) {
    not_null("grid", grid);
    if (grid != nullptr) meet_on(*grid);
    return *this;
  }
  Arguments& matrix(const char* name, const Matrix* matrix) {
    not_null(name, matrix);
    if (matrix != nullptr) meet_on(matrix->grid);
    return *this;
  }
  Arguments& size(const char* name, int64_t value) {
    alike(name, value);
    if (value < 0) fail("%s is %lld; it is at least 0", name, static_cast<long long>(value));
    return *this;
  }
  /// One of the values 0 to most. What depends on it is not looked at before status() has been asked.
  template <class Enumeration>
  Arguments& choice(const char* name, const Enumeration& given, int most) {
    const int value = number_of(given);
    alike(name, value);
    if (value < 0 || value > most) fail("%s is %d; its values are 0 to %d", name, value, most);
    return *this;
  }
  /// rows x columns from the part's start lie in its matrix.
  Arguments& part(const char* name, const weft_la_part_t& part, int64_t rows, int64_t columns) {
    alike(std::string(name) + ".row", part.row).alike(std::string(name) + ".column", part.column);
    if (status_ != WEFT_OK) return *this;
    const weft_la_layout_t& layout = part.matrix->layout;
    reaches(name, "row", part.row, rows, layout.rows, layout);
    reaches(name, "column", part.column, columns, layout.columns, layout);
    return *this;
  }
  /// What is written, one, has nothing of what is read.
  Arguments& disjoint(const char* name, const weft_la_part_t& one, int64_t rows, int64_t columns,
                      const char* other_name, const weft_la_part_t& other, int64_t other_rows, int64_t other_columns) {
    const auto meet = [](int64_t start, int64_t count, int64_t other_start, int64_t other_count) {
      return start < other_start + other_count && other_start < start + count && count > 0 && other_count > 0;
    };
    if (status_ == WEFT_OK && one.matrix == other.matrix && meet(one.row, rows, other.row, other_rows) &&
        meet(one.column, columns, other.column, other_columns))
      fail("%s overlaps %s in their matrix (row %lld, column %lld); give it a matrix or a part of its own", name,
           other_name, static_cast<long long>(std::max(one.row, other.row)),
           static_cast<long long>(std::max(one.column, other.column)));
    return *this;
  }
  Arguments& same_type(const char* name, const Matrix* matrix, const char* other_name, const Matrix* other) {
    if (status_ == WEFT_OK && matrix->layout.type != other->layout.type)
      fail("%s has type %d and %s type %d; they are of one type", name, static_cast<int>(matrix->layout.type),
           other_name, static_cast<int>(other->layout.type));
    return *this;
  }
  Arguments& same_grid(const char* name, const Matrix* matrix, const char* other_name, const Matrix* other) {
    if (status_ == WEFT_OK && &matrix->grid != &other->grid) fail("%s and %s are on two grids", name, other_name);
    return *this;
  }

  /// What all ranks give alike.
  Arguments& alike(std::string name, int64_t value) {
    if (checks_ranks()) given_.emplace_back(std::move(name), value);
    return *this;
  }

  template <class... Values>
  void fail(const char* format, Values... values) {
    if (status_ == WEFT_OK) status_ = refuse(speaks_, function_, format, values...);
  }
  int status() {
    if (grid_ != nullptr && !given_.empty()) compare();
    given_.clear();
    return status_;
  }

 private:
  void meet_on(const Grid& grid) {
    grid_ = &grid;
    speaks_ = weft_team_rank(grid.all) == 0;
  }
  // Whether a rank has given something else, or refuses what it gave: then all refuse.
  void compare() {
    std::vector<int64_t> most = {status_ == WEFT_OK ? 0 : 1};  // and for each value itself and its complement
    for (const auto& [name, value] : given_) most.insert(most.end(), {value, ~value});
    weft_reduce_all(grid_->all, most.data(), WEFT_IN_PLACE, most.size(), weft_reduction_of(WEFT_I64, WEFT_REDUCE_MAX),
                    0);
    for (size_t i = 0; i < given_.size() && status_ == WEFT_OK; ++i) {
      const int64_t highest = most[2 * i + 1], lowest = ~most[2 * i + 2];
      if (lowest != highest)
        fail("%s is %lld on one rank and %lld on another; all ranks of the grid give the same", given_[i].first.c_str(),
             static_cast<long long>(lowest), static_cast<long long>(highest));
    }
    if (most[0] != 0) fail("another rank of the grid refuses its arguments");
  }
  // The part's rows or columns lie in its matrix, which has `extent` of them.
  void reaches(const char* name, const char* what, int64_t start, int64_t count, int64_t extent,
               const weft_la_layout_t& layout) {
    if (start >= 0 && start <= extent - count) return;
    const auto number = [](int64_t value) { return std::to_string(value); };
    const std::string place = std::string(name) + "." + what;
    const std::string limit =
        count > extent ? std::string("it has too few ") + what + "s" : place + " is 0 to " + number(extent - count);
    fail("%s is %s; %s %s%s from there must lie in %s.matrix, which is %s x %s: %s", place.c_str(),
         number(start).c_str(), number(count).c_str(), what, count == 1 ? "" : "s", name, number(layout.rows).c_str(),
         number(layout.columns).c_str(), limit.c_str());
  }

  const char* function_;
  const Grid* grid_ = nullptr;
  std::vector<std::pair<std::string, int64_t>> given_;  // since status() was asked last
  bool speaks_ = true;
  int status_ = WEFT_OK;
};

}  // namespace weft::la
