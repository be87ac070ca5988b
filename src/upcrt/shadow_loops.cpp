#include "upcrt/shadow_loops.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "upcrt/of_thread.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/window_pieces.hpp"
#include "weft/upcrt/shadow.h"

namespace weft::upcrt {
namespace {

struct Access {
  const char* text;
  unsigned flags;
  Place place;
};

// A byte that the loop has written.
struct Byte {
  unsigned char value;
  bool certain;  // no other thread's update may have changed it
  Access by;
  upcr_pts_t object;  // it is part of
  size_t size;        // of the object
  uint64_t loop;      // the number of the loop that was the innermost then
};

using Key = std::pair<uint64_t, uint64_t>;  // thread and offset
Key key_of(upcr_pts_t p, size_t k = 0) { return {upcr_thread(p), p.offset + k}; }

std::string value_text(const void* value, size_t size, unsigned flags) {
  char text[64];
  const auto as = [&](auto zero) {
    std::memcpy(&zero, value, sizeof zero);
    return zero;
  };
  if ((flags & UPCR_SHADOW_REAL) != 0 && (size == sizeof(float) || size == sizeof(double))) {
    std::snprintf(text, sizeof text, "%.17g", size == sizeof(float) ? double{as(0.0f)} : as(0.0));
    return text;
  }
  const bool is_signed = (flags & UPCR_SHADOW_SIGNED) != 0;
  if ((is_signed || (flags & UPCR_SHADOW_UNSIGNED) != 0) && size <= sizeof(uint64_t)) {
    uint64_t bits = 0;
    std::memcpy(&bits, value, size);  // the least significant bytes come first
    const int unused = 64 - 8 * static_cast<int>(size);
    const auto extended = static_cast<int64_t>(bits << unused) >> unused;
    if (is_signed)
      std::snprintf(text, sizeof text, "%" PRId64, extended);
    else
      std::snprintf(text, sizeof text, "%" PRIu64, bits);
    return text;
  }
  std::string out = "bytes";
  for (size_t i = 0; i < std::min<size_t>(size, 16); ++i) {
    std::snprintf(text, sizeof text, " %02x", static_cast<const unsigned char*>(value)[i]);
    out += text;
  }
  return size <= 16 ? out : out + " ...";
}

[[noreturn]] void differ(const Access& access, upcr_pts_t object, size_t size, const void* planned,
                         const void* expected, const char* when) {
  fail(access.place,
       "shadow: '%s' (thread %u, offset %#" PRIx64
       ") is %s %s the loop as it was planned, and %s element by element; or another thread writes it meanwhile, which "
       "is a race of the program",
       access.text, thread_of(object), object.offset, value_text(planned, size, access.flags).c_str(), when,
       value_text(expected, size, access.flags).c_str());
}

// What the next single read is of.
struct Named {
  upcr_pts_t object;
  const char* text;
  unsigned flags;
};
thread_local Named named = {};

}  // namespace

class ShadowMemory {
 public:
  /// What the object should be: memory, and on top what the loop has written.
  void value(void* to, upcr_pts_t from, size_t size) const {
    (void)weft_get(to, thread_of(from), from.offset, size);
    const auto end = written_.lower_bound(key_of(from, size));
    for (auto byte = written_.lower_bound(key_of(from)); byte != end; ++byte)
      static_cast<unsigned char*>(to)[byte->first.second - from.offset] = byte->second.value;
  }
  void write(upcr_pts_t to, const void* from, size_t size, const Access& access, bool certain) {
    for (size_t k = 0; k < size; ++k)
      written_[key_of(to, k)] = {static_cast<const unsigned char*>(from)[k], certain, access, to, size, loops_};
  }
  /// Whether all of it has been written, since a loop with this number began.
  bool has_written(upcr_pts_t object, size_t size, uint64_t since = 0) const {
    const auto end = written_.lower_bound(key_of(object, size));
    size_t bytes = 0;
    for (auto byte = written_.lower_bound(key_of(object)); byte != end; ++byte)
      bytes += byte->second.loop >= since ? 1 : 0;
    return bytes == size;
  }
  /// The same of the innermost loop, which has windows of its own: what is only written is not fetched into them.
  bool has_written_here(upcr_pts_t object, size_t size) const { return has_written(object, size, begun_.back()); }

  /// A planned access of an object that is found at `planned` and may be written there.
  void may_write(void* planned, upcr_pts_t object, size_t size, const Access& access) {
    const auto* bytes = static_cast<const unsigned char*>(planned);
    pending_.push_back({bytes, object, access, {bytes, bytes + size}});
  }
  /// Takes what has been written since into account.
  void look_at_pending() {
    for (Pending& one : pending_) {
      const size_t size = one.before.size();
      if (std::memcmp(one.at, one.before.data(), size) == 0) continue;
      write(one.object, one.at, size, one.access, true);
      one.before.assign(one.at, one.at + size);
    }
  }
  /// The iteration has written all of them, perhaps the value that they had.
  void end_iteration() {
    for (const Pending& one : pending_) write(one.object, one.at, one.before.size(), one.access, true);
    pending_.clear();
  }

  /// All that was written must be in memory.
  void compare_with_memory() const {
    std::vector<unsigned char> memory;
    for (auto byte = written_.begin(); byte != written_.end();) {
      auto end = byte;
      uint64_t size = 0;
      while (end != written_.end() && end->first == Key(byte->first.first, byte->first.second + size)) ++end, ++size;
      memory.resize(size);
      (void)weft_get(memory.data(), static_cast<weft_rank_t>(byte->first.first), byte->first.second, size);
      for (size_t k = 0; byte != end; ++byte, ++k) {
        if (byte->second.certain && byte->second.value != memory[k]) differ_in_memory(byte->second);
      }
    }
  }

  void begin_loop() { begun_.push_back(++loops_); }
  /// How many are around it.
  size_t end_loop() {
    begun_.pop_back();
    return begun_.size();
  }

 private:
  struct Pending {
    const unsigned char* at;
    upcr_pts_t object;
    Access access;
    std::vector<unsigned char> before;
  };

  [[noreturn]] void differ_in_memory(const Byte& byte) const {
    std::vector<char> found(byte.size), expected(byte.size);
    (void)weft_get(found.data(), thread_of(byte.object), byte.object.offset, byte.size);
    value(expected.data(), byte.object, byte.size);
    differ(byte.by, byte.object, byte.size, found.data(), expected.data(), "after");
  }

  std::map<Key, Byte> written_;
  std::vector<Pending> pending_;
  uint64_t loops_ = 0;           // have begun
  std::vector<uint64_t> begun_;  // the numbers of those that have not ended
};

thread_local ShadowMemory* shadow_memory = nullptr;

namespace {
constinit thread_local OfThread<ShadowMemory> own_memory;

bool is_shadowed(upcr_pts_t p) { return shadow_memory != nullptr && mapped(p) == nullptr; }
}  // namespace

void shadow_read(upcr_pts_t from, const void* got, size_t size, Place place) {
  if (!is_shadowed(from)) return;
  shadow_memory->look_at_pending();
  std::vector<char> expected(size);
  shadow_memory->value(expected.data(), from, size);
  if (std::memcmp(got, expected.data(), size) == 0) return;
  const bool is_named = named.text != nullptr && key_of(named.object) == key_of(from);
  const Access access = {is_named ? named.text : "a single access", is_named ? named.flags : 0, place};
  differ(access, from, size, got, expected.data(), "in");
}

void shadow_written(upcr_pts_t to, const void* from, size_t size, Place place) {
  if (is_shadowed(to)) shadow_memory->write(to, from, size, {"a single access", 0, place}, true);
}

void shadow_value(void* to, upcr_pts_t from, size_t size) {
  shadow_memory->look_at_pending();
  shadow_memory->value(to, from, size);
}

void shadow_updated(upcr_pts_t to, const void* from, size_t size) {
  shadow_memory->write(to, from, size, {"an update", 0, {}}, false);
}

void shadow_puts_back(weft_rank_t thread, uint64_t offset, uint64_t size, Place place) {
  for (uint64_t k = 0; k < size; ++k) {
    if (shadow_memory->has_written(upcr_make(offset + k, thread, 0), 1)) continue;
    fail(place,
         "shadow: as the loop was planned this access writes thread %u, offset %#" PRIx64
         ", and element by element nothing does",
         thread, offset + k);
  }
}

}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

void upcr_shadow_begin(void) {
  shadow_memory = &own_memory.get();
  shadow_memory->begin_loop();
}

void upcr_shadow_end(void) {
  // Windows of a loop around this one put back what they show when they are closed.
  if (shadow_memory->end_loop() > 0) return;
  shadow_memory->compare_with_memory();
  shadow_memory = nullptr;
  own_memory.reset();
}

void upcr_shadow_iterated(void) {
  if (shadow_memory != nullptr) shadow_memory->end_iteration();
}

upcr_pts_t upcr_shadow_named(upcr_pts_t object, unsigned flags, const char* text) {
  named = {object, text, flags};
  return object;
}

void* upcr_shadow_at(void* planned, upcr_pts_t object, size_t size, unsigned flags, const char* text, const char* file,
                     int line) {
  const Access access = {text, flags, {file, line}};
  if (!may_be_object(self_of_access(), object))
    fail(access.place, "shadow: '%s' is no object element by element (thread %" PRIu64 ", offset %#" PRIx64 ")", text,
         upcr_thread(object), object.offset);
  if (const char* at = mapped(object)) {
    if ((flags & UPCR_SHADOW_COPY) != 0) {
      if (std::memcmp(planned, at, size) != 0) differ(access, object, size, planned, at, "in");
    } else if (at != planned) {
      fail(access.place,
           "shadow: '%s' is %td bytes from where it is element by element (thread %u, offset %#" PRIx64 "): %s and %s",
           text, static_cast<const char*>(planned) - at, thread_of(object), object.offset,
           value_text(planned, size, flags).c_str(), value_text(at, size, flags).c_str());
    }
    return planned;
  }
  if (shadow_memory == nullptr) return planned;
  shadow_memory->look_at_pending();
  if ((flags & UPCR_SHADOW_READ) != 0 || shadow_memory->has_written_here(object, size)) {
    std::vector<char> expected(size);
    shadow_memory->value(expected.data(), object, size);
    if (std::memcmp(planned, expected.data(), size) != 0) differ(access, object, size, planned, expected.data(), "in");
  }
  if ((flags & UPCR_SHADOW_WRITTEN) != 0) shadow_memory->may_write(planned, object, size, access);
  return planned;
}

void upcr_shadow_compare(const upcr_shadow_loop_t* loop, const char* file, int line) {
  if (loop->expected == loop->performed && loop->expected_hash == loop->performed_hash) return;
  fail({file, line},
       "shadow: this thread has %" PRIu64 " iterations of the loop as it was planned, and %" PRIu64
       " element by element%s",
       loop->performed, loop->expected, loop->performed == loop->expected ? ", but others" : "");
}

}  // extern "C"
