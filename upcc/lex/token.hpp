// Tokens of the preprocessed text. All tokens of a translation unit are kept: nodes refer to them by index, so that
// pure C can be repeated exactly as it was written.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "basic/names.hpp"
#include "basic/source.hpp"

namespace upcc {

enum class TokenKind : std::uint16_t {
  end_of_file = 0,
  identifier,
  number,
  character,  // all prefixes
  string,     // all prefixes
  // punctuators
  l_square,
  r_square,
  l_paren,
  r_paren,
  l_brace,
  r_brace,
  dot,
  arrow,
  plus_plus,
  minus_minus,
  amp,
  star,
  plus,
  minus,
  tilde,
  bang,
  slash,
  percent,
  less_less,
  greater_greater,
  less,
  greater,
  less_equal,
  greater_equal,
  equal_equal,
  bang_equal,
  caret,
  pipe,
  amp_amp,
  pipe_pipe,
  question,
  colon,
  semicolon,
  ellipsis,
  equal,
  star_equal,
  slash_equal,
  percent_equal,
  plus_equal,
  minus_equal,
  less_less_equal,
  greater_greater_equal,
  amp_equal,
  caret_equal,
  pipe_equal,
  comma,
  hash,
  hash_hash,
  // C keywords
  first_keyword,
  kw_auto = first_keyword,
  kw_break,
  kw_case,
  kw_char,
  kw_const,
  kw_continue,
  kw_default,
  kw_do,
  kw_double,
  kw_else,
  kw_enum,
  kw_extern,
  kw_float,
  kw_for,
  kw_goto,
  kw_if,
  kw_inline,
  kw_int,
  kw_long,
  kw_register,
  kw_restrict,
  kw_return,
  kw_short,
  kw_signed,
  kw_sizeof,
  kw_static,
  kw_struct,
  kw_switch,
  kw_typedef,
  kw_union,
  kw_unsigned,
  kw_void,
  kw_volatile,
  kw_while,
  kw_alignas,
  kw_alignof,
  kw_atomic,
  kw_bool,
  kw_complex,
  kw_generic,
  kw_noreturn,
  kw_static_assert,
  kw_thread_local,
  // GNU keywords
  kw_asm,
  kw_attribute,
  kw_typeof,
  kw_extension,
  kw_real,
  kw_imag,
  kw_label,
  kw_auto_type,
  kw_int128,
  kw_float16,
  kw_float128,
  kw_float32,
  kw_float64,
  kw_float32x,
  kw_float64x,
  kw_func_name,
  kw_builtin_va_arg,
  kw_builtin_offsetof,
  kw_builtin_types_compatible_p,
  kw_builtin_choose_expr,
  // UPC keywords (6.2)
  first_upc_keyword,
  kw_mythread = first_upc_keyword,
  kw_threads,
  kw_shared,
  kw_strict,
  kw_relaxed,
  kw_upc_barrier,
  kw_upc_notify,
  kw_upc_wait,
  kw_upc_fence,
  kw_upc_forall,
  kw_upc_localsizeof,
  kw_upc_blocksizeof,
  kw_upc_elemsizeof,
};

struct Token {
  enum Flag : std::uint8_t {
    kLineStart = 1,  // first token of its line
    kSpaceBefore = 2,
    kSystem = 4,  // in a system header
    kBad = 8,     // a literal about which the lexer already complained
    kC = 16,      // between `#pragma upc c_code` and its end
  };
  Loc loc = 0;
  std::uint32_t length = 0;
  TokenKind kind = TokenKind::end_of_file;
  std::uint8_t flags = 0;
  Name* name = nullptr;  // of identifiers and keywords

  [[nodiscard]] bool is(TokenKind k) const { return kind == k; }
  [[nodiscard]] bool is_keyword() const { return kind >= TokenKind::first_keyword; }
  [[nodiscard]] bool is_upc_keyword() const { return kind >= TokenKind::first_upc_keyword; }
};

struct PragmaLine {
  std::uint32_t before_token;  // index of the token that follows it
  Loc loc;                     // of `#`
  std::string_view text;       // after `#pragma`, without the newline
};

struct TokenBuffer {
  std::vector<Token> tokens;        // the last one is end_of_file
  std::vector<PragmaLine> pragmas;  // in order of before_token
};

// Spelling of a punctuator or keyword for messages, without quotes.
std::string_view spelling(TokenKind kind);

}  // namespace upcc
