#include "lower/abi.hpp"
#include "lower/loop_text.hpp"

// Private copies of arrays that loops inside a planned one read again and again (optimise/replication.cpp,
// weft/upcrt/replica.h). Each iteration of the planned loop begins with a pointer to each copy, null if there is none;
// a read looks at that pointer, which is the same throughout the loops inside.

namespace upcc {

std::string Lowerer::begin_replicas(LoopText& loop) {
  for (const Replica& replica : loop.plan->replicated) {
    if (!replicas_.contains(replica.reads.front())) loop.replicas.push_back(&replica);
  }
  const std::string all = loop.name("replica");
  std::string list;
  std::string before;
  std::string recall;
  for (std::size_t i = 0; i < loop.replicas.size(); ++i) {
    const Replica& replica = *loop.replicas[i];
    const QualType element = replica.reads.front()->type;
    const auto* pointer = static_cast<const CastExpr*>(replica.array);
    const bool is_array = pointer->cast_kind == CastKind::array_to_pointer;
    const std::string tag = std::to_string(i) + "_" + loop.id;
    const std::string written = std::string(abi::kPrefix) + "written" + tag;
    const std::string here_it_is = std::string(abi::kPrefix) + "copy" + tag;
    if (!replica.written.empty()) {
      before += "const upcr_pts_t " + written + "[] = {";
      for (const Expr* e : replica.written) {
        const bool lvalue = e->kind == ExprKind::decl_ref;
        before += (lvalue ? shared_address(e) : spell(pointer_ref(e), element)) + ",";
      }
      before += "};";
    }
    list += std::string(i == 0 ? "" : ", ") + "upcr_replica_on(" + spell(pointer_ref(replica.array), element) + ", " +
            (is_array ? "(unsigned long)" + elements(pointer->operand->type) : "0") + ", " + layout_args(element) +
            ", " + (replica.written.empty() ? "0, 0" : written + ", " + std::to_string(replica.written.size())) + ", " +
            (loop.windows ? here(replica.reads.front()->loc) : "0, 0") + ")";  // mapped memory has no messages
    const std::string one = all + "[" + std::to_string(i) + "]";
    if (loop.windows) recall += "upcr_replica_recall(&" + one + ");";
    loop.find_replicas += "const " + type_name(element) + "* const " + here_it_is + " = upcr_replica_at(&" + one +
                          ");(void)" + here_it_is + ";";
    for (const Expr* read : replica.reads) replicas_[read] = here_it_is;
    for (const Stmt* reader : replica.readers) replica_readers_[reader].push_back(one + ".reads");
  }
  if (list.empty()) return {};
  return before + "upcr_replica_t " + all + "[" + std::to_string(loop.replicas.size()) + "] = {" + list + "};" + recall;
}

std::string Lowerer::end_replicas(const LoopText& loop) const {
  std::string out;
  for (std::size_t i = loop.replicas.size(); i-- > 0;)
    out += "upcr_replica_end(&" + loop.name("replica") + "[" + std::to_string(i) + "]);";
  return out;
}

// What an iteration of a loop around has said about the copies counts for a loop inside: how many of their elements it
// reads.
std::string Lowerer::reads_of_replicas(const Stmt* loop, const std::string& iterations) const {
  const auto counts = replica_readers_.find(loop);
  std::string out;
  if (counts == replica_readers_.end()) return out;
  for (const std::string& count : counts->second) out += count + " += (unsigned long)" + iterations + ";";
  return out;
}

// The value of an element, from the copy if there is one.
std::string Lowerer::replicated(const Expr* lvalue, QualType type, const std::string& elsewhere) {
  const auto copy = replicas_.find(strip_parens(lvalue));
  if (copy == replicas_.end()) return elsewhere;
  const auto* s = static_cast<const SubscriptExpr*>(copy->first);
  const std::string element = copy->second + "[" + as_long(s->index) + "]";
  PlannedAccess access;
  access.lvalue = copy->first;
  access.read = true;
  const std::string either =
      "(" + copy->second + " ? " + shadowed(access, element, "UPCR_SHADOW_COPY") + " : " + elsewhere + ")";
  const bool promoted = type->is_integer() && types_.integer_bits(type.type) < 32;  // by ?:
  return promoted ? "((" + type_name(type) + ")" + either + ")" : either;
}

// A window that is not opened if all that it would show is read from a copy.
std::string Lowerer::unless_replicated(const PlannedAccess& access, const std::string& window) const {
  const std::string copy = all_replicated({access});
  return copy.empty() ? window : "upcr_window_unless(" + window + ", " + copy + " != 0)";
}

// The condition that all that accesses read is in copies, or nothing if it never is.
std::string Lowerer::all_replicated(const std::vector<PlannedAccess>& accesses) const {
  std::string out;
  for (const PlannedAccess& access : accesses) {
    if (!access.writes.empty() || access.partly_written) return {};
    for (const Expr* e : access.same) {
      const auto copy = replicas_.find(e);
      if (copy == replicas_.end()) return {};
      out += (out.empty() ? "" : " && ") + copy->second;
    }
  }
  return out;
}

}  // namespace upcc
