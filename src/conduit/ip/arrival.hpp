// Active messages that have come and wait for the rank to deliver them, and the memory that they lie in.
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "conduit/ip/frame.hpp"

namespace weft::conduit::ip {

struct Arrival {
  Arrival* next;
  bool large;
  FrameKind kind;
  uint16_t handler;
  uint8_t arg_count;
  RankId source;
  uint32_t credits;
  size_t size;
  std::byte* payload;  // medium: data(); long: in the segment
  uint64_t args[am_max_args];

  std::byte* data() { return reinterpret_cast<std::byte*>(this) + header_size; }
  static constexpr size_t header_size = 128;
};
static_assert(sizeof(Arrival) <= Arrival::header_size);

/// Grows as needed; what may wait is bounded by credits. Used under the conduit's lock.
class Arrivals {
 public:
  Arrival* make(size_t payload) {
    const bool large = payload > small_payload;
    Arrival*& free = large ? free_large_ : free_small_;
    if (free == nullptr) grow(large);
    Arrival* made = free;
    free = made->next;
    return made;
  }
  void give_back(Arrival* arrival) {
    Arrival*& free = arrival->large ? free_large_ : free_small_;
    arrival->next = free;
    free = arrival;
  }

  bool empty() const { return first_ == nullptr; }
  void push(Arrival* arrival) {
    arrival->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = arrival;
    last_ = arrival;
  }
  Arrival* pop() {
    Arrival* arrival = first_;
    if (arrival != nullptr) first_ = arrival->next;
    return arrival;
  }

 private:
  static constexpr size_t small_payload = 256;
  static constexpr size_t at_once = 16;

  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  void grow(bool large) {
    const size_t each = Arrival::header_size + (large ? payload_max : small_payload);
    static_assert(small_payload % alignof(std::max_align_t) == 0);
    std::unique_ptr<std::byte, Free> memory(static_cast<std::byte*>(std::aligned_alloc(64, at_once * each)));
    if (memory == nullptr) std::abort();  // as operator new would in a program without exceptions
    for (size_t i = 0; i < at_once; ++i) {
      auto* arrival = reinterpret_cast<Arrival*>(memory.get() + i * each);
      arrival->large = large;
      give_back(arrival);
    }
    blocks_.push_back(std::move(memory));
  }

  std::vector<std::unique_ptr<std::byte, Free>> blocks_;
  Arrival *free_small_ = nullptr, *free_large_ = nullptr;
  Arrival *first_ = nullptr, *last_ = nullptr;
};

}  // namespace weft::conduit::ip
