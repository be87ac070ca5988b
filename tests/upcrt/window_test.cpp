// Windows of loops against the same accesses one by one.
#include "weft/upcrt/window.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "upc_threads.hpp"
#include "weft/rma.h"
#include "weft/segment.h"
#include "weft/upcrt/gather.h"
#include "weft/upcrt/update.h"

namespace {

using namespace upc_test;

constexpr uint64_t kBytes = 1 << 18;  // of each thread

// What one thread thinks is in everybody's part of the memory: it alone works on it.
struct Model {
  upcr_pts_t memory;
  std::vector<std::vector<unsigned char>> bytes;

  explicit Model(upcr_pts_t where) : memory(where), bytes(static_cast<size_t>(threads())) {
    for (size_t t = 0; t < bytes.size(); ++t) {
      bytes[t].resize(kBytes);
      for (size_t i = 0; i < kBytes; ++i) bytes[t][i] = static_cast<unsigned char>(i * 7 + i / 256 + t);
      upcr_memput(on(t, memory), bytes[t].data(), kBytes, UPCR_HERE);
    }
  }
  unsigned char* at(upcr_pts_t p) { return &bytes[upcr_thread(p)][p.offset - memory.offset]; }
  bool is_in_memory() {
    std::vector<unsigned char> there(kBytes);
    for (size_t t = 0; t < bytes.size(); ++t) {
      upcr_memget(there.data(), on(t, memory), kBytes, UPCR_HERE);
      if (there != bytes[t]) return false;
    }
    return true;
  }
};

// A random access of a loop: elements first + k * step of an array that lies in the memory.
struct Access {
  uint64_t block, size;
  upcr_pts_t start;  // of the array
  int64_t first, step;
  unsigned flags;

  upcr_pts_t at(int64_t k) const { return upcr_add(start, first + k * step, block, size); }
  upcr_window_t window(upcr_pts_t from) const { return upcr_window_on(from, step, block, size, flags, UPCR_HERE); }
};

// What iterations have read, through windows and in the model, one after the other; what they write depends on that.
struct Sums {
  uint64_t seen = 1, right = 1;

  bool equal() const { return seen == right; }
  void access(const Access& a, const upcr_window_t& window, upcr_pts_t p, Model& model) {
    auto* const through = reinterpret_cast<unsigned char*>(upcr_window_at(&window, p));
    unsigned char* const there = model.at(p);
    for (uint64_t b = 0; b < a.size; ++b) {
      if ((a.flags & UPCR_WINDOW_READ) != 0) {
        seen = seen * 31 + through[b];
        right = right * 31 + there[b];
      }
      if ((a.flags & UPCR_WINDOW_WRITTEN) == 0) continue;
      through[b] = static_cast<unsigned char>(seen >> 3);
      there[b] = static_cast<unsigned char>(right >> 3);
    }
  }
};

template <typename Random>
Access random_access(Random& random, const Model& model, long iterations) {
  const auto number = [&](uint64_t below) { return static_cast<int64_t>(random() % below); };
  Access a{};
  constexpr uint64_t kBlocks[] = {0, 1, 1, 2, 3, 7, 16, 64};
  constexpr uint64_t kSizes[] = {1, 4, 8, 8, 12, 40};
  a.block = kBlocks[number(8)];
  a.size = kSizes[number(6)];
  // Arrays that overlap, and lie apart.
  const auto thread = a.block == 0 ? static_cast<uint64_t>(number(static_cast<uint64_t>(threads()))) : 0;
  a.start = on(thread, model.memory, static_cast<uint64_t>(number(4)) * 480);
  const int64_t room = static_cast<int64_t>((kBytes - 2048) / a.size);  // elements
  const int64_t furthest = std::max<int64_t>(room / (iterations + 1), 1);
  const int64_t steps[] = {0, 1, 1, 1, threads(), 2, 3, 5, number(static_cast<uint64_t>(furthest)) + 1};
  a.step = std::min(steps[number(9)], furthest);
  a.first = number(8);
  if (number(3) == 0) {
    a.first += a.step * (iterations - 1);
    a.step = -a.step;
  }
  constexpr unsigned kKinds[] = {UPCR_WINDOW_READ | UPCR_WINDOW_CERTAIN, UPCR_WINDOW_READ,
                                 UPCR_WINDOW_WRITTEN | UPCR_WINDOW_CERTAIN,
                                 UPCR_WINDOW_READ | UPCR_WINDOW_WRITTEN | UPCR_WINDOW_CERTAIN};
  a.flags = kKinds[number(4)];
  return a;
}

// Every iteration adds up what it reads, and writes what depends on that.
UPC_TEST(windows, show_what_single_accesses_would) {
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), kBytes);
  for (int turn = 0; turn < threads(); ++turn, barrier()) {
    if (turn != me()) continue;
    Model model(memory);
    for (uint64_t seed = 0; seed < 24; ++seed) {
      auto random = random_numbers(seed * 64 + static_cast<uint64_t>(me()));
      const long iterations = 1 + static_cast<long>(random() % (seed % 4 == 0 ? 3000 : 200));
      std::vector<Access> accesses;
      bool beside = random() % 2 == 0;  // accesses without a window
      for (uint64_t n = 1 + random() % 4; n > 0; --n) accesses.push_back(random_access(random, model, iterations));
      if (beside) {
        for (Access& a : accesses) a.flags |= UPCR_WINDOW_READ;
      }
      upcr_windows_t loop{};
      Sums sums;
      for (long done = 0; done < iterations;) {
        std::vector<upcr_window_t> windows;
        for (const Access& a : accesses) windows.push_back(a.window(a.at(done)));
        const long strip =
            upcr_windows_open(&loop, windows.data(), static_cast<int>(windows.size()), iterations - done);
        ASSERT_TRUE(strip >= 1 && strip <= iterations - done);
        for (long k = done; k < done + strip; ++k) {
          for (size_t i = 0; i < accesses.size(); ++i) sums.access(accesses[i], windows[i], accesses[i].at(k), model);
          if (!beside) continue;
          const Access& a = accesses[0];
          unsigned char byte = 0;
          upcr_get_slow(&byte, a.at(k), 1, UPCR_HERE);
          sums.seen = sums.seen * 31 + byte;
          sums.right = sums.right * 31 + *model.at(a.at(k));
          if (k % 3 != 0) continue;
          byte = static_cast<unsigned char>(sums.seen >> 5);
          upcr_put_slow(a.at(k), &byte, 1, UPCR_HERE);
          *model.at(a.at(k)) = static_cast<unsigned char>(sums.right >> 5);
        }
        upcr_windows_close(&loop);
        done += strip;
      }
      if (sums.equal() && model.is_in_memory()) continue;
      FAIL() << "seed " << seed << " on thread " << me() << ": " << accesses.size() << " windows of " << iterations
             << " iterations" << (beside ? ", accesses beside" : "") << (sums.equal() ? ", memory" : ", sums");
    }
  }
  upc_all_free(memory);
}

// A nest: windows of the outer loop show what the loop inside accesses, or it opens its own.
UPC_TEST(windows, show_what_a_loop_inside_accesses) {
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), kBytes);
  for (int turn = 0; turn < threads(); ++turn, barrier()) {
    if (turn != me()) continue;
    Model model(memory);
    for (uint64_t seed = 0; seed < 40; ++seed) {
      auto random = random_numbers(1000 + seed * 64 + static_cast<uint64_t>(me()));
      const auto rows = static_cast<long>(1 + random() % 20);
      const auto columns = static_cast<long>(random() % 30);
      std::vector<Access> accesses;
      std::vector<int64_t> inner_steps;
      for (uint64_t n = 1 + random() % 3; n > 0; --n) {
        Access a = random_access(random, model, rows * 40);
        // Rows one after the other, apart, or on each other; columns; the same for all rows, or columns.
        const int64_t steps[] = {columns, 40, 7, 1, 0, -1};
        const int64_t inner[] = {1, 1, 2, rows, -1, 0};
        a.step = steps[random() % 6];
        inner_steps.push_back(inner[random() % 6]);
        a.first = 600;
        accesses.push_back(a);
      }
      const auto element = [&](size_t i, long r, long c) {
        return upcr_add(accesses[i].at(r), c * inner_steps[i], accesses[i].block, accesses[i].size);
      };
      const bool declined = seed % 5 == 0;
      upcr_windows_t loop{};
      Sums sums;
      for (long done = 0; done < rows;) {
        std::vector<upcr_window_t> windows;
        for (size_t i = 0; i < accesses.size(); ++i)
          windows.push_back(upcr_window_repeated(accesses[i].window(accesses[i].at(done)), columns, inner_steps[i]));
        const int count = static_cast<int>(windows.size());
        const long strip = upcr_windows_open(&loop, windows.data(), count, rows - done);
        ASSERT_TRUE(strip >= 1 && strip <= rows - done);
        if (declined) {
          upcr_windows_close(&loop);
          for (upcr_window_t& window : windows) window.base = nullptr;
        }
        for (long r = done; r < done + strip; ++r) {
          upcr_windows_t loop_inside{};
          for (long c = 0; c < columns;) {
            std::vector<upcr_window_t> inside;
            for (size_t i = 0; i < accesses.size(); ++i) {
              upcr_window_t one = accesses[i].window(element(i, r, c));
              one.step = inner_steps[i];
              inside.push_back(upcr_window_inside(one, &windows[i]));
            }
            const long end = c + upcr_windows_open(&loop_inside, inside.data(), count, columns - c);
            for (; c < end; ++c) {
              for (size_t i = 0; i < accesses.size(); ++i) sums.access(accesses[i], inside[i], element(i, r, c), model);
            }
            upcr_windows_close(&loop_inside);
          }
        }
        if (!declined) upcr_windows_close(&loop);
        done += strip;
      }
      if (sums.equal() && model.is_in_memory()) continue;
      FAIL() << "seed " << seed << " on thread " << me() << ": " << accesses.size() << " windows of " << rows << " by "
             << columns << (sums.equal() ? ", memory" : ", sums");
    }
  }
  upc_all_free(memory);
}

// A loop inside that accesses more than a window shows opens its own.
UPC_TEST(windows, of_a_nest_have_an_end) {
  const uint64_t bytes = 3 << 20;
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), bytes);
  const auto peer = static_cast<uint64_t>((me() + 1) % threads());
  constexpr unsigned kRead = UPCR_WINDOW_READ | UPCR_WINDOW_CERTAIN;
  upcr_windows_t loop{};
  upcr_window_t window =
      upcr_window_repeated(upcr_window_on(on(peer, memory), 1, 0, 8, kRead, UPCR_HERE), bytes / 8 - 8, 1);
  EXPECT_GE(upcr_windows_open(&loop, &window, 1, 4), 1);
  EXPECT_EQ(window.base != nullptr, weft_pointer(static_cast<weft_rank_t>(peer), 0) != nullptr);
  upcr_window_t inside = upcr_window_inside(upcr_window_on(on(peer, memory), 1, 0, 8, kRead, UPCR_HERE), &window);
  upcr_windows_t loop_inside{};
  EXPECT_EQ(upcr_windows_open(&loop_inside, &inside, 1, 1000), 1000);
  EXPECT_EQ(*reinterpret_cast<long*>(upcr_window_at(&inside, on(peer, memory, 800))), get<long>(on(peer, memory, 800)));
  upcr_windows_close(&loop_inside);
  upcr_windows_close(&loop);
  barrier();
  upc_all_free(memory);
}

// The next strip of a loop comes while the open one is used.
UPC_TEST(windows, are_fetched_ahead) {
  constexpr long kNumbers = 1 << 16;
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), kNumbers * sizeof(long));
  const auto peer = static_cast<weft_rank_t>((me() + 1) % threads());
  const bool mapped = weft_pointer(peer, 0) != nullptr;
  upcr_memset(on(peer, memory), 0, kNumbers * sizeof(long), UPCR_HERE);
  upcr_windows_t loop{};
  long seen = 0, strips = 0;
  for (long done = 0; done < kNumbers; ++strips) {
    const upcr_pts_t first = on(peer, memory, static_cast<uint64_t>(done) * sizeof(long));
    upcr_window_t window = upcr_window_on(first, 1, 0, sizeof(long), UPCR_WINDOW_READ, UPCR_HERE);
    const long strip = upcr_windows_open(&loop, &window, 1, kNumbers - done);
    for (long k = 0; k < strip; ++k)
      seen += *reinterpret_cast<long*>(upcr_window_at(&window, at(first, static_cast<uint64_t>(k) * sizeof(long))));
    done += strip;
    const long one = 1;  // past the windows, into what the next strip reads
    if (done < kNumbers)
      (void)weft_put(peer, first.offset + static_cast<uint64_t>(strip) * sizeof one, &one, sizeof one);
    upcr_windows_close(&loop);
  }
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(strips > 1, !mapped);
  barrier();
  upc_all_free(memory);
}

// Strips that are where the loop has jumped to, not where they were expected, or shorter.
UPC_TEST(windows, show_strips_that_do_not_follow) {
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), kBytes);
  for (int turn = 0; turn < threads(); ++turn, barrier()) {
    if (turn != me()) continue;
    Model model(memory);
    for (uint64_t seed = 0; seed < 20; ++seed) {
      auto random = random_numbers(9000 + seed * 64 + static_cast<uint64_t>(me()));
      const Access accesses[] = {{1, 8, on(0, memory), 0, 1, UPCR_WINDOW_READ},
                                 {1, 8, on(0, memory), 1, 1, UPCR_WINDOW_WRITTEN | UPCR_WINDOW_CERTAIN}};
      upcr_windows_t loop{};
      Sums sums;
      for (int64_t at = 0, number = 0; number < 8; ++number) {
        upcr_window_t windows[] = {accesses[0].window(accesses[0].at(at)), accesses[1].window(accesses[1].at(at))};
        const long left = 1 + static_cast<long>(random() % 3000);
        const long strip = upcr_windows_open(&loop, windows, 2, left);
        ASSERT_TRUE(strip >= 1 && strip <= left);
        for (long k = 0; k < strip; ++k) {
          for (int i = 0; i < 2; ++i) sums.access(accesses[i], windows[i], accesses[i].at(at + k), model);
        }
        upcr_windows_close(&loop);
        at = random() % 4 == 0 ? static_cast<int64_t>(random() % 3000) : std::min<int64_t>(at + strip, 6000);
      }
      ASSERT_TRUE(sums.equal() && model.is_in_memory()) << "seed " << seed;
    }
  }
  upc_all_free(memory);
}

// A window writes what its loop writes, and no byte between.
UPC_TEST(windows, write_nothing_else) {
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), 4096);
  const auto to = static_cast<uint64_t>((me() + 1) % threads());
  // Everybody writes every other number of the next thread, which writes the others itself.
  const upcr_pts_t mine = on(static_cast<uint64_t>(me()), memory, 8);
  upcr_windows_t loop{};
  for (int round = 0; round < 50; ++round) {
    upcr_window_t window =
        upcr_window_on(on(to, memory), 2, 0, 8, UPCR_WINDOW_WRITTEN | UPCR_WINDOW_CERTAIN, UPCR_HERE);
    ASSERT_EQ(upcr_windows_open(&loop, &window, 1, 256), 256);
    for (uint64_t k = 0; k < 256; ++k) {
      const auto number = static_cast<long>(1000 * k) + round;
      *reinterpret_cast<long*>(upcr_window_at(&window, on(to, memory, 16 * k))) = number;
      put<long>(at(mine, 16 * k), -number);
    }
    upcr_windows_close(&loop);
    barrier();
    for (uint64_t k = 0; k < 256; ++k) {
      EXPECT_EQ(get<long>(on(to, memory, 16 * k)), static_cast<long>(1000 * k) + round);
      EXPECT_EQ(get<long>(at(mine, 16 * k)), -static_cast<long>(1000 * k) - round);
    }
    barrier();
  }
  upc_all_free(memory);
}

// Elements at any places, some of them twice, read and written.
UPC_TEST(gather, moves_what_single_accesses_would) {
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), kBytes);
  for (int turn = 0; turn < threads(); ++turn, barrier()) {
    if (turn != me()) continue;
    Model model(memory);
    for (uint64_t seed = 0; seed < 30; ++seed) {
      auto random = random_numbers(5000 + seed * 64 + static_cast<uint64_t>(me()));
      constexpr uint64_t kSizes[] = {1, 2, 4, 8, 12, 40};
      upcr_gather_t both[] = {upcr_gather_on(kSizes[random() % 6], UPCR_WINDOW_READ, UPCR_HERE),
                              upcr_gather_on(kSizes[random() % 6], UPCR_WINDOW_WRITTEN, UPCR_HERE)};
      const long strip = upcr_gather_strip(static_cast<long>(random() % 1500));
      const uint64_t apart = 1 + random() % 100;
      upcr_gather_begin(both, 2, strip);
      for (long k = 0; k < strip; ++k) {
        for (int i = 0; i < 2; ++i) {
          // Reads from one half, writes to the other.
          const uint64_t half = static_cast<uint64_t>(i) * kBytes / 2;
          both[i].places[k] = on(random() % static_cast<uint64_t>(threads()), memory,
                                 half + random() % (kBytes / 2 / both[i].size / apart) * both[i].size);
        }
      }
      upcr_gather_fetch(both, 2, strip);
      for (long k = 0; k < strip; ++k) {
        EXPECT_EQ(std::memcmp(both[0].at[k], model.at(both[0].places[k]), both[0].size), 0) << "seed " << seed;
        for (uint64_t b = 0; b < both[1].size; ++b)
          both[1].at[k][b] = static_cast<char>(model.at(both[1].places[k])[b] = static_cast<unsigned char>(random()));
      }
      upcr_gather_end(both, 2);
      ASSERT_TRUE(model.is_in_memory()) << "seed " << seed;
    }
  }
  upc_all_free(memory);
}

// Strips that follow each other find pages by themselves, and what this thread writes in between.
UPC_TEST(gather, finds_what_is_kept) {
  constexpr long kStrip = 100;
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), kBytes);
  for (int turn = 0; turn < threads(); ++turn, barrier()) {
    if (turn != me()) continue;
    Model model(memory);
    auto random = random_numbers(6000 + static_cast<uint64_t>(me()));
    const auto anywhere = [&] {
      return on(random() % static_cast<uint64_t>(threads()), memory, random() % (kBytes / 32) * 8);
    };
    int found = 0;
    for (int strip = 0; strip < 300; ++strip) {
      upcr_gather_t reads = upcr_gather_on(8, UPCR_WINDOW_READ, UPCR_HERE);
      upcr_gather_begin(&reads, 1, kStrip);
      long missed = 0;
      for (long k = 0; k < kStrip; ++k) missed |= upcr_gather_place(&reads, k, anywhere(), 8);
      reads.missed = missed;
      if (missed == 0) ++found;
      upcr_gather_fetch(&reads, 1, kStrip);
      for (long k = 0; k < kStrip; ++k)
        EXPECT_EQ(std::memcmp(reads.at[k], model.at(reads.places[k]), 8), 0) << "strip " << strip;
      upcr_gather_end(&reads, 1);
      const upcr_pts_t changed = anywhere();
      const uint64_t value = random();
      std::memcpy(model.at(changed), &value, sizeof value);
      upcr_put_slow(changed, &value, sizeof value, UPCR_HERE);
      if (strip % 100 == 99) upcr_fence();
    }
    if (upcr_direct()) {
      EXPECT_GT(found, 100);
    }
    ASSERT_TRUE(model.is_in_memory());
  }
  upc_all_free(memory);
}

template <class T>
void update_model(unsigned char* at, upcr_update_op_t op, T a) {
  T x;
  std::memcpy(&x, at, sizeof x);
  if (op == UPCR_UPDATE_ADD) x = static_cast<T>(x + a);
  if (op == UPCR_UPDATE_SUB) x = static_cast<T>(x - a);
  if (op == UPCR_UPDATE_INC) x = static_cast<T>(x + 1);
  if (op == UPCR_UPDATE_DEC) x = static_cast<T>(x - 1);
  if constexpr (std::is_integral_v<T>) {
    if (op == UPCR_UPDATE_AND) x = x & a;
    if (op == UPCR_UPDATE_OR) x = x | a;
    if (op == UPCR_UPDATE_XOR) x = x ^ a;
  }
  std::memcpy(at, &x, sizeof x);
}

// Of every type and kind, many of the same place, some not aligned, of all threads' memory.
UPC_TEST(updates, do_what_reads_and_writes_would) {
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), kBytes);
  for (int turn = 0; turn < threads(); ++turn, barrier()) {
    if (turn != me()) continue;
    Model model(memory);
    const auto numbers = [&] {  // floating-point ones, so that no arithmetic gives one that is not
      for (size_t t = 0; t < model.bytes.size(); ++t) {
        for (size_t i = 0; i < kBytes / 2; i += 4) {
          const auto x = static_cast<float>(i % 1000);
          std::memcpy(&model.bytes[t][i], &x, sizeof x);
        }
        for (size_t i = kBytes / 2; i < kBytes / 4 * 3; i += 8) {
          const auto x = static_cast<double>(i % 1000);
          std::memcpy(&model.bytes[t][i], &x, sizeof x);
        }
        upcr_memput(on(t, memory), model.bytes[t].data(), kBytes, UPCR_HERE);
      }
    };
    numbers();
    for (uint64_t seed = 0; seed < 20; ++seed) {
      auto random = random_numbers(7000 + seed * 64 + static_cast<uint64_t>(me()));
      const uint64_t near = 1 + random() % 1000;
      for (uint64_t i = 0, count = random() % 4000; i < count; ++i) {
        const auto type = static_cast<upcr_update_type_t>(random() % 4);
        const bool floating = type == UPCR_UPDATE_F32 || type == UPCR_UPDATE_F64;
        const auto op = static_cast<upcr_update_op_t>(random() % (floating ? 4 : 7));
        const uint64_t size = type == UPCR_UPDATE_U32 || type == UPCR_UPDATE_F32 ? 4 : 8;
        // Floats, doubles and integers each have a part of the memory; integers may lie anywhere in theirs.
        const uint64_t part = type == UPCR_UPDATE_F32 ? 0 : type == UPCR_UPDATE_F64 ? kBytes / 2 : kBytes / 4 * 3;
        const uint64_t skew = floating ? 0 : random() % 50 == 0 ? random() % 8 : 0;
        const upcr_pts_t place =
            on(random() % static_cast<uint64_t>(threads()), memory, part + random() % near * 8 + skew);
        const uint64_t number = random();
        const auto real = static_cast<double>(number % 100);
        const auto small = static_cast<float>(real);
        const auto half = static_cast<uint32_t>(number);
        const void* const operands[] = {&half, &number, &small, &real};
        upcr_update(place, op, type, operands[type], UPCR_HERE);
        unsigned char* const at = model.at(place);
        if (type == UPCR_UPDATE_F32) update_model<float>(at, op, small);
        if (type == UPCR_UPDATE_F64) update_model<double>(at, op, real);
        if (!floating && size == 4) update_model<uint32_t>(at, op, half);
        if (!floating && size == 8) update_model<uint64_t>(at, op, number);
      }
      upcr_updates_finish();
      ASSERT_TRUE(model.is_in_memory()) << "seed " << seed;
    }
  }
  upc_all_free(memory);
}

// What a loop does not access may be before the segment, behind it, or on no thread.
UPC_TEST(windows, may_be_nowhere) {
  const auto peer = static_cast<uint64_t>((me() + 1) % threads());
  const upcr_pts_t memory = upc_all_alloc(static_cast<size_t>(threads()), 800);
  const upcr_pts_t places[] = {upcr_make(static_cast<uint64_t>(-160), peer, 0), upcr_make(uint64_t{1} << 62, peer, 0),
                               upcr_make(16, UPCR_THREAD_MASK, 5), upcr_null()};
  for (int64_t step : {0, 1, -1, 9}) {
    for (uint64_t block : {0, 1, 6}) {
      for (const upcr_pts_t& place : places) {
        upcr_windows_t loop{};
        upcr_window_t windows[] = {upcr_window_on(place, step, block, 8, UPCR_WINDOW_READ, UPCR_HERE),
                                   upcr_window_on(on(peer, memory), 1, 0, 8, UPCR_WINDOW_READ, UPCR_HERE)};
        const long strip = upcr_windows_open(&loop, windows, 2, 100);
        ASSERT_GE(strip, 1);
        (void)upcr_window_at(&windows[0], place);
        EXPECT_EQ(*reinterpret_cast<long*>(upcr_window_at(&windows[1], on(peer, memory))), get<long>(on(peer, memory)));
        upcr_windows_close(&loop);
      }
    }
  }
  barrier();
  upc_all_free(memory);
}

}  // namespace
