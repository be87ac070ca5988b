// Registrations of this rank's memory outside its segment, for networks that must know memory before they touch it.
//
// Registering costs a system call and pins pages, so a registration stays after its use until the sum of idle ones
// passes WEFT_PIN_LIMIT; then the least recently used goes. A transfer inside a range that is registered already uses
// that.
//
// A registration names pages, not addresses: if the program returns memory to the system and gets other pages at the
// same address, an idle one would send what is no longer there. malloc is told not to return memory while a cache is
// open; programs that unmap buffers themselves set WEFT_PIN_LIMIT=0.
//
// How memory is registered is a parameter, so that tests count registrations without such a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>

#include "base/status.hpp"

namespace weft::conduit::ofi {

/// A registered range. Idle while uses is 0.
struct CachedRegistration {
  uintptr_t start = 0;
  size_t size = 0;
  uint32_t uses = 0;
  void* object = nullptr;  // what `Register` made
  std::list<CachedRegistration*>::iterator idle_position;
};

/// Not thread-safe: used under the conduit's lock.
class RegistrationCache {
 public:
  using Register = std::function<Status(void* start, size_t size, void*& object)>;
  using Release = std::function<void(void* object)>;

  RegistrationCache(Register make, Release release, size_t idle_limit)
      : make_(std::move(make)), release_(std::move(release)), idle_limit_(idle_limit) {}
  ~RegistrationCache();
  RegistrationCache(const RegistrationCache&) = delete;
  RegistrationCache& operator=(const RegistrationCache&) = delete;

  /// A registration that covers the range, in use until drop(); null, logged, if there can be none.
  CachedRegistration* use(const void* start, size_t size);
  void drop(CachedRegistration* registration);

  size_t idle_bytes() const { return idle_bytes_; }
  size_t count() const { return ranges_.size(); }

 private:
  void trim(size_t limit);

  Register make_;
  Release release_;
  size_t idle_limit_;
  size_t idle_bytes_ = 0;
  // By start address. Ranges may overlap; the search looks back no further than the longest reaches.
  std::multimap<uintptr_t, CachedRegistration> ranges_;
  size_t longest_ = 0;
  std::list<CachedRegistration*> idle_;  // least recently used first
};

}  // namespace weft::conduit::ofi
