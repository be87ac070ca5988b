// The sizes that the ranks of a host agree on.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <thread>
#include <vector>

#include "boot/thread_job.hpp"
#include "conduit/smp/host_memory.hpp"
#include "os/processor.hpp"

namespace {

using weft::conduit::smp::Geometry;
using weft::conduit::smp::HostMemory;

weft::base::Settings settings_with(uint64_t segment, uint32_t slots) {
  weft::base::Settings settings;
  EXPECT_TRUE(weft::base::read_settings(settings).ok());
  settings.segment_size = segment;
  settings.am_slots = slots;
  return settings;
}

TEST(Geometry, SegmentsAreWholePagesApartByHugePages) {
  Geometry geometry;
  ASSERT_TRUE(Geometry::choose(3, settings_with((5 << 20) + 1, 0), geometry).ok());
  EXPECT_EQ(geometry.segment_size, (5u << 20) + 4096);
  EXPECT_EQ(geometry.segment_stride, 8u << 20);
}

TEST(Geometry, TheDefaultReservesGenerouslyForAnyNumberOfRanks) {
  for (uint32_t ranks : {1u, 2u, 16u, 17u, 64u, 65u, 1000u}) {
    Geometry geometry;
    ASSERT_TRUE(Geometry::choose(ranks, settings_with(0, 0), geometry).ok());
    EXPECT_TRUE(std::has_single_bit(geometry.am_slots));
    EXPECT_TRUE(std::has_single_bit(geometry.payload_bytes));
    EXPECT_GE(geometry.payload_bytes / 4, 4096u) << "a medium message has at least 4096 bytes";
    EXPECT_GE(geometry.segment_size, std::min<uint64_t>(weft::os::physical_memory(), uint64_t{1} << 28));
    EXPECT_GE(geometry.control_bytes(), 2 * size_t{ranks} * ranks * (geometry.slots_bytes() + geometry.payload_bytes));
  }
}

TEST(Geometry, SettingsOutOfRangeAreRefused) {
  Geometry geometry;
  for (uint32_t slots : {1u, 4u, 9u, 8192u})
    EXPECT_FALSE(Geometry::choose(2, settings_with(1 << 20, slots), geometry).ok()) << slots;
  EXPECT_TRUE(Geometry::choose(2, settings_with(1 << 20, 8), geometry).ok());
}

// Joins as many ranks as there are processors, each on the one that place(rank) tells, and asks each what it counted.
std::vector<uint32_t> processors_counted(uint32_t ranks, uint32_t (*place)(uint32_t rank)) {
  weft::boot::ThreadJob job(ranks, nullptr);
  const weft::base::Settings settings = settings_with(1 << 20, 8);
  std::vector<uint32_t> counts(ranks);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      const auto boot = job.boot(rank);
      std::shared_ptr<HostMemory> memory;
      EXPECT_TRUE(weft::os::bind_to_processor(place(rank)));
      EXPECT_TRUE(HostMemory::join(*boot, settings, memory).ok());
      counts[rank] = memory->processor_count();
      EXPECT_TRUE(boot->finalize().ok());
    });
  for (std::thread& thread : threads) thread.join();
  return counts;
}

TEST(HostMemory, CountsTheProcessorsOfAllRanksTogether) {
  const uint32_t processors = std::min(weft::os::processor_count(), 8u);
  EXPECT_EQ(processors_counted(processors, [](uint32_t rank) { return rank; }), std::vector(processors, processors));
}

TEST(HostMemory, CountsAProcessorThatAllRanksShareOnce) {
  EXPECT_EQ(processors_counted(3, [](uint32_t) { return 0u; }), std::vector<uint32_t>(3, 1));
}

}  // namespace
