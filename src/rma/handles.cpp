#include "rma/handles.hpp"

namespace weft::rma {

// A handle: generation in the high half, slot number in the low half. Generations start at 1, so no handle is
// WEFT_HANDLE_DONE.

HandleTable::Slot* HandleTable::slot_of(weft_handle_t handle) {
  const auto number = static_cast<uint32_t>(handle);
  const auto generation = static_cast<uint32_t>(handle >> 32);
  if (number / chunk_slots >= chunks_.size()) return nullptr;
  Slot& slot = chunks_[number / chunk_slots][number % chunk_slots];
  return slot.in_use && slot.generation == generation ? &slot : nullptr;
}

Operation& HandleTable::acquire(weft_handle_t& handle) {
  base::OptionalGuard guard(lock_, threads_multiple_);
  if (free_.empty()) {
    const auto first = static_cast<uint32_t>(chunks_.size()) * chunk_slots;
    chunks_.push_back(std::make_unique<Slot[]>(chunk_slots));
    // Room for every slot, so that release() never allocates.
    free_.reserve(chunks_.size() * chunk_slots);
    for (uint32_t i = chunk_slots; i-- > 0;) free_.push_back(first + i);
  }
  const uint32_t number = free_.back();
  free_.pop_back();
  Slot& slot = chunks_[number / chunk_slots][number % chunk_slots];
  slot.in_use = true;
  slot.operation.reset();
  handle = uint64_t{slot.generation} << 32 | number;
  return slot.operation;
}

Operation* HandleTable::find(weft_handle_t handle) {
  base::OptionalGuard guard(lock_, threads_multiple_);
  Slot* slot = slot_of(handle);
  return slot ? &slot->operation : nullptr;
}

void HandleTable::release(weft_handle_t handle) {
  base::OptionalGuard guard(lock_, threads_multiple_);
  Slot* slot = slot_of(handle);
  if (slot == nullptr) return;
  slot->in_use = false;
  if (++slot->generation == 0) slot->generation = 1;
  free_.push_back(static_cast<uint32_t>(handle));
}

size_t HandleTable::in_use(const Operation*& one) {
  base::OptionalGuard guard(lock_, threads_multiple_);
  size_t count = 0;
  for (const auto& chunk : chunks_) {
    for (uint32_t i = 0; i < chunk_slots; ++i) {
      if (!chunk[i].in_use) continue;
      if (count++ == 0) one = &chunk[i].operation;
    }
  }
  return count;
}

}  // namespace weft::rma
