// The arguments of a call of <upc_io.h> that must be the same on all threads.
//
// What is compared in each call is a hash, which the agreement at the call's end carries. Which argument differs is
// asked when hashes do: every thread compares its own with thread 0's, and the lowest that differs says so.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "upcrt/state.hpp"
#include "weft/upcrt/pts.h"

namespace weft::upcrt::io {

class Arguments {
 public:
  /// Of no function: equal to any others of none.
  Arguments() = default;
  Arguments(const char* function, upcr_pts_t fd);

  /// How a message shows a value: a number, flags of an open, flags of synchronisation (weft/coll.h), or not at all.
  enum class As : uint32_t { number, flags, sync, hidden };
  /// The name outlives the call.
  void add(const char* name, uint64_t value, As as = As::number);
  /// A text of the program. The message does not show it.
  void add_text(const char* name, const char* text);

  uint64_t hash() const { return hash_; }
  /// Which argument differs and how, on the thread that is to say it; empty on the others, and if none does. `differs`:
  /// whether one does, on every thread. Collective.
  std::string difference(const State& state, bool& differs) const;

 private:
  struct Argument {
    const char* name;
    uint64_t value;
    As as;
  };
  struct Record;
  Record record() const;

  const char* function_ = nullptr;
  uint64_t hash_ = 0;
  std::array<Argument, 12> arguments_{};
  uint32_t count_ = 0;
};

}  // namespace weft::upcrt::io
