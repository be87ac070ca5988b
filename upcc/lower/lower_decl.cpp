#include <algorithm>
#include <array>

#include "ast/walk.hpp"
#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

// Declarations. One that mentions `shared` is written anew from its types; any other keeps its tokens and at most has
// its initialiser lowered.

namespace upcc {

namespace {

// Objects that C libraries own although programs declare them themselves (POSIX wants that of environ).
constexpr std::array<std::string_view, 16> kLibraryObjects{
    "environ", "__environ", "stdin",  "stdout",   "stderr",   "errno",   "optarg",      "optind",
    "opterr",  "optopt",    "tzname", "timezone", "daylight", "signgam", "sys_errlist", "program_invocation_name"};

std::uint32_t first_of(const std::vector<Token>& tokens, TokenRange range, TokenKind kind) {
  std::uint32_t i = range.first;
  while (i < range.last && !tokens[i].is(kind)) ++i;
  return i;
}

// The struct, union or enumeration that a declarator of this type names, behind pointers, arrays and functions.
const TagDecl* tag_of(QualType type) {
  for (;;) {
    if (const auto* p = type->as<PointerType>())
      type = p->pointee;
    else if (const auto* a = type->as<ArrayType>())
      type = a->element;
    else if (const auto* f = type->as<FunctionType>())
      type = f->result;
    else
      break;
  }
  if (const auto* e = type->as<EnumType>()) return e->decl;
  const auto* r = type->as<RecordType>();
  return r == nullptr ? nullptr : r->decl;
}

bool inside(TokenRange inner, TokenRange outer) {
  return inner.first >= outer.first && inner.last <= outer.last && inner.first < inner.last;
}

// `int a[n + x]` where x is shared.
bool extents_use_upc(QualType type) {
  while (type->variably_modified) {
    if (const auto* p = type->as<PointerType>()) {
      type = p->pointee;
    } else if (const auto* a = type->as<ArrayType>()) {
      if (a->array_kind == ArrayKind::variable && a->count_expr->uses_upc) return true;
      type = a->element;
    } else {
      break;
    }
  }
  return false;
}

bool is_file_extern(const VarDecl* var) { return var->storage == StorageClass::extern_ || var->scope_depth == 0; }

}  // namespace

void Lowerer::external(const DeclGroup& group) {
  switch (group.kind) {
    case GroupKind::function_definition:
      if (group.uses_upc || defines_main(group)) return function(group);
      emit(text::tokens(group.tokens));
      return;
    case GroupKind::static_assert_:
      return;  // sema has checked it
    case GroupKind::declaration:
      emit(text::line(token(group.tokens.first).loc) + declaration(group));
      return;
    default:
      emit(text::tokens(group.tokens));
  }
}

// Trap 13.
bool Lowerer::becomes_thread_local(const VarDecl* var) const {
  if (!options_.pthreads || var->duration != StorageDuration::static_ || var->is_shared() || var->in_system_header) {
    return false;
  }
  if (var->in_c_code) return false;
  if (is_file_extern(var)) {
    if (library_variables_.contains(var->name)) return false;
    const bool library =
        std::find(kLibraryObjects.begin(), kLibraryObjects.end(), var->name->text) != kLibraryObjects.end();
    if (library && !var->is_definition) return false;
  }
  return !var->type.is_const() || var->type.is_volatile() || holds_runtime_address(var);
}

// A constant that holds the address of a thread-local object is another one on each thread. Its own address does not
// make it one.
bool Lowerer::holds_runtime_address(const VarDecl* var) const {
  if (var->init == nullptr) return false;
  const auto [known, is_new] = runtime_constants_.try_emplace(var, false);
  if (!is_new) return known->second;
  const bool holds = mentions_runtime_address(var->init);
  runtime_constants_[var] = holds;
  return holds;
}

bool Lowerer::needs_edit(const DeclGroup& group) const {
  if (group.in_system_header) return false;
  if (group.defines_tag && group.tag != nullptr && group.tag->name != nullptr) {
    const auto found = tag_definitions_.find(group.tag->name);
    if (found != tag_definitions_.end() && found->second > 1) return true;
  }
  if (options_.pthreads) {
    for (const Decl* decl : group.decls) {
      const auto* var = decl_cast<VarDecl>(decl);
      if (var != nullptr && becomes_thread_local(var)) return true;
    }
  }
  return edits_.touches(group.tokens);
}

// Unnamed structs, unions and enumerations get a tag where lowered code may have to name them.
void Lowerer::name_tag(const TagDecl* tag) {
  if (tag->name != nullptr) return;
  const Name* name = tag->kind == DeclKind::record ? static_cast<const RecordDecl*>(tag)->typedef_name
                                                   : static_cast<const EnumDecl*>(tag)->typedef_name;
  if (name != nullptr) return;
  const std::uint32_t brace = first_of(unit_.tokens.tokens, tag->definition, TokenKind::l_brace);
  if (brace < tag->definition.last) edits_.insert_before[brace] = abi::unnamed_tag(tag);
}

// A tag that some inner scope declares again gets a second name that nothing hides (trap 14: local tags).
// A loop that is written twice defines it twice, each time in a scope of its own.
std::string Lowerer::alias_after(const DeclGroup& group) {
  const TagDecl* tag = group.tag;
  if (tag == nullptr || tag->name == nullptr || (printer_.has_alias(tag) && !group.defines_tag)) return {};
  const auto found = tag_definitions_.find(tag->name);
  if (found == tag_definitions_.end() || found->second < 2 || !tag->complete) return {};
  const bool is_record = tag->kind == DeclKind::record;
  const std::string keyword = !is_record ? "enum" : static_cast<const RecordDecl*>(tag)->is_union ? "union" : "struct";
  if (!printer_.has_alias(tag)) printer_.set_alias(tag, temp("alias"));
  const std::string& alias = printer_.alias(tag);
  return "typedef " + keyword + " " + std::string(tag->name->text) + " " + alias + ";";
}

std::string Lowerer::attributes_in(TokenRange range, TokenRange except) const {
  std::string out;
  int depth = 0;
  for (std::uint32_t i = range.first; i < range.last; ++i) {
    if (i >= except.first && i < except.last) continue;
    const Token& t = token(i);
    const bool opens = t.is(TokenKind::l_paren) || t.is(TokenKind::l_brace) || t.is(TokenKind::l_square);
    const bool closes = t.is(TokenKind::r_paren) || t.is(TokenKind::r_brace) || t.is(TokenKind::r_square);
    if (depth == 0 && (t.is(TokenKind::kw_attribute) || t.is(TokenKind::kw_alignas)) && i + 1 < range.last) {
      std::uint32_t end = i + 1;
      int parens = 0;
      do {
        if (token(end).is(TokenKind::l_paren)) ++parens;
        if (token(end).is(TokenKind::r_paren)) --parens;
        ++end;
      } while (end < range.last && parens > 0);
      out += text::tokens({i, end}) + " ";
      i = end - 1;
      continue;
    }
    depth += opens ? 1 : closes ? -1 : 0;
  }
  return out;
}

std::string Lowerer::storage_prefix(const DeclGroup& group, StorageClass storage, bool thread) const {
  std::string out = group.tokens.first < group.tokens.last && token(group.tokens.first).is(TokenKind::kw_extension)
                        ? "__extension__ "
                        : "";
  if (storage == StorageClass::typedef_) out += "typedef ";
  if (storage == StorageClass::static_) out += "static ";
  if (storage == StorageClass::extern_) out += "extern ";
  if (storage == StorageClass::register_) out += "register ";
  if (thread) out += "_Thread_local ";
  return out;
}

// Lengths of variable-length arrays behind `shared` are fixed when the declaration is reached, as C's are.
std::string Lowerer::capture_extents(QualType type, Loc loc) {
  std::string out;
  if (!mentions_shared(type) || !type->variably_modified) return out;
  for (QualType at = type;;) {
    if (const auto* p = at->as<PointerType>()) {
      at = p->pointee;
    } else if (const auto* a = at->as<ArrayType>()) {
      if (a->array_kind == ArrayKind::variable && !extents_.contains(a->count_expr)) {
        const std::string name = temp("n");
        out += text::line(loc) + "const long " + name + " = (long)(" + expr(a->count_expr) + ");";
        extents_[a->count_expr] = name;
      }
      at = a->element;
    } else {
      return out;
    }
  }
}

std::string Lowerer::tag_definition(const DeclGroup& group) {
  if (group.tag == nullptr || !group.defines_tag) return {};
  if (const auto* record = decl_cast<RecordDecl>(static_cast<const Decl*>(group.tag))) {
    return record_definition(record, false) + ";";
  }
  return enum_definition(static_cast<const EnumDecl*>(group.tag)) + ";";
}

std::string Lowerer::enum_definition(const EnumDecl* decl) {
  if (!has_upc_tokens(decl->definition)) return text::tokens(decl->definition);
  std::string out = "enum " + (decl->name != nullptr ? std::string(decl->name->text) : abi::unnamed_tag(decl)) + " {";
  for (const EnumConstantDecl* constant : decl->constants) {
    out += std::string(constant->name->text) + " = " + std::to_string(static_cast<long long>(constant->value)) + ", ";
  }
  return out + "}";
}

std::string Lowerer::record_definition(const RecordDecl* record, bool anonymous_member) {
  const TokenRange range = record->definition;
  if (!record->uses_upc && !has_upc_tokens(range)) return text::tokens(range);
  const std::uint32_t open = first_of(unit_.tokens.tokens, range, TokenKind::l_brace);
  std::string out = text::tokens({range.first, open});
  if (record->name == nullptr && !anonymous_member) {
    out += " " + abi::unnamed_tag(record) + " ";
  }
  out += text::tokens({open, open + 1});
  edits_.insert_before.erase(open);
  std::uint32_t start = open + 1;
  int depth = 0;
  std::uint32_t i = start;
  for (; i < range.last; ++i) {
    const Token& t = token(i);
    if (t.is(TokenKind::l_brace) || t.is(TokenKind::l_paren) || t.is(TokenKind::l_square)) ++depth;
    if (t.is(TokenKind::r_brace) && depth == 0) break;
    if (t.is(TokenKind::r_brace) || t.is(TokenKind::r_paren) || t.is(TokenKind::r_square)) --depth;
    if (!t.is(TokenKind::semicolon) || depth != 0) continue;
    out += member(record, {start, i + 1});
    start = i + 1;
  }
  return out + text::tokens({i, range.last});
}

std::string Lowerer::member(const RecordDecl* record, TokenRange range) {
  if (range.last - range.first < 2) return text::tokens(range);
  const Loc from = token(range.first).loc;
  const Loc to = token(range.last - 1).loc;
  bool rewrite = has_upc_tokens(range);
  std::vector<const FieldDecl*> fields;
  const TagDecl* nested = nullptr;
  for (const FieldDecl* field : record->fields) {
    if (field->loc < from || field->loc >= to) continue;
    fields.push_back(field);
    rewrite = rewrite || mentions_shared(field->type);
    const TagDecl* inner = tag_of(field->type);
    if (inner != nullptr && inner != record && inside(inner->definition, range)) nested = inner;
  }
  const auto* nested_record = nested == nullptr ? nullptr : decl_cast<RecordDecl>(static_cast<const Decl*>(nested));
  rewrite = rewrite || (nested_record != nullptr && nested_record->uses_upc);
  if (!rewrite || fields.empty()) return rewrite ? std::string() : text::tokens(range);
  std::string out = pragmas_before(range.first) + text::line(from);
  const bool anonymous = fields.size() == 1 && fields[0]->is_anonymous_record();
  if (nested_record != nullptr)
    out += record_definition(nested_record, anonymous) + ";";
  else if (nested != nullptr)
    out += enum_definition(static_cast<const EnumDecl*>(nested)) + ";";
  if (anonymous) return out;
  const std::string attributes = attributes_in(range, nested == nullptr ? TokenRange{} : nested->definition);
  for (const FieldDecl* field : fields) {
    out += attributes + printer_.declare(field->type, field->name == nullptr ? "" : std::string(field->name->text));
    if (field->is_bitfield) out += " : " + std::to_string(field->bit_width);
    out += ";";
  }
  return out;
}

// Trap 13: a compound literal at file scope is an object of its own. One that can be written becomes a thread-local
// variable, which takes its place in the tokens; those inside it come first. The variables are defined behind the
// declaration that holds the literals, which may define their types; what they initialise is set at start-up.
std::string Lowerer::hoist_literals(const DeclGroup& group) {
  if (!options_.pthreads || group.in_system_header) return {};
  std::vector<const CompoundLiteralExpr*> found;
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    const auto* literal = expr_cast<CompoundLiteralExpr>(e);
    if (literal != nullptr && is_writable_literal(literal)) found.push_back(literal);
    return true;
  };
  for (const Decl* decl : group.decls) {
    const auto* var = decl_cast<VarDecl>(decl);
    if (var != nullptr && var->duration == StorageDuration::static_) walk(var->init, visitor);
  }
  std::string out;
  for (auto at = found.rbegin(); at != found.rend(); ++at) {
    const CompoundLiteralExpr* literal = *at;
    const std::string name = temp("literal");
    const bool runtime = needs_runtime(literal->init);
    std::string definition = tag_in_literal(literal) + "static _Thread_local " + printer_.declare(literal->type, name);
    if (!runtime) definition += " = " + initialiser(literal->init, literal->type, true);
    std::string assignments;
    if (runtime) assign_leaves(name, literal->type, literal->init, assignments);
    out += text::line(literal->loc) + words(definition) + ";";
    startup_ += text::line(literal->loc) + words(assignments);
    replace_tokens(literal->tokens, name);
    hoisted_[literal] = name;
  }
  return out;
}

// `(struct S {...}){...}` takes the definition of its type away with it.
std::string Lowerer::tag_in_literal(const CompoundLiteralExpr* literal) {
  const TagDecl* tag = tag_of(literal->type);
  if (tag == nullptr || !inside(tag->definition, {literal->tokens.first, literal->init->tokens.first})) return {};
  name_tag(tag);
  return text::tokens(tag->definition) + ";";
}

bool Lowerer::is_writable_literal(const CompoundLiteralExpr* literal) const {
  return literal->file_scope && !mentions_shared(literal->type) &&
         (!literal->type.is_const() || mentions_runtime_address(literal->init));
}

std::string Lowerer::declaration(const DeclGroup& group) {
  if (group.kind == GroupKind::static_assert_) return {};
  if (group.kind != GroupKind::declaration) return text::tokens(group.tokens);
  const std::string literals = hoist_literals(group);
  bool by_tokens = !group.specifiers_use_upc;
  int thread_locals = 0;
  std::string out;
  if (group.defines_tag && group.tag != nullptr && !group.in_system_header) name_tag(group.tag);
  for (const Decl* decl : group.decls) {
    by_tokens = by_tokens && !mentions_shared(decl->type) && !extents_use_upc(decl->type) &&
                !TypeContext::element_count(decl->type).times_threads;
    const auto* var = decl_cast<VarDecl>(decl);
    if (var == nullptr) continue;
    if (becomes_thread_local(var)) ++thread_locals;
    if (needs_new_declaration(var)) by_tokens = false;
    out += capture_extents(var->type, var->loc);
  }
  if (thread_locals != 0 && thread_locals != static_cast<int>(group.decls.size())) by_tokens = false;
  if (by_tokens) return out + variable_by_tokens(group) + alias_after(group) + literals;
  if (group.defines_tag && group.tag != nullptr && group.tag->name == nullptr) {
    // `typedef struct {...} t;`: the definition gets a statement of its own, so it needs a tag.
    const auto* record = decl_cast<RecordDecl>(static_cast<const Decl*>(group.tag));
    const std::string keyword = record == nullptr ? "enum " : record->is_union ? "union " : "struct ";
    printer_.set_alias(group.tag, keyword + abi::unnamed_tag(group.tag));
    const std::uint32_t brace = first_of(unit_.tokens.tokens, group.tag->definition, TokenKind::l_brace);
    edits_.insert_before[brace] = abi::unnamed_tag(group.tag);
  }
  if (group.specifiers_use_upc || !group.defines_tag) {
    out += tag_definition(group);
  } else {
    out += text::tokens(group.tag->definition) + ";";
  }
  // `struct S;` and the like.
  if (group.decls.empty() && !group.defines_tag && !group.specifiers_use_upc) out += text::tokens(group.tokens);
  out += alias_after(group);
  for (const Decl* decl : group.decls) out += declare_one(group, decl);
  return out + literals;
}

// Whether a variable whose initialiser moves to run time cannot be declared by its tokens: it is no constant then.
bool Lowerer::needs_new_declaration(const VarDecl* var) {
  const bool runtime = var->duration != StorageDuration::automatic && var->init != nullptr && needs_runtime(var->init);
  return runtime && (var->type.is_const() || !keep_length(var));
}

// An initialiser that moves to run time no longer says how long `int *a[] = {&b, &c}` is, so the declarator does. False
// if that has no brackets: the array is a typedef's.
bool Lowerer::keep_length(const VarDecl* var) {
  const auto* array = var->type->as<ArrayType>();
  if (array == nullptr) return true;
  const std::uint32_t open = first_of(unit_.tokens.tokens, var->declarator, TokenKind::l_square);
  if (open == var->declarator.last) return false;
  if (token(open + 1).is(TokenKind::r_square)) edits_.insert_before[open + 1] = std::to_string(array->count.value);
  return true;
}

std::string Lowerer::variable_by_tokens(const DeclGroup& group) {
  std::vector<Child> children;
  std::string after;
  bool thread = false;
  for (const Decl* decl : group.decls) {
    const auto* var = decl_cast<VarDecl>(decl);
    if (var == nullptr) continue;
    thread = thread || becomes_thread_local(var);
    if (var->init == nullptr) continue;
    const bool is_static = var->duration != StorageDuration::automatic;
    if (is_static && needs_runtime(var->init)) {
      children.push_back({{var->declarator.last, var->tokens.last}, ""});
      after += declare_variable(var, nullptr);
    } else if (var->init->uses_upc) {
      // `= initialiser`: the list is written from its meaning.
      children.push_back(
          {{var->declarator.last, var->tokens.last}, " = " + initialiser(var->init, var->type, is_static)});
    }
  }
  if (thread) insert_thread_local(group.tokens);
  return splice(group.tokens, std::move(children)) + after;
}

std::string Lowerer::declare_one(const DeclGroup& group, const Decl* decl) {
  const TokenRange tag = group.tag == nullptr ? TokenRange{} : group.tag->definition;
  const std::string attributes = attributes_in(group.specifiers, tag) + attributes_in(decl->tokens, {});
  const std::string name(decl->name->text);
  switch (decl->kind) {
    case DeclKind::typedef_:
      // A shared type, or one that must become shared, has no C counterpart; what uses the name is written from the
      // type itself.
      if (decl->type.is_shared() || TypeContext::element_count(decl->type).times_threads) return {};
      return text::line(decl->loc) + storage_prefix(group, StorageClass::typedef_, false) + attributes +
             printer_.declare(decl->type, name) + ";";
    case DeclKind::function: {
      const auto* f = static_cast<const FunctionDecl*>(decl);
      return text::line(decl->loc) + storage_prefix(group, f->storage, false) + (f->is_inline ? "inline " : "") +
             (f->noreturn ? "_Noreturn " : "") + attributes + printer_.declare(f->type, name) + ";";
    }
    case DeclKind::variable: {
      const auto* var = static_cast<const VarDecl*>(decl);
      if (var->is_shared()) return text::line(decl->loc) + shared_object(var);
      const std::string prefix = storage_prefix(group, var->storage, false) + attributes;
      return text::line(decl->loc) + declare_variable(var, &prefix);
    }
    default:
      return {};
  }
}

// With a prefix the whole declaration; without one only what initialises it at run time.
std::string Lowerer::declare_variable(const VarDecl* var, const std::string* prefix) {
  const std::string name(var->name->text);
  const bool is_static = var->duration != StorageDuration::automatic;
  const bool thread = becomes_thread_local(var) || var->duration == StorageDuration::thread;
  const bool runtime = is_static && var->init != nullptr && needs_runtime(var->init);
  std::string out;
  if (prefix != nullptr) {
    const QualType type = runtime ? types_.strip(var->type, Quals::kConst) : var->type;
    out = *prefix + (thread ? "_Thread_local " : "") + printer_.declare(type, name);
    if (var->align != 0) out += " __attribute__((aligned(" + std::to_string(var->align) + ")))";
    if (var->init != nullptr && !runtime) out += " = " + initialiser(var->init, var->type, is_static);
    out += ";";
  }
  if (!runtime) return out;
  std::string assignments;
  assign_leaves(name, types_.strip(var->type, Quals::kConst), var->init, assignments);
  if (var->scope_depth == 0) {
    startup_ += text::line(var->loc) + assignments;
    return out;
  }
  // Trap 12: a block-scope static is out of reach of the initialiser function; the first pass through here sets it.
  const std::string done = temp("done");
  return out + "static " + (options_.pthreads ? "_Thread_local " : "") + "char " + done + "; if (!" + done + ") { " +
         done + " = 1; " + assignments + "}";
}

}  // namespace upcc
