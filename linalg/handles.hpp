// What a program's pointers to grids and matrices lead to: one that lives, one that was freed, or something else.
#pragma once

#include <cstdint>
#include <new>

namespace weft::la {

/// What a grid and a matrix begin with, and all that is left of one that was freed. That is kept for a while, so that a
/// call with a freed one can be told.
struct Handle {
  enum class Kind : uint64_t {
    grid = 0x77656674'67726964,
    matrix = 0x77656674'6d617472,
    freed = 0x77656674'66726565,
  };
  Kind kind;
  bool speaks;  ///< this rank says for its whole grid what is wrong
};

/// What a caller gave for a pointer.
enum class Given { usable, null, freed, unknown };

/// A pointer to a grid or a matrix.
template <class Object>
Given given(const Object* object) {
  if (object == nullptr) return Given::null;
  const Handle& handle = *object;
  if (handle.kind == Object::live) return Given::usable;
  return handle.kind == Handle::Kind::freed ? Given::freed : Given::unknown;
}

/// What is wrong with a grid or a matrix, to stand behind its name. Not for a usable one.
const char* problem(Given given);

/// Keeps what is left of an object. The memory of the one that was freed longest ago is given back.
void keep_freed(Handle* left);

/// Ends the life of a grid or a matrix that was made by `new`.
template <class Object>
void retire(Object* object) {
  const Handle left = {Handle::Kind::freed, object->speaks};
  object->~Object();
  keep_freed(::new (static_cast<void*>(object)) Handle(left));
}

/// Whether this rank says what is wrong where no argument tells on which grid: it is the first rank of the last grid
/// that was made with it, or the first of the team's ranks outside that grid. Before any grid: the first of the job.
bool speaks_without_grid();
/// To be called as a grid is made, on the ranks outside it, too.
void set_speaks_without_grid(bool speaks);

/// The largest number of this rank's grids; 0 before there is one.
int64_t& last_grid_number();

}  // namespace weft::la
