// SUMMA by point-to-point communication: the owner of a panel puts it to each rank that needs it, with a signal, and
// goes on. There is no tree and no team. An owner may write to a rank's slot when that rank has told it that it is done
// with the step before that used the slot; it tells so to its row and its column.
//
// Nobody waits for ever: take the rank that is in the lowest step. The owners of its panels are in that step or a later
// one, so they have sent them `lookahead` steps ago.
#include <weft/signal.h>

#include "linalg/summa.hpp"

namespace weft::la {
namespace {

// Signal words of a rank, in its segment, zero before the first signal can come.
class Words {
 public:
  Words(const Grid& grid, size_t slots) : memory_(sizeof(uint64_t) * (2 * slots + grid.size())), slots_(slots) {
    if (memory_.missing() == 0) std::fill_n(memory_.data<uint64_t>(), 2 * slots + grid.size(), 0);
  }
  size_t missing() const { return memory_.missing(); }
  size_t offset() const { return memory_.offset(); }
  /// Number of the last step, from 1, whose panel of A (0) or B (1) is in the slot.
  size_t arrived(size_t start, size_t operand, size_t step) const {
    return start + sizeof(uint64_t) * (operand * slots_ + step % slots_);
  }
  /// How many steps a member is done with.
  size_t done(size_t start, uint32_t member) const { return start + sizeof(uint64_t) * (2 * slots_ + member); }

 private:
  Workspace memory_;
  size_t slots_;
};

}  // namespace

template <class T>
int gemm_flat(const Gemm<T>& gemm, const char* function) {
  const Grid& grid = gemm.grid();
  const size_t lookahead = std::max<size_t>({2, grid.rows, grid.columns}), slots = lookahead + 1;
  const Summa<T> summa(gemm, slots);
  const Words words(grid, slots);
  if (int status = have_workspace(grid, summa.missing() + words.missing(), function); status != WEFT_OK) return status;
  const std::vector<uint64_t> buffers = grid.everyones(summa.offset()), starts = grid.everyones(words.offset());
  const uint32_t me = grid.member(grid.row, grid.column);

  // Puts a panel to the same place in another rank's slot. That rank's other extent may differ from this one's, so the
  // place is told from the extents that the peer has.
  const auto put = [&](uint32_t r, uint32_t c, size_t operand, size_t s, const T* panel, size_t bytes) {
    const uint32_t peer = grid.member(r, c);
    if (peer == me) return;
    if (s >= slots) weft_signal_wait(words.done(words.offset(), peer), WEFT_GE, s - slots + 1, nullptr);
    const int64_t peer_m = gemm.row_axis().before(r, gemm.c.row + gemm.m) - gemm.row_axis().before(r, gemm.c.row);
    const int64_t peer_n =
        gemm.column_axis().before(c, gemm.c.column + gemm.n) - gemm.column_axis().before(c, gemm.c.column);
    const int64_t depth = summa.most_depth();
    const auto slot = static_cast<size_t>(static_cast<int64_t>(s % slots) * (peer_m + peer_n) * depth);
    const size_t place = slot + (operand == 1 ? static_cast<size_t>(peer_m * depth) : 0);
    weft_put_signal_nbi(grid.ranks[peer], buffers[peer] + place * sizeof(T), panel, bytes,
                        words.arrived(starts[peer], operand, s), s + 1, WEFT_SIGNAL_SET, 0);
  };
  const auto send = [&](size_t s) {
    if (s >= summa.steps().size()) return;
    const auto& step = summa.steps()[s];
    weft_nbi_wait_local();  // what was sent from the slot before
    summa.pack(s);
    for (uint32_t i = 1; i < grid.columns && summa.owns_a(step); ++i)
      put(grid.row, (grid.column + i) % grid.columns, 0, s, summa.a_panel(s), summa.a_bytes(step));
    for (uint32_t i = 1; i < grid.rows && summa.owns_b(step); ++i)
      put((grid.row + i) % grid.rows, grid.column, 1, s, summa.b_panel(s), summa.b_bytes(step));
  };
  const auto tell = [&](uint32_t peer, size_t s) {
    if (peer != me)
      weft_put_signal_nbi(grid.ranks[peer], 0, nullptr, 0, words.done(starts[peer], me), s + 1, WEFT_SIGNAL_SET, 0);
  };

  for (size_t s = 0; s < lookahead; ++s) send(s);
  for (size_t s = 0; s < summa.steps().size(); ++s) {
    send(s + lookahead);
    const auto& step = summa.steps()[s];
    if (!summa.owns_a(step)) weft_signal_wait(words.arrived(words.offset(), 0, s), WEFT_GE, s + 1, nullptr);
    if (!summa.owns_b(step)) weft_signal_wait(words.arrived(words.offset(), 1, s), WEFT_GE, s + 1, nullptr);
    summa.multiply(s);
    for (uint32_t c = 0; c < grid.columns; ++c) tell(grid.member(grid.row, c), s);
    for (uint32_t r = 0; r < grid.rows; ++r) tell(grid.member(r, grid.column), s);
  }
  weft_nbi_wait();
  grid.barrier();
  return WEFT_OK;
}

template int gemm_flat<float>(const Gemm<float>&, const char*);
template int gemm_flat<double>(const Gemm<double>&, const char*);
template int gemm_flat<std::complex<float>>(const Gemm<std::complex<float>>&, const char*);
template int gemm_flat<std::complex<double>>(const Gemm<std::complex<double>>&, const char*);

}  // namespace weft::la
