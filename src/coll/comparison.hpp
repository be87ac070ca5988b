// WEFT_CHECK: before a collective its members compare what they call, and member 0 names those that differ from it.
// Members with a list of sizes compare it with what the others send or expect.
#pragma once

#include "coll/call.hpp"

namespace weft::coll {

/// The part of Call that comparisons see.
class Comparison {
 public:
  static void prepare(Call& comparison, const Call& call);
  /// All members' signatures are here. Member 0 ends the job if they differ, and who has a list with which they do not
  /// agree; the others wait for that.
  static void check(Call& comparison);
  static Task run(Call& comparison);

 private:
  static void check_sizes(Call& comparison);
  static void check_permutation(Call& comparison);
};

}  // namespace weft::coll
