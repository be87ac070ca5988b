#include "coll/call.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/spin_lock.hpp"
#include "coll/engine.hpp"

namespace weft::coll {

Call::Call(Engine& engine, Team& team)
    : engine_(engine), team_(team), members_(team.members), scheduler_(engine.scheduler()), whole_(*this) {}

Call::Call(Call& whole, const Groups::Group& group, const Request& request, const Plan& plan, const Layout& layout)
    : engine_(whole.engine_),
      team_(whole.team_),
      members_(*group.members),
      scheduler_(whole.scheduler_),
      whole_(whole.whole_),
      numbers_(&group.numbers),
      request_(request),
      plan_(plan),
      region_(whole.region_),
      slot_bytes_(layout.slot_room),
      checked_(whole.checked_),
      own_(whole.own_),
      spin_(whole.spin_) {
  request_.out_none = false;  // what a stage leaves behind is the next one's source
  region_.lines += layout.first_line * line_bytes;
  region_.bulk += layout.first_bulk;
}

Shape Call::shape() const { return Planner::shape_of(team_, request()); }

bool Call::look(uint64_t stamp_at) const {
  // About as long as a line takes there and back a few times; after that others get their turn.
  constexpr int looks = 100;
  for (int i = 0; i < looks; ++i) {
    base::cpu_relax();
    if (seen(stamp_at)) return true;
  }
  return false;
}

void Call::wait_long(uint64_t stamp_at) {
  engine_.core().progress().wait([this, stamp_at] { return seen(stamp_at); });
}

// A put reads its source until it is complete locally, so what a tell() says needs memory of its own.
std::byte* Call::keep(size_t size) {
  constexpr size_t room = 432;  // with the headers a size of FramePool's
  size = (size + alignof(Kept) - 1) & -alignof(Kept);
  Kept*& kept = whole_.kept_;
  if (kept == nullptr || kept->used + size > room) {
    auto* block = static_cast<Kept*>(scheduler_.frames().allocate(sizeof(Kept) + std::max(size, room)));
    *block = {.next = kept, .used = 0};
    kept = block;
  }
  return reinterpret_cast<std::byte*>(kept + 1) + std::exchange(kept->used, kept->used + size);
}

const uint64_t* Call::keep(uint64_t a, uint64_t b) {
  auto* words = reinterpret_cast<uint64_t*>(keep(2 * sizeof a));
  words[0] = a;
  words[1] = b;
  return words;
}

std::byte* Call::draft(uint32_t peer, uint64_t offset, size_t size) {
  std::byte* const direct = members_.direct(peer);
  return direct != nullptr ? direct + offset : keep(size);
}

bool Call::Native::begin() {
  if (call_.team_.native_turn != call_.native_turn_) return false;
  const conduit::Result result = call_.team_.native->begin(request_, &call_.puts_.completion);
  if (result == conduit::Result::retry) return false;
  if (result == conduit::Result::posted) ++call_.puts_.expected;
  ++call_.team_.native_turn;
  return begun_ = true;
}

Call::Window Call::window(const void* user, size_t size) {
  auto* address = static_cast<std::byte*>(const_cast<void*>(user));
  std::byte* base = members_.segment();
  const size_t segment_size = members_.core().conduit().segment_size();
  if (address >= base && address < base + segment_size)
    return {.at = address, .offset = static_cast<uint64_t>(address - base)};
  return temporary(size);
}

Call::Window Call::temporary(size_t size) {
  whole_.bounce_buffers_.push_back(engine_.bounce_buffer(size));
  return whole_.bounce_buffers_.back();
}

void Call::refuse_sizes(uint32_t from, size_t sends, uint32_t to, size_t expects) {
  char line[200];
  std::snprintf(line, sizeof line, "weft_%s: %s sends %zu bytes to %s, which expects %zu", name_of(whole_.request().op),
                members_.name(from).c_str(), sends, members_.name(to).c_str(), expects);
  engine_.core().refuse(line);
}

}  // namespace weft::coll
