// Solving with a Cholesky factor: two triangular solves.
#include <array>

#include "linalg/arguments.hpp"
#include "linalg/potrf.hpp"
#include "linalg/trsm.hpp"

using namespace weft::la;

namespace {

// The two triangular solves, in this order.
template <class T>
std::array<Trsm<T>, 2> solves_of(weft_la_triangle_t triangle, int64_t n, int64_t columns, const weft_la_part_t& a,
                                 const weft_la_part_t& b) {
  const bool lower = triangle == WEFT_LA_LOWER;
  const auto half = [&](weft_la_op_t op) {
    return Trsm<T>{WEFT_LA_LEFT, triangle, op, WEFT_LA_GENERAL, n, columns, T(1), a, b};
  };
  return {half(lower ? WEFT_LA_NONE : WEFT_LA_CONJUGATE), half(lower ? WEFT_LA_CONJUGATE : WEFT_LA_NONE)};
}

template <class T>
int have_room_for(const std::array<Trsm<T>, 2>& solves, const char* function) {
  Room room = room_for(solves[0]);
  room.add(room_for(solves[1]));
  return have_room(solves[0].b.matrix->grid, room, function);
}

template <class T>
int solve(const std::array<Trsm<T>, 2>& solves, const char* function) {
  for (const Trsm<T>& half : solves)
    if (int status = solve_triangular(half, function); status != WEFT_OK) return status;
  return WEFT_OK;
}

void check(Arguments& arguments, weft_la_triangle_t triangle, int64_t n, int64_t columns, const weft_la_part_t& a,
           const weft_la_part_t& b) {
  arguments.matrix("a.matrix", a.matrix).matrix("b.matrix", b.matrix).choice("triangle", triangle, WEFT_LA_UPPER);
  arguments.size("n", n).size("columns", columns).part("a", a, n, n).part("b", b, n, columns);
  arguments.same_grid("a", a.matrix, "b", b.matrix).same_type("a", a.matrix, "b", b.matrix);
  arguments.disjoint("b", b, n, columns, "a", a, n, n);
}

}  // namespace

extern "C" {

int weft_la_potrs(weft_la_triangle_t triangle, int64_t n, int64_t columns, weft_la_part_t a, weft_la_part_t b) {
  Arguments arguments("weft_la_potrs");
  check(arguments, triangle, n, columns, a, b);
  if (arguments.status() != WEFT_OK) return arguments.status();
  return with_type(a.matrix->layout.type, [&]<class T>() {
    const auto solves = solves_of<T>(triangle, n, columns, a, b);
    const int status = have_room_for(solves, "weft_la_potrs");
    return status == WEFT_OK ? solve(solves, "weft_la_potrs") : status;
  });
}

int weft_la_posv(weft_la_triangle_t triangle, int64_t n, int64_t columns, weft_la_part_t a, weft_la_part_t b,
                 int64_t* info) {
  Arguments arguments("weft_la_posv");
  check(arguments, triangle, n, columns, a, b);
  arguments.not_null("info", info);
  if (arguments.status() != WEFT_OK) return arguments.status();
  return with_type(a.matrix->layout.type, [&]<class T>() {
    const auto solves = solves_of<T>(triangle, n, columns, a, b);
    int64_t order = 0;
    int status = have_room_for(solves, "weft_la_posv");
    if (status == WEFT_OK) status = potrf<T>(triangle, n, a, &order, "weft_la_posv");
    if (status == WEFT_OK && order == 0) status = solve(solves, "weft_la_posv");
    if (status == WEFT_OK) *info = order;
    return status;
  });
}

}  // extern "C"
