// Collectives of the conduit's own (conduit/native_collectives.hpp), where it has any.
#include "conduit/native_collectives.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "fixture.hpp"

namespace {

using namespace conformance;

void add(const void* context, void* result, const void* left, const void* right, size_t bytes) {
  ++*static_cast<uint64_t*>(const_cast<void*>(context));
  for (size_t i = 0; i < bytes / sizeof(uint64_t); ++i) {
    uint64_t a = 0, b = 0;
    std::memcpy(&a, static_cast<const std::byte*>(left) + i * sizeof a, sizeof a);
    std::memcpy(&b, static_cast<const std::byte*>(right) + i * sizeof b, sizeof b);
    a += b;
    std::memcpy(static_cast<std::byte*>(result) + i * sizeof a, &a, sizeof a);
  }
}

bool offered(Peer& peer, NativeOp op, size_t size) {
  NativeCollectives* const native = peer.conduit().native_collectives();
  return native != nullptr && native->offers(op, size, true) && peer.size() > 1;
}

// As Peer::complete(), on this rank alone.
void run(Peer& peer, const NativeRequest& request) {
  Completion completion;
  peer.complete(completion, [&] { return peer.conduit().native_collectives()->begin(request, &completion); });
}

CONDUIT_TEST(NativeCollectives, NobodyLeavesABarrierBeforeAllHaveCome) {
  NEEDS(offered(peer, NativeOp::barrier, 0));
  static std::atomic<uint32_t> came{0};
  for (int round = 1; round <= 20; ++round) {
    const uint32_t before = came.fetch_add(1) + 1;
    run(peer, {.op = NativeOp::barrier});
    if (ranks_are_threads()) {
      EXPECT_GE(came.load(), static_cast<uint32_t>(round) * peer.size());
    } else {
      EXPECT_EQ(before, static_cast<uint32_t>(round));
    }
    run(peer, {.op = NativeOp::barrier});
  }
  peer.barrier();
  if (peer.rank() == 0) came = 0;
  peer.barrier();
}

CONDUIT_TEST(NativeCollectives, BroadcastsReachEverybodyFromEachRoot) {
  for (const size_t count : {size_t{1}, size_t{1000}, size_t{20000}}) {
    NEEDS(offered(peer, NativeOp::broadcast, count * sizeof(uint64_t)));
    for (RankId root = 0; root < peer.size(); ++root) {
      const std::vector<uint64_t> expected(count, 17 * root + count);
      std::vector<uint64_t> data = peer.rank() == root ? expected : std::vector<uint64_t>(count);
      run(peer, {.op = NativeOp::broadcast,
                 .size = count * sizeof(uint64_t),
                 .root = root,
                 .destination = data.data(),
                 .source = peer.rank() == root ? data.data() : nullptr});
      EXPECT_EQ(data, expected);
    }
  }
  peer.barrier();
}

CONDUIT_TEST(NativeCollectives, ReductionsCombineAllOperands) {
  for (const size_t count : {size_t{1}, size_t{3000}}) {
    NEEDS(offered(peer, NativeOp::reduce_all, count * sizeof(uint64_t)));
    uint64_t folds = 0;
    const std::vector<uint64_t> source(count, 1 + peer.rank());
    const std::vector<uint64_t> sum(count, uint64_t{peer.size()} * (peer.size() + 1) / 2);
    std::vector<uint64_t> apart(count), in_place = source;
    for (std::vector<uint64_t>* destination : {&apart, &in_place}) {
      run(peer, {.op = NativeOp::reduce_all,
                 .size = count * sizeof(uint64_t),
                 .destination = destination->data(),
                 .source = destination == &apart ? source.data() : destination->data(),
                 .fold = {.combine = add, .context = &folds, .element = sizeof(uint64_t)}});
      EXPECT_EQ(*destination, sum);
    }
  }
  peer.barrier();
}

// Simulated ranks share a thread, and each has values of its own all the same.
CONDUIT_TEST(NativeCollectives, MayUseThreadLocalMemory) {
  NEEDS(offered(peer, NativeOp::broadcast, 64) && offered(peer, NativeOp::reduce_all, 64));
  thread_local std::array<uint64_t, 8> source, destination;
  const RankId n = peer.size();
  for (RankId root = 0; root < n; ++root) {
    const bool is_root = peer.rank() == root;
    std::array<uint64_t, 8> expected{};
    expected.fill(3 + root);
    source.fill(is_root ? 3 + root : 0);
    destination.fill(0);
    run(peer, {.op = NativeOp::broadcast,
               .size = sizeof source,
               .root = root,
               .destination = is_root ? source.data() : destination.data(),
               .source = is_root ? source.data() : nullptr});
    EXPECT_EQ(is_root ? source : destination, expected);
    peer.barrier();
    EXPECT_EQ(is_root ? source : destination, expected);
  }
  uint64_t folds = 0;
  std::array<uint64_t, 8> sum{};
  sum.fill(uint64_t{n} * (n + 1) / 2);
  source.fill(1 + peer.rank());
  run(peer, {.op = NativeOp::reduce_all,
             .size = sizeof source,
             .destination = destination.data(),
             .source = source.data(),
             .fold = {.combine = add, .context = &folds, .element = sizeof(uint64_t)}});
  EXPECT_EQ(destination, sum);
  peer.barrier();
  EXPECT_EQ(source[0], 1 + peer.rank());
}

CONDUIT_TEST(NativeCollectives, BlocksOfAllAreGatheredAndExchanged) {
  NEEDS(offered(peer, NativeOp::gather_all, 8) && offered(peer, NativeOp::exchange, 8));
  const RankId n = peer.size(), me = peer.rank();
  std::vector<uint64_t> source(n), destination(n), expected(n);
  const uint64_t own = 100 + me;
  run(peer, {.op = NativeOp::gather_all, .size = 8, .destination = destination.data(), .source = &own});
  for (RankId from = 0; from < n; ++from) expected[from] = 100 + from;
  EXPECT_EQ(destination, expected);

  destination.assign(n, 0);
  destination[me] = own;
  run(peer, {.op = NativeOp::gather_all, .size = 8, .destination = destination.data(), .source = &destination[me]});
  EXPECT_EQ(destination, expected);

  for (RankId to = 0; to < n; ++to) source[to] = 1000 * me + to;
  run(peer, {.op = NativeOp::exchange, .size = 8, .destination = destination.data(), .source = source.data()});
  for (RankId from = 0; from < n; ++from) expected[from] = 1000 * from + me;
  EXPECT_EQ(destination, expected);
  peer.barrier();
}

// Begun in one order, waited for in another, more of them than a conduit may take at once.
CONDUIT_TEST(NativeCollectives, ManyMayBeUnderWay) {
  NEEDS(offered(peer, NativeOp::broadcast, 8) && offered(peer, NativeOp::reduce_all, 8));
  constexpr size_t count = 24;
  std::array<Completion, count> completions;
  std::array<uint64_t, count> data{}, waited{};
  std::array<uint64_t, count> folds{};
  for (size_t i = 0; i < count; ++i) {
    const auto root = static_cast<RankId>(i % peer.size());
    const bool reduces = i % 3 == 0, is_root = peer.rank() == root;
    data[i] = reduces || is_root ? i : 0;
    const NativeRequest request = {.op = reduces ? NativeOp::reduce_all : NativeOp::broadcast,
                                   .size = 8,
                                   .root = root,
                                   .destination = &data[i],
                                   .source = reduces || is_root ? &data[i] : nullptr,
                                   .fold = {.combine = add, .context = &folds[i], .element = 8}};
    const Result result =
        peer.insist([&] { return peer.conduit().native_collectives()->begin(request, &completions[i]); });
    waited[i] = result == Result::posted;
  }
  for (size_t i = count; i-- > 0;) {
    peer.wait_until([&] { return completions[i].remote.load() == waited[i]; });
    EXPECT_EQ(completions[i].local.load(), waited[i]);
    EXPECT_EQ(data[i], i % 3 == 0 ? i * peer.size() : i);
  }
  peer.barrier();
}

}  // namespace
