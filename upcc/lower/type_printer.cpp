#include "lower/type_printer.hpp"

#include "lower/abi.hpp"

namespace upcc {

namespace {

std::string_view builtin_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::void_:
      return "void";
    case TypeKind::bool_:
      return "_Bool";
    case TypeKind::char_:
      return "char";
    case TypeKind::schar:
      return "signed char";
    case TypeKind::uchar:
      return "unsigned char";
    case TypeKind::short_:
      return "short";
    case TypeKind::ushort:
      return "unsigned short";
    case TypeKind::int_:
      return "int";
    case TypeKind::uint:
      return "unsigned int";
    case TypeKind::long_:
      return "long";
    case TypeKind::ulong:
      return "unsigned long";
    case TypeKind::longlong:
      return "long long";
    case TypeKind::ulonglong:
      return "unsigned long long";
    case TypeKind::int128:
      return "__int128";
    case TypeKind::uint128:
      return "unsigned __int128";
    case TypeKind::float16:
      return "_Float16";
    case TypeKind::float_:
      return "float";
    case TypeKind::double_:
      return "double";
    case TypeKind::longdouble:
      return "long double";
    case TypeKind::float128:
      return "__float128";
    case TypeKind::float32:
      return "_Float32";
    case TypeKind::float64:
      return "_Float64";
    case TypeKind::float32x:
      return "_Float32x";
    case TypeKind::float64x:
      return "_Float64x";
    default:
      return "int";
  }
}

std::string qualifiers(Quals quals) {
  std::string out;
  if (quals.has(Quals::kConst)) out += "const ";
  if (quals.has(Quals::kVolatile)) out += "volatile ";
  if (quals.has(Quals::kAtomic)) out += "_Atomic ";
  if (quals.has(Quals::kRestrict)) out += "__restrict ";
  return out;
}

}  // namespace

std::string TypePrinter::tag(const TagDecl* decl, std::string_view keyword) const {
  if (const auto alias = aliases_.find(decl); alias != aliases_.end()) return alias->second;
  if (decl->name != nullptr) return std::string(keyword) + " " + std::string(decl->name->text);
  const Name* name = decl->kind == DeclKind::record ? static_cast<const RecordDecl*>(decl)->typedef_name
                                                    : static_cast<const EnumDecl*>(decl)->typedef_name;
  return name != nullptr ? std::string(name->text) : std::string(keyword) + " " + abi::unnamed_tag(decl);
}

std::string TypePrinter::base(QualType type) const {
  std::string out = qualifiers(type.quals);
  // Local objects keep an alignment that a typedef's attribute asked for.
  switch (type->kind) {
    case TypeKind::record: {
      const RecordDecl* decl = static_cast<const RecordType*>(type.type)->decl;
      return out + tag(decl, decl->is_union ? "union" : "struct");
    }
    case TypeKind::enum_:
      return out + tag(static_cast<const EnumType*>(type.type)->decl, "enum");
    case TypeKind::complex:
      return out + "_Complex " + std::string(builtin_name(static_cast<const ComplexType*>(type.type)->element->kind));
    case TypeKind::vector: {
      const auto* v = static_cast<const VectorType*>(type.type);
      const QualType element{v->element, {}};
      return out + "__attribute__((__vector_size__(" + std::to_string(v->count) + " * sizeof(" + declare(element) +
             ")))) " + declare(element);
    }
    default:
      return out + std::string(builtin_name(type->kind));
  }
}

std::string TypePrinter::array_suffix(const ArrayType* array) const {
  switch (array->array_kind) {
    case ArrayKind::constant:
      if (array->count.times_threads) return "[" + std::to_string(array->count.value) + "]";
      return "[" + std::to_string(array->count.value) + "]";
    case ArrayKind::variable:
      return "[" + extent_(array->count_expr) + "]";
    case ArrayKind::star:
      return "[*]";
    case ArrayKind::incomplete:
      return "[]";
  }
  return "[]";
}

std::string TypePrinter::parameters(const FunctionType* function) const {
  if (!function->has_prototype) return "()";
  std::string out = "(";
  for (const QualType param : function->params) {
    if (out.size() > 1) out += ", ";
    out += declare(param);
  }
  if (function->variadic) out += out.size() > 1 ? ", ..." : "...";
  return out + (out.size() == 1 ? "void)" : ")");
}

// Declarators read from the name outward: the loop builds the declarator while it walks the type inward.
std::string TypePrinter::declare(QualType type, std::string name) const {
  std::string declarator = std::move(name);
  for (;;) {
    if (type.is_pointer_to_shared()) {
      type.quals.bits &= ~Quals::kRestrict;  // a structure in C
      return qualifiers(type.quals) + std::string(abi::kPts) + (declarator.empty() ? "" : " ") + declarator;
    }
    if (const auto* p = type->as<PointerType>()) {
      declarator = "*" + qualifiers(type.quals) + declarator;
      if (p->pointee->is_array() || p->pointee->is_function()) declarator = "(" + declarator + ")";
      type = p->pointee;
    } else if (const auto* a = type->as<ArrayType>()) {
      declarator += array_suffix(a);
      type = a->element;
    } else if (const auto* f = type->as<FunctionType>()) {
      declarator += parameters(f);
      type = f->result;
    } else {
      break;
    }
  }
  return base(type) + (declarator.empty() ? "" : " ") + declarator;
}

std::string TypePrinter::prefix(QualType type) const {
  QualType at = type;
  while (at->is_pointer() && !at.is_pointer_to_shared()) at = static_cast<const PointerType*>(at.type)->pointee;
  const bool around = at->is_array() || at->is_function();
  return around ? "__typeof__(" + declare(type) + ")" : declare(type);
}

std::string TypePrinter::declare_function(const FunctionDecl* function, const std::string& name) const {
  const FunctionType* type = function->function_type();
  std::string list = "(";
  for (const ParamDecl* param : function->params) {
    if (list.size() > 1) list += ", ";
    list += param->is_register ? "register " : "";
    list += declare(param->type, param->name == nullptr ? std::string() : std::string(param->name->text));
  }
  if (type->variadic) list += list.size() > 1 ? ", ..." : "...";
  list += list.size() == 1 ? (type->has_prototype ? "void)" : ")") : ")";
  return declare(type->result, name + list);
}

}  // namespace upcc
