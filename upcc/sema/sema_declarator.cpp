#include <bit>

#include "sema/sema.hpp"
#include "sema/target.hpp"

// From specifiers and a declarator to a type (C11 6.7.6, 6.7.7, UPC 6.5.2).

namespace upcc {

namespace {

// GNU mode attributes that headers use.
struct Mode {
  std::string_view name;
  TypeKind signed_kind;
  TypeKind unsigned_kind;
  bool floating;
};
constexpr std::array kModes = {
    Mode{"QI", TypeKind::schar, TypeKind::uchar, false},
    Mode{"byte", TypeKind::schar, TypeKind::uchar, false},
    Mode{"HI", TypeKind::short_, TypeKind::ushort, false},
    Mode{"SI", TypeKind::int_, TypeKind::uint, false},
    Mode{"DI", TypeKind::long_, TypeKind::ulong, false},
    Mode{"TI", TypeKind::int128, TypeKind::uint128, false},
    Mode{"word", TypeKind::long_, TypeKind::ulong, false},
    Mode{"pointer", TypeKind::long_, TypeKind::ulong, false},
    Mode{"unwind_word", TypeKind::long_, TypeKind::ulong, false},
    Mode{"SF", TypeKind::float_, TypeKind::float_, true},
    Mode{"DF", TypeKind::double_, TypeKind::double_, true},
    Mode{"XF", TypeKind::longdouble, TypeKind::longdouble, true},
    Mode{"TF", TypeKind::float128, TypeKind::float128, true},
};

}  // namespace

// vector_size, mode, and aligned on a typedef name.
QualType Sema::apply_type_attributes(QualType type, const Attributes& attributes, bool typedef_alignment) {
  if (attributes.mode != nullptr) {
    std::string_view mode = attributes.mode->text;
    if (mode.size() > 4 && mode.starts_with("__") && mode.ends_with("__")) mode = mode.substr(2, mode.size() - 4);
    bool known = false;
    for (const Mode& m : kModes) {
      const bool complex = mode.size() == 2 && m.floating && mode[1] == 'C' && mode[0] == m.name[0];
      if (m.name != mode && !complex) continue;
      known = true;
      const bool is_signed = TypeContext::is_signed(type.type);
      const QualType base = types_.builtin(is_signed ? m.signed_kind : m.unsigned_kind);
      type.type = complex ? types_.complex_of(base.type).type : base.type;
    }
    if (!known) error(attributes.loc, "unknown machine mode " + quoted(attributes.mode->text));
  }
  if (attributes.vector_bytes != 0) {
    // The attribute applies to the innermost element: `int f(void) __attribute__((vector_size(16)))`.
    const std::int64_t element = types_.size_of(type).value;
    if (!type->is_real() || type->is_bool()) {
      if (!type->is_unknown()) error(attributes.loc, "invalid vector type for attribute 'vector_size'");
    } else if (attributes.vector_bytes < element || attributes.vector_bytes % element != 0) {
      error(attributes.loc, "vector size not an integral multiple of component size");
    } else {
      type.type = types_.vector_of(type.type, attributes.vector_bytes / element).type;
    }
  }
  if (typedef_alignment && attributes.align != 0) {
    const auto log = static_cast<std::uint64_t>(std::countr_zero(attributes.align)) + 1;
    type.quals.bits = (type.quals.bits & ~Quals::kAlignMask) | (log << Quals::kAlignShift);
  }
  return type;
}

// 6.7.2.4 _Atomic ( type-name )
QualType Sema::atomic_type(QualType type, Loc loc) {
  if (type->is_array() || type->is_function()) {
    error(loc, std::string("'_Atomic'-qualified ") + (type->is_array() ? "array" : "function") + " type");
    return type;
  }
  return type.with(Quals::kAtomic);
}

// 6.7.6.2, UPC 6.5.2.1
QualType Sema::array_chunk(QualType element, const DeclaratorChunk& chunk, const Declarator& declarator,
                           DeclaratorContext context, bool outermost, bool may_become_shared) {
  const MessageName name{declarator.name, " "};
  const MessageName name_or_type{declarator.name, " ", " type name"};
  if (element->is_unknown()) return element;
  if (element->is_function()) {
    error(declarator.loc, "declaration of" + name_or_type + " as array of functions");
    return types_.unknown();
  }
  if (element->is_void()) {
    error(declarator.loc, "declaration of" + name_or_type + " as array of voids");
    return types_.unknown();
  }
  if (!TypeContext::is_complete(element)) {
    error(declarator.loc, "array type has " + std::string(incomplete_word(element)) + " element type " +
                              quoted(element) + (is_opaque(element) ? ": let the elements be pointers to it" : ""));
    return types_.unknown();
  }
  const std::int64_t element_bytes = types_.size_of(element).value;
  if (!element->variably_modified && element_bytes > 0 &&
      element.quals.align_override() > static_cast<std::uint64_t>(element_bytes)) {
    error(declarator.loc, "alignment of array elements is greater than element size");
    return types_.unknown();
  }
  const auto* record = element->as<RecordType>();
  if (record != nullptr && record->decl->has_flexible_array && !record->decl->is_union) {
    warn(declarator.loc, "pedantic", "invalid use of structure with flexible array member", WarnLevel::pedantic);
  }
  if ((chunk.is_static || chunk.qualifiers.quals.bits != 0) && !(context == DeclaratorContext::param && outermost)) {
    error(chunk.loc, "static or type qualifiers in non-parameter array declarator");
  }
  if (chunk.is_star) {
    if (context != DeclaratorContext::param && context != DeclaratorContext::type_name) {
      error(chunk.loc, "'[*]' not allowed in other than function prototype scope");
      return types_.unknown();
    }
    return types_.star_array_of(element);
  }
  if (chunk.size == nullptr) return types_.incomplete_array_of(element);
  Expr* size = value(chunk.size);
  if (size->type->is_unknown()) return types_.unknown();
  if (!size->type->is_integer()) {
    error(chunk.loc, "size of array" + name + " has non-integer type");
    return types_.unknown();
  }
  Size count;
  Int128 n = 0;
  const bool shared = element.is_shared();
  bool constant = constants_.integer(size, n);
  if (constant) {
    if (n < 0 && TypeContext::is_signed(size->type.type)) {
      error(chunk.loc, "size of array" + name + " is negative");
      return types_.unknown();
    }
    count.value = n > target::kMaxObject ? target::kMaxObject : static_cast<std::int64_t>(n);
    if (n == 0) warn(chunk.loc, "pedantic", "ISO C forbids zero-size array" + name, WarnLevel::pedantic);
  } else if (shared || (may_become_shared && count_threads(size) != 0)) {
    count = shared_dimension(size, declarator, chunk.loc, constant);
    if (constant && count.times_threads) {
      if (shared && element.block_size() == 0 && !element.ultimate().quals.has(Quals::kStarLayout)) {
        error(chunk.loc, "with dynamic THREADS, THREADS cannot size array" + name + " with indefinite block size");
        count.times_threads = false;
      } else if (types_.size_of(element).times_threads) {
        error(chunk.loc, "with dynamic THREADS, THREADS may appear only once in the type of " +
                             (declarator.name == nullptr ? std::string("a shared array") : "shared array" + name));
        count.times_threads = false;
      }
    }
  }
  if (!constant) {
    if (at_file_scope() && context == DeclaratorContext::file) {
      error(declarator.loc, "variably modified" + name + " at file scope" + advice_on_constants(size));
      return types_.unknown();
    }
    if (context == DeclaratorContext::member) {
      error(declarator.loc,
            "a member of a structure or union cannot have a variably modified type" + advice_on_constants(size));
      return types_.unknown();
    }
    return types_.variable_array_of(element, size);
  }
  std::int64_t bytes = 0;
  if (!element->variably_modified &&
      (__builtin_mul_overflow(types_.size_of(element).value, count.value, &bytes) || bytes == target::kMaxObject)) {
    error(chunk.loc, "size of array" + name + " is too large");
    return types_.unknown();
  }
  return types_.array_of(element, count);
}

// 6.7.6.3; UPC: neither a result nor a parameter can be a shared object.
QualType Sema::function_chunk(QualType result, const DeclaratorChunk& chunk, const Declarator& declarator) {
  const MessageName name{declarator.name, " ", " type name"};
  if (result->is_unknown()) result = types_.int_type();
  if (result->is_function()) {
    error(declarator.loc, (declarator.name == nullptr ? "type name" : quoted(declarator.name->text)) +
                              " declared as function returning a function");
    result = types_.int_type();
  } else if (result->is_array()) {
    error(declarator.loc, (declarator.name == nullptr ? "type name" : quoted(declarator.name->text)) +
                              " declared as function returning an array");
    result = types_.int_type();
  } else if (result.is_shared()) {
    error(declarator.loc, "function" + (declarator.name == nullptr ? std::string() : text_of(name)) +
                              " returns shared type " + quoted(result));
    result = types_.strip(result, Quals::kUpcMask);
  }
  std::vector<QualType> params;
  for (const ParamDecl* p : chunk.params) params.push_back(p->type.unqualified());
  return types_.function(result, params, chunk.variadic, chunk.has_prototype, chunk.attributes.noreturn);
}

QualType Sema::declarator_type(const DeclSpec& spec, const Declarator& declarator, DeclaratorContext context) {
  QualType type = spec.type;
  Attributes base;
  base.merge(spec.attributes);
  if (declarator.attributes.vector_bytes != 0) base.vector_bytes = declarator.attributes.vector_bytes;
  if (declarator.attributes.mode != nullptr) base.mode = declarator.attributes.mode;
  type = apply_type_attributes(type, base, false);
  const bool has_star = type.ultimate().quals.has(Quals::kStarLayout);
  const bool is_typedef = spec.storage == StorageClass::typedef_;
  const auto& chunks = declarator.chunks;
  for (std::size_t i = chunks.size(); i-- > 0;) {
    const DeclaratorChunk& chunk = chunks[i];
    switch (chunk.kind) {
      case DeclaratorChunk::Kind::pointer: {
        check_sized_by_threads(type, declarator.loc);
        const QualType pointee = type.ultimate();
        if (pointee.quals.has(Quals::kStarLayout)) {
          error(spec.qualifiers.layout_loc != kNoLoc && has_star ? spec.qualifiers.layout_loc : chunk.loc,
                "layout '[*]' in the declaration of a pointer; write a number instead of '*', or "
                "'upc_blocksizeof(ARRAY)' to point into ARRAY");
          QualifierList none;
          type = resolve_star_layout(types_.strip(type, Quals::kUpcMask), declarator.loc);
          Quals plain;
          plain.bits = Quals::kShared;
          plain.set_block_size(1);
          type = types_.qualify(type, plain);
        }
        if (type->is_void() && type.quals.has(Quals::kHasLayout)) {
          error(spec.qualifiers.layout_loc != kNoLoc ? spec.qualifiers.layout_loc : chunk.loc,
                "layout qualifier on 'shared void': a generic pointer-to-shared has no block size");
          type.quals.bits &= ~Quals::kHasLayout;
          type.quals.set_block_size(1);
        }
        if (type->is_unknown()) break;
        type = apply_qualifiers(types_.pointer_to(type), chunk.qualifiers, chunk.loc);
        break;
      }
      case DeclaratorChunk::Kind::array:
        type = array_chunk(type, chunk, declarator, context, i == 0, is_typedef && context == DeclaratorContext::file);
        break;
      case DeclaratorChunk::Kind::function:
        type = function_chunk(type, chunk, declarator);
        break;
    }
  }
  if (!declarator.chunks.empty() || spec.storage != StorageClass::typedef_) {
    if (type.ultimate().quals.has(Quals::kStarLayout) && spec.storage != StorageClass::typedef_ &&
        context != DeclaratorContext::param && TypeContext::is_complete(type)) {
      type = resolve_star_layout(type, declarator.loc);
    }
  }
  if (!is_typedef) check_sized_by_threads(type, declarator.loc);
  return type;
}

// With dynamic THREADS, `typedef int row[THREADS];` is for `shared row x;` only.
void Sema::check_sized_by_threads(QualType type, Loc loc) {
  if (type->is_array() && !type.is_shared() && TypeContext::element_count(type).times_threads) {
    error(loc, "with dynamic THREADS an array whose size has THREADS, from a typedef, must be shared");
  }
}

// 6.7.7
QualType Sema::type_name(const DeclSpec& spec, const Declarator& declarator) {
  QualType type = declarator_type(spec, declarator, DeclaratorContext::type_name);
  if (type.ultimate().quals.has(Quals::kStarLayout)) type = resolve_star_layout(type, declarator.loc);
  return type;
}

std::uint64_t Sema::alignment_value(Expr* e, Loc loc) {
  Int128 n = 0;
  e = value(e);
  if (e->type->is_unknown()) return 0;
  if (!e->type->is_integer() || !constants_.integer(e, n)) {
    error(loc, "requested alignment is not an integer constant");
    return 0;
  }
  if (n == 0) return 0;
  if (n < 0 || n > (Int128{1} << 28) || (n & (n - 1)) != 0) {
    error(loc,
          "requested alignment '" + std::to_string(static_cast<std::int64_t>(n)) + "' is not a positive power of 2");
    return 0;
  }
  return static_cast<std::uint64_t>(n);
}

}  // namespace upcc
