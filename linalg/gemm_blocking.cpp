// SUMMA over blocking broadcasts: the textbook's, without overlap.
#include "linalg/summa.hpp"

namespace weft::la {

template <class T>
int gemm_blocking(const Gemm<T>& gemm, const char* function) {
  const Grid& grid = gemm.grid();
  const Summa<T> summa(gemm, 1);
  if (int status = summa.have_room(function); status != WEFT_OK) return status;

  for (size_t s = 0; s < summa.steps().size(); ++s) {
    const auto& step = summa.steps()[s];
    summa.pack(s);
    weft_broadcast(grid.in_row, summa.a_panel(s), summa.a_panel(s), summa.a_bytes(step), step.a_owner, 0);
    weft_broadcast(grid.in_column, summa.b_panel(s), summa.b_panel(s), summa.b_bytes(step), step.b_owner, 0);
    summa.multiply(s);
  }
  grid.barrier();
  return WEFT_OK;
}

template int gemm_blocking<float>(const Gemm<float>&, const char*);
template int gemm_blocking<double>(const Gemm<double>&, const char*);
template int gemm_blocking<std::complex<float>>(const Gemm<std::complex<float>>&, const char*);
template int gemm_blocking<std::complex<double>>(const Gemm<std::complex<double>>&, const char*);

}  // namespace weft::la
