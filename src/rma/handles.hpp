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
  /// Retires the handle of a complete operation, which leaves the list it is in; its parts go with it.
  void release(weft_handle_t handle);
  /// How many are not retired, and the operation of one of them.
  size_t in_use(const Operation*& one);

  /// Another part of an operation, with nothing begun. It has no handle.
  Operation& add_part(Operation& whole);
  /// Puts an operation of this table first in a list, which from now on is this table's to change.
  void list(Operation& operation, Operation*& first) {
    if (threads_multiple_) return list_locked(operation, first);
    operation.link(first);
  }
  /// Takes complete operations off such a list, up to the first that is not. True if none is left.
  bool drop_done(Operation*& first);

 private:
  struct Slot : Operation {
    uint32_t number = 0;
    uint32_t generation = 1;
    bool in_use = false;
    bool is_part = false;
  };
  static constexpr uint32_t chunk_slots = 32;

  void list_locked(Operation& operation, Operation*& first);
  // The caller of these holds the lock.
  Slot* slot_of(weft_handle_t handle);
  void grow();
  Slot& take();
  void give_back(Slot& slot);

  bool threads_multiple_;
  base::SpinLock lock_;
  std::vector<std::unique_ptr<Slot[]>> chunks_;
  std::vector<uint32_t> free_;
};

}  // namespace weft::rma
