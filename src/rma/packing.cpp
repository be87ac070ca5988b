#include "rma/packing.hpp"

#include <cstring>

namespace weft::rma {
namespace {

// A piece at least this large pays for a message of its own.
constexpr size_t large_piece = 2048;

using conduit::AmClass;
using conduit::AmDelivery;
using conduit::AmKind;
using core::Internal;
using core::number_of;

uint64_t as_arg(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

}  // namespace

struct Packer::Scatter {
  conduit::Completion* completion;
  std::vector<WirePart> parts;
  std::vector<std::byte*> local;
};

Packer::Packer(Engine& engine, Operation& operation, RankId peer, Direction direction, Flags flags)
    : engine_(engine),
      operation_(operation),
      peer_(peer),
      direction_(direction),
      flags_(flags),
      room_(engine.rank().capabilities().max_medium) {}

void Packer::install(core::Rank& rank) {
  rank.handlers().add_internal(Internal::vis_put, on_put, &rank);
  rank.handlers().add_internal(Internal::vis_get_request, on_get_request, &rank);
  rank.handlers().add_internal(Internal::vis_get_reply, on_get_reply, &rank);
}

void Packer::note(Result result) {
  if (result == Result::retry)
    declined_ = true;
  else
    begun_ = true;
  if (result == Result::posted) posted_ = true;
}

void Packer::add(uint64_t offset, std::byte* local, size_t size) {
  if (declined_ || size == 0) return;
  const conduit::Capabilities& able = engine_.rank().capabilities();
  if (size >= large_piece || (able.put_get && !able.pack_pieces)) {
    Flags flags = flags_;
    flags.immediate = immediate_now();
    note(direction_ == Direction::put ? engine_.put(operation_, peer_, offset, local, size, flags)
                                      : engine_.get(operation_, local, peer_, offset, size, flags));
    return;
  }
  // Both the request's list and the data must fit into one message.
  if ((parts_.size() + 1) * sizeof(WirePart) + data_size_ + size > room_) flush();
  if (declined_) return;
  parts_.push_back({offset, size});
  local_.push_back(local);
  data_size_ += size;
}

void Packer::flush() {
  if (parts_.empty()) return;
  std::vector<std::byte> buffer(parts_.size() * sizeof(WirePart) +
                                (direction_ == Direction::put ? data_size_ : 0));
  std::memcpy(buffer.data(), parts_.data(), parts_.size() * sizeof(WirePart));
  const size_t count = parts_.size();
  if (direction_ == Direction::put) {
    std::byte* to = buffer.data() + count * sizeof(WirePart);
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(to, local_[i], parts_[i].size);
      to += parts_[i].size;
    }
  }
  std::unique_ptr<Scatter> scatter;
  if (direction_ == Direction::get) {
    scatter = std::make_unique<Scatter>(&operation_.completion, std::move(parts_), std::move(local_));
  }
  const uint64_t args[] = {scatter ? as_arg(scatter.get()) : as_arg(&operation_.completion), count};
  const Internal handler = scatter ? Internal::vis_get_request : Internal::vis_put;
  Result result = engine_.reference().send_piece(operation_, peer_,
                                                 {.kind = AmKind::medium,
                                                  .handler = number_of(handler),
                                                  .arg_count = 2,
                                                  .args = args,
                                                  .payload = buffer.data(),
                                                  .size = buffer.size()},
                                                 immediate_now());
  note(result);
  if (result == Result::posted) {
    if (scatter)
      scatter.release();  // on_get_reply() deletes it
    else
      operation_.completion.finish_local();
  }
  parts_.clear();
  local_.clear();
  data_size_ = 0;
}

Result Packer::finish() {
  if (!declined_) flush();
  return declined_ ? Result::retry : posted_ ? Result::posted : Result::done;
}

// args: completion, number of parts; payload: parts, data
void Packer::on_put(void* self, const AmDelivery& message) {
  auto& rank = *static_cast<core::Rank*>(self);
  const auto* parts = static_cast<const WirePart*>(message.payload);
  const auto* data = reinterpret_cast<const std::byte*>(parts + message.args[1]);
  for (uint64_t i = 0; i < message.args[1]; ++i) {
    std::memcpy(rank.conduit().segment() + parts[i].offset, data, parts[i].size);
    data += parts[i].size;
  }
  rank.conduit().am_send(message.source, AmClass::reply,
                         {.handler = number_of(Internal::acknowledge), .arg_count = 1, .args = message.args});
}

// args: scatter, number of parts; payload: parts. The reply is packed straight into the message.
void Packer::on_get_request(void* self, const AmDelivery& message) {
  auto& rank = *static_cast<core::Rank*>(self);
  const auto* parts = static_cast<const WirePart*>(message.payload);
  size_t size = 0;
  for (uint64_t i = 0; i < message.args[1]; ++i) size += parts[i].size;
  conduit::AmRoom room;
  // A reply's room never declines (conduit.hpp, AmSink).
  rank.conduit().am_prepare(message.source, AmClass::reply, size, room);
  auto* to = static_cast<std::byte*>(room.data);
  for (uint64_t i = 0; i < message.args[1]; ++i) {
    std::memcpy(to, rank.conduit().segment() + parts[i].offset, parts[i].size);
    to += parts[i].size;
  }
  rank.conduit().am_commit(message.source, AmClass::reply,
                           {.kind = AmKind::medium,
                            .handler = number_of(Internal::vis_get_reply),
                            .arg_count = 1,
                            .args = message.args,
                            .payload = room.data,
                            .size = size});
}

void Packer::on_get_reply(void*, const AmDelivery& message) {
  std::unique_ptr<Scatter> scatter(reinterpret_cast<Scatter*>(message.args[0]));
  const auto* from = static_cast<const std::byte*>(message.payload);
  for (size_t i = 0; i < scatter->parts.size(); ++i) {
    std::memcpy(scatter->local[i], from, scatter->parts[i].size);
    from += scatter->parts[i].size;
  }
  scatter->completion->finish_local();
  scatter->completion->finish_remote();
}

}  // namespace weft::rma
