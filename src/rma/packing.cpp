#include "rma/packing.hpp"

#include <algorithm>
#include <cstring>

#include "base/small_copy.hpp"

namespace weft::rma {
namespace {

// A piece at least this large pays for a message of its own.
constexpr size_t large_piece = 2048;
// A part this many times as large as the others is cut into such, so that all are of one size.
constexpr size_t most_cuts = 4;

using base::NearList;
using base::PlaceList;
using base::Row;
using conduit::AmClass;
using conduit::AmDelivery;
using conduit::AmKind;
using core::Internal;
using core::number_of;

using Distance = uint32_t;
struct WirePart {
  uint64_t offset;
  uint64_t size;
};
// The form of a list stands above the number of its parts.
constexpr int form_shift = 56;
constexpr uint64_t count_mask = (uint64_t{1} << form_shift) - 1;

uint64_t as_arg(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// Parts that lie one behind the other.
Row packed(std::byte* start, size_t size) { return {start, static_cast<ptrdiff_t>(size)}; }
// Only read.
Row packed(const void* start, size_t size) { return packed(static_cast<std::byte*>(const_cast<void*>(start)), size); }

std::unique_ptr<std::byte[]> buffer_of(size_t size) { return std::make_unique_for_overwrite<std::byte[]>(size); }

}  // namespace

struct Packer::Scatter {
  conduit::Completion* completion;
  uint64_t size;              // of each piece; 0: they differ
  std::vector<Piece> pieces;  // or all in one place:
  std::byte* whole = nullptr;
  size_t count = 0;
};

void Packer::Shape::add(uint64_t offset, uint64_t size_of_part) {
  if (count == 0) {
    size = size_of_part;
    first = lowest = highest = offset;
  } else {
    if (size_of_part != size) size = 0;
    if (count == 1) distance = offset - last;
    regular = regular && offset - last == distance;
    lowest = std::min(lowest, offset);
    highest = std::max(highest, offset);
  }
  last = offset;
  data += size_of_part;
  ++count;
}

Packer::Form Packer::Shape::form() const {
  if (size == 0) return Form::general;
  if (regular) return Form::regular;
  return highest - lowest <= UINT32_MAX ? Form::near : Form::general;
}

size_t Packer::Shape::list_bytes() const {
  switch (form()) {
    case Form::general:
      return count * sizeof(WirePart);
    case Form::near:
      return count * sizeof(Distance);
    case Form::regular:
      break;
  }
  return 0;
}

Packer::Packer(OneSided& rma, Operation& operation, RankId peer, Direction direction, Flags flags)
    : rma_(rma),
      operation_(operation),
      peer_(peer),
      direction_(direction),
      flags_(flags),
      room_(rma.rank().capabilities().max_medium) {}

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

bool Packer::goes_alone(size_t size) const {
  const conduit::Capabilities& able = rma_.rank().capabilities();
  return size >= large_piece || (able.put_get && !able.pack_pieces);
}

void Packer::add(uint64_t offset, std::byte* local, size_t size) {
  if (declined_ || size == 0) return;
  if (goes_alone(size)) {
    Flags flags = flags_;
    flags.immediate = immediate_now();
    note(direction_ == Direction::put ? rma_.put(operation_, peer_, offset, local, size, flags)
                                      : rma_.get(operation_, local, peer_, offset, size, flags));
    return;
  }
  if (shape_.size != 0 && size != shape_.size) {
    if (size % shape_.size == 0 && size / shape_.size <= most_cuts) {
      const size_t part = shape_.size;
      for (size_t done = 0; done < size; done += part) add_part(offset + done, local + done, part);
      return;
    }
    if (shape_.count == 1 && shape_.size % size == 0 && shape_.size / size <= most_cuts) {
      const Piece only = pieces_[0];
      pieces_.clear();
      shape_ = {};
      for (size_t done = 0; done < only.size; done += size) add_part(only.offset + done, only.local + done, size);
    }
  }
  add_part(offset, local, size);
}

void Packer::add_part(uint64_t offset, std::byte* local, size_t size) {
  Shape shape = shape_;
  shape.add(offset, size);
  // Both the request's list and the data must fit into one message.
  if (shape.list_bytes() + shape.data > room_) {
    flush();
    shape = {};
    shape.add(offset, size);
  }
  if (declined_) return;
  shape_ = shape;
  pieces_.push_back({offset, size, local});
}

void Packer::add(const Pairs& pairs) {
  const size_t most = goes_alone(pairs.size) ? 0 : room_ / (pairs.size + sizeof(Distance));
  for (size_t done = 0; done < pairs.count;) {
    Pairs some = pairs.from(done);
    if (most != 0) some.count = std::min(some.count, most);
    if (most == 0 || !send_near(some)) {
      auto add_piece = [this](uint64_t offset, std::byte* local, size_t size) { add(offset, local, size); };
      Coalescer pieces(add_piece);
      some.for_each_piece([&](uint64_t offset, std::byte* local, size_t size) { pieces.add(offset, local, size); });
      pieces.flush();
    }
    done += some.count;
  }
}

// One message of pairs as they stand. False where another way is better, or the only one: pieces that are few or join
// to larger ones, and those that lie too far apart.
bool Packer::send_near(const Pairs& pairs) {
  if (pairs.count < 4) return false;
  Shape shape;
  shape.size = pairs.size;
  shape.count = pairs.count;
  shape.data = pairs.count * pairs.size;
  shape.lowest = UINT64_MAX;
  auto offsets = base::small_copy::cursor_of(pairs.remote);
  size_t joined = 0;
  uint64_t before = 0;
  for (size_t i = 0; i < pairs.count; ++i) {
    const auto offset = reinterpret_cast<uint64_t>(offsets.next());
    shape.lowest = std::min(shape.lowest, offset);
    shape.highest = std::max(shape.highest, offset);
    joined += offset - before == pairs.size ? 1 : 0;
    before = offset;
  }
  if (shape.highest - shape.lowest > UINT32_MAX || joined > pairs.count / 2) return false;
  flush();
  if (declined_) return true;
  const size_t list = pairs.count * sizeof(Distance);
  const bool put = direction_ == Direction::put;
  const size_t size = list + (put ? shape.data : 0);
  const auto buffer = buffer_of(size);
  offsets = base::small_copy::cursor_of(pairs.remote);
  for (size_t i = 0; i < pairs.count; ++i) {
    const auto distance = static_cast<Distance>(reinterpret_cast<uint64_t>(offsets.next()) - shape.lowest);
    std::memcpy(buffer.get() + i * sizeof distance, &distance, sizeof distance);
  }
  std::unique_ptr<Scatter> scatter;
  if (put && pairs.whole != nullptr) {
    std::memcpy(buffer.get() + list, pairs.whole, shape.data);
  } else if (put) {
    base::copy_elements(pairs.size, packed(buffer.get() + list, pairs.size), pairs.local, pairs.count);
  } else {
    scatter = std::unique_ptr<Scatter>(new Scatter{&operation_.completion, pairs.size, {}});
    scatter->whole = pairs.whole;
    scatter->count = pairs.count;
    if (pairs.whole == nullptr) {
      scatter->pieces.reserve(pairs.count);
      pairs.for_each_piece([&](uint64_t offset, std::byte* local, size_t) {
        scatter->pieces.push_back({offset, pairs.size, local});
      });
    }
  }
  send(shape, Form::near, buffer.get(), size, std::move(scatter));
  return true;
}

void Packer::flush() {
  if (pieces_.empty()) return;
  const Form form = shape_.form();
  const size_t list = shape_.list_bytes();
  const bool put = direction_ == Direction::put;
  const size_t size = list + (put ? shape_.data : 0);
  const auto buffer = buffer_of(size);
  std::byte* to = buffer.get();
  for (const Piece& piece : pieces_) {
    if (form == Form::regular) break;
    const WirePart part{piece.offset, piece.size};
    const auto distance = static_cast<Distance>(piece.offset - shape_.lowest);
    const bool near = form == Form::near;
    std::memcpy(to, near ? static_cast<const void*>(&distance) : &part, near ? sizeof distance : sizeof part);
    to += near ? sizeof distance : sizeof part;
  }
  std::unique_ptr<Scatter> scatter;
  if (!put) {
    scatter = std::unique_ptr<Scatter>(new Scatter{&operation_.completion, shape_.size, std::move(pieces_)});
  } else if (shape_.size != 0) {
    base::copy_elements(shape_.size, packed(to, shape_.size), PlaceList{0, &pieces_[0].local, sizeof(Piece)},
                        pieces_.size());
  } else {
    for (const Piece& piece : pieces_) {
      base::copy_piece(to, piece.local, piece.size);
      to += piece.size;
    }
  }
  send(shape_, form, buffer.get(), size, std::move(scatter));
  pieces_.clear();
  shape_ = {};
}

void Packer::send(const Shape& shape, Form form, const std::byte* payload, size_t size,
                  std::unique_ptr<Scatter> scatter) {
  const uint64_t args[] = {scatter ? as_arg(scatter.get()) : as_arg(&operation_.completion),
                           shape.count | static_cast<uint64_t>(form) << form_shift, shape.size,
                           form == Form::regular ? shape.first : shape.lowest, shape.distance};
  const Internal handler = scatter ? Internal::vis_get_request : Internal::vis_put;
  const Result result = rma_.reference().send_piece(operation_, peer_,
                                                    {.kind = AmKind::medium,
                                                     .handler = number_of(handler),
                                                     .arg_count = static_cast<uint8_t>(form == Form::general ? 2 : 5),
                                                     .args = args,
                                                     .payload = payload,
                                                     .size = size},
                                                    immediate_now());
  note(result);
  if (result != Result::posted) return;
  if (scatter)
    (void)scatter.release();  // on_get_reply() deletes it
  else
    operation_.completion.finish_local();
}

Result Packer::finish() {
  if (!declined_) flush();
  return declined_ ? Result::retry : posted_ ? Result::posted : Result::done;
}

// A list as a message has it: behind the first argument form and number of the parts; where they are of one size, size,
// base and distance, too.
struct Packer::Received {
  Form form;
  size_t count;
  size_t size = 0;     // of each part, but for the general form
  std::byte* base;     // of the distances; else the segment, or the first part
  ptrdiff_t distance;  // of the regular form
  const std::byte* list;
  const std::byte* data;  // behind the list

  Received(const AmDelivery& message, std::byte* segment)
      : form(static_cast<Form>(message.args[1] >> form_shift)),
        count(message.args[1] & count_mask),
        base(segment),
        distance(0),
        list(static_cast<const std::byte*>(message.payload)),
        data(list) {
    if (form == Form::general) {
      data += count * sizeof(WirePart);
      return;
    }
    size = message.args[2];
    base += message.args[3];
    distance = static_cast<ptrdiff_t>(message.args[4]);
    if (form == Form::near) data += count * sizeof(Distance);
  }

  /// Calls consumer(address, size) for the parts of the general form.
  template <class Consumer>
  void for_each(Consumer consumer) const {
    for (size_t i = 0; i < count; ++i) {
      WirePart part;
      std::memcpy(&part, list + i * sizeof part, sizeof part);
      consumer(base + part.offset, part.size);
    }
  }
  size_t bytes() const {
    if (form != Form::general) return count * size;
    size_t sum = 0;
    for_each([&](const std::byte*, size_t part) { sum += part; });
    return sum;
  }
};

// args: completion, list; payload: list, data
void Packer::on_put(void* self, const AmDelivery& message) {
  auto& rank = *static_cast<core::Rank*>(self);
  const Received parts(message, rank.conduit().segment());
  if (parts.form == Form::near) {
    base::copy_elements(parts.size, NearList{parts.base, parts.list}, packed(parts.data, parts.size), parts.count);
  } else if (parts.form == Form::regular) {
    base::copy_elements(parts.size, Row{parts.base, parts.distance}, packed(parts.data, parts.size), parts.count);
  } else {
    parts.for_each([from = parts.data](std::byte* to, size_t size) mutable {
      base::copy_piece(to, from, size);
      from += size;
    });
  }
  rank.conduit().am_send(message.source, AmClass::reply,
                         {.handler = number_of(Internal::acknowledge), .arg_count = 1, .args = message.args});
}

// args: scatter, list; payload: list. The reply is packed straight into the message.
void Packer::on_get_request(void* self, const AmDelivery& message) {
  auto& rank = *static_cast<core::Rank*>(self);
  const Received parts(message, rank.conduit().segment());
  const size_t size = parts.bytes();
  conduit::AmRoom room;
  // A reply's room never declines (conduit.hpp, AmSink).
  rank.conduit().am_prepare(message.source, AmClass::reply, size, room);
  auto* const to = static_cast<std::byte*>(room.data);
  if (parts.form == Form::near) {
    base::copy_elements(parts.size, packed(to, parts.size), NearList{parts.base, parts.list}, parts.count);
  } else if (parts.form == Form::regular) {
    base::copy_elements(parts.size, packed(to, parts.size), Row{parts.base, parts.distance}, parts.count);
  } else {
    parts.for_each([at = to](const std::byte* from, size_t part) mutable {
      base::copy_piece(at, from, part);
      at += part;
    });
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
  const std::vector<Piece>& pieces = scatter->pieces;
  if (scatter->whole != nullptr) {
    std::memcpy(scatter->whole, from, scatter->count * scatter->size);
  } else if (scatter->size != 0) {
    base::copy_elements(scatter->size, PlaceList{0, &pieces[0].local, sizeof(Piece)}, packed(from, scatter->size),
                        pieces.size());
  } else {
    for (const Piece& piece : pieces) {
      base::copy_piece(piece.local, from, piece.size);
      from += piece.size;
    }
  }
  scatter->completion->finish_local();
  scatter->completion->finish_remote();
}

}  // namespace weft::rma
