#include "conduit/ofi/registration.hpp"

#include <algorithm>

namespace weft::conduit::ofi {
namespace {

constexpr uintptr_t page = 4096;

}  // namespace

RegistrationCache::~RegistrationCache() {
  for (auto& [start, registration] : ranges_) release_(registration.object);
}

CachedRegistration* RegistrationCache::use(const void* start, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(start);
  const uintptr_t end = begin + size;
  // The nearest start at or below `begin` first: it is the likeliest to cover the range.
  for (auto at = ranges_.upper_bound(begin); at != ranges_.begin();) {
    --at;
    CachedRegistration& found = at->second;
    if (found.start + longest_ < end) break;
    if (found.start + found.size < end) continue;
    if (found.uses++ == 0) {
      idle_.erase(found.idle_position);
      idle_bytes_ -= found.size;
    }
    return &found;
  }
  CachedRegistration fresh;
  fresh.start = begin / page * page;
  fresh.size = (end + page - 1) / page * page - fresh.start;
  fresh.uses = 1;
  auto* first = reinterpret_cast<void*>(fresh.start);
  if (!make_(first, fresh.size, fresh.object).ok()) {
    // The system's limit may be what idle ones use up.
    if (idle_.empty()) return nullptr;
    trim(0);
    if (!make_(first, fresh.size, fresh.object).ok()) return nullptr;
  }
  longest_ = std::max(longest_, fresh.size);
  return &ranges_.emplace(fresh.start, fresh)->second;
}

void RegistrationCache::drop(CachedRegistration* registration) {
  if (--registration->uses != 0) return;
  registration->idle_position = idle_.insert(idle_.end(), registration);
  idle_bytes_ += registration->size;
  trim(idle_limit_);
}

void RegistrationCache::trim(size_t limit) {
  while (idle_bytes_ > limit) {
    CachedRegistration* oldest = idle_.front();
    idle_.pop_front();
    idle_bytes_ -= oldest->size;
    release_(oldest->object);
    auto [at, end] = ranges_.equal_range(oldest->start);
    for (; at != end; ++at)
      if (&at->second == oldest) {
        ranges_.erase(at);
        break;
      }
  }
}

}  // namespace weft::conduit::ofi
