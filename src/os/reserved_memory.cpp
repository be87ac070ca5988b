#include "os/reserved_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "base/parse.hpp"

namespace weft::os {

ReservedMemory::ReservedMemory(ReservedMemory&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}

ReservedMemory& ReservedMemory::operator=(ReservedMemory&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  return *this;
}

ReservedMemory::~ReservedMemory() {
  if (address_ != nullptr) munmap(address_, size_);
}

Status ReservedMemory::make(size_t size, const char* what, const char* advice, ReservedMemory& memory) {
  void* range = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    base::log_error("cannot map %s of address space for %s: %s; %s", base::size_text(size).c_str(), what,
                    std::strerror(errno), advice);
    return WEFT_ERR_NO_MEMORY;
  }
  // One touched byte would take a huge page of 2 MiB. Without effect where the kernel has none.
  (void)madvise(range, size, MADV_NOHUGEPAGE);
  ReservedMemory made;
  made.address_ = static_cast<std::byte*>(range);
  made.size_ = size;
  memory = std::move(made);
  return {};
}

namespace {

// The number behind the first line that begins with `key` ("" for the file's first number); SIZE_MAX if there is none.
size_t number_in(const char* path, const char* key) {
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return SIZE_MAX;
  size_t found = SIZE_MAX;
  char line[256];
  while (found == SIZE_MAX && std::fgets(line, sizeof line, file) != nullptr)
    if (std::strncmp(line, key, std::strlen(key)) == 0 && std::sscanf(line + std::strlen(key), "%zu", &found) != 1)
      break;
  std::fclose(file);
  return found;
}

}  // namespace

size_t available_memory() {
  const size_t free_kib = number_in("/proc/meminfo", "MemAvailable:");
  const size_t on_host = free_kib == SIZE_MAX ? SIZE_MAX : free_kib * 1024;
  const size_t limit = number_in("/sys/fs/cgroup/memory.max", "");
  const size_t used = number_in("/sys/fs/cgroup/memory.current", "");
  if (limit == SIZE_MAX || used == SIZE_MAX) return on_host;
  return std::min(on_host, limit - std::min(limit, used));
}

}  // namespace weft::os
