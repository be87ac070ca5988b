#include <algorithm>

#include "ast/walk.hpp"
#include "lower/abi.hpp"
#include "lower/lowerer.hpp"
#include "lower/type_identity.hpp"

// Static shared objects and initialisers (upcrt/unit.h; trap 12).

namespace upcc {

namespace {

const Expr* strip_implicit(const Expr* e) {
  for (;;) {
    if (const auto* p = expr_cast<ParenExpr>(e))
      e = p->inner;
    else if (const auto* c = expr_cast<CastExpr>(e); c != nullptr && c->implicit)
      e = c->operand;
    else
      return e;
  }
}

bool is_null(const Expr* e) {
  for (;;) {
    if (const auto* p = expr_cast<ParenExpr>(e)) {
      e = p->inner;
    } else if (const auto* c = expr_cast<CastExpr>(e)) {
      if (c->cast_kind == CastKind::null_to_pts) return true;
      e = c->operand;
    } else {
      return false;
    }
  }
}

std::string linker_name(const VarDecl* var) {
  return std::string(" __asm__(\"") + abi::kSharedSymbol + std::string(var->name->text) + "\")";
}

}  // namespace

// ---- objects ----

std::string Lowerer::shared_symbol(const VarDecl* var) const {
  const auto named = shared_names_.find(var);
  return named != shared_names_.end() ? named->second : std::string(var->name->text);
}

void Lowerer::define_shared(const VarDecl* var, std::string& out) {
  const std::uint64_t bytes = types_.shared_bytes(var->type, unit_.static_threads);
  const std::uint64_t alignment = std::max({types_.align_of(var->type.ultimate()), var->align, std::uint64_t{1}});
  const std::uint64_t units = bytes == 0 ? 1 : (bytes + abi::kStaticScale - 1) / abi::kStaticScale;
  const std::uint64_t align = alignment <= abi::kStaticScale ? 1 : alignment / abi::kStaticScale;
  const bool internal = var->linkage != Linkage::external;
  const std::string name = shared_symbol(var) + "[" + std::to_string(units) + "]";
  const std::string storage = internal ? "static " : "";
  const std::string symbol = internal ? "" : linker_name(var);
  const std::string visible = internal ? "" : ", visibility(\"hidden\")";
  if (clang_) {
    out += "\n#pragma clang section bss=\"upc_shared\"\n" + storage + "char " + name + symbol +
           " __attribute__((used, aligned(" + std::to_string(align) + ")" + visible +
           ")) = {0};\n#pragma clang section bss=\"\"\n";
  } else {
    out += storage + "char " + name + symbol + " __attribute__((section(\"upc_shared,\\\"aw\\\",@nobits#\"), aligned(" +
           std::to_string(align) + ")" + visible + ")) = {0};";
  }
}

std::string Lowerer::shared_object(const VarDecl* var) {
  std::string out;
  if (var->scope_depth > 0 && var->storage == StorageClass::static_) {
    // Moved to file scope under a name of its own, so that its initialiser can run at start-up.
    shared_names_[var] = temp("s") + "_" + std::string(var->name->text);
    define_shared(var, out);
    record_shared(var);
    emit(out + "\n");
    initialise_shared(var);
    return {};
  }
  const auto chosen = shared_definitions_.find(var->name);
  if (recorded_.insert(var->name).second) record_shared(chosen == shared_definitions_.end() ? var : chosen->second);
  if (!var->is_definition || chosen == shared_definitions_.end()) {
    if (var->scope_depth == 0 && shared_defined_.contains(var->name)) return {};
    if (var->linkage == Linkage::internal) return {};
    return "extern char " + std::string(var->name->text) + "[]" + linker_name(var) +
           " __attribute__((visibility(\"hidden\")));";
  }
  if (!shared_defined_.insert(var->name).second) return {};
  define_shared(chosen->second, out);
  initialise_shared(chosen->second);
  return out;
}

// What the runtime compares with the declarations of other units. (The record goes to the end: it is long.)
void Lowerer::record_shared(const VarDecl* var) {
  const bool complete = TypeContext::is_complete(var->type);
  records_ += text::line(var->loc) + "static const upcr_object_t " + abi::kPrefix + "object_" + shared_symbol(var) +
              " __attribute__((used, section(\"upc_objects\"), aligned(8))) = {\"" + std::string(var->name->text) +
              "\", " + here(var->loc) + (var->linkage == Linkage::external ? ", 1, " : ", 0, ") +
              std::to_string(var->type->is_array() ? var->type.block_size() : 1) + "ul, " +
              c_string(type_string(var->type)) + ", " + std::to_string(type_identity(types_, var->type)) + "ul, " +
              std::to_string(complete ? types_.shared_bytes(var->type, unit_.static_threads) : 0) + "ul};\n";
}

// ---- initialisers of shared objects ----

void Lowerer::initialise_shared(const VarDecl* var) {
  if (var->init == nullptr) return;
  startup_ += text::line(var->loc) + "{";
  const std::string address = "upcr_make(" + offset_of(var) + ", 0, 0)";
  const QualType type = types_.strip(var->type, Quals::kUpcMask | Quals::kBlockMask | Quals::kCMask);
  const auto* array = var->type->as<ArrayType>();
  if (array == nullptr) {
    startup_ += "if (upcr_mythread() == 0) {";
    if (var->init->kind == ExprKind::init_list) {
      startup_ += printer_.declare(type, "upcc_image") + " = " + initialiser(var->init, type, false) + ";" +
                  put(type_name(type), address, "upcc_image", Access::relaxed, var->loc) + ";";
    } else {
      startup_ += put(type_name(type), address, expr(var->init), Access::relaxed, var->loc) + ";";
    }
    startup_ += "}}";
    return;
  }
  bool threads_inside = false;
  for (QualType at = array->element; const auto* a = at->as<ArrayType>(); at = a->element) {
    threads_inside = threads_inside || a->count.times_threads;
  }
  const auto* list = expr_cast<InitListExpr>(var->init);
  const auto* record = var->type.ultimate()->as<RecordType>();
  const bool local_type = record != nullptr && record->decl->scope_depth > 0;
  if (threads_inside || local_type) {
    std::string leaves;
    initialise_shared_leaves(var, var->type, var->init, "0l", 0, leaves);
    startup_ += "if (upcr_mythread() == 0) {" + leaves + "}}";
    return;
  }
  std::int64_t rows = array->count.value;
  if (list != nullptr) {
    rows = 0;
    for (const InitEntry& entry : list->entries) rows = std::max(rows, entry.last_index + 1);
  }
  if (rows == 0) {
    startup_ += "}";
    return;
  }
  const QualType element = static_cast<const ArrayType*>(type.type)->element;
  const QualType image = types_.array_of(element, {rows, false});
  if (needs_runtime(var->init)) {
    startup_ += "static " + std::string(options_.pthreads ? "_Thread_local " : "") +
                printer_.declare(image, "upcc_image") + ";";
    assign_leaves("upcc_image", image, var->init, startup_);
  } else {
    startup_ += "static " + printer_.declare(image, "upcc_image") + " = " + initialiser(var->init, image, true) + ";";
  }
  startup_ += "upcr_initialise(" + address + ", upcc_image, " +
              std::to_string(TypeContext::element_count(image).value) + ", " + layout_args(var->type) + ");}";
}

// One element at a time, for arrays whose shape in memory depends on THREADS.
void Lowerer::initialise_shared_leaves(const VarDecl* var, QualType type, const Expr* init, const std::string& index,
                                       std::uint64_t byte, std::string& out) {
  const auto* list = expr_cast<InitListExpr>(init);
  if (list == nullptr) {
    const auto place = [&](const std::string& at, std::uint64_t plus) {
      return "upcr_field(upcr_element(" + offset_of(var) + ", (unsigned long)(" + at + "), " + layout_args(var->type) +
             "), " + std::to_string(plus) + ")";
    };
    const auto store = [&](QualType of, const std::string& at, std::uint64_t plus, const std::string& value) {
      out += put(type_name(types_.strip(of, Quals::kUpcMask | Quals::kBlockMask | Quals::kCMask)), place(at, plus),
                 value, Access::relaxed, var->loc) +
             ";";
    };
    const auto* array = type->as<ArrayType>();
    if (array == nullptr) {
      store(type, index, byte, expr(init));
      return;
    }
    // A string: one character after the other, neighbours in a member and elements of the shared array itself.
    const auto size = static_cast<std::uint64_t>(types_.size_of(array->element).value);
    const Size length = TypeContext::element_count(init->type);
    const std::int64_t count = array->count.times_threads ? length.value : std::min(array->count.value, length.value);
    for (std::int64_t i = 0; i < count; ++i) {
      const bool member = !type.is_shared();
      store(array->element, member ? index : index + " + " + std::to_string(i) + "l",
            member ? byte + static_cast<std::uint64_t>(i) * size : byte,
            "(" + expr(init) + ")[" + std::to_string(i) + "]");
    }
    return;
  }
  for (const InitEntry& entry : list->entries) {
    if (entry.field != nullptr) {
      initialise_shared_leaves(var, entry.field->type, entry.value, index, byte + entry.field->bit_offset / 8, out);
      continue;
    }
    const QualType element = static_cast<const ArrayType*>(type.type)->element;
    for (std::int64_t i = entry.first_index; i <= entry.last_index; ++i) {
      if (type.is_shared()) {
        initialise_shared_leaves(var, element, entry.value,
                                 index + " + " + std::to_string(i) + "l * " + elements(element), byte, out);
      } else {
        const std::uint64_t size = static_cast<std::uint64_t>(types_.size_of(element).value);
        initialise_shared_leaves(var, element, entry.value, index, byte + static_cast<std::uint64_t>(i) * size, out);
      }
    }
  }
}

// ---- initialisers of private objects ----

// In a process shared by UPC threads the address of a thread-local object is no constant.
bool Lowerer::mentions_runtime_address(const Expr* e) const {
  if (!options_.pthreads) return false;
  bool found = false;
  Visitor visitor;
  visitor.expr = [&](const Expr* inner) {
    if (const auto* reference = expr_cast<DeclRef>(inner)) {
      const auto* var = decl_cast<VarDecl>(reference->decl);
      found = found || (var != nullptr && becomes_thread_local(var));
    } else if (const auto* literal = expr_cast<CompoundLiteralExpr>(inner)) {
      found = found || is_writable_literal(literal);
    }
    return !found;
  };
  walk(e, visitor);
  return found;
}

bool Lowerer::needs_runtime(const Expr* init) const {
  if (mentions_runtime_address(init)) return true;
  if (!init->uses_upc) return false;
  if (const auto* list = expr_cast<InitListExpr>(init)) {
    return std::any_of(list->entries.begin(), list->entries.end(),
                       [&](const InitEntry& entry) { return needs_runtime(entry.value); });
  }
  if (init->type.is_pointer_to_shared()) return !is_null(init);
  if (const Expr* inner = strip_implicit(init); inner->kind == ExprKind::compound_literal) return false;
  const ConstValue value = constants_.evaluate(init);
  return !value.is_constant() || value.shared || value.times_threads;
}

std::string Lowerer::initialiser(const Expr* init, QualType type, bool constant) {
  // Lists are written from their meaning: the user may have left out braces.
  const auto* list = expr_cast<InitListExpr>(init);
  if (list == nullptr) {
    if (constant && init->type.is_pointer_to_shared() && is_null(init)) return "{0}";
    return expr(init);
  }
  std::string out = "{";
  for (const InitEntry& entry : list->entries) {
    QualType element = type;
    if (entry.field != nullptr) {
      element = entry.field->type;
      if (entry.field->is_anonymous_record() && entry.value->kind == ExprKind::init_list) {
        // Members of an unnamed member can be named directly.
        const std::string inner = initialiser(entry.value, element, constant);
        out += inner.substr(1, inner.size() - 2);
        continue;
      }
      if (entry.field->name != nullptr) out += "." + std::string(entry.field->name->text) + " = ";
    } else if (const auto* a = type->as<ArrayType>()) {
      element = a->element;
      out += "[" + std::to_string(entry.first_index);
      if (entry.last_index != entry.first_index) out += " ... " + std::to_string(entry.last_index);
      out += "] = ";
    }
    out += initialiser(entry.value, element, constant);
    out += ", ";
  }
  return out + "}";
}

// target = init, one scalar at a time. What is not mentioned stays zero.
void Lowerer::assign_leaves(const std::string& target, QualType type, const Expr* init, std::string& out) {
  const auto* list = expr_cast<InitListExpr>(init);
  if (list == nullptr) {
    if (type->is_array()) {
      // A string literal; the array is zero already.
      out += "__builtin_memcpy((void*)" + target + ", " + expr(init) + ", sizeof(" + target + ") < sizeof(" +
             expr(init) + ") ? sizeof(" + target + ") : sizeof(" + expr(init) + "));";
      return;
    }
    out += "*(" + printer_.declare(types_.strip(type, Quals::kCMask), "*") + ")(void*)&(" + target +
           ") = " + expr(init) + ";";
    return;
  }
  for (const InitEntry& entry : list->entries) {
    if (entry.field != nullptr) {
      if (entry.field->is_bitfield) {
        out += target + "." + std::string(entry.field->name->text) + " = " + expr(entry.value) + ";";
        continue;
      }
      const std::string inner =
          entry.field->name == nullptr ? target : target + "." + std::string(entry.field->name->text);
      assign_leaves(inner, entry.field->type, entry.value, out);
      continue;
    }
    const auto* array = type->as<ArrayType>();
    for (std::int64_t i = entry.first_index; i <= entry.last_index; ++i) {
      const QualType element =
          array != nullptr ? array->element : QualType{static_cast<const VectorType*>(type.type)->element, {}};
      assign_leaves(target + "[" + std::to_string(i) + "]", element, entry.value, out);
    }
  }
}

}  // namespace upcc
