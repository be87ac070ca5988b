// Makes types, and answers what depends on the target: sizes, alignments, spelling.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "ast/decl.hpp"
#include "ast/type.hpp"
#include "basic/arena.hpp"

namespace upcc {

class TypeContext {
 public:
  TypeContext(Arena& arena, NameTable& names);

  // Builtin arithmetic types, void and unknown.
  [[nodiscard]] QualType builtin(TypeKind kind) const { return {builtins_[static_cast<std::size_t>(kind)], {}}; }
  [[nodiscard]] QualType int_type() const { return builtin(TypeKind::int_); }
  [[nodiscard]] QualType size_type() const { return builtin(TypeKind::ulong); }
  [[nodiscard]] QualType ptrdiff_type() const { return builtin(TypeKind::long_); }
  [[nodiscard]] QualType void_type() const { return builtin(TypeKind::void_); }
  [[nodiscard]] QualType char_type() const { return builtin(TypeKind::char_); }
  [[nodiscard]] QualType unknown() const { return builtin(TypeKind::unknown); }
  [[nodiscard]] QualType va_list_type() const { return va_list_; }

  QualType pointer_to(QualType pointee);
  QualType complex_of(const Type* element);
  QualType vector_of(const Type* element, std::int64_t count);
  QualType array_of(QualType element, Size count);
  QualType incomplete_array_of(QualType element);
  QualType variable_array_of(QualType element, Expr* count);
  QualType star_array_of(QualType element);
  QualType function(QualType result, std::span<const QualType> params, bool variadic, bool has_prototype,
                    bool noreturn);

  // Adds qualifiers (a layout included) to a type, or to the ultimate element type of an array.
  QualType qualify(QualType type, Quals add);
  // Removes the given qualifier bits, from an array's ultimate elements too.
  QualType strip(QualType type, std::uint64_t mask);
  // The type of the value of an lvalue: no qualifiers at the top.
  static QualType value_type(QualType type) { return type.unqualified(); }

  [[nodiscard]] static bool is_complete(QualType type);
  // Of a complete, not variable type; void and functions count 1 as in gcc.
  [[nodiscard]] Size size_of(QualType type) const;
  [[nodiscard]] std::uint64_t align_of(QualType type) const;
  // Number of ultimate elements of an array type, 1 for others.
  [[nodiscard]] static Size element_count(QualType type);
  // Bytes that a shared object takes of each thread's memory: as many as the thread that has most. UINT64_MAX: more
  // than can be counted. static_threads 0: as many as there will be.
  [[nodiscard]] std::uint64_t shared_bytes(QualType type, std::int64_t static_threads) const;

  [[nodiscard]] static bool is_signed(const Type* type);
  // Width in bits of an integer type; 1 for _Bool.
  [[nodiscard]] unsigned integer_bits(const Type* type) const;
  [[nodiscard]] static const Type* integer_of_enum(const Type* type);

 private:
  const Type* find_or_add(std::uint64_t hash, auto&& equal, auto&& create);

  Arena& arena_;
  std::array<const Type*, 32> builtins_{};
  QualType va_list_;
  std::vector<std::pair<std::uint64_t, const Type*>> slots_;
  std::size_t used_ = 0;
};

// gcc's spelling of a type: `int (*)[10]`, `shared [4] int *`. With a name: a declaration of it.
std::string type_string(QualType type, std::string_view declared_name = {});

[[nodiscard]] inline bool is_union(QualType type) {
  const auto* record = type->as<RecordType>();
  return record != nullptr && record->decl->is_union;
}

// Whether it is a type of UPC's libraries of which programs know only pointers, as upc_lock_t.
[[nodiscard]] bool is_opaque(QualType type);
[[nodiscard]] inline std::string_view incomplete_word(QualType type) {
  return is_opaque(type) ? "opaque" : "incomplete";
}
// "undefined type 'struct s'", "opaque type 'upc_lock_t'"
[[nodiscard]] std::string incomplete_name(QualType type);

[[nodiscard]] inline bool mentions_shared(QualType type) {
  return type.type != nullptr && (type.quals.has(Quals::kShared) || type.type->mentions_shared);
}

}  // namespace upcc
