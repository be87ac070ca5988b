#include <array>
#include <string>

#include "sema/types.hpp"

namespace upcc {

namespace {

constexpr std::array<std::string_view, 25> kBuiltinNames = {"<unknown type>",
                                                            "void",
                                                            "_Bool",
                                                            "char",
                                                            "signed char",
                                                            "unsigned char",
                                                            "short int",
                                                            "short unsigned int",
                                                            "int",
                                                            "unsigned int",
                                                            "long int",
                                                            "long unsigned int",
                                                            "long long int",
                                                            "long long unsigned int",
                                                            "__int128",
                                                            "__int128 unsigned",
                                                            "_Float16",
                                                            "float",
                                                            "double",
                                                            "long double",
                                                            "_Float128",
                                                            "_Float32",
                                                            "_Float64",
                                                            "_Float32x",
                                                            "_Float64x"};

std::string quals_string(Quals q) {
  std::string out;
  const auto add = [&](std::uint64_t bit, std::string_view word) {
    if (!q.has(bit)) return;
    if (!out.empty()) out += ' ';
    out += word;
  };
  add(Quals::kStrict, "strict");
  add(Quals::kRelaxed, "relaxed");
  if (q.has(Quals::kShared)) {
    if (!out.empty()) out += ' ';
    out += "shared";
    if (q.has(Quals::kStarLayout))
      out += " [*]";
    else if (q.block_size() == 0)
      out += " []";
    else if (q.block_size() != 1)
      out += " [" + std::to_string(q.block_size()) + "]";
  }
  add(Quals::kConst, "const");
  add(Quals::kVolatile, "volatile");
  add(Quals::kRestrict, "restrict");
  add(Quals::kAtomic, "_Atomic");
  return out;
}

std::string tag_string(std::string_view word, const TagDecl* decl, const Name* typedef_name) {
  if (decl->name == nullptr && typedef_name != nullptr) return std::string(typedef_name->text);
  return std::string(word) + ' ' + (decl->name == nullptr ? std::string("<anonymous>") : std::string(decl->name->text));
}

std::string base_string(const Type* type) {
  switch (type->kind) {
    case TypeKind::record: {
      const RecordDecl* decl = static_cast<const RecordType*>(type)->decl;
      if (is_opaque({type, {}})) return std::string(decl->typedef_name->text);
      return tag_string(decl->is_union ? "union" : "struct", decl, decl->typedef_name);
    }
    case TypeKind::enum_: {
      const EnumDecl* decl = static_cast<const EnumType*>(type)->decl;
      return tag_string("enum", decl, decl->typedef_name);
    }
    case TypeKind::complex:
      return "_Complex " + base_string(static_cast<const ComplexType*>(type)->element);
    case TypeKind::vector: {
      const auto* v = static_cast<const VectorType*>(type);
      return "__vector(" + std::to_string(v->count) + ") " + base_string(v->element);
    }
    default:
      return std::string(kBuiltinNames[static_cast<std::size_t>(type->kind)]);
  }
}

std::string array_suffix(const ArrayType* a) {
  switch (a->array_kind) {
    case ArrayKind::constant:
      if (a->count.times_threads) {
        return a->count.value == 1 ? "[THREADS]" : "[" + std::to_string(a->count.value) + "*THREADS]";
      }
      return "[" + std::to_string(a->count.value) + "]";
    case ArrayKind::incomplete:
      return "[]";
    case ArrayKind::variable:
    case ArrayKind::star:
      return "[*]";
  }
  return "[]";
}

// Writes a declarator from the inside out: `inner` is what has been written so far.
std::string render(QualType type, std::string inner) {
  if (const auto* p = type->as<PointerType>()) {
    const std::string q = quals_string(type.quals);
    std::string at = "*";
    if (!q.empty())
      at += " " + q + (inner.empty() ? "" : " ");
    else if (inner.starts_with("(*"))
      at += " ";
    at += inner;
    if (p->pointee->is_array() || p->pointee->is_function()) at = "(" + at + ")";
    return render(p->pointee, at);
  }
  if (const auto* a = type->as<ArrayType>()) return render(a->element, inner + array_suffix(a));
  if (const auto* f = type->as<FunctionType>()) {
    std::string params;
    for (const QualType& p : f->params) {
      if (!params.empty()) params += ", ";
      params += type_string(p);
    }
    if (f->variadic) params += params.empty() ? "..." : ", ...";
    if (f->params.empty() && f->has_prototype && !f->variadic) params = "void";
    return render(f->result, inner + "(" + params + ")");
  }
  const Quals shown = is_opaque(type) ? type.without(Quals::kUpcMask | Quals::kBlockMask).quals : type.quals;
  const std::string q = quals_string(shown);
  std::string out = q.empty() ? base_string(type.type) : q + " " + base_string(type.type);
  // gcc's spacing: `int[3]`, `int(char)`, but `int *` and `int (*)(char)`.
  const bool close = inner.starts_with('[') || (inner.starts_with('(') && !inner.starts_with("(*"));
  if (!inner.empty()) out += (close ? "" : " ") + inner;
  return out;
}

}  // namespace

bool is_opaque(QualType type) {
  const auto* record = type->as<RecordType>();
  if (record == nullptr || record->decl->complete || record->decl->typedef_name == nullptr) return false;
  return record->decl->name != nullptr && record->decl->name->text.starts_with("upcr_");
}

std::string incomplete_name(QualType type) {
  return (is_opaque(type) ? "opaque type '" : "undefined type '") + type_string(type.unqualified()) + "'";
}

std::string type_string(QualType type, std::string_view declared_name) {
  if (type.type == nullptr) return "<none>";
  return render(type, std::string(declared_name));
}

}  // namespace upcc
