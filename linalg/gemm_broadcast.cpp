// SUMMA over non-blocking broadcasts: those of the next steps are under way while a step is computed. The deeper the
// grid, the longer a broadcast takes from end to end, so the lookahead grows with it.
#include "linalg/summa.hpp"

namespace weft::la {

template <class T>
int gemm_broadcast(const Gemm<T>& gemm, const char* function) {
  const Grid& grid = gemm.grid();
  const size_t slots = broadcast_slots(grid), lookahead = slots - 1;
  const Summa<T> summa(gemm, slots);
  if (int status = summa.have_room(function); status != WEFT_OK) return status;

  std::vector<weft_handle_t> handles(2 * summa.steps().size(), WEFT_HANDLE_DONE);
  const auto send = [&](size_t s) {
    if (s >= summa.steps().size()) return;
    const auto& step = summa.steps()[s];
    summa.pack(s);
    weft_broadcast_nb(grid.in_row, summa.a_panel(s), summa.a_panel(s), summa.a_bytes(step), step.a_owner, 0,
                      &handles[2 * s]);
    weft_broadcast_nb(grid.in_column, summa.b_panel(s), summa.b_panel(s), summa.b_bytes(step), step.b_owner, 0,
                      &handles[2 * s + 1]);
  };
  for (size_t s = 0; s < lookahead; ++s) send(s);
  for (size_t s = 0; s < summa.steps().size(); ++s) {
    send(s + lookahead);  // into the slot of step s - 1, which is done
    weft_handle_wait_all(&handles[2 * s], 2);
    summa.multiply(s);
  }
  grid.barrier();
  return WEFT_OK;
}

template int gemm_broadcast<float>(const Gemm<float>&, const char*);
template int gemm_broadcast<double>(const Gemm<double>&, const char*);
template int gemm_broadcast<std::complex<float>>(const Gemm<std::complex<float>>&, const char*);
template int gemm_broadcast<std::complex<double>>(const Gemm<std::complex<double>>&, const char*);

}  // namespace weft::la
