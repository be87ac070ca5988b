// Which passes are on, and what else the command line says to the optimiser.
#pragma once

#include <algorithm>
#include <array>

#include "optimise/pass.hpp"

namespace upcc {

class OptimiseOptions {
 public:
  // A store changes only objects of its own type (C11 6.5p7): as the C compiler will see it, or a program that breaks
  // the rule and relies on -fno-strict-aliasing would work at -O0 only.
  bool strict_aliasing = false;
  // Loops compare what was planned with the loop element by element (-fupc-shadow, weft/upcrt/shadow.h).
  bool shadow = false;

  [[nodiscard]] bool on(const Pass& pass) const { return enabled_.at(row_of(pass)); }
  void set(const Pass& pass, bool value) { enabled_.at(row_of(pass)) = value; }
  void set_all(bool value) { enabled_.fill(value); }

 private:
  static std::size_t row_of(const Pass& pass) {
    return static_cast<std::size_t>(std::find(kPasses.begin(), kPasses.end(), &pass) - kPasses.begin());
  }

  std::array<bool, kPasses.size()> enabled_{};
};

}  // namespace upcc
