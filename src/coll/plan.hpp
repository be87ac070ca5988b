// A plan: an algorithm with its radix and segment size; and the shape of a call, from which plans are chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "coll/request.hpp"

namespace weft::conduit {
class NativeCollectives;
}

namespace weft::coll {

struct Algorithm;
struct Stages;

struct Plan {
  const Algorithm* algorithm = nullptr;
  uint32_t radix = 0;              // 0: the algorithm has none
  uint64_t segment = 0;            // bytes; 0: not cut
  const Stages* stages = nullptr;  // of an algorithm that is put together from others (stages.hpp)

  /// Of the same name. The stages follow from it, the shape and the model.
  bool same_candidate(const Plan& other) const {
    return algorithm == other.algorithm && radix == other.radix && segment == other.segment;
  }
};

/// As WEFT_COLL has it: "tree:4", "pipeline:2:65536".
std::string describe(const char* algorithm, uint32_t radix, uint64_t segment);
std::string describe(const Plan& plan);

/// How the members of a team are spread over hosts, as all of them know it.
struct Spread {
  uint32_t hosts = 1;
  uint32_t most = 1, least = 1;  // members on a host
  bool in_blocks = true;         // the members of a host follow each other
  bool direct = false;           // members of one host have each other's memory mapped

  /// Blocks of members host by host are in the order of members, without gaps.
  bool in_equal_blocks() const { return in_blocks && most == least; }
  /// Several hosts, some of several members.
  bool has_levels(uint32_t members) const { return hosts > 1 && hosts < members; }
};

/// What a choice may depend on.
struct Shape {
  Op op = Op::barrier;
  uint32_t members = 1;
  size_t size = 0;     // as Request::size
  size_t element = 1;  // reductions: bytes
  bool commutative = true;
  bool direct = false;  // all members' memory is mapped
  Spread spread = {};
  const conduit::NativeCollectives* native = nullptr;  // the conduit's own; null on teams that it does not serve

  /// Members to whom or from whom a root's messages go through its host's link, at most.
  uint32_t behind_link() const { return spread.hosts > 1 ? members - spread.least : members - 1; }
};

}  // namespace weft::coll
