#include "conduit/ofi/pools.hpp"

#include "base/log.hpp"
#include "conduit/ofi/rail.hpp"

namespace weft::conduit::ofi {

Pools::~Pools() = default;

Status Pools::open(const std::vector<std::unique_ptr<Rail>>& rails) {
  rails_ = &rails;
  grow_operations();
  return grow_buffers() ? Status() : WEFT_ERR_NO_MEMORY;
}

Operation* Pools::take_operation() {
  if (free_operations_ == nullptr && operation_count_ < operations_limit) grow_operations();
  if (free_operations_ == nullptr) return nullptr;
  Operation* operation = free_operations_;
  free_operations_ = operation->next;
  *operation = Operation{};
  return operation;
}

Operation* Pools::take_operation_grow() {
  if (free_operations_ == nullptr) grow_operations();
  return take_operation();
}

void Pools::give_back(Operation* operation) {
  operation->next = free_operations_;
  free_operations_ = operation;
}

Buffer* Pools::take_buffer(bool must) {
  if (free_buffers_ == nullptr && (must || buffer_count_ < buffers_limit)) (void)grow_buffers();
  Buffer* buffer = free_buffers_;
  if (buffer != nullptr) free_buffers_ = buffer->next;
  return buffer;
}

void Pools::grow_operations() {
  operations_.push_back(std::make_unique<Operation[]>(operations_at_once));
  for (size_t i = 0; i < operations_at_once; ++i) give_back(&operations_.back()[i]);
  operation_count_ += operations_at_once;
}

bool Pools::grow_buffers() {
  BufferBlock block;
  const size_t bytes = buffers_at_once * message_max;
  block.memory = aligned_bytes(bytes);
  if (!block.memory) return false;
  block.buffers.resize(buffers_at_once);
  for (const auto& rail : *rails_) {
    if (!rail->registers_local_memory()) continue;
    Owned<fid_mr> registration;
    if (!rail->register_memory(block.memory.get(), bytes, local_access, registration).ok()) return false;
    for (Buffer& buffer : block.buffers) buffer.descriptor[rail->index()] = fi_mr_desc(registration.get());
    block.registrations.push_back(std::move(registration));
  }
  for (size_t i = 0; i < buffers_at_once; ++i) {
    block.buffers[i].data = block.memory.get() + i * message_max;
    give_back(&block.buffers[i]);
  }
  buffer_count_ += buffers_at_once;
  blocks_.push_back(std::move(block));
  return true;
}

}  // namespace weft::conduit::ofi
