#include "apps/ft/memory.hpp"

#include <cstdio>
#include <fstream>
#include <limits>

namespace ft {

std::size_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::size_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return std::numeric_limits<std::size_t>::max();
}

std::string readable_size(std::size_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  char text[32];
  if (mebibytes < 10 * 1024) {
    std::snprintf(text, sizeof text, "%.0f MiB", mebibytes);
  } else {
    std::snprintf(text, sizeof text, "%.1f GiB", mebibytes / 1024);
  }
  return text;
}

std::string memory_problem(const std::string& what, std::size_t needed_per_rank, int ranks_on_host) {
  const std::size_t needed = needed_per_rank * static_cast<std::size_t>(ranks_on_host);
  const std::size_t available = available_memory();
  if (needed <= available) return {};
  return what + " needs " + readable_size(needed) + " of memory on this host, and " + readable_size(available) +
         " are available; use a smaller class or more hosts";
}

}  // namespace ft
