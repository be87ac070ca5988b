#include "linalg/blas.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <weft/sim.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>

#include "linalg/scalar.hpp"

// Fortran's interface, which every BLAS has. The lengths of strings that Fortran compilers pass behind the arguments
// are not needed for single characters.
#define WEFT_LA_DECLARE(p, T, herk)                                                                              \
  extern "C" void p##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*,     \
                           const int*, const T*, const int*, const T*, T*, const int*);                          \
  extern "C" void p##herk(const char*, const char*, const int*, const int*, const weft::la::Real<T>*, const T*,  \
                          const int*, const weft::la::Real<T>*, T*, const int*);                                 \
  extern "C" void p##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, const T*, \
                           const T*, const int*, T*, const int*);                                                \
  extern "C" void p##potrf_(const char*, const int*, T*, const int*, int*);                                      \
  extern "C" void p##getrf_(const int*, const int*, T*, const int*, int*, int*);                                 \
  extern "C" void p##laswp_(const int*, T*, const int*, const int*, const int*, const int*, const int*);         \
  namespace {                                                                                                    \
  template <>                                                                                                    \
  struct Kernels<T> {                                                                                            \
    static constexpr auto gemm = p##gemm_;                                                                       \
    static constexpr auto rank_k = p##herk;                                                                      \
    static constexpr auto trsm = p##trsm_;                                                                       \
    static constexpr auto potrf = p##potrf_;                                                                     \
    static constexpr auto getrf = p##getrf_;                                                                     \
    static constexpr auto laswp = p##laswp_;                                                                     \
  };                                                                                                             \
  }

namespace {
template <class T>
struct Kernels;
}
WEFT_LA_DECLARE(s, float, syrk_)
WEFT_LA_DECLARE(d, double, syrk_)
WEFT_LA_DECLARE(c, std::complex<float>, herk_)
WEFT_LA_DECLARE(z, std::complex<double>, herk_)

namespace weft::la::blas {
namespace {

constexpr char letters[] = {'N', 'T', 'C'};

// BLAS refuses a leading dimension below 1, also where there are no rows.
int leading(int64_t value) { return static_cast<int>(std::max<int64_t>(value, 1)); }

// Tells a simulation what was computed: pairs of a multiplication and an addition.
template <class T>
void took(double pairs) {
  constexpr double operations = std::is_same_v<T, Real<T>> ? 2 : 8;
  weft_sim_compute(operations * pairs, 0);
}

double product(std::initializer_list<int64_t> factors) {
  double all = 1;
  for (const int64_t factor : factors) all *= static_cast<double>(factor);
  return all;
}

}  // namespace

template <class T>
void gemm(weft_la_op_t op_a, weft_la_op_t op_b, int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda,
          const T* b, int64_t ldb, T beta, T* c, int64_t ldc) {
  if (m == 0 || n == 0) return;
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k);
  const int la = leading(lda), lb = leading(ldb), lc = leading(ldc);
  Kernels<T>::gemm(&letters[op_a], &letters[op_b], &rows, &columns, &depth, &alpha, a, &la, b, &lb, &beta, c, &lc);
  took<T>(product({m, n, k}));
}

template <class T>
void herk_lower(int64_t n, int64_t k, const T* a, int64_t lda, T* c, int64_t ldc) {
  if (n == 0) return;
  const int order = static_cast<int>(n), depth = static_cast<int>(k), la = leading(lda), lc = leading(ldc);
  const Real<T> minus_one = -1, one = 1;
  Kernels<T>::rank_k("L", "N", &order, &depth, &minus_one, a, &la, &one, c, &lc);
  took<T>(product({n, n, k}) / 2);
}

template <class T>
void trsm(weft_la_side_t side, weft_la_triangle_t triangle, weft_la_op_t op, weft_la_diagonal_t diagonal, int64_t m,
          int64_t n, T alpha, const T* a, int64_t lda, T* b, int64_t ldb) {
  if (m == 0 || n == 0) return;
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), la = leading(lda), lb = leading(ldb);
  Kernels<T>::trsm(side == WEFT_LA_LEFT ? "L" : "R", triangle == WEFT_LA_LOWER ? "L" : "U", &letters[op],
                   diagonal == WEFT_LA_UNIT ? "U" : "N", &rows, &columns, &alpha, a, &la, b, &lb);
  took<T>(product({m, n, side == WEFT_LA_LEFT ? m : n}) / 2);
}

template <class T>
int64_t potrf_lower(int64_t n, T* a, int64_t lda) {
  if (n == 0) return 0;
  const int order = static_cast<int>(n), la = leading(lda);
  int info = 0;
  Kernels<T>::potrf("L", &order, a, &la, &info);
  took<T>(product({n, n, n}) / 6);
  return info;
}

template <class T>
int64_t getrf(int64_t m, int64_t n, T* a, int64_t lda, int* pivots) {
  if (m == 0 || n == 0) return 0;
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), la = leading(lda);
  int info = 0;
  Kernels<T>::getrf(&rows, &columns, a, &la, pivots, &info);
  const int64_t steps = std::min(m, n);
  took<T>(product({m, n, steps}) - product({m + n, steps, steps}) / 2 + product({steps, steps, steps}) / 3);
  return info;
}

template <class T>
void exchange_rows(int64_t columns, T* a, int64_t lda, const int* pivots, int64_t count) {
  if (columns == 0 || count == 0) return;
  const int width = static_cast<int>(columns), la = leading(lda), first = 1, last = static_cast<int>(count), step = 1;
  Kernels<T>::laswp(&width, a, &la, &first, &last, pivots, &step);
}

void share_processors(unsigned ranks_on_host) {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr || std::getenv("OMP_NUM_THREADS") != nullptr) return;
  using SetThreads = void (*)(int);
  const auto set_threads = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set_threads == nullptr) return;
  cpu_set_t usable;
  const int processors = sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
  set_threads(std::max(1, processors / static_cast<int>(ranks_on_host)));
}

#define WEFT_LA_INSTANTIATE(T)                                                                                     \
  template void gemm<T>(weft_la_op_t, weft_la_op_t, int64_t, int64_t, int64_t, T, const T*, int64_t, const T*,     \
                        int64_t, T, T*, int64_t);                                                                  \
  template void herk_lower<T>(int64_t, int64_t, const T*, int64_t, T*, int64_t);                                   \
  template void trsm<T>(weft_la_side_t, weft_la_triangle_t, weft_la_op_t, weft_la_diagonal_t, int64_t, int64_t, T, \
                        const T*, int64_t, T*, int64_t);                                                           \
  template int64_t potrf_lower<T>(int64_t, T*, int64_t);                                                           \
  template int64_t getrf<T>(int64_t, int64_t, T*, int64_t, int*);                                                  \
  template void exchange_rows<T>(int64_t, T*, int64_t, const int*, int64_t);
WEFT_LA_FOR_ALL_TYPES(WEFT_LA_INSTANTIATE)

}  // namespace weft::la::blas
