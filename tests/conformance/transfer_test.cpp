// The contract's one-sided operations: put, get, fill, atomic, put_signal.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "conduit/cpu_atomic.hpp"
#include "conformance/fixture.hpp"

namespace {

using namespace conformance;

constexpr size_t sizes[] = {0, 1, 7, 8, 9, 63, 64, 65, 256, 4095, 4096, 4097, 100003};
constexpr size_t largest = 100003;

unsigned char pattern(size_t i, uint64_t salt) { return static_cast<unsigned char>(i * 7 + i / 256 + salt); }
unsigned char* bytes_of(std::byte* memory) { return reinterpret_cast<unsigned char*>(memory); }

CONDUIT_TEST(Segment, IsZeroAtStartAndPageAligned) {
  EXPECT_TRUE(peer.segment_was_zero() || !ranks_are_threads());
  EXPECT_TRUE(peer.segment_was_zero());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(peer.conduit().segment()) % 4096, 0u);
  EXPECT_GE(peer.conduit().segment_size(), size_t{1} << 20);
}

CONDUIT_TEST(Identity, RanksAndSizesAgree) {
  EXPECT_LT(peer.rank(), peer.size());
  EXPECT_LT(peer.conduit().host_rank(), peer.conduit().host_size());
  EXPECT_LE(peer.conduit().host_size(), peer.size());
  EXPECT_EQ(peer.conduit().mapped(peer.rank()), peer.conduit().segment()) << "a rank's own segment is mapped";
}

CONDUIT_TEST(Capabilities, MessagesAreLargeEnough) {
  const Capabilities capabilities = peer.conduit().capabilities();
  EXPECT_GE(capabilities.max_medium, 4096u);
  EXPECT_GE(capabilities.max_long, capabilities.max_medium);
}

// Whether CMakeLists.txt says that the conduit does this by itself.
bool known_to_have(const std::string& conduit, const char* what) {
  return std::string(" " CONFORMANCE_NATIVES " ").find(" " + conduit + ":" + what + " ") != std::string::npos;
}

CONDUIT_TEST(Capabilities, AreThoseThatTheConduitIsKnownToHave) {
  const auto has = [&](const char* what) { return known_to_have(peer.conduit_name(), what); };
  const bool offered = peer.peers_mapped() || has("unmapped");
  const Capabilities capabilities = peer.conduit().capabilities();
  EXPECT_EQ(capabilities.put_get, offered && has("put_get"));
  EXPECT_EQ(capabilities.atomics, offered && has("atomics"));
  EXPECT_EQ(capabilities.signals, offered && has("signals"));
  EXPECT_EQ(capabilities.may_forbid, has("may_forbid"));
}

CONDUIT_TEST(Mapped, MemoryIsThePeersOwn) {
  std::byte* theirs = peer.conduit().mapped(peer.next());
  if (theirs) std::atomic_ref(*reinterpret_cast<uint32_t*>(theirs + base_offset)).store(peer.rank() + 100);
  peer.barrier();
  const uint32_t seen = std::atomic_ref(*reinterpret_cast<uint32_t*>(peer.conduit().segment() + base_offset)).load();
  // Who maps a peer is mapped by it.
  if (peer.conduit().mapped(peer.previous())) {
    EXPECT_EQ(seen, peer.previous() + 100);
  }
}

CONDUIT_TEST(Put, ArrivesCompleteAtEverySizeAndAlignment) {
  NEEDS(peer.conduit().capabilities().put_get);
  std::vector<unsigned char> data(largest);
  uint64_t salt = 0;
  for (size_t size : sizes) {
    for (uint64_t shift : {uint64_t{0}, uint64_t{1}, uint64_t{17}}) {
      for (bool stream : {false, true}) {
        ++salt;
        for (size_t i = 0; i < size; ++i) data[i] = pattern(i, salt + peer.rank());
        unsigned char* place = bytes_of(peer.conduit().segment()) + base_offset + shift;
        place[-1] = place[size] = 0xee;
        peer.barrier();
        Completion completion;
        peer.complete(completion, [&] {
          return peer.conduit().put(peer.next(), base_offset + shift, data.data(), size, {.stream = stream},
                                    &completion);
        });
        EXPECT_EQ(completion.local.load(), completion.remote.load());
        peer.barrier();
        size_t wrong = 0;
        for (size_t i = 0; i < size; ++i) wrong += place[i] != pattern(i, salt + peer.previous());
        EXPECT_EQ(wrong, 0u) << size << " bytes, shifted by " << shift;
        EXPECT_EQ(place[-1], 0xee);
        EXPECT_EQ(place[size], 0xee);
        peer.barrier();
      }
    }
  }
}

CONDUIT_TEST(Get, FetchesAtEverySizeAndAlignment) {
  NEEDS(peer.conduit().capabilities().put_get);
  for (size_t i = 0; i < largest + 64; ++i)
    bytes_of(peer.conduit().segment())[base_offset + i] = pattern(i, peer.rank());
  peer.barrier();
  for (size_t size : sizes) {
    for (uint64_t shift : {uint64_t{0}, uint64_t{1}, uint64_t{17}}) {
      std::vector<unsigned char> got(size + 2, 0xee);
      Completion completion;
      peer.complete(completion, [&] {
        return peer.conduit().get(got.data() + 1, peer.next(), base_offset + shift, size, &completion);
      });
      size_t wrong = 0;
      for (size_t i = 0; i < size; ++i) wrong += got[i + 1] != pattern(i + shift, peer.next());
      EXPECT_EQ(wrong, 0u) << size;
      EXPECT_EQ(got.front(), 0xee);
      EXPECT_EQ(got.back(), 0xee);
    }
  }
}

CONDUIT_TEST(Fill, SetsTheBytesAndNoOthers) {
  NEEDS(peer.conduit().capabilities().put_get);
  for (size_t size : sizes) {
    unsigned char* place = bytes_of(peer.conduit().segment()) + base_offset + 3;
    std::memset(place - 1, 1, size + 2);
    peer.barrier();
    Completion completion;
    peer.complete(completion,
                  [&] { return peer.conduit().fill(peer.next(), base_offset + 3, 0xab, size, &completion); });
    peer.barrier();
    EXPECT_EQ(static_cast<size_t>(std::count(place, place + size, 0xab)), size);
    EXPECT_EQ(place[-1], 1);
    EXPECT_EQ(place[size], 1);
    peer.barrier();
  }
}

// `done` leaves the Completion alone; `posted` counts local, then remote, once each.
CONDUIT_TEST(Completion, CountsOncePerPostedOperationLocalNotAfterRemote) {
  NEEDS(peer.conduit().capabilities().put_get);
  constexpr size_t count = 500;
  std::vector<uint64_t> source(count);
  Completion completion;
  uint64_t posted = 0;
  for (size_t i = 0; i < count; ++i) {
    source[i] = i + 1;
    const Result result = peer.insist(
        [&] { return peer.conduit().put(peer.next(), base_offset + 8 * i, &source[i], 8, {}, &completion); });
    posted += result == Result::posted;
    const uint64_t remote = completion.remote.load(std::memory_order_acquire);
    EXPECT_GE(completion.local.load(), remote);
    EXPECT_LE(completion.local.load(), posted);
  }
  peer.wait_until([&] { return completion.remote.load(std::memory_order_acquire) == posted; });
  EXPECT_EQ(completion.local.load(), posted);
  peer.barrier();
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(reinterpret_cast<uint64_t*>(peer.conduit().segment() + base_offset)[i], i + 1);
}

CONDUIT_TEST(Atomic, EveryOperationAndTypeActsAsByTheProcessor) {
  NEEDS(peer.conduit().capabilities().atomics);
  auto random = std::mt19937_64(peer.rank());
  for (auto type :
       {AtomicType::i32, AtomicType::u32, AtomicType::i64, AtomicType::u64, AtomicType::f32, AtomicType::f64}) {
    const bool floating = type == AtomicType::f32 || type == AtomicType::f64;
    const size_t size = atomic_size(type);
    for (auto op = AtomicOp::get; op <= (floating ? AtomicOp::max : AtomicOp::bit_xor);
         op = static_cast<AtomicOp>(static_cast<int>(op) + 1)) {
      for (int i = 0; i < 20; ++i) {
        // Small whole numbers are exact in every type.
        auto number = [&](int value) {
          uint64_t bits = 0;
          if (type == AtomicType::f32) {
            const auto f = static_cast<float>(value);
            std::memcpy(&bits, &f, 4);
          } else if (type == AtomicType::f64) {
            const double f = value;
            std::memcpy(&bits, &f, 8);
          } else {
            std::memcpy(&bits, &value, 4);
          }
          return bits;
        };
        uint64_t here = number(static_cast<int>(random() % 5));
        uint64_t before = 0, expected_before = 0, now = 0;
        const uint64_t start = here;
        AtomicRequest request{.type = type,
                              .op = op,
                              .operand = number(static_cast<int>(random() % 5)),
                              .compare = number(static_cast<int>(random() % 5)),
                              .result = &expected_before};
        run_atomic(reinterpret_cast<std::byte*>(&here), request);
        if (i % 4 != 0) request.result = &before;
        if (i % 4 == 0) request.result = nullptr;
        const uint64_t at = base_offset + 8;
        Completion completion;
        AtomicRequest set{.type = type, .op = AtomicOp::set, .operand = start};
        peer.complete(completion, [&] { return peer.conduit().atomic(peer.next(), at, set, &completion); });
        peer.complete(completion, [&] { return peer.conduit().atomic(peer.next(), at, request, &completion); });
        AtomicRequest get{.type = type, .op = AtomicOp::get, .result = &now};
        peer.complete(completion, [&] { return peer.conduit().atomic(peer.next(), at, get, &completion); });
        EXPECT_EQ(std::memcmp(&now, &here, size), 0) << "op " << static_cast<int>(op);
        if (i % 4 != 0) {
          EXPECT_EQ(std::memcmp(&before, &expected_before, size), 0) << "op " << static_cast<int>(op);
        }
      }
    }
  }
}

CONDUIT_TEST(Atomic, ConcurrentAdditionsAddUpWithTheOwnersOwn) {
  NEEDS(peer.conduit().capabilities().atomics);
  std::atomic_ref<uint64_t> mine(*reinterpret_cast<uint64_t*>(peer.conduit().segment() + base_offset));
  mine.store(0);
  peer.barrier();
  constexpr uint64_t rounds = 300;
  Completion completion;
  for (uint64_t i = 0; i < rounds; ++i) {
    for (RankId target = 0; target < peer.size(); ++target) {
      const AtomicRequest request{.type = AtomicType::u64, .op = AtomicOp::add, .operand = 3};
      peer.complete(completion, [&] { return peer.conduit().atomic(target, base_offset, request, &completion); });
    }
    mine.fetch_add(1);
  }
  peer.barrier();
  EXPECT_EQ(mine.load(), rounds * (3 * peer.size() + 1));
}

CONDUIT_TEST(PutSignal, TheDataIsThereWhenTheSignalIs) {
  NEEDS(peer.conduit().capabilities().signals);
  auto* word = reinterpret_cast<uint64_t*>(peer.conduit().segment() + base_offset);
  const unsigned char* place = bytes_of(peer.conduit().segment()) + base_offset + 64;
  std::atomic_ref<uint64_t>(*word).store(0);
  peer.barrier();
  uint64_t total = 0;
  for (uint64_t round = 1; round <= 60; ++round) {
    for (size_t size : {size_t{0}, size_t{8}, size_t{5000}}) {
      const std::vector<unsigned char> data(size + 1, static_cast<unsigned char>(round + size + peer.rank()));
      const bool add = round % 2 == 0;
      total = add ? total + 5 : total + 1;
      Completion completion;
      peer.complete(completion, [&] {
        return peer.conduit().put_signal(peer.next(), base_offset + 64, data.data(), size, base_offset, add ? 5 : total,
                                         add ? SignalOp::add : SignalOp::set, &completion);
      });
      peer.wait_until([&] { return std::atomic_ref(*word).load(std::memory_order_acquire) == total; });
      const auto expected = static_cast<unsigned char>(round + size + peer.previous());
      EXPECT_EQ(static_cast<size_t>(std::count(place, place + size, expected)), size);
      peer.barrier();
    }
  }
}

// Long transfers may take several ways at once, and be split: each still completes once, and signals come last.
CONDUIT_TEST(PutSignal, LongTransfersUnderWayTogetherArriveWhole) {
  NEEDS(peer.conduit().capabilities().signals && peer.conduit().capabilities().put_get);
  constexpr size_t lengths[] = {150'000, 400'000, 40'000, 20'000, 300'001};
  constexpr size_t count = std::size(lengths), room = size_t{1} << 20;
  NEEDS(peer.conduit().segment_size() >= 2 * room + base_offset);
  std::byte* segment = peer.conduit().segment();
  auto* words = reinterpret_cast<uint64_t*>(segment + base_offset);
  std::fill_n(words, count, 0);
  const auto place = [&](size_t i) { return base_offset + 4096 + std::accumulate(lengths, lengths + i, size_t{0}); };
  std::vector<unsigned char> data(room / 2), expected(data.size());
  std::array<std::vector<unsigned char>, count> back;
  for (uint64_t round = 1; round <= 2; ++round) {
    for (size_t i = 0; i < data.size(); ++i) data[i] = pattern(i, round + peer.rank());
    for (size_t i = 0; i < data.size(); ++i) expected[i] = pattern(i, round + peer.previous());
    peer.barrier();
    std::array<Completion, count> puts, gets;
    const auto send = [&](size_t i) {
      return peer.insist([&] {
        return peer.conduit().put_signal(peer.next(), place(i), data.data() + i, lengths[i], base_offset + 8 * i, round,
                                         SignalOp::set, &puts[i]);
      });
    };
    std::array<Result, count> sent;
    for (size_t i = 0; i < count; ++i) sent[i] = send(i);
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) {
      peer.wait_until([&] { return std::atomic_ref(words[i]).load(std::memory_order_acquire) == round; });
      wrong += std::memcmp(bytes_of(segment) + place(i), expected.data() + i, lengths[i]) != 0;
    }
    for (size_t i = 0; i < count; ++i) {
      if (sent[i] == Result::posted) peer.wait_until([&] { return puts[i].remote.load() == 1; });
      EXPECT_EQ(puts[i].local.load(), puts[i].remote.load());
    }
    peer.barrier();
    for (size_t i = 0; i < count; ++i) {
      back[i].assign(lengths[i], 0);
      sent[i] =
          peer.insist([&] { return peer.conduit().get(back[i].data(), peer.next(), place(i), lengths[i], &gets[i]); });
    }
    for (size_t i = 0; i < count; ++i) {
      if (sent[i] == Result::posted) peer.wait_until([&] { return gets[i].remote.load() == 1; });
      EXPECT_EQ(gets[i].local.load(), gets[i].remote.load());
      wrong += std::memcmp(back[i].data(), data.data() + i, lengths[i]) != 0;
    }
    EXPECT_EQ(wrong, 0u) << "round " << round;
    peer.barrier();
  }
}

// The second of each pair is small, and would pass the first on a network that lets short messages pass long ones.
CONDUIT_TEST(StrictOrder, OperationsOnAPeerTakeEffectAsIssued) {
  const char* const order = std::getenv("WEFT_ORDER");
  NEEDS(order != nullptr && std::string(order) == "strict");
  NEEDS(peer.conduit().capabilities().put_get && peer.conduit().capabilities().atomics);
  constexpr size_t length = 200'000;
  constexpr uint64_t place = base_offset;
  Conduit& conduit = peer.conduit();
  const std::vector<std::byte> ones(length, std::byte{1});
  std::vector<std::byte> back(length);
  const uint64_t two = 2;
  uint64_t word = 0;
  Completion completion;
  uint64_t posted = 0;
  const auto issue = [&](auto attempt) { posted += peer.insist(attempt) == Result::posted; };
  const auto put_ones = [&] { return conduit.put(peer.next(), place, ones.data(), length, {}, &completion); };
  const auto put_two = [&] { return conduit.put(peer.next(), place, &two, 8, {}, &completion); };
  const auto zero = [&] { return conduit.fill(peer.next(), place, 0, length, &completion); };
  const auto add_two = [&] {
    const AtomicRequest request{.type = AtomicType::u64, .op = AtomicOp::add, .operand = two};
    return conduit.atomic(peer.next(), place, request, &completion);
  };
  const auto get_all = [&] { return conduit.get(back.data(), peer.next(), place, length, &completion); };
  const auto get_word = [&] { return conduit.get(&word, peer.next(), place, 8, &completion); };
  const auto settle = [&] { peer.wait_until([&] { return completion.remote.load() == posted; }); };
  constexpr uint64_t all_ones = 0x0101010101010101;
  for (int round = 0; round < 5; ++round) {
    issue(put_ones);
    issue(put_two);
    issue(get_word);
    settle();
    EXPECT_EQ(word, two);
    issue(put_ones);
    issue(add_two);
    issue(get_word);
    settle();
    EXPECT_EQ(word, all_ones + two);
    issue(put_ones);
    issue(zero);
    issue(add_two);
    issue(put_two);
    issue(get_word);
    issue(put_ones);
    settle();
    EXPECT_EQ(word, two);
    issue(get_all);
    issue(put_two);
    settle();
    EXPECT_EQ(back, ones);
  }
  peer.barrier();
}

// Simulated ranks share a thread, and each has values of its own all the same.
CONDUIT_TEST(Transfer, MayUseThreadLocalMemory) {
  NEEDS(peer.conduit().capabilities().put_get);
  thread_local std::array<uint64_t, 64> source, destination;
  const auto value = [](RankId rank, size_t i) { return uint64_t{rank} * 1000 + i; };
  for (size_t i = 0; i < source.size(); ++i) source[i] = value(peer.rank(), i);
  peer.barrier();
  Completion put;
  peer.complete(put,
                [&] { return peer.conduit().put(peer.next(), base_offset, source.data(), sizeof source, {}, &put); });
  peer.barrier();
  Completion get;
  peer.complete(
      get, [&] { return peer.conduit().get(destination.data(), peer.next(), base_offset, sizeof destination, &get); });
  for (size_t i = 0; i < source.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<const uint64_t*>(peer.conduit().segment() + base_offset)[i], value(peer.previous(), i));
    EXPECT_EQ(destination[i], value(peer.rank(), i));
  }
  peer.barrier();
}

}  // namespace
