#include "linalg/handles.hpp"

#include <weft/job.h>

#include <array>
#include <map>
#include <mutex>
#include <utility>

namespace weft::la {
namespace {

// Ranks may be threads of one process.
std::mutex mutex;
std::map<weft_rank_t, bool> speaking;  // by ranks; what speaks_without_grid() says
std::map<weft_rank_t, int64_t> last_grid_numbers;

}  // namespace

const char* problem(Given given) {
  switch (given) {
    case Given::usable:
      return "is usable";
    case Given::null:
      return "is NULL: it was not made, or this rank is outside the grid";
    case Given::freed:
      return "was freed before; free it once, after its last use";
    case Given::unknown:
      break;
  }
  return "is none of the library's: it was never made, or freed long ago";
}

void keep_freed(Handle* left) {
  constexpr size_t kept = 256;
  static std::array<void*, kept> memory{};
  static size_t next = 0;
  void* oldest = left;
  {
    const std::lock_guard lock(mutex);
    std::swap(oldest, memory[next]);
    next = (next + 1) % kept;
  }
  ::operator delete(oldest);
}

bool speaks_without_grid() {
  const std::lock_guard lock(mutex);
  const auto found = speaking.find(weft_rank());
  return found != speaking.end() ? found->second : weft_rank() == 0;
}

int64_t& last_grid_number() {
  const std::lock_guard lock(mutex);
  return last_grid_numbers[weft_rank()];
}

void set_speaks_without_grid(bool speaks) {
  const std::lock_guard lock(mutex);
  speaking[weft_rank()] = speaks;
}

}  // namespace weft::la
