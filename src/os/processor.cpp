#include "os/processor.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/clock.hpp"

namespace weft::os {

uint32_t processor_count() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<uint32_t>(CPU_COUNT(&set));
}

uint32_t host_processors() { return static_cast<uint32_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L)); }

void allowed_processors(uint64_t (&bits)[processor_words]) {
  static_assert(CPU_SETSIZE <= processor_words * 64);
  for (uint64_t& word : bits) word = 0;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) bits[cpu / 64] |= uint64_t{1} << cpu % 64;
}

bool bind_to_processor(uint32_t n) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    if (n-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }
  return false;
}

namespace {
// The kernel's struct sched_attr, as long as all kernels have it. Its header and that of the C library exclude each
// other.
struct Scheduling {
  uint32_t size = sizeof(Scheduling), policy = 0;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t turn_ns = 0, deadline_ns = 0, period_ns = 0;
};
}  // namespace

// Both are requests: an older kernel, which knows no length of turns, is as good as before.
void take_short_turns() {
  Scheduling scheduling;
  if (syscall(SYS_sched_getattr, 0, &scheduling, sizeof scheduling, 0) == 0 && scheduling.policy == SCHED_OTHER) {
    scheduling.turn_ns = 100'000;  // the shortest there is
    syscall(SYS_sched_setattr, 0, &scheduling, 0);
  }
  prctl(PR_SET_TIMERSLACK, 1'000, 0, 0, 0);  // ns
}

std::string host_name() {
  char name[256] = "localhost";
  gethostname(name, sizeof name - 1);
  return name;
}

uint64_t physical_memory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns) {
  const timespec timeout = timespec_of(timeout_ns);
  // Every outcome (woken, changed, interrupted, timed out) sends the caller back to look for itself.
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
}

void futex_wake_all(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

}  // namespace weft::os
