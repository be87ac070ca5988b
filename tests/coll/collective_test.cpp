// Every algorithm of every collective against the sequential model: all sizes around thresholds, roots, synchronisation
// modes, team shapes, reductions, in place or not, in the segment or outside it, one at a time and many in flight on
// teams that overlap. Which algorithms serve is set from outside (WEFT_COLL), see CMakeLists.txt.
//
// COLL_TEST_ALL_SERVE=1 says that all that WEFT_COLL names fits on 4 ranks or more. Cases are drawn from a seed that
// COLL_TEST_SEED sets; a failure names seed and case.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "coll/sequential.hpp"
#include "support/ranks.hpp"
#include "weft/barrier.h"
#include "weft/segment.h"
#include "weft/signal.h"
#include "weft/tune.h"

namespace {

using coll_test::Case;
using coll_test::Kind;
using coll_test::Member;

uint64_t seed() {
  const char* text = std::getenv("COLL_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 20100315;
}

int effort() {
  const char* text = std::getenv("COLL_TEST_EFFORT");
  return text ? std::atoi(text) : 1;
}

// The teams a rank is in: the world, rows and columns of a grid, an overlapping list in reverse, itself.
class Teams {
 public:
  Teams() {
    const uint32_t n = weft_size();
    uint32_t columns = 1;
    for (uint32_t c = 1; c * c <= n; ++c)
      if (n % c == 0) columns = c;
    add([&](weft_team_t* team) { return weft_team_split_stride(WEFT_TEAM_WORLD, columns, 1, team); });
    add([&](weft_team_t* team) { return weft_team_split_stride(WEFT_TEAM_WORLD, n / columns, columns, team); });
    std::vector<uint32_t> list;
    for (uint32_t m = n; m-- > n / 3;) list.push_back(m);
    add([&](weft_team_t* team) {
      return weft_team_from_list(WEFT_TEAM_WORLD, list.data(), static_cast<uint32_t>(list.size()), team);
    });
    add([&](weft_team_t* team) {
      return weft_team_split(WEFT_TEAM_WORLD, static_cast<int32_t>(weft_rank() % 2), -static_cast<int32_t>(weft_rank()),
                             team);
    });
    add([&](weft_team_t* team) {
      return weft_team_split(WEFT_TEAM_WORLD, static_cast<int32_t>(weft_rank()), 0, team);
    });
  }
  ~Teams() {
    for (size_t i = 1; i < teams_.size(); ++i) weft_team_free(teams_[i]);
  }
  size_t count() const { return teams_.size(); }
  weft_team_t operator[](size_t i) const { return teams_[i]; }

 private:
  template <class Make>
  void add(Make make) {
    weft_team_t team = WEFT_TEAM_NONE;
    REQUIRE(make(&team) == WEFT_OK);
    teams_.push_back(team);
  }
  std::vector<weft_team_t> teams_ = {WEFT_TEAM_WORLD};
};

constexpr unsigned in_flags[] = {0, WEFT_IN_NOSYNC, WEFT_IN_MYSYNC, WEFT_IN_ALLSYNC};
constexpr unsigned out_flags[] = {0, WEFT_OUT_NOSYNC, WEFT_OUT_MYSYNC, WEFT_OUT_ALLSYNC};

Case draw(std::mt19937_64& random, weft_team_t team, uint64_t number) {
  constexpr size_t sizes[] = {0, 1, 3, 8, 47, 48, 49, 63, 64, 65, 200, 1023, 1024, 1500, 4096, 5000, 20000, 70000};
  const auto below = [&](uint64_t n) { return random() % n; };
  const Kind kind = coll_test::kinds[below(std::size(coll_test::kinds))];
  // All ranks draw alike; only the team's size differs between them, and it is used by its members alone.
  const uint64_t root = random();
  Case c = {.kind = kind,
            .team = team,
            .size = sizes[below(below(6) == 0 ? std::size(sizes) : std::size(sizes) - 4)],
            .root = static_cast<uint32_t>(root % weft_team_size(team)),
            .flags = in_flags[below(4)] | out_flags[below(4)],
            .in_place = below(3) == 0,
            .reduction = static_cast<int>(below(3) == 0 ? coll_test::reduction_count() - 1
                                                        : below(coll_test::reduction_count())),
            .seed = number + seed() * 1000003};
  if (coll_test::reduces(kind) && c.size > 5000) c.size /= 4;
  return c;
}

std::string describe(const Case& c) {
  return std::string(coll_test::name_of(c.kind)) + " of " + std::to_string(c.size) + " root " + std::to_string(c.root) +
         " flags " + std::to_string(c.flags) + (c.in_place ? " in place" : "") + " reduction " +
         std::to_string(c.reduction) + " on " + std::to_string(weft_team_size(c.team)) +
         " members, COLL_TEST_SEED=" + std::to_string(seed());
}

RANK_TEST(Collective, OneAtATimeDoesWhatTheModelSays) {
  Teams teams;
  std::mt19937_64 random(seed());
  for (int i = 0; i < 150 * effort(); ++i) {
    const size_t which = random() % teams.count();
    const weft_team_t team = teams[which];
    const uint64_t placement = random();
    if (team == WEFT_TEAM_NONE) {
      draw(random, WEFT_TEAM_WORLD, 0);
      continue;
    }
    const Case c = draw(random, team, static_cast<uint64_t>(i));
    // Where buffers lie differs between ranks.
    const uint64_t mine = placement >> (2 * (weft_rank() % 16));
    Member member(c, (mine & 1) != 0, (mine & 2) != 0);
    ASSERT_EQ(member.call(nullptr), WEFT_OK) << describe(c);
    if ((c.flags & WEFT_OUT_NOSYNC) != 0) weft_team_barrier(team);
    const std::string wrong = member.check();
    if (!wrong.empty()) std::fprintf(stderr, "rank %u: %s: %s\n", weft_rank(), describe(c).c_str(), wrong.c_str());
    REQUIRE(wrong.empty());
  }
}

RANK_TEST(Collective, ManyInFlightOnOverlappingTeams) {
  Teams teams;
  std::mt19937_64 random(seed() + 1);
  constexpr size_t depth = 12;
  struct InFlight {
    std::unique_ptr<Member> member;
    weft_handle_t handle;
    Case c;
  };
  std::vector<InFlight> flying;
  std::vector<InFlight> loose;  // with OUT_NOSYNC: settled when all ranks have waited for all of theirs
  const auto verify = [](const InFlight& f) {
    const std::string wrong = f.member->check();
    if (!wrong.empty()) std::fprintf(stderr, "rank %u: %s: %s\n", weft_rank(), describe(f.c).c_str(), wrong.c_str());
    REQUIRE(wrong.empty());
  };
  const auto land = [&](size_t index) {
    InFlight& f = flying[index];
    REQUIRE(weft_handle_wait(f.handle) == WEFT_OK);
    if ((f.c.flags & WEFT_OUT_NOSYNC) != 0)
      loose.push_back(std::move(f));
    else
      verify(f);
    flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(index));
  };
  for (int i = 0; i < 200 * effort(); ++i) {
    const weft_team_t team = teams[random() % teams.count()];
    const uint64_t placement = random();
    const bool blocking = random() % 8 == 0;
    // Every rank waits for its own in an order of its own; that must not matter.
    if (team == WEFT_TEAM_NONE) {
      draw(random, WEFT_TEAM_WORLD, 0);
      continue;
    }
    const Case c = draw(random, team, static_cast<uint64_t>(i));
    const uint64_t mine = placement >> (2 * (weft_rank() % 16));
    flying.push_back({std::make_unique<Member>(c, (mine & 1) != 0, (mine & 2) != 0), WEFT_HANDLE_DONE, c});
    ASSERT_EQ(flying.back().member->call(blocking ? nullptr : &flying.back().handle), WEFT_OK);
    if (blocking) land(flying.size() - 1);
    while (flying.size() > depth) land((mine >> 32) % flying.size());
  }
  while (!flying.empty()) land(flying.size() - 1);
  weft_barrier();
  for (const InFlight& f : loose) verify(f);
}

// On mapped memory the algorithms that read and write other ranks' buffers do not wait for their readers. Each
// operation here would wait for ever if they did: the others come only when the root's call has returned.
RANK_TEST(Collective, WithOutNosyncTheRootNeedNotWaitForItsReaders) {
  if (std::getenv("WEFT_CHECK") || std::getenv("WEFT_TUNE"))
    GTEST_SKIP() << "with WEFT_CHECK and WEFT_TUNE members agree on something before the call";
  constexpr size_t bytes = 30000;
  const weft_rank_t n = weft_size();
  size_t from = 0, to = 0, go = 0;
  REQUIRE(weft_alloc(n * bytes, 64, &from) == WEFT_OK);
  REQUIRE(weft_alloc(n * bytes, 64, &to) == WEFT_OK);
  REQUIRE(weft_alloc_symmetric(sizeof(uint64_t), 64, &go) == WEFT_OK);
  auto* const source = static_cast<unsigned char*>(weft_pointer(weft_rank(), from));
  auto* const destination = static_cast<unsigned char*>(weft_pointer(weft_rank(), to));
  std::memset(weft_pointer(weft_rank(), go), 0, sizeof(uint64_t));
  std::memset(source, 17, n * bytes);
  int served = 0;
  const auto once = [&](const char* operation, auto call) {
    const weft_candidate_t shared = {"shared", 0, 0, 0, 0, 0, 0, 0};
    if (weft_tune_set(WEFT_TEAM_WORLD, operation, bytes, &shared) != WEFT_OK) return;
    ++served;
    call(0u);  // scratch space grows, for which all must come
    weft_barrier();
    std::memset(destination, 0, n * bytes);
    weft_barrier();
    if (weft_rank() != 0) weft_semaphore_wait(go, 1);
    call(unsigned{WEFT_OUT_NOSYNC});
    for (weft_rank_t r = 1; r < n && weft_rank() == 0; ++r) weft_semaphore_post(r, go, 1);
    weft_barrier();
    for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(destination[i], 17) << operation;
    REQUIRE(weft_tune_set(WEFT_TEAM_WORLD, operation, bytes, nullptr) == WEFT_OK);
  };
  weft_barrier();
  once("broadcast", [&](unsigned flags) { weft_broadcast(WEFT_TEAM_WORLD, destination, source, bytes, 0, flags); });
  once("scatter", [&](unsigned flags) { weft_scatter(WEFT_TEAM_WORLD, destination, source, bytes, 0, flags); });
  weft_free(from);
  weft_free(to);
  weft_free_symmetric(go);
  if (served == 0) GTEST_SKIP() << "one rank, or memory that is not mapped: nobody reads the root's";
  EXPECT_EQ(served, 2);
}

// A choice that is set is told as that; numbers that mean nothing to an algorithm are refused.
RANK_TEST(Collective, AChoiceIsSetByItsWholeName) {
  const auto candidate = [](const char* name, uint32_t radix, uint64_t segment) {
    return weft_candidate_t{name, radix, segment, 0, 0, 0, 0, 0};
  };
  const auto set = [&](const weft_candidate_t& to) { return weft_tune_set(WEFT_TEAM_WORLD, "broadcast", 64, &to); };
  for (const auto& wrong : {candidate("tree", 0, 0), candidate("tree", 1, 0), candidate("tree", 2, 4096),
                            candidate("kary_tree", 0, 0), candidate("pipeline", 2, 0), candidate("pipeline", 0, 4096),
                            candidate("scatter-gather", 2, 0), candidate("quantum", 0, 0)})
    EXPECT_EQ(set(wrong), WEFT_ERR_INVALID) << wrong.algorithm;
  if (weft_size() == 1) GTEST_SKIP() << "one rank has nothing to choose";
  const auto chosen = [] {
    std::vector<weft_candidate_t> list(1000);
    size_t count = 0;
    REQUIRE(weft_tune_candidates(WEFT_TEAM_WORLD, "broadcast", 64, list.data(), list.size(), &count) == WEFT_OK);
    return *std::find_if(list.begin(), list.begin() + static_cast<long>(count), [](auto& c) { return c.chosen != 0; });
  };
  REQUIRE(set(candidate("tree", 2, 0)) == WEFT_OK);
  EXPECT_EQ(chosen().reason, WEFT_CHOICE_SET);
  EXPECT_STREQ(chosen().algorithm, "tree");
  REQUIRE(weft_tune_set(WEFT_TEAM_WORLD, "broadcast", 64, nullptr) == WEFT_OK);
  EXPECT_NE(chosen().reason, WEFT_CHOICE_SET);
}

// What WEFT_COLL names and does not fit is replaced. Where CMakeLists.txt says so, each serves at some size.
RANK_TEST(Collective, TheAlgorithmsOfWeftCollServe) {
  const char* forced = std::getenv("WEFT_COLL");
  if (forced == nullptr || std::getenv("COLL_TEST_ALL_SERVE") == nullptr || weft_size() < 4)
    GTEST_SKIP() << "needs WEFT_COLL, COLL_TEST_ALL_SERVE and 4 ranks";
  std::istringstream entries(forced);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::string operation = entry.substr(0, entry.find('='));
    const std::string text = entry.substr(entry.find('=') + 1);
    const std::string wanted = text.substr(0, text.find(':'));
    bool serves = false;
    for (size_t size = 8; size <= (size_t{1} << 20) && !serves; size *= 2) {
      std::vector<weft_candidate_t> list(1000);
      size_t count = 0;
      REQUIRE(weft_tune_candidates(WEFT_TEAM_WORLD, operation.c_str(), size, list.data(), list.size(), &count) ==
              WEFT_OK);
      list.resize(std::min(count, list.size()));
      serves = std::any_of(list.begin(), list.end(),
                           [&](const weft_candidate_t& c) { return c.chosen != 0 && c.algorithm == wanted; });
    }
    EXPECT_TRUE(serves) << entry << " serves no size on " << weft_size()
                        << " ranks: it does not fit, or another entry for this operation comes first";
  }
}

void look_away(uint64_t ns) {
  const uint64_t end = weft_time_ns() + ns;
  while (weft_time_ns() < end) continue;
}

// The root need not wait for anybody, so it is ahead of the others by as many calls as there is room for. None of its
// messages may be lost to later ones, whether they travel in lines or beside them, in small banks or large ones.
RANK_TEST(Collective, ARootMayBeFarAheadOfTheOthers) {
  constexpr uint64_t calls = 1000, looks_away_ns = 10'000'000;
  for (const size_t words : {size_t{1}, size_t{120}, size_t{500}}) {
    std::vector<uint64_t> sent(words), received(words);
    weft_barrier();
    if (weft_rank() != 0) look_away(looks_away_ns);
    for (uint64_t i = 0; i < calls; ++i) {
      sent.assign(words, weft_rank() == 0 ? i : 0);
      REQUIRE(weft_broadcast(WEFT_TEAM_WORLD, received.data(), sent.data(), words * sizeof(uint64_t), 0, 0) == WEFT_OK);
      REQUIRE(received == std::vector<uint64_t>(words, i));
    }
  }
}

// One of two begins more calls than a bank of the scratch space holds, before the other has come, and looks away. The
// other one, which has all that it needs, goes on to the next bank and to the one after it. It may not write where
// calls of the first are still under way.
RANK_TEST(Collective, MoreCallsThanABankHoldsMayBeUnderWay) {
  constexpr size_t calls = 160, ahead = 60, words = 375;
  constexpr uint64_t comes_later_ns = 1'000'000, looks_away_ns = 10'000'000;
  weft_team_t pair = WEFT_TEAM_NONE;
  REQUIRE(weft_team_split(WEFT_TEAM_WORLD, static_cast<int32_t>(weft_rank() / 2), 0, &pair) == WEFT_OK);
  const bool is_first = weft_rank() % 2 == 0;
  std::vector<std::vector<uint64_t>> given(calls, std::vector<uint64_t>(words)), sums = given;
  std::vector<weft_handle_t> handles(calls);
  weft_barrier();
  if (!is_first) look_away(comes_later_ns);
  for (size_t call = 0; call < calls; ++call) {
    if (is_first && call == ahead) look_away(looks_away_ns);
    given[call].assign(words, call + 1);
    weft_reduce_all_nb(pair, sums[call].data(), given[call].data(), words, weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD),
                       0, &handles[call]);
  }
  weft_handle_wait_all(handles.data(), handles.size());
  for (size_t call = 0; call < calls; ++call)
    EXPECT_EQ(sums[call], std::vector<uint64_t>(words, (call + 1) * weft_team_size(pair))) << "call " << call;
  weft_team_free(pair);
}

// Ten thousand collectives that complete without waiting: no stack is used up, whether they are begun one by one ...
RANK_TEST(Collective, TenThousandSynchronousCompletionsNeedNoStack) {
  weft_team_t alone = WEFT_TEAM_NONE;
  REQUIRE(weft_team_split(WEFT_TEAM_WORLD, static_cast<int32_t>(weft_rank()), 0, &alone) == WEFT_OK);
  std::vector<weft_handle_t> handles(10000);
  uint64_t value = 7, copy = 0;
  for (weft_handle_t& handle : handles)
    weft_broadcast_nb(alone, &copy, &value, sizeof value, 0, WEFT_OUT_ALLSYNC, &handle);
  weft_handle_wait_all(handles.data(), handles.size());
  EXPECT_EQ(copy, 7u);
  // ... or are begun before anybody else has come, and can all go on at once when the last one does.
  std::vector<uint64_t> sums(handles.size());
  for (size_t i = 0; i < handles.size(); ++i)
    weft_reduce_all_nb(WEFT_TEAM_WORLD, &sums[i], &value, 1, weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD), 0,
                       &handles[i]);
  weft_handle_wait_all(handles.data(), handles.size());
  for (const uint64_t sum : sums) EXPECT_EQ(sum, 7u * weft_size());
  weft_team_free(alone);
}

RANK_TEST(Collective, EveryReductionOfEveryType) {
  for (int number = 0; number < static_cast<int>(coll_test::reduction_count()); ++number) {
    for (const Kind kind :
         {Kind::reduce, Kind::reduce_all, Kind::reduce_scatter, Kind::prefix, Kind::prefix_exclusive}) {
      const Case c = {kind, WEFT_TEAM_WORLD, 13, weft_size() - 1, 0, false, number, 5};
      Member member(c, true, false);
      REQUIRE(member.call(nullptr) == WEFT_OK);
      EXPECT_EQ(member.check(), "") << describe(c);
    }
  }
}

RANK_TEST(Collective, WhatCannotBeDoneIsRefusedBeforeAnythingHappens) {
  uint64_t value = 0;
  EXPECT_EQ(weft_broadcast(WEFT_TEAM_WORLD, &value, &value, 8, weft_size(), 0), WEFT_ERR_INVALID);
  EXPECT_EQ(weft_reduce(WEFT_TEAM_WORLD, &value, &value, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_XOR), 0, 0),
            WEFT_ERR_INVALID);
  const auto nothing = [](void*, const void*, const void*, size_t, void*) {};
  EXPECT_EQ(weft_reduce_all(WEFT_TEAM_WORLD, &value, &value, 1, weft_reduction_by(nothing, nullptr, 0, 1), 0),
            WEFT_ERR_INVALID);
  EXPECT_EQ(weft_gather(WEFT_TEAM_WORLD, &value, &value, 8, 0, WEFT_IN_MYSYNC | WEFT_IN_ALLSYNC), WEFT_ERR_INVALID);
  EXPECT_EQ(weft_gather(WEFT_TEAM_WORLD, &value, &value, 8, 0, 1u << 20), WEFT_ERR_INVALID);
}

}  // namespace
