#include "conduit/ip/links.hpp"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/processor.hpp"

namespace weft::conduit::ip {
namespace {

// A job has many ranks, and who tries one tries all.
constexpr size_t refusals_logged = 1;

// The rest of the descriptors is for peers and for the program.
size_t unproven_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return Links::unproven_max;
  return std::clamp<size_t>(limit.rlim_cur / 4, 4, Links::unproven_max);
}

// What to do about a connection to another host that cannot be made.
const char* advice_on(int error) {
  switch (error) {
    case ETIMEDOUT:
    case EHOSTUNREACH:
      return "; a firewall may be the reason (docs/LAUNCHING.md, \"Firewalls\"), or the hosts meet on another network: "
             "name its interface (WEFT_NET_INTERFACE)";
    case ECONNREFUSED:
      return "; it has ended, or a firewall refuses connections (docs/LAUNCHING.md, \"Firewalls\")";
    case ENETUNREACH:
      return "; if the hosts meet on another network, name its interface (WEFT_NET_INTERFACE)";
    case EACCES:
    case EPERM:
    case EINVAL:
      return "; a route or a firewall of this host forbids it";
    case EMFILE:
      return "; this process has as many files open as it may: raise the limit (ulimit -n)";
    default:
      return "";
  }
}

}  // namespace

Status Links::open(const Interface& interface, const Ports& ports, OnJoined on_joined, OnFailure on_failure,
                   OnFailure on_unreached) {
  interface_ = interface;
  on_joined_ = std::move(on_joined);
  on_failure_ = std::move(on_failure);
  on_unreached_ = std::move(on_unreached);
  unproven_limit_ = unproven_limit();
  events_ = Socket(::epoll_create1(EPOLL_CLOEXEC));
  if (!events_) {
    base::log_error("the system gives no epoll descriptor: %s", std::strerror(errno));
    return WEFT_ERR_SYSTEM;
  }
  const Status status = listen_on(interface, ports, listening_, place_);
  if (status.ok()) watch(listening_.get(), nobody, false, true);
  return status;
}

void Links::start(const Credentials& credentials, const std::vector<Address>& places) {
  credentials_ = &credentials;
  places_ = Places(places);
  states_.assign(places_.size(), State::none);
}

void Links::watch(int socket, RankId peer, bool also_writable, bool first) {
  epoll_event event{};
  event.events = EPOLLIN | (also_writable ? uint32_t{EPOLLOUT} : 0u);
  event.data.u32 = peer;
  if (::epoll_ctl(events_.get(), first ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) != 0)
    on_failure_({"a connection cannot be watched: " + std::string(std::strerror(errno))});
}

void Links::unwatch(int socket) { ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, socket, nullptr); }

// ---- Calls ----

void Links::call(RankId peer) {
  if (states_[peer] != State::none) return;
  states_[peer] = State::calling;
  calls_.push_back({peer, 0, first_pause_ns});
  begin_call(peer);
}

// It may last for as long as the peer computes without a call of Weft.
void Links::begin_call(RankId peer) {
  Nonce nonce;
  if (!random_bytes(nonce).ok()) return on_failure_({"there are no random numbers"});
  Socket socket = begin_connect(interface_, places_[peer]);
  if (!socket) return failed(peer, errno, os::now_ns());
  watch(socket.get(), nobody, true, true);
  pending_.push_back(std::make_unique<Pending>(
      Pending{std::move(socket), Handshake::call(*credentials_, peer, nonce), UINT64_MAX, false}));
}

void Links::failed(RankId peer, int error, uint64_t now) {
  Failure why{std::strerror(error) + std::string(on_this_host(peer) ? "" : advice_on(error)), true};
  // The kernel says so after three seconds without an answer to who has the address: a cable may be out for a moment.
  if (error == EHOSTUNREACH) return call_again(peer, now, silence_ns, std::move(why));
  unreached(peer, std::move(why));
}

void Links::unreached(RankId peer, Failure why) {
  drop_call(peer);
  states_[peer] = State::unreached;
  why.text = "cannot send to rank " + std::to_string(peer) + " " + path_to(peer) + ": " + why.text;
  on_unreached_(std::move(why));
}

std::string Links::path_to(RankId peer) const {
  // A test may hand over a connection without places.
  const std::string place = peer < places_.size() ? "at " + places_[peer].place_text() + " " : "";
  return place + "through " + text_of(interface_) + " of host " + os::host_name();
}

Links::Call& Links::call_of(RankId peer) { return *std::ranges::find(calls_, peer, &Call::peer); }

void Links::call_again(RankId peer, uint64_t now, uint64_t for_ns, Failure why) {
  Call& call = call_of(peer);
  if (call.since_ns == 0) call.since_ns = now;
  if (now - call.since_ns > for_ns) return unreached(peer, std::move(why));
  pauses_.push_back({peer, now + call.pause_ns});
  call.pause_ns = std::min(2 * call.pause_ns, longest_pause_ns);
}

void Links::drop_call(RankId peer) {
  std::erase_if(calls_, [&](const Call& each) { return each.peer == peer; });
  std::erase_if(pauses_, [&](const Pause& each) { return each.peer == peer; });
  for (auto& each : pending_)
    if (each->handshake.initiator() && each->handshake.peer() == peer) each->socket.close();
}

// ---- Handshakes ----

int Links::accept_all(uint64_t now) {
  int accepted = 0;
  while (listening_) {
    Address from;
    Socket socket = accept_one(listening_.get(), from);
    if (!socket) return accepted;
    ++accepted;
    Nonce nonce;
    if (!places_.have_host(from)) {
      ++from_elsewhere_;
      continue;
    }
    if (!random_bytes(nonce).ok()) continue;
    const auto unproven = [](const auto& each) { return !each->handshake.initiator(); };
    if (static_cast<size_t>(std::ranges::count_if(pending_, unproven)) >= unproven_limit_)
      pending_.erase(std::ranges::find_if(pending_, unproven));
    watch(socket.get(), nobody, false, true);
    pending_.push_back(std::make_unique<Pending>(
        Pending{std::move(socket), Handshake::answer(*credentials_, nonce), now + unproven_ns, true}));
  }
  return accepted;
}

int Links::progress(uint64_t now) {
  int done = accept_all(now);
  for (size_t i = 0; i < pauses_.size();) {
    if (pauses_[i].until_ns > now) {
      ++i;
      continue;
    }
    const RankId peer = pauses_[i].peer;
    pauses_.erase(pauses_.begin() + static_cast<std::ptrdiff_t>(i));
    begin_call(peer);
    ++done;
  }
  // A handshake that ends may close another one of its peer, whose turn then finds no socket.
  for (size_t i = 0; i < pending_.size();) {
    Pending& pending = *pending_[i];
    Fate fate = pending.socket ? advance(pending, now) : Fate::gone;
    if (fate == Fate::goes_on && pending.deadline_ns <= now) fate = Fate::gone;
    if (fate == Fate::goes_on) {
      ++i;
      continue;
    }
    const std::unique_ptr<Pending> ended = std::move(pending_[i]);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    const RankId peer = ended->handshake.peer();
    ++done;
    if (fate == Fate::joins) {
      drop_call(peer);
      states_[peer] = State::joined;
      on_joined_(peer, channel_of(*ended));
    } else if (ended->handshake.initiator() && ended->socket && states_[peer] == State::calling) {
      call_again(peer, now, call_ns, {"it has not let this rank in for a minute", true});
    }
  }
  return done;
}

Links::Fate Links::advance(Pending& pending, uint64_t now) {
  if (!pending.connected) {
    int error = 0;
    socklen_t size = sizeof error;
    Address other;
    socklen_t other_size = other.size();
    ::getsockopt(pending.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    const bool there = ::getpeername(pending.socket.get(), other.raw(), &other_size) == 0;
    if (error == 0 && !there) return Fate::goes_on;
    if (error != 0) {
      pending.socket.close();
      failed(pending.handshake.peer(), error, now);
      return Fate::gone;
    }
    pending.connected = true;
    watch(pending.socket.get(), nobody, false, false);
  }
  return transfer(pending);
}

Links::Fate Links::transfer(Pending& pending) {
  Handshake& handshake = pending.handshake;
  for (;;) {
    if (handshake.step() == Handshake::Step::asks) decide(pending);
    while (!handshake.output().empty()) {
      const Bytes output = handshake.output();
      const ssize_t sent = ::send(pending.socket.get(), output.data(), output.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0) return errno == EAGAIN || errno == EINTR ? Fate::goes_on : Fate::gone;
      handshake.sent(static_cast<size_t>(sent));
    }
    if (handshake.step() == Handshake::Step::over) return over(pending);
    const std::span<std::byte> room = handshake.room();
    const ssize_t came = ::recv(pending.socket.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (came == 0) return Fate::gone;
    if (came < 0) return errno == EAGAIN || errno == EINTR ? Fate::goes_on : Fate::gone;
    if (handshake.received(static_cast<size_t>(came)) == Handshake::Step::wrong) {
      refuse(pending);
      return Fate::gone;
    }
  }
}

// One connection per pair: docs/IP-PROTOCOL.md, "Two connections".
void Links::decide(Pending& pending) {
  const RankId peer = pending.handshake.peer();
  if (states_[peer] == State::joined)
    pending.handshake.decide(Verdict::connected);
  else if (states_[peer] == State::calling && credentials_->rank < peer)
    pending.handshake.decide(Verdict::crossing);
  else
    pending.handshake.decide(Verdict::welcome);
}

Links::Fate Links::over(Pending& pending) {
  if (states_[pending.handshake.peer()] == State::joined) return Fate::gone;
  return pending.handshake.verdict() == Verdict::welcome ? Fate::joins : Fate::gone;
}

// The first to speak TLS is who has called.
Channel Links::channel_of(Pending& pending) const {
  const Handshake& handshake = pending.handshake;
  const bool initiator = handshake.initiator();
  if (credentials_->security != Security::encrypt)
    return Channel(std::move(pending.socket), initiator, handshake.datagram_secret());
  auto tls = std::make_unique<Tls>(initiator ? Tls::Side::client : Tls::Side::server, handshake.key());
  return Channel(std::move(pending.socket), initiator, {}, std::move(tls));
}

void Links::refuse(const Pending& pending) {
  const RankId peer = pending.handshake.peer();
  if (pending.handshake.initiator())
    return unreached(peer, Failure{"what listens there in place of it does not know this job's secret"});
  if (++refused_ > refusals_logged) return;
  Address from;
  socklen_t size = from.size();
  ::getpeername(pending.socket.get(), from.raw(), &size);
  base::log_warning(
      "refused a connection from %s that %s%s", from.place_text().c_str(),
      credentials_->security == Security::off ? "does not speak for a rank of this job"
                                              : "does not know this job's secret",
      refused_ == refusals_logged ? "; this rank counts further ones (WEFT_STATS=1 or WEFT_LOG=info)" : "");
}

}  // namespace weft::conduit::ip
