// The cache of memory registrations, with a registrar that counts.
#include "conduit/ofi/registration.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace {

using weft::conduit::ofi::CachedRegistration;
using weft::conduit::ofi::RegistrationCache;

constexpr size_t page = 4096;

// Registers by number; refuses beyond `most` pages at once, as a system with a limit of locked memory does.
struct Registrar {
  std::map<uintptr_t, size_t> live;  // object -> pages
  size_t pages = 0, most = SIZE_MAX, made = 0;

  RegistrationCache cache(size_t idle_limit) {
    return RegistrationCache(
        [this](void*, size_t size, void*& object) -> weft::Status {
          if (pages + size / page > most) return WEFT_ERR_NO_MEMORY;
          pages += size / page;
          object = reinterpret_cast<void*>(++made);
          live[made] = size / page;
          return {};
        },
        [this](void* object) {
          auto found = live.find(reinterpret_cast<uintptr_t>(object));
          ASSERT_NE(found, live.end());
          pages -= found->second;
          live.erase(found);
        },
        idle_limit);
  }
};

void* at(size_t address) { return reinterpret_cast<void*>(address); }

TEST(Registration, ASecondUseOfARangeCostsNothing) {
  Registrar registrar;
  RegistrationCache cache = registrar.cache(100 * page);
  CachedRegistration* first = cache.use(at(10 * page + 5), 100);
  cache.drop(first);
  CachedRegistration* second = cache.use(at(10 * page + 50), 1000);
  EXPECT_EQ(first, second);
  EXPECT_EQ(registrar.made, 1u);
  EXPECT_EQ(cache.idle_bytes(), 0u);
  cache.drop(second);
  EXPECT_EQ(cache.idle_bytes(), page);
}

TEST(Registration, ARangeInsideALargerOneUsesThat) {
  Registrar registrar;
  RegistrationCache cache = registrar.cache(100 * page);
  CachedRegistration* small = cache.use(at(12 * page), 10);
  CachedRegistration* large = cache.use(at(10 * page), 8 * page);
  CachedRegistration* inside = cache.use(at(13 * page), 2 * page);
  EXPECT_EQ(inside, large);
  EXPECT_NE(small, large);
  EXPECT_EQ(registrar.made, 2u);
}

TEST(Registration, TheLeastRecentlyUsedIdleOneGoesFirst) {
  Registrar registrar;
  RegistrationCache cache = registrar.cache(2 * page);
  for (size_t i : {1, 2, 1, 3}) cache.drop(cache.use(at(i * 10 * page), page));
  EXPECT_EQ(registrar.made, 3u);
  EXPECT_EQ(cache.count(), 2u);
  cache.drop(cache.use(at(10 * page), page));  // still there: 2 went
  EXPECT_EQ(registrar.made, 3u);
  cache.drop(cache.use(at(20 * page), page));
  EXPECT_EQ(registrar.made, 4u);
}

TEST(Registration, WithoutALimitForIdleOnesNothingStays) {
  Registrar registrar;
  RegistrationCache cache = registrar.cache(0);
  CachedRegistration* used = cache.use(at(page), page);
  CachedRegistration* again = cache.use(at(page), page);
  EXPECT_EQ(used, again);
  cache.drop(used);
  EXPECT_EQ(registrar.live.size(), 1u);
  cache.drop(again);
  EXPECT_TRUE(registrar.live.empty());
}

TEST(Registration, WhereTheSystemHasALimitIdleOnesMakeRoom) {
  Registrar registrar;
  registrar.most = 4;
  RegistrationCache cache = registrar.cache(SIZE_MAX);
  for (size_t i = 0; i < 4; ++i) cache.drop(cache.use(at(i * 10 * page), page));
  EXPECT_EQ(registrar.pages, 4u);
  CachedRegistration* large = cache.use(at(100 * page), 4 * page);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(registrar.pages, 4u);
  EXPECT_EQ(cache.use(at(200 * page), page), nullptr);
}

TEST(Registration, RandomUseCoversEveryRangeAndLeavesNothing) {
  Registrar registrar;
  {
    RegistrationCache cache = registrar.cache(20 * page);
    std::mt19937_64 random(5);
    std::vector<CachedRegistration*> used;
    for (int i = 0; i < 20000; ++i) {
      if (used.size() < 30 && random() % 2 == 0) {
        const uintptr_t start = page + random() % (60 * page);
        const size_t size = 1 + random() % (5 * page);
        CachedRegistration* got = cache.use(at(start), size);
        ASSERT_NE(got, nullptr);
        ASSERT_LE(got->start, start);
        ASSERT_GE(got->start + got->size, start + size);
        used.push_back(got);
      } else if (!used.empty()) {
        std::swap(used[random() % used.size()], used.back());
        cache.drop(used.back());
        used.pop_back();
      }
      ASSERT_LE(cache.idle_bytes(), 20 * page);
    }
  }
  EXPECT_TRUE(registrar.live.empty());
}

}  // namespace
