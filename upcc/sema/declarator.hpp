// What the parser collects about a declaration before its meaning is known.
#pragma once

#include <vector>

#include "ast/decl.hpp"
#include "ast/type.hpp"

namespace upcc {

struct Attributes {
  std::uint64_t align = 0;        // aligned(n), 0 = absent
  std::int64_t vector_bytes = 0;  // vector_size(n)
  Name* mode = nullptr;           // mode(QI), ...
  bool packed = false;
  bool transparent_union = false;
  bool noreturn = false;
  bool alias = false;  // alias, weakref or ifunc: declared here, defined elsewhere
  Loc loc = kNoLoc;

  void merge(const Attributes& other) {
    if (other.align > align) align = other.align;
    if (other.vector_bytes != 0) vector_bytes = other.vector_bytes;
    if (other.mode != nullptr) mode = other.mode;
    packed |= other.packed;
    transparent_union |= other.transparent_union;
    noreturn |= other.noreturn;
    alias |= other.alias;
    if (other.loc != kNoLoc) loc = other.loc;
  }
};

// A list of type qualifiers as written: `shared [4] strict const`.
struct QualifierList {
  Quals quals;
  Loc shared_loc = kNoLoc;  // of the first `shared`
  Loc layout_loc = kNoLoc;  // of the layout qualifier
  Loc access_loc = kNoLoc;  // of `strict` or `relaxed`
};

struct DeclSpec {
  StorageClass storage = StorageClass::none;
  Loc storage_loc = kNoLoc;
  bool is_thread = false;
  bool is_inline = false;
  bool is_noreturn = false;
  bool is_auto_type = false;
  bool implicit_int = false;  // no type specifier at all
  bool uses_upc = false;      // contains `shared`, THREADS or such inside a type, enum or typeof
  bool defines_tag = false;
  Loc loc = kNoLoc;
  TokenRange tokens;
  QualType type;  // qualified
  QualifierList qualifiers;
  std::uint64_t align = 0;  // _Alignas
  Attributes attributes;
  TagDecl* tag = nullptr;
};

struct DeclaratorChunk {
  enum class Kind : std::uint8_t { pointer, array, function };
  Kind kind = Kind::pointer;
  Loc loc = kNoLoc;
  QualifierList qualifiers;      // of a pointer, or inside [] of a parameter
  Expr* size = nullptr;          // array
  bool is_star = false;          // [*]
  bool is_static = false;        // [static n]
  std::span<ParamDecl*> params;  // function
  std::span<Name*> kr_names;     // function with an identifier list
  bool variadic = false;
  bool has_prototype = true;
  Attributes attributes;
};

struct Declarator {
  Name* name = nullptr;
  Loc loc = kNoLoc;  // of the name, or where it would stand
  TokenRange tokens;
  std::vector<DeclaratorChunk> chunks;  // from the name outward: chunks[0] binds tightest
  Attributes attributes;
};

enum class DeclaratorContext : std::uint8_t { file, block, param, member, type_name, for_init };

}  // namespace upcc
