// Puts, gets, memsets, handles and regions: weft/rma.h.
#include <algorithm>
#include <vector>

#include "support/ranks.hpp"
#include "weft/barrier.h"
#include "weft/rma.h"
#include "weft/segment.h"

namespace {

using weft_test::next_rank;
using weft_test::previous_rank;
using weft_test::SharedBlock;

// Around every size at which a path may change: words, cache lines, message payloads, several messages.
constexpr size_t sizes[] = {0, 1, 3, 7, 8, 9, 63, 64, 65, 255, 4095, 4096, 4097, 32767, 32768, 32769, 200001};
constexpr size_t largest = 200001;
constexpr size_t slack = 64;

unsigned char pattern(size_t i, unsigned salt) { return static_cast<unsigned char>(i * 131 + (i >> 8) * 7 + salt); }

std::vector<unsigned char> patterned(size_t size, unsigned salt) {
  std::vector<unsigned char> bytes(size + 1);  // never empty, so that data() is a pointer
  for (size_t i = 0; i < size; ++i) bytes[i] = pattern(i, salt);
  return bytes;
}

bool is_pattern(const unsigned char* bytes, size_t size, unsigned salt) {
  for (size_t i = 0; i < size; ++i)
    if (bytes[i] != pattern(i, salt)) return false;
  return true;
}

// Waits in whatever way the step says; all must have the same effect.
void complete(weft_handle_t handle, unsigned way) {
  switch (way % 4) {
    case 0:
      weft_handle_wait(handle);
      break;
    case 1:
      weft_handle_wait_local(handle);
      weft_handle_wait(handle);
      break;
    case 2:
      while (weft_handle_test(handle) == 0) weft_test::progress();
      break;
    case 3:
      while (weft_handle_test_local(handle) == 0) weft_test::progress();
      weft_handle_wait_all(&handle, 1);
      break;
  }
}

enum class Form { blocking, handle, implicit, streaming };

void put_as(Form form, size_t offset, const void* source, size_t size, unsigned way) {
  weft_handle_t handle = WEFT_HANDLE_DONE;
  switch (form) {
    case Form::blocking:
      weft_put(next_rank(), offset, source, size);
      break;
    case Form::handle:
      ASSERT_EQ(weft_put_nb(next_rank(), offset, source, size, 0, &handle), WEFT_OK);
      complete(handle, way);
      break;
    case Form::implicit:
      ASSERT_EQ(weft_put_nbi(next_rank(), offset, source, size, 0), WEFT_OK);
      weft_nbi_wait_local();
      weft_nbi_wait();
      break;
    case Form::streaming:
      ASSERT_EQ(weft_put_nbi(next_rank(), offset, source, size, WEFT_STREAM), WEFT_OK);
      while (weft_nbi_test() == 0) weft_test::progress();
      break;
  }
}

void get_as(Form form, void* destination, size_t offset, size_t size, unsigned way) {
  weft_handle_t handle = WEFT_HANDLE_DONE;
  switch (form) {
    case Form::blocking:
      weft_get(destination, next_rank(), offset, size);
      break;
    case Form::handle:
      ASSERT_EQ(weft_get_nb(destination, next_rank(), offset, size, 0, &handle), WEFT_OK);
      complete(handle, way);
      break;
    default:
      ASSERT_EQ(weft_get_nbi(destination, next_rank(), offset, size, 0), WEFT_OK);
      weft_nbi_wait();
      break;
  }
}

void puts_arrive(Form form) {
  SharedBlock block(largest + 2 * slack);
  unsigned way = 0;
  for (size_t size : sizes) {
    for (size_t shift : {size_t{0}, size_t{1}, size_t{13}}) {
      ++way;
      const auto data = patterned(size, way + weft_rank());
      const size_t at = block.offset() + slack + shift;
      std::fill_n(block.mine(), size + 2 * slack, static_cast<unsigned char>(0xee));
      weft_barrier();
      put_as(form, at, data.data(), size, way);
      weft_barrier();
      const unsigned char* place = block.mine() + slack + shift;
      EXPECT_TRUE(is_pattern(place, size, way + previous_rank())) << size << " bytes, shifted by " << shift;
      EXPECT_EQ(place[-1], 0xee) << size;
      EXPECT_EQ(place[size], 0xee) << size;
      weft_barrier();
    }
  }
}

RANK_TEST(Put, BlockingPutsAreInPlaceAfterTheBarrier) { puts_arrive(Form::blocking); }
RANK_TEST(Put, PutsWithHandleAreInPlaceOnceWaitedFor) { puts_arrive(Form::handle); }
RANK_TEST(Put, ImplicitPutsAreInPlaceAfterNbiWait) { puts_arrive(Form::implicit); }
RANK_TEST(Put, StreamingPutsAreInPlaceAfterNbiTestSaysSo) { puts_arrive(Form::streaming); }

RANK_TEST(Put, AStreamingPutWithHandleArrivesToo) {
  SharedBlock block(largest);
  const auto data = patterned(100000, weft_rank());
  weft_handle_t handle;
  ASSERT_EQ(weft_put_nb(next_rank(), block.offset() + 5, data.data(), 100000, WEFT_STREAM, &handle), WEFT_OK);
  weft_handle_wait(handle);
  weft_barrier();
  EXPECT_TRUE(is_pattern(block.mine() + 5, 100000, previous_rank()));
}

void gets_fetch(Form form) {
  SharedBlock block(largest + slack);
  for (size_t i = 0; i < largest + slack; ++i) block.mine()[i] = pattern(i, weft_rank());
  weft_barrier();
  unsigned way = 0;
  for (size_t size : sizes) {
    for (size_t shift : {size_t{0}, size_t{1}, size_t{13}}) {
      std::vector<unsigned char> got(size + 2, 0xee);
      get_as(form, got.data() + 1, block.offset() + shift, size, ++way);
      bool same = true;
      for (size_t i = 0; i < size; ++i) same = same && got[i + 1] == pattern(i + shift, next_rank());
      EXPECT_TRUE(same) << size << " bytes, shifted by " << shift;
      EXPECT_EQ(got.front(), 0xee) << size;
      EXPECT_EQ(got.back(), 0xee) << size;
    }
  }
}

RANK_TEST(Get, BlockingGetsFetchTheData) { gets_fetch(Form::blocking); }
RANK_TEST(Get, GetsWithHandleFetchTheData) { gets_fetch(Form::handle); }
RANK_TEST(Get, ImplicitGetsFetchTheData) { gets_fetch(Form::implicit); }

RANK_TEST(Memset, AllFormsSetTheBytesAndNoOthers) {
  SharedBlock block(largest + 2 * slack);
  for (size_t size : sizes) {
    for (int form = 0; form < 3; ++form) {
      std::fill_n(block.mine(), size + 2 * slack, static_cast<unsigned char>(1));
      weft_barrier();
      const size_t at = block.offset() + slack;
      const int byte = 0x1a0 + form;  // only the low eight bits count
      weft_handle_t handle = WEFT_HANDLE_DONE;
      switch (form) {
        case 0:
          ASSERT_EQ(weft_memset(next_rank(), at, byte, size), WEFT_OK);
          break;
        case 1:
          ASSERT_EQ(weft_memset_nb(next_rank(), at, byte, size, 0, &handle), WEFT_OK);
          break;
        case 2:
          ASSERT_EQ(weft_memset_nbi(next_rank(), at, byte, size, 0), WEFT_OK);
          break;
      }
      weft_handle_wait(handle);
      weft_nbi_wait();
      weft_barrier();
      const unsigned char* place = block.mine() + slack;
      EXPECT_TRUE(std::all_of(place, place + size, [&](unsigned char c) { return c == (byte & 0xff); })) << size;
      EXPECT_EQ(place[-1], 1);
      EXPECT_EQ(place[size], 1);
      weft_barrier();
    }
  }
}

RANK_TEST(Value, RegisterSizedValuesKeepTheirLowBytes) {
  SharedBlock block(64);
  const uint64_t value = 0x8877665544332211u;
  for (size_t size = 1; size <= 8; ++size) {
    block.words()[0] = ~uint64_t{0};
    weft_barrier();
    weft_put_value(next_rank(), block.offset(), value, size);
    weft_barrier();
    const uint64_t mask = size == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * size) - 1;
    EXPECT_EQ(weft_get_value(next_rank(), block.offset(), size), value & mask);
    EXPECT_EQ(block.words()[0] | mask, ~uint64_t{0});
    EXPECT_EQ(block.words()[0] & mask, value & mask);
    weft_barrier();
  }
}

RANK_TEST(Put, SourceAndDestinationMayLieInSegments) {
  SharedBlock block(20000);
  for (size_t i = 0; i < 10000; ++i) block.mine()[i] = pattern(i, weft_rank());
  weft_barrier();
  weft_put(next_rank(), block.offset() + 10000, block.mine(), 10000);
  weft_barrier();
  EXPECT_TRUE(is_pattern(block.mine() + 10000, 10000, previous_rank()));
  weft_barrier();
  weft_get(block.mine() + 10000, next_rank(), block.offset(), 10000);
  EXPECT_TRUE(is_pattern(block.mine() + 10000, 10000, next_rank()));
}

RANK_TEST(Put, EveryRankReachesEveryRank) {
  SharedBlock block(weft_test::most_ranks * sizeof(uint64_t));
  for (weft_rank_t peer = 0; peer < weft_size(); ++peer)
    weft_put_value(peer, block.offset() + weft_rank() * 8, weft_rank() * 1000 + peer, 8);
  weft_barrier();
  for (weft_rank_t peer = 0; peer < weft_size(); ++peer) EXPECT_EQ(block.words()[peer], peer * 1000u + weft_rank());
}

RANK_TEST(Put, BlockingPutsOfAThreadTakeEffectInProgramOrder) {
  SharedBlock block(64);
  for (uint64_t i = 1; i <= 500; ++i) {
    weft_put_value(next_rank(), block.offset(), i, 8);
    EXPECT_EQ(weft_get_value(next_rank(), block.offset(), 8), i);
  }
}

// ---- Handles ----

RANK_TEST(Handle, ThousandsMayBeOutstanding) {
  constexpr size_t count = 3000;
  SharedBlock block(count * 8);
  std::vector<uint64_t> source(count);
  std::vector<weft_handle_t> handles(count);
  for (size_t i = 0; i < count; ++i) {
    source[i] = i * 7 + weft_rank();
    ASSERT_EQ(weft_put_nb(next_rank(), block.offset() + i * 8, &source[i], 8, 0, &handles[i]), WEFT_OK);
  }
  weft_handle_wait_all(handles.data(), count);
  EXPECT_TRUE(std::ranges::all_of(handles, [](weft_handle_t h) { return h == WEFT_HANDLE_DONE; }));
  weft_barrier();
  for (size_t i = 0; i < count; ++i) ASSERT_EQ(block.words()[i], i * 7 + previous_rank());
}

RANK_TEST(Handle, WaitSomeRetiresAtLeastOneUntilNoneIsLeft) {
  constexpr size_t count = 40;
  SharedBlock block(count * 8192);
  const auto data = patterned(8192, weft_rank());
  std::vector<weft_handle_t> handles(count);
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(weft_put_nb(next_rank(), block.offset() + i * 8192, data.data(), 8192, 0, &handles[i]), WEFT_OK);
  auto outstanding = [&] {
    return std::ranges::count_if(handles, [](weft_handle_t h) { return h != WEFT_HANDLE_DONE; });
  };
  for (auto left = outstanding(); left > 0;) {
    weft_handle_wait_some(handles.data(), count);
    const auto now = outstanding();
    ASSERT_LT(now, left);
    left = now;
  }
  weft_handle_wait_some(handles.data(), count);  // none outstanding: returns at once
  EXPECT_EQ(weft_handle_test_some(handles.data(), count), 1);
  EXPECT_EQ(weft_handle_test_all(handles.data(), count), 1);
}

RANK_TEST(Handle, TestAllAndTestSomeEventuallySayYes) {
  SharedBlock block(1 << 16);
  const auto data = patterned(1 << 14, weft_rank());
  weft_handle_t handles[6] = {};
  for (size_t i = 0; i < 4; ++i)
    ASSERT_EQ(weft_put_nb(next_rank(), block.offset() + (i << 14), data.data(), 1 << 14, 0, &handles[i]), WEFT_OK);
  while (weft_handle_test_some(handles, 6) == 0) weft_test::progress();
  while (weft_handle_test_all(handles, 6) == 0) weft_test::progress();
  EXPECT_TRUE(std::ranges::all_of(handles, [](weft_handle_t h) { return h == WEFT_HANDLE_DONE; }));
}

RANK_TEST(Handle, EmptyListsAndDoneHandlesAreComplete) {
  EXPECT_EQ(weft_handle_wait(WEFT_HANDLE_DONE), WEFT_OK);
  EXPECT_EQ(weft_handle_wait_local(WEFT_HANDLE_DONE), WEFT_OK);
  EXPECT_EQ(weft_handle_test(WEFT_HANDLE_DONE), 1);
  EXPECT_EQ(weft_handle_test_local(WEFT_HANDLE_DONE), 1);
  EXPECT_EQ(weft_handle_wait_all(nullptr, 0), WEFT_OK);
  EXPECT_EQ(weft_handle_wait_some(nullptr, 0), WEFT_OK);
  EXPECT_EQ(weft_handle_test_all(nullptr, 0), 1);
  EXPECT_EQ(weft_handle_test_some(nullptr, 0), 1);
}

RANK_TEST(Handle, TheSourceMayBeReusedAfterLocalCompletion) {
  constexpr size_t count = 64, size = 5000;
  SharedBlock block(count * size);
  std::vector<unsigned char> source(size);
  std::vector<weft_handle_t> handles(count);
  for (unsigned i = 0; i < count; ++i) {
    for (size_t j = 0; j < size; ++j) source[j] = pattern(j, i + weft_rank());
    ASSERT_EQ(weft_put_nb(next_rank(), block.offset() + i * size, source.data(), size, 0, &handles[i]), WEFT_OK);
    weft_handle_wait_local(handles[i]);
  }
  weft_handle_wait_all(handles.data(), count);
  weft_barrier();
  for (unsigned i = 0; i < count; ++i) EXPECT_TRUE(is_pattern(block.mine() + i * size, size, i + previous_rank()));
}

// With WEFT_IMMEDIATE a call may be declined, and then has no effect; what is not declined happens exactly once.
RANK_TEST(Immediate, DeclinedOperationsHaveNoEffectAndAcceptedOnesAll) {
  constexpr size_t count = 4000;
  SharedBlock block(count * 8);
  std::vector<uint64_t> source(count);
  std::vector<weft_handle_t> handles(count);
  for (size_t i = 0; i < count; ++i) {
    source[i] = i + 1;
    int status = WEFT_RETRY;
    while ((status = weft_put_nb(next_rank(), block.offset() + i * 8, &source[i], 8, WEFT_IMMEDIATE, &handles[i])) ==
           WEFT_RETRY) {
      weft_test::progress();
    }
    ASSERT_EQ(status, WEFT_OK);
  }
  weft_handle_wait_all(handles.data(), count);
  weft_barrier();
  for (size_t i = 0; i < count; ++i) ASSERT_EQ(block.words()[i], i + 1);
  weft_barrier();
  uint64_t got[16] = {};
  for (size_t i = 0; i < 16; ++i) {
    while (weft_get_nbi(&got[i], next_rank(), block.offset() + i * 8, 8, WEFT_IMMEDIATE) == WEFT_RETRY)
      weft_test::progress();
    while (weft_memset_nbi(next_rank(), block.offset() + 8 * (count - 1 - i), 0x11, 8, WEFT_IMMEDIATE) == WEFT_RETRY)
      weft_test::progress();
  }
  weft_nbi_wait();
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(got[i], i + 1);
  weft_barrier();
  EXPECT_EQ(block.words()[count - 1], 0x1111111111111111u);
}

// ---- Regions ----

RANK_TEST(Region, OneHandleStandsForAllItsOperations) {
  constexpr size_t count = 200;
  SharedBlock block(count * 64);
  std::vector<uint64_t> source(count);
  ASSERT_EQ(weft_region_begin(), WEFT_OK);
  for (size_t i = 0; i < count; ++i) {
    source[i] = i * 3 + weft_rank();
    ASSERT_EQ(weft_put_nbi(next_rank(), block.offset() + i * 64, &source[i], 8, i % 2 == 0 ? 0 : WEFT_STREAM), WEFT_OK);
  }
  weft_handle_t region;
  ASSERT_EQ(weft_region_end(&region), WEFT_OK);
  weft_handle_wait(region);
  weft_barrier();
  for (size_t i = 0; i < count; ++i) ASSERT_EQ(block.words()[i * 8], i * 3 + previous_rank());
}

RANK_TEST(Region, OperationsOutsideBelongToNbiWait) {
  SharedBlock block(3 * 30000);
  const auto data = patterned(30000, weft_rank());
  ASSERT_EQ(weft_put_nbi(next_rank(), block.offset(), data.data(), 30000, 0), WEFT_OK);
  ASSERT_EQ(weft_region_begin(), WEFT_OK);
  ASSERT_EQ(weft_put_nbi(next_rank(), block.offset() + 30000, data.data(), 30000, 0), WEFT_OK);
  weft_handle_t region;
  ASSERT_EQ(weft_region_end(&region), WEFT_OK);
  ASSERT_EQ(weft_put_nbi(next_rank(), block.offset() + 60000, data.data(), 30000, 0), WEFT_OK);
  weft_nbi_wait();
  weft_handle_wait(region);
  weft_barrier();
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(is_pattern(block.mine() + i * 30000, 30000, previous_rank()));
}

RANK_TEST(Region, AnEmptyRegionIsComplete) {
  ASSERT_EQ(weft_region_begin(), WEFT_OK);
  weft_handle_t region;
  ASSERT_EQ(weft_region_end(&region), WEFT_OK);
  EXPECT_EQ(weft_handle_test(region), 1);
}

RANK_TEST(Region, SeveralRegionsMayBeOutstanding) {
  SharedBlock block(10 * 8);
  uint64_t source[10];
  weft_handle_t regions[10];
  for (size_t i = 0; i < 10; ++i) {
    source[i] = 50 + i;
    weft_region_begin();
    weft_put_nbi(next_rank(), block.offset() + i * 8, &source[i], 8, 0);
    weft_region_end(&regions[i]);
  }
  for (size_t i = 10; i-- > 0;) weft_handle_wait(regions[i]);
  weft_barrier();
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(block.words()[i], 50 + i);
}

}  // namespace
