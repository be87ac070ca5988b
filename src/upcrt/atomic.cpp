// Atomics: <upc_atomic.h> and the bupc_atomic* functions.
//
// A domain is nothing but its type and operations, so the pointer that names it holds them, with a number that makes it
// differ from other domains: allocating one touches no memory, and using one looks nothing up. The core's atomics do
// the work. Two things they lack: multiplication, which is a loop of compare-and-swaps, and values of 16 bytes
// (UPC_PTS), which one of a few locks on the target's thread guards.
#include <upc/upc_types.h>

#include <cinttypes>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include "upcrt/runtime.hpp"
#include "upcrt/sums.hpp"
#include "upcrt/window_pieces.hpp"
#include "weft/rma.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {
namespace {

// As in <upc_atomic.h>, which only UPC can include.
enum Op : int {
  op_get = 0x00800,
  op_set = 0x01000,
  op_cswap = 0x02000,
  op_sub = 0x04000,
  op_inc = 0x08000,
  op_dec = 0x10000
};
constexpr int accessors = op_get | op_set | op_cswap;
constexpr int numeric = UPC_ADD | op_sub | UPC_MULT | op_inc | op_dec | UPC_MAX | UPC_MIN;
constexpr int bitwise = UPC_AND | UPC_OR | UPC_XOR;

// The offset field of a domain's pointer. Bit 63 makes it no address; bits 24-62 the domain's number; 5-23 the
// operations (19 bits); 0-4 the type.
struct DomainName {
  static constexpr uint64_t mark = uint64_t{1} << 63;
  static uint64_t encode(uint64_t number, int type, int ops) {
    return mark | (number & ((uint64_t{1} << 39) - 1)) << 24 | static_cast<uint64_t>(ops) << 5 |
           static_cast<uint64_t>(type);
  }
  static int type(uint64_t name) { return static_cast<int>(name & 31); }
  static int ops(uint64_t name) { return static_cast<int>(name >> 5 & 0x7ffff); }
};

// The core's domain for a UPC type, made once per thread: they are equal on all threads by construction.
struct CoreType {
  bool known;
  weft_type_t type;
};
CoreType core_type(int type) {
  switch (type) {
    case UPC_INT:
    case UPC_INT32:
      return {true, WEFT_I32};
    case UPC_UINT:
    case UPC_UINT32:
      return {true, WEFT_U32};
    case UPC_LONG:
    case UPC_LLONG:
    case UPC_INT64:
      return {true, WEFT_I64};
    case UPC_ULONG:
    case UPC_ULLONG:
    case UPC_UINT64:
      return {true, WEFT_U64};
    case UPC_FLOAT:
      return {true, WEFT_F32};
    case UPC_DOUBLE:
      return {true, WEFT_F64};
    default:
      return {false, WEFT_U64};
  }
}

int allowed_ops(int type) {
  if (type == UPC_PTS) return accessors;
  const CoreType core = core_type(type);
  if (!core.known) return 0;
  return core.type == WEFT_F32 || core.type == WEFT_F64 ? accessors | numeric : accessors | numeric | bitwise;
}

// ---- Names for messages ----

struct Named {
  int value;
  const char* name;
};
constexpr Named op_names[] = {
    {op_get, "UPC_GET"},    {op_set, "UPC_SET"}, {op_cswap, "UPC_CSWAP"}, {UPC_ADD, "UPC_ADD"}, {op_sub, "UPC_SUB"},
    {UPC_MULT, "UPC_MULT"}, {op_inc, "UPC_INC"}, {op_dec, "UPC_DEC"},     {UPC_MAX, "UPC_MAX"}, {UPC_MIN, "UPC_MIN"},
    {UPC_AND, "UPC_AND"},   {UPC_OR, "UPC_OR"},  {UPC_XOR, "UPC_XOR"}};
constexpr Named type_names[] = {
    {UPC_CHAR, "UPC_CHAR"},       {UPC_UCHAR, "UPC_UCHAR"},   {UPC_SHORT, "UPC_SHORT"}, {UPC_USHORT, "UPC_USHORT"},
    {UPC_INT, "UPC_INT"},         {UPC_UINT, "UPC_UINT"},     {UPC_LONG, "UPC_LONG"},   {UPC_ULONG, "UPC_ULONG"},
    {UPC_LLONG, "UPC_LLONG"},     {UPC_ULLONG, "UPC_ULLONG"}, {UPC_INT8, "UPC_INT8"},   {UPC_UINT8, "UPC_UINT8"},
    {UPC_INT16, "UPC_INT16"},     {UPC_UINT16, "UPC_UINT16"}, {UPC_INT32, "UPC_INT32"}, {UPC_UINT32, "UPC_UINT32"},
    {UPC_INT64, "UPC_INT64"},     {UPC_UINT64, "UPC_UINT64"}, {UPC_FLOAT, "UPC_FLOAT"}, {UPC_DOUBLE, "UPC_DOUBLE"},
    {UPC_LDOUBLE, "UPC_LDOUBLE"}, {UPC_PTS, "UPC_PTS"}};

// "UPC_ADD | UPC_GET"; what has no name as a number.
std::string ops_text(int ops) {
  std::string text;
  const auto add = [&](const std::string& name) { text += (text.empty() ? "" : " | ") + name; };
  for (const Named& op : op_names) {
    if ((ops & op.value) == 0) continue;
    add(op.name);
    ops &= ~op.value;
  }
  if (ops != 0 || text.empty()) add(std::to_string(ops));
  return text;
}

std::string type_text(int type) {
  for (const Named& named : type_names)
    if (named.value == type) return named.name;
  return std::to_string(type) + ", which is no type,";
}

struct Target {
  weft_rank_t thread;
  uint64_t offset;
};

// ---- Multiplication ----

template <class T>
T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));  // wraps
  } else {
    return a * b;
  }
}

template <class T>
void multiply_at(const weft_atomic_domain_t* domain, Target at, void* fetched, const void* operand) {
  T factor;
  std::memcpy(&factor, operand, sizeof factor);
  T seen{};
  (void)weft_atomic(domain, &seen, at.thread, at.offset, WEFT_ATOMIC_GET, nullptr, nullptr);
  for (;;) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(seen)) break;  // stays what it is, and would never compare equal
    const T product = multiply(seen, factor);
    T before{};
    (void)weft_atomic(domain, &before, at.thread, at.offset, WEFT_ATOMIC_CSWAP, &product, &seen);
    if (before == seen) break;
    seen = before;
  }
  if (fetched != nullptr) std::memcpy(fetched, &seen, sizeof seen);
}

void multiply_any(const weft_atomic_domain_t* domain, weft_type_t type, Target at, void* fetched, const void* operand) {
  switch (type) {
    case WEFT_I32:
      return multiply_at<int32_t>(domain, at, fetched, operand);
    case WEFT_U32:
      return multiply_at<uint32_t>(domain, at, fetched, operand);
    case WEFT_I64:
      return multiply_at<int64_t>(domain, at, fetched, operand);
    case WEFT_U64:
      return multiply_at<uint64_t>(domain, at, fetched, operand);
    case WEFT_F32:
      return multiply_at<float>(domain, at, fetched, operand);
    case WEFT_F64:
      return multiply_at<double>(domain, at, fetched, operand);
    default:
      return;  // no domain has one of the types for reductions
  }
}

// ---- Pointers-to-shared ----

// Holds the lock that guards the value at a place, on its thread, while it lives.
class ValueGuard {
 public:
  ValueGuard(State& state, Target at) : state_(state), thread_(at.thread) {
    constexpr size_t locks = std::size(decltype(Control::value_locks){});
    lock_ = WEFT_UPCRT_CONTROL(state, value_locks) + at.offset / sizeof(upcr_pts_t) % locks * sizeof(uint64_t);
    for (uint64_t free = 0; !exchange_word(state_, thread_, lock_, free, 1); free = 0) give_way();
  }
  ~ValueGuard() { store_word(state_, thread_, lock_, 0); }
  ValueGuard(const ValueGuard&) = delete;
  ValueGuard& operator=(const ValueGuard&) = delete;

 private:
  State& state_;
  weft_rank_t thread_;
  uint64_t lock_;
};

void pointer_atomic(State& state, void* fetched, int op, Target at, const void* operand1, const void* operand2) {
  const ValueGuard guard(state, at);
  upcr_pts_t before;
  (void)weft_get(&before, at.thread, at.offset, sizeof before);
  if (op == op_set) (void)weft_put(at.thread, at.offset, operand1, sizeof before);
  if (op == op_cswap) {
    upcr_pts_t expected;
    std::memcpy(&expected, operand1, sizeof expected);
    if (upcr_equal(before, expected)) (void)weft_put(at.thread, at.offset, operand2, sizeof before);
  }
  if (fetched != nullptr) std::memcpy(fetched, &before, sizeof before);
}

// ---- All of it ----

weft_atomic_op_t core_op(int op, bool fetches) {
  switch (op) {
    case op_get:
      return WEFT_ATOMIC_GET;
    case op_set:
      return fetches ? WEFT_ATOMIC_SWAP : WEFT_ATOMIC_SET;
    case op_cswap:
      return WEFT_ATOMIC_CSWAP;
    case UPC_ADD:
      return WEFT_ATOMIC_ADD;
    case op_sub:
      return WEFT_ATOMIC_SUB;
    case op_inc:
      return WEFT_ATOMIC_INC;
    case op_dec:
      return WEFT_ATOMIC_DEC;
    case UPC_MIN:
      return WEFT_ATOMIC_MIN;
    case UPC_MAX:
      return WEFT_ATOMIC_MAX;
    case UPC_AND:
      return WEFT_ATOMIC_AND;
    case UPC_OR:
      return WEFT_ATOMIC_OR;
    case UPC_XOR:
      return WEFT_ATOMIC_XOR;
    default:
      fail({}, "%s is no atomic operation", ops_text(op).c_str());
  }
}

void check_operands(const char* function, int op, const void* fetched, const void* operand1, const void* operand2) {
  const bool one = op != op_get && op != op_inc && op != op_dec;
  if (one != (operand1 != nullptr) || (op == op_cswap) != (operand2 != nullptr) || (op == op_get && fetched == nullptr))
    fail({}, "%s: %s has an operand too many or too few", function, ops_text(op).c_str());
}

void check_alignment(const char* function, upcr_pts_t target, size_t size) {
  if ((target.offset & (size - 1)) != 0)
    fail({}, "%s: the target at thread %u, offset %#" PRIx64 " is not aligned to its %zu bytes", function,
         thread_of(target), target.offset, size);
}

void check_domain(const State& state, const char* function, upcr_pts_t domain) {
  if ((domain.offset & DomainName::mark) == 0) fail({}, "%s: that is no atomicity domain", function);
  if (state.view.checked != 0 && state.freed_domains.contains(domain.offset))
    fail({}, "%s: the atomicity domain has been freed", function);
}

void check_call(const State& state, const char* function, upcr_pts_t domain, const void* fetched, int op,
                upcr_pts_t target, const void* operand1, const void* operand2) {
  check_domain(state, function, domain);
  if ((op & (op - 1)) != 0) fail({}, "%s: %s are several operations; a call makes one", function, ops_text(op).c_str());
  if ((DomainName::ops(domain.offset) & op) == 0)
    fail({}, "%s: %s is not one of the operations that the domain was allocated for, which are %s", function,
         ops_text(op).c_str(), ops_text(DomainName::ops(domain.offset)).c_str());
  check_operands(function, op, fetched, operand1, operand2);
  if (upcr_is_null(target)) fail({}, "%s: the target is a null pointer-to-shared", function);
}

void apply(const char* function, upcr_pts_t domain, void* fetched, int op, upcr_pts_t target, const void* operand1,
           const void* operand2) {
  State& state = self();
  const int type = DomainName::type(domain.offset);
  check_call(state, function, domain, fetched, op, target, operand1, operand2);
  const Target at{thread_of(target), target.offset};
  if (type == UPC_PTS) {
    check_access(state, function, target, sizeof(upcr_pts_t), {});
    return pointer_atomic(state, fetched, op, at, operand1, operand2);
  }
  const weft_type_t core = core_type(type).type;
  const size_t size = core == WEFT_I32 || core == WEFT_U32 || core == WEFT_F32 ? 4 : 8;
  check_access(state, function, target, size, {});
  check_alignment(function, target, size);
  const weft_atomic_domain_t* const words = state.core_domains[core];
  if (op == UPC_MULT) return multiply_any(words, core, at, fetched, operand1);
  // The core's compare-and-swap names the new value first.
  const void* const operand = op == op_cswap ? operand2 : operand1;
  (void)weft_atomic(words, fetched, at.thread, at.offset, core_op(op, fetched != nullptr), operand,
                    op == op_cswap ? operand1 : nullptr);
}

// ---- Those that are added up ----

struct Update {
  upcr_update_op_t op;
  upcr_update_type_t type;
};

upcr_update_type_t update_type(weft_type_t type) {
  switch (type) {
    case WEFT_I32:
    case WEFT_U32:
      return UPCR_UPDATE_U32;
    case WEFT_F32:
      return UPCR_UPDATE_F32;
    case WEFT_F64:
      return UPCR_UPDATE_F64;
    default:
      return UPCR_UPDATE_U64;
  }
}

// What an operation of a domain is to upcr_update().
std::optional<Update> update_of(upcr_pts_t domain, int op) {
  const CoreType core = core_type(DomainName::type(domain.offset));
  if (!core.known) return std::nullopt;
  const upcr_update_type_t type = update_type(core.type);
  switch (op) {
    case UPC_ADD:
      return Update{UPCR_UPDATE_ADD, type};
    case op_sub:
      return Update{UPCR_UPDATE_SUB, type};
    case op_inc:
      return Update{UPCR_UPDATE_INC, type};
    case op_dec:
      return Update{UPCR_UPDATE_DEC, type};
    case UPC_AND:
      return Update{UPCR_UPDATE_AND, type};
    case UPC_OR:
      return Update{UPCR_UPDATE_OR, type};
    case UPC_XOR:
      return Update{UPCR_UPDATE_XOR, type};
    default:
      return std::nullopt;
  }
}

// upc_atomic_relaxed() in a loop that lets updates wait: done or sent, but for what the result says.
std::optional<WholeUpdate> update_that_adds_up(upcr_pts_t domain, int op, upcr_pts_t target, const void* operand,
                                               bool apart, Place where) {
  const State& state = self_of_access();
  const std::optional<Update> update = update_of(domain, op);
  // Sums of floating-point numbers depend on the order: those are sent one by one.
  const bool adds_up = update && (update->type == UPCR_UPDATE_U32 || update->type == UPCR_UPDATE_U64);
  const bool waits =
      (apart && adds_up) || (upcr_thread(target) < state.threads && base_of(thread_of(target)) == nullptr);
  upcr_place(where.file, where.line);
  if (!update || !waits || !(upcr_direct() || upcr_windowing())) {
    upc_atomic_relaxed(domain, nullptr, op, target, operand, nullptr);
    return std::nullopt;
  }
  check_call(state, "upc_atomic_relaxed", domain, nullptr, op, target, operand, nullptr);
  const bool short_word = update->type == UPCR_UPDATE_U32 || update->type == UPCR_UPDATE_F32;
  check_alignment("upc_atomic_relaxed", target, short_word ? sizeof(uint32_t) : sizeof(uint64_t));
  if (!may_be_object(state, target)) refuse_object(true, target, sizeof(uint32_t), where);
  if (adds_up) return WholeUpdate{target, update->op, update->type, operand, where};
  upcr_update(target, update->op, update->type, operand, where.file, where.line);
  return std::nullopt;
}

// ---- bupc_atomic* ----

enum class Order { strict, relaxed };

template <class T>
constexpr weft_type_t type_of = sizeof(T) == 4 ? (std::is_signed_v<T> ? WEFT_I32 : WEFT_U32)
                                               : (std::is_signed_v<T> ? WEFT_I64 : WEFT_U64);

template <Order order, class T>
T run(upcr_pts_t p, weft_atomic_op_t op, const T* operand, const T* compare = nullptr) {
  State& state = self();
  if (upcr_is_null(p)) fail({}, "an atomic operation through a null pointer-to-shared");
  check_access(state, "an atomic operation", p, sizeof(T), {});
  check_alignment("an atomic operation", p, sizeof(T));
  if constexpr (order == Order::strict) {
    upcr_full_fence();
    let_see(p);
  }
  T before{};
  (void)weft_atomic(state.core_domains[type_of<T>], op == WEFT_ATOMIC_SET ? nullptr : &before, thread_of(p), p.offset,
                    op, operand, compare);
  if constexpr (order == Order::strict) {
    see(p);
    upcr_fence();
  }
  return before;
}

// The core has no such operation: a loop of compare-and-swaps.
template <Order order, class T>
T mask_swap(upcr_pts_t p, T mask, T value) {
  T seen = run<order, T>(p, WEFT_ATOMIC_GET, nullptr);
  for (;;) {
    const T wanted = static_cast<T>((seen & ~mask) | (value & mask));
    const T before = run<order, T>(p, WEFT_ATOMIC_CSWAP, &wanted, &seen);
    if (before == seen) return before;
    seen = before;
  }
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

upcr_pts_t upc_all_atomicdomain_alloc(int type, int ops, int) {
  State& state = self();
  if ((ops & ~allowed_ops(type)) != 0 || ops == 0)
    fail({}, "upc_all_atomicdomain_alloc: the type %s does not have all of the operations %s", type_text(type).c_str(),
         ops_text(ops).c_str());
  return upcr_make(DomainName::encode(++state.domains, type, ops), 0, 0);
}

void upc_all_atomicdomain_free(upcr_pts_t domain) {
  if (upcr_is_null(domain)) return;
  State& state = self();
  check_domain(state, "upc_all_atomicdomain_free", domain);
  if (state.view.checked != 0) state.freed_domains.insert(domain.offset);
}

void upc_atomic_relaxed(upcr_pts_t domain, void* fetch_ptr, int op, upcr_pts_t target, const void* operand1,
                        const void* operand2) {
  apply("upc_atomic_relaxed", domain, fetch_ptr, op, target, operand1, operand2);
}

void upcr_atomic_update(upcr_pts_t domain, int op, upcr_pts_t target, const void* operand, int apart, const char* file,
                        int line) {
  if (const auto update = update_that_adds_up(domain, op, target, operand, apart != 0, {file, line})) add_up(*update);
}

void upcr_atomic_sum(upcr_pts_t domain, int op, upcr_pts_t target, const void* operand, int64_t index, const char* file,
                     int line) {
  if (const auto update = update_that_adds_up(domain, op, target, operand, true, {file, line})) add_up(*update, index);
}

void upc_atomic_strict(upcr_pts_t domain, void* fetch_ptr, int op, upcr_pts_t target, const void* operand1,
                       const void* operand2) {
  upcr_full_fence();
  let_see(target);
  apply("upc_atomic_strict", domain, fetch_ptr, op, target, operand1, operand2);
  see(target);
  upcr_fence();
}

int upc_atomic_isfast(int type, int ops, upcr_pts_t addr) {
  State& state = self();
  const int allowed = allowed_ops(type);
  if (type == UPC_PTS || allowed == 0 || (ops & ~allowed) != 0 || (ops & UPC_MULT) != 0) return 0;
  return weft_atomic_is_direct(state.core_domains[core_type(type).type], thread_of(addr));
}

#define WEFT_BUPC_ATOMIC(name, type, order)                                                                            \
  type bupc_atomic##name##_read_##order(upcr_pts_t p) { return run<Order::order, type>(p, WEFT_ATOMIC_GET, nullptr); } \
  void bupc_atomic##name##_set_##order(upcr_pts_t p, type v) {                                                         \
    (void)run<Order::order, type>(p, WEFT_ATOMIC_SET, &v);                                                             \
  }                                                                                                                    \
  type bupc_atomic##name##_swap_##order(upcr_pts_t p, type v) {                                                        \
    return run<Order::order, type>(p, WEFT_ATOMIC_SWAP, &v);                                                           \
  }                                                                                                                    \
  type bupc_atomic##name##_cswap_##order(upcr_pts_t p, type oldval, type newval) {                                     \
    return run<Order::order, type>(p, WEFT_ATOMIC_CSWAP, &newval, &oldval);                                            \
  }                                                                                                                    \
  type bupc_atomic##name##_mswap_##order(upcr_pts_t p, type mask, type v) {                                            \
    return mask_swap<Order::order, type>(p, mask, v);                                                                  \
  }                                                                                                                    \
  type bupc_atomic##name##_fetchadd_##order(upcr_pts_t p, type v) {                                                    \
    return run<Order::order, type>(p, WEFT_ATOMIC_ADD, &v);                                                            \
  }                                                                                                                    \
  type bupc_atomic##name##_fetchand_##order(upcr_pts_t p, type v) {                                                    \
    return run<Order::order, type>(p, WEFT_ATOMIC_AND, &v);                                                            \
  }                                                                                                                    \
  type bupc_atomic##name##_fetchor_##order(upcr_pts_t p, type v) {                                                     \
    return run<Order::order, type>(p, WEFT_ATOMIC_OR, &v);                                                             \
  }                                                                                                                    \
  type bupc_atomic##name##_fetchxor_##order(upcr_pts_t p, type v) {                                                    \
    return run<Order::order, type>(p, WEFT_ATOMIC_XOR, &v);                                                            \
  }                                                                                                                    \
  type bupc_atomic##name##_fetchnot_##order(upcr_pts_t p) {                                                            \
    const type ones = static_cast<type>(-1);                                                                           \
    return run<Order::order, type>(p, WEFT_ATOMIC_XOR, &ones);                                                         \
  }

WEFT_BUPC_ATOMIC(U64, uint64_t, strict)
WEFT_BUPC_ATOMIC(U64, uint64_t, relaxed)
WEFT_BUPC_ATOMIC(I64, int64_t, strict)
WEFT_BUPC_ATOMIC(I64, int64_t, relaxed)
WEFT_BUPC_ATOMIC(U32, uint32_t, strict)
WEFT_BUPC_ATOMIC(U32, uint32_t, relaxed)
WEFT_BUPC_ATOMIC(I32, int32_t, strict)
WEFT_BUPC_ATOMIC(I32, int32_t, relaxed)
WEFT_BUPC_ATOMIC(UL, unsigned long, strict)
WEFT_BUPC_ATOMIC(UL, unsigned long, relaxed)
WEFT_BUPC_ATOMIC(L, long, strict)
WEFT_BUPC_ATOMIC(L, long, relaxed)
WEFT_BUPC_ATOMIC(UI, unsigned int, strict)
WEFT_BUPC_ATOMIC(UI, unsigned int, relaxed)
WEFT_BUPC_ATOMIC(I, int, strict)
WEFT_BUPC_ATOMIC(I, int, relaxed)
#undef WEFT_BUPC_ATOMIC

}  // extern "C"
