// A simulated rank's waits for some of the operations that it has under way; waits_test.py compares the times.
//
//   waits handles   rank 0 puts much and then little to rank 1; prints what two waits ended with, and when in ns
//   waits results   rank 0 gets a word of rank 1 and adds to it; prints what it has after waiting for local completion
//   waits many      rank 0 makes half as many puts to rank 1 as there is room for, as many, and many more; prints the
//                   times, and rank 1 how many words are wrong
//   waits crowd     all ranks exchange words with each other, each begins later than the one before, and rank 0 last;
//                   rank 1, which waits for rank 0's first, prints how many times, and how many words are wrong
#include <weft/weft.h>

#include <cstdio>
#include <string_view>
#include <vector>

namespace {

constexpr size_t much = size_t{4} << 20;
constexpr size_t room = 64;  // puts that a rank may have under way at once
constexpr size_t many = 8 * room;
constexpr size_t words_each = 128;

class Stopwatch {
 public:
  void tell(const char* what) const { std::printf("%s %d\n", what, static_cast<int>(weft_time_ns() - start_)); }

 private:
  uint64_t start_ = weft_time_ns();
};

void wait_for_handles(size_t offset) {
  if (weft_rank() != 0) return;
  std::vector<char> source(much, 'x');
  weft_handle_t handles[2];
  const Stopwatch watch;
  const auto put = [&] {
    weft_put_nb(1, offset, source.data(), much, 0, &handles[0]);
    weft_put_nb(1, offset + much, source.data(), 8, 0, &handles[1]);
  };
  put();
  weft_handle_wait(handles[1]);
  watch.tell("little");
  weft_handle_wait_local(handles[0]);
  watch.tell("source");
  weft_handle_wait(handles[0]);
  watch.tell("much");
  const Stopwatch again;
  put();
  weft_handle_wait_some(handles, 2);
  again.tell("some");
  weft_handle_wait_all(handles, 2);
  again.tell("all");
}

void wait_for_results(size_t offset) {
  weft_atomic_domain_t* domain = nullptr;
  if (weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain) != WEFT_OK) weft_exit(1);
  *static_cast<volatile uint64_t*>(weft_pointer(weft_rank(), offset)) = weft_rank() + 40;
  weft_barrier();
  if (weft_rank() == 0) {
    const uint64_t one = 1;
    uint64_t got = 0, before = 0;
    weft_handle_t handle;
    weft_get_nb(&got, 1, offset, sizeof got, 0, &handle);
    weft_handle_wait_local(handle);
    std::printf("got %d\n", static_cast<int>(got));
    weft_handle_wait(handle);
    weft_atomic_nb(domain, &before, 1, offset, WEFT_ATOMIC_ADD, &one, nullptr, 0, &handle);
    weft_handle_wait_local(handle);
    std::printf("before %d\n", static_cast<int>(before));
    weft_handle_wait(handle);
  }
  weft_barrier();
  weft_atomic_domain_destroy(domain);
}

void put_many(size_t offset) {
  std::vector<uint64_t> source(many * words_each);
  for (size_t i = 0; i < source.size(); ++i) source[i] = i + 1;
  const auto put = [&](const char* what, size_t count) {
    const Stopwatch watch;
    for (size_t i = 0; i < count; ++i) {
      const size_t at = i * words_each;
      weft_put_nbi(1, offset + at * 8, &source[at], words_each * 8, 0);
    }
    weft_nbi_wait();
    watch.tell(what);
  };
  if (weft_rank() == 0) {
    put("half", room / 2);
    put("room", room);
    put("many", many);
  }
  weft_barrier();
  if (weft_rank() != 1) return;
  const auto* words = static_cast<const uint64_t*>(weft_pointer(1, offset));
  size_t wrong = 0;
  for (size_t i = 0; i < source.size(); ++i) wrong += words[i] != source[i] ? 1 : 0;
  std::printf("wrong %d\n", static_cast<int>(wrong));
}

void wait_in_a_crowd() {
  constexpr int rounds = 10;
  constexpr uint64_t distance_ns = 20'000;
  const uint64_t place = weft_rank() == 0 ? weft_size() : weft_rank();
  std::vector<uint64_t> source(weft_size()), destination(weft_size());
  size_t wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    for (uint64_t rank = 0; rank < weft_size(); ++rank) source[rank] = 1000 * weft_rank() + rank + round;
    const uint64_t start = weft_time_ns();
    while (weft_time_ns() < start + place * distance_ns) weft_poll();
    weft_exchange(WEFT_TEAM_WORLD, destination.data(), source.data(), sizeof source[0], 0);
    for (uint64_t rank = 0; rank < weft_size(); ++rank)
      wrong += destination[rank] != 1000 * rank + weft_rank() + round ? 1 : 0;
  }
  if (weft_rank() != 1) return;
  std::printf("rounds %d\n", rounds);
  std::printf("wrong %d\n", static_cast<int>(wrong));
}

}  // namespace

int main(int argc, char** argv) {
  size_t offset = 0;
  if (argc != 2 || weft_init(&argc, &argv) != WEFT_OK) return 1;
  if (weft_alloc_symmetric(much + 8, 0, &offset) != WEFT_OK) weft_exit(1);
  const std::string_view what = argv[1];
  if (what == "handles") wait_for_handles(offset);
  if (what == "results") wait_for_results(offset);
  if (what == "many") put_many(offset);
  if (what == "crowd") wait_in_a_crowd();
  weft_barrier();
  weft_free_symmetric(offset);
  return weft_finalize();
}
