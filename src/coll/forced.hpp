// WEFT_COLL: plans that the user sets, for experiments and tests.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"
#include "coll/plan.hpp"

namespace weft::coll {

class ForcedPlans {
 public:
  /// `tells`: logs what the user should know of the setting.
  explicit ForcedPlans(bool tells) : tells_(tells) {}

  /// "reduce_all=tree:4,broadcast=pipeline:2:65536". WEFT_ERR_INVALID, after a line that says why, if it is wrong.
  Status read(std::string setting);
  void tell_of_several() const;

  /// Of several entries for an operation the first that fits; null if there is none. Warns once of each before it that
  /// serves no call on such a team. If none fits, those that serve others are told once each, at level info.
  const Plan* choose(const Shape& shape);
  /// Whether there is one that fits.
  bool any(const Shape& shape) const;

 private:
  struct Entry {
    Op op = Op::barrier;
    Plan plan = {};
    bool told = false;          // that it cannot serve
    bool told_of_call = false;  // that it does not serve all
  };
  static void tell_if_useless(Entry& entry, const Shape& shape);
  static void tell_of_misfit(Entry& entry, const Shape& shape);

  bool tells_;
  std::vector<Entry> entries_;
};

}  // namespace weft::coll
