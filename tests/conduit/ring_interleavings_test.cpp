// Every interleaving of a sender and a receiver on small rings, under the memory model's rules for acquire and release.
//
// ring.hpp is a template over its atomics. Here they are ModelAtomic: every store is kept, and a load may return any
// store that the memory model allows the thread to see, not only the latest. Each call of the writer's or reader's
// interface performs at most one atomic access, at its start or end, so calls are the steps to interleave. Plain words
// and payload bytes are not modelled as values that arrive late; instead vector clocks check that every plain access
// happens after the conflicting access of the other side, which is what makes late arrival impossible.
//
// The explorer re-executes the whole run for every sequence of choices (whose turn, which store a load sees), depth
// first. A load that returns what the thread saw before changes nothing, so only loads of something newer are steps.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "conduit/smp/ring.hpp"
#include "support/choices.hpp"

namespace {

using namespace weft::conduit::smp;
using weft_test::Choices;

using Clock = std::array<uint64_t, 2>;
enum Side : size_t { sender = 0, receiver = 1 };

void join(Clock& into, const Clock& from) {
  for (size_t i = 0; i < 2; ++i) into[i] = std::max(into[i], from[i]);
}

/// What the two sides know and have done in one execution.
struct Model {
  struct Store {
    uint64_t value;
    Clock clock;  // what whoever acquires it learns
  };
  struct Location {
    std::vector<Store> stores{{0, {0, 0}}};
    std::array<size_t, 2> seen{0, 0};
  };
  struct Plain {
    Clock read{0, 0}, written{0, 0};  // each side's last access, by its own clock
  };

  std::map<const void*, Location> locations;
  std::map<std::pair<int, uint64_t>, Plain> plain;  // kind and index
  std::array<Clock, 2> clocks{Clock{1, 0}, Clock{0, 1}};
  Side turn = sender;
  size_t wanted = 0;    // how much newer than the last one seen the next load shall be
  bool loaded = false;  // a load took place
  bool race = false;
  bool weak = false;  // treat releases as relaxed, to see that the checks notice

  void write_plain(int kind, uint64_t index) { touch(plain[{kind, index}], true); }
  void read_plain(int kind, uint64_t index) { touch(plain[{kind, index}], false); }
  void touch(Plain& place, bool writes) {
    const size_t other = 1 - turn;
    const Clock& now = clocks[turn];
    if (place.written[other] > now[other]) race = true;
    if (writes && place.read[other] > now[other]) race = true;
    (writes ? place.written : place.read)[turn] = now[turn];
  }
};
Model* model = nullptr;

template <class T>
struct ModelAtomic {
  T unused;  // the location's address is its name

  T load(std::memory_order order) const {
    Model::Location& place = model->locations[this];
    model->loaded = true;
    size_t& seen = place.seen[model->turn];
    seen = std::min(seen + model->wanted, place.stores.size() - 1);
    if (order == std::memory_order_acquire) join(model->clocks[model->turn], place.stores[seen].clock);
    return place.stores[seen].value;
  }
  void store(T value, std::memory_order order) {
    Model::Location& place = model->locations[this];
    Clock& mine = model->clocks[model->turn];
    const bool releases = order == std::memory_order_release && !model->weak;
    place.stores.push_back({value, releases ? mine : Clock{0, 0}});
    place.seen[model->turn] = place.stores.size() - 1;
    ++mine[model->turn];
  }
  T last_seen(Side side) const {
    const Model::Location& place = model->locations[this];
    return place.stores[place.seen[side]].value;
  }
  // How many newer values than the last one a side has seen there are.
  size_t newer(Side side) const {
    const Model::Location& place = model->locations[this];
    return place.stores.size() - 1 - place.seen[side];
  }
};

struct Message {
  uint32_t words;
  size_t payload;
};

constexpr int slot_kind = 0, payload_kind = 1;
constexpr size_t payload_unit = 64;

/// One execution of a script on a ring.
class Run {
 public:
  Run(const std::vector<Message>& script, uint32_t slots, uint32_t payload_bytes, Choices& choices, bool weak)
      : script_(script),
        slots_(slots),
        choices_(choices),
        memory_(static_cast<RingOfModel*>(std::aligned_alloc(64, RingOfModel::bytes(slots) + payload_bytes))) {
    std::memset(static_cast<void*>(memory_.get()), 0, RingOfModel::bytes(slots) + payload_bytes);
    model = &model_;
    model_.weak = weak;
    std::byte* payload = reinterpret_cast<std::byte*>(memory_.get()) + RingOfModel::bytes(slots);
    writer_ = std::make_unique<BasicRingWriter<ModelAtomic>>(memory_.get(), slots, payload, payload_bytes);
    reader_ = std::make_unique<Reader>(memory_.get(), slots, payload);
  }

  /// How often the line of a later message was fetched.
  uint64_t fetches() const { return fetches_; }

  /// Empty, or what went wrong.
  std::string execute() {
    while (received_ < script_.size() || unpublished_) {
      std::vector<std::pair<Step, size_t>> steps;  // for a load, how much newer
      if (sent_ < script_.size()) {
        if (!blocked_) steps.emplace_back(&Run::send, 0);
        for (size_t n = 1; blocked_ && n <= memory_->consumed.newer(sender); ++n) steps.emplace_back(&Run::send, n);
      }
      if (received_ < script_.size()) {
        if (head_was_seen()) steps.emplace_back(&Run::receive, 0);
        for (size_t n = 1; n <= head_slot().header.newer(receiver); ++n) steps.emplace_back(&Run::receive, n);
      }
      if (unpublished_) steps.emplace_back(&Run::publish, 0);
      if (steps.empty()) return "neither side can go on";
      const auto [step, newer] = steps[choices_.choose(steps.size())];
      model_.turn = step == &Run::send ? sender : receiver;
      model_.wanted = newer;
      (this->*step)();
      if (model_.race) return "a plain access was not ordered after the other side's";
      if (!problem_.empty()) return problem_;
    }
    return "";
  }

 private:
  using Step = void (Run::*)();
  using RingOfModel = BasicRingMemory<ModelAtomic>;
  using Reader = BasicRingReader<ModelAtomic, 1, 1>;  // looks ahead as far as small rings are
  struct Free {
    void operator()(RingOfModel* memory) const { std::free(static_cast<void*>(memory)); }
  };

  const BasicSlot<ModelAtomic>& head_slot() const { return memory_->slots()[slot_of(next_read_, slots_ - 1)]; }
  // When it looked ahead.
  bool head_was_seen() const {
    const auto sequence = static_cast<uint32_t>(head_slot().header.last_seen(receiver));
    return sequence == static_cast<uint32_t>(next_read_ + 1);
  }
  static uint64_t word(size_t message, uint32_t i) { return message * 100 + i + 1; }

  void send() {
    const Message& message = script_[sent_];
    blocked_ = !writer_->has_room(message.words, message.payload);
    // Room was found late in this call only through a load, which is this step's; the push is the next step.
    if (blocked_ || model_.loaded) {
      model_.loaded = false;
      return;
    }
    uint32_t position = 0;
    if (message.payload > 0) {
      std::byte* room = writer_->reserve_payload(message.payload, position);
      std::memset(room, static_cast<int>(sent_ + 1), message.payload);
      for (size_t at = 0; at < message.payload; at += payload_unit)
        model_.write_plain(payload_kind, (position + at) / payload_unit);
      writer_->claim_payload(message.payload);
    }
    std::vector<uint64_t> words;
    words.push_back(position);
    for (uint32_t i = 1; i < message.words; ++i) words.push_back(word(sent_, i));
    for (uint32_t i = 0; i < (message.words > slot_words ? 2u : 1u); ++i)
      model_.write_plain(slot_kind, slot_of(next_write_++, slots_ - 1));
    writer_->push(static_cast<uint32_t>(sent_), words.data(), message.words);
    ++sent_;
  }

  void receive() {
    uint32_t description = 0;
    if (!reader_->peek(description)) return;
    if (description != received_) {
      problem_ = "message " + std::to_string(received_) + " arrived as " + std::to_string(description);
      return;
    }
    const Message& message = script_[received_];
    uint64_t storage[2 * slot_words];
    const uint32_t used = message.words > slot_words ? 2 : 1;
    for (uint32_t i = 0; i < used; ++i) model_.read_plain(slot_kind, slot_of(next_read_ + i, slots_ - 1));
    const uint64_t* words = reader_->words(message.words, storage);
    for (uint32_t i = 1; i < message.words; ++i)
      if (words[i] != word(received_, i)) problem_ = "a word was overwritten";
    const std::byte* payload = reader_->payload(static_cast<uint32_t>(words[0]));
    for (size_t at = 0; at < message.payload; ++at) {
      if (at % payload_unit == 0) model_.read_plain(payload_kind, (words[0] + at) / payload_unit);
      if (payload[at] != static_cast<std::byte>(received_ + 1)) problem_ = "a payload was overwritten";
    }
    fetch_ahead();
    reader_->pop(message.words);
    next_read_ += used;
    ++received_;
    unpublished_ = true;
  }

  // Sees the latest that the sender has written: no look can promise more.
  void fetch_ahead() {
    model_.wanted = SIZE_MAX / 2;
    reader_->fetch_ahead();
    if (reader_->known_written() > next_write_) problem_ = "a line that is not written would be fetched";
    fetches_ += reader_->known_written() > next_read_ + 1;
  }

  void publish() {
    reader_->publish();
    unpublished_ = false;
  }

  const std::vector<Message>& script_;
  uint32_t slots_;
  Choices& choices_;
  Model model_;
  std::unique_ptr<RingOfModel, Free> memory_;
  std::unique_ptr<BasicRingWriter<ModelAtomic>> writer_;
  std::unique_ptr<Reader> reader_;
  size_t sent_ = 0, received_ = 0;
  uint64_t fetches_ = 0;
  uint64_t next_write_ = 0, next_read_ = 0;
  bool blocked_ = false, unpublished_ = false;
  std::string problem_;
};

struct Outcome {
  uint64_t runs = 0;
  uint64_t fetches = 0;
  std::string problem;
};

Outcome explore(const std::vector<Message>& script, uint32_t slots, uint32_t payload_bytes, bool weak = false) {
  Outcome outcome;
  Choices choices;
  do {
    Run run(script, slots, payload_bytes, choices, weak);
    outcome.problem = run.execute();
    outcome.fetches += run.fetches();
    ++outcome.runs;
  } while (outcome.problem.empty() && choices.next());
  return outcome;
}

// All scripts of a length over some messages.
uint64_t explore_all(size_t length, const std::vector<Message>& alphabet, uint32_t slots, uint32_t payload_bytes) {
  uint64_t runs = 0;
  size_t scripts = 1;
  for (size_t i = 0; i < length; ++i) scripts *= alphabet.size();
  for (size_t number = 0; number < scripts; ++number) {
    std::vector<Message> script;
    std::string text;
    for (size_t i = 0, rest = number; i < length; ++i, rest /= alphabet.size()) {
      script.push_back(alphabet[rest % alphabet.size()]);
      text += " (" + std::to_string(script.back().words) + "," + std::to_string(script.back().payload) + ")";
    }
    const Outcome outcome = explore(script, slots, payload_bytes);
    runs += outcome.runs;
    EXPECT_EQ(outcome.problem, "") << "messages (words, payload):" << text << "; " << slots << " slots";
    if (!outcome.problem.empty()) return runs;
  }
  return runs;
}

TEST(RingInterleavings, ShortMessagesOnTwoSlots) {
  const uint64_t runs = explore_all(5, {{1, 0}}, 2, 256);
  EXPECT_GT(runs, 1000u) << "the explorer looked at too little";
  std::printf("%llu executions\n", static_cast<unsigned long long>(runs));
}

TEST(RingInterleavings, NarrowAndWideMessagesOnTwoSlots) {
  EXPECT_GT(explore_all(5, {{1, 0}, {10, 0}}, 2, 256), 1000u);
}

TEST(RingInterleavings, NarrowAndWideMessagesOnFourSlots) {
  EXPECT_GT(explore_all(4, {{7, 0}, {8, 0}}, 4, 256), 1000u);
}

// Four units of payload: 100 bytes take two, and the end of the ring is skipped when they do not fit there. No payload
// is larger than half the ring: a larger one might fit nowhere.
TEST(RingInterleavings, PayloadsThatWrapAround) {
  EXPECT_GT(explore_all(4, {{1, 0}, {1, 64}, {2, 100}, {8, 128}}, 4, 256), 1000u);
}

TEST(RingInterleavings, PayloadsOnTwoSlots) { EXPECT_GT(explore_all(4, {{1, 100}, {10, 1}, {1, 0}}, 2, 256), 1000u); }

TEST(RingInterleavings, LinesOfWaitingMessagesAreFetchedAhead) {
  const Outcome outcome = explore({{1, 0}, {1, 0}, {1, 0}, {1, 0}}, 4, 256);
  EXPECT_EQ(outcome.problem, "");
  EXPECT_GT(outcome.fetches, 0u);
}

// The checks themselves: with releases taken for relaxed stores, the explorer must object.
TEST(RingInterleavings, AMissingReleaseIsNoticed) {
  EXPECT_EQ(explore({{1, 0}}, 2, 256, true).problem, "a plain access was not ordered after the other side's");
}

// Sequence numbers have 32 bits and come round; so do the indices of the slots.
TEST(Ring, ManyMessagesGoThroughASmallRing) {
  constexpr uint32_t slots = 8, payload_bytes = 1024;
  std::vector<std::byte> raw(RingMemory::bytes(slots) + payload_bytes + 64);
  auto* memory = reinterpret_cast<RingMemory*>((reinterpret_cast<uintptr_t>(raw.data()) + 63) / 64 * 64);
  std::byte* payloads = reinterpret_cast<std::byte*>(memory) + RingMemory::bytes(slots);
  RingWriter writer(memory, slots, payloads, payload_bytes);
  RingReader reader(memory, slots, payloads);
  uint64_t sent = 0, received = 0;
  while (received < 200000) {
    const auto words = static_cast<uint32_t>(1 + sent % 10);
    const size_t payload = (sent * 37) % 257;
    if (writer.has_room(words, payload) && sent - received < 1 + sent % 7) {
      uint32_t position = 0;
      std::byte* room = writer.reserve_payload(payload, position);
      if (sent % 11 == 10) writer.reserve_payload(payload, position);  // forgotten and made again
      std::memset(payload > 0 ? room : raw.data(), payload > 0 ? static_cast<int>(sent & 0xff) : 0, payload);
      writer.claim_payload(payload);
      uint64_t values[10] = {position};
      for (uint32_t i = 1; i < words; ++i) values[i] = sent + i;
      writer.push(static_cast<uint32_t>(sent & 0xffff), values, words);
      ++sent;
      continue;
    }
    uint32_t description = 0;
    ASSERT_TRUE(reader.peek(description)) << "full and empty at once";
    ASSERT_TRUE(reader.ready());
    ASSERT_EQ(description, received & 0xffff);
    uint64_t storage[14];
    const auto count = static_cast<uint32_t>(1 + received % 10);
    const uint64_t* values = reader.words(count, storage);
    for (uint32_t i = 1; i < count; ++i) ASSERT_EQ(values[i], received + i);
    const std::byte* bytes = reader.payload(static_cast<uint32_t>(values[0]));
    for (size_t i = 0; i < (received * 37) % 257; ++i) ASSERT_EQ(bytes[i], static_cast<std::byte>(received & 0xff));
    reader.pop(count);
    ++received;
    if (received % 3 == 0 || received == sent) reader.publish();
  }
}

}  // namespace
