#include "os/dataless.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <map>

namespace weft::os {
namespace {

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

// From end to begin; they do not overlap.
std::map<uintptr_t, uintptr_t> ranges;

struct Pages {
  void* address;
  size_t size;
};

// The whole pages of a range.
Pages pages_of(uintptr_t range_begin, uintptr_t range_end) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (range_begin + page - 1) / page * page;
  const uintptr_t end = range_end / page * page;
  return {reinterpret_cast<void*>(begin), end > begin ? end - begin : 0};
}

}  // namespace

bool Dataless::find(const void* address) {
  const auto found = ranges.upper_bound(number_of(address));
  return found != ranges.end() && found->second <= number_of(address);
}

bool Dataless::add(void* address, size_t size, bool forbid) {
  if (size == 0) return true;
  const uintptr_t begin = number_of(address), end = begin + size;
  const auto next = ranges.upper_bound(begin);
  if (next != ranges.end() && next->second < end) return false;
  ranges.emplace_hint(next, end, begin);
  any_.store(true, std::memory_order_relaxed);
  if (const Pages pages = pages_of(begin, end); pages.size != 0) {
    (void)::madvise(pages.address, pages.size, MADV_DONTNEED);
    if (forbid) (void)::mprotect(pages.address, pages.size, PROT_NONE);
  }
  return true;
}

bool Dataless::remove(void* address) {
  const auto found = ranges.upper_bound(number_of(address));
  if (found == ranges.end() || found->second != number_of(address)) return false;
  if (const Pages pages = pages_of(found->second, found->first); pages.size != 0)
    (void)::mprotect(pages.address, pages.size, PROT_READ | PROT_WRITE);
  ranges.erase(found);
  any_.store(!ranges.empty(), std::memory_order_relaxed);
  return true;
}

void Dataless::clear() {
  ranges.clear();
  any_.store(false, std::memory_order_relaxed);
}

}  // namespace weft::os
