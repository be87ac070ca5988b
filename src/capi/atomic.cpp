#include "weft/atomic.h"

#include <cstring>
#include <iterator>
#include <string>

#include "capi/forms.hpp"
#include "conduit/cpu_atomic.hpp"
#include "rma/atomic_list.hpp"

struct weft_atomic_domain {
  weft_type_t type;
  unsigned ops;
  const weft::core::Rank* rank;
};

namespace weft::capi {
namespace {

using conduit::AtomicOp;
using conduit::AtomicRequest;
using conduit::AtomicType;

static_assert(static_cast<int>(AtomicOp::bit_xor) == WEFT_ATOMIC_XOR &&
              static_cast<int>(AtomicOp::min) == WEFT_ATOMIC_MIN &&
              static_cast<int>(AtomicOp::cswap) == WEFT_ATOMIC_CSWAP);
static_assert(static_cast<int>(AtomicType::f64) == WEFT_F64 && static_cast<int>(AtomicType::i64) == WEFT_I64);

// Null if it is none, or has no atomic operations.
const char* name_of(weft_type_t type) { return type <= WEFT_F64 ? coll::name_of(type) : nullptr; }

constexpr const char* op_names[] = {"WEFT_ATOMIC_GET", "WEFT_ATOMIC_SET", "WEFT_ATOMIC_SWAP", "WEFT_ATOMIC_CSWAP",
                                    "WEFT_ATOMIC_ADD", "WEFT_ATOMIC_SUB", "WEFT_ATOMIC_INC",  "WEFT_ATOMIC_DEC",
                                    "WEFT_ATOMIC_MIN", "WEFT_ATOMIC_MAX", "WEFT_ATOMIC_AND",  "WEFT_ATOMIC_OR",
                                    "WEFT_ATOMIC_XOR"};
constexpr unsigned op_count = std::size(op_names);

std::string name_of(weft_atomic_op_t op) {
  return static_cast<unsigned>(op) < op_count ? op_names[op]
                                              : std::to_string(static_cast<int>(op)) + " (no weft_atomic_op_t)";
}

// "WEFT_ATOMIC_ADD, WEFT_ATOMIC_XOR", of the bits of a set.
std::string names_of(unsigned ops) {
  std::string names;
  for (unsigned op = 0; op < op_count; ++op)
    if ((ops & WEFT_ATOMIC_BIT(op)) != 0) names += std::string(names.empty() ? "" : ", ") + op_names[op];
  if ((ops >> op_count) != 0) names += std::string(names.empty() ? "" : " and ") + "bits that are no weft_atomic_op_t";
  return names;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_domain(const char* function, const weft_atomic_domain_t* domain) {
  misuse("%s: the atomic domain %p was destroyed, or never created by this rank", function,
         static_cast<const void*>(domain));
}

void check_domain(Thread& thread, const char* function, const weft_atomic_domain_t* domain) {
  check_pointer(function, domain, "atomic domain");
  if (__builtin_expect(!thread.rank->check, 1)) return;
  std::lock_guard guard(thread.rank->threads_mutex);
  if (!thread.rank->domains.contains(domain)) refuse_domain(function, domain);
}

bool needs_operand(weft_atomic_op_t op) {
  return op != WEFT_ATOMIC_GET && op != WEFT_ATOMIC_INC && op != WEFT_ATOMIC_DEC;
}

[[noreturn, gnu::cold, gnu::noinline]] void misuse_null(const char* function, weft_atomic_op_t op,
                                                        const char* parameter) {
  misuse("%s: %s needs its %s, which is NULL", function, name_of(op).c_str(), parameter);
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_op(const char* function, weft_atomic_op_t op, unsigned ops) {
  misuse("%s: %s is not one of the operations that the domain was created for, which are %s", function,
         name_of(op).c_str(), names_of(ops).c_str());
}

AtomicRequest make_request(Thread& thread, const char* function, const weft_atomic_domain_t* domain, void* result,
                           weft_rank_t peer, size_t offset, weft_atomic_op_t op, const void* operand,
                           const void* compare) {
  check_domain(thread, function, domain);
  const auto type = static_cast<AtomicType>(domain->type);
  const size_t size = conduit::atomic_size(type);
  check_range(thread, function, peer, offset, size);
  if (op > WEFT_ATOMIC_XOR || (domain->ops & WEFT_ATOMIC_BIT(op)) == 0) refuse_op(function, op, domain->ops);
  if ((offset & (size - 1)) != 0) misuse("%s: offset %zu is not aligned to %zu bytes", function, offset, size);
  if (needs_operand(op) && operand == nullptr) misuse_null(function, op, "operand");
  if (op == WEFT_ATOMIC_CSWAP && compare == nullptr) misuse_null(function, op, "compare");
  if (op == WEFT_ATOMIC_GET && result == nullptr) misuse_null(function, op, "result");
  AtomicRequest request{.type = type, .op = static_cast<AtomicOp>(op), .result = result};
  if (needs_operand(op)) std::memcpy(&request.operand, operand, size);
  if (op == WEFT_ATOMIC_CSWAP) std::memcpy(&request.compare, compare, size);
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

[[gnu::noinline]] int wait_for(Thread& thread, weft_rank_t peer, size_t offset, const AtomicRequest& request) {
  return blocking(thread, [&](rma::Operation& o) { return thread.rank->rma.atomic(o, peer, offset, request, {}); });
}

// Done when it returns. Where memory is mapped it takes less time than making an operation.
int complete(Thread& thread, weft_rank_t peer, size_t offset, const AtomicRequest& request) {
  char* base = direct(thread, peer);
  if (base == nullptr) return wait_for(thread, peer, offset, request);
  conduit::run_atomic(reinterpret_cast<std::byte*>(base) + offset, request);
  return WEFT_OK;
}

template <class Form>
int run_one(const char* function, const weft_atomic_domain_t* domain, void* result, weft_rank_t peer, size_t offset,
            weft_atomic_op_t op, const void* operand, const void* compare, Form form) {
  Thread& thread = enter(function);
  check_flags(thread, function, form.flags);
  const auto request = make_request(thread, function, domain, result, peer, offset, op, operand, compare);
  return form(thread, peer,
              [&](rma::Operation& operation) { return begin(thread, operation, peer, offset, request, form.flags); });
}

// ---- Many locations ----

rma::AtomicList make_list(Thread& thread, const char* function, const weft_atomic_domain_t* domain, weft_rank_t peer,
                          weft_atomic_op_t op, size_t count, const size_t* offsets, const void* operands) {
  check_domain(thread, function, domain);
  check_peer(thread, function, peer);
  if (op > WEFT_ATOMIC_XOR || (domain->ops & WEFT_ATOMIC_BIT(op)) == 0) refuse_op(function, op, domain->ops);
  if (op == WEFT_ATOMIC_GET || op == WEFT_ATOMIC_SWAP || op == WEFT_ATOMIC_CSWAP)
    misuse("%s: %s fetches, which this function does not", function, name_of(op).c_str());
  check_pointer(function, offsets, count, "list of offsets");
  if (needs_operand(op)) check_pointer(function, operands, count, "list of operands");
  const auto type = static_cast<AtomicType>(domain->type);
  const size_t size = conduit::atomic_size(type);
  for (size_t i = 0; i < count; ++i) {
    check_range(thread, function, peer, offsets[i], size);
    if ((offsets[i] & (size - 1)) != 0)
      misuse("%s: offset %zu, number %zu of the list, is not aligned to %zu bytes", function, offsets[i], i, size);
  }
  return {type, static_cast<AtomicOp>(op), count, offsets,
          needs_operand(op) ? static_cast<const std::byte*>(operands) : nullptr};
}

template <class Form>
int run_list(const char* function, const weft_atomic_domain_t* domain, weft_rank_t peer, weft_atomic_op_t op,
             size_t count, const size_t* offsets, const void* operands, Form form) {
  Thread& thread = enter(function);
  check_flags(thread, function, form.flags);
  const rma::AtomicList list = make_list(thread, function, domain, peer, op, count, offsets, operands);
  return form(thread, peer, [&](rma::Operation& operation) {
    if (char* base = direct(thread, peer)) {
      rma::run_atomics(reinterpret_cast<std::byte*>(base), list);
      return rma::Result::done;
    }
    return rma::begin_atomics(thread.rank->rma, operation, peer, list, rma_flags(form.flags));
  });
}

// The functions for 64-bit integers; where memory is mapped they do not look at the domain.
uint64_t apply64(Thread& thread, const char* function, const weft_atomic_domain_t* domain, weft_rank_t peer,
                 size_t offset, weft_atomic_op_t op, uint64_t operand, const uint64_t* compare) {
  check_domain(thread, function, domain);
  if (domain->type != WEFT_U64 && domain->type != WEFT_I64)
    misuse("%s: the domain is of %s; it must be of WEFT_U64 or WEFT_I64", function, name_of(domain->type));
  uint64_t before = 0;
  const auto request = make_request(thread, function, domain, &before, peer, offset, op, &operand, compare);
  complete(thread, peer, offset, request);
  return before;
}

}  // namespace
}  // namespace weft::capi

using namespace weft::capi;
namespace rma = weft::rma;

extern "C" {

int weft_atomic_domain_create(weft_type_t type, unsigned ops, weft_atomic_domain_t** domain) {
  Thread& thread = enter("weft_atomic_domain_create");
  check_pointer("weft_atomic_domain_create", domain, "pointer to the domain");
  const char* name = name_of(type);
  const unsigned allowed = type == WEFT_F32 || type == WEFT_F64 ? WEFT_ATOMIC_OPS_FLOAT : WEFT_ATOMIC_OPS_ALL;
  if (name == nullptr) {
    weft::base::log_error(
        "weft_atomic_domain_create: there are no atomic operations on weft_type_t %d, only on WEFT_I32, U32, "
        "I64, U64, F32 and F64",
        static_cast<int>(type));
    return WEFT_ERR_INVALID;
  }
  if (ops == 0 || (ops & ~allowed) != 0) {
    weft::base::log_error("weft_atomic_domain_create: %s does not have the operations %s", name,
                          ops == 0 ? "of an empty set" : names_of(ops & ~allowed).c_str());
    return WEFT_ERR_INVALID;
  }
  *domain = new weft_atomic_domain_t{type, ops, thread.rank->core.get()};
  if (thread.rank->check)
    thread.rank->call_checks.symmetric.note(std::string("weft_atomic_domain_create(") + name + ", " + names_of(ops) +
                                            ")");
  std::lock_guard guard(thread.rank->threads_mutex);
  thread.rank->domains.insert(*domain);
  return WEFT_OK;
}

int weft_atomic_domain_destroy(weft_atomic_domain_t* domain) {
  Thread& thread = enter("weft_atomic_domain_destroy");
  check_pointer("weft_atomic_domain_destroy", domain, "atomic domain");
  {
    std::lock_guard guard(thread.rank->threads_mutex);
    if (thread.rank->domains.erase(domain) == 0) refuse_domain("weft_atomic_domain_destroy", domain);
  }
  if (thread.rank->check)
    thread.rank->call_checks.symmetric.note(std::string("weft_atomic_domain_destroy(a domain of ") +
                                            name_of(domain->type) + ", " + names_of(domain->ops) + ")");
  delete domain;
  return WEFT_OK;
}

int weft_atomic_is_direct(const weft_atomic_domain_t*, weft_rank_t peer) {
  Thread& thread = enter_anywhere("weft_atomic_is_direct");
  check_peer(thread, "weft_atomic_is_direct", peer);
  return thread.rank->core->conduit().mapped(peer) != nullptr ? 1 : 0;
}

int weft_atomic(const weft_atomic_domain_t* domain, void* result, weft_rank_t peer, size_t offset, weft_atomic_op_t op,
                const void* operand, const void* compare) {
  Thread& thread = enter("weft_atomic");
  const auto request = make_request(thread, "weft_atomic", domain, result, peer, offset, op, operand, compare);
  return complete(thread, peer, offset, request);
}

int weft_atomic_nb(const weft_atomic_domain_t* domain, void* result, weft_rank_t peer, size_t offset,
                   weft_atomic_op_t op, const void* operand, const void* compare, unsigned flags,
                   weft_handle_t* handle) {
  return run_one("weft_atomic_nb", domain, result, peer, offset, op, operand, compare, Explicit{flags, handle});
}

int weft_atomic_nbi(const weft_atomic_domain_t* domain, void* result, weft_rank_t peer, size_t offset,
                    weft_atomic_op_t op, const void* operand, const void* compare, unsigned flags) {
  return run_one("weft_atomic_nbi", domain, result, peer, offset, op, operand, compare, Implicit{flags});
}

int weft_atomic_indexed(const weft_atomic_domain_t* domain, weft_rank_t peer, weft_atomic_op_t op, size_t count,
                        const size_t* offsets, const void* operands) {
  return run_list("weft_atomic_indexed", domain, peer, op, count, offsets, operands, Blocking{});
}

int weft_atomic_indexed_nb(const weft_atomic_domain_t* domain, weft_rank_t peer, weft_atomic_op_t op, size_t count,
                           const size_t* offsets, const void* operands, unsigned flags, weft_handle_t* handle) {
  return run_list("weft_atomic_indexed_nb", domain, peer, op, count, offsets, operands, Explicit{flags, handle});
}

int weft_atomic_indexed_nbi(const weft_atomic_domain_t* domain, weft_rank_t peer, weft_atomic_op_t op, size_t count,
                            const size_t* offsets, const void* operands, unsigned flags) {
  return run_list("weft_atomic_indexed_nbi", domain, peer, op, count, offsets, operands, Implicit{flags});
}

uint64_t weft_detail_atomic_fetch_add64(const weft_atomic_domain_t* domain, weft_rank_t peer, size_t offset,
                                        uint64_t operand) {
  Thread& thread = enter("weft_atomic_fetch_add64");
  return apply64(thread, "weft_atomic_fetch_add64", domain, peer, offset, WEFT_ATOMIC_ADD, operand, nullptr);
}

uint64_t weft_detail_atomic_compare_swap64(const weft_atomic_domain_t* domain, weft_rank_t peer, size_t offset,
                                           uint64_t expected, uint64_t desired) {
  Thread& thread = enter("weft_atomic_compare_swap64");
  return apply64(thread, "weft_atomic_compare_swap64", domain, peer, offset, WEFT_ATOMIC_CSWAP, desired, &expected);
}

}  // extern "C"
