// Elements at any places of memory that is not mapped (weft/upcrt/gather.h).
#include "weft/upcrt/gather.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "upcrt/of_thread.hpp"
#include "upcrt/places.hpp"
#include "upcrt/read_cache.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/window_pieces.hpp"
#include "weft/rma.h"
#include "weft/upcrt/library.h"
#include "weft/vis.h"

namespace weft::upcrt {
namespace {

// The strip of one access. Elements of memory that is not mapped have slots; those of one thread are neighbours.
struct Strip {
  std::vector<upcr_pts_t> places;
  std::vector<char*> at;
  std::vector<uint32_t> order;  // iterations whose elements lie elsewhere, by thread
  std::vector<size_t> offsets;  // of each slot
  std::vector<char> slots;
  std::vector<char> copies;  // elements of reads that were kept
  struct Part {
    weft_rank_t thread;
    size_t first, count;  // of the slots
  };
  std::vector<Part> parts;
  std::vector<weft_handle_t> handles;
};

// Those not in use, by how deep they nest.
struct Stack {
  std::vector<std::unique_ptr<Strip>> all;
  size_t used = 0;
};
constinit thread_local OfThread<Stack> stack;

Strip& strip_of(int count, int number) { return *stack->all[stack->used - static_cast<size_t>(count - number)]; }

// Of any element.
constexpr size_t kAlignment = 64;

char* aligned(std::vector<char>& memory) {
  return memory.data() + (kAlignment - reinterpret_cast<uintptr_t>(memory.data()) % kAlignment);
}
char* first_slot(Strip& strip) { return aligned(strip.slots); }

// The slots of a thread's places, by offset: each place has one.
class SlotTable {
 public:
  void clear(size_t places) {
    size_ = std::bit_ceil(2 * places);
    slots_.assign(size_, 0);
  }
  /// The slot of an offset among those from `first` on; a new one, at the end of `offsets`, if there is none.
  size_t slot(std::vector<size_t>& offsets, size_t first, uint64_t offset) {
    for (size_t i = offset * 0x9e37'79b9'7f4a'7c15 >> 32;; ++i) {
      uint32_t& entry = slots_[i & (size_ - 1)];
      if (entry == 0) {
        offsets.push_back(offset);
        entry = static_cast<uint32_t>(offsets.size());
      }
      if (entry > first && offsets[entry - 1] == offset) return entry - 1;
    }
  }

 private:
  size_t size_ = 0;
  std::vector<uint32_t> slots_;  // one more than the slot; 0: free
};

// Gives the iterations in `order` slots. Iterations that write one element share its slot: the last one counts.
void give_slots(Strip& strip, uint64_t size, bool written) {
  static constinit thread_local OfThread<SlotTable> table;
  const std::vector<upcr_pts_t>& places = strip.places;
  const auto by_thread = [&](uint32_t a, uint32_t b) { return upcr_thread(places[a]) < upcr_thread(places[b]); };
  if (!std::is_sorted(strip.order.begin(), strip.order.end(), by_thread))
    std::stable_sort(strip.order.begin(), strip.order.end(), by_thread);
  strip.slots.resize(strip.order.size() * size + kAlignment);
  char* const first = first_slot(strip);
  strip.offsets.clear();
  strip.parts.clear();
  if (written) table->clear(strip.order.size());
  for (const uint32_t k : strip.order) {
    const upcr_pts_t& place = places[k];
    if (strip.parts.empty() || strip.parts.back().thread != thread_of(place))
      strip.parts.push_back({thread_of(place), strip.offsets.size(), 0});
    Strip::Part& part = strip.parts.back();
    size_t slot = strip.offsets.size();
    if (written)
      slot = table->slot(strip.offsets, part.first, place.offset);
    else
      strip.offsets.push_back(place.offset);
    part.count = strip.offsets.size() - part.first;
    strip.at[k] = first + slot * size;
  }
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

void upcr_gather_begin(upcr_gather_t* list, int count, long iterations) {
  for (int i = 0; i < count; ++i) {
    if (stack->used == stack->all.size()) stack->all.push_back(std::make_unique<Strip>());
    Strip& strip = *stack->all[stack->used++];
    strip.places.resize(static_cast<size_t>(iterations));
    strip.at.resize(static_cast<size_t>(iterations));
    list[i].places = strip.places.data();
    list[i].at = strip.at.data();
    list[i].missed = 1;
    if ((list[i].flags & UPCR_WINDOW_WRITTEN) != 0) continue;
    const size_t copied = list[i].size <= kLargestRead ? list[i].size : 0;
    const size_t room = static_cast<size_t>(iterations) * copied + kAlignment;
    if (strip.copies.size() < room) strip.copies.resize(room);
    list[i].copies = aligned(strip.copies);
    list[i].known = known_pages(static_cast<uint64_t>(iterations));
  }
}

void upcr_gather_fetch(upcr_gather_t* list, int count, long iterations) {
  const State& state = self_of_access();
  for (int i = 0; i < count; ++i) {
    Strip& strip = strip_of(count, i);
    const upcr_gather_t& gather = list[i];
    const bool written = (gather.flags & UPCR_WINDOW_WRITTEN) != 0;
    if (!written && gather.missed == 0) continue;
    upcr_place(gather.file, gather.line);
    strip.order.clear();
    for (uint32_t k = 0; k < static_cast<uint32_t>(iterations); ++k) {
      const upcr_pts_t place = strip.places[k];
      if (!may_be_object(state, place)) refuse_object(written, place, gather.size, {gather.file, gather.line});
      char* const base = base_of(thread_of(place));
      strip.at[k] = base == nullptr ? nullptr : base + place.offset;
      if (base == nullptr)
        strip.order.push_back(k);
      else if (!written)
        know_mapped_page(place, base);
    }
    if (!written) read_kept_places(strip.places.data(), strip.order, gather.size, gather.copies, strip.at.data());
    give_slots(strip, gather.size, written);
    for (const Strip::Part& part : strip.parts) {
      void* const to = first_slot(strip) + part.first * gather.size;
      if (written) break;
      count_message(part.count * gather.size);
      (void)weft_get_indexed_nb(part.thread, 1, &to, part.count * gather.size, part.count,
                                strip.offsets.data() + part.first, gather.size, 0, &strip.handles.emplace_back());
    }
  }
  for (int i = 0; i < count; ++i) complete(strip_of(count, i).handles);
}

void upcr_gather_end(upcr_gather_t* list, int count) {
  for (int i = 0; i < count; ++i) {
    Strip& strip = strip_of(count, i);
    if ((list[i].flags & UPCR_WINDOW_WRITTEN) == 0) continue;
    upcr_place(list[i].file, list[i].line);
    for (const Strip::Part& part : strip.parts) {
      forget_reads();
      count_message(part.count * list[i].size);
      const void* const from = first_slot(strip) + part.first * list[i].size;
      (void)weft_put_indexed_nb(part.thread, part.count, strip.offsets.data() + part.first, list[i].size, 1, &from,
                                part.count * list[i].size, 0, &strip.handles.emplace_back());
    }
  }
  for (int i = 0; i < count; ++i) complete(strip_of(count, i).handles);
  stack->used -= static_cast<size_t>(count);
}

}  // extern "C"
