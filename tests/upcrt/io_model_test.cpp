// Parallel files: random operations against a model that is a plain array of bytes.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "io_support.hpp"

namespace {

using namespace upc_test;

constexpr size_t area = size_t{96} << 10;  // of shared memory per thread

// Where byte `i` of a shared array in blocks of `block` bytes is that starts at (thread, offset): the definition.
struct Spot {
  size_t thread, offset;
};
Spot spot(size_t thread, size_t offset, size_t block, size_t i) {
  if (block == 0) return {thread, offset + i};
  const size_t turn = thread + i / block;
  return {turn % count(), offset + turn / count() * block + i % block};
}
// Bytes of every thread's memory that such an array of `bytes` may touch.
size_t reach(size_t block, size_t bytes) { return block == 0 ? bytes : (bytes / block / count() + 2) * block; }

class Model {
 public:
  Model(const std::string& name, uint64_t seed)
      : name_(name), random_(seed), shared_(upc_all_alloc(count(), area)), memory_(count(), Bytes(area)) {
    file_ = open_file(name, fresh | UPC_INDIVIDUAL_FP);
    positions_.assign(count(), 0);
  }
  ~Model() {
    REQUIRE(upc_all_fclose(file_) == 0);
    REQUIRE(contents(name_) == bytes_);
    upc_all_free(shared_);
    remove_file(name_);
  }

  void step() {
    switch (pick(16)) {
      case 0:
        return resize();
      case 1:
        return change_modes();
      case 2:
        return compare_file();
      case 3:
      case 4:
        return seek();
      case 5:
      case 6:
      case 7:
        return lists(pick(2) == 0);
      default:
        return common_ ? common_transfer(pick(2) == 0) : individual_transfer(pick(2) == 0, pick(2) == 0);
    }
  }

 private:
  // All threads draw the same numbers.
  size_t pick(size_t below) { return below == 0 ? 0 : random_() % below; }
  size_t pick_block() {
    constexpr std::array<size_t, 12> sizes{0, 1, 3, 8, 16, 64, 100, 256, 512, 1000, 4096, 9000};
    return sizes[pick(sizes.size())];
  }
  int pick_flags() {
    constexpr std::array<int, 4> all{0, UPC_IN_ALLSYNC | UPC_OUT_MYSYNC, UPC_IN_MYSYNC | UPC_OUT_ALLSYNC, nosync};
    return all[pick(all.size())];
  }

  // What other threads may see is what has been synchronised.
  void before_reading() {
    if (dirty_ && !strong_) REQUIRE(upc_all_fsync(file_) == 0);
    dirty_ = false;
  }

  void new_contents() {
    for (size_t t = 0; t < count(); ++t)
      for (unsigned char& byte : memory_[t]) byte = static_cast<unsigned char>(random_());
    upc_memput(on(self(), shared_), memory_[self()].data(), area);
    barrier();
  }
  void compare_memory() {
    barrier();
    Bytes mine(area);
    upc_memget(mine.data(), on(self(), shared_), area);
    REQUIRE(mine == memory_[self()]);
    barrier();
  }

  // One byte of the file, in a model of reading and writing.
  void move(bool writes, size_t at, unsigned char& byte) {
    if (writes) {
      if (at >= bytes_.size()) bytes_.resize(at + 1);
      bytes_[at] = byte;
    } else if (at < bytes_.size()) {
      byte = bytes_[at];
    }
  }
  size_t readable(size_t at, size_t bytes) const {
    return at >= bytes_.size() ? 0 : std::min(bytes, bytes_.size() - at);
  }

  // Waits, or asks until it is done.
  upc_off_t complete() {
    REQUIRE(upc_all_fcntl(file_, UPC_ASYNC_OUTSTANDING, nullptr) == 1);
    upc_off_t result = 0;
    if (pick(2) == 0) {
      result = upc_all_fwait_async(file_);
    } else {
      int done = 0;
      while (done == 0) result = upc_all_ftest_async(file_, &done);
    }
    REQUIRE(upc_all_fcntl(file_, UPC_ASYNC_OUTSTANDING, nullptr) == 0);
    return result;
  }

  void resize() {
    const size_t size = pick(200'000);
    if (pick(2) == 0) {
      REQUIRE(upc_all_fset_size(file_, static_cast<upc_off_t>(size)) == 0);
      bytes_.resize(size);
    } else {
      REQUIRE(upc_all_fpreallocate(file_, static_cast<upc_off_t>(size)) == 0);
      bytes_.resize(std::max(size, bytes_.size()));
    }
    REQUIRE(upc_all_fget_size(file_) == static_cast<upc_off_t>(bytes_.size()));
  }

  void change_modes() {
    const size_t what = pick(5);
    if (what == 0) {
      common_ = !common_;
      REQUIRE(upc_all_fcntl(file_, common_ ? UPC_SET_COMMON_FP : UPC_SET_INDIVIDUAL_FP, nullptr) == 0);
      positions_.assign(count(), 0);
    } else if (what == 1) {
      strong_ = !strong_;
      REQUIRE(upc_all_fcntl(file_, strong_ ? UPC_SET_STRONG_CA_SEMANTICS : UPC_SET_WEAK_CA_SEMANTICS, nullptr) == 0);
    } else {
      constexpr std::array<upc_hint_t, 8> hints{{{"cb_buffer_size", "4096"},
                                                 {"cb_buffer_size", "70000"},
                                                 {"cb_nodes", "1"},
                                                 {"cb_nodes", "2"},
                                                 {"cb_nodes", "100"},
                                                 {"collective_buffering", "false"},
                                                 {"collective_buffering", "true"},
                                                 {"striping_unit", "777"}}};
      upc_hint_t hint = hints[pick(hints.size())];
      REQUIRE(upc_all_fcntl(file_, UPC_SET_HINT, &hint) == 0);
    }
  }

  void compare_file() {
    REQUIRE(upc_all_fsync(file_) == 0);
    REQUIRE(contents(name_) == bytes_);
    barrier();
  }

  void seek() {
    const bool from_end = pick(2) == 0;
    const size_t same = pick(120'000);
    upc_off_t mine = 0;
    for (size_t t = 0; t < count(); ++t) {
      positions_[t] = common_ ? same : pick(120'000);
      if (t == self()) mine = static_cast<upc_off_t>(positions_[t]);
    }
    const upc_off_t offset = from_end ? mine - static_cast<upc_off_t>(bytes_.size()) : mine;
    REQUIRE(upc_all_fseek(file_, offset, from_end ? UPC_SEEK_END : UPC_SEEK_SET) == mine);
  }

  // Each thread at its pointer, local or shared buffers. Threads' parts of the file and of memory are apart.
  void individual_transfer(bool writes, bool local) {
    if (writes) part_positions();
    if (!writes) before_reading();
    new_contents();
    const int flags = pick_flags();
    const bool async = pick(3) == 0;
    upc_off_t result = 0, expected = 0;
    Bytes buffer;
    Bytes expected_buffer;
    const size_t band = area / count();
    struct Start {
      size_t thread, offset, block, size, elements;
    } mine{};
    for (size_t t = 0; t < count(); ++t) {
      Start start{};
      start.size = 1 + pick(9);
      start.block = pick_block() / 4;
      size_t bytes = pick(20'000);
      while (reach(start.block * start.size, bytes) > band) bytes /= 2, start.block /= 2;
      start.elements = bytes / start.size;
      bytes = start.elements * start.size;
      start.thread = pick(count());
      start.offset = t * band + pick(band - reach(start.block * start.size, bytes) + 1);
      const size_t moved = writes ? bytes : readable(positions_[t], bytes);
      Bytes own(bytes);
      for (unsigned char& byte : own) byte = static_cast<unsigned char>(random_());
      if (t == self()) {
        mine = start;
        buffer = own;
        expected = static_cast<upc_off_t>(moved);
      }
      for (size_t i = 0; i < moved; ++i) {
        const Spot at = spot(start.thread, start.offset, start.block * start.size, i);
        move(writes, positions_[t] + i, local ? own[i] : memory_[at.thread][at.offset]);
      }
      if (t == self()) expected_buffer = own;
      positions_[t] += moved;
    }
    const upcr_pts_t to = upcr_make(shared_.offset + mine.offset, mine.thread, 5);  // the phase is ignored
    if (local && writes && !async) result = upc_all_fwrite_local(file_, buffer.data(), mine.size, mine.elements, flags);
    if (local && !writes && !async) result = upc_all_fread_local(file_, buffer.data(), mine.size, mine.elements, flags);
    if (local && writes && async) upc_all_fwrite_local_async(file_, buffer.data(), mine.size, mine.elements, flags);
    if (local && !writes && async) upc_all_fread_local_async(file_, buffer.data(), mine.size, mine.elements, flags);
    if (!local && writes && !async)
      result = upc_all_fwrite_shared(file_, to, mine.block, mine.size, mine.elements, flags);
    if (!local && !writes && !async)
      result = upc_all_fread_shared(file_, to, mine.block, mine.size, mine.elements, flags);
    if (!local && writes && async) upc_all_fwrite_shared_async(file_, to, mine.block, mine.size, mine.elements, flags);
    if (!local && !writes && async) upc_all_fread_shared_async(file_, to, mine.block, mine.size, mine.elements, flags);
    if (async) result = complete();
    dirty_ = dirty_ || writes;
    REQUIRE(result == expected);
    REQUIRE(buffer == expected_buffer);
    compare_memory();
    REQUIRE(upc_all_fseek(file_, 0, UPC_SEEK_CUR) == static_cast<upc_off_t>(positions_[self()]));
  }

  // Positions of threads that write, apart from each other.
  void part_positions() {
    for (size_t t = 0; t < count(); ++t) positions_[t] = t * 21'000 + pick(1000);
    REQUIRE(upc_all_fseek(file_, static_cast<upc_off_t>(positions_[self()]), UPC_SEEK_SET) >= 0);
  }

  void common_transfer(bool writes) {
    if (!writes) before_reading();
    new_contents();
    const int flags = pick_flags();
    const size_t size = 1 + pick(9);
    size_t block = pick_block(), bytes = pick(3) == 0 ? pick(area * count()) : pick(20'000);
    while (reach(block * size, bytes) > area) bytes /= 2, block /= 2;
    const size_t elements = bytes / size, thread = pick(count());
    bytes = elements * size;
    const size_t offset = pick(area - reach(block * size, bytes) + 1);
    const size_t moved = writes ? bytes : readable(positions_[0], bytes);
    for (size_t i = 0; i < moved; ++i) {
      const Spot at = spot(thread, offset, block * size, i);
      move(writes, positions_[0] + i, memory_[at.thread][at.offset]);
    }
    positions_.assign(count(), positions_[0] + moved);
    const upcr_pts_t to = upcr_make(shared_.offset + offset, thread, 0);
    upc_off_t result = 0;
    if (pick(3) == 0) {
      if (writes)
        upc_all_fwrite_shared_async(file_, to, block, size, elements, flags);
      else
        upc_all_fread_shared_async(file_, to, block, size, elements, flags);
      result = complete();
    } else {
      result = writes ? upc_all_fwrite_shared(file_, to, block, size, elements, flags)
                      : upc_all_fread_shared(file_, to, block, size, elements, flags);
    }
    dirty_ = dirty_ || writes;
    REQUIRE(result == static_cast<upc_off_t>(moved));
    compare_memory();
    REQUIRE(upc_all_fseek(file_, 0, UPC_SEEK_CUR) == static_cast<upc_off_t>(positions_[0]));
  }

  // Pieces of the file in a row, with holes, dealt out to the threads; each thread cuts its memory as it likes.
  void lists(bool writes) {
    if (!writes) before_reading();
    new_contents();
    const bool shared = pick(2) == 0, async = pick(4) == 0;
    const int flags = pick_flags();
    const size_t longest = pick(3) == 0 ? 6000 : 100, hole = pick(3) == 0 ? 300 : 2, pieces = pick(400);
    const size_t band = area / count() / 2;
    std::vector<std::vector<upc_filevec>> runs(count());
    std::vector<size_t> wanted(count());
    size_t at = pick(5000);
    for (size_t i = 0; i < pieces; ++i) {
      const size_t t = pick(count()), bytes = pick(longest);
      if (wanted[t] + bytes > band / 2) continue;
      runs[t].push_back({static_cast<upc_off_t>(at), bytes});
      wanted[t] += bytes;
      at += bytes + pick(hole);
    }
    upc_off_t expected = 0;
    Bytes buffer(band), expected_buffer;
    std::vector<upc_local_memvec> local;
    std::vector<upc_shared_memvec> spread;
    for (size_t t = 0; t < count(); ++t) {
      // The bytes of memory, in order: where each is.
      Bytes own(band);
      for (unsigned char& byte : own) byte = static_cast<unsigned char>(random_());
      std::vector<unsigned char*> order;
      if (t == self()) buffer = own;
      size_t free = t * (area / count());
      for (size_t left = wanted[t], local_at = 0; left != 0;) {
        const size_t bytes = std::min(left, 1 + pick(longest));
        const size_t block = std::min(pick_block() / 8, bytes), thread = pick(count());
        const size_t needed = reach(block, bytes);
        const bool fits = free + needed <= (t + 1) * (area / count());
        if (shared && !fits) {  // no more room: what is left is not read or written
          trim(runs[t], left);
          break;
        }
        if (t == self() && shared) spread.push_back({upcr_make(shared_.offset + free, thread, 0), block, bytes});
        if (t == self() && !shared) local.push_back({buffer.data() + local_at, bytes});
        for (size_t i = 0; i < bytes; ++i) {
          const Spot place = spot(thread, free, block, i);
          order.push_back(shared ? &memory_[place.thread][place.offset] : &own[local_at + i]);
        }
        free += needed;
        local_at += bytes;
        left -= bytes;
      }
      size_t next = 0;
      for (const upc_filevec& run : runs[t]) {
        const auto begin = static_cast<size_t>(run.offset);
        if (t == self()) expected += static_cast<upc_off_t>(writes ? run.len : readable(begin, run.len));
        for (size_t i = 0; i < run.len; ++i) move(writes, begin + i, *order[next++]);
      }
      if (t == self()) expected_buffer = own;
    }
    const std::vector<upc_filevec>& file = runs[self()];
    upc_off_t result = 0;
    if (shared && writes && !async)
      result = upc_all_fwrite_list_shared(file_, spread.size(), spread.data(), file.size(), file.data(), flags);
    if (shared && !writes && !async)
      result = upc_all_fread_list_shared(file_, spread.size(), spread.data(), file.size(), file.data(), flags);
    if (shared && writes && async)
      upc_all_fwrite_list_shared_async(file_, spread.size(), spread.data(), file.size(), file.data(), flags);
    if (shared && !writes && async)
      upc_all_fread_list_shared_async(file_, spread.size(), spread.data(), file.size(), file.data(), flags);
    if (!shared && writes && !async)
      result = upc_all_fwrite_list_local(file_, local.size(), local.data(), file.size(), file.data(), flags);
    if (!shared && !writes && !async)
      result = upc_all_fread_list_local(file_, local.size(), local.data(), file.size(), file.data(), flags);
    if (!shared && writes && async)
      upc_all_fwrite_list_local_async(file_, local.size(), local.data(), file.size(), file.data(), flags);
    if (!shared && !writes && async)
      upc_all_fread_list_local_async(file_, local.size(), local.data(), file.size(), file.data(), flags);
    if (async) {
      local.clear();  // lists may be reused at once
      spread.clear();
      result = complete();
    }
    dirty_ = dirty_ || writes;
    REQUIRE(result == expected);
    REQUIRE(buffer == expected_buffer);
    compare_memory();
    REQUIRE(upc_all_fseek(file_, 0, UPC_SEEK_CUR) == static_cast<upc_off_t>(positions_[self()]));
  }

  static void trim(std::vector<upc_filevec>& runs, size_t bytes) {
    while (bytes != 0) {
      const size_t last = std::min(bytes, runs.back().len);
      runs.back().len -= last;
      bytes -= last;
      if (runs.back().len == 0) runs.pop_back();
    }
  }

  std::string name_;
  std::mt19937_64 random_;
  upcr_pts_t file_{};
  upcr_pts_t shared_;
  std::vector<Bytes> memory_;      // every thread's shared memory
  Bytes bytes_;                    // the file
  std::vector<size_t> positions_;  // every thread's pointer
  bool common_ = false, strong_ = false, dirty_ = false;
};

// WEFT_TEST_SEED repeats a run, WEFT_TEST_STEPS makes it longer.
UPC_TEST(io_model, random_operations) {
  const char* given = std::getenv("WEFT_TEST_SEED");
  const char* length = std::getenv("WEFT_TEST_STEPS");
  uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  (void)weft_broadcast(WEFT_TEAM_WORLD, &seed, &seed, sizeof seed, 0, 0);
  if (me() == 0) std::printf("WEFT_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  const int steps = length != nullptr ? std::atoi(length) : 120;
  Model model(name_of("model"), seed);
  for (int i = 0; i < steps; ++i) {
    // From time to time the system moves less than it is asked for.
    barrier();
    faults.short_calls = i % 7 == 3;
    barrier();
    model.step();
  }
  barrier();
  faults.short_calls = false;
}

}  // namespace
