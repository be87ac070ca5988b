// ScaLAPACK's functions, served by Weft where it can, and else by the ScaLAPACK that the program has linked: with their
// own names if WEFT_SCALAPACK_OVERRIDE is defined, or beginning with weft_.
//
// Each function decides in three steps, the same on all processes: is the problem as large as Weft is good for; is the
// context one that Weft can serve, and do all processes give the same arguments, in order; is there memory. If any of
// them fails, ScaLAPACK gets the call as it came; so it is ScaLAPACK that finds fault with arguments.
#include <cctype>
#include <complex>
#include <optional>
#include <tuple>
#include <utility>

#include "linalg/report.hpp"
#include "linalg/scalapack/operand.hpp"
#include "linalg/scalar.hpp"

#ifdef WEFT_SCALAPACK_OVERRIDE
#define WEFT_SCALAPACK_NAME(name) name
#else
#define WEFT_SCALAPACK_NAME(name) weft_##name
#endif

namespace weft::scalapack {
namespace {

std::optional<weft_la_op_t> op_of(const char* letter) {
  switch (std::toupper(static_cast<unsigned char>(*letter))) {
    case 'N':
      return WEFT_LA_NONE;
    case 'T':
      return WEFT_LA_TRANSPOSE;
    case 'C':
      return WEFT_LA_CONJUGATE;
  }
  return std::nullopt;
}

std::optional<weft_la_triangle_t> triangle_of(const char* letter) {
  switch (std::toupper(static_cast<unsigned char>(*letter))) {
    case 'L':
      return WEFT_LA_LOWER;
    case 'U':
      return WEFT_LA_UPPER;
  }
  return std::nullopt;
}

Given given(const char* name, int64_t value) { return {name, value}; }
Given letter_given(const char* name, const char* letter) {
  return {name, std::toupper(static_cast<unsigned char>(*letter)), Given::letter};
}

// A call's operands, all on one context.
struct Call {
  // `least`: the least of the problem's sizes, with which computation outgrows the copies of the operands.
  Call(weft_la_type_t type, const char* what, int64_t least)
      : name(std::string("p") + "sdcz"[type] + what), size(least) {}

  // The grid to work on, or NULL, with the reason in `why`, if ScaLAPACK is to do it. `given`: what else decides
  // about the result. `letters`: the operands' names.
  template <class... Operands>
  weft_la_grid_t* grid(std::vector<Given> given, const char* letters, const Operands&... operands) {
    why = Outcome::small;
    const bool small = size < least_size(), compares = la::checks_ranks();
    if (small && !compares) return nullptr;
    context = context_of(std::get<0>(std::tie(operands...)).context());
    (operands.tell(*letters++, given), ...);
    if (compares && context.rows >= 1) compare(context, name, given);
    if (small) return nullptr;
    why = Outcome::not_all_ranks;
    if (context.rows < 1) return nullptr;
    uint32_t sum = 0x811c9dc5u;
    const auto mix = [&](uint32_t value) { sum = (sum ^ value) * 0x01000193u; };
    for (const char letter : name) mix(static_cast<uint32_t>(letter));
    for (const Given& one : given) {
      mix(static_cast<uint32_t>(one.value));
      mix(static_cast<uint32_t>(static_cast<uint64_t>(one.value) >> 32));
    }
    weft_la_grid_t* grid = agree(context, sum, (operands.in_order(context) && ...), &why);
    if (grid == nullptr) return nullptr;
    why = Outcome::no_memory;
    silence.emplace();
    return have_room(context, (bytes_of(operands, grid) + ...)) ? grid : nullptr;
  }

  size_t bytes_of(const Operand& operand, const weft_la_grid_t* on) const {
    const weft_la_layout_t layout = operand.layout(context);
    return weft_la_matrix_bytes(on, &layout);
  }

  const std::string name;
  int64_t size;
  Context context = {};
  Outcome why = Outcome::small;
  std::optional<la::Silence> silence;  // count_call() tells of a want of memory
};

struct Submatrix {
  void* array;
  const int *row, *column, *descriptor;
};

Operand operand_of(weft_la_type_t type, const Submatrix& given, int64_t rows, int64_t columns) {
  return {type, given.array, given.row, given.column, descriptor_of(given.descriptor), rows, columns};
}

Operand pblas_operand_of(weft_la_type_t type, const Submatrix& given, int64_t rows, int64_t columns) {
  return {type, given.array, given.row, given.column, pblas_descriptor_of(given.descriptor), rows, columns};
}

// What each serve_ function returns: whether Weft has done the work, or why not.

Outcome serve_gemm(weft_la_type_t type, const char* op_a, const char* op_b, int64_t m, int64_t n, int64_t k,
                   const void* alpha, const Submatrix& a, const Submatrix& b, const void* beta, bool beta_is_zero,
                   const Submatrix& c) {
  const auto of_a = op_of(op_a), of_b = op_of(op_b);
  if (!of_a || !of_b) return Outcome::arguments;
  Call call(type, "gemm", std::min({m, n, k}));
  const bool plain_a = *of_a == WEFT_LA_NONE, plain_b = *of_b == WEFT_LA_NONE;
  const Operand left = pblas_operand_of(type, a, plain_a ? m : k, plain_a ? k : m);
  const Operand right = pblas_operand_of(type, b, plain_b ? k : n, plain_b ? n : k);
  const Operand result = pblas_operand_of(type, c, m, n);
  std::vector<Given> choices = {letter_given("transa", op_a), letter_given("transb", op_b), given("m", m),
                                given("n", n), given("k", k)};
  for (const auto& [name, scalar] : {std::pair{"alpha", alpha}, std::pair{"beta", beta}})
    la::for_each_real(name, type, scalar, [&](const std::string& part, int64_t bits) {
      choices.push_back({part, bits, Given::real});
    });
  weft_la_grid_t* grid = call.grid(std::move(choices), "cab", result, left, right);
  if (grid == nullptr) return call.why;
  const Copy left_copy(grid, call.context, left, true), right_copy(grid, call.context, right, true);
  // What stands before C in its first blocks is written back, too.
  const bool all_new = beta_is_zero && result.first_row() == 0 && result.first_column() == 0;
  const Copy result_copy(grid, call.context, result, !all_new);
  if (!left_copy.good() || !right_copy.good() || !result_copy.good()) return Outcome::no_memory;
  if (weft_la_gemm(*of_a, *of_b, m, n, k, alpha, left_copy.part(), right_copy.part(), beta, result_copy.part(),
                   WEFT_LA_AUTO) != WEFT_OK)
    return Outcome::no_memory;
  result_copy.write_back();
  return Outcome::served;
}

Outcome serve_potrf(weft_la_type_t type, const char* triangle, int64_t n, const Submatrix& a, int* info) {
  const auto half = triangle_of(triangle);
  if (!half) return Outcome::arguments;
  Call call(type, "potrf", n);
  const Operand matrix = operand_of(type, a, n, n);
  weft_la_grid_t* grid = call.grid({letter_given("uplo", triangle), given("n", n)}, "a", matrix);
  if (grid == nullptr) return call.why;
  const Copy copy(grid, call.context, matrix, true);
  int64_t order = 0;
  if (!copy.good() || weft_la_potrf(*half, n, copy.part(), &order) != WEFT_OK) return Outcome::no_memory;
  copy.write_back();
  *info = static_cast<int>(order);
  return Outcome::served;
}

Outcome serve_potrs(weft_la_type_t type, const char* triangle, int64_t n, int64_t columns, const Submatrix& a,
                    const Submatrix& b, int* info) {
  const auto half = triangle_of(triangle);
  if (!half) return Outcome::arguments;
  Call call(type, "potrs", std::min(n, columns));
  const Operand matrix = operand_of(type, a, n, n), right = operand_of(type, b, n, columns);
  weft_la_grid_t* grid =
      call.grid({letter_given("uplo", triangle), given("n", n), given("nrhs", columns)}, "ab", matrix, right);
  if (grid == nullptr) return call.why;
  const Copy factor(grid, call.context, matrix, true), solution(grid, call.context, right, true);
  if (!factor.good() || !solution.good()) return Outcome::no_memory;
  if (weft_la_potrs(*half, n, columns, factor.part(), solution.part()) != WEFT_OK) return Outcome::no_memory;
  solution.write_back();
  *info = 0;
  return Outcome::served;
}

// ScaLAPACK's pivots: for each row of A on this process, the row of A, from 1, that it was exchanged with.
void write_pivots(const Context& context, const Operand& matrix, int64_t first, const std::vector<int64_t>& pivots,
                  int* ipiv) {
  for (size_t i = 0; i < pivots.size(); ++i) {
    const int64_t row = first + static_cast<int64_t>(i);
    if (matrix.row_owner(context, row) == context.row)
      ipiv[matrix.local_row(context, row)] = static_cast<int>(first + pivots[i] + 1);
  }
}

Outcome serve_getrf(weft_la_type_t type, int64_t m, int64_t n, const Submatrix& a, int* ipiv, int* info) {
  Call call(type, "getrf", std::min(m, n));
  const Operand matrix = operand_of(type, a, m, n);
  weft_la_grid_t* grid = call.grid({given("m", m), given("n", n)}, "a", matrix);
  if (grid == nullptr) return call.why;
  const Copy copy(grid, call.context, matrix, true);
  std::vector<int64_t> pivots(static_cast<size_t>(std::min(m, n)));
  int64_t zero = 0;
  if (!copy.good() || weft_la_getrf(m, n, copy.part(), pivots.data(), &zero) != WEFT_OK) return Outcome::no_memory;
  copy.write_back();
  write_pivots(call.context, matrix, *a.row - 1, pivots, ipiv);
  *info = static_cast<int>(zero);
  return Outcome::served;
}

Outcome serve_gesv(weft_la_type_t type, int64_t n, int64_t columns, const Submatrix& a, int* ipiv, const Submatrix& b,
                   int* info) {
  Call call(type, "gesv", n);
  const Operand matrix = operand_of(type, a, n, n), right = operand_of(type, b, n, columns);
  weft_la_grid_t* grid = call.grid({given("n", n), given("nrhs", columns)}, "ab", matrix, right);
  if (grid == nullptr) return call.why;
  const Copy factors(grid, call.context, matrix, true), solution(grid, call.context, right, true);
  std::vector<int64_t> pivots(static_cast<size_t>(n));
  int64_t zero = 0;
  if (!factors.good() || !solution.good()) return Outcome::no_memory;
  if (weft_la_gesv(n, columns, factors.part(), pivots.data(), solution.part(), &zero) != WEFT_OK)
    return Outcome::no_memory;
  factors.write_back();
  if (zero == 0) solution.write_back();
  write_pivots(call.context, matrix, *a.row - 1, pivots, ipiv);
  *info = static_cast<int>(zero);
  return Outcome::served;
}

// Counts the call, and hands it on if Weft has not served it. Fortran compilers pass the lengths of strings behind all
// other arguments; who does not want them does not see them.
template <class Function, class... Arguments>
void finish(Outcome outcome, const char* name, Function* own, Arguments... arguments) {
  count_call(outcome, name);
  if (outcome != Outcome::served)
    call_other(name, reinterpret_cast<const void*>(own), arguments..., size_t{1}, size_t{1});
}

template <class T>
Submatrix submatrix(const T* array, const int* row, const int* column, const int* descriptor) {
  return {const_cast<T*>(array), row, column, descriptor};
}

}  // namespace
}  // namespace weft::scalapack

#define WEFT_SCALAPACK_FUNCTIONS(p, T, type)                                                                           \
  void WEFT_SCALAPACK_NAME(p##gemm_)(const char* op_a, const char* op_b, const int* m, const int* n, const int* k,     \
                                     const T* alpha, const T* a, const int* ia, const int* ja, const int* desc_a,      \
                                     const T* b, const int* ib, const int* jb, const int* desc_b, const T* beta, T* c, \
                                     const int* ic, const int* jc, const int* desc_c) {                                \
    finish(serve_gemm(type, op_a, op_b, *m, *n, *k, alpha, submatrix(a, ia, ja, desc_a), submatrix(b, ib, jb, desc_b), \
                      beta, *beta == T(0), submatrix(c, ic, jc, desc_c)),                                              \
           #p "gemm_", &WEFT_SCALAPACK_NAME(p##gemm_), op_a, op_b, m, n, k, alpha, a, ia, ja, desc_a, b, ib, jb,       \
           desc_b, beta, c, ic, jc, desc_c);                                                                           \
  }                                                                                                                    \
  void WEFT_SCALAPACK_NAME(p##potrf_)(const char* uplo, const int* n, T* a, const int* ia, const int* ja,              \
                                      const int* desc_a, int* info) {                                                  \
    finish(serve_potrf(type, uplo, *n, submatrix(a, ia, ja, desc_a), info), #p "potrf_",                               \
           &WEFT_SCALAPACK_NAME(p##potrf_), uplo, n, a, ia, ja, desc_a, info);                                         \
  }                                                                                                                    \
  void WEFT_SCALAPACK_NAME(p##potrs_)(const char* uplo, const int* n, const int* columns, const T* a, const int* ia,   \
                                      const int* ja, const int* desc_a, T* b, const int* ib, const int* jb,            \
                                      const int* desc_b, int* info) {                                                  \
    finish(serve_potrs(type, uplo, *n, *columns, submatrix(a, ia, ja, desc_a), submatrix(b, ib, jb, desc_b), info),    \
           #p "potrs_", &WEFT_SCALAPACK_NAME(p##potrs_), uplo, n, columns, a, ia, ja, desc_a, b, ib, jb, desc_b,       \
           info);                                                                                                      \
  }                                                                                                                    \
  void WEFT_SCALAPACK_NAME(p##getrf_)(const int* m, const int* n, T* a, const int* ia, const int* ja,                  \
                                      const int* desc_a, int* ipiv, int* info) {                                       \
    finish(serve_getrf(type, *m, *n, submatrix(a, ia, ja, desc_a), ipiv, info), #p "getrf_",                           \
           &WEFT_SCALAPACK_NAME(p##getrf_), m, n, a, ia, ja, desc_a, ipiv, info);                                      \
  }                                                                                                                    \
  void WEFT_SCALAPACK_NAME(p##gesv_)(const int* n, const int* columns, T* a, const int* ia, const int* ja,             \
                                     const int* desc_a, int* ipiv, T* b, const int* ib, const int* jb,                 \
                                     const int* desc_b, int* info) {                                                   \
    finish(serve_gesv(type, *n, *columns, submatrix(a, ia, ja, desc_a), ipiv, submatrix(b, ib, jb, desc_b), info),     \
           #p "gesv_", &WEFT_SCALAPACK_NAME(p##gesv_), n, columns, a, ia, ja, desc_a, ipiv, b, ib, jb, desc_b, info);  \
  }

using namespace weft::scalapack;

extern "C" {

WEFT_SCALAPACK_FUNCTIONS(ps, float, WEFT_LA_S)
WEFT_SCALAPACK_FUNCTIONS(pd, double, WEFT_LA_D)
WEFT_SCALAPACK_FUNCTIONS(pc, std::complex<float>, WEFT_LA_C)
WEFT_SCALAPACK_FUNCTIONS(pz, std::complex<double>, WEFT_LA_Z)

// MPI's end, in C and in Fortran, is Weft's end before.
int MPI_Finalize(void) {
  leave();
  return reinterpret_cast<int (*)(void)>(other_function("MPI_Finalize", reinterpret_cast<void*>(&MPI_Finalize)))();
}
void mpi_finalize_(int* error) {
  leave();
  call_other("mpi_finalize_", reinterpret_cast<void*>(&mpi_finalize_), error);
}
void mpi_finalize_f08_(int* error) {
  leave();
  call_other("mpi_finalize_f08_", reinterpret_cast<void*>(&mpi_finalize_f08_), error);
}

}  // extern "C"
