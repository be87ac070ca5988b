#include "binding.hpp"

#include <sched.h>

#include <cerrno>
#include <cstring>

#include "common.hpp"

namespace weftrun {

std::vector<int> choose_processors(uint32_t count, std::string& error) {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    error = std::string("--bind: cannot ask which processors are allowed: ") + std::strerror(errno);
    return {};
  }
  const uint32_t there = static_cast<uint32_t>(CPU_COUNT(&allowed));
  if (count > there) {
    error = "--bind: " + std::to_string(count) + " " + rank_nouns() + " need a processor each, but only " +
            std::to_string(there) + (there == 1 ? " is" : " are") + " allowed here; use fewer " + rank_nouns() +
            ", or leave --bind out";
    return {};
  }
  std::vector<int> processors;
  for (int processor = 0; processors.size() < count; ++processor)
    if (CPU_ISSET(static_cast<size_t>(processor), &allowed)) processors.push_back(processor);
  return processors;
}

std::string allowed_processors() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {};
  std::string list;
  for (size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    if (!list.empty()) list += ',';
    list += std::to_string(processor);
  }
  return list;
}

}  // namespace weftrun
