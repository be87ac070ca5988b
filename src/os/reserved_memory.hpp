// A large range of address space of this process alone, which takes memory only where it is touched, page by page.
#pragma once

#include <cstddef>

#include "base/status.hpp"

namespace weft::os {

/// Move-only; gives the range back when it goes.
class ReservedMemory {
 public:
  ReservedMemory() = default;
  ReservedMemory(ReservedMemory&& other) noexcept;
  ReservedMemory& operator=(ReservedMemory&& other) noexcept;
  ~ReservedMemory();

  /// All zero, readable and writable. `what` it is for, and `advice` what to do if there is too little, go into the
  /// message.
  static Status make(size_t size, const char* what, const char* advice, ReservedMemory& memory);

  std::byte* address() const { return address_; }
  size_t size() const { return size_; }

 private:
  std::byte* address_ = nullptr;
  size_t size_ = 0;
};

/// Bytes of memory that this process may still take, as far as the host tells: what is free on the host, or less in a
/// control group with a limit.
size_t available_memory();

}  // namespace weft::os
