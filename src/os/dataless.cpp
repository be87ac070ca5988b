#include "os/dataless.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft::os {
namespace {

struct Range {
  uintptr_t begin, end;
};

// By address; they do not overlap. Ranks declare theirs in the order of their segments, so most go to the end.
std::vector<Range> ranges;

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

// The first that ends behind the address.
std::vector<Range>::iterator first_behind(uintptr_t address) {
  return std::ranges::upper_bound(ranges, address, {}, &Range::end);
}

struct Pages {
  void* address;
  size_t size;
};

// The whole pages of a range.
Pages pages_of(const Range& range) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (range.begin + page - 1) / page * page;
  const uintptr_t end = range.end / page * page;
  return {reinterpret_cast<void*>(begin), end > begin ? end - begin : 0};
}

}  // namespace

bool Dataless::find(const void* address) {
  const auto found = first_behind(number_of(address));
  return found != ranges.end() && found->begin <= number_of(address);
}

bool Dataless::add(void* address, size_t size, bool forbid) {
  if (size == 0) return true;
  const Range added = {number_of(address), number_of(address) + size};
  const auto next = first_behind(added.begin);
  if (next != ranges.end() && next->begin < added.end) return false;
  ranges.insert(next, added);
  any_.store(true, std::memory_order_relaxed);
  if (const Pages pages = pages_of(added); pages.size != 0) {
    (void)::madvise(pages.address, pages.size, MADV_DONTNEED);
    if (forbid) (void)::mprotect(pages.address, pages.size, PROT_NONE);
  }
  return true;
}

bool Dataless::remove(void* address) {
  const auto found = first_behind(number_of(address));
  if (found == ranges.end() || found->begin != number_of(address)) return false;
  if (const Pages pages = pages_of(*found); pages.size != 0)
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
