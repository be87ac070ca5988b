#include <array>

#include "lex/lexer.hpp"

namespace upcc {

namespace {

using enum TokenKind;

struct Keyword {
  std::string_view text;
  TokenKind kind;
};

// The first spelling of each kind is the one shown in messages.
constexpr std::array kKeywords = {
    Keyword{"auto", kw_auto},
    Keyword{"break", kw_break},
    Keyword{"case", kw_case},
    Keyword{"char", kw_char},
    Keyword{"const", kw_const},
    Keyword{"__const", kw_const},
    Keyword{"__const__", kw_const},
    Keyword{"continue", kw_continue},
    Keyword{"default", kw_default},
    Keyword{"do", kw_do},
    Keyword{"double", kw_double},
    Keyword{"else", kw_else},
    Keyword{"enum", kw_enum},
    Keyword{"extern", kw_extern},
    Keyword{"float", kw_float},
    Keyword{"for", kw_for},
    Keyword{"goto", kw_goto},
    Keyword{"if", kw_if},
    Keyword{"inline", kw_inline},
    Keyword{"__inline", kw_inline},
    Keyword{"__inline__", kw_inline},
    Keyword{"int", kw_int},
    Keyword{"long", kw_long},
    Keyword{"register", kw_register},
    Keyword{"restrict", kw_restrict},
    Keyword{"__restrict", kw_restrict},
    Keyword{"__restrict__", kw_restrict},
    Keyword{"return", kw_return},
    Keyword{"short", kw_short},
    Keyword{"signed", kw_signed},
    Keyword{"__signed", kw_signed},
    Keyword{"__signed__", kw_signed},
    Keyword{"sizeof", kw_sizeof},
    Keyword{"static", kw_static},
    Keyword{"struct", kw_struct},
    Keyword{"switch", kw_switch},
    Keyword{"typedef", kw_typedef},
    Keyword{"union", kw_union},
    Keyword{"unsigned", kw_unsigned},
    Keyword{"void", kw_void},
    Keyword{"volatile", kw_volatile},
    Keyword{"__volatile", kw_volatile},
    Keyword{"__volatile__", kw_volatile},
    Keyword{"while", kw_while},
    Keyword{"_Alignas", kw_alignas},
    Keyword{"_Alignof", kw_alignof},
    Keyword{"__alignof", kw_alignof},
    Keyword{"__alignof__", kw_alignof},
    Keyword{"_Atomic", kw_atomic},
    Keyword{"_Bool", kw_bool},
    Keyword{"_Complex", kw_complex},
    Keyword{"__complex", kw_complex},
    Keyword{"__complex__", kw_complex},
    Keyword{"_Generic", kw_generic},
    Keyword{"_Noreturn", kw_noreturn},
    Keyword{"_Static_assert", kw_static_assert},
    Keyword{"_Thread_local", kw_thread_local},
    Keyword{"__thread", kw_thread_local},
    Keyword{"__asm__", kw_asm},
    Keyword{"__asm", kw_asm},
    Keyword{"__attribute__", kw_attribute},
    Keyword{"__attribute", kw_attribute},
    Keyword{"__typeof__", kw_typeof},
    Keyword{"__typeof", kw_typeof},
    Keyword{"__extension__", kw_extension},
    Keyword{"__real__", kw_real},
    Keyword{"__real", kw_real},
    Keyword{"__imag__", kw_imag},
    Keyword{"__imag", kw_imag},
    Keyword{"__label__", kw_label},
    Keyword{"__auto_type", kw_auto_type},
    Keyword{"__int128", kw_int128},
    Keyword{"_Float16", kw_float16},
    Keyword{"_Float128", kw_float128},
    Keyword{"__float128", kw_float128},
    Keyword{"_Float32", kw_float32},
    Keyword{"_Float64", kw_float64},
    Keyword{"_Float32x", kw_float32x},
    Keyword{"_Float64x", kw_float64x},
    Keyword{"__float80", kw_float64x},
    Keyword{"__func__", kw_func_name},
    Keyword{"__FUNCTION__", kw_func_name},
    Keyword{"__PRETTY_FUNCTION__", kw_func_name},
    Keyword{"__builtin_va_arg", kw_builtin_va_arg},
    Keyword{"__builtin_offsetof", kw_builtin_offsetof},
    Keyword{"__builtin_types_compatible_p", kw_builtin_types_compatible_p},
    Keyword{"__builtin_choose_expr", kw_builtin_choose_expr},
};

constexpr std::array kGnuOnly = {Keyword{"asm", kw_asm}, Keyword{"typeof", kw_typeof}};

constexpr std::array kUpc = {
    Keyword{"MYTHREAD", kw_mythread},
    Keyword{"THREADS", kw_threads},
    Keyword{"shared", kw_shared},
    Keyword{"strict", kw_strict},
    Keyword{"relaxed", kw_relaxed},
    Keyword{"upc_barrier", kw_upc_barrier},
    Keyword{"upc_notify", kw_upc_notify},
    Keyword{"upc_wait", kw_upc_wait},
    Keyword{"upc_fence", kw_upc_fence},
    Keyword{"upc_forall", kw_upc_forall},
    Keyword{"upc_localsizeof", kw_upc_localsizeof},
    Keyword{"upc_blocksizeof", kw_upc_blocksizeof},
    Keyword{"upc_elemsizeof", kw_upc_elemsizeof},
};

constexpr std::array kPunctuators = {
    Keyword{"[", l_square},
    Keyword{"]", r_square},
    Keyword{"(", l_paren},
    Keyword{")", r_paren},
    Keyword{"{", l_brace},
    Keyword{"}", r_brace},
    Keyword{".", dot},
    Keyword{"->", arrow},
    Keyword{"++", plus_plus},
    Keyword{"--", minus_minus},
    Keyword{"&", amp},
    Keyword{"*", star},
    Keyword{"+", plus},
    Keyword{"-", minus},
    Keyword{"~", tilde},
    Keyword{"!", bang},
    Keyword{"/", slash},
    Keyword{"%", percent},
    Keyword{"<<", less_less},
    Keyword{">>", greater_greater},
    Keyword{"<", less},
    Keyword{">", greater},
    Keyword{"<=", less_equal},
    Keyword{">=", greater_equal},
    Keyword{"==", equal_equal},
    Keyword{"!=", bang_equal},
    Keyword{"^", caret},
    Keyword{"|", pipe},
    Keyword{"&&", amp_amp},
    Keyword{"||", pipe_pipe},
    Keyword{"?", question},
    Keyword{":", colon},
    Keyword{";", semicolon},
    Keyword{"...", ellipsis},
    Keyword{"=", equal},
    Keyword{"*=", star_equal},
    Keyword{"/=", slash_equal},
    Keyword{"%=", percent_equal},
    Keyword{"+=", plus_equal},
    Keyword{"-=", minus_equal},
    Keyword{"<<=", less_less_equal},
    Keyword{">>=", greater_greater_equal},
    Keyword{"&=", amp_equal},
    Keyword{"^=", caret_equal},
    Keyword{"|=", pipe_equal},
    Keyword{",", comma},
    Keyword{"#", hash},
    Keyword{"##", hash_hash},
};

}  // namespace

void install_keywords(NameTable& names, const LexOptions& options) {
  for (const Keyword& k : kKeywords) {
    names.intern(k.text)->keyword = static_cast<std::uint16_t>(k.kind);
  }
  if (options.gnu_keywords) {
    for (const Keyword& k : kGnuOnly) names.intern(k.text)->keyword = static_cast<std::uint16_t>(k.kind);
  }
  if (options.upc) {
    for (const Keyword& k : kUpc) names.intern(k.text)->keyword = static_cast<std::uint16_t>(k.kind);
  }
}

std::string_view spelling(TokenKind kind) {
  for (const Keyword& k : kPunctuators) {
    if (k.kind == kind) return k.text;
  }
  for (const Keyword& k : kKeywords) {
    if (k.kind == kind) return k.text;
  }
  for (const Keyword& k : kUpc) {
    if (k.kind == kind) return k.text;
  }
  switch (kind) {
    case identifier:
      return "identifier";
    case number:
      return "number";
    case character:
      return "character constant";
    case string:
      return "string literal";
    default:
      return "end of input";
  }
}

}  // namespace upcc
