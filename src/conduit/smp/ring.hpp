// A queue of active messages from one rank to another, in memory that both map.
//
// Problem. A short message must cost one cache line there: the receiver polls the very line that the sender writes, and
// neither touches another shared line as long as the queue is neither full nor idle. Payloads must be contiguous and
// need no lock, allocation or page-granular buffer.
//
// Choice. Single producer, single consumer. An array of one-line slots, and beside it a ring of payload bytes. A slot's
// first word carries the sequence number of the message, so the slot itself says whether it is new; no head index is
// shared. The only word that the receiver writes is `consumed`, on a line of its own, and the sender reads it only when
// its cached copy says that the queue is full. Payload space needs no second counter: the sender remembers, per slot,
// where the payload ring stood after that message, and so `consumed` frees payloads too.
//
// A message of more than slot_words words continues in the next slot. The sender writes the continuation first, then
// the first slot and at once its header, with release order: the receiver looks at that line all the time, and would
// take it back if the sender did something else in between. The receiver's acquire load of the header makes all of it
// visible.
//
// Sequence numbers are the low 32 bits of message index + 1. A slot keeps the number of an earlier lap until it is
// overwritten; laps differ by the slot count, so an old number is mistaken for a new one only after 2^32 messages went
// by without this slot being written, which cannot happen.
//
// The atomics are a template parameter so that tests/conduit/ring_interleavings_test.cpp can run every interleaving.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace weft::conduit::smp {

inline constexpr size_t cache_line = 64;
inline constexpr uint32_t slot_words = 7;

/// The slot of the message with this index. Successive messages lie pages apart: the receiver's core prefetches the
/// lines after the one it polls, and so would take from the sender those that it writes next.
constexpr uint64_t slot_of(uint64_t index, uint64_t slot_mask) { return index * 101 & slot_mask; }

template <template <class> class Atomic>
struct alignas(cache_line) BasicSlot {
  Atomic<uint64_t> header;  // low 32 bits: sequence; high 32 bits: the message's description, opaque here
  uint64_t words[slot_words];
};

/// The shared part: `consumed` and the slots, in this order in memory. Payload bytes lie elsewhere.
template <template <class> class Atomic>
struct alignas(cache_line) BasicRingMemory {
  Atomic<uint64_t> consumed;  // slots that the receiver is done with; written by it alone

  static size_t bytes(uint32_t slots) { return sizeof(BasicRingMemory) + slots * sizeof(BasicSlot<Atomic>); }
  BasicSlot<Atomic>* slots() { return reinterpret_cast<BasicSlot<Atomic>*>(this + 1); }
};

template <template <class> class Atomic>
class BasicRingWriter {
 public:
  using Memory = BasicRingMemory<Atomic>;
  static constexpr uint32_t payload_alignment = 64;

  /// slots and payload_bytes: powers of two. The memory is zero.
  BasicRingWriter(Memory* memory, uint32_t slots, std::byte* payload, uint32_t payload_bytes)
      : memory_(memory),
        slots_(memory->slots()),
        slot_(slots_),
        payload_(payload),
        slot_mask_(slots - 1),
        payload_size_(payload_bytes),
        payload_end_(slots, 0) {}

  /// Room for a message of `words` words and `payload` bytes? Reads shared memory only if it seems not.
  bool has_room(uint32_t words, size_t payload) {
    if (fits(words, payload)) return true;
    refresh();
    return fits(words, payload);
  }

  /// Quick looks, without shared memory. True: there is room for a message of any words without a payload; or with one
  /// of up to a quarter of the ring's payload bytes. False: has_room() knows better.
  bool has_slots() const { return next_ + 2 - consumed_ <= slot_mask_ + 1; }
  bool has_ample_room() const { return has_slots() && payload_head_ - payload_tail_ <= payload_size_ / 2; }

  /// Where the payload of the next message goes. Only after has_room(); at most one per push.
  std::byte* reserve_payload(size_t size, uint32_t& position) {
    payload_head_ = payload_start(size);
    position = static_cast<uint32_t>(payload_head_ & (payload_size_ - 1));
    return payload_ + position;
  }
  /// Counts the reserved payload as used; a reservation that is not claimed is forgotten.
  void claim_payload(size_t size) { payload_head_ += round_up(size); }

  /// Where to write the words of the next message: its slot if it has one slot, else `scratch`. Only after has_room().
  uint64_t* place(uint32_t count, uint64_t* scratch) { return count <= slot_words ? slot_->words : scratch; }

  /// Publishes a message whose words are at place() or anywhere else. Only after has_room().
  void push(uint32_t description, const uint64_t* words, uint32_t count) {
    if (__builtin_expect(count > slot_words, 0)) {
      push_wide(description, words, count);
      return;
    }
    if (words != slot_->words)
      for (uint32_t i = 0; i < count; ++i) slot_->words[i] = words[i];
    publish(description);
  }

 private:
  static uint64_t round_up(size_t size) { return (size + payload_alignment - 1) & ~uint64_t{payload_alignment - 1}; }

  uint64_t payload_start(size_t size) const {
    uint64_t position = payload_head_ & (payload_size_ - 1);
    return position + size > payload_size_ ? payload_head_ + (payload_size_ - position) : payload_head_;
  }

  bool fits(uint32_t words, size_t payload) const {
    uint32_t needed = words > slot_words ? 2 : 1;
    if (next_ + needed - consumed_ > slot_mask_ + 1) return false;
    if (payload == 0) return true;
    const uint64_t start = payload_start(payload);
    // In an empty ring the bytes skipped at its end are free too, so every payload up to the ring's size fits some
    // time.
    const uint64_t tail = payload_tail_ == payload_head_ ? start : payload_tail_;
    return start + round_up(payload) - tail <= payload_size_;
  }

  [[gnu::noinline]] void push_wide(uint32_t description, const uint64_t* words, uint32_t count) {
    BasicSlot<Atomic>& more = slots_[slot_of(next_ + 1, slot_mask_)];
    for (uint32_t i = slot_words; i < count; ++i) more.words[i - slot_words] = words[i];
    for (uint32_t i = 0; i < slot_words; ++i) slot_->words[i] = words[i];
    publish(description);
    advance();
  }

  void publish(uint32_t description) {
    // release: words, continuation and payload are visible to whoever sees this sequence number.
    slot_->header.store(uint64_t{description} << 32 | static_cast<uint32_t>(next_ + 1), std::memory_order_release);
    advance();
  }

  // The next slot is the sent message's.
  void advance() {
    payload_end_[next_ & slot_mask_] = payload_head_;
    ++next_;
    slot_ = &slots_[slot_of(next_, slot_mask_)];
  }

  [[gnu::noinline]] void refresh() {
    // acquire: the receiver has finished reading everything before this count.
    uint64_t consumed = memory_->consumed.load(std::memory_order_acquire);
    if (consumed == consumed_) return;
    consumed_ = consumed;
    payload_tail_ = payload_end_[(consumed - 1) & slot_mask_];
  }

  Memory* memory_;
  BasicSlot<Atomic>* slots_;
  BasicSlot<Atomic>* slot_;  // the next to write
  std::byte* payload_;
  uint64_t slot_mask_;
  uint64_t payload_size_;
  uint64_t next_ = 0;                  // index of the next slot to write
  uint64_t consumed_ = 0;              // the last value read of memory_->consumed
  uint64_t payload_head_ = 0;          // bytes ever allocated, skipped ends included
  uint64_t payload_tail_ = 0;          // bytes known to be free again
  std::vector<uint64_t> payload_end_;  // per slot: payload_head_ after its message
};

/// fetch_distance and look_interval, in slots: see fetch_ahead().
template <template <class> class Atomic, uint64_t fetch_distance = 8, uint64_t look_interval = 16>
class BasicRingReader {
 public:
  using Memory = BasicRingMemory<Atomic>;

  BasicRingReader(Memory* memory, uint32_t slots, std::byte* payload)
      : slots_(memory->slots()), slot_(slots_), also_(slots_), payload_(payload), slot_mask_(slots - 1) {}

  /// True if there is a message. Cheaper than peek(): for looking at many queues.
  bool ready() const {
    __builtin_prefetch(also_, 0, 3);
    return static_cast<uint32_t>(slot_->header.load(std::memory_order_relaxed)) == static_cast<uint32_t>(next_ + 1);
  }

  /// The description of the next message, if there is one.
  bool peek(uint32_t& description) const {
    // acquire: pairs with push().
    const uint64_t header = slot_->header.load(std::memory_order_acquire);
    if (static_cast<uint32_t>(header) != static_cast<uint32_t>(next_ + 1)) return false;
    description = static_cast<uint32_t>(header >> 32);
    return true;
  }

  /// The words of the message that peek() found. `storage` has room for `count` and is used when they are split.
  const uint64_t* words(uint32_t count, uint64_t* storage) const {
    return __builtin_expect(count <= slot_words, 1) ? slot_->words : join(count, storage);
  }

  std::byte* payload(uint32_t position) const { return payload_ + position; }

  /// Done with the message of `count` words; its room is given back by the next publish().
  void pop(uint32_t count) {
    const bool wide = count > slot_words;
    next_ += wide ? 2 : 1;
    slot_ = &slots_[slot_of(next_, slot_mask_)];
    also_ = wide ? &slots_[slot_of(next_ + 1, slot_mask_)] : slot_;
  }

  /// For floods, before each message: the line of a later one is fetched, so that several cross at once. Only if it is
  /// known to be written: a line that the sender is about to write would be taken from it, and both would wait for each
  /// other line by line. To know that, one line further ahead is looked at now and then.
  void fetch_ahead() {
    if (next_ >= look_at_) {
      look_at_ = next_ + look_interval;
      const uint64_t far = next_ + fetch_distance + look_interval;
      const uint64_t header = slots_[slot_of(far, slot_mask_)].header.load(std::memory_order_relaxed);
      if (static_cast<uint32_t>(header) == static_cast<uint32_t>(far + 1)) written_ = far + 1;
    }
    if (next_ + fetch_distance < written_)
      __builtin_prefetch(&slots_[slot_of(next_ + fetch_distance, slot_mask_)], 0, 3);
  }

  /// How many slots fetch_ahead() takes for written; for tests.
  uint64_t known_written() const { return written_; }

  /// Tells the sender what has been consumed.
  void publish() {
    // release: reading slots and payloads happened before they may be overwritten.
    (reinterpret_cast<Memory*>(slots_) - 1)->consumed.store(next_, std::memory_order_release);
  }

 private:
  // The words of a message in two slots.
  [[gnu::noinline]] const uint64_t* join(uint32_t count, uint64_t* storage) const {
    const BasicSlot<Atomic>& more = slots_[slot_of(next_ + 1, slot_mask_)];
    std::memcpy(storage, slot_->words, sizeof slot_->words);
    for (uint32_t i = slot_words; i < count; ++i) storage[i] = more.words[i - slot_words];
    return storage;
  }

  BasicSlot<Atomic>* slots_;
  BasicSlot<Atomic>* slot_;        // of the next message
  const BasicSlot<Atomic>* also_;  // its second one, if it is like the last message: both lines then cross at once
  std::byte* payload_;
  uint64_t slot_mask_;
  uint64_t next_ = 0;
  uint64_t look_at_ = 0;  // when next_ is there, fetch_ahead() looks again
  uint64_t written_ = 0;  // so many slots are known to have been written, those of earlier laps included
};

using RingMemory = BasicRingMemory<std::atomic>;
using RingWriter = BasicRingWriter<std::atomic>;
using RingReader = BasicRingReader<std::atomic>;

}  // namespace weft::conduit::smp
