#include "lower/abi.hpp"
#include "lower/loop_text.hpp"

// Writes down what the optimiser planned for a loop (optimise/loop_plan.hpp). Names: iteration k = 0 .. count-1 has the
// index first + k * step; a share of the iterations is begin, begin + stride, ... (taken of them); in a share, runs of
// `run` iterations in which every planned access is pointer + n * bytes. Through windows, a share is cut into strips
// whose memory is fetched before their runs and written back after them (weft/upcrt/window.h).

namespace upcc {

namespace {

std::string number(std::int64_t n) { return n < 0 ? "(" + std::to_string(n) + "l)" : std::to_string(n) + "l"; }

std::string times(const std::string& text, std::int64_t factor) {
  return factor == 1 ? text : text + " * " + number(factor);
}

// The text of a sum and of a product, without what adds nothing.
std::string plus(const std::string& a, const std::string& b) { return a == "0l" ? b : b == "0l" ? a : a + " + " + b; }
// The sum as a number of 64 bits, which wraps around.
std::string moved(const std::string& text, std::int64_t by) {
  return by == 0 ? text : "(long)((unsigned long)(" + text + ") + (unsigned long)" + number(by) + ")";
}
std::string times(const std::string& text, const std::string& factor) {
  if (text == "0l" || factor == "1l") return text;
  return (text.find(' ') == std::string::npos ? text : "(" + text + ")") + " * " + factor;
}

}  // namespace

// How many elements an access (or the affinity) of `per_index` moves per iteration.
std::string Lowerer::per_iteration(const LoopText& loop, std::int64_t per_index) {
  const LoopShape& shape = loop.plan->shape;
  return shape.stride == nullptr ? number(per_index * shape.step) : "(" + times(loop.step, per_index) + ")";
}

// Bytes that an access moves from one iteration of a share to the next.
std::string Lowerer::bytes_per_iteration(const PlannedAccess& access, const LoopText& loop) const {
  const auto size = static_cast<std::int64_t>(access.motion.element_size);
  if (loop.plan->split != Split::cyclic) {
    const LoopShape& shape = loop.plan->shape;
    if (shape.stride_is_threads && access.motion.block == 1) return number(access.motion.per_index * shape.step * size);
    return per_iteration(loop, access.motion.per_index * size);
  }
  // What comes round with the affinity: elements of a cyclic layout, whole blocks of the affinity's own.
  if (access.motion.block == 1 || access.with_affinity) {
    const std::int64_t ratio = access.motion.per_index / loop.plan->threads_per_index;
    return loop.period.empty() ? number(ratio * size) : "(" + loop.period + " * " + number(ratio * size) + ")";
  }
  return "(" + loop.stride + " * " + per_iteration(loop, access.motion.per_index * size) + ")";
}

// The address of an access (or of the record that it is a member of) in the iteration that begins at `start`.
std::string Lowerer::first_address(const LoopText& loop, const PlannedAccess& access, const std::string& start,
                                   bool of_record) {
  // An access that the body may skip can start outside its array: `i > 0 && a[i - 1]`, at an index that is too large
  // for its own type.
  const Temporarily outside(speculative_, !access.certain);
  const auto* arrow = static_cast<const MemberExpr*>(strip_parens(access.lvalue));
  const std::string address =
      of_record ? spell(pointer_ref(arrow->base), static_cast<const PointerType*>(arrow->base->type.type)->pointee)
                : shared_address(access.lvalue);
  const bool widened = !access.certain && TypeContext::is_signed(loop.plan->shape.index->type.type) &&
                       types_.integer_bits(loop.plan->shape.index->type.type) < 64;
  if (!widened) return address;
  return "({ const long " + loop.index + " = " + start + "; (void)" + loop.index + "; " + address + "; })";
}

// The pointers of one run, and what they stand for in the body.
std::string Lowerer::run_pointers(const LoopText& loop, const std::string& run, std::string& steps) {
  std::string out;
  std::vector<std::pair<const Expr*, std::string>> places;
  std::vector<std::pair<LocalCast, std::string>> locals;
  const std::string n = loop.name("n");
  std::size_t windows = 0;
  for (std::size_t i = 0; i < loop.plan->accesses.size(); ++i) {
    const PlannedAccess& access = loop.plan->accesses[i];
    const bool in_window = loop.windows && access.in_window;
    const bool unplanned = loop.windows && !in_window && !access.with_affinity;  // but for its casts
    if (unplanned && (access.local_casts.empty() || access.movement == Movement::walk)) continue;
    const std::string tag = std::to_string(i) + "_" + loop.id;
    const std::string where = std::string(abi::kPrefix) + "w" + tag;
    const std::string pointer = std::string(abi::kPrefix) + "p" + tag;
    // p->m is reached through *p: its record may be unnamed, and members of a union are one object.
    const auto* arrow = expr_cast<MemberExpr>(strip_parens(access.lvalue));
    if (arrow != nullptr && !arrow->arrow) arrow = nullptr;
    const QualType object =
        arrow != nullptr ? static_cast<const PointerType*>(arrow->base->type.type)->pointee : access.lvalue->type;
    const std::string type = type_name(object);
    const std::string member = arrow == nullptr || arrow->implicit ? "" : "." + std::string(arrow->field->name->text);
    const auto at_address = [&](const std::string& address) {
      const std::string whole = "(*(" + type + "*)(void*)" + address + ")";
      return member.empty() ? whole : "(" + whole + member + ")";
    };
    out +=
        "const upcr_pts_t " + where + " = " + first_address(loop, access, loop.name("start"), arrow != nullptr) + ";";
    const std::string window = "&" + loop.name("window") + "[" + std::to_string(windows) + "]";
    if (in_window) ++windows;
    if (access.movement == Movement::walk) {
      const std::string per = per_iteration(loop, access.motion.per_index);
      const std::string size = std::to_string(access.motion.element_size);
      const std::string walk = in_window ? "upcc_window_walk" : "upcc_walk";
      out += walk + "_t " + pointer + " = " + walk + "_start(" + (in_window ? window + ", " : "") + where + ", " + per +
             ", " + size + ");";
      steps += ", " + walk + "_step(&" + pointer + ")";
      const std::string place = shadowed(access, at_address(pointer + ".at"));
      for (const Expr* e : access.same) places.emplace_back(e, place);
      continue;
    }
    if (!unplanned) {
      out += "char* const " + pointer + " = " +
             (access.with_affinity ? "upcr_self_at(" + where + ".offset);"
              : in_window          ? "upcr_window_at(" + window + ", " + where + ");"
                                   : "upcr_at(" + where + ");");
    }
    const bool moves = access.movement == Movement::pointer;
    const std::string bytes = moves ? bytes_per_iteration(access, loop) : "";
    if (moves && access.motion.block > 1 && !access.with_affinity) {
      const std::string per = per_iteration(loop, access.motion.per_index);
      out += "upcc_limit_run(&" + run + ", " + where + ", " + std::to_string(access.motion.block) + "l, " +
             (loop.stride == "1l" ? per : "(" + loop.stride + " * " + per + ")") + ");";
    }
    const bool neighbours =
        moves && arrow == nullptr && bytes == number(types_.size_of(access.lvalue->type.unqualified()).value);
    const std::string at = !moves ? pointer : "(" + pointer + " + " + n + " * " + bytes + ")";
    const std::string place =
        shadowed(access, neighbours ? "((" + type + "*)(void*)" + pointer + ")[" + n + "]" : at_address(at));
    for (const Expr* e : access.same) {
      if (!unplanned) places.emplace_back(e, place);
    }
    if (access.local_casts.empty()) continue;
    std::string own = at;
    if (!access.with_affinity) {
      const std::string self = std::string(abi::kPrefix) + "l" + tag;
      out += "char* const " + self + " = upcr_self_at(" + where + ".offset);";
      own = !moves ? self : "(" + self + " + " + n + " * " + bytes + ")";
    }
    for (const LocalCast& local : access.local_casts) locals.emplace_back(local, shadowed(access, at_address(own)));
  }
  for (auto& [e, text] : places) plain_places_[e] = text;
  for (auto& [local, text] : locals) local_places_[local.cast] = {local.place, text};
  return out;
}

// A window on an access that moves by `per_index`, in iterations from `start` on.
std::string Lowerer::window(const LoopText& loop, const PlannedAccess& access, std::int64_t per_index,
                            const std::string& start) {
  const bool read = access.read || (!access.writes.empty() && !loop.plan->windows_cover_all);
  const std::string per = per_iteration(loop, per_index);
  return "upcr_window_on(" + first_address(loop, access, start, access.of_record) + ", " +
         (loop.stride == "1l" ? per : loop.stride + " * " + per) + ", " + std::to_string(access.motion.block) + ", " +
         std::to_string(access.motion.element_size) + ", " + (read ? "UPCR_WINDOW_READ" : "0") +
         (access.writes.empty() ? "" : " | UPCR_WINDOW_WRITTEN") + (access.certain ? " | UPCR_WINDOW_CERTAIN" : "") +
         ", " + here(access.lvalue->loc) + ")";
}

std::string Lowerer::own_window(const LoopText& loop, const PlannedAccess& access, const std::string& start) {
  const std::string one = unless_replicated(access, window(loop, access, access.motion.per_index, start));
  for (const Expr* e : access.same) {
    const auto around = outer_windows_.find(e);
    if (around != outer_windows_.end()) return "upcr_window_inside(" + one + ", " + around->second + ")";
  }
  return one;
}

std::string Lowerer::nested_window(const LoopText& loop, const NestedAccess& nested, const std::string& start) {
  const LoopShape& inner = nested.inner;
  const std::string type = type_name(inner.index->type);
  const std::string name = std::string(inner.index->name->text);
  return "({ const " + type + " " + name + " = (" + type + ")(" + expr(inner.first) + "); (void)" + name + "; " +
         unless_replicated(nested.access, "upcr_window_repeated(" +
                                              window(loop, nested.access, nested.per_index, start) + ", " +
                                              iterations(inner, "(long)" + name, limit_of(inner), number(inner.step)) +
                                              ", " + number(nested.access.motion.per_index * inner.step) + ")") +
         "; })";
}

// One share of the iterations: those with numbers begin, begin + stride, ..., `taken` of them.
std::string Lowerer::share(const LoopText& loop, const std::string& begin, const std::string& taken) {
  const std::string performed =
      loop.is_shadowed ? "upcr_shadow_perform(&" + loop.name("shadow") + ", (long)" + loop.index + ");" : "";
  if (!loop.windows || !loop.plan->windows)
    return runs(loop, begin, taken,
                [&](const std::string& /*at*/) { return loop.find_replicas + performed + stmt(loop.body); });
  const std::string done = loop.name("done");
  const std::string strip = loop.name("strip");
  const std::string start = loop.name("from");
  const std::string window = loop.name("window");
  const std::string opened = loop.name("opened");
  const auto after = [&](const std::string& iterations) { return plus(begin, times(iterations, loop.stride)); };
  std::string list;
  std::size_t count = 0;
  const auto add = [&](const std::string& one) { list += (count++ == 0 ? "" : ", ") + one; };
  for (const PlannedAccess& access : loop.plan->accesses) {
    if (access.in_window) add(own_window(loop, access, start));
  }
  auto windows_inside = outer_windows_;
  for (const NestedAccess& nested : loop.plan->nested) {
    for (const Expr* e : nested.access.same) windows_inside[e] = "&" + window + "[" + std::to_string(count) + "]";
    add(nested_window(loop, nested, start));
  }
  const std::string number_of_windows = std::to_string(count);
  std::string out = count == 0 ? "" : "upcr_windows_t " + opened + " = {0};";
  const std::string gather = loop.name("gather");
  const std::string gathers = std::to_string(loop.plan->gathered.size());
  const std::string list_of_places = loop.name("begun");
  const std::string missed = loop.name("missed");
  const auto gathered = [&](std::size_t i) { return gather + "[" + std::to_string(i) + "]"; };
  const auto begun = [&](std::size_t i) { return list_of_places + "[" + std::to_string(i) + "]"; };
  const bool any_gathered = !loop.plan->gathered.empty();
  if (any_gathered) {
    std::string members;
    for (const PlannedAccess& access : loop.plan->gathered) {
      members += std::string(members.empty() ? "" : ", ") + "upcr_gather_on(" +
                 std::to_string(element_size(access.lvalue->type)) + ", " +
                 (access.writes.empty() ? "UPCR_WINDOW_READ" : "UPCR_WINDOW_WRITTEN") + ", " +
                 here(access.lvalue->loc) + ")";
    }
    out += "upcr_gather_t " + gather + "[" + gathers + "] = {" + members + "};";
  }
  out += "for (long " + done + " = 0; " + done + " < " + taken + ";) {";
  if (count != 0) {
    out += "const long " + start + " = " + plus(loop.first, times(after(done), loop.step)) + ";const " +
           loop.index_type + " " + loop.index + " = (" + loop.index_type + ")" + start + ";(void)" + loop.index + ";" +
           seconds_at(loop, after(done), "const ") + loop.find_replicas;
  }
  if (options_.optimise.shadow) out += "upcr_shadow_begin();";
  std::string most = taken + " - " + done;
  const std::string copied = all_replicated(loop.plan->gathered);  // nothing needs to be gathered
  const std::string unless_copied = copied.empty() ? "" : "if (!(" + copied + ")) ";
  if (any_gathered) most = (copied.empty() ? "" : copied + " ? " + most + " : ") + "upcr_gather_strip(" + most + ")";
  if (count != 0) {
    out += "upcr_window_t " + window + "[" + number_of_windows + "] = {" + list + "};";
    most = "upcr_windows_open(&" + opened + ", " + window + ", " + number_of_windows + ", " + most + ")";
  }
  out += "const long " + strip + " = " + most + ";";
  if (any_gathered) {
    // What begin() has set stays in registers.
    out += unless_copied + "upcr_gather_begin(" + gather + ", " + gathers + ", " + strip + ");const upcr_gather_t " +
           list_of_places + "[" + gathers + "] = {";
    for (std::size_t i = 0; i < loop.plan->gathered.size(); ++i) out += gathered(i) + ",";
    out += "};";
    out += unless_copied + "{long " + missed + "[" + gathers + "] = {0};";
    out += runs(
        loop, after(done), strip,
        [&](const std::string& at) {
          std::string places;
          for (std::size_t i = 0; i < loop.plan->gathered.size(); ++i) {
            const PlannedAccess& access = loop.plan->gathered[i];
            const std::string place = shared_address(access.lvalue);
            places += access.writes.empty()
                          ? missed + "[" + std::to_string(i) + "] |= upcr_gather_place(&" + begun(i) + ", " + at +
                                ", " + place + ", " + std::to_string(element_size(access.lvalue->type)) + ");"
                          : begun(i) + ".places[" + at + "] = " + place + ";";
          }
          return places;
        },
        false);
    for (std::size_t i = 0; i < loop.plan->gathered.size(); ++i)
      out += gathered(i) + ".missed = " + missed + "[" + std::to_string(i) + "];";
    out += "upcr_gather_fetch(" + gather + ", " + gathers + ", " + strip + ");}";
  }
  auto updated_places = updated_places_;
  for (const Expr* update : loop.plan->updates) updated_places.insert(place_of(updated_lvalue(update)));
  {
    const Temporarily inside(outer_windows_, std::move(windows_inside));
    const Temporarily sent(updated_places_, std::move(updated_places));
    out += runs(loop, after(done), strip, [&](const std::string& at) {
      for (std::size_t i = 0; i < loop.plan->gathered.size(); ++i) {
        const PlannedAccess& access = loop.plan->gathered[i];
        const std::string address = begun(i) + ".at[" + at + "]";
        for (const Expr* e : access.same)
          plain_places_[e] = shadowed(access, "(*(" + type_name(access.lvalue->type) + "*)(void*)" + address + ")");
      }
      return loop.find_replicas + performed + stmt(loop.body);
    });
  }
  if (any_gathered) out += unless_copied + "upcr_gather_end(" + gather + ", " + gathers + ");";
  if (count != 0) out += "upcr_windows_close(&" + opened + ");";
  if (options_.optimise.shadow) out += "upcr_shadow_end();";
  return out + done + " += " + strip + ";}";
}

// Whether every iteration's index is an int. One that has to come upon its limit may miss it, and overflow; so may one
// that is compared as an unsigned number.
bool Lowerer::index_is_int(const LoopShape& shape) const {
  const Type* type = shape.index->type.type;
  return TypeContext::is_signed(type) && types_.integer_bits(type) == 32 && !shape.until_equal && !shape.is_unsigned;
}

// Some iterations, run by run. `body_of` gives what iteration number `at` of them does.
std::string Lowerer::runs(const LoopText& loop, const std::string& begin, const std::string& taken,
                          const std::function<std::string(const std::string&)>& body_of, bool is_the_users) {
  const std::string k = loop.name("k");
  const std::string n = loop.name("n");
  const std::string run = loop.name("run");
  const std::string start = loop.name("start");
  bool limited = false;
  for (const PlannedAccess& a : loop.plan->accesses) {
    limited = limited || (a.movement == Movement::pointer && a.motion.block > 1 && !a.with_affinity);
  }
  const auto saved_places = plain_places_;
  const auto saved_locals = local_places_;
  std::string steps;
  const std::string pointers = run_pointers(loop, run, steps);
  if (options_.optimise.shadow && loop.windows && loop.plan->windows) steps += ", upcr_shadow_iterated()";
  const std::string advance = loop.stride == "1l" ? loop.step
                              : loop.step == "1l" ? "(" + loop.stride + ")"
                                                  : "(" + loop.stride + " * " + loop.step + ")";
  std::string body;
  {
    const Temporarily counted(may_wait_, loop.plan->ends_early);
    body = body_of(limited ? k + " + " + n : n);
  }
  plain_places_ = saved_places;
  local_places_ = saved_locals;
  std::string out;
  const bool some = loop.windows && loop.plan->windows;  // a strip is never empty
  out += limited ? "for (long " + k + " = 0; " + k + " < " + taken + ";) {" : some ? "{" : "if (" + taken + " > 0) {";
  const std::string first = limited ? plus(begin, times(k, loop.stride)) : begin;
  out += "const long " + start + " = " + plus(loop.first, times(first, loop.step)) + ";";
  if (limited) out += "long " + run + " = " + taken + " - " + k + ";";
  const std::string as_index = "(" + loop.index_type + ")";
  out += "{";
  if (!pointers.empty())
    out += "const " + loop.index_type + " " + loop.index + " = " + as_index + start + ";(void)" + loop.index + ";" +
           seconds_at(loop, first, "const ") + pointers;
  // What the user asserts of the loop is not true of one that prepares it.
  if (is_the_users) out += pragmas_before(loop.first_token, text::Pragmas::about_loops);
  out += "for (long " + n + " = 0; " + n + " < " + (limited ? run : taken) + "; ++" + n + steps + ") {";
  out += loop.index_type + " " + loop.index + " = " + (index_is_int(loop.plan->shape) ? "upcc_index" : as_index) + "(" +
         plus(start, times(n, advance)) + ");(void)" + loop.index + ";" +
         seconds_at(loop, plus(first, times(n, loop.stride)), "");
  out += body + "}}";
  if (limited) out += k + " += " + run + ";";
  return out + "}";
}

// Whether all accesses that move with the affinity begin with it, and so are this thread's in its iterations.
std::string Lowerer::begins_with_affinity(const LoopText& loop, const LoopClauses& clauses) {
  const LoopPlan& plan = *loop.plan->own;
  const std::string where = loop.name("where");
  const std::string end = loop.name("end");
  const std::string affinity =
      clauses.affinity_kind == AffinityKind::pointer_to_shared ? "(" + expr(clauses.affinity) + ").where"
      : plan.split == Split::cyclic                            ? "(unsigned long)" + affinity_thread(clauses)
                                    : "upcc_integer_affinity((long)(" + expr(plan.not_negative) + "), " +
                                          std::to_string(plan.affinity_block) + ").where";
  const std::string first = plan.shape.declared_inside ? expr(plan.shape.first) : loop.index;
  std::string out = "({ const " + loop.index_type + " " + end + " = (" + loop.index_type + ")(" + first + "); const " +
                    loop.index_type + " " + loop.index + " = " + end + "; (void)" + loop.index +
                    "; const unsigned long " + where + " = " + affinity + "; 1";
  const Temporarily outside(speculative_, true);
  for (const PlannedAccess& access : plan.accesses) {
    if (access.moves_with_affinity) out += " & ((" + shared_address(access.lvalue) + ").where == " + where + ")";
  }
  return out + "; })";
}

// The thread that the affinity expression names.
std::string Lowerer::affinity_thread(const LoopClauses& clauses) {
  const std::string value = expr(clauses.affinity);
  if (clauses.affinity_kind == AffinityKind::pointer_to_shared) return "(long)upcr_thread(" + value + ")";
  return is_wide_unsigned(clauses.affinity->type.type) ? "(long)((" + value + ") % (unsigned long)upcr_threads())"
                                                       : "(long)upcr_mod_threads((long)(" + value + "))";
}

// The same in the loop's first iteration.
std::string Lowerer::first_affinity_thread(const LoopText& loop, const LoopClauses& clauses) {
  return "({ const " + loop.index_type + " " + loop.index + " = (" + loop.index_type + ")" + loop.first + "; (void)" +
         loop.index + "; " + affinity_thread(clauses) + "; })";
}

std::string Lowerer::shares(LoopText& loop, const LoopClauses& clauses) {
  const std::string begin = loop.name("begin");
  const std::string taken = loop.name("taken");
  const bool cyclic = loop.plan->split == Split::cyclic;
  const std::string each = per_iteration(loop, cyclic ? loop.plan->threads_per_index : loop.plan->affinity_per_index);
  std::string out;
  switch (loop.plan->split) {
    case Split::whole:
      return share(loop, "0l", loop.count);
    case Split::one_thread:
      out = "const long " + taken + " = " + first_affinity_thread(loop, clauses) + " == upcr_mythread() ? " +
            loop.count + " : 0;";
      return out + share(loop, "0l", taken);
    case Split::cyclic: {
      const std::string thread = first_affinity_thread(loop, clauses);
      if (each == number(1)) {
        loop.stride = "(long)upcr_threads()";
        out = "const long " + begin + " = upcc_threads_behind(" + thread + "), " + taken + " = upcc_every_threads(" +
              begin + ", " + loop.count + ");";
        return out + share(loop, begin, taken);
      }
      loop.stride = loop.name("stride");
      loop.period = loop.name("period");
      out = "long " + begin + " = " + loop.count + ", " + loop.stride + " = 1; upcc_cyclic_share(" + thread + ", " +
            each + ", &" + begin + ", &" + loop.stride + "); const long " + loop.period + " = " + loop.stride + " * " +
            each + " / upcr_threads();";
      out += "const long " + taken + " = " + loop.count + " > " + begin + " ? (" + loop.count + " - " + begin + " + " +
             loop.stride + " - 1) / " + loop.stride + " : 0;";
      return out + share(loop, begin, taken);
    }
    case Split::blocked: {
      // Iteration k is at element origin + k * each, counted from the start of the first thread's block; this thread's
      // blocks follow one another in the direction in which that goes.
      const std::string origin = loop.name("origin");
      const std::string block = loop.name("block");
      const std::string b = number(static_cast<std::int64_t>(loop.plan->affinity_block));
      const std::string pts = loop.name("affinity");
      const bool up = loop.plan->affinity_per_index * loop.plan->shape.step > 0;
      const auto first_in = [&](const std::string& number_of_block) {
        return std::string(up ? "upcc_block_begin(" : "upcc_block_begin_down(") + number_of_block + ", " + b + ", " +
               origin + ", " + each + ")";
      };
      out = "const upcr_pts_t " + pts + " = ({ const " + loop.index_type + " " + loop.index + " = (" + loop.index_type +
            ")" + loop.first + "; (void)" + loop.index + "; " +
            (loop.plan->not_negative == nullptr
                 ? expr(clauses.affinity)
                 : "upcc_integer_affinity((long)(" + expr(loop.plan->not_negative) + "), " + b + ")") +
            "; });";
      out += "const long " + origin + " = (long)upcr_thread(" + pts + ") * " + b + " + (long)upcr_phase(" + pts + ");";
      if (loop.plan->joined && !loop.is_shadowed && !(loop.windows && loop.plan->windows)) {
        out += "const long " + begin + " = " + first_in("upcc_first_block(" + pts + ")") + ", " + taken +
               " = upcc_own_before(" + origin + " + " + loop.count + ", " + b + ") - upcc_own_before(" + origin + ", " +
               b + ");";
        return out + share(loop, begin, taken);
      }
      out += "for (long " + block + (up ? " = upcc_first_block(" : " = upcc_first_block_down(") + pts + ");; " + block +
             (up ? " += " : " -= ") + "upcr_threads()) {";
      out += "const long " + begin + " = " + first_in(block) + ";";
      out += "if (" + begin + " >= " + loop.count + ") break;";
      out += "const long " + taken + " = " + first_in(block + (up ? " + 1" : " - 1")) + " - " + begin + ";";
      const std::string bounded = loop.name("bounded");
      out += "const long " + bounded + " = " + taken + " < " + loop.count + " - " + begin + " ? " + taken + " : " +
             loop.count + " - " + begin + ";";
      return out + share(loop, begin, bounded) + "}";
    }
  }
  return out;
}

// Variables that move with the index: what they are before the first iteration.
std::string Lowerer::first_seconds(const LoopText& loop) {
  const std::vector<SecondIndex>& seconds = loop.plan->shape.seconds;
  std::string out;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const std::string type = type_name(seconds[i].variable->type);
    const std::string first = seconds[i].first != nullptr ? "(" + type + ")(" + expr(seconds[i].first) + ")"
                                                          : std::string(seconds[i].variable->name->text);
    const std::string declared = seconds[i].first != nullptr ? type : "__typeof__(" + first + ")";
    out += "const " + declared + " " + loop.first_of_second(i) + " = " + first + ";";
  }
  return out;
}

// What one of them is in an iteration, by its number.
std::string Lowerer::second_at(const LoopText& loop, std::size_t number, const std::string& iteration) {
  const SecondIndex& second = loop.plan->shape.seconds[number];
  const QualType type = second.variable->type;
  const std::string first = loop.first_of_second(number);
  const std::string moved = "(" + iteration + ") * " + upcc::number(second.step);
  if (type.is_pointer_to_shared()) {
    const QualType pointee = static_cast<const PointerType*>(type.type)->pointee;
    return "upcr_add(" + first + ", " + moved + " * " + elements(pointee) + ", " + layout_args(pointee) + ")";
  }
  if (type->is_pointer()) return first + " + " + moved;
  if (types_.integer_bits(type.type) < 64) return "upcc_index((long)" + first + " + " + moved + ")";
  return "(" + type_name(type) + ")((unsigned long)" + first + " + (unsigned long)(" + moved + "))";
}

// All of them, declared.
std::string Lowerer::seconds_at(const LoopText& loop, const std::string& iteration, const char* qualifier) {
  const std::vector<SecondIndex>& seconds = loop.plan->shape.seconds;
  std::string out;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const std::string name = std::string(seconds[i].variable->name->text);
    out += std::string(qualifier) + "__typeof__(" + loop.first_of_second(i) + ") " + name + " = " +
           second_at(loop, i, iteration) + ";(void)" + name + ";";
  }
  return out;
}

std::string Lowerer::limit_of(const LoopShape& shape) {
  if (shape.limit == nullptr) return "0l";
  return "(long)(" + type_name(shape.limit->type) + ")(" + expr(shape.limit) + ")";
}

// How often a loop runs.
std::string Lowerer::iterations(const LoopShape& shape, const std::string& first, const std::string& limit,
                                const std::string& step) {
  const bool up = shape.step > 0;
  return "upcc_iterations(" + moved(first, shape.ahead) + ", " + limit + ", " +
         (up ? "1, " + step : "0, (-" + step + ")") + ", " +
         (shape.until_equal ? "UPCC_UNTIL_EQUAL"
          : shape.inclusive ? "UPCC_UP_TO"
                            : "UPCC_BELOW") +
         ", " + (shape.is_unsigned ? "1)" : "0)");
}

// What a planned loop does where the plan holds.
std::string Lowerer::planned_version(LoopText& loop, const LoopClauses& clauses, const std::string& limit_value) {
  const LoopPlan& plan = *loop.plan;
  const std::string first = plan.shape.declared_inside
                                ? "(long)(" + loop.index_type + ")(" + expr(plan.shape.first) + ")"
                                : "(long)" + loop.index;
  std::string out = "const long " + loop.first + " = " +
                    moved(first, plan.shape.condition_steps ? plan.shape.step : 0) + ", " + loop.count + " = " +
                    iterations(plan.shape, loop.first, limit_value, loop.step) + ";" + first_seconds(loop);
  const Temporarily controls(controlled_, controlled_ + (loop.controls ? 1 : 0));
  const auto replicas_around = replicas_;
  const auto readers_around = replica_readers_;
  out += reads_of_replicas(loop.statement, loop.count);
  std::string all = begin_replicas(loop);
  all += shares(loop, clauses);
  all += end_replicas(loop);
  replicas_ = replicas_around;
  replica_readers_ = readers_around;
  if (loop.windows && !plan.updates.empty()) all += "upcr_updates_finish();";
  out += clauses.affinity == nullptr ? all : "if (" + loop.count + " > 0) {" + all + "}";
  if (!plan.shape.declared_inside) {
    out += loop.index + " = (" + loop.index_type + ")(" + loop.first + " + " + loop.count + " * " + loop.step + ");";
  }
  for (std::size_t i = 0; i < plan.shape.seconds.size(); ++i) {
    const SecondIndex& second = plan.shape.seconds[i];
    if (second.first == nullptr)
      out += std::string(second.variable->name->text) + " = " + second_at(loop, i, loop.count) + ";";
  }
  // A loop around this one may wait: it is to look at memory again.
  if (may_wait_) out += abi::kLookAgain;
  return out;
}

// The whole of a planned loop: as planned where memory is mapped, or can be seen through windows (and the loop divides
// the work), else `generic`. The index has been set by the init clause if it lives outside the loop. Whatever the depth
// of loops, a body has one copy for each of the three: loops inside the first two know what holds there, and those
// inside the third are not planned.
std::string Lowerer::planned_loop(const LoopPlan& plan, const Stmt* statement, const LoopClauses& clauses,
                                  const std::string& object, const std::function<std::string()>& generic) {
  // What the init clause does, it does once.
  const bool computes_first_index = plan.shape.declared_inside && plan.shape.first->has_side_effects;
  LoopText loop{.plan = &plan,
                .statement = statement,
                .body = clauses.body,
                .first_token = statement->tokens.first,
                .id = std::to_string(++temps_),
                .index = std::string(plan.shape.index->name->text),
                .index_type = type_name(plan.shape.index->type),
                .controls = !object.empty(),
                .is_shadowed = options_.optimise.shadow && !plan.ends_early && !computes_first_index};
  loop.first = loop.name("first");
  loop.count = loop.name("count");
  const bool up = plan.shape.step > 0;
  std::string stride;
  std::string test;
  const auto require = [](std::string& tests, const std::string& one) { tests += (tests.empty() ? "" : " && ") + one; };
  loop.step = number(plan.shape.step);
  if (plan.shape.stride != nullptr) {
    loop.step = loop.name("step");
    const std::string amount = "(long)(" + expr(plan.shape.stride) + ")";
    stride = "const long " + loop.step + " = " + (up ? "" : "-") + amount + ";";
    if (!plan.shape.stride_is_threads) require(test, loop.step + (up ? " > 0" : " < 0"));
  }
  if (!object.empty()) require(test, object + ".controlling");
  const std::string limit_value = limit_of(plan.shape);
  if (plan.shape.may_overstep()) {
    const bool narrow = types_.integer_bits(plan.shape.index->type.type) < 64;
    require(test, "(unsigned long)" + limit_value +
                      (narrow ? " <= 0xfffffffful - (unsigned long)" : " <= ~0ul - (unsigned long)") + loop.step);
  }
  const auto first = [&] { return plan.shape.declared_inside ? expr(plan.shape.first) : loop.index; };
  if (plan.shape.ahead_may_wrap) {
    require(test, "(unsigned long)(" + loop.index_type + ")(" + first() + ") <= " +
                      (types_.integer_bits(plan.shape.index->type.type) < 64 ? "0xfffffffful - " : "~0ul - ") +
                      std::to_string(plan.shape.ahead));
  }
  if (plan.not_negative != nullptr) {
    for (const std::string& at : {first(), limit_value}) {
      require(test, "({ const " + loop.index_type + " " + loop.name("end") + " = (" + loop.index_type + ")(" + at +
                        "); const " + loop.index_type + " " + loop.index + " = " + loop.name("end") + "; (void)" +
                        loop.index + "; (long)(" + expr(plan.not_negative) + ") >= 0; })");
    }
  }
  // This thread's own memory is always mapped; with all of it planned, nothing else needs to be.
  bool all_mine = plan.covers_all;
  bool windows = plan.windows;  // some accesses go through one, or need none: then loops inside open theirs
  for (const PlannedAccess& a : plan.accesses) {
    all_mine = all_mine && a.with_affinity;
    windows = windows || a.with_affinity;
  }
  std::string out = "{" + stride;
  // Adds a version of the loop for where `condition` holds. False if that is everywhere.
  const auto version = [&](const LoopPlan& as_planned, const std::string& condition, Memory memory) {
    std::string tests = test;
    if (!condition.empty()) require(tests, condition);
    LoopText text = loop;
    text.plan = &as_planned;
    text.windows = memory == Memory::windows;
    const Temporarily here_is(memory_, memory);
    std::string planned = planned_version(text, clauses, limit_value);
    if (loop.is_shadowed) {
      planned = dry_loop(text, clauses, generic) + planned + "upcr_shadow_compare(&" + loop.name("shadow") + ", " +
                here(statement->loc) + ");";
    }
    out += tests.empty() ? planned : "if (" + tests + ") {" + planned + "} else ";
    return !tests.empty();
  };
  // Where all memory is mapped, an access is as plain as one of own memory.
  if (plan.own != nullptr && memory_ != Memory::mapped) {
    const std::string unchecked = memory_ == Memory::windows ? "" : "upcr_unchecked() && ";
    (void)version(*plan.own, unchecked + begins_with_affinity(loop, clauses), memory_);
  }
  bool rest = true;
  bool plan_inside = false;  // loops inside the rest
  if (memory_ == Memory::mapped || all_mine) {
    rest = version(plan, memory_ == Memory::mapped ? "" : "upcr_unchecked()", memory_);
  } else {
    if (memory_ == Memory::unknown) rest = version(plan, "upcr_direct()", Memory::mapped);
    if (windows) rest = version(plan, memory_ == Memory::windows ? "" : "upcr_windowing()", Memory::windows);
    plan_inside = !windows;
  }
  if (!rest) return out + "}";
  const Temporarily planned(optimise_loops_, optimise_loops_ && plan_inside);
  const Temporarily known(memory_, memory_ == Memory::unknown ? Memory::not_mapped : memory_);
  return out + "{" + generic() + "}}";
}

}  // namespace upcc
