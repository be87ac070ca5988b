#include "conduit/ip/traffic.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "conduit/cpu_atomic.hpp"
#include "os/clock.hpp"
#include "os/coarse_clock.hpp"
#include "os/processor.hpp"

namespace weft::conduit::ip {

namespace {

const char* why(int error) {
  return error == EBADMSG ? "what came from it is not what it has sent: somebody changes it on its way"
                          : std::strerror(error);
}

}  // namespace

Traffic::Traffic(RankId rank, RankId size, const Options& options)
    : rank_(rank),
      bounce_size_(options.bounce_size),
      copy_answers_(options.strict),
      datagrams_wanted_(options.datagrams),
      encrypt_(options.encrypt),
      peers_(size),
      staging_(staging_size) {}

Status Traffic::open(const Interface& interface, const Ports& ports) {
  const Status status = links_.open(
      interface, ports, [this](RankId rank, Channel channel) { join(rank, std::move(channel)); },
      [this](Failure failure) { fail(std::move(failure)); },
      [this](Failure failure) {
        if (!spare_) return fail(std::move(failure));
        base::log(base::LogLevel::info, "%s; the job goes on by its other interfaces", failure.text.c_str());
      });
  if (!status.ok() || !datagrams_wanted_ || !Seal::possible(encrypt_ ? Seal::How::encrypt : Seal::How::tag))
    return status;
  receiving_ = receive_datagrams_at(links_.place());
  if (!receiving_)
    base::log_warning("no datagrams at %s of host %s: %s; what is short comes to this rank by TCP, which takes longer",
                      links_.place().place_text().c_str(), os::host_name().c_str(), std::strerror(errno));
  return status;
}

// ---- Peers ----

Traffic::Peer& Traffic::peer(RankId rank) {
  if (peers_[rank] == nullptr) {
    peers_[rank] = std::make_unique<Peer>();
    peers_[rank]->rank = rank;
  }
  return *peers_[rank];
}

// With a connection, or a call for one.
Traffic::Peer& Traffic::met(RankId rank) {
  Peer& found = peer(rank);
  if (!found.channel && rank != rank_ && !links_.joined(rank)) links_.call(rank);
  return found;
}

void Traffic::join(RankId rank, Channel channel) {
  Peer& found = peer(rank);
  found.channel = std::move(channel);
  allow_closed_window(found.channel.descriptor());
  connected_.push_back(&found);
  if (by_epoll_) {
    links_.watch(found.channel.descriptor(), rank, false, false);
  } else if (connected_.size() <= connections_read) {
    links_.unwatch(found.channel.descriptor());
  } else {
    by_epoll_ = true;
    for (Peer* each : connected_) links_.watch(each->channel.descriptor(), each->rank, false, each != &found);
  }
  if (found.unsent()) list(found);
  if (receiving_) expect_datagrams(found);
}

// Whose operations have no answer yet cannot go on; with a spare connection, who has none can.
void Traffic::lost(Peer& peer, const std::string& why) {
  if (!spare_ || ending_ || !peer.operations.empty()) return break_off(peer, {why, true});
  std::erase(connected_, &peer);
  peer.channel.close();
  base::log(base::LogLevel::info,
            "lost contact with rank %u: %s; it was %s; the job goes on by its other interfaces, if they reach it",
            peer.rank, why.c_str(), links_.path_to(peer.rank).c_str());
  peer.out = {};
}

// Also where somebody on the path, or at its end, is not what it should be.
void Traffic::break_off(Peer& peer, Failure why) {
  std::erase(connected_, &peer);
  peer.channel.close();
  if (ending_) return;
  why.text =
      "lost contact with rank " + std::to_string(peer.rank) + ": " + why.text + "; it was " + links_.path_to(peer.rank);
  fail(std::move(why));
}

// Where epoll reports a connection, and until it has sent all, it also says when there is room to send.
void Traffic::watch_writable(Peer& peer, bool writable) {
  if (!by_epoll_ || peer.writable_watched == writable) return;
  peer.writable_watched = writable;
  if (peer.channel) links_.watch(peer.channel.descriptor(), peer.rank, writable, false);
}

// ---- Sending ----

void Traffic::list(Peer& peer) {
  if (peer.listed) return;
  peer.listed = true;
  listed_.push_back(&peer);
}

void Traffic::send(Peer& peer, Front& front, const void* payload, size_t size, bool keep, bool gather,
                   Completion* local) {
  constexpr uint32_t most = UINT16_MAX;
  front.header.answers = static_cast<uint16_t>(std::min(peer.owed_answers, most));
  front.header.credits = static_cast<uint16_t>(std::min(peer.owed_credits, most));
  peer.owed_answers -= front.header.answers;
  peer.owed_credits -= front.header.credits;
  ++peer.sent_since_heard;
  if (!gather && goes_as_datagram(peer, front.bytes() + size)) {
    send_datagram(peer, front, payload, size);
    if (local != nullptr) local->finish_local();
    return;
  }
  hand_over(peer);
  peer.stream_sent += front.bytes() + size;
  const iovec pieces[] = {{&front, front.bytes()}, {const_cast<void*>(payload), size}};
  const size_t count = size == 0 ? 1 : 2;
  Channel* channel = !peer.channel || (gather && peer.out.bytes() < gather_bytes) ? nullptr : &peer.channel;
  const bool together = channel != nullptr && !peer.out.empty() && (keep || size <= gather_copy_max);
  int error = 0;
  if (channel != nullptr && !peer.out.empty() && !together) error = peer.out.flush(*channel);
  if (error == 0) error = peer.out.send(together ? nullptr : channel, pieces, count, keep && size != 0, local);
  if (error == 0 && together) error = peer.out.flush(*channel);
  if (error != 0) return lost(peer, why(error));
  if (peer.unsent()) list(peer);
}

void Traffic::send_owed(Peer& peer) {
  do {
    Front front(FrameKind::nothing, {}, 0);
    send(peer, front, nullptr, 0, false, false, nullptr);
  } while (peer.owed_answers != 0);
}

int Traffic::flush() {
  int done = 0;
  std::erase_if(listed_, [&](Peer* peer) {
    if (!peer->channel && peer->unsent()) return false;
    const size_t before = peer->out.bytes();
    const int error = peer->channel ? peer->out.flush(peer->channel) : 0;
    if (error != 0) lost(*peer, why(error));
    done += peer->out.bytes() != before;
    if (peer->channel && peer->unsent()) return false;
    peer->listed = false;
    watch_writable(*peer, false);
    return true;
  });
  return done;
}

size_t Traffic::to_cross(RankId rank) const {
  const Peer* peer = peers_[rank].get();
  if (peer == nullptr) return 0;
  const size_t puts = peer->under_way - peer->gets;
  if (puts == 0 || !peer->channel) return peer->under_way;
  return peer->gets + std::min(puts, peer->out.bytes() + peer->channel.unacknowledged());
}

// ---- Operations ----

Result Traffic::put(RankId to, uint64_t offset, const void* source, size_t size, Completion* completion) {
  Peer& target = met(to);
  if (!admits(target)) return Result::retry;
  const bool gather = gathers(target, size);
  const bool copied = size <= (gather ? gather_copy_max : bounce_size_);
  const auto* from = static_cast<const std::byte*>(source);
  for (size_t at = 0; at < size; at += transfer_max) {
    const size_t part = std::min(size - at, transfer_max);
    const bool last = at + part == size;
    begin_operation(target, {Operation::Kind::answered, last, completion, nullptr, part});
    Front front(FrameKind::put, {offset + at}, part);
    send(target, front, from + at, part, !copied, gather, last && !copied ? completion : nullptr);
  }
  if (copied) completion->finish_local();
  return Result::posted;
}

Result Traffic::get(void* destination, RankId source, uint64_t offset, size_t size, Completion* completion) {
  Peer& target = met(source);
  if (!admits(target)) return Result::retry;
  const bool gather = gathers(target, size);
  auto* to = static_cast<std::byte*>(destination);
  for (size_t at = 0; at < size; at += transfer_max) {
    const size_t part = std::min(size - at, transfer_max);
    begin_operation(target, {Operation::Kind::get, at + part == size, completion, to + at, part});
    Front front(FrameKind::get, {offset + at, part}, 0);
    send(target, front, nullptr, 0, false, gather, nullptr);
  }
  return Result::posted;
}

Result Traffic::fill(RankId to, uint64_t offset, uint8_t byte, size_t size, Completion* completion) {
  Peer& target = met(to);
  if (!admits(target)) return Result::retry;
  const bool gather = gathers(target, 0);
  begin_operation(target, {Operation::Kind::answered, true, completion, nullptr, 0});
  Front front(FrameKind::fill, {offset, size, byte}, 0);
  send(target, front, nullptr, 0, false, gather, nullptr);
  completion->finish_local();
  return Result::posted;
}

Result Traffic::atomic(RankId to, uint64_t offset, const AtomicRequest& request, Completion* completion) {
  Peer& target = met(to);
  if (!admits(target)) return Result::retry;
  const bool gather = gathers(target, 0);
  begin_operation(target, {Operation::Kind::atomic, true, completion, static_cast<std::byte*>(request.result),
                           atomic_size(request.type)});
  const uint64_t what = static_cast<uint64_t>(request.type) | static_cast<uint64_t>(request.op) << 8;
  Front front(FrameKind::atomic, {offset, what, request.operand, request.compare}, 0);
  send(target, front, nullptr, 0, false, gather, nullptr);
  return Result::posted;
}

// All but the last part as puts: the target takes them in before.
Result Traffic::put_signal(RankId to, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                           uint64_t value, SignalOp op, Completion* completion) {
  Peer& target = met(to);
  if (!admits(target)) return Result::retry;
  const bool gather = gathers(target, size);
  const bool copied = size <= (gather ? gather_copy_max : bounce_size_);
  const auto* from = static_cast<const std::byte*>(source);
  size_t at = 0;
  for (; size - at > transfer_max; at += transfer_max) {
    begin_operation(target, {Operation::Kind::answered, false, nullptr, nullptr, transfer_max});
    Front front(FrameKind::put, {offset + at}, transfer_max);
    send(target, front, from + at, transfer_max, true, false, nullptr);
  }
  begin_operation(target, {Operation::Kind::answered, true, completion, nullptr, size - at});
  Front front(FrameKind::signal, {offset + at, signal_offset, value, static_cast<uint64_t>(op)}, size - at);
  send(target, front, from + at, size - at, !copied, gather, copied ? nullptr : completion);
  if (copied) completion->finish_local();
  return Result::posted;
}

// ---- Messages: sending ----

namespace {

Front front_of(AmClass message_class, const AmMessage& message) {
  const bool carries = message.kind != AmKind::short_ && message.payload != nullptr;
  Front front(message_kind(message_class, message.kind), {}, carries ? message.size : 0);
  front.header.handler = message.handler;
  if (message.kind == AmKind::long_) {
    front.words[front.header.words++] = message.offset;
    front.words[front.header.words++] = message.size;
  }
  for (uint8_t i = 0; i < message.arg_count; ++i) front.words[front.header.words++] = message.args[i];
  return front;
}

}  // namespace

Result Traffic::message(RankId to, AmClass message_class, const AmMessage& message) {
  Peer& target = met(to);
  Front front = front_of(message_class, message);
  const uint32_t cost = message_class == AmClass::request ? credits_of(front, front.header.size) : 0;
  if (message_class == AmClass::request && (target.credits < cost || target.out.bytes() >= output_max))
    return Result::retry;
  target.credits -= cost;
  if (to == rank_) {
    to_self(message_class, message, nullptr, cost);
    return Result::done;
  }
  const bool gather = ++target.sent_since_progress > messages_at_once && front.header.size <= gather_frame_max;
  if (target.sent_since_progress == 1) sent_to_.push_back(&target);
  send(target, front, message.payload, front.header.size, false, gather, nullptr);
  return Result::done;
}

Arrival* Traffic::prepare(RankId to, AmClass message_class, size_t capacity) {
  Peer& target = met(to);
  uint32_t cost = 0;
  if (message_class == AmClass::request) {
    Front largest;
    largest.header.words = frame_words_max;
    cost = credits_of(largest, capacity);
    if (target.credits < cost || target.out.bytes() >= output_max) return nullptr;
    target.credits -= cost;
  }
  Arrival* prepared = arrivals_.make(payload_max);
  prepared->credits = cost;
  return prepared;
}

void Traffic::commit(RankId to, AmClass message_class, const AmMessage& message, Arrival* prepared) {
  Peer& target = met(to);
  Front front = front_of(message_class, message);
  const uint32_t cost = message_class == AmClass::request ? credits_of(front, front.header.size) : 0;
  target.credits += prepared->credits - cost;
  if (to == rank_) return to_self(message_class, message, prepared, cost);
  send(target, front, message.payload, front.header.size, false, false, nullptr);
  arrivals_.give_back(prepared);
}

void Traffic::cancel(RankId to, Arrival* prepared) {
  peer(to).credits += prepared->credits;
  arrivals_.give_back(prepared);
}

void Traffic::to_self(AmClass message_class, const AmMessage& message, Arrival* prepared, uint32_t credits) {
  const size_t size = message.kind == AmKind::short_ ? 0 : message.size;
  Arrival* arrival = prepared != nullptr ? prepared : arrivals_.make(message.kind == AmKind::medium ? size : 0);
  arrival->kind = message_kind(message_class, message.kind);
  arrival->handler = message.handler;
  arrival->arg_count = message.arg_count;
  arrival->source = rank_;
  arrival->credits = credits;
  arrival->size = size;
  arrival->payload = message.kind == AmKind::long_ ? segment_ + message.offset : arrival->data();
  std::copy_n(message.args, message.arg_count, arrival->args);
  if (message.payload != nullptr && size != 0 && message.payload != arrival->payload)
    std::memmove(arrival->payload, message.payload, size);
  arrivals_.push(arrival);
}

void Traffic::delivered(Arrival* arrival) {
  if (arrival->credits != 0) {
    Peer& source = peer(arrival->source);
    if (arrival->source == rank_) {
      source.credits += arrival->credits;
    } else {
      source.held_credits -= arrival->credits;
      source.owed_credits += arrival->credits;
      if (source.owed_credits >= enough_owed && source.channel) send_owed(source);
    }
  }
  arrivals_.give_back(arrival);
}

// ---- Receiving ----

int Traffic::progress() {
  int done = 0;
  for (Peer* each : sent_to_) each->sent_since_progress = 0;
  sent_to_.clear();
  // Who polls seldom looks for those that want to connect each time, so that they do not wait for many polls.
  const uint64_t coarse_now = os::coarse_now_ns();
  if (look_around_ || links_.busy() || until_look_around_-- == 0 || coarse_now != looked_around_ns_) {
    until_look_around_ = look_around_every;
    looked_around_ns_ = coarse_now;
    look_around_ = false;
    const uint64_t now = os::now_ns();
    done += links_.progress(now);
    look_after_datagrams(now);
    look_for_silent_peers(now);
  }
  done += read_all();
  if (!listed_.empty()) done += flush();
  return done;
}

void Traffic::look_for_silent_peers(uint64_t now) {
  if (now - looked_for_silent_ns_ < silence_looked_for_ns) return;
  looked_for_silent_ns_ = now;
  for (size_t i = connected_.size(); i > 0; --i)
    if (Peer& peer = *connected_[i - 1]; is_unanswered(peer.channel.descriptor())) lost(peer, why(ETIMEDOUT));
}

int Traffic::read_all() {
  if (!receiving_) return read_connections();
  const bool both = ++looks_ >= look_at_both_every;
  int done = 0;
  if (by_datagram_ || both) done = read_datagrams();
  if (done != 0) by_datagram_ = true;
  // Who waits for what has come is not kept waiting for a look at the connections, unless it never ends.
  if (by_datagram_ && (!both || (done != 0 && looks_ < look_at_both_at_last))) return done;
  if (both) looks_ = 0;
  const int others = read_connections();
  if (others != 0 && done == 0) by_datagram_ = false;
  return done + others;
}

int Traffic::read_connections() {
  int done = 0;
  if (!by_epoll_) {
    for (size_t i = connected_.size(); i > 0; --i) done += read(*connected_[i - 1]);
    return done;
  }
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(links_.descriptor(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const RankId rank = events[static_cast<size_t>(i)].data.u32;
    if (rank == nobody)
      look_around_ = true;
    else if (peers_[rank]->channel)
      done += read(*peers_[rank]);
  }
  return done;
}

int Traffic::read(Peer& peer) {
  reading_ = &peer;
  reader_ = &peer.in;
  frames_ = 0;
  // What the connection holds must not be left: no descriptor tells of it.
  for (int i = 0; i < reads_at_once || peer.channel.holds_input(); ++i) {
    std::array<iovec, 2> pieces{};
    const auto count = static_cast<size_t>(peer.in.where(staging_, pieces));
    const ssize_t came = peer.channel.receive(pieces.data(), count, i < reads_at_once);
    if (came < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (came <= 0) {
      if (came < 0 && errno == EBADMSG)
        break_off(peer, {why(errno)});
      else
        lost(peer, came == 0 ? "it has closed the connection" : why(errno));
      return 1;
    }
    ++frames_;  // a part of one is an event, too: the peer is at work
    if (!peer.in.took(static_cast<size_t>(came), staging_, *this)) {
      break_off(peer, {nonsense()});
      return 1;
    }
    if (static_cast<size_t>(came) < pieces[0].iov_len + pieces[1].iov_len) break;
  }
  if (peer.channel.holds_output()) list(peer);
  if (peer.owed_answers != 0 && peer.channel) send_owed(peer);
  return frames_;
}

bool Traffic::take_answers(uint32_t count) {
  for (; count > 0; --count) {
    if (reading_->operations.empty() || reading_->operations.front().kind != Operation::Kind::answered) return false;
    finish(end_operation(*reading_));
  }
  return true;
}

void Traffic::finish(Operation operation) {
  if (!operation.last) return;
  if (operation.kind != Operation::Kind::answered) operation.completion->finish_local();
  operation.completion->finish_remote();
}

// Every field is looked at here, before anything is done.
bool Traffic::begin(const Front& frame, std::byte*& place) {
  const FrameHeader& header = frame.header;
  Peer& peer = *reading_;
  peer.sent_since_heard = 0;
  peer.credits += header.credits;
  if (peer.credits > request_credits || !take_answers(header.answers)) return false;
  const auto& words = frame.words;
  const auto head_is = [&](Operation::Kind kind) {
    return !peer.operations.empty() && peer.operations.front().kind == kind;
  };
  switch (header.kind) {
    case FrameKind::nothing:
      return true;
    case FrameKind::put:
      return place_inside(words[0], header.size, place);
    case FrameKind::get:
      return words[1] <= transfer_max && inside(words[0], words[1]);
    case FrameKind::data:
      if (!head_is(Operation::Kind::get) || peer.operations.front().size != header.size) return false;
      place = peer.operations.front().destination;
      return true;
    case FrameKind::fill:
      return inside(words[0], words[1]) && words[2] <= 0xff;
    case FrameKind::atomic: {
      if ((words[1] & 0xff) > static_cast<uint64_t>(AtomicType::f64)) return false;
      const size_t size = atomic_size(static_cast<AtomicType>(words[1] & 0xff));
      return words[1] >> 8 <= static_cast<uint64_t>(AtomicOp::bit_xor) && inside(words[0], size) &&
             words[0] % size == 0;
    }
    case FrameKind::value:
      return head_is(Operation::Kind::atomic);
    case FrameKind::signal:
      return place_inside(words[0], header.size, place) && inside(words[1], sizeof(uint64_t)) &&
             words[1] % sizeof(uint64_t) == 0 && words[3] <= static_cast<uint64_t>(SignalOp::add);
    case FrameKind::again:
      if (peer.datagrams == nullptr || reader_ != &peer.in) return false;
      place = peer.datagrams->again.data();
      return true;
    default:
      return begin_message(frame, place);
  }
}

bool Traffic::begin_message(const Front& frame, std::byte*& place) {
  const FrameHeader& header = frame.header;
  const bool is_long = am_kind(header.kind) == AmKind::long_;
  const uint64_t offset = is_long ? frame.words[0] : 0, size = is_long ? frame.words[1] : header.size;
  if (is_long && (!inside(offset, size) || (header.size != 0 && header.size != size))) return false;
  const uint32_t cost = is_request(header.kind) ? credits_of(frame, header.size) : 0;
  if (reading_->held_credits + cost > request_credits) return false;
  reading_->held_credits += cost;
  Arrival* arrival = arrivals_.make(is_long ? 0 : size);
  const uint8_t leading = is_long ? long_words : 0;
  arrival->kind = header.kind;
  arrival->handler = header.handler;
  arrival->arg_count = static_cast<uint8_t>(header.words - leading);
  arrival->source = reading_->rank;
  arrival->credits = cost;
  arrival->size = size;
  arrival->payload = is_long ? segment_ + offset : arrival->data();
  std::copy_n(frame.words.begin() + leading, arrival->arg_count, arrival->args);
  place = arrival->payload;
  reading_->arriving = arrival;
  return true;
}

bool Traffic::end(const Front& frame) {
  ++frames_;
  if (!carry_out(frame)) return false;
  if (reader_ != &reading_->in) return true;
  reading_->stream_taken += frame.bytes() + frame.header.size;
  return reading_->datagrams == nullptr || carry_out_held();
}

bool Traffic::carry_out(const Front& frame) {
  const auto& words = frame.words;
  switch (frame.header.kind) {
    case FrameKind::nothing:
      return true;
    case FrameKind::signal:
      apply_signal(segment_ + words[1], words[2], static_cast<SignalOp>(words[3]));
      break;
    case FrameKind::put:
      break;
    case FrameKind::fill:
      std::memset(segment_ + words[0], static_cast<int>(words[2]), words[1]);
      break;
    case FrameKind::get:
      answer_get(frame);
      return true;
    case FrameKind::atomic:
      run_atomic_of(frame);
      return true;
    case FrameKind::value:
    case FrameKind::data: {
      const Operation operation = end_operation(*reading_);
      if (operation.kind == Operation::Kind::atomic && operation.destination != nullptr)
        std::memcpy(operation.destination, words.data(), operation.size);
      finish(operation);
      return true;
    }
    case FrameKind::again:
      return take_again(frame);
    default:
      arrivals_.push(std::exchange(reading_->arriving, nullptr));
      return true;
  }
  ++reading_->owed_answers;
  return true;
}

void Traffic::answer_get(const Front& frame) {
  Front front(FrameKind::data, {}, frame.words[1]);
  // Strictly, what comes behind the get may change the memory as soon as this returns.
  const bool keep = !copy_answers_ && frame.words[1] > gather_copy_max;
  send(*reading_, front, segment_ + frame.words[0], frame.words[1], keep, reader_->more(), nullptr);
}

void Traffic::run_atomic_of(const Front& frame) {
  uint64_t before = 0;
  const AtomicRequest request = {.type = static_cast<AtomicType>(frame.words[1] & 0xff),
                                 .op = static_cast<AtomicOp>(frame.words[1] >> 8),
                                 .operand = frame.words[2],
                                 .compare = frame.words[3],
                                 .result = &before};
  run_atomic(segment_ + frame.words[0], request);
  Front front(FrameKind::value, {before}, 0);
  send(*reading_, front, nullptr, 0, false, reader_->more(), nullptr);
}

// ---- Waiting and ending ----

Traffic::Bell Traffic::bell() {
  Bell made;
  if (!arrivals_.empty() || !failure_.text.empty()) return made;
  made.descriptors[made.count++] = {links_.descriptor(), POLLIN, 0};
  if (receiving_) made.descriptors[made.count++] = {receiving_.get(), POLLIN, 0};
  for (Peer* each : listed_) watch_writable(*each, each->channel.takes());
  if (by_epoll_) return made;
  for (const Peer* each : connected_) {
    const short events = each->listed && each->channel.takes() ? POLLIN | POLLOUT : POLLIN;
    made.descriptors[made.count++] = {each->channel.descriptor(), events, 0};
  }
  return made;
}

bool Traffic::all_done() {
  bool done = arrivals_.empty() && listed_.empty();
  for (const auto& each : peers_) {
    if (each == nullptr) continue;
    if (each->owed_credits != 0 && each->channel) send_owed(*each);
    hand_over(*each);  // the kernel sends it again also when this rank has gone
    done = done && each->operations.empty() && !each->unsent() && each->credits == request_credits;
  }
  return done;
}

}  // namespace weft::conduit::ip
