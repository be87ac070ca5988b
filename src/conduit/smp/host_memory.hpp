// The memory that the ranks of one host share: a control area (waiting, message queues) and all their segments.
// Ranks that are threads of one process share one HostMemory and so one mapping; ThreadSanitizer then sees their
// accesses.
#pragma once

#include <atomic>
#include <memory>

#include "base/settings.hpp"
#include "boot/boot.hpp"
#include "conduit/conduit.hpp"
#include "conduit/smp/callers.hpp"
#include "conduit/smp/ring.hpp"
#include "conduit/smp/sleeper.hpp"
#include "os/processor.hpp"
#include "os/shared_memory.hpp"

namespace weft::conduit::smp {

/// The processors that any rank of the host may use. A rank that is bound to one would take the host for crowded if it
/// counted only its own.
struct alignas(cache_line) Processors {
  std::atomic<uint64_t> bits[os::processor_words];
};

/// Sizes that all ranks of the host agree on: the first rank chooses, the others are told.
struct Geometry {
  RankId ranks = 0;
  uint32_t am_slots = 0;       // per queue, a power of two
  uint32_t payload_bytes = 0;  // per queue, a power of two
  size_t segment_size = 0;     // bytes, a multiple of the page size
  size_t segment_stride = 0;   // bytes from a segment to the next: a power of two, so that a shift finds a segment

  static Status choose(RankId ranks, const base::Settings& settings, Geometry& geometry);
  size_t slots_bytes() const { return RingMemory::bytes(am_slots); }
  size_t callers_start() const { return ranks * sizeof(Sleeper) + sizeof(Processors); }
  size_t queues_start() const { return callers_start() + ranks * Callers::bytes(ranks); }
  size_t payload_start() const;
  size_t control_bytes() const;
};

/// The memory of one queue.
struct Queue {
  RingMemory* ring;
  std::byte* payload;
};

class HostMemory {
 public:
  /// Collective over the ranks of `boot`, which must all be on this host.
  static Status join(boot::Boot& boot, const base::Settings& settings, std::shared_ptr<HostMemory>& memory);

  const Geometry& geometry() const { return geometry_; }
  std::byte* segment(RankId rank) const { return segments_.address() + rank * geometry_.segment_stride; }
  Sleeper& sleeper(RankId rank) const { return reinterpret_cast<Sleeper*>(control_.address())[rank]; }
  Callers& callers(RankId rank) const {
    const size_t offset = geometry_.callers_start() + rank * Callers::bytes(geometry_.ranks);
    return *reinterpret_cast<Callers*>(control_.address() + offset);
  }
  Queue queue(RankId from, RankId to, AmClass message_class) const;
  /// How many processors the ranks of the host have together.
  uint32_t processor_count() const;

 private:
  Status create(const Geometry& geometry, std::string& reference);
  Status attach(const Geometry& geometry, const std::string& control, const std::string& segments);
  Status map();
  Processors& processors() const { return *reinterpret_cast<Processors*>(&sleeper(geometry_.ranks)); }
  void add_own_processors();

  Geometry geometry_;
  os::SharedMemory control_memory_;
  os::SharedMemory segments_memory_;
  os::Mapping control_;
  os::Mapping segments_;
};

}  // namespace weft::conduit::smp
