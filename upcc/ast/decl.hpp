// Declarations. Every declarator of one declaration is a Decl; a DeclGroup keeps the ones written together and
// the tokens of their specifiers, so that an emitter can repeat `specifiers declarator = initialiser;`.
#pragma once

#include <cstdint>
#include <span>

#include "ast/type.hpp"
#include "basic/int128.hpp"
#include "basic/names.hpp"
#include "basic/source.hpp"

namespace upcc {

struct Expr;
struct Stmt;
struct CompoundStmt;
struct FunctionDecl;

// Token indices [first, last) in TokenBuffer.
struct TokenRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

enum class DeclKind : std::uint8_t {
  variable,
  function,
  param,
  typedef_,
  enum_constant,
  field,
  record,
  enum_,
  label,
};

enum class StorageClass : std::uint8_t { none, typedef_, extern_, static_, auto_, register_ };
enum class Linkage : std::uint8_t { none, internal, external };
enum class StorageDuration : std::uint8_t { automatic, static_, thread };

struct Decl {
  DeclKind kind;
  bool uses_upc = false;  // its type, or something inside it (initialiser, body, members), needs lowering
  bool used = false;
  bool invalid = false;  // an error was reported about it: silence follow-ups
  bool in_system_header = false;
  std::uint32_t scope_depth = 0;  // 0 = file scope
  Loc loc = kNoLoc;               // of the name, or of the declaration when it has none
  TokenRange tokens;  // its declarator with initialiser; for tags `struct S {...}`; functions: whole definition
  Name* name = nullptr;
  QualType type;
};

struct VarDecl : Decl {
  static constexpr DeclKind kKind = DeclKind::variable;
  StorageClass storage = StorageClass::none;
  Linkage linkage = Linkage::none;
  StorageDuration duration = StorageDuration::automatic;
  bool is_definition = false;  // of storage: false for `extern int x;`, true for tentative definitions
  bool tentative = false;
  bool is_register = false;
  bool in_c_code = false;            // after `#pragma upc c_code`: an extern one belongs to plain C
  TokenRange declarator;             // without the initialiser
  Expr* init = nullptr;              // converted to `type`; an InitListExpr for braces
  VarDecl* previous = nullptr;       // earlier declaration of the same object
  FunctionDecl* function = nullptr;  // enclosing function of a block-scope variable
  std::uint64_t align = 0;           // from _Alignas or attribute aligned, 0 = the type's own

  // A variable with static storage whose (ultimate) type is shared: one object for all threads.
  [[nodiscard]] bool is_shared() const { return type.is_shared(); }
};

struct ParamDecl : Decl {
  static constexpr DeclKind kKind = DeclKind::param;
  bool is_register = false;
};

struct TypedefDecl : Decl {
  static constexpr DeclKind kKind = DeclKind::typedef_;
};

struct EnumConstantDecl : Decl {
  static constexpr DeclKind kKind = DeclKind::enum_constant;
  Int128 value = 0;
  Expr* init = nullptr;
};

struct FieldDecl : Decl {
  static constexpr DeclKind kKind = DeclKind::field;
  RecordDecl* parent = nullptr;
  std::uint32_t index = 0;
  bool is_bitfield = false;
  bool packed = false;
  std::uint32_t bit_width = 0;   // when is_bitfield; 0 is an unnamed separator
  std::uint64_t bit_offset = 0;  // from the start of the record, set when the record is complete
  std::uint64_t align = 0;       // requested by _Alignas or attribute aligned, 0 = none
  // An unnamed member of struct or union type: its members are found as if they were the parent's.
  [[nodiscard]] bool is_anonymous_record() const { return name == nullptr && !is_bitfield; }
};

struct TagDecl : Decl {
  bool complete = false;
  bool being_defined = false;
  TokenRange definition;  // `struct S {...}` with attributes, when complete and written in this file
};

struct RecordDecl : TagDecl {
  static constexpr DeclKind kKind = DeclKind::record;
  bool is_union = false;
  bool packed = false;
  bool transparent_union = false;
  bool has_flexible_array = false;
  bool has_const_member = false;
  bool has_pts_member = false;   // contains a pointer-to-shared, directly or in a member
  std::uint64_t pack_limit = 0;  // #pragma pack(n), 0 = none
  std::uint64_t min_align = 0;   // attribute aligned on the record
  std::span<FieldDecl*> fields;
  std::uint64_t size = 0;  // bytes
  std::uint64_t align = 1;
  const RecordType* record_type = nullptr;
  Name* typedef_name = nullptr;  // first typedef that names an untagged record, for messages
};

struct EnumDecl : TagDecl {
  static constexpr DeclKind kKind = DeclKind::enum_;
  std::span<EnumConstantDecl*> constants;
  const Type* underlying = nullptr;  // compatible integer type
  bool packed = false;
  Name* typedef_name = nullptr;
};

struct LabelDecl : Decl {
  static constexpr DeclKind kKind = DeclKind::label;
  bool defined = false;
  bool local = false;  // __label__
  bool address_taken = false;
};

struct FunctionDecl : Decl {
  static constexpr DeclKind kKind = DeclKind::function;
  StorageClass storage = StorageClass::none;
  Linkage linkage = Linkage::external;
  bool is_inline = false;
  bool noreturn = false;
  bool is_builtin = false;   // declared by the compiler, not by the program
  bool is_implicit = false;  // declared by a call
  std::span<ParamDecl*> params;
  CompoundStmt* body = nullptr;
  FunctionDecl* previous = nullptr;
  FunctionDecl* definition = nullptr;  // wherever in the unit it is, once all of it is parsed
  TokenRange declarator;               // without the body
  // Of UPC's libraries, and its messages name the caller's place: a call of it is UPC, whatever its arguments.
  bool wants_place = false;
  [[nodiscard]] const FunctionType* function_type() const { return static_cast<const FunctionType*>(type.type); }
};

enum class GroupKind : std::uint8_t { declaration, function_definition, static_assert_, file_asm, empty };

// One external declaration, or one declaration in a block.
struct DeclGroup {
  GroupKind kind = GroupKind::declaration;
  bool uses_upc = false;  // of its specifiers or of any member
  bool specifiers_use_upc = false;
  bool in_system_header = false;
  TokenRange tokens;
  TokenRange specifiers;
  std::span<Decl*> decls;  // without tags
  TagDecl* tag = nullptr;  // the tag its specifiers define or declare, if any
  bool defines_tag = false;
};

template <typename T>
T* decl_cast(Decl* d) {
  return d != nullptr && d->kind == T::kKind ? static_cast<T*>(d) : nullptr;
}
template <typename T>
const T* decl_cast(const Decl* d) {
  return d != nullptr && d->kind == T::kKind ? static_cast<const T*>(d) : nullptr;
}

}  // namespace upcc
