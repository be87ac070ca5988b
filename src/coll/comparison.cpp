#include "coll/comparison.hpp"

#include <string>
#include <utility>
#include <vector>

#include "coll/engine.hpp"

namespace weft::coll {
namespace {

// `bytes`: of an operation with sizes, of this member's own block. `detail`: of a reduction, the size of an element and
// what is done to it; of a strided split, count and stride.
enum Field { operation, bytes, root, detail, flags, team_function, fields };
constexpr size_t signature_bytes = fields * sizeof(uint64_t);
static_assert(signature_bytes <= line_payload, "it travels with its line");

const uint64_t* as_words(const std::byte* signature) { return reinterpret_cast<const uint64_t*>(signature); }
// This member's own is what the comparison's request gives, the others' are in slots.
const uint64_t* own_signature(const Call& comparison) { return as_words(comparison.request().source); }
const uint64_t* signature_of(const Call& comparison, uint32_t member) {
  return member == comparison.me() ? own_signature(comparison) : as_words(comparison.slot(member));
}

Space space(const Shape& shape, const Plan&) { return {shape.members, shape.members, signature_bytes}; }
constexpr Algorithm comparing = {Op::count, "compare", Comparison::run, space, nullptr, nullptr};

// What differs beyond sizes and operations, with the words for it.
constexpr uint64_t in_all = 1, out_all = 2, exclusive = 4, not_commutative = 8;
constexpr std::pair<uint64_t, const char*> flag_names[] = {
    {in_all, "WEFT_IN_ALLSYNC"}, {out_all, "WEFT_OUT_ALLSYNC"}, {not_commutative, "not commutative"}};

std::string describe_team_call(const uint64_t* signature) {
  constexpr const char* names[] = {"",
                                   "weft_team_split",
                                   "weft_team_split_stride",
                                   "weft_team_split_host",
                                   "weft_team_from_list",
                                   "weft_team_pair",
                                   "weft_team_free"};
  std::string text = names[signature[team_function]];
  if (static_cast<TeamFunction>(signature[team_function]) == TeamFunction::split_stride)
    text += " with count " + std::to_string(signature[detail] >> 32) + " and stride " +
            std::to_string(static_cast<uint32_t>(signature[detail]));
  return text;
}

// A non-blocking form matches the blocking one, whose name stands for both.
std::string function_name(Op op, uint64_t with_flags) {
  if (op == Op::barrier) return "weft_team_barrier_nb or a collective of 0 bytes";
  return std::string("weft_") + name_of(op) + ((with_flags & exclusive) != 0 ? "_exclusive" : "");
}

std::string describe_call(const Members& members, const uint64_t* signature) {
  if (signature[team_function] != 0) return describe_team_call(signature);
  const Op op = static_cast<Op>(signature[operation]);
  std::string text = function_name(op, signature[flags]);
  if (op != Op::barrier && !has_sizes(op)) text += " of " + std::to_string(signature[bytes]) + " bytes";
  if (has_root(op)) text += " with root " + members.number(static_cast<uint32_t>(signature[root]));
  if (is_reduction(op)) {
    const auto code = static_cast<unsigned>(signature[detail] & 0xffff);
    if (code == Request::users_function)
      text += " by a function on elements of " + std::to_string(signature[detail] >> 16) + " bytes";
    else
      text += " by " + describe(static_cast<weft_reduce_op_t>(code >> 4), static_cast<weft_type_t>(code & 15));
  }
  for (const auto& [flag, name] : flag_names)
    if ((signature[flags] & flag) != 0) text += std::string(", ") + name;
  return text;
}

// Whether the members mean the same call. In a permute each sends to another one, blocks may have a size each.
bool agree(const uint64_t* a, const uint64_t* b) {
  const Op op = static_cast<Op>(a[operation]);
  for (int field = operation; field < fields; ++field) {
    const bool may_differ = (field == root && op == Op::permute) || (field == bytes && has_sizes(op));
    if (a[field] != b[field] && !may_differ) return false;
  }
  return true;
}

}  // namespace

void Comparison::prepare(Call& comparison, const Call& call) {
  const Request& request = call.request_;
  std::byte* const kept = comparison.keep(signature_bytes);
  auto* const signature = reinterpret_cast<uint64_t*>(kept);
  signature[operation] = static_cast<uint64_t>(request.op);
  signature[bytes] = has_sizes(request.op) ? request.sizes->own : request.size;
  signature[root] = has_root(request.op) || request.op == Op::permute ? request.root : 0;
  signature[detail] = is_reduction(request.op) ? request.fold.element << 16 | request.reduction_code : 0;
  signature[flags] = (request.in_all ? in_all : 0) | (request.out_all ? out_all : 0) |
                     (request.exclusive ? exclusive : 0) | (request.fold.commutative ? 0 : not_commutative);
  signature[team_function] = 0;
  if (const TeamCall* team_call = request.team_call) {
    signature[team_function] = static_cast<uint64_t>(team_call->function);
    signature[detail] = uint64_t{team_call->count} << 32 | team_call->stride;
  }
  comparison.request_ = {.source = kept};
  comparison.planned_ = true;
  comparison.plan_ = {.algorithm = &comparing};
  comparison.slot_bytes_ = signature_bytes;
  comparison.needs_ = {.lines = call.size(), .bulk = 0};
}

Task Comparison::run(Call& comparison) {
  const uint32_t n = comparison.size();
  const uint32_t me = comparison.me();
  for (uint32_t i = 1; i < n; ++i)
    co_await comparison.send((me + i) % n, me, comparison.request().source, signature_bytes);
  for (uint32_t i = 1; i < n; ++i) co_await comparison.arrived((me + i) % n);
}

void Comparison::check(Call& comparison) {
  check_sizes(comparison);
  if (comparison.me() != 0) return;
  const Members& members = comparison.members_;
  const uint64_t* const own = own_signature(comparison);
  constexpr size_t most_told = 5;
  std::vector<core::Caller> callers = {{members.name(0), describe_call(members, own)}};
  for (uint32_t member = 1; member < comparison.size() && callers.size() <= most_told; ++member) {
    const uint64_t* const theirs = signature_of(comparison, member);
    if (!agree(theirs, own)) callers.emplace_back(members.name(member), describe_call(members, theirs));
  }
  if (callers.size() == 1) return check_permutation(comparison);
  const std::string line = "the members of a team of " + std::to_string(comparison.size()) +
                           " call different collectives: " + core::describe_calls(callers);
  comparison.engine_.core().refuse(line.c_str());
}

// A member with a list: the others' blocks have the sizes that it says.
void Comparison::check_sizes(Call& comparison) {
  const uint64_t* const own = own_signature(comparison);
  const Op op = static_cast<Op>(own[operation]);
  if (!has_sizes(op)) return;
  const VectorSizes& sizes = *comparison.gates_->request_.sizes;
  const uint32_t me = comparison.me();
  const size_t* const list = op == Op::scatter_v ? sizes.from_size : sizes.to_size;
  for (uint32_t member = 0; member < comparison.size() && op != Op::exchange_v && list != nullptr; ++member) {
    if (member == me) continue;
    const uint64_t* const theirs = signature_of(comparison, member);
    if (!agree(theirs, own) || theirs[bytes] == list[member]) continue;
    Call& call = *comparison.gates_;
    op == Op::scatter_v ? call.refuse_sizes(me, list[member], member, theirs[bytes])
                        : call.refuse_sizes(member, theirs[bytes], me, list[member]);
  }
}

// Member 0: no two members send to the same one.
void Comparison::check_permutation(Call& comparison) {
  if (static_cast<Op>(own_signature(comparison)[operation]) != Op::permute) return;
  std::vector<uint32_t> senders(comparison.size(), comparison.size());  // by receiver; size: none yet
  for (uint32_t member = 0; member < comparison.size(); ++member) {
    const uint64_t to = signature_of(comparison, member)[root];
    uint32_t& sender = senders[to];
    if (sender == comparison.size()) {
      sender = member;
      continue;
    }
    const Members& members = comparison.members_;
    const std::string line = "weft_permute: " + members.name(sender) + " and " + members.name(member) +
                             " both send to " + members.name(static_cast<uint32_t>(to)) +
                             "; each member sends to another one";
    comparison.engine_.core().refuse(line.c_str());
  }
}

}  // namespace weft::coll
