// Each rank has thread-local objects with destructors, which say that they are destroyed. Ranks end by turns by a
// return from main and by exit().
#include <unistd.h>
#include <weft/weft.h>

#include <array>
#include <cstdlib>
#include <string>

namespace {

// It owns memory, which may be freed once.
struct Farewell {
  std::string words;

  Farewell() = default;
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;
  ~Farewell() {
    words += "\n";
    [[maybe_unused]] const ssize_t count = ::write(STDOUT_FILENO, words.data(), words.size());
  }
};

Farewell& made_first() {
  thread_local Farewell farewell;
  return farewell;
}

Farewell& made_later() {
  thread_local Farewell farewells[1];
  return farewells[0];
}

// So large that it is kept elsewhere than on the rank's stack while others run.
thread_local std::array<char, 4096> large;

}  // namespace

int main(int argc, char** argv) {
  made_first().words = "a rank that never met the others";
  if (weft_init(&argc, &argv) != WEFT_OK) return 99;
  const std::string rank = "rank " + std::to_string(weft_rank());
  const bool exits = weft_rank() % 2 == 1;
  made_first().words = rank + ": the first of two that each rank has";
  const auto own = static_cast<char>('a' + weft_rank());
  large.fill(own);
  weft_barrier();
  for (const char each : large)
    if (each != own) return 97;
  made_later().words = rank + ": the later of two that each rank has";
  weft_barrier();
  if (weft_finalize() != WEFT_OK) return 98;
  if (exits) std::exit(0);
  return 0;
}
