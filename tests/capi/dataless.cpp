// A job with large arrays that may have no data: dataless_test.py runs it with and without, and compares the times.
//
//   dataless walk      all that is allowed; rank 0 prints the virtual time after each step
//   dataless MISTAKE   one thing that asks for data where there is none
#include <weft/weft.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr size_t large = size_t{3} << 20;  // bytes of the arrays, of which each peer gets a part
constexpr size_t small = 64;

void expect(bool holds, const char* what, int line) {
  if (holds) return;
  std::fprintf(stderr, "dataless.cpp:%d: rank %u: %s does not hold\n", line, weft_rank(), what);
  weft_exit(1);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

size_t allocate(size_t size) {
  size_t offset = 0;
  EXPECT(weft_alloc_symmetric(size, 4096, &offset) == WEFT_OK);
  return offset;
}

std::byte* own(size_t offset) { return static_cast<std::byte*>(weft_pointer(weft_rank(), offset)); }

struct Arrays {
  size_t source = allocate(large), target = allocate(large);  // without data if there is none
  size_t kept = allocate(large);                              // with data always
  size_t signal = allocate(small);
  bool has_data = weft_sim_has_data() != 0;

  Arrays() {
    for (size_t offset : {source, target}) {
      const int dropped = weft_sim_drop_data(own(offset), large);
      EXPECT(dropped == (has_data ? 0 : 1));
      if (dropped == 0) std::memset(own(offset), static_cast<int>(weft_rank()), large);
    }
    weft_barrier();
  }
  ~Arrays() {
    weft_barrier();
    for (size_t offset : {signal, kept, target, source}) weft_free_symmetric(offset);
  }
};

void say_time(const char* step) {
  weft_barrier();
  if (weft_rank() == 0) std::printf("%-12s %llu\n", step, static_cast<unsigned long long>(weft_time_ns()));
}

void transfers(const Arrays& arrays) {
  const weft_rank_t right = (weft_rank() + 1) % weft_size();
  for (size_t size : {size_t{8}, size_t{5000}, large / 2}) {
    weft_put(right, arrays.target, own(arrays.source), size);
    weft_get(own(arrays.target), right, arrays.source, size);
    weft_memset(right, arrays.target, 1, size);
    weft_put(right, arrays.target + large / 2, own(arrays.kept), size);  // from memory with data
  }
  say_time("transfers");
  weft_put_signal(right, arrays.target, own(arrays.source), large, arrays.signal, 7, WEFT_SIGNAL_ADD);
  uint64_t value = 0;
  weft_signal_wait(arrays.signal, WEFT_EQ, 7, &value);
  EXPECT(value == 7);
  if (arrays.has_data)
    EXPECT(own(arrays.target)[large - 1] == static_cast<std::byte>((weft_rank() + weft_size() - 1) % weft_size()));
  say_time("signal");
}

// Memory that nobody declared moves as always.
void data_moves(const Arrays& arrays) {
  const weft_rank_t right = (weft_rank() + 1) % weft_size(), left = (weft_rank() + weft_size() - 1) % weft_size();
  std::vector<std::byte> sent(5000, static_cast<std::byte>(weft_rank() + 1)), got(5000);
  weft_put(right, arrays.kept, sent.data(), sent.size());
  weft_barrier();
  EXPECT(own(arrays.kept)[4999] == static_cast<std::byte>(left + 1));
  weft_get(got.data(), right, arrays.kept, got.size());
  EXPECT(got[4999] == static_cast<std::byte>(weft_rank() + 1));
  double sum = weft_rank();
  weft_reduce_all(WEFT_TEAM_WORLD, &sum, WEFT_IN_PLACE, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD), 0);
  EXPECT(sum == weft_size() * (weft_size() - 1) / 2.0);
  say_time("data");
}

// By whichever algorithm; WEFT_COLL names one.
void collectives(const Arrays& arrays) {
  const size_t n = weft_size();
  std::byte *source = own(arrays.source), *target = own(arrays.target), *kept = own(arrays.kept);
  for (size_t size : {size_t{8}, size_t{3000}, size_t{100} << 10}) {
    if (n * size > large) break;
    weft_exchange(WEFT_TEAM_WORLD, target, source, size, 0);
    weft_exchange(WEFT_TEAM_WORLD, target, WEFT_IN_PLACE, size, 0);
    weft_exchange(WEFT_TEAM_WORLD, target, kept, size, 0);
    weft_gather_all(WEFT_TEAM_WORLD, target, source, size, 0);
    weft_broadcast(WEFT_TEAM_WORLD, target, source, size, 0, 0);
    weft_scatter(WEFT_TEAM_WORLD, target, source, size, 0, 0);
    weft_gather(WEFT_TEAM_WORLD, target, source, size, 0, 0);
    weft_reduce_all(WEFT_TEAM_WORLD, target, source, size / 8, weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD), 0);
    weft_reduce(WEFT_TEAM_WORLD, target, source, size / 8, weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), 0, 0);
    say_time("collectives");
  }
  std::vector<size_t> sizes(n, 4096), from(n), to(n);
  for (size_t member = 0; member < n; ++member) from[member] = 4096 * member, to[member] = 8192 * member;
  weft_handle_t handle;
  weft_exchange_v_nb(WEFT_TEAM_WORLD, target, sizes.data(), to.data(), source, sizes.data(), from.data(), 0, &handle);
  weft_handle_wait(handle);
  say_time("exchange_v");
}

void computation() {
  weft_sim_compute(1e6, 0);
  weft_sim_compute(0, 1e6);
  say_time("computation");
}

// What is freed has data again.
void memory_comes_back(bool has_data) {
  void* const pages = std::aligned_alloc(4096, large);
  EXPECT(weft_sim_drop_data(pages, large) == (has_data ? 0 : 1));
  weft_sim_restore_data(pages);
  std::memset(pages, 1, 4096);
  std::free(pages);
  const size_t offset = allocate(large);
  (void)weft_sim_drop_data(own(offset), large);
  weft_free_symmetric(offset);
  const size_t again = allocate(large);
  EXPECT(again == offset);
  std::memset(own(again), 1, 4096);
  weft_free_symmetric(again);
}

void walk() {
  const Arrays arrays;
  transfers(arrays);
  data_moves(arrays);
  collectives(arrays);
  computation();
  memory_comes_back(arrays.has_data);
}

void mistake(const std::string& which) {
  const Arrays arrays;
  const weft_rank_t right = (weft_rank() + 1) % weft_size();
  std::byte *source = own(arrays.source), *kept = own(arrays.kept);
  weft_atomic_domain_t* counters = nullptr;
  weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &counters);
  if (weft_rank() == 1) {
    if (which == "load") std::printf("%d\n", static_cast<int>(static_cast<volatile std::byte*>(source)[5000]));
    if (which == "store") static_cast<volatile std::byte*>(source)[5000] = std::byte{1};
    if (which == "get") weft_get(kept, right, arrays.source, 8);
    if (which == "put") weft_put(right, arrays.kept, source, 8);
    if (which == "atomic") weft_atomic(counters, nullptr, right, arrays.source, WEFT_ATOMIC_INC, nullptr, nullptr);
    if (which == "twice") weft_sim_drop_data(source + 4096, 4096);
    if (which == "restore") weft_sim_restore_data(source + 4096);
    if (which == "compute") weft_sim_compute(-1, 0);
  }
  if (which == "collective") weft_exchange(WEFT_TEAM_WORLD, kept, source, 8, 0);
  weft_atomic_domain_destroy(counters);
}

}  // namespace

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 2;
  const std::string what = argc > 1 ? argv[1] : "walk";
  if (what == "walk")
    walk();
  else
    mistake(what);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
