// Memory that several processes of one host share, without a name anywhere in the file system: a memfd. It is gone when
// the last process that maps it is gone, however it ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "base/status.hpp"

namespace weft::os {

/// What decides how large the segments are, for messages that advise to lower it.
inline std::atomic<const char*> segment_size_setting{"WEFT_SEGMENT_SIZE"};

/// A shared memory object. Move-only; closing the descriptor leaves mappings alone.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  /// Makes an object of `size` bytes, all zero; nothing is committed before it is touched.
  static Status create(const char* label, size_t size, SharedMemory& memory);
  /// A text by which another process of the same user on this host can open it, as long as this object is open.
  std::string reference() const;
  static Status open(const std::string& reference, SharedMemory& memory);

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// A range of this process's address space. Move-only; unmaps when it goes.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  /// Maps the first `size` bytes of the object, readable and writable.
  static Status map(const SharedMemory& memory, size_t size, Mapping& mapping);
  /// Maps an object that is made for it and gone with it.
  static Status make(const char* label, size_t size, Mapping& mapping);
  /// Memory of this process alone, all zero, which it takes only where it is touched, page by page. `what` it is for,
  /// and `advice` what to do if there is too little address space, go into the message.
  static Status reserve(size_t size, const char* what, const char* advice, Mapping& mapping);

  std::byte* address() const { return address_; }
  size_t size() const { return size_; }

 private:
  std::byte* address_ = nullptr;
  size_t size_ = 0;
};

/// From now on every access of this process to these whole pages faults.
void forbid_access(std::byte* address, size_t size);

/// Touches every page of the range without changing its content, and backs the whole huge pages in it by such if
/// `huge_pages`. Without effect where the kernel cannot.
void commit_memory(std::byte* address, size_t size, bool huge_pages);

}  // namespace weft::os
