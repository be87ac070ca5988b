// Team collectives of <upc_team.h> against their definitions: teams of all shapes, all flags, both forms.
#include <string>
#include <vector>

#include "upc/upc_types.h"
#include "upc_threads.hpp"

namespace {

using namespace upc_test;

uint64_t count() { return static_cast<uint64_t>(threads()); }
uint64_t own() { return static_cast<uint64_t>(me()); }
constexpr upc_team_t all_threads = 1;

// Memory that every thread has at the same place.
struct Area {
  explicit Area(uint64_t bytes) : first(upc_all_alloc(count(), bytes)) {}
  ~Area() {
    barrier();
    upc_all_free(first);
  }
  Area(const Area&) = delete;
  Area& operator=(const Area&) = delete;
  upcr_pts_t on(uint64_t thread) const { return upc_test::on(thread, first); }
  long* mine() const { return static_cast<long*>(upcr_local(on(own()))); }
  upcr_pts_t first;
};

long value(uint64_t thread, uint64_t i, int round) { return static_cast<long>(thread * 10000 + i * 100) + round; }

// Every collective on a team, for one number of longs per block and one value of the flags.
class Round {
 public:
  Round(upc_team_t team, uint64_t block, int flags, bool blocking, int number)
      : team_(team),
        n_(upc_team_size(team)),
        me_(upc_team_rank(team)),
        block_(block),
        flags_(flags),
        blocking_(blocking),
        number_(number),
        from_(count() * block * sizeof(long)),
        to_(count() * block * sizeof(long)) {}

  void run() {
    const uint64_t root = static_cast<uint64_t>(number_) % n_;
    const upcr_pts_t root_from = from_.on(upc_team_thread(team_, root)), root_to = to_.on(upc_team_thread(team_, root));
    const size_t bytes = block_ * sizeof(long);
    // The thread that a pointer names counts for roots only.
    const upcr_pts_t from = from_.on(count() - 1), to = to_.on(0);

    begin();
    end(blocking_ ? (upc_team_broadcast(team_, to, root_from, bytes, flags_), 0)
                  : upc_team_broadcast_nb(team_, to, root_from, bytes, flags_));
    expect(1, [&](uint64_t i) { return value(thread(root), i, number_); });

    begin();
    end(blocking_ ? (upc_team_scatter(team_, to, root_from, bytes, flags_), 0)
                  : upc_team_scatter_nb(team_, to, root_from, bytes, flags_));
    expect(1, [&](uint64_t i) { return value(thread(root), me_ * block_ + i, number_); });

    begin();
    end(blocking_ ? (upc_team_gather(team_, root_to, from, bytes, flags_), 0)
                  : upc_team_gather_nb(team_, root_to, from, bytes, flags_));
    if (me_ == root) expect(n_, [&](uint64_t i) { return value(thread(i / block_), i % block_, number_); });

    begin();
    end(blocking_ ? (upc_team_gather_all(team_, to, from, bytes, flags_), 0)
                  : upc_team_gather_all_nb(team_, to, from, bytes, flags_));
    expect(n_, [&](uint64_t i) { return value(thread(i / block_), i % block_, number_); });

    begin();
    end(blocking_ ? (upc_team_exchange(team_, to, from, bytes, flags_), 0)
                  : upc_team_exchange_nb(team_, to, from, bytes, flags_));
    expect(n_, [&](uint64_t i) { return value(thread(i / block_), me_ * block_ + i % block_, number_); });

    begin();
    end(blocking_ ? (upc_team_permute(team_, to, from, (me_ + 1) % n_, bytes, flags_), 0)
                  : upc_team_permute_nb(team_, to, from, (me_ + 1) % n_, bytes, flags_));
    expect(1, [&](uint64_t i) { return value(thread((me_ + n_ - 1) % n_), i, number_); });

    begin();
    end(blocking_ ? (upc_team_reduce(team_, root_to, from, UPC_ADD, UPC_LONG, block_, flags_), 0)
                  : upc_team_reduce_nb(team_, root_to, from, UPC_ADD, UPC_LONG, block_, flags_));
    if (me_ == root) expect(1, [&](uint64_t i) { return sum(n_, i); });

    begin();
    end(blocking_ ? (upc_team_reduce_all(team_, to, from, UPC_ADD, UPC_LONG, block_, flags_), 0)
                  : upc_team_reduce_all_nb(team_, to, from, UPC_ADD, UPC_LONG, block_, flags_));
    expect(1, [&](uint64_t i) { return sum(n_, i); });

    begin();
    end(blocking_ ? (upc_team_prefix_reduce(team_, to, from, UPC_ADD, UPC_LONG, block_, flags_), 0)
                  : upc_team_prefix_reduce_nb(team_, to, from, UPC_ADD, UPC_LONG, block_, flags_));
    expect(1, [&](uint64_t i) { return sum(me_ + 1, i); });
  }

 private:
  uint64_t thread(uint64_t member) const { return upc_team_thread(team_, member); }
  long sum(uint64_t members, uint64_t i) const {
    long result = 0;
    for (uint64_t m = 0; m < members; ++m) result += value(thread(m), i, number_);
    return result;
  }

  // NOSYNC on the way in: the caller synchronises.
  void begin() {
    for (uint64_t i = 0; i < n_ * block_; ++i) {
      from_.mine()[i] = value(own(), i, number_);
      to_.mine()[i] = -1;
    }
    if ((flags_ & 7) == UPC_IN_NOSYNC) upc_team_barrier(team_);
  }
  void end(upc_handle_t handle) {
    upc_sync(handle);
    if ((flags_ & 56) == UPC_OUT_NOSYNC) upc_team_barrier(team_);
  }
  template <class Expected>
  void expect(uint64_t blocks, Expected expected) {
    for (uint64_t i = 0; i < n_ * block_; ++i) REQUIRE(to_.mine()[i] == (i < blocks * block_ ? expected(i) : -1));
  }

  upc_team_t team_;
  uint64_t n_, me_, block_;
  int flags_;
  bool blocking_;
  int number_;
  Area from_, to_;
};

void check_team(upc_team_t team) {
  int number = 0;
  for (const uint64_t block : {1, 3, 700})
    for (const int in : {0, UPC_IN_NOSYNC, UPC_IN_MYSYNC, UPC_IN_ALLSYNC})
      for (const int out : {0, UPC_OUT_NOSYNC, UPC_OUT_MYSYNC, UPC_OUT_ALLSYNC}) {
        ++number;
        Round(team, block, in | out, number % 2 == 0, number).run();
      }
}

UPC_TEST(team, of_all_threads) {
  EXPECT_EQ(upc_team_size(all_threads), count());
  EXPECT_EQ(upc_team_rank(all_threads), own());
  check_team(all_threads);
}

UPC_TEST(team, split_by_colour_and_key) {
  const upc_team_t team = upc_team_split(all_threads, me() % 2, -me());
  const uint64_t n = (count() + 1 - own() % 2) / 2;
  ASSERT_EQ(upc_team_size(team), n);
  EXPECT_EQ(upc_team_rank(team), n - 1 - own() / 2);
  EXPECT_EQ(upc_team_thread(team, upc_team_rank(team)), own());
  EXPECT_EQ(upc_team_member(team, (own() + 1) % count()), count() == 1 ? 0
                                                          : count() % 2 == 1 && me() + 1 == threads()
                                                              ? static_cast<int>(n) - 1
                                                              : -1);
  check_team(team);
  upc_team_free(team);
}

// Rows and columns of a grid, and a team of a team.
UPC_TEST(team, nested_and_strided) {
  const uint64_t columns = count() % 2 == 0 ? 2 : 1;
  const upc_team_t row = upc_team_split_stride(all_threads, columns, 1);
  const upc_team_t column = upc_team_split_stride(all_threads, count() / columns, columns);
  EXPECT_EQ(upc_team_rank(row), own() % columns);
  EXPECT_EQ(upc_team_rank(column), own() / columns);
  check_team(row);
  check_team(column);
  const upc_team_t nested = upc_team_split(column, static_cast<int>(upc_team_rank(column) / 2), 0);
  check_team(nested);
  for (const upc_team_t team : {row, column, nested}) upc_team_free(team);
}

UPC_TEST(team, of_listed_members) {
  const unsigned list[] = {static_cast<unsigned>(count() - 1), 0};
  const upc_team_t team = upc_team_from_list(all_threads, list, count() == 1 ? 1 : 2);
  EXPECT_EQ(team != 0, own() == 0 || own() == count() - 1);
  // Area is collective over all threads, so those outside take part in nothing but that.
  Area from(sizeof(long)), to(sizeof(long));
  *from.mine() = me() + 1;
  if (team != 0) {
    upc_team_reduce_all(team, to.first, from.first, UPC_MAX, UPC_LONG, 1, UPC_IN_MYSYNC | UPC_OUT_MYSYNC);
    EXPECT_EQ(*to.mine(), threads());
  }
  upc_team_free(team);
}

// Many under way at once, on teams that overlap.
UPC_TEST(team, several_in_flight) {
  constexpr uint64_t depth = 20;
  const upc_team_t other = upc_team_split(all_threads, me() / 2, 0);
  Area from(2 * depth * sizeof(long)), to(2 * depth * sizeof(long));
  std::vector<upc_handle_t> handles;
  for (uint64_t i = 0; i < 2 * depth; ++i) {
    const upc_team_t team = i % 2 == 0 ? all_threads : other;
    from.mine()[i] = value(own(), i, 0);
    handles.push_back(upc_team_reduce_all_nb(team, at(to.first, i * 8), at(from.first, i * 8), UPC_MAX, UPC_LONG, 1,
                                             UPC_IN_MYSYNC | UPC_OUT_MYSYNC));
  }
  for (uint64_t i = handles.size(); i-- > 0;) {
    upc_sync(handles[i]);
    const upc_team_t team = i % 2 == 0 ? all_threads : other;
    REQUIRE(to.mine()[i] == value(upc_team_thread(team, upc_team_size(team) - 1), i, 0));
  }
  upc_team_free(other);
}

}  // namespace
