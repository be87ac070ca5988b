// The names in the text of a planned loop (lower_loop.cpp).
#pragma once

#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

namespace upcc {

struct Lowerer::LoopText {
  const LoopPlan* plan;  // of the loop, or where all of it turns out to be own memory (LoopPlan::own)
  const Stmt* statement;
  const Stmt* body;
  std::uint32_t first_token;  // of the loop
  std::string id;
  std::string index;  // the user's variable and its type
  std::string index_type;
  bool controls = false;   // a upc_forall that divides, inside which others do not
  std::string first = {};  // names of the numbers above
  std::string count = {};
  std::string stride = "1l";  // in iterations
  std::string step = {};      // how far the index moves per iteration
  std::string period = {};    // cyclic: how often the thread goes round in a stride; empty for once
  bool is_shadowed = false;   // its iterations are compared with those that the loop as it is written has
  std::vector<const Replica*> replicas = {};  // that no loop around has
  std::string find_replicas = {};             // at the beginning of an iteration
  bool windows = false;  // accesses that may have windows go through them; those that may not are not planned

  // The value of a variable that moves with the index, before the first iteration.
  [[nodiscard]] std::string first_of_second(std::size_t number) const {
    return abi::kPrefix + std::string("second") + std::to_string(number) + "_" + id;
  }
  [[nodiscard]] std::string name(std::string_view stem) const { return abi::kPrefix + std::string(stem) + id; }
};

}  // namespace upcc
