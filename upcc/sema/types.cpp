#include "sema/types.hpp"

#include <algorithm>
#include <bit>

#include "sema/target.hpp"

namespace upcc {

namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdu;
}

std::uint64_t hash_of(TypeKind kind, QualType q, std::uint64_t extra) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(kind) + 1, reinterpret_cast<std::uintptr_t>(q.type));
  h = mix(mix(h, q.quals.bits), extra);
  return h ^ (h >> 29);
}

}  // namespace

TypeContext::TypeContext(Arena& arena, NameTable& names) : arena_(arena), slots_(1024) {
  for (std::size_t k = 0; k <= static_cast<std::size_t>(TypeKind::float64x); ++k) {
    auto* type = arena.make<Type>();
    type->kind = static_cast<TypeKind>(k);
    builtins_[k] = type;
  }
  // The System V ABI's va_list: an array of one structure.
  auto* record = arena.make<RecordDecl>();
  record->kind = DeclKind::record;
  record->name = names.intern("__va_list_tag");
  record->complete = true;
  record->size = 24;
  record->align = 8;
  auto* type = arena.make<RecordType>();
  type->kind = TypeKind::record;
  type->decl = record;
  record->record_type = type;
  record->type = {type, {}};
  va_list_ = array_of({type, {}}, {1, false});
}

const Type* TypeContext::find_or_add(std::uint64_t hash, auto&& equal, auto&& create) {
  std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  for (; slots_[i].second != nullptr; i = (i + 1) & mask) {
    if (slots_[i].first == hash && equal(slots_[i].second)) return slots_[i].second;
  }
  const Type* made = create();
  slots_[i] = {hash, made};
  if (++used_ * 2 > slots_.size()) {
    std::vector<std::pair<std::uint64_t, const Type*>> old(slots_.size() * 2);
    old.swap(slots_);
    mask = slots_.size() - 1;
    for (const auto& slot : old) {
      if (slot.second == nullptr) continue;
      std::size_t k = slot.first & mask;
      while (slots_[k].second != nullptr) k = (k + 1) & mask;
      slots_[k] = slot;
    }
  }
  return made;
}

QualType TypeContext::pointer_to(QualType pointee) {
  const auto equal = [&](const Type* t) {
    const auto* p = t->as<PointerType>();
    return p != nullptr && p->pointee == pointee;
  };
  const auto create = [&]() -> const Type* {
    auto* p = arena_.make<PointerType>();
    p->kind = TypeKind::pointer;
    p->pointee = pointee;
    p->mentions_shared = mentions_shared(pointee);
    p->variably_modified = pointee->variably_modified;
    return p;
  };
  return {find_or_add(hash_of(TypeKind::pointer, pointee, 0), equal, create), {}};
}

QualType TypeContext::complex_of(const Type* element) {
  const auto equal = [&](const Type* t) {
    const auto* c = t->as<ComplexType>();
    return c != nullptr && c->element == element;
  };
  const auto create = [&]() -> const Type* {
    auto* c = arena_.make<ComplexType>();
    c->kind = TypeKind::complex;
    c->element = element;
    return c;
  };
  return {find_or_add(hash_of(TypeKind::complex, {element, {}}, 0), equal, create), {}};
}

QualType TypeContext::vector_of(const Type* element, std::int64_t count) {
  const auto equal = [&](const Type* t) {
    const auto* v = t->as<VectorType>();
    return v != nullptr && v->element == element && v->count == count;
  };
  const auto create = [&]() -> const Type* {
    auto* v = arena_.make<VectorType>();
    v->kind = TypeKind::vector;
    v->element = element;
    v->count = count;
    return v;
  };
  return {find_or_add(hash_of(TypeKind::vector, {element, {}}, static_cast<std::uint64_t>(count)), equal, create), {}};
}

namespace {

ArrayType* new_array(Arena& arena, QualType element, ArrayKind kind) {
  auto* a = arena.make<ArrayType>();
  a->kind = TypeKind::array;
  a->element = element;
  a->array_kind = kind;
  a->mentions_shared = mentions_shared(element);
  a->variably_modified = element->variably_modified || kind == ArrayKind::variable || kind == ArrayKind::star;
  return a;
}

}  // namespace

QualType TypeContext::array_of(QualType element, Size count) {
  const auto equal = [&](const Type* t) {
    const auto* a = t->as<ArrayType>();
    return a != nullptr && a->array_kind == ArrayKind::constant && a->element == element && a->count == count;
  };
  const auto create = [&]() -> const Type* {
    ArrayType* a = new_array(arena_, element, ArrayKind::constant);
    a->count = count;
    return a;
  };
  const std::uint64_t extra = static_cast<std::uint64_t>(count.value) * 2 + (count.times_threads ? 1 : 0);
  return {find_or_add(hash_of(TypeKind::array, element, extra), equal, create), {}};
}

QualType TypeContext::incomplete_array_of(QualType element) {
  return {new_array(arena_, element, ArrayKind::incomplete), {}};
}

QualType TypeContext::variable_array_of(QualType element, Expr* count) {
  ArrayType* a = new_array(arena_, element, ArrayKind::variable);
  a->count_expr = count;
  return {a, {}};
}

QualType TypeContext::star_array_of(QualType element) { return {new_array(arena_, element, ArrayKind::star), {}}; }

QualType TypeContext::function(QualType result, std::span<const QualType> params, bool variadic, bool has_prototype,
                               bool noreturn) {
  auto* f = arena_.make<FunctionType>();
  f->kind = TypeKind::function;
  f->result = result;
  f->params = arena_.copy(params);
  f->variadic = variadic;
  f->has_prototype = has_prototype;
  f->noreturn = noreturn;
  f->mentions_shared = mentions_shared(result);
  for (const QualType& p : params) f->mentions_shared = f->mentions_shared || mentions_shared(p);
  return {f, {}};
}

QualType TypeContext::qualify(QualType type, Quals add) {
  if (add.bits == 0 || type.type == nullptr) return type;
  if (const auto* a = type->as<ArrayType>()) {
    // The alignment override of an array typedef belongs to the array.
    Quals element_add = add;
    element_add.bits &= ~Quals::kAlignMask;
    Quals keep;
    keep.bits = (add.bits & Quals::kAlignMask) != 0 ? add.bits & Quals::kAlignMask : type.quals.bits;
    const QualType element = qualify(a->element, element_add);
    if (element == a->element) return {type.type, keep};
    QualType out;
    switch (a->array_kind) {
      case ArrayKind::constant:
        out = array_of(element, a->count);
        break;
      case ArrayKind::incomplete:
        out = incomplete_array_of(element);
        break;
      case ArrayKind::variable:
        out = variable_array_of(element, a->count_expr);
        break;
      case ArrayKind::star:
        out = star_array_of(element);
        break;
    }
    out.quals = keep;
    return out;
  }
  Quals q = type.quals;
  if ((add.bits & Quals::kAlignMask) != 0) q.bits = (q.bits & ~Quals::kAlignMask) | (add.bits & Quals::kAlignMask);
  constexpr std::uint64_t kPlain = Quals::kCMask | Quals::kAccessMask | Quals::kShared;
  if (add.has(Quals::kHasLayout | Quals::kStarLayout) || (add.has(Quals::kShared) && !q.has(Quals::kShared))) {
    q.set_block_size(add.block_size());
    q.bits =
        (q.bits & ~(Quals::kHasLayout | Quals::kStarLayout)) | (add.bits & (Quals::kHasLayout | Quals::kStarLayout));
  }
  q.bits |= add.bits & kPlain;
  return {type.type, q};
}

QualType TypeContext::strip(QualType type, std::uint64_t mask) {
  const auto* a = type->as<ArrayType>();
  if (a == nullptr) {
    QualType out = type.without(mask);
    if ((mask & Quals::kShared) != 0) out.quals.bits &= ~(Quals::kBlockMask | Quals::kUpcMask);
    return out;
  }
  const QualType element = strip(a->element, mask);
  if (element == a->element) return type;
  switch (a->array_kind) {
    case ArrayKind::constant:
      return array_of(element, a->count);
    case ArrayKind::incomplete:
      return incomplete_array_of(element);
    case ArrayKind::variable:
      return variable_array_of(element, a->count_expr);
    case ArrayKind::star:
      return star_array_of(element);
  }
  return type;
}

bool TypeContext::is_complete(QualType type) {
  switch (type->kind) {
    case TypeKind::void_:
    case TypeKind::function:
      return false;
    case TypeKind::record:
      return static_cast<const RecordType*>(type.type)->decl->complete;
    case TypeKind::enum_:
      return static_cast<const EnumType*>(type.type)->decl->complete;
    case TypeKind::array: {
      const auto* a = static_cast<const ArrayType*>(type.type);
      return a->array_kind != ArrayKind::incomplete && is_complete(a->element);
    }
    default:
      return true;
  }
}

namespace {

constexpr std::uint64_t builtin_size(TypeKind kind) {
  switch (kind) {
    case TypeKind::short_:
    case TypeKind::ushort:
    case TypeKind::float16:
      return 2;
    case TypeKind::int_:
    case TypeKind::uint:
    case TypeKind::float_:
    case TypeKind::float32:
      return 4;
    case TypeKind::long_:
    case TypeKind::ulong:
    case TypeKind::longlong:
    case TypeKind::ulonglong:
    case TypeKind::double_:
    case TypeKind::float64:
    case TypeKind::float32x:
      return 8;
    case TypeKind::int128:
    case TypeKind::uint128:
    case TypeKind::longdouble:
    case TypeKind::float128:
    case TypeKind::float64x:
      return 16;
    default:
      return 1;
  }
}

}  // namespace

Size TypeContext::size_of(QualType type) const {
  switch (type->kind) {
    case TypeKind::pointer: {
      const bool pts = static_cast<const PointerType*>(type.type)->pointee.is_shared();
      return {static_cast<std::int64_t>(pts ? target::kPtsSize : target::kPointerSize), false};
    }
    case TypeKind::array: {
      const auto* a = static_cast<const ArrayType*>(type.type);
      if (a->array_kind != ArrayKind::constant) return {0, false};
      const Size element = size_of(a->element);
      Size out;
      if (__builtin_mul_overflow(element.value, a->count.value, &out.value)) out.value = target::kMaxObject;
      out.times_threads = element.times_threads || a->count.times_threads;
      return out;
    }
    case TypeKind::record:
      return {static_cast<std::int64_t>(static_cast<const RecordType*>(type.type)->decl->size), false};
    case TypeKind::enum_: {
      const Type* underlying = static_cast<const EnumType*>(type.type)->decl->underlying;
      return {static_cast<std::int64_t>(underlying == nullptr ? 4 : builtin_size(underlying->kind)), false};
    }
    case TypeKind::complex: {
      const Type* element = static_cast<const ComplexType*>(type.type)->element;
      return {static_cast<std::int64_t>(2 * builtin_size(element->kind)), false};
    }
    case TypeKind::vector: {
      const auto* v = static_cast<const VectorType*>(type.type);
      return {static_cast<std::int64_t>(builtin_size(v->element->kind)) * v->count, false};
    }
    default:
      return {static_cast<std::int64_t>(builtin_size(type->kind)), false};
  }
}

std::uint64_t TypeContext::shared_bytes(QualType type, std::int64_t static_threads) const {
  auto bytes = static_cast<std::uint64_t>(size_of(type.ultimate()).value);
  if (!type->is_array()) return bytes;
  const Size count = element_count(type);
  const std::uint64_t block = type.block_size();
  auto elements = static_cast<std::uint64_t>(count.value);
  if (block != 0) {
    // The factor THREADS in the count cancels against the division by THREADS.
    const std::uint64_t blocks = elements / block + (elements % block != 0 ? 1 : 0);
    const auto threads =
        static_cast<std::uint64_t>(count.times_threads ? 1 : std::max<std::int64_t>(static_threads, 1));
    elements = (blocks / threads + (blocks % threads != 0 ? 1 : 0)) * block;
  }
  return __builtin_mul_overflow(bytes, elements, &bytes) ? UINT64_MAX : bytes;
}

std::uint64_t TypeContext::align_of(QualType type) const {
  if (const std::uint64_t n = type.quals.align_override(); n != 0) return n;
  switch (type->kind) {
    case TypeKind::pointer:
      return static_cast<const PointerType*>(type.type)->pointee.is_shared() ? target::kPtsAlign : target::kPointerSize;
    case TypeKind::array:
      return align_of(static_cast<const ArrayType*>(type.type)->element);
    case TypeKind::record:
      return static_cast<const RecordType*>(type.type)->decl->align;
    case TypeKind::complex:
      return builtin_size(static_cast<const ComplexType*>(type.type)->element->kind);
    case TypeKind::vector:
      return static_cast<std::uint64_t>(std::bit_ceil(static_cast<std::uint64_t>(size_of(type).value)));
    default:
      return static_cast<std::uint64_t>(size_of(type).value);
  }
}

Size TypeContext::element_count(QualType type) {
  Size out{1, false};
  while (const auto* a = type->as<ArrayType>()) {
    if (__builtin_mul_overflow(out.value, a->count.value, &out.value)) out.value = target::kMaxObject;
    out.times_threads = out.times_threads || a->count.times_threads;
    type = a->element;
  }
  return out;
}

const Type* TypeContext::integer_of_enum(const Type* type) {
  if (const auto* e = type->as<EnumType>()) return e->decl->underlying;
  return type;
}

bool TypeContext::is_signed(const Type* type) {
  const Type* t = integer_of_enum(type);
  if (t == nullptr) return false;
  switch (t->kind) {
    case TypeKind::char_:
    case TypeKind::schar:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::long_:
    case TypeKind::longlong:
    case TypeKind::int128:
      return true;
    default:
      return t->is_real_floating();
  }
}

unsigned TypeContext::integer_bits(const Type* type) const {
  const Type* t = integer_of_enum(type);
  if (t == nullptr) return 32;
  return t->is_bool() ? 1 : static_cast<unsigned>(8 * builtin_size(t->kind));
}

}  // namespace upcc
