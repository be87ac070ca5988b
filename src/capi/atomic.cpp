#include "weft/atomic.h"

#include <cstring>

#include "capi/state.hpp"
#include "conduit/cpu_atomic.hpp"

struct weft_atomic_domain {
  weft_type type;
  unsigned ops;
  const weft::core::Rank* rank;
};

namespace weft::capi {
namespace {

using conduit::AtomicOp;
using conduit::AtomicRequest;
using conduit::AtomicType;

static_assert(static_cast<int>(AtomicOp::bit_xor) == WEFT_XOR && static_cast<int>(AtomicOp::min) == WEFT_MIN &&
              static_cast<int>(AtomicOp::cswap) == WEFT_CSWAP);
static_assert(static_cast<int>(AtomicType::f64) == WEFT_F64 && static_cast<int>(AtomicType::i64) == WEFT_I64);

bool needs_operand(weft_atomic_op op) { return op != WEFT_GET && op != WEFT_INC && op != WEFT_DEC; }

AtomicRequest make_request(Thread& thread, const char* function, const weft_atomic_domain* domain, void* result,
                           weft_rank_t peer, size_t offset, weft_atomic_op op, const void* operand,
                           const void* compare) {
  const auto type = static_cast<AtomicType>(domain->type);
  const size_t size = conduit::atomic_size(type);
  check_range(thread, function, peer, offset, size);
  if (op > WEFT_XOR || (domain->ops & WEFT_OP_BIT(op)) == 0)
    misuse("%s: operation %d is not one of those the domain was created for", function, static_cast<int>(op));
  if (offset % size != 0) misuse("%s: offset %zu is not aligned to %zu bytes", function, offset, size);
  if ((needs_operand(op) && operand == nullptr) || (op == WEFT_CSWAP && compare == nullptr) ||
      (op == WEFT_GET && result == nullptr))
    misuse("%s: operation %d lacks its operand, compare or result", function, static_cast<int>(op));
  AtomicRequest request{.type = type, .op = static_cast<AtomicOp>(op), .result = result};
  if (needs_operand(op)) std::memcpy(&request.operand, operand, size);
  if (op == WEFT_CSWAP) std::memcpy(&request.compare, compare, size);
  return request;
}

rma::Result begin(Thread& thread, rma::Operation& operation, weft_rank_t peer, size_t offset,
                  const AtomicRequest& request, unsigned flags) {
  if (char* base = direct(thread, peer)) {
    conduit::run_atomic(reinterpret_cast<std::byte*>(base) + offset, request);
    return rma::Result::done;
  }
  return thread.rank->rma.atomic(operation, peer, offset, request, rma_flags(flags));
}

}  // namespace
}  // namespace weft::capi

using namespace weft::capi;
namespace rma = weft::rma;

extern "C" {

int weft_atomic_domain_create(weft_type type, unsigned ops, weft_atomic_domain** domain) {
  Thread& thread = enter("weft_atomic_domain_create");
  const bool known = type >= WEFT_I32 && type <= WEFT_F64;
  const unsigned allowed = type == WEFT_F32 || type == WEFT_F64 ? WEFT_OPS_FLOAT : WEFT_OPS_ALL;
  if (!known || ops == 0 || (ops & ~allowed) != 0) {
    weft::base::log_error("weft_atomic_domain_create: type %d does not have all of the operations %#x",
                          static_cast<int>(type), ops);
    return WEFT_ERR_INVALID;
  }
  *domain = new weft_atomic_domain{type, ops, thread.rank->core.get()};
  return WEFT_OK;
}

int weft_atomic_domain_destroy(weft_atomic_domain* domain) {
  enter("weft_atomic_domain_destroy");
  delete domain;
  return WEFT_OK;
}

int weft_atomic_is_direct(const weft_atomic_domain*, weft_rank_t peer) {
  Thread& thread = enter_anywhere("weft_atomic_is_direct");
  check_peer(thread, "weft_atomic_is_direct", peer);
  return thread.rank->core->conduit().mapped(peer) != nullptr ? 1 : 0;
}

int weft_atomic(const weft_atomic_domain* domain, void* result, weft_rank_t peer, size_t offset, weft_atomic_op op,
                const void* operand, const void* compare) {
  Thread& thread = enter("weft_atomic");
  const auto request = make_request(thread, "weft_atomic", domain, result, peer, offset, op, operand, compare);
  return blocking(thread, [&](rma::Operation& o) { return begin(thread, o, peer, offset, request, 0); });
}

int weft_atomic_nb(const weft_atomic_domain* domain, void* result, weft_rank_t peer, size_t offset, weft_atomic_op op,
                   const void* operand, const void* compare, unsigned flags, weft_handle* handle) {
  Thread& thread = enter("weft_atomic_nb");
  const auto request = make_request(thread, "weft_atomic_nb", domain, result, peer, offset, op, operand, compare);
  return with_handle(thread, handle,
                     [&](rma::Operation& o) { return begin(thread, o, peer, offset, request, flags); });
}

int weft_atomic_nbi(const weft_atomic_domain* domain, void* result, weft_rank_t peer, size_t offset, weft_atomic_op op,
                    const void* operand, const void* compare, unsigned flags) {
  Thread& thread = enter("weft_atomic_nbi");
  const auto request = make_request(thread, "weft_atomic_nbi", domain, result, peer, offset, op, operand, compare);
  return with_implicit(thread, [&](rma::Operation& o) { return begin(thread, o, peer, offset, request, flags); });
}

}  // extern "C"
