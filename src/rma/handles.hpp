// Explicit handles. A handle is the number of a slot and the slot's generation at the time; retiring a handle changes
// the generation, so using it again is noticed. Slots are never freed, only reused, and their number has no limit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/spin_lock.hpp"
#include "rma/operation.hpp"
#include "weft/types.h"

namespace weft::rma {

class HandleTable {
 public:
  explicit HandleTable(bool threads_multiple) : threads_multiple_(threads_multiple) {}

  /// An operation with nothing begun, and the handle that names it.
  Operation& acquire(weft_handle_t& handle);
  /// The operation, or null if the handle was retired or never issued.
  Operation* find(weft_handle_t handle);
  /// Retires the handle of a complete operation.
  void release(weft_handle_t handle);
  /// How many are not retired, and the operation of one of them.
  size_t in_use(const Operation*& one);

 private:
  struct Slot {
    Operation operation;
    uint32_t generation = 1;
    bool in_use = false;
  };
  static constexpr uint32_t chunk_slots = 256;

  Slot* slot_of(weft_handle_t handle);

  bool threads_multiple_;
  base::SpinLock lock_;
  std::vector<std::unique_ptr<Slot[]>> chunks_;
  std::vector<uint32_t> free_;
};

}  // namespace weft::rma
