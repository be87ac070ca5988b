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

std::string gibibytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / static_cast<double>(std::size_t{1} << 30));
  return text;
}

std::string memory_problem(const std::string& what, std::size_t needed_per_rank, int ranks_on_host) {
  const std::size_t needed = needed_per_rank * static_cast<std::size_t>(ranks_on_host);
  const std::size_t available = available_memory();
  if (needed <= available) return {};
  return what + " needs " + gibibytes(needed) + " of memory on this host, and " + gibibytes(available) +
         " are available; use a smaller class or more hosts";
}

}  // namespace ft
