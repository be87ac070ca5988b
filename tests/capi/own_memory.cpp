// A simulated rank and its own memory, which another one changes or looks at: own_memory_test.py compares the times.
//
//   own_memory look ACCESS    rank 1 adds 1 to a word of rank 0, which computes and then looks; prints what it saw
//   own_memory change ACCESS  rank 0 computes and then changes its word; rank 1, which looks at once, prints what it
//   saw own_memory spin ACCESS    rank 0 looks again and again until rank 1, which computes, has changed its word
//   own_memory put ""         prints how many ns a blocking put of 8 bytes to rank 1 takes
//   own_memory pool           all ranks take tasks by a counter of rank 0; prints how many each one got
#include <weft/weft.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

constexpr double long_computation = 3e6;  // operations: about a millisecond
constexpr uint64_t tasks = 64;

class Word {
 public:
  Word() {
    const bool made = weft_alloc_symmetric(sizeof(uint64_t), 0, &offset_) == WEFT_OK &&
                      weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain_) == WEFT_OK;
    if (!made) weft_exit(1);
    own_ = static_cast<volatile uint64_t*>(weft_pointer(weft_rank(), offset_));
    *own_ = 0;
    weft_barrier();
  }
  ~Word() {
    weft_barrier();
    weft_atomic_domain_destroy(domain_);
    weft_free_symmetric(offset_);
  }
  Word(const Word&) = delete;
  Word& operator=(const Word&) = delete;

  uint64_t add(uint64_t value) { return atomic(WEFT_ATOMIC_ADD, value); }

  // That of rank 0, where this rank is 0.
  uint64_t look(std::string_view access) {
    if (access == "atomic") return atomic(WEFT_ATOMIC_GET, 0);
    if (access == "add") return add(0);
    if (access == "get_value") return weft_get_value(0, offset_, sizeof(uint64_t));
    if (access == "load") return *own_;
    return get();
  }
  void change(std::string_view access) {
    const uint64_t one = 1;
    if (access == "atomic")
      atomic(WEFT_ATOMIC_SET, one);
    else if (access == "signal")
      weft_put_signal(0, offset_, &one, 0, offset_, one, WEFT_SIGNAL_SET);
    else if (access == "store")
      *own_ = one;
    else
      put(0);
  }
  void put(weft_rank_t to) const {
    const uint64_t one = 1;
    weft_put(to, offset_, &one, sizeof one);
  }
  uint64_t get() const {
    uint64_t value = 0;
    weft_get(&value, 0, offset_, sizeof value);
    return value;
  }

 private:
  uint64_t atomic(weft_atomic_op_t op, uint64_t value) {
    uint64_t result = 0;
    weft_atomic(domain_, &result, 0, offset_, op, &value, nullptr);
    return result;
  }

  size_t offset_ = 0;
  weft_atomic_domain_t* domain_ = nullptr;
  volatile uint64_t* own_ = nullptr;
};

void look(Word& word, std::string_view access) {
  if (weft_rank() == 1) word.add(1);
  if (weft_rank() != 0) return;
  weft_sim_compute(long_computation, 0);
  std::printf("%d\n", static_cast<int>(word.look(access)));
}

void change(Word& word, std::string_view access) {
  if (weft_rank() == 0) {
    weft_sim_compute(long_computation, 0);
    word.change(access);
  } else if (weft_rank() == 1) {
    std::printf("%d\n", static_cast<int>(word.get()));
  }
}

void spin(Word& word, std::string_view access) {
  if (weft_rank() == 1) {
    weft_sim_compute(long_computation, 0);
    word.add(1);
  }
  if (weft_rank() != 0) return;
  const uint64_t start = weft_time_ns();
  while (word.look(access) == 0) {
  }
  std::printf("%d us\n", static_cast<int>((weft_time_ns() - start) / 1000));
}

// While nothing else is under way: what began together has ended, and the other one computes.
void time_put(const Word& word) {
  weft_sim_compute((weft_rank() + 1) * long_computation, 0);
  if (weft_rank() != 0) return;
  const uint64_t start = weft_time_ns();
  word.put(1);
  std::printf("%d\n", static_cast<int>(weft_time_ns() - start));
}

void pool(Word& word) {
  uint64_t mine = 0;
  for (; word.add(1) < tasks; ++mine) weft_sim_compute(long_computation, 0);
  std::vector<uint64_t> all(weft_size());
  weft_gather(WEFT_TEAM_WORLD, all.data(), &mine, sizeof mine, 0, 0);
  for (uint64_t count : weft_rank() == 0 ? all : std::vector<uint64_t>{}) std::printf("%d\n", static_cast<int>(count));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || weft_init(&argc, &argv) != WEFT_OK) return 1;
  const std::string_view what = argv[1], access = argv[2];
  {
    Word word;
    if (what == "look") look(word, access);
    if (what == "change") change(word, access);
    if (what == "put") time_put(word);
    if (what == "spin") spin(word, access);
    if (what == "pool") pool(word);
  }
  return weft_finalize();
}
