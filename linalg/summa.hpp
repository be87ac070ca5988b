// What the three ways of SUMMA share: the steps of the sum, and the panels that their owners pack.
//
//   for each step K of the sum, of which one grid column has the columns of A and one grid row the rows of B:
//     send A(my rows, K) from its owner along each grid row
//     send B(K, my columns) from its owner along each grid column
//     C(my rows, my columns) += A(my rows, K) B(K, my columns)
//
// K is apart from the block size: blocks that have the same two owners are merged to `depth` indices. Steps of
// different owners alternate, so that all of them send.
#pragma once

#include <vector>

#include "linalg/gemm.hpp"

namespace weft::la {

/// Slots of gemm_broadcast().
inline size_t broadcast_slots(const Grid& grid) { return std::max<size_t>({2, grid.rows, grid.columns}) + 1; }

template <class T>
class Summa {
 public:
  struct Step {
    std::vector<Interval> sum;
    int64_t depth;
    uint32_t a_owner;  ///< grid column
    uint32_t b_owner;  ///< grid row
  };

  /// `slots`: how many steps' panels are kept at a time.
  Summa(const Gemm<T>& gemm, size_t slots);

  /// What a product needs that is computed with so many slots, by broadcasts.
  static Room room_for(const Gemm<T>& gemm, size_t slots) {
    const int64_t m = gemm.local_m(), n = gemm.local_n(), depth = std::min(gemm.k, most_depth_);
    const auto bytes = [&](int64_t rows) { return static_cast<size_t>(rows * depth) * sizeof(T); };
    return {.workspace = slots * bytes(m + n), .in_row = bytes(m), .in_column = bytes(n), .broadcasts = true};
  }
  /// Whether all ranks have their workspace, and room for the broadcasts of the panels; as weft::la::have_room().
  int have_room(const char* function) const {
    const int status = have_workspace(gemm_.grid(), workspace_.missing(), function);
    if (status != WEFT_OK) return status;
    Room room = room_for(gemm_, slots_);
    room.workspace = 0;
    return la::have_room(gemm_.grid(), room, function);
  }

  /// Bytes of workspace that this rank did not get.
  size_t missing() const { return workspace_.missing(); }

  const std::vector<Step>& steps() const { return steps_; }
  bool owns_a(const Step& step) const { return step.a_owner == gemm_.grid().column; }
  bool owns_b(const Step& step) const { return step.b_owner == gemm_.grid().row; }

  /// Buffers of a step's slot and their bytes. Panels are packed: the leading dimension is what it can least be.
  T* a_panel(size_t step) const { return workspace_.template data<T>() + (step % slots_) * slot_elements(); }
  T* b_panel(size_t step) const { return a_panel(step) + m_ * depth_; }
  size_t a_bytes(const Step& step) const { return static_cast<size_t>(m_ * step.depth) * sizeof(T); }
  size_t b_bytes(const Step& step) const { return static_cast<size_t>(step.depth * n_) * sizeof(T); }
  /// Of this rank's first buffer in its segment. Ranks of a row have the same m, those of a column the same n.
  size_t offset() const { return workspace_.offset(); }
  int64_t m() const { return m_; }
  int64_t n() const { return n_; }
  int64_t most_depth() const { return depth_; }

  /// Packs what this rank owns of the step's panels into the slot.
  void pack(size_t step) const;
  /// C += A B for the panels in the slot.
  void multiply(size_t step) const;

 private:
  static constexpr int64_t most_depth_ = 256;
  size_t slot_elements() const { return static_cast<size_t>((m_ + n_) * depth_); }

  const Gemm<T>& gemm_;
  int64_t m_, n_, depth_;
  size_t slots_;
  std::vector<Interval> rows_, columns_;  // of A and of B, of this rank
  std::vector<Step> steps_;
  Workspace workspace_;
};

}  // namespace weft::la
