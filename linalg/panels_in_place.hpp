// Finished panels of a Cholesky factorisation where all memory is mapped: they are read where they lie. Those of one
// grid column are one array there, and are applied as one.
#pragma once

#include <span>

#include "linalg/potrf_blocks.hpp"

namespace weft::la {

template <class T>
class PanelsInPlace {
 public:
  static constexpr bool take_room = false;
  explicit PanelsInPlace(const Blocks& blocks)
      : blocks_(blocks), words_(blocks.grid, static_cast<size_t>(blocks.count) * (blocks.grid.rows + 1)) {}
  size_t missing() const { return words_.missing(); }
  void exchange() { words_.exchange(); }

  /// Tells the other ranks of this grid column that the diagonal block of panel k is factored.
  void send_diagonal(int64_t k) {
    const Grid& grid = blocks_.grid;
    for (uint32_t r = 0; r < grid.rows; ++r)
      if (r != grid.row) words_.send(grid.member(r, grid.column), diagonal_word(k), 1);
  }
  weft_signal_condition_t diagonal_arrived(int64_t k) const { return words_.at_least(diagonal_word(k), 1); }
  /// The diagonal block of panel k; data is NULL before it has arrived.
  View<T> diagonal(int64_t k) const {
    if (words_.value(diagonal_word(k)) == 0) return {};
    const uint32_t q = blocks_.column_owner(k);
    return at(blocks_.row_owner(k), q, k, blocks_.local_column(q, k));
  }

  /// This rank's rows of panel k are factored.
  void finished(int64_t k) {
    const Grid& grid = blocks_.grid;
    for (uint32_t member = 0; member < grid.size(); ++member) words_.send(member, panel_word(k, grid.row), 1);
  }
  /// Panels below the result can be applied; those below `applied` are applied to all columns of this rank.
  int64_t arrived(int64_t) {
    const auto whole = [&](int64_t k) {
      for (uint32_t p = 0; p < blocks_.grid.rows; ++p)
        if (missing(k, p)) return false;
      return true;
    };
    while (arrived_ < blocks_.count && whole(arrived_)) ++arrived_;
    return arrived_;
  }
  /// Whether the first panel that has not arrived can be applied to the block column behind it all the same.
  bool next_column_is_served() const { return false; }
  /// Adds what must come before arrived() grows; false if all of it has come meanwhile.
  bool add_conditions(int64_t, std::vector<weft_signal_condition_t>& conditions) const {
    if (arrived_ == blocks_.count) return true;
    const size_t others = conditions.size();
    for (uint32_t p = 0; p < blocks_.grid.rows; ++p)
      if (missing(arrived_, p)) conditions.push_back(words_.at_least(panel_word(arrived_, p), 1));
    return conditions.size() != others;
  }
  /// Waits for data to leave after which more can; false if there is none.
  bool wait_to_send() { return false; }
  /// Whether there is something that is not sent yet.
  bool sending() const { return false; }
  /// Waits until all that was sent is there.
  void wait_for_all() {}

  /// Calls use(PanelGroup) for the panels from `begin` to below `end`, and some of this rank's block columns.
  template <class Use>
  void for_groups(std::span<const int64_t> columns, int64_t begin, int64_t end, Use use) {
    const Grid& grid = blocks_.grid;
    for (uint32_t turn = 0; turn < grid.columns; ++turn) {
      const uint32_t q = (grid.column + turn) % grid.columns;
      const int64_t first = blocks_.local_column(q, begin), depth = blocks_.local_column(q, end) - first;
      if (depth != 0)
        use(PanelGroup<T>{depth, at(grid.row, q, columns.front(), first), right(columns, q, first, depth)});
    }
  }
  /// Sends on what can be sent.
  void progress() {}

 private:
  size_t diagonal_word(int64_t k) const { return static_cast<size_t>(k); }
  size_t panel_word(int64_t k, uint32_t p) const {
    return static_cast<size_t>(blocks_.count + k * blocks_.grid.rows) + p;
  }
  bool missing(int64_t k, uint32_t p) const {
    return blocks_.has_rows_behind(p, k) && words_.value(panel_word(k, p)) == 0;
  }

  View<T> at(uint32_t p, uint32_t q, int64_t block_row, int64_t column) const {
    const size_t offset = blocks_.matrix.offset(p, q, blocks_.local_row(p, block_row), column);
    return {static_cast<const T*>(weft_pointer(blocks_.grid.rank(p, q), offset)), blocks_.matrix.leading(p)};
  }

  // The rows with the numbers of the columns: a copy if they are several, which do not lie side by side.
  View<T> right(std::span<const int64_t> columns, uint32_t q, int64_t column, int64_t depth) {
    if (columns.size() == 1) return at(blocks_.row_owner(columns[0]), q, columns[0], column);
    int64_t leading = 0, row = 0;
    for (const int64_t j : columns) leading += blocks_.width(j);
    rows_.resize(std::max(rows_.size(), static_cast<size_t>(leading * depth)));
    for (const int64_t j : columns) {
      const View<T> from = at(blocks_.row_owner(j), q, j, column);
      copy_block(WEFT_LA_NONE, blocks_.width(j), depth, from.data, from.leading, rows_.data() + row, leading);
      row += blocks_.width(j);
    }
    return {rows_.data(), leading};
  }

  const Blocks& blocks_;
  SignalWords words_;
  int64_t arrived_ = 0;
  std::vector<T> rows_;
};

}  // namespace weft::la
