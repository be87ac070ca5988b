#include "rma/atomic_list.hpp"

#include <cstring>
#include <vector>

#include "conduit/cpu_atomic.hpp"

namespace weft::rma {
namespace {

using conduit::AmDelivery;
using conduit::AmKind;
using conduit::AtomicOp;
using conduit::AtomicType;
using core::Internal;
using core::number_of;
using Distance = uint32_t;

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

// args: completion, type and op, locations, base; payload: distances, operands
void on_list(void* self, const AmDelivery& message) {
  auto& rank = *static_cast<core::Rank*>(self);
  const auto type = static_cast<AtomicType>(message.args[1] & 0xff);
  const auto op = static_cast<AtomicOp>(message.args[1] >> 8);
  const size_t count = message.args[2];
  std::byte* const base = rank.conduit().segment() + message.args[3];
  const auto* distances = static_cast<const std::byte*>(message.payload);
  const std::byte* operands = distances + count * sizeof(Distance);
  if (message.size == count * sizeof(Distance)) operands = nullptr;
  run_all(type, op, count, operands, [=](size_t i) {
    Distance distance;
    std::memcpy(&distance, distances + i * sizeof distance, sizeof distance);
    return base + distance;
  });
  rank.conduit().am_send(message.source, conduit::AmClass::reply,
                         {.handler = number_of(Internal::acknowledge), .arg_count = 1, .args = message.args});
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
  const size_t operand = list.operands == nullptr ? 0 : conduit::atomic_size(list.type);
  const size_t room = able.max_medium / (sizeof(Distance) + operand);
  std::vector<std::byte> payload(std::min(room, list.count) * (sizeof(Distance) + operand));
  for (size_t done = 0; done < list.count;) {
    // Locations on both sides of the first one are near enough.
    constexpr uint64_t reach = UINT64_C(1) << 31;
    const uint64_t base = list.offsets[done] < reach ? 0 : list.offsets[done] - reach;
    size_t count = 0;
    for (; count < room && done + count < list.count; ++count) {
      const uint64_t distance = list.offsets[done + count] - base;
      if (distance > UINT32_MAX) break;
      const auto near = static_cast<Distance>(distance);
      std::memcpy(payload.data() + count * sizeof near, &near, sizeof near);
    }
    if (operand != 0)
      std::memcpy(payload.data() + count * sizeof(Distance), list.operands + done * operand, count * operand);
    const uint64_t args[] = {as_arg(&operation.completion),
                             static_cast<uint64_t>(list.type) | static_cast<uint64_t>(list.op) << 8, count, base};
    const Result result = rma.reference().send_piece(operation, peer,
                                                     {.kind = AmKind::medium,
                                                      .handler = number_of(Internal::atomic_list),
                                                      .arg_count = 4,
                                                      .args = args,
                                                      .payload = payload.data(),
                                                      .size = count * (sizeof(Distance) + operand)},
                                                     flags.immediate && done == 0);
    if (result == Result::retry) return result;
    operation.completion.finish_local();
    done += count;
  }
  return Result::posted;
}

}  // namespace weft::rma
