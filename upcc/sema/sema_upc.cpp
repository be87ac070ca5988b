#include <algorithm>
#include <array>

#include "sema/sema.hpp"
#include "sema/target.hpp"
#include "sema/warnings.hpp"

// What UPC adds to declarations and statements: qualifiers and layouts (6.5.1.1), the THREADS rules of shared arrays
// (6.5.2.1), barriers (6.6.1), affinity (6.6.2) and pragmas (6.7.1); and of the library, copies (7.2.5) and files.

namespace upcc {

// 6.5.1.1 syntax p1-2: type-qualifier
void Sema::add_qualifier(QualifierList& list, TokenKind keyword, Loc loc) {
  switch (keyword) {
    case TokenKind::kw_const:
      list.quals.bits |= Quals::kConst;
      return;
    case TokenKind::kw_volatile:
      list.quals.bits |= Quals::kVolatile;
      return;
    case TokenKind::kw_restrict:
      list.quals.bits |= Quals::kRestrict;
      return;
    case TokenKind::kw_atomic:
      list.quals.bits |= Quals::kAtomic;
      return;
    case TokenKind::kw_shared:
      if (!list.quals.has(Quals::kShared)) {
        list.quals.bits |= Quals::kShared;
        list.quals.set_block_size(1);
        list.shared_loc = loc;
      }
      return;
    case TokenKind::kw_strict:
    case TokenKind::kw_relaxed: {
      const std::uint64_t bit = keyword == TokenKind::kw_strict ? Quals::kStrict : Quals::kRelaxed;
      if (list.quals.has(Quals::kAccessMask & ~bit)) {
        error(loc, "both 'strict' and 'relaxed' in one declaration");
        return;
      }
      list.quals.bits |= bit;
      if (list.access_loc == kNoLoc) list.access_loc = loc;
      return;
    }
    default:
      return;
  }
}

namespace {

const Expr* strip(const Expr* e) {
  for (;;) {
    if (const auto* p = expr_cast<ParenExpr>(e)) {
      e = p->inner;
    } else if (const auto* c = expr_cast<CastExpr>(e); c != nullptr && c->implicit) {
      e = c->operand;
    } else {
      return e;
    }
  }
}

// The first operand of an arithmetic expression that is wanted; null if there is none.
template <class Wanted>
const Expr* first_in(const Expr* e, const Wanted& wanted) {
  e = strip(e);
  if (wanted(e)) return e;
  if (const auto* u = expr_cast<UnaryExpr>(e)) return first_in(u->operand, wanted);
  if (const auto* c = expr_cast<CastExpr>(e)) return first_in(c->operand, wanted);
  const auto* b = expr_cast<BinaryExpr>(e);
  if (b == nullptr) return nullptr;
  const Expr* on_the_left = first_in(b->lhs, wanted);
  return on_the_left != nullptr ? on_the_left : first_in(b->rhs, wanted);
}

const DeclRef* variable_in(const Expr* e) {
  return expr_cast<DeclRef>(first_in(e, [](const Expr* operand) {
    const auto* ref = expr_cast<DeclRef>(operand);
    return ref != nullptr && decl_cast<VarDecl>(ref->decl) != nullptr && ref->decl->type->is_integer();
  }));
}

}  // namespace

std::string Sema::advice_on_constants(const Expr* e) const {
  if (const DeclRef* variable = variable_in(e); variable != nullptr) {
    const bool is_const = variable->decl->type.quals.has(Quals::kConst);
    return ": " + quoted(variable->decl->name->text) + " is a variable" + (is_const ? ", though const" : "") +
           "; make it a macro or an enumeration constant";
  }
  if (first_in(e, [](const Expr* operand) { return operand->kind == ExprKind::mythread; }) != nullptr)
    return ": MYTHREAD differs from thread to thread";
  return unit_.dynamic_threads() && count_threads(e) != 0 ? "; use -T for a fixed number of threads" : "";
}

// 6.5.1.1 syntax p3: layout-qualifier. `size` is null for [] and [*].
void Sema::add_layout(QualifierList& list, Loc loc, Expr* size, bool star) {
  Int128 block = 0;
  if (size != nullptr) {
    size = value(size);
    if (size->type->is_unknown()) return;
    if (!size->type->is_integer()) {
      error(loc, "block size is not an integer");
      return;
    }
    if (!constants_.integer(size, block)) {
      const DeclRef* variable = variable_in(size);
      error(variable != nullptr ? variable->loc : size->loc,
            "block size is not an integer constant expression" + advice_on_constants(size), {{range_of(size)}, {}});
      return;
    }
    if (block < 0) {
      error(loc, "block size is negative");
      return;
    }
    if (block > target::kMaxBlockSize) {
      error(loc, "block size is larger than UPC_MAX_BLOCK_SIZE (" + std::to_string(target::kMaxBlockSize) + ")");
      return;
    }
  }
  const auto n = static_cast<std::uint64_t>(block);
  if (list.quals.has(Quals::kHasLayout | Quals::kStarLayout)) {
    if (list.quals.has(Quals::kStarLayout) != star || (!star && list.quals.block_size() != n)) {
      error(loc, "more than one block size in one declaration");
    }
    return;
  }
  list.layout_loc = loc;
  list.quals.bits |= star ? Quals::kStarLayout : Quals::kHasLayout;
  list.quals.set_block_size(n);
}

// 6.5 constraints p2-3, 6.5.1.1 constraints p1, 6.5.2 constraints p1-2: typedefs count as if written out.
QualType Sema::apply_qualifiers(QualType type, const QualifierList& list, Loc loc) {
  if (type->is_unknown()) return type;
  Quals add = list.quals;
  const Quals have = type.ultimate().quals;
  const bool shared = add.has(Quals::kShared) || have.has(Quals::kShared);
  if (add.has(Quals::kAccessMask) && !shared) {
    error(list.access_loc, std::string(add.has(Quals::kStrict) ? "'strict'" : "'relaxed'") + " without 'shared'");
    add.bits &= ~Quals::kAccessMask;
  }
  if (((add.bits | have.bits) & Quals::kAccessMask) == Quals::kAccessMask) {
    error(list.access_loc != kNoLoc ? list.access_loc : loc, "both 'strict' and 'relaxed' in one declaration");
    add.bits &= ~Quals::kAccessMask;
  }
  if (add.has(Quals::kHasLayout | Quals::kStarLayout) && have.has(Quals::kHasLayout) &&
      (add.has(Quals::kStarLayout) || add.block_size() != have.block_size())) {
    error(list.layout_loc, "more than one block size in one declaration");
    add.bits &= ~(Quals::kHasLayout | Quals::kStarLayout | Quals::kBlockMask);
  }
  if (add.has(Quals::kShared) && type->is_function()) {
    error(list.shared_loc, "a function type cannot be 'shared'");
    return type;
  }
  if (add.has(Quals::kRestrict) && !type->is_array() &&
      !(type->is_pointer() && !static_cast<const PointerType*>(type.type)->pointee->is_function())) {
    error(loc, "invalid use of 'restrict'");
    add.bits &= ~Quals::kRestrict;
  }
  return types_.qualify(type, add);
}

// How often the keyword THREADS occurs in an expression that sizes an array.
int Sema::count_threads(const Expr* e) {
  e = strip(e);
  if (e->kind == ExprKind::threads) return 1;
  if (const auto* b = expr_cast<BinaryExpr>(e)) return count_threads(b->lhs) + count_threads(b->rhs);
  if (const auto* u = expr_cast<UnaryExpr>(e)) return count_threads(u->operand);
  if (const auto* c = expr_cast<CastExpr>(e)) return count_threads(c->operand);
  if (const auto* q = expr_cast<ConditionalExpr>(e)) {
    return count_threads(q->condition) + (q->then != nullptr ? count_threads(q->then) : 0) +
           count_threads(q->otherwise);
  }
  return 0;
}

// 6.5.2.1 constraints p1-2, dynamic THREADS: a dimension of a shared array is a constant, THREADS, or THREADS times a
// positive constant. As an extension, which macros of sizes need, the constant may be several factors. Clears ok when
// the dimension is neither and no error was due (a variable length).
Size Sema::shared_dimension(const Expr* size, const Declarator& declarator, Loc loc, bool& ok) {
  const std::string name = declarator.name == nullptr ? "" : " of " + quoted(declarator.name->text);
  ok = true;
  Int128 n = 0;
  if (constants_.integer(size, n)) {
    return {static_cast<std::int64_t>(n), false};
  }
  const int uses = count_threads(size);
  if (uses == 0) {
    ok = false;
    return {};
  }
  Int128 product = 1;
  int factors = 0;
  const Expr* e = strip(size);
  for (const auto* b = expr_cast<BinaryExpr>(e); uses == 1 && b != nullptr && b->op == BinaryOp::mul;
       b = expr_cast<BinaryExpr>(e)) {
    const bool on_the_left = count_threads(b->lhs) == 1;
    if (!constants_.integer(on_the_left ? b->rhs : b->lhs, n)) break;
    if (n <= 0) {
      error(loc, "THREADS is multiplied by a factor that is not positive in the array size" + name);
      return {1, true};
    }
    product = std::min<Int128>(product * std::min<Int128>(n, target::kMaxObject), target::kMaxObject);
    ++factors;
    e = strip(on_the_left ? b->lhs : b->rhs);
  }
  if (e->kind == ExprKind::threads) {
    if (factors > 1) {
      warn(loc, "pedantic", "UPC forbids several factors beside THREADS in the array size" + name, WarnLevel::pedantic);
    }
    return {static_cast<std::int64_t>(product), true};
  }
  error(loc,
        "with dynamic THREADS a shared array size" + name +
            (uses > 1 ? " may use THREADS only once" : " must be THREADS alone or THREADS times integer constants") +
            advice_on_constants(size));
  return {1, true};
}

// 6.5.1.1p8: [*] spreads the elements evenly, one block per thread.
QualType Sema::resolve_star_layout(QualType type, Loc loc) {
  const QualType element = type.ultimate();
  if (!element.quals.has(Quals::kStarLayout)) return type;
  Int128 block = 1;
  if (type->is_array()) {
    if (!TypeContext::is_complete(type) || type->variably_modified) {
      error(loc, "layout '[*]' needs an array of known size");
    } else {
      const Size count = TypeContext::element_count(type);
      if (count.times_threads)
        block = count.value;
      else if (unit_.dynamic_threads())
        block = 1;  // reported as an array without THREADS
      else
        block = (static_cast<Int128>(count.value) + unit_.static_threads - 1) / unit_.static_threads;
      if (block == 0) block = 1;
    }
  }
  if (block > target::kMaxBlockSize) {
    error(loc, "layout '[*]' gives a block size larger than UPC_MAX_BLOCK_SIZE (" +
                   std::to_string(target::kMaxBlockSize) + ")");
    block = 1;
  }
  Quals q = element.quals;
  q.bits = (q.bits & ~Quals::kStarLayout) | Quals::kHasLayout;
  q.set_block_size(static_cast<std::uint64_t>(block));
  // Rebuild the array around the new element.
  const auto rebuild = [&](auto&& self, QualType t) -> QualType {
    const auto* a = t->as<ArrayType>();
    if (a == nullptr) return {t.type, q};
    const QualType inner = self(self, a->element);
    if (a->array_kind == ArrayKind::constant) return types_.array_of(inner, a->count);
    if (a->array_kind == ArrayKind::variable) return types_.variable_array_of(inner, a->count_expr);
    return types_.incomplete_array_of(inner);
  };
  return rebuild(rebuild, type);
}

namespace {

// Whether the declaration that declares a name there uses typeof and not the word `shared`.
bool declared_by_typeof(const std::vector<Token>& tokens, Loc name) {
  auto at = std::lower_bound(tokens.begin(), tokens.end(), name, [](const Token& t, Loc loc) { return t.loc < loc; });
  bool found = false;
  while (at != tokens.begin()) {
    --at;
    const bool ends = at->is(TokenKind::semicolon) || at->is(TokenKind::l_brace) || at->is(TokenKind::r_brace);
    if (ends || at->is(TokenKind::kw_shared)) return found && ends;
    found = found || at->is(TokenKind::kw_typeof);
  }
  return found;
}

// The bracket that closes the one at `at`.
std::vector<Token>::const_iterator closing(std::vector<Token>::const_iterator at) {
  const TokenKind open = at->kind;
  const TokenKind close = open == TokenKind::l_paren ? TokenKind::r_paren : TokenKind::r_square;
  int depth = 0;
  for (; !at->is(TokenKind::end_of_file); ++at) {
    if (at->is(open)) ++depth;
    if (at->is(close) && --depth == 0) break;
  }
  return at;
}

}  // namespace

// `x[N * THREADS]` for the declaration of `x[N]`, in the user's words; empty if a macro or typedef hides them.
std::string Sema::sized_by_threads(const VarDecl* decl) const {
  const auto& tokens = unit_.tokens.tokens;
  const auto name =
      std::lower_bound(tokens.begin(), tokens.end(), decl->loc, [](const Token& t, Loc loc) { return t.loc < loc; });
  const auto open = name + 1;
  if (!open->is(TokenKind::l_square)) return {};
  const auto first = closing(open);
  auto last = first;
  while (last[1].is(TokenKind::l_square)) last = closing(last + 1);
  std::string size = diagnostics_.written_text({open->loc, first->loc});
  const auto blanks = std::min(size.find_first_not_of(" \t", 1), size.size());
  size = size.substr(blanks, size.find_last_not_of(" \t") + 1 - blanks);
  if (size.empty()) return {};
  const bool primary = first == open + 2 || (open[1].is(TokenKind::l_paren) && closing(open + 1) + 1 == first);
  if (!primary) size = "(" + size + ")";
  const std::string others = last == first ? "" : diagnostics_.written_text({first->loc, last->loc});
  return std::string(decl->name->text) + "[" + size + " * THREADS" + others + "]";
}

// 6.5.2 constraint p3, 6.5.2.1 constraint p1
void Sema::check_shared_object(const VarDecl* decl) {
  if (!decl->type.is_shared()) return;
  const std::string name = quoted(decl->name->text);
  if (decl->duration == StorageDuration::automatic) {
    error(decl->loc, "shared object " + name +
                         " has automatic storage duration; make it static or declare it outside the function");
    if (declared_by_typeof(unit_.tokens.tokens, decl->loc))
      note(decl->loc, "the type that 'typeof' gives of a shared object is shared, too; name the private type instead");
    return;
  }
  if (decl->duration == StorageDuration::thread) {
    error(decl->loc, "shared object " + name + " cannot be thread-local");
    return;
  }
  if (!unit_.dynamic_threads() || !decl->type->is_array()) return;
  const bool incomplete = !TypeContext::is_complete(decl->type);
  const bool definite = decl->type.block_size() != 0;
  const Size count = TypeContext::element_count(decl->type);
  if (!definite && count.times_threads) {
    error(decl->loc, "with dynamic THREADS, THREADS cannot size array " + name + " with indefinite block size");
  }
  if (definite && !incomplete && !count.times_threads) {
    const std::string sized = count.value == 0 ? "" : sized_by_threads(decl);
    error(decl->loc, "with dynamic THREADS the size of shared array " + name + " must contain THREADS exactly once; " +
                         (sized.empty() ? "" : "write " + quoted(sized) + ", ") +
                         "use -T for a fixed number of threads, or '[]' to keep it on one thread");
  }
}

namespace {

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
    std::size_t end = i;
    while (end < text.size() && text[end] != ' ' && text[end] != '\t' && text[end] != '(') ++end;
    if (end == i && end < text.size()) ++end;
    if (end > i) out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

}  // namespace

// 6.7.1 `#pragma upc`, and `#pragma pack`, which changes layouts. Others go to the back end untouched.
void Sema::pragma(const PragmaLine& line, PragmaPlace place) {
  const auto w = words(line.text);
  if (w.empty()) return;
  if (w[0] == "upc" && options_.upc) {
    const bool strict = w.size() > 1 && w[1] == "strict";
    if (w.size() < 2 || (!strict && w[1] != "relaxed")) {
      warn(line.loc, "unknown-pragmas",
           "unknown '#pragma upc" + (w.size() < 2 ? std::string() : " " + std::string(w[1])) + "' ignored");
      return;
    }
    if (w.size() > 2) warn(line.loc, "unknown-pragmas", "extra text after '#pragma upc " + std::string(w[1]) + "'");
    if (place == PragmaPlace::elsewhere) {
      warn(line.loc, "unknown-pragmas",
           "'#pragma upc " + std::string(w[1]) +
               "' is allowed only outside declarations or at the start of a block; ignored");
      return;
    }
    strict_mode_ = strict;
    return;
  }
  if (!w[0].starts_with("pack")) return;
  const std::string_view text = line.text;
  const auto open = text.find('(');
  const auto close = text.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
  std::uint64_t n = 0;
  bool has_number = false;
  for (const char c : text.substr(open, close - open)) {
    if (c < '0' || c > '9') continue;
    n = n * 10 + static_cast<std::uint64_t>(c - '0');
    has_number = true;
  }
  const bool valid = !has_number || n == 0 || n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
  if (!valid) {
    warn(line.loc, "pragmas", "alignment must be a small power of two, not " + std::to_string(n));
    return;
  }
  const std::string_view args = text.substr(open + 1, close - open - 1);
  if (args.find("push") != std::string_view::npos) {
    pack_stack_.push_back(pack_);
    if (has_number) pack_ = n;
  } else if (args.find("pop") != std::string_view::npos) {
    if (!pack_stack_.empty()) {
      pack_ = pack_stack_.back();
      pack_stack_.pop_back();
    } else {
      warn(line.loc, "pragmas", "#pragma pack (pop) encountered without matching #pragma pack (push)");
    }
  } else {
    pack_ = n;
  }
}

// 6.6.2 constraint p1
void Sema::check_affinity(UpcForallStmt* stmt, Expr* affinity, Loc loc) {
  affinity = value(affinity);
  stmt->affinity_kind = AffinityKind::none;
  if (affinity->type->is_unknown()) return;
  if (affinity->type->is_integer()) {
    stmt->affinity_kind = AffinityKind::integer;
  } else if (affinity->type.is_pointer_to_shared()) {
    stmt->affinity_kind = AffinityKind::pointer_to_shared;
  } else {
    Marks marks;
    std::string advice;
    const auto* load = expr_cast<CastExpr>(affinity);
    const bool loaded = load != nullptr && load->cast_kind == CastKind::lvalue_to_rvalue;
    const auto* address = expr_cast<UnaryExpr>(affinity);
    if (loaded && load->operand->is_shared_lvalue() && !load->is_bitfield) {
      const SourceRange range = range_of(affinity);
      marks.fixits.push_back({{range.begin, range.begin}, "&"});
      advice = "; did you mean its address, with '&'?";
    } else if (address != nullptr && address->op == UnaryOp::address_of && address->operand->type->is_integer()) {
      marks.fixits.push_back({{address->loc, address->loc + 1}, ""});
      advice = "; leave out the '&'";
    }
    error(loc,
          "upc_forall affinity has type " + quoted(affinity->type) +
              ", which is neither an integer nor a pointer-to-shared" + advice,
          marks);
    return;
  }
  stmt->affinity = affinity;
}

// 6.6.1 constraint p2: anything that may be assigned to an int.
Expr* Sema::barrier_value(Expr* e, Loc loc) {
  e = value(e);
  if (e->type->is_unknown()) return nullptr;
  if (!e->type->is_arithmetic()) {
    error(loc, "barrier expression has type " + quoted(e->type) + ", which is not convertible to 'int'");
    return nullptr;
  }
  return convert(e, types_.int_type());
}

namespace {

// upc_memget, bupc_memput_async and the like: (destination, source, bytes, ...), or a byte instead of the source.
bool copies_bytes(std::string_view name) {
  if (name.starts_with('b')) name.remove_prefix(1);
  constexpr std::array<std::string_view, 4> kBases{"upc_memget", "upc_memput", "upc_memcpy", "upc_memset"};
  constexpr std::array<std::string_view, 7> kForms{"", "_nb", "_nbi", "_async", "_asynci", "_signal", "_signal_async"};
  for (const std::string_view base : kBases) {
    if (name.starts_with(base))
      return std::find(kForms.begin(), kForms.end(), name.substr(base.size())) != kForms.end();
  }
  return false;
}

const VarDecl* variable_of(const Expr* lvalue);

// The variable that a pointer value points into, or null. It may point to any part of it.
const VarDecl* variable_at(const Expr* pointer) {
  switch (pointer->kind) {
    case ExprKind::paren:
      return variable_at(static_cast<const ParenExpr*>(pointer)->inner);
    case ExprKind::cast: {
      const Expr* operand = static_cast<const CastExpr*>(pointer)->operand;
      return operand->type->is_array()     ? variable_of(operand)
             : operand->type->is_pointer() ? variable_at(operand)
                                           : nullptr;
    }
    case ExprKind::unary: {
      const auto* unary = static_cast<const UnaryExpr*>(pointer);
      return unary->op == UnaryOp::address_of ? variable_of(unary->operand) : nullptr;
    }
    case ExprKind::binary: {
      const auto* binary = static_cast<const BinaryExpr*>(pointer);
      return variable_at(binary->lhs->type->is_pointer() ? binary->lhs : binary->rhs);
    }
    default:
      return nullptr;
  }
}

const VarDecl* variable_of(const Expr* lvalue) {
  switch (lvalue->kind) {
    case ExprKind::paren:
      return variable_of(static_cast<const ParenExpr*>(lvalue)->inner);
    case ExprKind::decl_ref:
      return decl_cast<VarDecl>(static_cast<const DeclRef*>(lvalue)->decl);
    case ExprKind::member: {
      const auto* member = static_cast<const MemberExpr*>(lvalue);
      return member->arrow ? variable_at(member->base) : variable_of(member->base);
    }
    case ExprKind::subscript:
      return variable_at(static_cast<const SubscriptExpr*>(lvalue)->base);
    case ExprKind::unary: {
      const auto* unary = static_cast<const UnaryExpr*>(lvalue);
      return unary->op == UnaryOp::deref ? variable_at(unary->operand) : nullptr;
    }
    default:
      return nullptr;
  }
}

std::string text_of(Int128 size) { return std::to_string(static_cast<std::uint64_t>(size)); }

bool may_be_larger(const VarDecl* variable) {
  const auto* record = variable->type->as<RecordType>();
  return !TypeContext::is_complete(variable->type) || variable->type->variably_modified ||
         (record != nullptr && record->decl->has_flexible_array);
}

}  // namespace

// Static shared objects are not from the heap.
void Sema::check_free(const FunctionDecl* function, std::span<Expr* const> args) {
  const std::string_view name = function->name->text;
  if ((name != "upc_free" && name != "upc_all_free") || args.empty() || !args[0]->type->is_pointer()) return;
  const VarDecl* variable = variable_at(args[0]);
  if (variable == nullptr || !variable->is_shared()) return;
  const bool shown = warn(args[0]->loc, "free-nonheap-object",
                          quoted(name) + " of " + quoted(variable->name->text) +
                              ", which is declared and not allocated: only memory of upc_alloc and its like is freed",
                          WarnLevel::always, {{range_of(args[0])}, {}});
  if (shown) note(variable->loc, "declared here");
}

// More bytes than a variable has. gcc, which sees the copy in the runtime's function only, would say it of that.
void Sema::check_copy(const FunctionDecl* function, std::span<Expr* const> args) {
  Int128 bytes = 0;
  if (args.size() < 3 || !copies_bytes(function->name->text) || !constants_.integer(args[2], bytes)) return;
  for (const bool writes : {true, false}) {
    const Expr* pointer = args[writes ? 0 : 1];
    const VarDecl* variable = pointer->type->is_pointer() ? variable_at(pointer) : nullptr;
    if (variable == nullptr || may_be_larger(variable)) continue;
    const Int128 room = variable->is_shared() ? Int128{types_.shared_bytes(variable->type, unit_.static_threads)}
                                              : Int128{types_.size_of(variable->type).value};
    if (bytes <= room) continue;
    const bool shared_array = variable->is_shared() && variable->type->is_array();
    warn(pointer->loc, writes ? "stringop-overflow" : "stringop-overread",
         quoted(function->name->text) + (writes ? " writes " : " reads ") + text_of(bytes) + " bytes of " +
             quoted(variable->name->text) + ", which has " + text_of(room) + (shared_array ? " on a thread" : ""));
  }
}

// upc_all_fread_shared(fd, buffer, blocksize, size, nmemb, flags), upc_all_fread_local without the blocksize, and their
// like.
void Sema::check_file_transfer(const FunctionDecl* function, std::span<Expr* const> args) {
  constexpr std::array<std::string_view, 4> bases{"upc_all_fread_shared", "upc_all_fwrite_shared",
                                                  "upc_all_fread_local", "upc_all_fwrite_local"};
  std::string_view name = function->name->text;
  if (name.ends_with("_async")) name.remove_suffix(6);
  if (std::find(bases.begin(), bases.end(), name) == bases.end()) return;
  const bool shared = name.ends_with("shared");
  const std::size_t size = shared ? 3 : 2;
  if (args.size() <= size + 1 || !args[1]->type->is_pointer() || variable_at(args[1]) == nullptr) return;
  check_file_extent(function, args[1], args[size], args[size + 1]);
  if (shared) check_file_blocks(function, args);
}

// More bytes than the variable has. A factor THREADS that only one side has is at least 1.
void Sema::check_file_extent(const FunctionDecl* function, const Expr* buffer, const Expr* size, const Expr* count) {
  const VarDecl* variable = variable_at(buffer);
  const ConstValue bytes_each = constants_.evaluate(size);
  const ConstValue elements = constants_.evaluate(count);
  const bool known = bytes_each.is_integer() && elements.kind == ConstValue::Kind::integer;
  if (!known || may_be_larger(variable)) return;
  const Size room = types_.size_of(variable->type);
  const Int128 bytes = bytes_each.integer * elements.integer;
  if (bytes <= room.value || (room.times_threads && !elements.times_threads)) return;
  const bool fills = function->name->text.starts_with("upc_all_fread");
  const auto times = [](bool threads) { return threads ? " * THREADS" : ""; };
  warn(count->loc, fills ? "stringop-overflow" : "stringop-overread",
       quoted(function->name->text) + (fills ? " writes " : " reads ") + text_of(bytes) +
           times(elements.times_threads) + " bytes of " + quoted(variable->name->text) + ", which has " +
           text_of(room.value) + times(room.times_threads));
}

// The array's own layout is known where it is named, with no cast of the program's.
void Sema::check_file_blocks(const FunctionDecl* function, std::span<Expr* const> args) {
  const Expr* buffer = strip(args[1]);
  if (const auto* u = expr_cast<UnaryExpr>(buffer)) buffer = u->operand;
  if (!buffer->is_lvalue() || !buffer->type.is_shared()) return;
  const QualType element = buffer->type.ultimate();
  Int128 block = 0;
  Int128 size = 0;
  if (!constants_.integer(args[2], block) || !constants_.integer(args[3], size)) return;
  const Int128 told = block * size;
  const Int128 own = Int128{element.quals.block_size()} * Int128{types_.size_of(element).value};
  // What lies in one block of either kind is in the same place in both.
  Int128 count = 0;
  const bool in_one = constants_.integer(args[4], count) && count * size <= std::min(told, own);
  if (told <= 0 || own == 0 || told == own || in_one) return;
  const std::string variable = quoted(variable_at(args[1])->name->text);
  warn(args[2]->loc, warning::kFileBlocks,
       quoted(function->name->text) + " is given blocks of " + text_of(told) + " bytes, and " + variable +
           " has blocks of " + text_of(own) + "; upc_blocksizeof gives the block size of an array");
}

}  // namespace upcc
