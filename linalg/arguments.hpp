// What every function of the interface looks at before it works: one line names the first argument that is wrong.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "linalg/matrix.hpp"
#include "linalg/report.hpp"

namespace weft::la {

/// Collects the first problem of a call. Ranks give the same arguments, so all of them find the same; the first of the
/// grid prints it.
class Arguments {
 public:
  explicit Arguments(const char* function) : function_(function) {}

  Arguments& not_null(const char* name, const void* pointer) {
    if (pointer == nullptr) fail("%s is NULL", name);
    return *this;
  }
  Arguments& grid(const Grid* grid) {
    not_null("grid", grid);
    if (grid != nullptr) speaks_ = weft_team_rank(grid->all) == 0;
    return *this;
  }
  Arguments& matrix(const char* name, const Matrix* matrix) {
    not_null(name, matrix);
    if (matrix != nullptr) speaks_ = weft_team_rank(matrix->grid.all) == 0;
    return *this;
  }
  Arguments& size(const char* name, int64_t value) {
    if (value < 0) fail("%s is %lld; it is at least 0", name, static_cast<long long>(value));
    return *this;
  }
  /// One of the values 0 to most. What depends on it is not looked at before status() has been asked.
  template <class Enumeration>
  Arguments& choice(const char* name, const Enumeration& given, int most) {
    const int value = number_of(given);
    if (value < 0 || value > most) fail("%s is %d; its values are 0 to %d", name, value, most);
    return *this;
  }
  /// rows x columns from the part's start lie in its matrix.
  Arguments& part(const char* name, const weft_la_part_t& part, int64_t rows, int64_t columns) {
    if (status_ != WEFT_OK) return *this;
    reaches(name, "row", part.row, rows, part.matrix->layout.rows);
    reaches(name, "column", part.column, columns, part.matrix->layout.columns);
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

  template <class... Values>
  void fail(const char* format, Values... values) {
    if (status_ == WEFT_OK) status_ = refuse(speaks_, function_, format, values...);
  }
  int status() const { return status_; }

 private:
  void reaches(const char* name, const char* what, int64_t start, int64_t count, int64_t extent) {
    if (start < 0 || start > extent - count)
      fail("%s.%s is %lld; with %lld %ss from there it is 0 to %lld", name, what, static_cast<long long>(start),
           static_cast<long long>(count), what, static_cast<long long>(extent - count));
  }

  const char* function_;
  bool speaks_ = true;
  int status_ = WEFT_OK;
};

}  // namespace weft::la
