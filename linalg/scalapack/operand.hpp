// A submatrix of a ScaLAPACK program's distributed array, as it gives it to a call.
#pragma once

#include <weft/linalg.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "linalg/scalapack/session.hpp"

namespace weft::scalapack {

/// Fields of a descriptor.
enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };
using Descriptor = std::array<int, 9>;

/// The descriptor that a program gives to ScaLAPACK's routines.
Descriptor descriptor_of(const int* given);
/// The same for PBLAS, which also takes those of type 2: the first blocks have sizes of their own. Where these are the
/// others' sizes it is of type 1; else its type stays 2, which Weft does not take.
Descriptor pblas_descriptor_of(const int* given);

/// rows x columns of sub(A) = A(ia : ia + rows - 1, ja : ja + columns - 1), with ia and ja from 1.
class Operand {
 public:
  Operand(weft_la_type_t type, void* array, const int* ia, const int* ja, const Descriptor& descriptor, int64_t rows,
          int64_t columns)
      : type_(type),
        array_(static_cast<char*>(array)),
        row_(*ia - 1),
        column_(*ja - 1),
        rows_(rows),
        columns_(columns),
        descriptor_(descriptor) {}

  int context() const { return descriptor_[CTXT]; }
  /// All that ScaLAPACK demands of a descriptor and what it describes.
  bool in_order(const Context& context) const;
  /// Adds what all processes give alike; `letter`: the array's name.
  void tell(char letter, std::vector<Given>& given) const;

  /// The blocks of the array that the submatrix lies in, as a matrix of Weft.
  weft_la_layout_t layout(const Context& context) const;
  /// Where the submatrix starts in that matrix.
  int64_t first_row() const { return row_ % descriptor_[MB]; }
  int64_t first_column() const { return column_ % descriptor_[NB]; }
  /// This process's part of these blocks in the program's array.
  void* local(const Context& context) const;
  int64_t leading() const { return descriptor_[LLD]; }

  /// The process row that has a row of the array, from 0, and the row's place there.
  int row_owner(const Context& context, int64_t row) const {
    return static_cast<int>((descriptor_[RSRC] + row / descriptor_[MB]) % context.rows);
  }
  int64_t local_row(const Context& context, int64_t row) const {
    return row / descriptor_[MB] / context.rows * descriptor_[MB] + row % descriptor_[MB];
  }

 private:
  weft_la_type_t type_;
  char* array_;
  int64_t row_, column_, rows_, columns_;
  Descriptor descriptor_;
};

/// An operand's elements in Weft's memory, for the length of a call.
class Copy {
 public:
  /// Collective. `imported`: the program's elements are copied in.
  Copy(weft_la_grid_t* grid, const Context& context, const Operand& operand, bool imported);
  ~Copy() { weft_la_matrix_free(matrix_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  /// False, on all ranks, if there is no memory for it.
  bool good() const { return matrix_ != nullptr; }
  weft_la_part_t part() const { return {matrix_, operand_.first_row(), operand_.first_column()}; }
  /// To the program's array.
  void write_back() const;

 private:
  const Context& context_;
  const Operand& operand_;
  weft_la_matrix_t* matrix_ = nullptr;
};

}  // namespace weft::scalapack
