#include "rma/handles.hpp"

#include <mutex>

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

[[gnu::noinline]] void HandleTable::grow() {
  const auto first = static_cast<uint32_t>(chunks_.size()) * chunk_slots;
  chunks_.push_back(std::make_unique<Slot[]>(chunk_slots));
  // Room for every slot, so that give_back() never allocates.
  free_.reserve(chunks_.size() * chunk_slots);
  for (uint32_t i = chunk_slots; i-- > 0;) {
    chunks_.back()[i].number = first + i;
    free_.push_back(first + i);
  }
}

inline HandleTable::Slot& HandleTable::take() {
  if (__builtin_expect(free_.empty(), 0)) grow();
  const uint32_t number = free_.back();
  free_.pop_back();
  Slot& slot = chunks_[number / chunk_slots][number % chunk_slots];
  slot.in_use = true;
  slot.reset();
  return slot;
}

inline void HandleTable::give_back(Slot& slot) {
  if (slot.place != nullptr) slot.unlink();
  slot.in_use = false;
  slot.is_part = false;
  if (++slot.generation == 0) slot.generation = 1;
  free_.push_back(slot.number);
}

Operation& HandleTable::acquire(weft_handle_t& handle) {
  base::OptionalGuard guard(lock_, threads_multiple_);
  Slot& slot = take();
  handle = uint64_t{slot.generation} << 32 | slot.number;
  return slot;
}

Operation* HandleTable::find(weft_handle_t handle) {
  base::OptionalGuard guard(lock_, threads_multiple_);
  Slot* slot = slot_of(handle);
  return slot;
}

void HandleTable::release(weft_handle_t handle) {
  base::OptionalGuard guard(lock_, threads_multiple_);
  Slot* slot = slot_of(handle);
  if (slot == nullptr) return;
  for (Operation* part = slot->parts; part != nullptr;) {
    Operation* const next = part->next_part;
    give_back(static_cast<Slot&>(*part));
    part = next;
  }
  give_back(*slot);
}

Operation& HandleTable::add_part(Operation& whole) {
  base::OptionalGuard guard(lock_, threads_multiple_);
  Slot& part = take();
  part.is_part = true;
  part.next_part = whole.parts;
  whole.parts = &part;
  return part;
}

void HandleTable::list_locked(Operation& operation, Operation*& first) {
  std::lock_guard guard(lock_);
  operation.link(first);
}

bool HandleTable::drop_done(Operation*& first) {
  base::OptionalGuard guard(lock_, threads_multiple_);
  while (first != nullptr && first->remote_done()) first->unlink();
  return first == nullptr;
}

size_t HandleTable::in_use(const Operation*& one) {
  base::OptionalGuard guard(lock_, threads_multiple_);
  size_t count = 0;
  for (const auto& chunk : chunks_) {
    for (uint32_t i = 0; i < chunk_slots; ++i) {
      if (!chunk[i].in_use || chunk[i].is_part) continue;
      if (count++ == 0) one = &chunk[i];
    }
  }
  return count;
}

}  // namespace weft::rma
