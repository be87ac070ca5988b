// What the parts of the Cholesky factorisation share: the blocks of the matrix, and the signals between ranks.
#pragma once

#include <weft/signal.h>

#include "linalg/fetch.hpp"

namespace weft::la {

/// The square blocks of the part, numbered from 0 in both dimensions.
struct Blocks {
  Blocks(const weft_la_part_t& a, int64_t order)
      : matrix(*a.matrix),
        grid(matrix.grid),
        part(a),
        n(order),
        size(std::min(matrix.layout.row_block, std::max<int64_t>(order, 1))),
        count((n + size - 1) / size) {}

  int64_t start(int64_t k) const { return std::min(k * size, n); }
  int64_t width(int64_t k) const { return start(k + 1) - start(k); }
  uint32_t row_owner(int64_t k) const { return matrix.rows.owner(part.row + start(k)); }
  uint32_t column_owner(int64_t k) const { return matrix.columns.owner(part.column + start(k)); }
  /// Where the first row of block row k, or of a later one, stands on a grid row; columns alike.
  int64_t local_row(uint32_t p, int64_t k) const { return matrix.rows.before(p, part.row + start(k)); }
  int64_t local_column(uint32_t q, int64_t k) const { return matrix.columns.before(q, part.column + start(k)); }
  /// Whether a grid row has rows of blocks behind k; columns alike.
  bool has_rows_behind(uint32_t p, int64_t k) const { return local_row(p, k + 1) != local_row(p, count); }
  bool has_columns_behind(uint32_t q, int64_t k) const { return local_column(q, k + 1) != local_column(q, count); }
  /// Where this rank has the first element of a block, or of what comes behind it.
  template <class T>
  T* own(int64_t block_row, int64_t block_column) const {
    return matrix.data<T>() + local_row(grid.row, block_row) +
           local_column(grid.column, block_column) * matrix.leading();
  }

  Matrix& matrix;
  const Grid& grid;
  const weft_la_part_t part;
  const int64_t n, size, count;
};

/// Words for signals in the segments of all ranks, zero at first. A word's value only grows.
class SignalWords {
 public:
  SignalWords(const Grid& grid, size_t words) : grid_(grid), memory_(sizeof(uint64_t) * words) {
    if (memory_.missing() == 0) std::fill_n(memory_.data<uint64_t>(), words, 0);
  }
  size_t missing() const { return memory_.missing(); }
  /// Collective, before the first signal.
  void exchange() { starts_ = grid_.everyones(memory_.offset()); }

  /// Where a member has the word.
  size_t place(uint32_t member, size_t word) const { return starts_[member] + sizeof(uint64_t) * word; }
  void send(uint32_t member, size_t word, uint64_t value) const {
    weft_put_signal_nbi(grid_.ranks[member], 0, nullptr, 0, place(member, word), value, WEFT_SIGNAL_SET, 0);
  }
  void add(uint32_t member, size_t word, uint64_t value) const {
    weft_put_signal_nbi(grid_.ranks[member], 0, nullptr, 0, place(member, word), value, WEFT_SIGNAL_ADD, 0);
  }
  weft_signal_condition_t at_least(size_t word, uint64_t value) const {
    return {memory_.offset() + sizeof(uint64_t) * word, WEFT_GE, value};
  }
  /// This rank's word; does not poll.
  uint64_t value(size_t word) const { return __atomic_load_n(memory_.data<uint64_t>() + word, __ATOMIC_ACQUIRE); }

 private:
  const Grid& grid_;
  Workspace memory_;
  std::vector<uint64_t> starts_;
};

/// Some finished panels side by side: `left` has this rank's rows from a block row on, `right` the rows with the
/// numbers of some of its block columns.
template <class T>
struct PanelGroup {
  int64_t depth;
  View<T> left, right;
};

}  // namespace weft::la
