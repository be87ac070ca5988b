#include "rma/atomic_list.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "conduit/cpu_atomic.hpp"

namespace weft::rma {
namespace {

using conduit::AmDelivery;
using conduit::AmKind;
using conduit::AtomicOp;
using conduit::AtomicType;
using core::Internal;
using core::number_of;
// How far a location is from the base: in operands where that is short, in bytes else.
using Near = uint16_t;
using Far = uint32_t;
constexpr uint64_t kNear = 1 << 16;  // a bit of the message's operation

uint64_t as_arg(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

template <class T, class Bits, class Location>
void run_all(AtomicOp op, size_t count, const std::byte* operands, Location location) {
  for (size_t i = 0; i < count; ++i) {
    T operand{};
    if (operands != nullptr) std::memcpy(&operand, operands + i * sizeof(T), sizeof(T));
    conduit::apply_atomic<T, Bits>(location(i), op, operand, T{});
  }
}

// location(i) is where number i is.
template <class Location>
void run_all(AtomicType type, AtomicOp op, size_t count, const std::byte* operands, Location location) {
  switch (type) {
    case AtomicType::i32:
      return run_all<int32_t, uint32_t>(op, count, operands, location);
    case AtomicType::u32:
      return run_all<uint32_t, uint32_t>(op, count, operands, location);
    case AtomicType::i64:
      return run_all<int64_t, uint64_t>(op, count, operands, location);
    case AtomicType::u64:
      return run_all<uint64_t, uint64_t>(op, count, operands, location);
    case AtomicType::f32:
      return run_all<float, uint32_t>(op, count, operands, location);
    case AtomicType::f64:
      return run_all<double, uint64_t>(op, count, operands, location);
  }
}

template <class Distance>
void run_message(std::byte* base, uint64_t unit, AtomicType type, AtomicOp op, const AmDelivery& message) {
  const size_t count = message.args[2];
  const auto* distances = static_cast<const std::byte*>(message.payload);
  const std::byte* operands = distances + count * sizeof(Distance);
  if (message.size == count * sizeof(Distance)) operands = nullptr;
  run_all(type, op, count, operands, [=](size_t i) {
    Distance distance;
    std::memcpy(&distance, distances + i * sizeof distance, sizeof distance);
    return base + distance * unit;
  });
}

// args: completion, type, op and kNear, locations, base; payload: distances, operands
void on_list(void* self, const AmDelivery& message) {
  auto& rank = *static_cast<core::Rank*>(self);
  const auto type = static_cast<AtomicType>(message.args[1] & 0xff);
  const auto op = static_cast<AtomicOp>(message.args[1] >> 8 & 0xff);
  std::byte* const base = rank.conduit().segment() + message.args[3];
  if ((message.args[1] & kNear) != 0)
    run_message<Near>(base, conduit::atomic_size(type), type, op, message);
  else
    run_message<Far>(base, 1, type, op, message);
  rank.conduit().am_send(message.source, conduit::AmClass::reply,
                         {.handler = number_of(Internal::acknowledge), .arg_count = 1, .args = message.args});
}

// Locations that one message names, the first ones of some: how many, and from where.
struct Reach {
  size_t count;
  uint64_t base;
  bool near;
};

Reach reach_of(const size_t* offsets, size_t count, size_t size, size_t operand, size_t payload) {
  const size_t near = std::min(count, payload / (sizeof(Near) + operand));
  const size_t far = std::min(count, payload / (sizeof(Far) + operand));
  const uint64_t widest = size * std::numeric_limits<Near>::max();
  uint64_t lowest = offsets[0], highest = offsets[0];
  size_t taken = 1;
  for (; taken < near; ++taken) {
    lowest = std::min<uint64_t>(lowest, offsets[taken]);
    highest = std::max<uint64_t>(highest, offsets[taken]);
    if (highest - lowest > widest) break;
  }
  // `lowest` may be that of a location that is too far for the message.
  if (taken >= far) return {taken, taken == near ? lowest : *std::min_element(offsets, offsets + taken), true};
  // Locations on both sides of the first one.
  constexpr uint64_t half = UINT64_C(1) << 31;
  const uint64_t base = offsets[0] < half ? 0 : offsets[0] - half;
  const auto* const end = std::find_if(
      offsets, offsets + far, [&](uint64_t offset) { return offset - base > std::numeric_limits<Far>::max(); });
  return {static_cast<size_t>(end - offsets), base, false};
}

template <class Distance>
void put_distances(std::byte* to, const size_t* offsets, const Reach& reach, uint64_t unit) {
  for (size_t i = 0; i < reach.count; ++i) {
    const auto distance = static_cast<Distance>((offsets[i] - reach.base) / unit);
    std::memcpy(to + i * sizeof distance, &distance, sizeof distance);
  }
}

// Whether two updates of a location leave the same in either order.
bool commutes(const AtomicList& list) {
  return list.op != AtomicOp::set && list.type != AtomicType::f32 && list.type != AtomicType::f64;
}

Result one_by_one(OneSided& rma, Operation& operation, RankId peer, const AtomicList& list) {
  const size_t size = conduit::atomic_size(list.type);
  for (size_t i = 0; i < list.count; ++i) {
    conduit::AtomicRequest request{.type = list.type, .op = list.op};
    if (list.operands != nullptr) std::memcpy(&request.operand, list.operands + i * size, size);
    (void)rma.atomic(operation, peer, list.offsets[i], request, {});
    if (!commutes(list)) rma.wait_remote(operation);
  }
  rma.wait_remote(operation);
  return Result::posted;
}

}  // namespace

void install_atomic_list(core::Rank& rank) { rank.handlers().add_internal(Internal::atomic_list, on_list, &rank); }

void run_atomics(std::byte* base, const AtomicList& list) {
  run_all(list.type, list.op, list.count, list.operands, [&](size_t i) { return base + list.offsets[i]; });
}

Result begin_atomics(OneSided& rma, Operation& operation, RankId peer, const AtomicList& list, Flags flags) {
  if (list.count == 0) return Result::done;
  const conduit::Capabilities& able = rma.rank().capabilities();
  if (able.atomics && !able.pack_pieces) return one_by_one(rma, operation, peer, list);
  const size_t size = conduit::atomic_size(list.type);
  const size_t operand = list.operands == nullptr ? 0 : size;
  const size_t most = std::min(able.max_medium, list.count * (sizeof(Far) + operand));
  const auto payload = std::make_unique_for_overwrite<std::byte[]>(most);
  for (size_t done = 0; done < list.count;) {
    const size_t* const offsets = list.offsets + done;
    const Reach reach = reach_of(offsets, list.count - done, size, operand, able.max_medium);
    if (reach.near)
      put_distances<Near>(payload.get(), offsets, reach, size);
    else
      put_distances<Far>(payload.get(), offsets, reach, 1);
    const size_t distances = reach.count * (reach.near ? sizeof(Near) : sizeof(Far));
    if (operand != 0) std::memcpy(payload.get() + distances, list.operands + done * operand, reach.count * operand);
    const uint64_t what = static_cast<uint64_t>(list.type) | static_cast<uint64_t>(list.op) << 8;
    const uint64_t args[] = {as_arg(&operation.completion), what | (reach.near ? kNear : 0), reach.count, reach.base};
    const Result result = rma.reference().send_piece(operation, peer,
                                                     {.kind = AmKind::medium,
                                                      .handler = number_of(Internal::atomic_list),
                                                      .arg_count = 4,
                                                      .args = args,
                                                      .payload = payload.get(),
                                                      .size = distances + reach.count * operand},
                                                     flags.immediate && done == 0);
    if (result == Result::retry) return result;
    operation.completion.finish_local();
    done += reach.count;
  }
  return Result::posted;
}

}  // namespace weft::rma
