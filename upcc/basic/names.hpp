// Interned identifiers. Two equal spellings are one Name object, so names compare by address, and a name
// holds its current meaning in each C name space: lookup is one load, scopes only save and restore.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "basic/arena.hpp"

namespace upcc {

struct Decl;
struct TagDecl;
struct LabelDecl;

struct Name {
  std::string_view text;
  std::uint32_t hash = 0;
  std::uint16_t keyword = 0;         // TokenKind when the spelling is a keyword, else 0
  std::uint16_t builtin = 0;         // 1 + index in the table of compiler builtins, 0 for none
  Decl* ordinary = nullptr;          // innermost visible ordinary identifier
  TagDecl* tag = nullptr;            // innermost visible struct, union or enum tag
  LabelDecl* label = nullptr;        // label of the function being parsed
  Decl* external = nullptr;          // file-scope or block-scope extern declaration with linkage, if any
  bool reported_undeclared = false;  // one message per function and name
};

class NameTable {
 public:
  explicit NameTable(Arena& arena);
  Name* intern(std::string_view text);
  static std::uint32_t hash(std::string_view text) {
    std::uint32_t h = 2166136261u;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return h;
  }
  Name* intern(std::string_view text, std::uint32_t hash);

 private:
  void rehash();

  Arena& arena_;
  std::vector<Name*> slots_;  // open addressing, size a power of two, at most half full
  std::size_t used_ = 0;
};

}  // namespace upcc
