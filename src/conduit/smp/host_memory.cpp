#include "conduit/smp/host_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <iterator>

#include "base/log.hpp"
#include "conduit/segment_size.hpp"
#include "os/processor.hpp"

namespace weft::conduit::smp {
namespace {

constexpr size_t huge_page_size = size_t{2} << 20;
constexpr uint32_t max_am_slots = 4096;

}  // namespace

Status Geometry::choose(RankId ranks, const base::Settings& settings, Geometry& geometry) {
  Geometry chosen;
  chosen.ranks = ranks;
  uint32_t slots = settings.am_slots;
  if (slots == 0) slots = ranks <= 16 ? 256 : ranks <= 64 ? 64 : ranks <= 256 ? 16 : 8;
  if (slots < 8 || slots > max_am_slots || !std::has_single_bit(slots)) {
    base::log_error("setting WEFT_AM_SLOTS is %u, which is not a power of two from 8 to %u", slots, max_am_slots);
    return WEFT_ERR_INVALID;
  }
  chosen.am_slots = slots;
  chosen.payload_bytes = ranks <= 16 ? 128u << 10 : 32u << 10;
  chosen.segment_size = wanted_segment_size(settings, ranks);
  chosen.segment_stride = std::max(std::bit_ceil(chosen.segment_size), huge_page_size);
  geometry = chosen;
  return {};
}

// The control area: sleepers, processors, callers, then the slots of all queues, then their payloads. A rank looks at
// the slots of all queues that lead to it and are in use, so these lie close together, by receiver; what nobody uses
// stays untouched.
size_t Geometry::control_bytes() const { return payload_start() + size_t{2} * ranks * ranks * payload_bytes; }

size_t Geometry::payload_start() const {
  return whole_pages(queues_start() + size_t{2} * ranks * ranks * slots_bytes());
}

Queue HostMemory::queue(RankId from, RankId to, AmClass message_class) const {
  const size_t index = (size_t{to} * geometry_.ranks + from) * 2 + (message_class == AmClass::reply ? 1 : 0);
  std::byte* slots = control_.address() + geometry_.queues_start() + index * geometry_.slots_bytes();
  std::byte* payload = control_.address() + geometry_.payload_start() + index * geometry_.payload_bytes;
  return {reinterpret_cast<RingMemory*>(slots), payload};
}

void HostMemory::add_own_processors() {
  uint64_t own[os::processor_words];
  os::allowed_processors(own);
  for (size_t i = 0; i < std::size(own); ++i) processors().bits[i].fetch_or(own[i], std::memory_order_relaxed);
}

uint32_t HostMemory::processor_count() const {
  int count = 0;
  for (const std::atomic<uint64_t>& bits : processors().bits)
    count += std::popcount(bits.load(std::memory_order_relaxed));
  return static_cast<uint32_t>(count);
}

Status HostMemory::map() {
  Status status = os::Mapping::map(control_memory_, geometry_.control_bytes(), control_);
  if (!status.ok()) return status;
  return os::Mapping::map(segments_memory_, geometry_.ranks * geometry_.segment_stride, segments_);
}

Status HostMemory::create(const Geometry& geometry, std::string& reference) {
  geometry_ = geometry;
  Status status = os::SharedMemory::create("weft-control", geometry.control_bytes(), control_memory_);
  if (status.ok())
    status = os::SharedMemory::create("weft-segments", geometry.ranks * geometry.segment_stride, segments_memory_);
  if (status.ok()) status = map();
  if (!status.ok()) return status;
  reference = control_memory_.reference() + " " + segments_memory_.reference();
  return {};
}

Status HostMemory::attach(const Geometry& geometry, const std::string& control, const std::string& segments) {
  geometry_ = geometry;
  Status status = os::SharedMemory::open(control, control_memory_);
  if (status.ok()) status = os::SharedMemory::open(segments, segments_memory_);
  if (status.ok()) status = map();
  return status;
}

namespace {

// What the first rank tells the others. `owner` is the address of its shared_ptr, for ranks of the same process.
struct Invitation {
  Geometry geometry;
  int process = 0;
  uintptr_t owner = 0;
  char control[64] = "";
  char segments[64] = "";

  std::string encode() const {
    char text[400];
    std::snprintf(text, sizeof text, "%d %" PRIuPTR " %u %u %zu %zu %s %s", process, owner, geometry.am_slots,
                  geometry.payload_bytes, geometry.segment_size, geometry.segment_stride, control, segments);
    return text;
  }
  bool decode(const std::string& text) {
    return std::sscanf(text.c_str(), "%d %" SCNuPTR " %u %u %zu %zu %63s %63s", &process, &owner, &geometry.am_slots,
                       &geometry.payload_bytes, &geometry.segment_size, &geometry.segment_stride, control,
                       segments) == 8;
  }
};

// Every rank compares its host with the first rank's.
Status check_one_host(boot::Boot& boot, const base::Settings& settings) {
  const std::string mine = os::host_name();
  std::string host;
  Status status = boot.get(0, "host", host);
  if (!status.ok() || host == mine) return status;
  base::log_error("rank 0 runs on host %s, this rank on %s, but ranks that share memory must be on one host: unset %s",
                  host.c_str(), mine.c_str(), settings.host_name.empty() ? "WEFT_CONDUIT" : "WEFT_HOST_NAME");
  return WEFT_ERR_BOOT;
}

}  // namespace

Status HostMemory::join(boot::Boot& boot, const base::Settings& settings, std::shared_ptr<HostMemory>& memory) {
  auto made = std::make_shared<HostMemory>();
  Invitation invitation;
  Status status;
  if (boot.rank() == 0) {
    status = boot.put("host", os::host_name());
    if (!status.ok()) return status;
    status = Geometry::choose(boot.size(), settings, invitation.geometry);
    std::string reference;
    if (status.ok()) status = made->create(invitation.geometry, reference);
    if (status.ok()) {
      invitation.process = getpid();
      invitation.owner = reinterpret_cast<uintptr_t>(&made);
      std::sscanf(reference.c_str(), "%63s %63s", invitation.control, invitation.segments);
    }
    // Tell the others even of a failure, so that nobody waits for ever.
    Status told = boot.put("smp", status.ok() ? invitation.encode() : "failed");
    if (!told.ok()) return told;
  }
  Status fenced = boot.fence();
  if (!fenced.ok()) return fenced;
  if (!status.ok()) return status;
  status = check_one_host(boot, settings);
  if (!status.ok()) return status;
  if (boot.rank() != 0) {
    std::string text;
    status = boot.get(0, "smp", text);
    if (!status.ok()) return status;
    if (!invitation.decode(text)) return WEFT_ERR_BOOT;  // rank 0 has said why
    invitation.geometry.ranks = boot.size();
    if (invitation.process == getpid()) {
      made = *reinterpret_cast<std::shared_ptr<HostMemory>*>(invitation.owner);
    } else {
      status = made->attach(invitation.geometry, invitation.control, invitation.segments);
    }
  }
  if (status.ok()) made->add_own_processors();  // the fence orders this before anybody counts
  // The first rank's shared_ptr and descriptors must outlive everybody's use of them.
  fenced = boot.fence();
  if (!status.ok()) return status;
  if (!fenced.ok()) return fenced;
  memory = std::move(made);
  return {};
}

}  // namespace weft::conduit::smp
