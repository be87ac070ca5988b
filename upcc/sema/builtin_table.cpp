#include "sema/builtin_table.hpp"

#include <array>
#include <unordered_map>

namespace upcc {

namespace {

struct Entry {
  std::string_view name;
  std::string_view signature;
};

constexpr std::array kFunctions = {
    // memory and strings
    Entry{"memcpy", "ppPz"}, Entry{"memmove", "ppPz"}, Entry{"mempcpy", "ppPz"}, Entry{"memset", "ppiz"},
    Entry{"memcmp", "iPPz"}, Entry{"memchr", "pPiz"}, Entry{"bcmp", "iPPz"}, Entry{"bcopy", "vPpz"},
    Entry{"bzero", "vpz"}, Entry{"strlen", "zS"}, Entry{"strcpy", "ssS"}, Entry{"strncpy", "ssSz"},
    Entry{"stpcpy", "ssS"}, Entry{"stpncpy", "ssSz"}, Entry{"strcat", "ssS"}, Entry{"strncat", "ssSz"},
    Entry{"strcmp", "iSS"}, Entry{"strncmp", "iSSz"}, Entry{"strcasecmp", "iSS"}, Entry{"strncasecmp", "iSSz"},
    Entry{"strchr", "sSi"}, Entry{"strrchr", "sSi"}, Entry{"strstr", "sSS"}, Entry{"strpbrk", "sSS"},
    Entry{"strspn", "zSS"}, Entry{"strcspn", "zSS"}, Entry{"strdup", "sS"}, Entry{"strndup", "sSz"},
    Entry{"index", "sSi"}, Entry{"rindex", "sSi"}, Entry{"strnlen", "zSz"},
    Entry{"malloc", "pz"}, Entry{"calloc", "pzz"}, Entry{"realloc", "ppz"}, Entry{"free", "vp"},
    Entry{"aligned_alloc", "pzz"}, Entry{"alloca", "pz"}, Entry{"alloca_with_align", "pzz"},
    Entry{"__memcpy_chk", "ppPzz"}, Entry{"__memmove_chk", "ppPzz"}, Entry{"__mempcpy_chk", "ppPzz"},
    Entry{"__memset_chk", "ppizz"}, Entry{"__strcpy_chk", "ssSz"}, Entry{"__stpcpy_chk", "ssSz"},
    Entry{"__strncpy_chk", "ssSzz"}, Entry{"__stpncpy_chk", "ssSzz"}, Entry{"__strcat_chk", "ssSz"},
    Entry{"__strncat_chk", "ssSzz"}, Entry{"__clear_cache", "vpp"},
    // input and output
    Entry{"printf", "iS."}, Entry{"fprintf", "ipS."}, Entry{"sprintf", "isS."}, Entry{"snprintf", "iszS."},
    Entry{"vprintf", "iSV"}, Entry{"vfprintf", "ipSV"}, Entry{"vsprintf", "isSV"}, Entry{"vsnprintf", "iszSV"},
    Entry{"scanf", "iS."}, Entry{"fscanf", "ipS."}, Entry{"sscanf", "iSS."}, Entry{"vscanf", "iSV"},
    Entry{"vfscanf", "ipSV"}, Entry{"vsscanf", "iSSV"}, Entry{"puts", "iS"}, Entry{"putchar", "ii"},
    Entry{"fputs", "iSp"}, Entry{"fputc", "iip"}, Entry{"fwrite", "zPzzp"},
    Entry{"printf_unlocked", "iS."}, Entry{"puts_unlocked", "iS"}, Entry{"putchar_unlocked", "ii"},
    Entry{"fputs_unlocked", "iSp"}, Entry{"fputc_unlocked", "iip"},
    Entry{"__printf_chk", "iiS."}, Entry{"__fprintf_chk", "ipiS."}, Entry{"__sprintf_chk", "isizS."},
    Entry{"__snprintf_chk", "iszizS."}, Entry{"__vprintf_chk", "iiSV"}, Entry{"__vfprintf_chk", "ipiSV"},
    Entry{"__vsprintf_chk", "isizSV"}, Entry{"__vsnprintf_chk", "iszizSV"},
    // control
    Entry{"abort", "~v"}, Entry{"exit", "~vi"}, Entry{"_exit", "~vi"}, Entry{"_Exit", "~vi"}, Entry{"trap", "~v"},
    Entry{"unreachable", "~v"}, Entry{"expect", "lll"}, Entry{"expect_with_probability", "llld"},
    Entry{"prefetch", "vP."}, Entry{"assume_aligned", "pPz."}, Entry{"frame_address", "pu"},
    Entry{"return_address", "pu"}, Entry{"extract_return_addr", "pp"}, Entry{"frob_return_addr", "pp"},
    Entry{"setjmp", "ip"}, Entry{"longjmp", "~vpi"}, Entry{"unwind_init", "v"}, Entry{"dwarf_cfa", "p"},
    Entry{"cpu_init", "i"}, Entry{"cpu_supports", "iS"}, Entry{"cpu_is", "iS"}, Entry{"LINE", "i"},
    Entry{"FILE", "S"}, Entry{"FUNCTION", "S"}, Entry{"ia32_pause", "v"}, Entry{"stack_save", "p"},
    Entry{"stack_restore", "vp"}, Entry{"apply_args", "p"}, Entry{"va_start", "?v"}, Entry{"va_end", "?v"},
    Entry{"va_copy", "?v"}, Entry{"next_arg", "?p"}, Entry{"va_arg_pack", "i"}, Entry{"va_arg_pack_len", "i"},
    Entry{"object_size", "zPi"}, Entry{"dynamic_object_size", "zPi"}, Entry{"constant_p", "?i"},
    Entry{"classify_type", "?i"}, Entry{"is_constant_evaluated", "i"}, Entry{"speculation_safe_value", "?"},
    // bits
    Entry{"clz", "iu"}, Entry{"clzl", "iU"}, Entry{"clzll", "iQ"}, Entry{"ctz", "iu"}, Entry{"ctzl", "iU"},
    Entry{"ctzll", "iQ"}, Entry{"clrsb", "ii"}, Entry{"clrsbl", "il"}, Entry{"clrsbll", "iL"}, Entry{"ffs", "ii"},
    Entry{"ffsl", "il"}, Entry{"ffsll", "iL"}, Entry{"popcount", "iu"}, Entry{"popcountl", "iU"},
    Entry{"popcountll", "iQ"}, Entry{"parity", "iu"}, Entry{"parityl", "iU"}, Entry{"parityll", "iQ"},
    Entry{"bswap16", "HH"}, Entry{"bswap32", "uu"}, Entry{"bswap64", "UU"}, Entry{"abs", "ii"}, Entry{"labs", "ll"},
    Entry{"llabs", "LL"}, Entry{"imaxabs", "ll"},
    // checked arithmetic
    Entry{"add_overflow", "?b"}, Entry{"sub_overflow", "?b"}, Entry{"mul_overflow", "?b"},
    Entry{"add_overflow_p", "?b"}, Entry{"sub_overflow_p", "?b"}, Entry{"mul_overflow_p", "?b"},
    Entry{"sadd_overflow", "biiI"}, Entry{"saddl_overflow", "bllp"}, Entry{"saddll_overflow", "bLLp"},
    Entry{"uadd_overflow", "buup"}, Entry{"uaddl_overflow", "bUUp"}, Entry{"uaddll_overflow", "bQQp"},
    Entry{"ssub_overflow", "biiI"}, Entry{"ssubl_overflow", "bllp"}, Entry{"ssubll_overflow", "bLLp"},
    Entry{"usub_overflow", "buup"}, Entry{"usubl_overflow", "bUUp"}, Entry{"usubll_overflow", "bQQp"},
    Entry{"smul_overflow", "biiI"}, Entry{"smull_overflow", "bllp"}, Entry{"smulll_overflow", "bLLp"},
    Entry{"umul_overflow", "buup"}, Entry{"umull_overflow", "bUUp"}, Entry{"umulll_overflow", "bQQp"},
    // floating point
    Entry{"isnan", "?i"}, Entry{"isinf", "?i"}, Entry{"isinf_sign", "?i"}, Entry{"isfinite", "?i"},
    Entry{"finite", "?i"}, Entry{"isnormal", "?i"}, Entry{"signbit", "?i"}, Entry{"signbitf", "if"},
    Entry{"signbitl", "iD"}, Entry{"issignaling", "?i"}, Entry{"isgreater", "?i"}, Entry{"isgreaterequal", "?i"},
    Entry{"isless", "?i"}, Entry{"islessequal", "?i"}, Entry{"islessgreater", "?i"}, Entry{"isunordered", "?i"},
    Entry{"iseqsig", "?i"}, Entry{"fpclassify", "?i"}, Entry{"complex", "?"}, Entry{"tgmath", "?"}, Entry{"shuffle", "?"},
    Entry{"convertvector", "?"}, Entry{"shufflevector", "?"}, Entry{"isnanf", "if"}, Entry{"isnanl", "iD"},
    Entry{"isinff", "if"}, Entry{"isinfl", "iD"}, Entry{"flt_rounds", "i"}, Entry{"huge_valf", "f"},
    Entry{"huge_val", "d"}, Entry{"huge_vall", "D"}, Entry{"huge_valf128", "q"}, Entry{"inff", "f"},
    Entry{"inf", "d"}, Entry{"infl", "D"}, Entry{"inff128", "q"}, Entry{"infq", "q"}, Entry{"huge_valq", "q"},
    Entry{"nanf", "fS"}, Entry{"nan", "dS"}, Entry{"nanl", "DS"}, Entry{"nanf128", "qS"}, Entry{"nanq", "qS"},
    Entry{"nansf", "fS"}, Entry{"nans", "dS"}, Entry{"nansl", "DS"}, Entry{"nansf128", "qS"}, Entry{"fabsf128", "qq"},
    Entry{"fabsq", "qq"}, Entry{"copysignf128", "qqq"}, Entry{"copysignq", "qqq"},
    Entry{"huge_valf32", "f"}, Entry{"huge_valf64", "d"}, Entry{"huge_valf32x", "d"}, Entry{"huge_valf64x", "D"},
    Entry{"inff32", "f"}, Entry{"inff64", "d"}, Entry{"inff32x", "d"}, Entry{"inff64x", "D"}, Entry{"nanf32", "fS"},
    Entry{"nanf64", "dS"}, Entry{"nanf32x", "dS"}, Entry{"nanf64x", "DS"}, Entry{"nansf32", "fS"},
    Entry{"nansf64", "dS"}, Entry{"nansf32x", "dS"}, Entry{"nansf64x", "DS"},
};

// Functions that exist for double, float (suffix f) and long double (suffix l): d and E stand for the type.
constexpr std::array kMath = {
    Entry{"acos", "dd"}, Entry{"acosh", "dd"}, Entry{"asin", "dd"}, Entry{"asinh", "dd"}, Entry{"atan", "dd"},
    Entry{"atan2", "ddd"}, Entry{"atanh", "dd"}, Entry{"cbrt", "dd"}, Entry{"ceil", "dd"}, Entry{"copysign", "ddd"},
    Entry{"cos", "dd"}, Entry{"cosh", "dd"}, Entry{"erf", "dd"}, Entry{"erfc", "dd"}, Entry{"exp", "dd"},
    Entry{"exp2", "dd"}, Entry{"exp10", "dd"}, Entry{"expm1", "dd"}, Entry{"fabs", "dd"}, Entry{"fdim", "ddd"},
    Entry{"floor", "dd"}, Entry{"fma", "dddd"}, Entry{"fmax", "ddd"}, Entry{"fmin", "ddd"}, Entry{"fmod", "ddd"},
    Entry{"frexp", "ddI"}, Entry{"gamma", "dd"}, Entry{"hypot", "ddd"}, Entry{"ilogb", "id"}, Entry{"j0", "dd"},
    Entry{"j1", "dd"}, Entry{"jn", "did"}, Entry{"ldexp", "ddi"}, Entry{"lgamma", "dd"}, Entry{"llrint", "Ld"},
    Entry{"llround", "Ld"}, Entry{"log", "dd"}, Entry{"log10", "dd"}, Entry{"log1p", "dd"}, Entry{"log2", "dd"},
    Entry{"logb", "dd"}, Entry{"lrint", "ld"}, Entry{"lround", "ld"}, Entry{"modf", "ddp"}, Entry{"nearbyint", "dd"},
    Entry{"nextafter", "ddd"}, Entry{"nexttoward", "ddD"}, Entry{"pow", "ddd"}, Entry{"powi", "ddi"},
    Entry{"remainder", "ddd"}, Entry{"remquo", "dddI"}, Entry{"rint", "dd"}, Entry{"round", "dd"},
    Entry{"roundeven", "dd"}, Entry{"scalbln", "ddl"}, Entry{"scalbn", "ddi"}, Entry{"sin", "dd"},
    Entry{"sincos", "vdpp"}, Entry{"sinh", "dd"}, Entry{"sqrt", "dd"}, Entry{"tan", "dd"}, Entry{"tanh", "dd"},
    Entry{"tgamma", "dd"}, Entry{"trunc", "dd"}, Entry{"y0", "dd"}, Entry{"y1", "dd"}, Entry{"yn", "did"},
    Entry{"significand", "dd"}, Entry{"drem", "ddd"}, Entry{"cabs", "dE"}, Entry{"carg", "dE"}, Entry{"cimag", "dE"},
    Entry{"creal", "dE"}, Entry{"conj", "EE"}, Entry{"cproj", "EE"}, Entry{"cacos", "EE"}, Entry{"cacosh", "EE"},
    Entry{"casin", "EE"}, Entry{"casinh", "EE"}, Entry{"catan", "EE"}, Entry{"catanh", "EE"}, Entry{"ccos", "EE"},
    Entry{"ccosh", "EE"}, Entry{"cexp", "EE"}, Entry{"clog", "EE"}, Entry{"cpow", "EEE"}, Entry{"csin", "EE"},
    Entry{"csinh", "EE"}, Entry{"csqrt", "EE"}, Entry{"ctan", "EE"}, Entry{"ctanh", "EE"},
};

struct Table {
  std::unordered_map<std::string_view, std::string_view> functions;
  std::unordered_map<std::string_view, std::string_view> math;
  Table() {
    for (const Entry& e : kFunctions) functions.emplace(e.name, e.signature);
    for (const Entry& e : kMath) math.emplace(e.name, e.signature);
  }
};

}  // namespace

std::string builtin_signature(std::string_view name) {
  static const Table table;
  if (const auto it = table.functions.find(name); it != table.functions.end()) return std::string(it->second);
  if (const auto it = table.math.find(name); it != table.math.end()) return std::string(it->second);
  if (name.empty() || (name.back() != 'f' && name.back() != 'l')) return {};
  const auto it = table.math.find(name.substr(0, name.size() - 1));
  if (it == table.math.end()) return {};
  const bool is_float = name.back() == 'f';
  std::string signature(it->second);
  for (char& c : signature) {
    if (c == 'd') c = is_float ? 'f' : 'D';
    if (c == 'E') c = is_float ? 'F' : 'G';
  }
  return signature;
}

}  // namespace upcc
