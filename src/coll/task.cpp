#include "coll/task.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

namespace weft::coll {

void* FramePool::allocate(size_t size) {
  const size_t wanted = size + sizeof(Header);
  const size_t size_class = wanted <= smallest ? 0 : static_cast<size_t>(std::bit_width((wanted - 1) / smallest));
  Header* block = nullptr;
  if (size_class < classes && free_[size_class] != nullptr) {
    block = free_[size_class];
    free_[size_class] = block->next;
  } else {
    const size_t bytes = size_class < classes ? smallest << size_class : wanted;
    block = static_cast<Header*>(std::aligned_alloc(alignof(Header), (bytes + alignof(Header) - 1) & -alignof(Header)));
    if (block == nullptr) throw std::bad_alloc();
  }
  block->pool = this;
  block->size_class = size_class;
  return block + 1;
}

void FramePool::release(void* block) {
  Header* header = static_cast<Header*>(block) - 1;
  const size_t size_class = header->size_class;
  if (size_class >= classes) {
    std::free(header);
    return;
  }
  FramePool& pool = *header->pool;
  header->next = pool.free_[size_class];
  pool.free_[size_class] = header;
}

FramePool::~FramePool() {
  for (Header* block : free_)
    while (block != nullptr) std::free(std::exchange(block, block->next));
}

bool Scheduler::concerns(const std::byte* begin, size_t size) const {
  return std::ranges::any_of(waiting_, [=](const Wait& wait) {
    if (wait.word == nullptr) return !wait.independent;
    const auto* const word = reinterpret_cast<const std::byte*>(wait.word);
    return word + sizeof *wait.word > begin && word < begin + size;
  });
}

int Scheduler::run() {
  if (running_) return 0;
  running_ = true;
  int resumed = 0;
  for (bool again = true; again;) {
    again = false;
    looked_at_.swap(waiting_);
    for (const Wait& wait : looked_at_) {
      if (!wait.is_over()) {
        waiting_.push_back(wait);
        continue;
      }
      ++resumed;
      again = true;
      wait.waiter->handle.resume();
    }
    looked_at_.clear();
  }
  running_ = false;
  return resumed;
}

}  // namespace weft::coll
