#include "os/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "base/parse.hpp"

namespace weft::os {

SharedMemory::SharedMemory(SharedMemory&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (descriptor_ >= 0) close(descriptor_);
}

Status SharedMemory::create(const char* label, size_t size, SharedMemory& memory) {
  SharedMemory made;
  made.descriptor_ = memfd_create(label, MFD_CLOEXEC);
  if (made.descriptor_ < 0) {
    base::log_error("memfd_create failed: %s; Weft needs Linux 3.17 or newer with memfd allowed", std::strerror(errno));
    return WEFT_ERR_SYSTEM;
  }
  if (ftruncate(made.descriptor_, static_cast<off_t>(size)) != 0) {
    base::log_error("cannot reserve %s of shared memory for the ranks of this host: %s; lower %s or raise ulimit -f",
                    base::size_text(size).c_str(), std::strerror(errno), segment_size_setting.load());
    return WEFT_ERR_NO_MEMORY;
  }
  memory = std::move(made);
  return {};
}

std::string SharedMemory::reference() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}

Status SharedMemory::open(const std::string& reference, SharedMemory& memory) {
  SharedMemory opened;
  opened.descriptor_ = ::open(reference.c_str(), O_RDWR | O_CLOEXEC);
  if (opened.descriptor_ < 0) {
    base::log_error(
        "cannot open the job's shared memory %s: %s; all ranks of a host must run as one user and see the "
        "same /proc",
        reference.c_str(), std::strerror(errno));
    return WEFT_ERR_SYSTEM;
  }
  memory = std::move(opened);
  return {};
}

Mapping::Mapping(Mapping&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (address_) munmap(address_, size_);
}

namespace {

// Huge pages lie at multiples of their size, so mappings start at one.
constexpr size_t huge_page_size = size_t{2} << 20;

Status no_address_space(size_t size) {
  base::log_error(
      "cannot map %s of address space for the segments of this host's ranks, which may lie a power of two apart: %s; "
      "lower %s or raise ulimit -v",
      base::size_text(size).c_str(), std::strerror(errno), segment_size_setting.load());
  return WEFT_ERR_NO_MEMORY;
}

}  // namespace

Status Mapping::map(const SharedMemory& memory, size_t size, Mapping& mapping) {
  size_t reserved = size + huge_page_size;
  void* range = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return no_address_space(size);
  auto start = reinterpret_cast<uintptr_t>(range);
  uintptr_t aligned = (start + huge_page_size - 1) & ~(huge_page_size - 1);
  if (mmap(reinterpret_cast<void*>(aligned), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
           memory.descriptor(), 0) == MAP_FAILED) {
    Status status = no_address_space(size);
    munmap(range, reserved);
    return status;
  }
  if (aligned > start) munmap(range, aligned - start);
  size_t tail = start + reserved - (aligned + size);
  if (tail > 0) munmap(reinterpret_cast<void*>(aligned + size), tail);
  Mapping made;
  made.address_ = reinterpret_cast<std::byte*>(aligned);
  made.size_ = size;
  mapping = std::move(made);
  return {};
}

Status Mapping::make(const char* label, size_t size, Mapping& mapping) {
  SharedMemory memory;
  const Status status = SharedMemory::create(label, size, memory);
  return status.ok() ? map(memory, size, mapping) : status;
}

Status Mapping::reserve(size_t size, const char* what, const char* advice, Mapping& mapping) {
  void* range = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    base::log_error("cannot map %s of address space for %s: %s; %s", base::size_text(size).c_str(), what,
                    std::strerror(errno), advice);
    return WEFT_ERR_NO_MEMORY;
  }
  // One touched byte would take a huge page of 2 MiB. Without effect where the kernel has none.
  (void)madvise(range, size, MADV_NOHUGEPAGE);
  Mapping made;
  made.address_ = static_cast<std::byte*>(range);
  made.size_ = size;
  mapping = std::move(made);
  return {};
}

// Without effect if the kernel refuses: a safeguard less.
void forbid_access(std::byte* address, size_t size) { (void)mprotect(address, size, PROT_NONE); }

void commit_memory(std::byte* address, size_t size, bool huge_pages) {
  constexpr size_t page_size = 4096;
  // Adding nothing faults a page in for writing and cannot lose a peer's concurrent write.
  auto touch = [&](size_t at) {
    std::atomic_ref<uint8_t>(*reinterpret_cast<uint8_t*>(address + at)).fetch_add(0, std::memory_order_relaxed);
  };
  for (size_t at = 0; at < size; at += page_size) touch(at);
  if (size > 0) touch(size - 1);
  const uintptr_t start = (reinterpret_cast<uintptr_t>(address) + huge_page_size - 1) & ~(huge_page_size - 1);
  const uintptr_t end = (reinterpret_cast<uintptr_t>(address) + size) & ~(huge_page_size - 1);
  if (!huge_pages || start >= end) return;
  // Works whatever shmem_enabled says, except "deny" (Linux 6.1 and newer).
  constexpr int madv_collapse = 25;
  madvise(reinterpret_cast<void*>(start), end - start, madv_collapse);
}

}  // namespace weft::os
