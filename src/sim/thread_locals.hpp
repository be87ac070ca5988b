// Thread-local variables of ranks that share one thread of the operating system. Each rank has values of its own: they
// are exchanged when another rank's turn comes. Those of the program, of Weft's libraries and of other libraries that
// use Weft belong to the ranks; those of the C and C++ libraries and of all others belong to the thread. A statically
// linked program has one block for all: there the ranks have also those of the C library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::sim {

class ThreadLocals {
 public:
  /// Looks at what the process has loaded, for the calling thread, on which alone the rest is used.
  ThreadLocals();

  /// Bytes of a copy.
  size_t size() const { return size_; }
  void save(std::byte* to) const;
  void load(const std::byte* from) const;
  /// As they are when a thread begins.
  void put_initial(std::byte* to) const;
  /// Called once where the initial values have been loaded: gives the C library those that it gives a new thread.
  void begin() const;
  /// Where in a copy this address's byte is; size() if it is no such variable's.
  size_t place_of(const void* address) const;
  /// Whether the program or library that has this address is one of those whose variables these are.
  bool are_of(const void* address) const;

 private:
  struct Block {
    uintptr_t object, end_of_object;  // the program's or library's addresses
    std::byte* here;
    const std::byte* image;  // of its first bytes; the others begin as zero
    size_t image_size;
    size_t size;
  };
  std::vector<Block> blocks_;
  size_t size_ = 0;
};

}  // namespace weft::sim
