// How connections come to be: this rank's listening socket, calls to peers, and handshakes under way. A connection that
// the handshake has let in is handed over with its peer; nothing is read from it before.
//
// The state of a peer here is none (never called), calling (a call or a pause before the next one), unreached (calls
// were in vain) or joined. docs/IP-PROTOCOL.md draws the states and says what is bounded by what. Used under the
// conduit's lock.
#pragma once

#include <sys/epoll.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conduit/give_up.hpp"
#include "conduit/ip/channel.hpp"
#include "conduit/ip/handshake.hpp"
#include "conduit/ip/sockets.hpp"

namespace weft::conduit::ip {

class Links {
 public:
  /// Connections between accept and proof, or a quarter of the descriptors that the process may have, if those are
  /// fewer, but 4 in any case; the oldest makes room.
  static constexpr size_t unproven_max = 64;
  static constexpr uint64_t unproven_ns = 5'000'000'000;
  static constexpr uint64_t first_pause_ns = 10'000'000, longest_pause_ns = 1'000'000'000;
  static constexpr uint64_t call_ns = 60'000'000'000;
  /// How long to call again where nobody answers to the address: with the kernel's first attempt, 12 s without a path
  /// do no harm.
  static constexpr uint64_t silence_ns = 9'000'000'000;

  using OnJoined = std::function<void(RankId peer, Channel channel)>;
  using OnFailure = std::function<void(Failure failure)>;

  /// A peer that cannot be called, or does not let this rank in, is told to `on_unreached`, once; it may still call.
  Status open(const Interface& interface, const Ports& ports, OnJoined on_joined, OnFailure on_failure,
              OnFailure on_unreached);
  const Interface& interface() const { return interface_; }
  /// What peers connect to, and where a peer is.
  const Address& place() const { return place_; }
  Address place_of(RankId peer) const { return places_[peer]; }
  /// "at 10.0.0.2:4711 through eth0 (10.0.0.1) of host h1", for messages.
  std::string path_to(RankId peer) const;
  void start(const Credentials& credentials, const std::vector<Address>& places);

  /// Begins to call the peer, unless it is joined, that is under way or was in vain.
  void call(RankId peer);
  bool joined(RankId peer) const { return states_[peer] == State::joined; }
  /// Whether a handshake or a pause is under way, so that progress() has something to do.
  bool busy() const { return !pending_.empty() || !pauses_.empty(); }
  /// Accepts, moves all handshakes on, ends those whose time is over. How much it did.
  int progress(uint64_t now);
  /// Accepts nobody any more.
  void close() {
    listening_.close();
    pending_.clear();
    pauses_.clear();
  }
  /// Readable when progress() has something to do, or a connection that was added has.
  int descriptor() const { return events_.get(); }
  /// What `descriptor()` reports for it: the peer, or `nobody` for what progress() looks after.
  static constexpr RankId nobody = UINT32_MAX;
  void watch(int socket, RankId peer, bool also_writable, bool first);
  /// No longer reported: every arrival on a socket that is costs the kernel a look at its waiters.
  void unwatch(int socket);

  /// What is kept of each rank of the job, over IPv4.
  static constexpr size_t bytes_per_rank = Places::bytes_of_v4 + 1;
  /// Connections that did not know the job's secret, or came from where no rank is.
  size_t refused() const { return refused_ + from_elsewhere_; }

 private:
  enum class State : uint8_t { none, calling, unreached, joined };
  struct Pending {
    Socket socket;
    Handshake handshake;
    uint64_t deadline_ns;
    bool connected;
  };
  struct Pause {
    RankId peer;
    uint64_t until_ns;
  };
  struct Call {
    RankId peer;
    uint64_t since_ns, pause_ns;  // when the first attempt ended, 0 before
  };
  static_assert(bytes_per_rank == Places::bytes_of_v4 + sizeof(State));
  enum class Fate : uint8_t { goes_on, gone, joins };

  int accept_all(uint64_t now);
  Fate advance(Pending& pending, uint64_t now);
  Fate transfer(Pending& pending);
  Fate over(Pending& pending);
  void decide(Pending& pending);
  void begin_call(RankId peer);
  /// After a pause, unless it has gone on for so long: then `why` not.
  void call_again(RankId peer, uint64_t now, uint64_t for_ns, Failure why);
  void drop_call(RankId peer);
  void failed(RankId peer, int error, uint64_t now);
  void unreached(RankId peer, Failure why);
  bool on_this_host(RankId peer) const { return interface_.loopback || interface_.address.same_host(places_[peer]); }
  Call& call_of(RankId peer);
  Channel channel_of(Pending& pending) const;
  void refuse(const Pending& pending);

  Interface interface_;
  Socket listening_, events_;
  Address place_;
  const Credentials* credentials_ = nullptr;
  Places places_;
  std::vector<State> states_;
  std::vector<std::unique_ptr<Pending>> pending_;
  std::vector<Pause> pauses_;
  std::vector<Call> calls_;
  size_t unproven_limit_ = unproven_max;
  size_t refused_ = 0, from_elsewhere_ = 0;
  OnJoined on_joined_;
  OnFailure on_failure_, on_unreached_;
};

}  // namespace weft::conduit::ip
