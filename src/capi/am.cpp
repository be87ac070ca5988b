#include "weft/am.h"

#include <cstdlib>

#include "capi/state.hpp"

namespace weft::capi {
namespace {

using conduit::AmClass;
using conduit::AmDelivery;
using conduit::AmKind;
using conduit::AmMessage;
using conduit::Result;

void check_args(const char* function, const uint64_t* args, uint32_t count) {
  if (count > WEFT_AM_ARGS) misuse("%s: %u arguments; the most is %d", function, count, WEFT_AM_ARGS);
  check_pointer(function, args, count, "list of arguments");
}

AmMessage make_message(AmKind kind, weft_am_id_t id, const uint64_t* args, uint32_t arg_count) {
  return {.kind = kind, .handler = id, .arg_count = static_cast<uint8_t>(arg_count), .args = args};
}

// The peer's queue is full.
[[gnu::noinline]] int request_again(Thread& thread, weft_rank_t peer, const AmMessage& message, unsigned flags) {
  if ((flags & WEFT_IMMEDIATE) != 0) return WEFT_RETRY;
  conduit::Conduit& conduit = *thread.conduit;
  thread.progress->wait([&] { return conduit.am_send(peer, AmClass::request, message) != Result::retry; });
  return WEFT_OK;
}

inline int request(Thread& thread, weft_rank_t peer, const AmMessage& message, unsigned flags) {
  const Result result = thread.conduit->am_send(peer, AmClass::request, message);
  return __builtin_expect(result != Result::retry, 1) ? WEFT_OK : request_again(thread, peer, message, flags);
}

// The request that a reply answers; it is answered from now on.
const AmDelivery& take_request(const char* function, const void* token) {
  const auto& delivery = *static_cast<const AmDelivery*>(token);
  if (delivery.message_class != AmClass::request) misuse("%s: a reply's handler may not reply", function);
  if (delivery.replied) misuse("%s: the request has been replied to already", function);
  delivery.replied = true;
  return delivery;
}

int reply(const char* function, const weft_am_t* request_message, const AmMessage& message) {
  Thread& thread = enter_anywhere(function);
  const AmDelivery& delivery = take_request(function, request_message->token);
  // The contract keeps room for one reply per request (conduit.hpp, AmSink).
  if (thread.conduit->am_send(delivery.source, AmClass::reply, message) == Result::retry)
    misuse("%s: the conduit had no room for a reply, which its contract forbids", function);
  return WEFT_OK;
}

void check_medium(Thread& thread, const char* function, size_t size) {
  const size_t most = thread.rank->core->capabilities().max_medium;
  if (size > most)
    misuse("%s: a medium payload of %zu bytes; the most is %zu (weft_am_max_medium)", function, size, most);
}

// What weft_am_buffer.kind says between prepare and commit.
enum BufferKind : int {
  nothing,        // sent, cancelled, or never prepared
  medium_room,    // in the conduit
  long_room,      // in the conduit; the target's conduit moves it to its place
  long_in_place,  // the peer's memory itself
  long_bounced    // on the heap
};

// The caller takes what was prepared, once.
BufferKind take(const char* function, weft_am_buffer_t& buffer) {
  const auto kind = static_cast<BufferKind>(buffer.kind);
  if (kind <= nothing || kind > long_bounced)
    misuse("%s: there is no prepared message in the buffer; it was sent or cancelled already, or never prepared",
           function);
  buffer.kind = nothing;
  return kind;
}

AmClass class_of(const weft_am_buffer_t& buffer) { return buffer.token ? AmClass::reply : AmClass::request; }

// One that is not committed is missed in weft_finalize. Checked mode: from here to the commit this thread calls
// nothing; a handler calls little anyway.
void note_prepared(Thread& thread, const char* function) {
  ++thread.prepared;
  thread.prepared_by = function;
  if (!thread.rank->check || thread.context.handler != nullptr) return;
  thread.context.handler = function;
  thread.restriction = Restriction::prepared_message;
}
void note_sent(Thread& thread) {
  --thread.prepared;
  if (thread.restriction != Restriction::prepared_message) return;
  thread.context.handler = nullptr;
  thread.restriction = Restriction::handler;
}

int prepare_room(Thread& thread, weft_rank_t peer, AmClass message_class, size_t capacity, unsigned flags,
                 weft_am_buffer_t* buffer) {
  conduit::Conduit& conduit = *thread.conduit;
  conduit::AmRoom room;
  Result result = conduit.am_prepare(peer, message_class, capacity, room);
  if (result == Result::retry && (flags & WEFT_IMMEDIATE) == 0)
    thread.progress->wait(
        [&] { return (result = conduit.am_prepare(peer, message_class, capacity, room)) != Result::retry; });
  if (result == Result::retry) return WEFT_RETRY;
  buffer->data = room.data;
  buffer->capacity = capacity;
  buffer->peer = peer;
  note_prepared(thread, thread.context.call);
  return WEFT_OK;
}

}  // namespace
}  // namespace weft::capi

using namespace weft::capi;
namespace rma = weft::rma;

extern "C" {

int weft_am_register(const weft_am_entry_t* entries, size_t count) {
  Thread& thread = enter("weft_am_register");
  check_pointer("weft_am_register", entries, count, "table of handlers");
  weft::core::Rank& rank = *thread.rank->core;
  const weft::Status status = rank.handlers().add(entries, count);
  if (!status.ok()) return status.code();
  // Told before the tables are compared, so that a rank that makes another call meanwhile is noticed.
  if (!thread.rank->barrier.notify(0, true, weft::coll::Occasion::register_handlers).ok())
    misuse("weft_am_register was called between weft_barrier_notify and weft_barrier_wait");
  {
    weft::coll::Barrier::Waiting waiting(thread.rank->barrier);
    if (!rank.handlers().compare(entries, count, rank.conduit(), rank.progress(), [&] { waiting.look(); }).ok())
      end_job(*thread.rank, 1, "active-message handler tables differ");
  }
  // Nobody sends before everybody can receive.
  (void)thread.rank->barrier.wait(0, true);
  return WEFT_OK;
}

size_t weft_am_max_medium(void) { return enter_anywhere("weft_am_max_medium").rank->core->capabilities().max_medium; }

size_t weft_am_max_reply_long(void) {
  return enter_anywhere("weft_am_max_reply_long").rank->core->capabilities().max_long;
}

// ---- Requests ----

int weft_am_request_short(weft_rank_t peer, weft_am_id_t id, const uint64_t* args, uint32_t arg_count, unsigned flags) {
  Thread& thread = enter("weft_am_request_short");
  check_flags(thread, "weft_am_request_short", flags);
  check_peer(thread, "weft_am_request_short", peer);
  check_args("weft_am_request_short", args, arg_count);
  return request(thread, peer, make_message(AmKind::short_, id, args, arg_count), flags);
}

int weft_am_request_medium(weft_rank_t peer, weft_am_id_t id, const void* payload, size_t size, const uint64_t* args,
                           uint32_t arg_count, unsigned flags) {
  Thread& thread = enter("weft_am_request_medium");
  check_flags(thread, "weft_am_request_medium", flags);
  check_peer(thread, "weft_am_request_medium", peer);
  check_args("weft_am_request_medium", args, arg_count);
  check_pointer("weft_am_request_medium", payload, size, "payload");
  check_medium(thread, "weft_am_request_medium", size);
  AmMessage message = make_message(AmKind::medium, id, args, arg_count);
  message.payload = payload;
  message.size = size;
  return request(thread, peer, message, flags);
}

int weft_am_request_long(weft_rank_t peer, weft_am_id_t id, size_t offset, const void* payload, size_t size,
                         const uint64_t* args, uint32_t arg_count, unsigned flags) {
  Thread& thread = enter("weft_am_request_long");
  check_flags(thread, "weft_am_request_long", flags);
  check_range(thread, "weft_am_request_long", peer, offset, size);
  check_args("weft_am_request_long", args, arg_count);
  check_pointer("weft_am_request_long", payload, size, "payload");
  AmMessage message = make_message(AmKind::long_, id, args, arg_count);
  message.size = size;
  message.offset = offset;
  if (size <= thread.rank->core->capabilities().max_long) {
    message.payload = payload;
    return request(thread, peer, message, flags);
  }
  // Too large for one message: the data goes first, the message follows when it is in place. It cannot be declined
  // half-way, so with WEFT_IMMEDIATE it is declined only before the data.
  rma::Operation data;
  const weft::rma::Result result =
      thread.rank->rma.put(data, peer, offset, payload, size, {.immediate = (flags & WEFT_IMMEDIATE) != 0});
  if (result == weft::rma::Result::retry) return WEFT_RETRY;
  if (result == weft::rma::Result::posted) thread.rank->rma.wait_remote(data);
  return request(thread, peer, message, 0);
}

// ---- Replies ----

int weft_am_reply_short(const weft_am_t* request_message, weft_am_id_t id, const uint64_t* args, uint32_t arg_count) {
  check_pointer("weft_am_reply_short", request_message, "request");
  check_args("weft_am_reply_short", args, arg_count);
  return reply("weft_am_reply_short", request_message, make_message(AmKind::short_, id, args, arg_count));
}

int weft_am_reply_medium(const weft_am_t* request_message, weft_am_id_t id, const void* payload, size_t size,
                         const uint64_t* args, uint32_t arg_count) {
  check_pointer("weft_am_reply_medium", request_message, "request");
  check_args("weft_am_reply_medium", args, arg_count);
  check_pointer("weft_am_reply_medium", payload, size, "payload");
  check_medium(enter_anywhere("weft_am_reply_medium"), "weft_am_reply_medium", size);
  AmMessage message = make_message(AmKind::medium, id, args, arg_count);
  message.payload = payload;
  message.size = size;
  return reply("weft_am_reply_medium", request_message, message);
}

int weft_am_reply_long(const weft_am_t* request_message, weft_am_id_t id, size_t offset, const void* payload,
                       size_t size, const uint64_t* args, uint32_t arg_count) {
  Thread& thread = enter_anywhere("weft_am_reply_long");
  check_pointer("weft_am_reply_long", request_message, "request");
  check_range(thread, "weft_am_reply_long", request_message->source, offset, size);
  check_args("weft_am_reply_long", args, arg_count);
  check_pointer("weft_am_reply_long", payload, size, "payload");
  const size_t most = thread.rank->core->capabilities().max_long;
  if (size > most)
    misuse("weft_am_reply_long: a payload of %zu bytes; the most is %zu (weft_am_max_reply_long)", size, most);
  AmMessage message = make_message(AmKind::long_, id, args, arg_count);
  message.payload = payload;
  message.size = size;
  message.offset = offset;
  return reply("weft_am_reply_long", request_message, message);
}

// ---- Negotiated payload ----

int weft_am_prepare_medium(weft_rank_t peer, size_t capacity, unsigned flags, weft_am_buffer_t* buffer) {
  Thread& thread = enter("weft_am_prepare_medium");
  check_pointer("weft_am_prepare_medium", buffer, "buffer");
  check_flags(thread, "weft_am_prepare_medium", flags);
  check_peer(thread, "weft_am_prepare_medium", peer);
  check_medium(thread, "weft_am_prepare_medium", capacity);
  buffer->kind = medium_room;
  buffer->token = nullptr;
  return prepare_room(thread, peer, AmClass::request, capacity, flags, buffer);
}

int weft_am_prepare_reply_medium(const weft_am_t* request_message, size_t capacity, weft_am_buffer_t* buffer) {
  Thread& thread = enter_anywhere("weft_am_prepare_reply_medium");
  check_pointer("weft_am_prepare_reply_medium", request_message, "request");
  check_pointer("weft_am_prepare_reply_medium", buffer, "buffer");
  check_medium(thread, "weft_am_prepare_reply_medium", capacity);
  take_request("weft_am_prepare_reply_medium", request_message->token);
  buffer->kind = medium_room;
  buffer->token = request_message->token;
  return prepare_room(thread, request_message->source, AmClass::reply, capacity, 0, buffer);
}

int weft_am_prepare_long(weft_rank_t peer, size_t offset, size_t capacity, unsigned flags, weft_am_buffer_t* buffer) {
  Thread& thread = enter("weft_am_prepare_long");
  check_pointer("weft_am_prepare_long", buffer, "buffer");
  check_flags(thread, "weft_am_prepare_long", flags);
  check_range(thread, "weft_am_prepare_long", peer, offset, capacity);
  buffer->token = nullptr;
  buffer->offset = offset;
  if (std::byte* base = thread.conduit->mapped(peer)) {
    buffer->kind = long_in_place;
    buffer->data = base + offset;
  } else if (capacity <= thread.rank->core->capabilities().max_medium) {
    buffer->kind = long_room;
    return prepare_room(thread, peer, AmClass::request, capacity, flags, buffer);
  } else {
    buffer->kind = long_bounced;
    buffer->data = std::malloc(capacity);
    if (buffer->data == nullptr) return WEFT_ERR_NO_MEMORY;
  }
  buffer->capacity = capacity;
  buffer->peer = peer;
  note_prepared(thread, "weft_am_prepare_long");
  return WEFT_OK;
}

int weft_am_commit(weft_am_buffer_t* buffer, size_t size, weft_am_id_t id, const uint64_t* args, uint32_t arg_count) {
  Thread& thread = enter_anywhere("weft_am_commit");
  check_pointer("weft_am_commit", buffer, "buffer");
  note_sent(thread);
  check_args("weft_am_commit", args, arg_count);
  const BufferKind kind = take("weft_am_commit", *buffer);
  if (size > buffer->capacity) misuse("weft_am_commit: %zu bytes; %zu were prepared", size, buffer->capacity);
  if (kind == long_bounced) {
    const int status = weft_am_request_long(buffer->peer, id, buffer->offset, buffer->data, size, args, arg_count, 0);
    std::free(buffer->data);
    return status;
  }
  AmMessage message = make_message(kind == medium_room ? AmKind::medium : AmKind::long_, id, args, arg_count);
  message.size = size;
  if (kind == long_in_place) {
    message.offset = buffer->offset;
    return request(thread, buffer->peer, message, 0);
  }
  message.payload = buffer->data;
  if (kind == long_room) message.offset = buffer->offset;
  thread.conduit->am_commit(buffer->peer, class_of(*buffer), message);
  return WEFT_OK;
}

int weft_am_cancel(weft_am_buffer_t* buffer) {
  Thread& thread = enter_anywhere("weft_am_cancel");
  check_pointer("weft_am_cancel", buffer, "buffer");
  note_sent(thread);
  const BufferKind kind = take("weft_am_cancel", *buffer);
  if (kind == long_bounced) std::free(buffer->data);
  if (kind == medium_room || kind == long_room) thread.conduit->am_cancel(buffer->peer, class_of(*buffer));
  // Nothing was sent: the request can still be answered.
  if (buffer->token) static_cast<const AmDelivery*>(buffer->token)->replied = false;
  return WEFT_OK;
}

}  // extern "C"
