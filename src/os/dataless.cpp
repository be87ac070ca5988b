#include "os/dataless.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <map>

namespace weft::os {
namespace {

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

// From end to begin; they do not overlap.
std::map<uintptr_t, uintptr_t> ranges;

// What find() has looked up, by the address's part of memory: a large job has 100,000 ranges, and each step through
// their tree is a cache miss. From begin to end all have data, or none, as long as the ranges are the same.
struct Known {
  uintptr_t begin, end;
  uint32_t version;  // of the ranges; 0: nothing is known
  bool holds;
};
constexpr unsigned bits_of_known = 16;
constexpr unsigned bits_of_part = 24;
std::array<Known, size_t{1} << bits_of_known> known;
uint32_t version = 1;

Known& known_at(uintptr_t address) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15;
  return known[(address >> bits_of_part) * golden >> (64 - bits_of_known)];
}

Known look_up(uintptr_t address) {
  const auto next = ranges.upper_bound(address);
  if (next != ranges.end() && next->second <= address) return {next->second, next->first, version, true};
  const uintptr_t begin = next == ranges.begin() ? 0 : std::prev(next)->first;
  return {begin, next == ranges.end() ? UINTPTR_MAX : next->second, version, false};
}

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
  const uintptr_t number = number_of(address);
  Known& found = known_at(number);
  if (found.version != version || number < found.begin || number >= found.end) found = look_up(number);
  return found.holds;
}

bool Dataless::add(void* address, size_t size, bool forbid) {
  if (size == 0) return true;
  const uintptr_t begin = number_of(address), end = begin + size;
  const auto next = ranges.upper_bound(begin);
  if (next != ranges.end() && next->second < end) return false;
  ranges.emplace_hint(next, end, begin);
  ++version;
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
  ++version;
  any_.store(!ranges.empty(), std::memory_order_relaxed);
  return true;
}

void Dataless::clear() {
  ranges.clear();
  ++version;
  any_.store(false, std::memory_order_relaxed);
}

}  // namespace weft::os
