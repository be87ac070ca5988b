// Processors, host name, memory size, sleeping and waking.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace weft::os {

/// Processors that this process may run on.
uint32_t processor_count();
/// Processors of the host that are online.
uint32_t host_processors();
/// Binds the calling thread to the n-th of those.
bool bind_to_processor(uint32_t n);
/// Those of the calling thread as bits, by processor number.
inline constexpr uint32_t processor_words = 16;  // as many processors as the system call tells of
void allowed_processors(uint64_t (&bits)[processor_words]);
/// For a thread that sleeps most of the time beside one that computes: short turns, which Linux from 6.12 on lets begin
/// when the thread wakes, not when the other's turn is over; and sleeps that end when they should. For the calling
/// thread.
void take_short_turns();
std::string host_name();
/// Bytes of memory the host has in all.
uint64_t physical_memory();

/// Sleeps while *word == expected, until woken or the time is over. The word may lie in shared memory.
void futex_wait(std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns);
void futex_wake_all(std::atomic<uint32_t>& word);

}  // namespace weft::os
