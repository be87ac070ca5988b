// A collective under way on this rank: what an algorithm finds in its first parameter.
//
// An algorithm moves data in three ways:
//   send(peer, slot, data, size)   a message into a slot of the peer's region: eager, for what fits there
//   tell(peer, line, a, b)         two words, with a line
//   draft(peer, offset, size)      memory to write a message into, which dispatch() sends
//   put(peer, offset, ..., line)   data to an offset that the peer told of, then the line
// and waits with arrived(line). answer() is a put that sets the line's second stamp, for answered(line): so one line
// for each member serves what it tells and what it answers. Lines and slots are numbered alike by all members; slot i
// announces itself by line i. Every stamp that is sent must be waited for by its receiver before its call ends: a late
// one would hit the region's next user. Data that was sent must stay as it is until the call ends, or until sent().
// What a program gives or wants is copied by os::copy_data(): it may have no data (docs/SIMULATION.md).
#pragma once

#include "coll/algorithm.hpp"
#include "coll/request.hpp"
#include "coll/stages.hpp"
#include "coll/team.hpp"
#include "conduit/native_collectives.hpp"
#include "os/dataless.hpp"

namespace weft::coll {

class Engine;

class Call {
 public:
  Call(Engine& engine, Team& team);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  /// A stage of `whole` among a group of its members, in a part of its region. The group is this call's team; what it
  /// uses up is given back when `whole` ends.
  Call(Call& whole, const Groups::Group& group, const Request& request, const Plan& plan, const Layout& layout);

  Scheduler& scheduler() { return scheduler_; }
  const Request& request() const { return *asked_; }
  const Plan& plan() const { return plan_; }
  uint32_t me() const { return members_.me(); }
  uint32_t size() const { return members_.size(); }
  Members& members() { return members_; }
  Team& team() { return team_; }
  Shape shape() const;
  /// The algorithm's space() has slots for this call.
  bool has_slots() const { return slot_bytes_ != 0; }
  /// OUT_NOSYNC on mapped memory: others may read and write this member's buffers after its call. Not its bounce
  /// buffers: those must be waited for.
  bool unsynchronized() const { return request().out_none && members_.all_direct(); }

  // ---- Awaitable ----

  class Put;
  class Arrival;
  class Sent;
  class Native;
  Put send(uint32_t peer, uint32_t slot, const void* data, size_t size);
  Put tell(uint32_t peer, uint32_t line, uint64_t a, uint64_t b = 0);
  Put put(uint32_t peer, uint64_t offset, const void* data, size_t size, uint32_t line);
  Put signal(uint32_t peer, uint32_t line);
  Put answer(uint32_t peer, uint64_t offset, const void* data, size_t size, uint32_t line);
  /// Where a message of this size for that offset of the peer's is written: there, if the peer's memory is mapped, else
  /// in memory that is kept. dispatch() sends it.
  std::byte* draft(uint32_t peer, uint64_t offset, size_t size);
  Put dispatch(uint32_t peer, uint64_t offset, const std::byte* draft, size_t size, uint32_t line);
  /// The two words that came with the line, if it was tell()'s.
  Arrival arrived(uint32_t line);
  Arrival answered(uint32_t line);
  /// All sources may be reused.
  Sent sent();
  /// One of the conduit's own collectives has been begun in its turn, and is complete. For algorithms that are native.
  Native native(const conduit::NativeRequest& request);

  // ---- Not awaitable: for Algorithm::at_once ----

  void post(uint32_t peer, uint32_t slot, const void* data, size_t size) {
    (void)attempt(peer, slot_offset(peer, slot), data, size, line_at(slot));
  }
  void post_at(uint32_t peer, uint64_t offset, const void* data, size_t size, uint32_t line) {
    (void)attempt(peer, offset, data, size, line_at(line));
  }
  void post_tell(uint32_t peer, uint32_t line, uint64_t a, uint64_t b = 0) {
    const uint64_t words[] = {a, b};
    (void)attempt(peer, payload_offset(peer, line), words, sizeof words, line_at(line));
  }
  /// What draft() gave memory for.
  void post_drafted(uint32_t peer, uint32_t line) { (void)attempt(peer, 0, nullptr, 0, line_at(line)); }
  /// As arrived().
  const uint64_t* wait(uint32_t line) {
    const uint64_t stamp_at = line_at(line);
    if (!seen(stamp_at) && !(spin_ && look(stamp_at))) wait_long(stamp_at);
    note(stamp_at);
    return words(line);
  }

  bool here(uint32_t line) const { return seen(line_at(line)); }

  // ---- Memory ----

  /// What came with a line that has arrived; this rank's own slot, to read or to prepare.
  std::byte* slot(uint32_t index) const;
  /// The peer's slot, which must be direct.
  const std::byte* slot_of(uint32_t peer, uint32_t index) const;
  /// The payload of the peer's line, which must be direct: to write before the line is sent, with 48 bytes at most.
  std::byte* payload_of(uint32_t peer, uint32_t line) const {
    return members_.direct(peer) + payload_offset(peer, line);
  }
  /// Of a line that has arrived.
  const std::byte* payload(uint32_t line) const { return reinterpret_cast<const std::byte*>(words(line)); }
  /// The slot's offset in the peer's segment, for put().
  uint64_t slot_offset(uint32_t peer, uint32_t index) const { return banks(peer) + slot_at(index); }

  /// Memory that others may write to or read from on behalf of `user`: itself if it lies in the segment, else a
  /// bounce buffer.
  struct Window {
    std::byte* at = nullptr;
    uint64_t offset = 0;
    bool bounced = false;
    size_t size = 0;
  };
  Window window(const void* user, size_t size);
  /// Memory in the segment for the length of the call.
  Window temporary(size_t size);

  /// Operations with sizes: one member sends so many bytes to the other, which expects another number. Ends the job.
  [[noreturn]] void refuse_sizes(uint32_t from, size_t sends, uint32_t to, size_t expects);

 private:
  friend class Engine;
  friend class Comparison;
  struct alignas(16) Kept {
    Kept* next;
    size_t used;  // of the memory that follows
  };
  enum class State : uint8_t { idle, waiting, running, complete };

  std::byte* keep(size_t size);
  const uint64_t* keep(uint64_t a, uint64_t b);
  uint64_t payload_offset(uint32_t peer, uint32_t line) const { return banks(peer) + line_at(line) + line_payload_at; }
  const uint64_t* words(uint32_t line) const { return words_beside(line_at(line)); }
  // Of the line of that stamp.
  const uint64_t* words_beside(uint64_t stamp_at) const {
    return reinterpret_cast<const uint64_t*>(own_ + (stamp_at & -line_bytes) + line_payload_at);
  }
  uint64_t banks(uint32_t peer) const { return team_.scratch.banks(numbers_ == nullptr ? peer : (*numbers_)[peer]); }
  // Where a line is in the banks, which is where its first stamp is.
  uint64_t line_at(uint32_t line) const { return region_.lines + line * line_bytes; }
  uint64_t slot_at(uint32_t index) const {
    return slot_bytes_ <= line_payload ? line_at(index) + line_payload_at : region_.bulk + index * slot_bytes_;
  }
  bool seen(uint64_t stamp_at) const { return Members::load(own_ + stamp_at) == region_.stamp; }
  // This stamp has been waited for.
  void note(uint64_t stamp_at) const {
    if (__builtin_expect(checked_ != nullptr, 0)) checked_->awaited(stamp_at);
  }
  bool look(uint64_t stamp_at) const;
  void wait_long(uint64_t stamp_at);
  bool attempt(uint32_t peer, uint64_t offset, const void* data, size_t size, uint64_t stamp_at) {
    return members_.put_signal(peer, offset, data, size, banks(peer) + stamp_at, region_.stamp, whole_.puts_);
  }

  Engine& engine_;
  Team& team_;
  Members& members_;
  Scheduler& scheduler_;
  Call& whole_;                              // of a stage; else this
  const core::RankList* numbers_ = nullptr;  // of a stage: its members in the team
  Request request_;
  const Request* asked_ = &request_;  // the program's own while it waits for a call that is made at once
  Plan plan_;
  Needs needs_;
  Region region_;
  uint32_t first_barrier_line_ = 0;
  size_t slot_bytes_ = 0;                 // room of a slot
  LineCheck::Record* checked_ = nullptr;  // WEFT_CHECK
  std::byte* own_ = nullptr;              // this rank's banks
  bool alone_ = false;                    // the caller waits for it at once
  bool spin_ = false;                     // waits look for a while before they suspend
  // WEFT_TUNE=online, and what watches calls: this call comes before that one, which waits for it; when it is over,
  // on_over is called.
  Call* gates_ = nullptr;
  void (*on_over_)(Call&) = nullptr;
  uint32_t gated_ = 0;        // calls that this one waits for
  bool planned_ = false;      // plan and needs are set
  uint64_t native_turn_ = 0;  // of a native algorithm
  ExchangesUnderWay::Sends sends_;
  Trial* trial_ = nullptr;  // WEFT_TUNE=online: is told how long the call took, or what was agreed
  uint64_t started_ns_ = 0;
  const char* function_ = nullptr;  // traces: the one that began it without waiting for it, and when; else 0
  uint64_t began_ns_ = 0;
  Task task_;
  rma::Operation puts_;
  rma::Operation* user_ = nullptr;
  Kept* kept_ = nullptr;
  std::vector<Window> bounce_buffers_;
  VectorSizes sizes_;
  Call* next_ = nullptr;
  State state_ = State::waiting;
};

class Call::Put : public Waiter {
 public:
  Put(Call& call, uint32_t peer, uint64_t offset, const void* data, size_t size, uint64_t stamp_at)
      : call_(call), peer_(peer), stamp_at_(stamp_at), offset_(offset), data_(data), size_(size) {}
  bool await_ready() { return call_.attempt(peer_, offset_, data_, size_, stamp_at_); }
  void await_suspend(std::coroutine_handle<> awaiting) {
    handle = awaiting;
    ready = [](Waiter& waiter) { return static_cast<Put&>(waiter).await_ready(); };
    call_.scheduler_.add_independent(*this);
  }
  void await_resume() {}

 private:
  Call& call_;
  uint32_t peer_;
  uint64_t stamp_at_, offset_;
  const void* data_;
  size_t size_;
};

class Call::Arrival : public Waiter {
 public:
  Arrival(Call& call, uint64_t stamp_at) : call_(call), stamp_at_(stamp_at) {}
  bool await_ready() { return call_.seen(stamp_at_) || (call_.spin_ && call_.look(stamp_at_)); }
  void await_suspend(std::coroutine_handle<> awaiting) {
    handle = awaiting;
    call_.scheduler_.add(*this, reinterpret_cast<const uint64_t*>(call_.own_ + stamp_at_), call_.region_.stamp);
  }
  const uint64_t* await_resume() const {
    call_.note(stamp_at_);
    return call_.words_beside(stamp_at_);
  }

 private:
  Call& call_;
  uint64_t stamp_at_;
};

class Call::Sent : public Waiter {
 public:
  explicit Sent(Call& call) : call_(call) {}
  bool await_ready() const { return call_.whole_.puts_.local_done(); }
  void await_suspend(std::coroutine_handle<> awaiting) {
    handle = awaiting;
    ready = [](Waiter& waiter) { return static_cast<Sent&>(waiter).await_ready(); };
    call_.scheduler_.add_independent(*this);
  }
  void await_resume() {}

 private:
  Call& call_;
};

class Call::Native : public Waiter {
 public:
  Native(Call& call, const conduit::NativeRequest& request) : call_(call), request_(request) {}
  bool await_ready() { return (begun_ || begin()) && call_.puts_.remote_done(); }
  void await_suspend(std::coroutine_handle<> awaiting) {
    handle = awaiting;
    ready = [](Waiter& waiter) { return static_cast<Native&>(waiter).await_ready(); };
    call_.scheduler_.add_independent(*this);
  }
  void await_resume() {}

 private:
  bool begin();

  Call& call_;
  conduit::NativeRequest request_;
  bool begun_ = false;
};

inline Call::Put Call::send(uint32_t peer, uint32_t slot, const void* data, size_t size) {
  return Put(*this, peer, banks(peer) + slot_at(slot), data, size, line_at(slot));
}
inline Call::Put Call::put(uint32_t peer, uint64_t offset, const void* data, size_t size, uint32_t line) {
  return Put(*this, peer, offset, data, size, line_at(line));
}
inline Call::Put Call::signal(uint32_t peer, uint32_t line) { return Put(*this, peer, 0, nullptr, 0, line_at(line)); }
inline Call::Put Call::answer(uint32_t peer, uint64_t offset, const void* data, size_t size, uint32_t line) {
  return Put(*this, peer, offset, data, size, line_at(line) + line_second_stamp_at);
}
inline Call::Put Call::tell(uint32_t peer, uint32_t line, uint64_t a, uint64_t b) {
  return Put(*this, peer, payload_offset(peer, line), keep(a, b), 2 * sizeof a, line_at(line));
}
inline Call::Put Call::dispatch(uint32_t peer, uint64_t offset, const std::byte* draft, size_t size, uint32_t line) {
  return members_.direct(peer) != nullptr ? signal(peer, line) : put(peer, offset, draft, size, line);
}
inline Call::Arrival Call::arrived(uint32_t line) { return Arrival(*this, line_at(line)); }
inline Call::Arrival Call::answered(uint32_t line) { return Arrival(*this, line_at(line) + line_second_stamp_at); }
inline Call::Sent Call::sent() { return Sent(*this); }
inline Call::Native Call::native(const conduit::NativeRequest& request) { return Native(*this, request); }
inline std::byte* Call::slot(uint32_t index) const { return own_ + slot_at(index); }
inline const std::byte* Call::slot_of(uint32_t peer, uint32_t index) const {
  return members_.direct(peer) + banks(peer) + slot_at(index);
}

}  // namespace weft::coll
