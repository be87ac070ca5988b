// Types. A Type is canonical for builtins, records, enums, pointers and constant arrays (one object each);
// typedef names leave no trace in it. Qualifiers live beside the type, in QualType.
//
// UPC: `shared` with its layout is a qualifier of the ultimate element type of an array (6.5.2.1), so an array
// type itself is never qualified: qualifying an array qualifies its elements. A shared object's sizes may hold
// the factor THREADS, which is symbolic when translation is dynamic; see Size.
#pragma once

#include <cstdint>
#include <span>

#include "basic/names.hpp"

namespace upcc {

struct Expr;
struct RecordDecl;
struct EnumDecl;
struct ParamDecl;

enum class TypeKind : std::uint8_t {
  unknown,  // result of an erroneous expression or of a target builtin we do not model: silences all checks
  void_,
  bool_,
  char_,
  schar,
  uchar,
  short_,
  ushort,
  int_,
  uint,
  long_,
  ulong,
  longlong,
  ulonglong,
  int128,
  uint128,
  float16,
  float_,
  double_,
  longdouble,
  float128,  // _Float128 and __float128
  float32,
  float64,
  float32x,
  float64x,
  complex,
  pointer,
  array,
  function,
  record,  // struct or union
  enum_,
  vector,
};

// A size or count: `value`, or `value * THREADS` when times_threads (only when THREADS is dynamic).
struct Size {
  std::int64_t value = 0;
  bool times_threads = false;
  bool operator==(const Size&) const = default;
};

struct Type;

// Qualifiers, alignment override (from attribute aligned on a typedef) and, for shared types, the block size.
struct Quals {
  enum Bit : std::uint64_t {
    kConst = 1,
    kVolatile = 2,
    kRestrict = 4,
    kAtomic = 8,
    kShared = 16,
    kStrict = 32,
    kRelaxed = 64,
    kHasLayout = 128,   // a layout qualifier was written (`shared` alone means block size 1 without this bit)
    kStarLayout = 256,  // `[*]` not yet resolved: only inside declarations being parsed
  };
  static constexpr std::uint64_t kCMask = kConst | kVolatile | kRestrict | kAtomic;
  static constexpr std::uint64_t kAccessMask = kStrict | kRelaxed;
  static constexpr std::uint64_t kUpcMask = kShared | kStrict | kRelaxed | kHasLayout | kStarLayout;
  static constexpr unsigned kAlignShift = 9;   // 6 bits: 1 + log2(alignment override), 0 = none
  static constexpr unsigned kBlockShift = 15;  // 49 bits: block size, 0 = indefinite
  static constexpr std::uint64_t kAlignMask = std::uint64_t{63} << kAlignShift;
  static constexpr std::uint64_t kBlockMask = ~((std::uint64_t{1} << kBlockShift) - 1);

  std::uint64_t bits = 0;

  [[nodiscard]] bool has(std::uint64_t mask) const { return (bits & mask) != 0; }
  [[nodiscard]] std::uint64_t block_size() const { return bits >> kBlockShift; }
  void set_block_size(std::uint64_t n) { bits = (bits & ~kBlockMask) | (n << kBlockShift); }
  [[nodiscard]] std::uint64_t align_override() const {
    const std::uint64_t log = (bits & kAlignMask) >> kAlignShift;
    return log == 0 ? 0 : std::uint64_t{1} << (log - 1);
  }
  bool operator==(const Quals&) const = default;
};

struct QualType {
  const Type* type = nullptr;
  Quals quals;

  const Type* operator->() const { return type; }
  explicit operator bool() const { return type != nullptr; }
  bool operator==(const QualType&) const = default;

  [[nodiscard]] QualType unqualified() const { return {type, {}}; }
  [[nodiscard]] QualType with(std::uint64_t mask) const { return {type, {quals.bits | mask}}; }
  [[nodiscard]] QualType without(std::uint64_t mask) const { return {type, {quals.bits & ~mask}}; }

  // UPC 3.2: a shared type is one whose ultimate element type is shared-qualified.
  [[nodiscard]] bool is_shared() const { return ultimate().quals.has(Quals::kShared); }
  [[nodiscard]] bool is_const() const { return ultimate().quals.has(Quals::kConst); }
  [[nodiscard]] bool is_volatile() const { return ultimate().quals.has(Quals::kVolatile); }
  // Each access is to happen as it is written, where it is written.
  [[nodiscard]] bool stays_as_written() const { return ultimate().quals.has(Quals::kVolatile | Quals::kAtomic); }
  // UPC 3.1: the type itself unless an array, then the ultimate element type of its elements.
  [[nodiscard]] QualType ultimate() const;
  // Block size of a shared type: 0 is indefinite. Meaningless when not shared.
  [[nodiscard]] std::uint64_t block_size() const { return ultimate().quals.block_size(); }
  [[nodiscard]] bool is_pointer_to_shared() const;
};

struct Type {
  TypeKind kind;
  bool mentions_shared = false;    // `shared` occurs in it without passing through a record: it needs lowering
  bool variably_modified = false;  // a VLA occurs in it without passing through a record

  [[nodiscard]] bool is(TypeKind k) const { return kind == k; }
  [[nodiscard]] bool is_unknown() const { return kind == TypeKind::unknown; }
  [[nodiscard]] bool is_void() const { return kind == TypeKind::void_; }
  [[nodiscard]] bool is_pointer() const { return kind == TypeKind::pointer; }
  [[nodiscard]] bool is_array() const { return kind == TypeKind::array; }
  [[nodiscard]] bool is_function() const { return kind == TypeKind::function; }
  [[nodiscard]] bool is_record() const { return kind == TypeKind::record; }
  [[nodiscard]] bool is_enum() const { return kind == TypeKind::enum_; }
  [[nodiscard]] bool is_vector() const { return kind == TypeKind::vector; }
  [[nodiscard]] bool is_complex() const { return kind == TypeKind::complex; }
  [[nodiscard]] bool is_bool() const { return kind == TypeKind::bool_; }
  [[nodiscard]] bool is_integer() const {
    return (kind >= TypeKind::bool_ && kind <= TypeKind::uint128) || kind == TypeKind::enum_;
  }
  [[nodiscard]] bool is_real_floating() const { return kind >= TypeKind::float16 && kind <= TypeKind::float64x; }
  [[nodiscard]] bool is_floating() const { return is_real_floating() || is_complex(); }
  [[nodiscard]] bool is_arithmetic() const { return is_integer() || is_floating(); }
  [[nodiscard]] bool is_real() const { return is_integer() || is_real_floating(); }
  [[nodiscard]] bool is_scalar() const { return is_arithmetic() || is_pointer(); }
  template <typename T>
  [[nodiscard]] const T* as() const {
    return kind == T::kKind ? static_cast<const T*>(this) : nullptr;
  }
};

struct ComplexType : Type {
  static constexpr TypeKind kKind = TypeKind::complex;
  const Type* element;  // real type: floating, or integer as a GNU extension
};

struct PointerType : Type {
  static constexpr TypeKind kKind = TypeKind::pointer;
  QualType pointee;
};

enum class ArrayKind : std::uint8_t {
  constant,    // count is known; times THREADS when count.times_threads
  incomplete,  // []
  variable,    // [expression]: count_expr
  star,        // [*] in a prototype
};

struct ArrayType : Type {
  static constexpr TypeKind kKind = TypeKind::array;
  QualType element;
  ArrayKind array_kind;
  Size count;                  // when constant
  Expr* count_expr = nullptr;  // when variable
};

struct FunctionType : Type {
  static constexpr TypeKind kKind = TypeKind::function;
  QualType result;
  std::span<QualType> params;  // adjusted (arrays and functions are pointers), unqualified at the top
  bool variadic = false;
  bool has_prototype = true;
  bool noreturn = false;
};

struct RecordType : Type {
  static constexpr TypeKind kKind = TypeKind::record;
  RecordDecl* decl;
};

struct EnumType : Type {
  static constexpr TypeKind kKind = TypeKind::enum_;
  EnumDecl* decl;
};

struct VectorType : Type {
  static constexpr TypeKind kKind = TypeKind::vector;
  const Type* element;
  std::int64_t count;
};

inline QualType QualType::ultimate() const {
  QualType at = *this;
  while (at.type != nullptr && at.type->kind == TypeKind::array) {
    at = static_cast<const ArrayType*>(at.type)->element;
  }
  return at;
}

inline bool QualType::is_pointer_to_shared() const {
  return type != nullptr && type->kind == TypeKind::pointer &&
         static_cast<const PointerType*>(type)->pointee.is_shared();
}

}  // namespace upcc
