// Active messages: weft/am.h.
#include "weft/am.h"

#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "support/ranks.hpp"
#include "weft/barrier.h"
#include "weft/detail/context.h"
#include "weft/job.h"
#include "weft/rma.h"
#include "weft/segment.h"

namespace {

using weft_test::next_rank;
using weft_test::previous_rank;
using weft_test::SharedBlock;

// What handlers note about the rank they run on. With ranks as threads all ranks share this program's memory.
struct Notes {
  std::atomic<uint64_t> arrived{0}, replies{0}, wrong{0}, last{0};
  uint64_t next_from[weft_test::most_ranks] = {};
  void clear() {
    arrived = replies = wrong = last = 0;
    std::memset(next_from, 0, sizeof next_from);
  }
};
Notes notes_of[weft_test::most_ranks];
Notes& notes() { return notes_of[weft_rank()]; }

void wait_for(const std::atomic<uint64_t>& count, uint64_t value) {
  while (count < value) weft_test::progress();
}

// Handlers have names that are unique within the job, and the job lives on from test to test when ranks are processes.
// So each test registers handlers named after it.
weft_am_id_t add(const std::string& name, weft_am_handler_t handler) {
  weft_am_id_t id = 0;
  const weft_am_entry_t entry = {name.c_str(), handler, &id, WEFT_AM_ANY};
  REQUIRE(weft_am_register(&entry, 1) == WEFT_OK);
  notes().clear();
  REQUIRE(weft_barrier() == WEFT_OK);
  return id;
}

void settle() {
  weft_barrier();
  while (weft_poll() != 0) {
  }
  weft_barrier();
}

// What hang reports and statistics say a rank waits in: not what a handler called last.
RANK_TEST(Handlers, LeaveTheNameOfTheInterruptedCall) {
  static std::atomic<int> handled[weft_test::most_ranks];
  static weft_am_id_t done[weft_test::most_ranks];  // equal, but each rank writes its own
  done[weft_rank()] = add("interrupted done", [](const weft_am_t*) {});
  const weft_am_id_t ask = add("interrupted ask", [](const weft_am_t* message) {
    weft_am_reply_short(message, done[weft_rank()], nullptr, 0);
    ++handled[weft_rank()];
  });
  handled[weft_rank()] = 0;
  weft_barrier();
  ASSERT_EQ(weft_am_request_short(next_rank(), ask, nullptr, 0, 0), WEFT_OK);
  while (handled[weft_rank()] == 0) weft_poll();
  EXPECT_STRNE(weft_detail_context()->call, "weft_am_reply_short");
  settle();
}

// ---- Short ----

void check_short(const weft_am_t* message) {
  Notes& mine = notes();
  uint64_t wrong = message->source != previous_rank() || message->payload != nullptr || message->size != 0;
  for (uint32_t i = 0; i < message->arg_count; ++i)
    wrong += message->args[i] != (uint64_t{message->arg_count} << 60 | uint64_t{i} << 32 | message->source);
  mine.wrong += wrong;
  mine.last += message->arg_count;
  ++mine.arrived;
}

RANK_TEST(ShortMessage, CarriesUpToEightArguments) {
  const weft_am_id_t id = add("short", check_short);
  uint64_t sent = 0, arguments = 0;
  for (int round = 0; round < 100; ++round) {
    for (uint32_t count = 0; count <= WEFT_AM_ARGS; ++count) {
      uint64_t args[WEFT_AM_ARGS];
      for (uint32_t i = 0; i < count; ++i) args[i] = uint64_t{count} << 60 | uint64_t{i} << 32 | weft_rank();
      ASSERT_EQ(weft_am_request_short(next_rank(), id, count == 0 ? nullptr : args, count, 0), WEFT_OK);
      ++sent, arguments += count;
    }
  }
  wait_for(notes().arrived, sent);
  EXPECT_EQ(notes().wrong, 0u);
  EXPECT_EQ(notes().last, arguments);
  settle();
}

void check_order(const weft_am_t* message) {
  Notes& mine = notes();
  if (message->args[0] != mine.next_from[message->source]++) ++mine.wrong;
  ++mine.arrived;
}

RANK_TEST(ShortMessage, RequestsOfAPairArriveInOrderFromAllSides) {
  const weft_am_id_t id = add("order", check_order);
  constexpr uint64_t rounds = 1000;
  for (uint64_t i = 0; i < rounds; ++i)
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer) weft_am_request_short(peer, id, &i, 1, 0);
  wait_for(notes().arrived, rounds * weft_size());
  EXPECT_EQ(notes().wrong, 0u);
  settle();
}

// Short, medium and long requests of one pair stay in order with each other.
void check_mixed_order(const weft_am_t* message) {
  Notes& mine = notes();
  if (message->args[0] != mine.next_from[message->source]++) ++mine.wrong;
  if (message->size != 0 &&
      static_cast<unsigned char*>(message->payload)[message->size - 1] != static_cast<unsigned char>(message->args[0]))
    ++mine.wrong;
  ++mine.arrived;
}

// The senders sleep when there is no room, and nothing but news of room wakes them: the receiver only waits for them.
RANK_TEST(ShortMessage, AFloodGoesOnWhenTheReceiverHasLooked) {
  const weft_am_id_t id = add("flood", check_order);
  constexpr uint64_t requests = 1000, looks_away_ns = 1'000'000;
  if (weft_rank() == 0) {
    const uint64_t start = weft_time_ns();
    while (weft_time_ns() < start + looks_away_ns) continue;
  }
  for (uint64_t i = 0; i < requests && weft_rank() != 0; ++i)
    ASSERT_EQ(weft_am_request_short(0, id, &i, 1, 0), WEFT_OK);
  weft_barrier();
  if (weft_rank() == 0) wait_for(notes().arrived, requests * (weft_size() - 1));
  EXPECT_EQ(notes().wrong, 0u);
  settle();
}

RANK_TEST(Messages, OfDifferentKindsStayInOrder) {
  SharedBlock block(100000);
  const weft_am_id_t id = add("mixed", check_mixed_order);
  auto random = weft_test::random_numbers(weft_rank());
  constexpr uint64_t rounds = 600;
  std::vector<unsigned char> data(90000);
  for (uint64_t i = 0; i < rounds; ++i) {
    const size_t medium = random() % (weft_am_max_medium() + 1);
    std::memset(data.data(), static_cast<int>(i), medium);
    switch (random() % 3) {
      case 0:
        weft_am_request_short(next_rank(), id, &i, 1, 0);
        break;
      case 1:
        weft_am_request_medium(next_rank(), id, data.data(), medium, &i, 1, 0);
        break;
      case 2:
        // One at a time: the next long message would overwrite the payload.
        weft_am_request_long(next_rank(), id, block.offset() + (i % 64) * 1024, data.data(), 0, &i, 1, 0);
        break;
    }
  }
  wait_for(notes().arrived, rounds);
  EXPECT_EQ(notes().wrong, 0u);
  settle();
}

// ---- Medium ----

void check_medium(const weft_am_t* message) {
  Notes& mine = notes();
  const auto* bytes = static_cast<const unsigned char*>(message->payload);
  uint64_t wrong = message->size != message->args[0] || reinterpret_cast<uintptr_t>(bytes) % 16 != 0;
  for (size_t i = 0; i < message->size; ++i) wrong += bytes[i] != static_cast<unsigned char>(i + message->args[1]);
  mine.wrong += wrong;
  ++mine.arrived;
}

RANK_TEST(MediumMessage, CarriesAPayloadOfAnySizeUpToTheMost) {
  const weft_am_id_t id = add("medium", check_medium);
  const size_t most = weft_am_max_medium();
  ASSERT_GE(most, 4096u);
  EXPECT_GE(weft_am_max_reply_long(), most);
  uint64_t sent = 0;
  for (size_t size : {size_t{0}, size_t{1}, size_t{15}, size_t{64}, size_t{65}, size_t{1000}, most - 1, most}) {
    for (uint64_t salt = 0; salt < 20; ++salt) {
      std::vector<unsigned char> data(size + 1);
      for (size_t i = 0; i < size; ++i) data[i] = static_cast<unsigned char>(i + salt);
      const uint64_t args[] = {size, salt};
      weft_am_request_medium(next_rank(), id, data.data(), size, args, 2, 0);
      std::memset(data.data(), 0, size);  // the payload may be reused on return
      ++sent;
    }
  }
  wait_for(notes().arrived, sent);
  EXPECT_EQ(notes().wrong, 0u);
  settle();
}

// ---- Long ----

void check_long(const weft_am_t* message) {
  Notes& mine = notes();
  const auto* bytes = static_cast<const unsigned char*>(message->payload);
  uint64_t wrong = message->size != message->args[0] || weft_offset(bytes) != message->args[1];
  for (size_t i = 0; i < message->size; ++i) wrong += bytes[i] != static_cast<unsigned char>(i * 5 + message->args[2]);
  mine.wrong += wrong;
  mine.last = message->args[2];
  ++mine.arrived;
}

RANK_TEST(LongMessage, DataOfAnySizeIsInPlaceBeforeTheHandlerRuns) {
  constexpr size_t largest = 500000;
  SharedBlock block(largest + 100);
  const weft_am_id_t id = add("long", check_long);
  uint64_t salt = 0;
  std::vector<unsigned char> data(largest);
  for (size_t size : {size_t{0}, size_t{1}, size_t{100}, weft_am_max_medium(), weft_am_max_medium() + 1, largest}) {
    ++salt;
    for (size_t i = 0; i < size; ++i) data[i] = static_cast<unsigned char>(i * 5 + salt);
    const uint64_t args[] = {size, block.offset() + 3, salt};
    ASSERT_EQ(weft_am_request_long(next_rank(), id, block.offset() + 3, data.data(), size, args, 3, 0), WEFT_OK);
    wait_for(notes().arrived, salt);
    weft_barrier();
  }
  EXPECT_EQ(notes().wrong, 0u);
  settle();
}

// ---- Replies ----

// The ids of the reply handlers of the test under way; the same on all ranks.
std::atomic<weft_am_id_t> reply_id{0};

void reply_short(const weft_am_t* message) {
  const uint64_t args[] = {message->args[0] + 1, message->args[0] * 2};
  weft_am_reply_short(message, reply_id, args, 2);
  ++notes().arrived;
}
void take_short_reply(const weft_am_t* message) {
  Notes& mine = notes();
  if (message->args[1] != (message->args[0] - 1) * 2 || message->arg_count != 2) ++mine.wrong;
  mine.last += message->args[0];
  ++mine.replies;
}

RANK_TEST(Reply, EveryRequestGetsItsShortReply) {
  reply_id = add("take_short_reply", take_short_reply);
  const weft_am_id_t id = add("reply_short", reply_short);
  constexpr uint64_t rounds = 3000;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    weft_am_request_short(static_cast<weft_rank_t>(i % weft_size()), id, &i, 1, 0);
    sum += i + 1;
  }
  wait_for(notes().replies, rounds);
  EXPECT_EQ(notes().wrong, 0u);
  EXPECT_EQ(notes().last, sum);
  settle();
}

// Answers with as large a medium payload as asked for, by copy or in place.
void reply_medium(const weft_am_t* message) {
  const size_t size = message->args[0];
  if (message->args[1] % 2 == 0) {
    std::vector<unsigned char> data(size + 1);
    for (size_t i = 0; i < size; ++i) data[i] = static_cast<unsigned char>(i + message->args[1]);
    weft_am_reply_medium(message, reply_id, data.data(), size, message->args, 2);
  } else {
    weft_am_buffer_t buffer;
    weft_am_prepare_reply_medium(message, weft_am_max_medium(), &buffer);
    auto* data = static_cast<unsigned char*>(buffer.data);
    for (size_t i = 0; i < size; ++i) data[i] = static_cast<unsigned char>(i + message->args[1]);
    weft_am_commit(&buffer, size, reply_id, message->args, 2);
  }
}
void take_medium_reply(const weft_am_t* message) {
  check_medium(message);
  ++notes().replies;
}

// Floods from all ranks to all ranks at once: replies must get through however many requests wait.
RANK_TEST(Reply, LargeRepliesGetThroughAFloodOfRequestsInBothDirections) {
  reply_id = add("take_medium_reply", take_medium_reply);
  const weft_am_id_t id = add("reply_medium", reply_medium);
  const size_t most = weft_am_max_medium();
  constexpr uint64_t rounds = 200;
  for (uint64_t i = 0; i < rounds; ++i) {
    const uint64_t args[] = {i % 3 == 0 ? most : i % most, i};
    weft_am_request_short(static_cast<weft_rank_t>((i + weft_rank()) % weft_size()), id, args, 2, 0);
  }
  wait_for(notes().replies, rounds);
  EXPECT_EQ(notes().wrong, 0u);
  settle();
}

std::atomic<size_t> reply_offset{0};

void reply_long(const weft_am_t* message) {
  std::vector<unsigned char> data(message->args[0] + 1);
  for (size_t i = 0; i < message->args[0]; ++i) data[i] = static_cast<unsigned char>(i * 5 + message->args[1]);
  const uint64_t args[] = {message->args[0], reply_offset, message->args[1]};
  weft_am_reply_long(message, reply_id, reply_offset, data.data(), message->args[0], args, 3);
}
void take_long_reply(const weft_am_t* message) {
  check_long(message);
  ++notes().replies;
}

RANK_TEST(Reply, LongRepliesPutTheirDataInPlace) {
  SharedBlock block(weft_am_max_medium() + 64);
  reply_offset = block.offset();
  reply_id = add("take_long_reply", take_long_reply);
  const weft_am_id_t id = add("reply_long", reply_long);
  uint64_t asked = 0;
  for (size_t size : {size_t{0}, size_t{8}, size_t{4000}, weft_am_max_medium()}) {
    const uint64_t args[] = {size, 31 + asked};
    weft_am_request_short(next_rank(), id, args, 2, 0);
    wait_for(notes().replies, ++asked);
  }
  EXPECT_EQ(notes().wrong, 0u);
  settle();
}

// ---- Immediate ----

RANK_TEST(Immediate, RequestsAreDeclinedWhenTheQueueIsFullAndNoneIsLost) {
  const weft_am_id_t id = add("immediate", check_order);
  uint64_t declined = 0;
  constexpr uint64_t rounds = 800;
  const std::vector<unsigned char> payload(weft_am_max_medium());
  for (uint64_t i = 0; i < rounds; ++i) {
    while ((i % 2 == 0 ? weft_am_request_short(next_rank(), id, &i, 1, WEFT_IMMEDIATE)
                       : weft_am_request_medium(next_rank(), id, payload.data(), i % 16 == 1 ? payload.size() : 100, &i,
                                                1, WEFT_IMMEDIATE)) == WEFT_RETRY) {
      ++declined;
      weft_test::progress();
    }
  }
  wait_for(notes().arrived, rounds);
  EXPECT_EQ(notes().wrong, 0u);
  EXPECT_TRUE(declined > 0 || weft_size() > 1) << "a rank's queue to itself was never full";
  settle();
}

// ---- Negotiated payload ----

RANK_TEST(Negotiated, MediumPayloadsAreFilledInPlace) {
  const weft_am_id_t id = add("prepared", check_medium);
  uint64_t sent = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    weft_am_buffer_t buffer;
    const size_t capacity = i % 7 == 0 ? weft_am_max_medium() : (i * 97) % 5000;
    while (weft_am_prepare_medium(next_rank(), capacity, i % 2 == 0 ? WEFT_IMMEDIATE : 0, &buffer) == WEFT_RETRY)
      weft_test::progress();
    ASSERT_GE(buffer.capacity, capacity);
    const size_t size = capacity / (1 + i % 3);
    auto* bytes = static_cast<unsigned char*>(buffer.data);
    for (size_t j = 0; j < size; ++j) bytes[j] = static_cast<unsigned char>(j + i);
    if (i % 5 == 4) {
      ASSERT_EQ(weft_am_cancel(&buffer), WEFT_OK);
      continue;
    }
    const uint64_t args[] = {size, i};
    ASSERT_EQ(weft_am_commit(&buffer, size, id, args, 2), WEFT_OK);
    ++sent;
  }
  wait_for(notes().arrived, sent);
  settle();
  EXPECT_EQ(notes().arrived, sent) << "cancelled messages arrived";
  EXPECT_EQ(notes().wrong, 0u);
}

RANK_TEST(Negotiated, LongPayloadsOfAnySizeAreFilledInPlace) {
  constexpr size_t largest = 300000;
  SharedBlock block(largest);
  const weft_am_id_t id = add("prepared_long", check_long);
  uint64_t sent = 0;
  for (size_t capacity : {size_t{0}, size_t{10}, weft_am_max_medium(), weft_am_max_medium() + 1, largest}) {
    for (size_t size : {capacity, capacity / 2}) {
      weft_am_buffer_t buffer;
      ASSERT_EQ(weft_am_prepare_long(next_rank(), block.offset(), capacity, 0, &buffer), WEFT_OK);
      auto* bytes = static_cast<unsigned char*>(buffer.data);
      const uint64_t args[] = {size, block.offset(), sent + 1};
      for (size_t j = 0; j < size; ++j) bytes[j] = static_cast<unsigned char>(j * 5 + sent + 1);
      ASSERT_EQ(weft_am_commit(&buffer, size, id, args, 3), WEFT_OK);
      wait_for(notes().arrived, ++sent);
      weft_barrier();
    }
    weft_am_buffer_t buffer;
    ASSERT_EQ(weft_am_prepare_long(next_rank(), block.offset(), capacity, 0, &buffer), WEFT_OK);
    ASSERT_EQ(weft_am_cancel(&buffer), WEFT_OK);
  }
  EXPECT_EQ(notes().wrong, 0u);
  settle();
  EXPECT_EQ(notes().arrived, sent);
}

// A reply that was prepared and cancelled has not been sent, so the request can still be answered.
void cancel_then_reply(const weft_am_t* message) {
  weft_am_buffer_t buffer;
  weft_am_prepare_reply_medium(message, 100, &buffer);
  weft_am_cancel(&buffer);
  reply_short(message);
}

RANK_TEST(Negotiated, ACancelledReplyLeavesTheRequestUnanswered) {
  reply_id = add("take_after_cancel", take_short_reply);
  const weft_am_id_t id = add("cancel_then_reply", cancel_then_reply);
  const uint64_t value = 20;
  weft_am_request_short(next_rank(), id, &value, 1, 0);
  wait_for(notes().replies, 1);
  EXPECT_EQ(notes().wrong, 0u);
  settle();
}

// ---- Registration ----

void ignore(const weft_am_t*) {}

RANK_TEST(Registration, NamesAndNumbersAreTakenOnce) {
  weft_am_id_t id = 0;
  const weft_am_entry_t good = {"registered once", ignore, &id, 200};
  ASSERT_EQ(weft_am_register(&good, 1), WEFT_OK);
  EXPECT_EQ(id, 200);
  const weft_am_entry_t same_name = {"registered once", ignore, &id, WEFT_AM_ANY};
  EXPECT_EQ(weft_am_register(&same_name, 1), WEFT_ERR_INVALID);
  const weft_am_entry_t same_index = {"another name", ignore, &id, 200};
  EXPECT_EQ(weft_am_register(&same_index, 1), WEFT_ERR_INVALID);
  const weft_am_entry_t outside = {"third name", ignore, &id, WEFT_AM_HANDLERS};
  EXPECT_EQ(weft_am_register(&outside, 1), WEFT_ERR_INVALID);
  const weft_am_entry_t nameless = {nullptr, ignore, &id, WEFT_AM_ANY};
  EXPECT_EQ(weft_am_register(&nameless, 1), WEFT_ERR_INVALID);
  EXPECT_EQ(weft_am_register(nullptr, 0), WEFT_OK);
}

// Nothing of a refused table is registered.
RANK_TEST(Registration, ARefusedTableRegistersNothing) {
  weft_am_id_t first = 0, second = 0;
  const weft_am_entry_t table[] = {{"half a table", ignore, &first, 220}, {"half a table", ignore, &second, 221}};
  EXPECT_EQ(weft_am_register(table, 2), WEFT_ERR_INVALID);
  EXPECT_EQ(weft_am_register(table, 1), WEFT_OK);
}

// ---- End ----

std::atomic<uint64_t> handled_at_the_end{0};
void count_at_the_end(const weft_am_t*) { ++handled_at_the_end; }

int send_and_leave(void*) {
  if (weft_init(nullptr, nullptr) != WEFT_OK) return 1;
  weft_am_id_t id = 0;
  const weft_am_entry_t entry = {"at the end", count_at_the_end, &id, WEFT_AM_ANY};
  weft_am_register(&entry, 1);
  for (int i = 0; i < 20; ++i)
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer) weft_am_request_short(peer, id, nullptr, 0, 0);
  return weft_finalize();
}

// More ranks than a conduit may look at in one poll.
TEST(End, MessagesSentBeforeFinalizeAreHandledOnAnyNumberOfRanks) {
  if (!weft_test::ranks_are_threads()) GTEST_SKIP() << "this process is part of a job";
  for (weft_rank_t ranks : {2u, 40u}) {
    handled_at_the_end = 0;
    ASSERT_EQ(weft_run_threads(ranks, send_and_leave, nullptr), 0);
    EXPECT_EQ(handled_at_the_end, uint64_t{20} * ranks * ranks);
  }
}

}  // namespace
