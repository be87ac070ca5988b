// What an algorithm is to the rest: a name, a coroutine, what it needs, where it fits, and what it is expected to cost.
// docs/ADDING-A-COLLECTIVE.md takes a reader through writing one.
#pragma once

#include <memory>
#include <span>

#include "coll/choice.hpp"
#include "coll/model.hpp"
#include "coll/scratch.hpp"
#include "coll/task.hpp"

namespace weft::coll {

class Call;

/// Costs of messages of which one at a time goes through each host's link, whatever members it has: to or from a root;
/// to the next member all around, where those of a host follow each other.
inline Model to_root(const Model& model, const Shape& shape) {
  return shape.spread.hosts > 1 ? model.unshared() : model;
}
inline Model to_neighbour(const Model& model, const Shape& shape) {
  return shape.spread.in_blocks ? to_root(model, shape) : model;
}

/// Lines, and as many slots of this many bytes.
struct Space {
  uint32_t lines = 0;
  uint32_t slots = 0;
  size_t slot_bytes = 0;
};

struct Algorithm {
  Op op;
  const char* name;
  Task (*run)(Call& call);
  Space (*space)(const Shape& shape, const Plan& plan);
  bool (*fits)(const Shape& shape, const Plan& plan);
  /// Expected nanoseconds.
  double (*cost)(const Model& model, const Shape& shape, const Plan& plan);
  std::span<const uint32_t> radices = {};  // to choose from; empty: has none
  std::span<const uint64_t> segments = {};
  /// Of what it is put together here; null if it is not.
  std::unique_ptr<const Stages> (*compose)(const Model& model, const Shape& shape) = nullptr;
  /// The same without a coroutine, or null: for a blocking call on a team whose memory is mapped. It sends by post()
  /// and waits by wait().
  void (*at_once)(Call& call) = nullptr;
  /// True if at_once() would not wait now: what has not been received is looked for by Call::here(). Null: it would.
  bool (*ready)(Call& call) = nullptr;
  /// By the conduit's own collectives, of which all members begin the same in the same order.
  bool native = false;
};

/// Whether these numbers mean something to the algorithm: of what it has none they are 0.
bool takes(const Algorithm& algorithm, uint32_t radix, uint64_t segment);

/// All of them.
std::span<const Algorithm* const> algorithms();
/// Null if there is none of this name.
const Algorithm* find_algorithm(Op op, const char* name);

}  // namespace weft::coll
