// The optimiser's passes and their switches: one row per pass, used by the command line, --help and the tests.
#pragma once

#include <array>
#include <string_view>

namespace upcc {

enum class Pass : unsigned {
  locality,
  forall_bounds,
  strength_reduction,
  phase_elimination,
  hoist_bases,
  loop_windows,
  gather,
  updates
};

struct PassInfo {
  Pass pass;
  std::string_view name;  // -fupc-NAME, -fno-upc-NAME
  std::string_view help;
};

inline constexpr std::array kPasses{
    PassInfo{Pass::locality, "locality", "accesses known to be local become plain loads and stores"},
    PassInfo{Pass::forall_bounds, "forall-bounds", "affinity tests of upc_forall become loop bounds and strides"},
    PassInfo{Pass::strength_reduction, "strength-reduction",
             "pointer-to-shared arithmetic in loops becomes pointer increments"},
    PassInfo{Pass::phase_elimination, "phase-elimination",
             "no phase arithmetic for indefinite and cyclic layouts; constants are folded"},
    PassInfo{Pass::hoist_bases, "hoist-bases", "addresses that do not change in a loop are computed before it"},
    PassInfo{Pass::loop_windows, "loop-windows",
             "memory of other hosts is fetched before a loop's iterations and written back after them, in bulk"},
    PassInfo{Pass::gather, "gather",
             "elements of other hosts at indices that are known before a loop's iterations are moved together"},
    PassInfo{Pass::updates, "updates", "updates of other hosts' memory, x[e] += v, are sent to its owner together"},
};

struct OptimiseOptions {
  std::array<bool, kPasses.size()> enabled{};
  // A store changes only objects of its own type (C11 6.5p7): as the C compiler will see it, or a program that breaks
  // the rule and relies on -fno-strict-aliasing would work at -O0 only.
  bool strict_aliasing = false;
  // Loops compare what was planned with the loop element by element (-fupc-shadow, weft/upcrt/shadow.h).
  bool shadow = false;

  [[nodiscard]] bool on(Pass pass) const { return enabled[static_cast<unsigned>(pass)]; }
  void set(Pass pass, bool value) { enabled[static_cast<unsigned>(pass)] = value; }
  void set_all(bool value) { enabled.fill(value); }
};

}  // namespace upcc
