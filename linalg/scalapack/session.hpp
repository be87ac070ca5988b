// A ScaLAPACK program's process grids, served by Weft: who is in them, and whether its ranks agree to a call.
#pragma once

#include <weft/linalg.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::scalapack {

/// A function of the ScaLAPACK that the program has linked, behind this library; ends the process with a line if there
/// is none. `own`: this library's function of that name, or NULL.
void* other_function(const char* name, const void* own);

template <class... Arguments>
void call_other(const char* name, const void* own, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(other_function(name, own))(arguments...);
}

/// What BLACS says of a context.
struct Context {
  int number;
  int rows, columns;  ///< -1 if it is none, or this process is not in it
  int row, column;    ///< of this process
};
Context context_of(int number);

/// An argument that all processes give alike.
struct Given {
  enum Kind { number, letter, real };
  std::string name;
  int64_t value;  ///< of a real number its bits
  Kind kind = number;
};

/// Compares a call with those of the context's other processes. If one calls another function, or gives something else,
/// a line says who and what, and the processes end: ScaLAPACK would wait for ever. Collective over the context.
void compare(const Context& context, const std::string& function, const std::vector<Given>& given);

/// The least size that Weft serves: what WEFT_SCALAPACK_FROM says, or 256 if it is 0 or not set.
int64_t least_size();

/// Who does a call, and why ScaLAPACK does those that Weft does not.
enum class Outcome {
  served,         ///< by Weft
  small,          ///< below least_size()
  not_all_ranks,  ///< the context has not all ranks of the job, or this process is not in it
  unavailable,    ///< Weft cannot start
  arguments,      ///< wrong, not the same on all processes, or of a kind that Weft does not take
  no_memory,      ///< for the copies or the workspace
};
constexpr size_t outcomes = 6;

/// The grid for a context, if all of its processes wish to call Weft alike: each gives what the call's arguments come
/// to, and whether it finds them in order. NULL on all of them, with the reason in `why`, if any does not, if they
/// differ, if the context has not all ranks of the job, or if Weft cannot be started. Starts Weft where the program has
/// not. Collective over the context.
weft_la_grid_t* agree(const Context& context, uint32_t arguments, bool in_order, Outcome* why);

/// Whether a segment is as large as the copies of the operands are on this process, on all of them. If not, Weft need
/// not try it, and say on every rank that it cannot. Collective over the context.
bool have_room(const Context& context, size_t bytes);

/// Counts a call for the line that WEFT_STATS=1 prints at the end. Process 0 tells the first that ScaLAPACK gets for
/// want of memory. The function's name ends in _.
void count_call(Outcome outcome, const char* function);

/// Before MPI ends: ends Weft, if this library has started it.
void leave();

}  // namespace weft::scalapack
