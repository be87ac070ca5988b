// What goes over the connections of a rank, and beside them as datagrams: operations begun here and answered there,
// operations of others that are carried out here, and active messages. docs/IP-PROTOCOL.md says what the frames mean.
//
// Everything is done under the conduit's lock. Nothing here sleeps; a system call is made to send what may go now, and
// in progress() to take in what has come.
#pragma once

#include <poll.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "conduit/ip/arrival.hpp"
#include "conduit/ip/datagram.hpp"
#include "conduit/ip/fifo.hpp"
#include "conduit/ip/links.hpp"
#include "conduit/ip/output.hpp"

namespace weft::conduit::ip {

class Traffic final : private FrameSink {
 public:
  struct Options {
    size_t bounce_size = 0;  ///< puts of up to so many bytes are copied if they cannot go at once: their source is free
    bool strict = false;     ///< operations take effect in the order in which they were issued
    bool datagrams = false;  ///< what is small may go as datagrams
    bool encrypt = false;    ///< connections are encrypted, so datagrams must be
  };
  /// With so few connections each is read; with more, epoll says which.
  static constexpr size_t connections_read = 2;

  Traffic(RankId rank, RankId size, const Options& options);

  Status open(const Interface& interface, const Ports& ports);
  /// The interface is one of several: a peer that it does not reach, or reaches no more while nothing is under way, is
  /// no failure. It has no datagrams.
  void set_spare(bool is) {
    spare_ = is;
    if (is) receiving_.close();
  }
  Links& links() { return links_; }
  void set_segment(std::byte* segment, size_t size) {
    segment_ = segment;
    segment_size_ = size;
  }

  /// Takes over a connection that the handshake has let in.
  void join(RankId rank, Channel channel);
  /// Whether there is a connection to the peer; if not, one is called for.
  bool reaches(RankId rank) { return static_cast<bool>(met(rank).channel); }
  /// Bytes of puts and gets on the peer that are not answered.
  size_t under_way(RankId rank) const { return peers_[rank] == nullptr ? 0 : peers_[rank]->under_way; }
  /// How many of these have yet to cross the network: of puts what the peer's kernel has not acknowledged. The peer's
  /// answers come behind what it sends itself. A system call if puts are under way.
  size_t to_cross(RankId rank) const;
  /// Whether an operation on the peer would not be told to come again.
  bool admits(RankId rank) { return admits(met(rank)); }

  // Operations on other ranks, as in conduit.hpp.
  Result put(RankId to, uint64_t offset, const void* source, size_t size, Completion* completion);
  Result get(void* destination, RankId from, uint64_t offset, size_t size, Completion* completion);
  Result fill(RankId to, uint64_t offset, uint8_t byte, size_t size, Completion* completion);
  Result atomic(RankId to, uint64_t offset, const AtomicRequest& request, Completion* completion);
  Result put_signal(RankId to, uint64_t offset, const void* source, size_t size, uint64_t signal_offset, uint64_t value,
                    SignalOp op, Completion* completion);

  // Messages, also to this rank itself.
  Result message(RankId to, AmClass message_class, const AmMessage& message);
  /// Room for a payload, with the credits that it will need; null: retry.
  Arrival* prepare(RankId to, AmClass message_class, size_t capacity);
  void commit(RankId to, AmClass message_class, const AmMessage& message, Arrival* prepared);
  void cancel(RankId to, Arrival* prepared);

  /// Takes in what has come, answers it, and sends what waits. How much was done.
  int progress();
  /// A request or reply to deliver, if one has come; and that it has been.
  Arrival* next_arrival() { return arrivals_.pop(); }
  void delivered(Arrival* arrival);

  /// What to sleep on until something has come; none if the rank must not sleep.
  struct Bell {
    std::array<pollfd, connections_read + 2> descriptors;
    size_t count = 0;
  };
  Bell bell();
  /// The next progress() looks at everything, and for who wants to connect.
  void look_around() {
    look_around_ = true;
    looks_ = look_at_both_at_last;
  }

  /// For the end: gives back credits however few. True if nothing is under way that this rank began.
  bool all_done();
  /// All ranks are in the last fence or past it: the end of a connection is none too early.
  void ending() { ending_ = true; }

  /// What is kept of each rank of the job, over IPv4, and besides of each that was met.
  static constexpr size_t bytes_per_rank = sizeof(void*) + Links::bytes_per_rank;
  static size_t bytes_per_met() { return sizeof(Peer); }

  /// Why communication has broken off, once it has.
  const Failure& failure() const { return failure_; }
  void fail(Failure failure) {
    if (failure_.text.empty()) failure_ = std::move(failure);
  }

 private:
  struct Operation {
    enum class Kind : uint8_t { answered, get, atomic };
    Kind kind;
    bool last;  // of the parts of one operation: completes it
    Completion* completion;
    std::byte* destination;
    size_t size;
  };
  struct Datagrams {
    Socket socket;
    Channel::Seals seals;
    DatagramPath path;
    std::array<std::byte, datagram_frames_max> again;  // what the connection brings of one that may be lost
  };
  struct Peer {
    RankId rank;
    Channel channel;
    Output out;
    FrameReader in;
    Fifo<Operation> operations;  // begun and not answered
    size_t under_way = 0;        // bytes of them
    size_t gets = 0;             // of which gets'
    uint32_t credits = request_credits;
    uint32_t held_credits = 0;  // of requests that have come from it and were not delivered
    uint32_t owed_credits = 0, owed_answers = 0;
    uint32_t sent_since_progress = 0;
    bool listed = false;  // has something to send
    bool writable_watched = false;
    Arrival* arriving = nullptr;
    std::unique_ptr<Datagrams> datagrams;
    bool attended = false;                       // look_after_datagrams() has it on its list
    uint64_t stream_sent = 0, stream_taken = 0;  // bytes of frames that the connection was given, and has brought
    uint32_t sent_since_heard = 0;               // frames

    bool unsent() const { return !out.empty() || channel.holds_output(); }
  };

  static constexpr size_t operations_max = 2048, output_max = size_t{4} << 20;
  static constexpr size_t gather_frame_max = size_t{16} << 10, gather_copy_max = 4096, gather_bytes = size_t{64} << 10;
  static constexpr uint32_t messages_at_once = 4, enough_owed = request_credits / 4;
  static constexpr size_t staging_size = size_t{64} << 10;
  static constexpr uint32_t look_around_every = 64;  // polls that follow each other at once
  static constexpr int reads_at_once = 16;
  static constexpr uint64_t silence_looked_for_ns = 1'000'000'000;
  // Datagrams are for what somebody waits for: not for what stands behind long transfers, nor for floods.
  static constexpr size_t datagrams_behind_max = 4096;
  static constexpr uint32_t datagrams_in_a_row = 4;
  static constexpr size_t datagram_peers_max = 64;
  static constexpr uint32_t look_at_both_every = 4, look_at_both_at_last = 16;
  static constexpr RankId nobody = Links::nobody;
  const char* nonsense() const {
    return encrypt_ ? "it sent what makes no sense; is Weft the same on all hosts?"
                    : "what came from it makes no sense: Weft is another on its host, or somebody has changed it on "
                      "its way, against which WEFT_IP_SECURITY=encrypt protects";
  }

  Peer& peer(RankId rank);
  Peer& met(RankId rank);
  bool admits(const Peer& peer) const {
    return peer.out.bytes() < output_max && peer.operations.size() < operations_max;
  }
  bool gathers(const Peer& peer, size_t size) const { return !peer.operations.empty() && size <= gather_frame_max; }
  static void begin_operation(Peer& peer, const Operation& operation) {
    peer.operations.push(operation);
    peer.under_way += operation.size;
    if (operation.kind == Operation::Kind::get) peer.gets += operation.size;
  }
  static Operation end_operation(Peer& peer) {
    const Operation operation = peer.operations.front();
    peer.operations.pop();
    peer.under_way -= operation.size;
    if (operation.kind == Operation::Kind::get) peer.gets -= operation.size;
    return operation;
  }
  void lost(Peer& peer, const std::string& why);
  void break_off(Peer& peer, Failure why);
  void watch_writable(Peer& peer, bool writable);

  void send(Peer& peer, Front& front, const void* payload, size_t size, bool keep, bool gather, Completion* local);
  void list(Peer& peer);
  void send_owed(Peer& peer);
  int flush();

  void look_for_silent_peers(uint64_t now);
  int read(Peer& peer);
  int read_all();
  int read_connections();
  bool carry_out(const Front& frame);
  bool begin(const Front& frame, std::byte*& place) override;
  bool end(const Front& frame) override;
  bool begin_message(const Front& frame, std::byte*& place);
  bool take_answers(uint32_t count);
  void finish(Operation operation);
  void answer_get(const Front& frame);
  void run_atomic_of(const Front& frame);
  bool inside(uint64_t offset, uint64_t size) const { return size <= segment_size_ && offset <= segment_size_ - size; }
  bool place_inside(uint64_t offset, uint64_t size, std::byte*& place) const {
    if (!inside(offset, size)) return false;
    place = segment_ + offset;
    return true;
  }
  // ---- traffic_datagrams.cpp ----

  void expect_datagrams(Peer& peer);
  void attend(Peer& peer);
  bool look_after_datagrams_of(Peer& peer, uint64_t now);
  void look_after_datagrams(uint64_t now);
  void no_datagrams(const Peer& peer, const char* why) const;
  bool goes_as_datagram(const Peer& peer, size_t size) const {
    return peer.datagrams != nullptr && peer.datagrams->path.takes(size) && !peer.unsent() &&
           peer.under_way <= datagrams_behind_max && peer.sent_since_heard <= datagrams_in_a_row;
  }
  void send_datagram(Peer& peer, const Front& front, const void* payload, size_t size);
  void send_acknowledgement(Peer& peer);
  bool transmit(Peer& peer, DatagramHeader header, std::span<std::byte> datagram);
  void hand_over(Peer& peer);
  int read_datagrams();
  Peer* open_datagram(std::span<std::byte> datagram, DatagramHeader& header);
  int take_datagram(Peer& peer, const DatagramHeader& header, Bytes frames);
  bool carry_out_frames(Bytes frames);
  bool carry_out_held();
  bool take_again(const Front& frame);

  void to_self(AmClass message_class, const AmMessage& message, Arrival* prepared, uint32_t credits);

  RankId rank_;
  size_t bounce_size_;
  bool copy_answers_;
  bool datagrams_wanted_, encrypt_;
  bool spare_ = false;
  std::byte* segment_ = nullptr;
  size_t segment_size_ = 0;
  Links links_;
  std::vector<std::unique_ptr<Peer>> peers_;  // null: never met
  std::vector<Peer*> connected_;
  std::vector<Peer*> listed_;
  std::vector<Peer*> sent_to_;  // with messages since the last progress()
  Arrivals arrivals_;
  std::vector<std::byte> staging_;
  Socket receiving_;  // datagrams of all peers; none: there are none
  size_t datagram_peers_ = 0;
  std::vector<Peer*> attended_;            // of whose datagrams something is to be done by and by
  bool by_datagram_ = false;               // the last that came was one
  uint32_t looks_ = look_at_both_at_last;  // since both datagrams and connections were looked at
  Peer* reading_ = nullptr;                // whose frame begin() and end() are about
  FrameReader* reader_ = nullptr;          // which has read it
  int frames_ = 0;                         // events of this read()
  uint32_t until_look_around_ = 0;
  uint64_t looked_around_ns_ = 0;  // by the coarse clock
  uint64_t looked_for_silent_ns_ = 0;
  bool look_around_ = true;
  bool by_epoll_ = false;  // there were more connections than are read one by one
  bool ending_ = false;
  Failure failure_;
};

}  // namespace weft::conduit::ip
