// Every interleaving of two and three ranks over three split-phase barriers, under the memory model's rules for acquire
// and release.
//
// dissemination.hpp is a template over its atomics. Here they are ModelAtomic: every store is kept, and a load may
// return any store that the loading rank may still see. A step is one call of the protocol; where it loads, all values
// that the load may return are tried. Loads that return what was seen before change nothing, so a rank has a step only
// when its awaited word has something newer. States that were reached before are not explored again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "coll/dissemination.hpp"

namespace {

using namespace weft::coll;

constexpr size_t most_ranks = 3;
constexpr uint64_t barriers = 3;
using Clock = std::array<uint64_t, most_ranks>;

/// What a step of the explorer needs to know while the protocol runs.
struct Context {
  size_t rank = 0;
  Clock* clock = nullptr;
  std::vector<size_t>* path = nullptr;  // which of the possible values the loads of this step return
  std::vector<size_t> sizes;            // how many each load had
  bool weak = false;                    // treat releases as relaxed, to see that the checks notice
};
Context* context = nullptr;

template <class T>
struct ModelAtomic {
  struct Store {
    T value;
    Clock clock;
  };
  std::vector<Store> stores{{0, {}}};
  mutable std::array<size_t, most_ranks> seen{};  // by each rank

  T load(std::memory_order order) const {
    const size_t depth = context->sizes.size();
    size_t& last = seen[context->rank];
    context->sizes.push_back(stores.size() - last);
    if (depth == context->path->size()) context->path->push_back(0);
    last += (*context->path)[depth];
    if (order == std::memory_order_acquire)
      for (size_t i = 0; i < most_ranks; ++i)
        (*context->clock)[i] = std::max((*context->clock)[i], stores[last].clock[i]);
    return stores[last].value;
  }
  bool has_news(size_t rank) const { return stores.size() - 1 > seen[rank]; }
  void store(T value, std::memory_order order) {
    const bool releases = order == std::memory_order_release && !context->weak;
    stores.push_back({value, releases ? *context->clock : Clock{}});
    ++(*context->clock)[context->rank];
  }
};
using Protocol = BasicDissemination<ModelAtomic>;

// The value that a rank brings to a barrier; anonymous ones match anything.
struct Value {
  int32_t value;
  bool anonymous;
  Occasion occasion = Occasion::barrier;
};
using Script = std::array<std::array<Value, most_ranks>, barriers>;

struct Rank {
  Protocol protocol;
  Clock clock{};
  bool waiting = false;                         // between notify and wait's end
  std::array<uint64_t, barriers> arrived_at{};  // its own clock at each notify
};

/// All of the system; copied to try a step.
struct State {
  std::vector<Rank> ranks;
  std::vector<Protocol::Area> areas;    // each rank's, or none
  std::vector<Protocol::Board> boards;  // or one of all
  bool refused = false;                 // a rank has noticed that another came on another occasion, which ends the job
};

/// Where ranks tell each other: in areas of their own, or on a board, which needs a schedule of one round.
enum class Place { areas, board };

class Explorer {
 public:
  Explorer(Place place, const Schedule& schedule, size_t ranks, const Script& script, bool weak)
      : place_(place), schedule_(schedule), size_(ranks), script_(script), weak_(weak) {}

  /// Empty, or what went wrong.
  std::string run() {
    State start{std::vector<Rank>(size_, Rank{.protocol = Protocol(schedule_)}),
                std::vector<Protocol::Area>(place_ == Place::areas ? size_ : 0),
                std::vector<Protocol::Board>(place_ == Place::board ? 1 : 0)};
    for (size_t r = 0; r < size_; ++r) start.ranks[r].clock[r] = 1;
    visit(start);
    return problem_;
  }
  size_t states() const { return visited_.size(); }
  uint64_t ends() const { return ends_; }
  uint64_t refusals() const { return refusals_; }

 private:
  void visit(const State& state) {
    if (!problem_.empty() || !visited_.insert(key(state)).second) return;
    if (state.refused) {
      ++refusals_;
      return;
    }
    bool any = false, all_over = true;
    for (size_t r = 0; r < size_; ++r) {
      const Rank& rank = state.ranks[r];
      const bool over = !rank.waiting && rank.protocol.number() == barriers;
      all_over = all_over && over;
      if (over) continue;
      if (rank.waiting && !has_news(state, r)) continue;
      any = true;
      try_all(state, r);
    }
    if (all_over) ++ends_;
    if (!any && !all_over) problem_ = "nobody can go on";
  }

  size_t teller(size_t r, uint32_t in_step) const { return (r + size_ - schedule_.distance(in_step)) % size_; }

  // The word that rank r is told by in a step.
  const ModelAtomic<uint64_t>& word_for(const State& state, size_t r, uint64_t parity, uint32_t in_step) const {
    return place_ == Place::board ? state.boards[0].words[parity][teller(r, in_step)]
                                  : state.areas[r].words[parity][in_step].word;
  }

  // The first load of a waiting rank's step must find something new.
  bool has_news(const State& state, size_t r) const {
    for (uint64_t parity : {0, 1})
      for (uint32_t in_step = 0; in_step < schedule_.steps(); ++in_step)
        if (word_for(state, r, parity, in_step).has_news(r)) return true;
    return false;
  }

  // Tries the step with every combination of values that its loads may return.
  void try_all(const State& state, size_t r) {
    std::vector<size_t> path;
    for (;;) {
      State next = state;
      Context now{.rank = r, .clock = &next.ranks[r].clock, .path = &path, .sizes = {}, .weak = weak_};
      context = &now;
      step(next, r);
      if (!problem_.empty()) return;
      visit(next);
      path.resize(now.sizes.size());
      while (!path.empty() && path.back() + 1 == now.sizes[path.size() - 1]) path.pop_back();
      if (path.empty()) return;
      ++path.back();
    }
  }

  void step(State& state, size_t r) {
    Rank& rank = state.ranks[r];
    auto tell = [&](uint64_t parity, uint32_t in_step, uint64_t word) {
      if (place_ == Place::areas)
        Protocol::put(state.areas[(r + schedule_.distance(in_step)) % size_], parity, in_step, word);
      else if (in_step == 0)
        Protocol::put(state.boards[0], parity, r, word);
    };
    auto told_in = [&](const State& whose) {
      return [&, this](uint64_t parity, uint32_t in_step) {
        return place_ == Place::areas ? Protocol::get(whose.areas[r], parity, in_step)
                                      : Protocol::get(whose.boards[0], parity, teller(r, in_step));
      };
    };
    if (!rank.waiting) {
      const Value& mine = script_[rank.protocol.number()][r];
      rank.arrived_at[rank.protocol.number()] = rank.clock[r];
      rank.waiting = true;
      rank.protocol.arrive(mine.value, mine.anonymous, tell, mine.occasion);
      return;
    }
    if (!rank.protocol.advance(told_in(state), tell)) {
      uint32_t stuck_in = 0;
      Occasion theirs;
      // In a copy, so that the value looked at is still news to advance().
      if (const State copy = state; !rank.protocol.stuck(told_in(copy), stuck_in, theirs)) return;
      const size_t other = teller(r, stuck_in);
      const auto& brought = script_[rank.protocol.number() - 1];
      state.refused = true;
      if (brought[other].occasion != theirs || theirs == brought[r].occasion) problem_ = "refused for no reason";
      return;
    }
    rank.waiting = false;
    check_end(state, r);
  }

  // The barrier is over for this rank: everybody has arrived, what they did before is visible, and the verdict is
  // right.
  void check_end(const State& state, size_t r) {
    const Rank& rank = state.ranks[r];
    const uint64_t barrier = rank.protocol.number() - 1;
    bool differ = false;
    for (size_t a = 0; a < size_; ++a) {
      if (state.ranks[a].protocol.number() <= barrier) problem_ = "left before everybody arrived";
      if (rank.clock[a] < state.ranks[a].arrived_at[barrier]) problem_ = "what a rank did before is not visible";
      for (size_t b = 0; b < size_; ++b) {
        const Value &x = script_[barrier][a], &y = script_[barrier][b];
        if (x.occasion != y.occasion) problem_ = "left although two ranks came on different occasions";
        differ = differ || (!x.anonymous && !y.anonymous && x.value != y.value);
      }
    }
    if (rank.protocol.mismatch() != differ) problem_ = "wrong verdict about the values";
  }

  std::string key(const State& state) const {
    std::string text;
    auto add = [&](uint64_t value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
    add(state.refused ? 1 : 0);
    for (const Rank& rank : state.ranks) {
      add(rank.protocol.number() << 1 | (rank.waiting ? 1 : 0));
      for (uint64_t c : rank.clock) add(c);
    }
    for (size_t r = 0; r < size_; ++r)
      for (uint64_t parity : {0, 1})
        for (uint32_t in_step = 0; in_step < schedule_.steps(); ++in_step) {
          const ModelAtomic<uint64_t>& word = word_for(state, r, parity, in_step);
          add(word.seen[r]);
          for (const auto& store : word.stores) {
            add(store.value);
            for (uint64_t c : store.clock) add(c);
          }
        }
    return text;
  }

  Place place_;
  Schedule schedule_;
  size_t size_;
  const Script& script_;
  bool weak_;
  std::set<std::string> visited_;
  std::string problem_;
  uint64_t ends_ = 0;
  uint64_t refusals_ = 0;
};

constexpr Value seven{7, false}, eight{8, false}, nobody{0, true};

struct Way {
  Place place;
  uint32_t radix;
  std::string name() const {
    return (place == Place::board ? "board, radix " : "areas, radix ") + std::to_string(radix);
  }
};

std::vector<Way> ways(uint32_t ranks) {
  std::vector<Way> all = {{Place::board, ranks}};
  for (uint32_t radix = 2; radix <= ranks; ++radix) all.push_back({Place::areas, radix});
  return all;
}

void explore(uint32_t ranks, const Script& script) {
  for (const Way& way : ways(ranks)) {
    Explorer explorer(way.place, Schedule(ranks, way.radix), ranks, script, false);
    EXPECT_EQ(explorer.run(), "") << way.name();
    EXPECT_GT(explorer.ends(), 0u);
    std::printf("%s: %zu states\n", way.name().c_str(), explorer.states());
  }
}

// With every radix each rank hears, in steps that never reach itself, from all others.
TEST(Schedule, ReachesEverybody) {
  for (uint32_t ranks = 1; ranks <= 40; ++ranks)
    for (uint32_t radix = 2; radix <= std::max(ranks, 2u); ++radix) {
      const Schedule schedule(ranks, radix);
      std::vector<bool> heard(ranks, false), before;
      heard[0] = true;
      for (uint32_t step = 0; step < schedule.steps(); ++step) {
        if (schedule.starts_round(step)) before = heard;
        EXPECT_LT(schedule.distance(step), ranks);
        for (uint32_t far = 0; far < ranks; ++far)
          if (before[far]) heard[(far + schedule.distance(step)) % ranks] = true;
      }
      EXPECT_EQ(std::ranges::count(heard, true), ranks) << ranks << " ranks, radix " << radix;
    }
}

TEST(Schedule, TheWidestRadixKeepsToTheWordsThereAre) {
  for (uint32_t ranks : {1u, 2u, 3u, 8u, 33u, 34u, 289u, 290u, 1000u, 100'000u, UINT32_MAX}) {
    const uint32_t radix = Schedule::widest_radix(ranks);
    EXPECT_LE(Schedule(ranks, radix).steps(), Schedule::most_steps) << ranks;
    EXPECT_LE(Schedule(ranks, 2).steps(), Schedule::most_steps) << ranks;
  }
  EXPECT_EQ(Schedule::widest_radix(8), 8u);
  EXPECT_EQ(Schedule::widest_radix(33), 33u);
  EXPECT_EQ(Schedule::widest_radix(34), 6u);
}

TEST(BarrierInterleavings, TwoRanksThreeBarriers) {
  explore(2, {{{seven, seven}, {seven, seven}, {seven, seven}}});
  explore(2, {{{seven, eight}, {seven, seven}, {eight, seven}}});
  explore(2, {{{nobody, eight}, {seven, eight}, {nobody, nobody}}});
}

TEST(BarrierInterleavings, ThreeRanksThreeBarriersThatMatch) {
  explore(3, {{{seven, seven, seven}, {eight, eight, eight}, {seven, seven, seven}}});
}

TEST(BarrierInterleavings, ThreeRanksWhereOneDiffersInTheMiddle) {
  explore(3, {{{seven, seven, seven}, {seven, eight, seven}, {seven, seven, seven}}});
}

TEST(BarrierInterleavings, ThreeRanksSomeAnonymous) {
  explore(3, {{{nobody, seven, eight}, {nobody, seven, nobody}, {seven, nobody, eight}}});
}

// Whoever is first, one of them notices, and nobody leaves that barrier.
TEST(BarrierInterleavings, ARankOnAnotherOccasionIsNoticed) {
  constexpr Value leaves{0, true, Occasion::finalize}, registers{0, true, Occasion::register_handlers};
  const Script scripts[] = {{{{nobody, leaves, nobody}, {nobody, nobody, nobody}, {nobody, nobody, nobody}}},
                            {{{leaves, registers, nobody}, {leaves, nobody, nobody}, {nobody, nobody, nobody}}},
                            {{{nobody, nobody, nobody}, {leaves, leaves, registers}, {nobody, nobody, nobody}}}};
  for (const Script& script : scripts)
    for (uint32_t ranks : {2u, 3u})
      for (const Way& way : ways(ranks)) {
        const bool differ_among = &script != &scripts[2] || ranks == 3;
        Explorer explorer(way.place, Schedule(ranks, way.radix), ranks, script, false);
        EXPECT_EQ(explorer.run(), "") << way.name();
        EXPECT_EQ(explorer.refusals() > 0, differ_among);
        EXPECT_EQ(explorer.ends() > 0, !differ_among);
      }
}

// The checks themselves: with releases taken for relaxed stores, the explorer must object.
TEST(BarrierInterleavings, AMissingReleaseIsNoticed) {
  const Script script = {{{seven, seven}, {seven, seven}, {seven, seven}}};
  for (const Way& way : ways(2)) {
    Explorer explorer(way.place, Schedule(2, way.radix), 2, script, true);
    EXPECT_EQ(explorer.run(), "what a rank did before is not visible") << way.name();
  }
}

TEST(Knowledge, SurvivesItsEncoding) {
  for (int32_t value : {0, 1, -1, INT32_MAX, INT32_MIN})
    for (bool known : {false, true})
      for (bool mismatch : {false, true})
        for (Occasion occasion : {Occasion::barrier, Occasion::finalize, Occasion::register_handlers})
          for (uint64_t number : {uint64_t{1}, uint64_t{12345}, Knowledge::number_mask, Knowledge::number_mask + 2}) {
            const uint64_t word = Knowledge{value, known, mismatch, occasion}.encode(number);
            const Knowledge back = Knowledge::decode(word);
            EXPECT_EQ(back.value, value);
            EXPECT_EQ(back.known, known);
            EXPECT_EQ(back.mismatch, mismatch);
            EXPECT_EQ(back.occasion, occasion);
            EXPECT_EQ(word >> Knowledge::number_shift, number & Knowledge::number_mask);
          }
}

// In whatever order knowledge is combined, and however often, the verdict is that of all pairs.
TEST(Knowledge, CombinesInAnyOrder) {
  const Knowledge all[] = {{0, false, false}, {3, true, false}, {4, true, false}, {3, true, true}};
  for (const Knowledge& a : all)
    for (const Knowledge& b : all)
      for (const Knowledge& c : all) {
        Knowledge left = a, right = c;
        left.combine(b);
        left.combine(c);
        left.combine(a);
        right.combine(b);
        right.combine(a);
        const bool known = a.known || b.known || c.known;
        auto differ = [](const Knowledge& x, const Knowledge& y) { return x.known && y.known && x.value != y.value; };
        const bool mismatch = a.mismatch || b.mismatch || c.mismatch || differ(a, b) || differ(a, c) || differ(b, c);
        EXPECT_EQ(left.known, known);
        EXPECT_EQ(right.known, known);
        EXPECT_EQ(left.mismatch, mismatch);
        EXPECT_EQ(right.mismatch, mismatch);
      }
}

}  // namespace
