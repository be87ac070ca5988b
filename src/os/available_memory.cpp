#include "os/available_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace weft::os {

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
