// Reading any rows and columns of a distributed matrix: the one way in which elements come from other ranks where a
// collective does not bring them.
#pragma once

#include <weft/rma.h>

#include <vector>

#include "linalg/matrix.hpp"

namespace weft::la {

/// to(i, j) = from(i, j), or from(j, i) or its conjugate: `rows` x `columns` of `from`.
template <class T>
void copy_block(weft_la_op_t op, int64_t rows, int64_t columns, const T* from, int64_t from_leading, T* to,
                int64_t to_leading);

/// Reads the elements at rows R and columns C of a matrix: element (R[i], C[j]) goes to to[i + j * leading], transposed
/// to to[j + i * leading]. What lies on mapped memory is there when the constructor returns, the rest after finish().
template <class T>
class Fetch {
 public:
  Fetch() = default;
  Fetch(const Matrix& matrix, const std::vector<Interval>& rows, const std::vector<Interval>& columns, weft_la_op_t op,
        T* to, int64_t leading);
  ~Fetch() { finish(); }
  Fetch(Fetch&& other) noexcept { *this = std::move(other); }
  Fetch& operator=(Fetch&& other) noexcept {
    finish();
    handles_ = std::move(other.handles_);
    staged_ = std::move(other.staged_);
    other.handles_.clear();
    other.staged_.clear();
    return *this;
  }

  void finish();

 private:
  // A block that comes as it lies there and is transposed here.
  struct Staged {
    std::vector<T> block;
    int64_t rows, columns;
    weft_la_op_t op;
    T* to;
    int64_t leading;
  };
  void get(const Matrix& matrix, const Run& rows, const Run& columns, T* to, int64_t leading);

  std::vector<weft_handle_t> handles_;
  std::vector<Staged> staged_;
};

/// An array in memory that this rank can address.
template <class T>
struct View {
  const T* data = nullptr;
  int64_t leading = 1;
};

/// The elements of a matrix at these rows and columns in place, if one rank that is mapped here has them all and they
/// are one array there; else data is NULL.
template <class T>
View<T> view(const Matrix& matrix, const std::vector<Interval>& rows, const std::vector<Interval>& columns);

}  // namespace weft::la
