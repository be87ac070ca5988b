#include "sema/spelling.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "sema/sema.hpp"

namespace upcc {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// The header that declares, or would declare, a function of this name.
std::string_view function_header(std::string_view name) {
  static constexpr std::array<Pair, 16> kPrefixes{{
      {"upc_team_", "<upc_team.h>"},
      {"upc_atomic_", "<upc_atomic.h>"},
      {"upc_all_atomicdomain_", "<upc_atomic.h>"},
      {"upc_tick", "<upc_tick.h>"},
      {"upc_cast", "<upc_castable.h>"},
      {"upc_thread_info", "<upc_castable.h>"},
      {"upc_sync", "<upc_nb.h>"},
      {"upc_all_f", "<upc_io.h>"},
      {"upc_all_broadcast", "<upc_collective.h>"},
      {"upc_all_scatter", "<upc_collective.h>"},
      {"upc_all_gather", "<upc_collective.h>"},
      {"upc_all_exchange", "<upc_collective.h>"},
      {"upc_all_permute", "<upc_collective.h>"},
      {"upc_all_reduce", "<upc_collective.h>"},
      {"upc_all_prefix_reduce", "<upc_collective.h>"},
      {"upc_all_sort", "<upc_collective.h>"},
  }};
  if (!name.starts_with("upc_") && !name.starts_with("bupc_")) return {};
  if (name == "upc_all_free") return "<upc.h>";
  for (const auto& [prefix, header] : kPrefixes) {
    if (name.starts_with(prefix)) return header;
  }
  if (name.ends_with("_nb") || name.ends_with("_nbi")) return "<upc_nb.h>";
  return "<upc.h>";
}

// Functions of the C library that programs are most often found to use undeclared.
constexpr std::array kCLibrary{
    Pair{"memcpy", "<string.h>"},  Pair{"memmove", "<string.h>"}, Pair{"memset", "<string.h>"},
    Pair{"memcmp", "<string.h>"},  Pair{"memchr", "<string.h>"},  Pair{"strlen", "<string.h>"},
    Pair{"strcpy", "<string.h>"},  Pair{"strncpy", "<string.h>"}, Pair{"strcat", "<string.h>"},
    Pair{"strncat", "<string.h>"}, Pair{"strcmp", "<string.h>"},  Pair{"strncmp", "<string.h>"},
    Pair{"strchr", "<string.h>"},  Pair{"strrchr", "<string.h>"}, Pair{"strstr", "<string.h>"},
    Pair{"strtok", "<string.h>"},  Pair{"strdup", "<string.h>"},  Pair{"strerror", "<string.h>"},
    Pair{"malloc", "<stdlib.h>"},  Pair{"calloc", "<stdlib.h>"},  Pair{"realloc", "<stdlib.h>"},
    Pair{"free", "<stdlib.h>"},    Pair{"exit", "<stdlib.h>"},    Pair{"abort", "<stdlib.h>"},
    Pair{"atoi", "<stdlib.h>"},    Pair{"atol", "<stdlib.h>"},    Pair{"atof", "<stdlib.h>"},
    Pair{"strtol", "<stdlib.h>"},  Pair{"strtoul", "<stdlib.h>"}, Pair{"strtod", "<stdlib.h>"},
    Pair{"qsort", "<stdlib.h>"},   Pair{"rand", "<stdlib.h>"},    Pair{"srand", "<stdlib.h>"},
    Pair{"getenv", "<stdlib.h>"},  Pair{"abs", "<stdlib.h>"},     Pair{"printf", "<stdio.h>"},
    Pair{"fprintf", "<stdio.h>"},  Pair{"sprintf", "<stdio.h>"},  Pair{"snprintf", "<stdio.h>"},
    Pair{"scanf", "<stdio.h>"},    Pair{"sscanf", "<stdio.h>"},   Pair{"fopen", "<stdio.h>"},
    Pair{"fclose", "<stdio.h>"},   Pair{"fflush", "<stdio.h>"},   Pair{"puts", "<stdio.h>"},
    Pair{"putchar", "<stdio.h>"},  Pair{"perror", "<stdio.h>"},   Pair{"sqrt", "<math.h>"},
    Pair{"fabs", "<math.h>"},      Pair{"pow", "<math.h>"},       Pair{"exp", "<math.h>"},
    Pair{"log", "<math.h>"},       Pair{"sin", "<math.h>"},       Pair{"cos", "<math.h>"},
    Pair{"floor", "<math.h>"},     Pair{"ceil", "<math.h>"},      Pair{"assert", "<assert.h>"},
    Pair{"usleep", "<unistd.h>"},  Pair{"sleep", "<unistd.h>"},   Pair{"time", "<time.h>"}};

std::string_view c_library_header(std::string_view name) {
  const auto found = std::find_if(kCLibrary.begin(), kCLibrary.end(), [&](const Pair& p) { return p.first == name; });
  return found == kCLibrary.end() ? std::string_view() : found->second;
}

std::string_view type_header(std::string_view name) {
  static constexpr std::array<Pair, 27> kTypes{{
      {"upc_lock_t", "<upc.h>"},
      {"upc_handle_t", "<upc.h>"},
      {"upc_tick_t", "<upc_tick.h>"},
      {"upc_atomicdomain_t", "<upc.h>"},
      {"upc_atomichint_t", "<upc_atomic.h>"},
      {"upc_thread_info_t", "<upc_castable.h>"},
      {"upc_team_t", "<upc_team.h>"},
      {"upc_op_t", "<upc_types.h>"},
      {"upc_type_t", "<upc_types.h>"},
      {"upc_flag_t", "<upc_types.h>"},
      {"size_t", "<stddef.h>"},
      {"ptrdiff_t", "<stddef.h>"},
      {"ssize_t", "<sys/types.h>"},
      {"FILE", "<stdio.h>"},
      {"bool", "<stdbool.h>"},
      {"int8_t", "<stdint.h>"},
      {"int16_t", "<stdint.h>"},
      {"int32_t", "<stdint.h>"},
      {"int64_t", "<stdint.h>"},
      {"uint8_t", "<stdint.h>"},
      {"uint16_t", "<stdint.h>"},
      {"uint32_t", "<stdint.h>"},
      {"uint64_t", "<stdint.h>"},
      {"uintptr_t", "<stdint.h>"},
      {"upc_file_t", "<upc_io.h>"},
      {"upc_hint_t", "<upc_io.h>"},
      {"upc_off_t", "<upc_io.h>"},
  }};
  if (name.starts_with("bupc_") || name == "upc_sem_t") return name.ends_with("_t") ? "<upc.h>" : "";
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const Pair& p) { return p.first == name; });
  return found == kTypes.end() ? std::string_view() : found->second;
}

// Macros: after preprocessing nothing is left of those that are known.
constexpr std::array kConstants{Pair{"UPC_IN_ALLSYNC", "<upc_types.h>"},
                                Pair{"UPC_IN_MYSYNC", "<upc_types.h>"},
                                Pair{"UPC_IN_NOSYNC", "<upc_types.h>"},
                                Pair{"UPC_OUT_ALLSYNC", "<upc_types.h>"},
                                Pair{"UPC_OUT_MYSYNC", "<upc_types.h>"},
                                Pair{"UPC_OUT_NOSYNC", "<upc_types.h>"},
                                Pair{"UPC_ADD", "<upc_types.h>"},
                                Pair{"UPC_MULT", "<upc_types.h>"},
                                Pair{"UPC_LOGAND", "<upc_types.h>"},
                                Pair{"UPC_LOGOR", "<upc_types.h>"},
                                Pair{"UPC_MIN", "<upc_types.h>"},
                                Pair{"UPC_MAX", "<upc_types.h>"},
                                Pair{"UPC_INT", "<upc_types.h>"},
                                Pair{"UPC_LONG", "<upc_types.h>"},
                                Pair{"UPC_INT32", "<upc_types.h>"},
                                Pair{"UPC_INT64", "<upc_types.h>"},
                                Pair{"UPC_UINT64", "<upc_types.h>"},
                                Pair{"UPC_FLOAT", "<upc_types.h>"},
                                Pair{"UPC_DOUBLE", "<upc_types.h>"},
                                Pair{"UPC_CHAR", "<upc_types.h>"},
                                Pair{"UPC_UCHAR", "<upc_types.h>"},
                                Pair{"UPC_SHORT", "<upc_types.h>"},
                                Pair{"UPC_USHORT", "<upc_types.h>"},
                                Pair{"UPC_UINT", "<upc_types.h>"},
                                Pair{"UPC_ULONG", "<upc_types.h>"},
                                Pair{"UPC_UINT32", "<upc_types.h>"},
                                Pair{"UPC_LLONG", "<upc_types.h>"},
                                Pair{"UPC_PTS", "<upc_types.h>"},
                                Pair{"UPC_AND", "<upc_types.h>"},
                                Pair{"UPC_OR", "<upc_types.h>"},
                                Pair{"UPC_XOR", "<upc_types.h>"},
                                Pair{"UPC_FUNC", "<upc_types.h>"},
                                Pair{"UPC_SUB", "<upc_atomic.h>"},
                                Pair{"UPC_SEEK_CUR", "<upc_io.h>"},
                                Pair{"UPC_APPEND", "<upc_io.h>"},
                                Pair{"UPC_EXCL", "<upc_io.h>"},
                                Pair{"UPC_TRUNC", "<upc_io.h>"},
                                Pair{"UPC_INC", "<upc_atomic.h>"},
                                Pair{"UPC_DEC", "<upc_atomic.h>"},
                                Pair{"UPC_GET", "<upc_atomic.h>"},
                                Pair{"UPC_SET", "<upc_atomic.h>"},
                                Pair{"UPC_CSWAP", "<upc_atomic.h>"},
                                Pair{"UPC_ATOMIC_HINT_DEFAULT", "<upc_atomic.h>"},
                                Pair{"UPC_ATOMIC_HINT_LATENCY", "<upc_atomic.h>"},
                                Pair{"UPC_ATOMIC_HINT_THROUGHPUT", "<upc_atomic.h>"},
                                Pair{"UPC_RDONLY", "<upc_io.h>"},
                                Pair{"UPC_WRONLY", "<upc_io.h>"},
                                Pair{"UPC_RDWR", "<upc_io.h>"},
                                Pair{"UPC_INDIVIDUAL_FP", "<upc_io.h>"},
                                Pair{"UPC_COMMON_FP", "<upc_io.h>"},
                                Pair{"UPC_CREATE", "<upc_io.h>"},
                                Pair{"UPC_SEEK_SET", "<upc_io.h>"},
                                Pair{"UPC_SEEK_END", "<upc_io.h>"},
                                Pair{"UPC_GET_FL", "<upc_io.h>"}};

// The same of the C library.
constexpr std::array kCMacros{
    Pair{"NULL", "<stddef.h>"},     Pair{"true", "<stdbool.h>"},        Pair{"false", "<stdbool.h>"},
    Pair{"stdin", "<stdio.h>"},     Pair{"stdout", "<stdio.h>"},        Pair{"stderr", "<stdio.h>"},
    Pair{"EOF", "<stdio.h>"},       Pair{"EXIT_SUCCESS", "<stdlib.h>"}, Pair{"EXIT_FAILURE", "<stdlib.h>"},
    Pair{"RAND_MAX", "<stdlib.h>"}, Pair{"INT_MAX", "<limits.h>"},      Pair{"INT_MIN", "<limits.h>"},
    Pair{"UINT_MAX", "<limits.h>"}, Pair{"LONG_MAX", "<limits.h>"},     Pair{"UINT64_MAX", "<stdint.h>"},
    Pair{"DBL_MAX", "<float.h>"},   Pair{"FLT_MAX", "<float.h>"},       Pair{"M_PI", "<math.h>"},
    Pair{"errno", "<errno.h>"},     Pair{"EINVAL", "<errno.h>"},        Pair{"ENOMEM", "<errno.h>"}};

// Keywords that stand where values, and where types do.
constexpr std::array<std::string_view, 10> kValueWords{
    "upc_barrier", "upc_notify", "upc_wait",        "upc_fence",      "upc_forall",
    "THREADS",     "MYTHREAD",   "upc_blocksizeof", "upc_elemsizeof", "upc_localsizeof"};
constexpr std::array<std::string_view, 12> kTypeWords{"shared", "strict", "relaxed",  "int",      "char",     "double",
                                                      "float",  "long",   "unsigned", "volatile", "register", "static"};

// Names that sound like a function of the library, and that function.
constexpr std::array kSynonyms{Pair{"upc_exit", "upc_global_exit"}, Pair{"upc_abort", "upc_global_exit"},
                               Pair{"UPC_SUM", "UPC_ADD"}, Pair{"UPC_PROD", "UPC_MULT"},
                               Pair{"UPC_PRODUCT", "UPC_MULT"}};

std::string_view header_of(std::string_view name, Meaning meaning) {
  if (meaning == Meaning::function) return function_header(name);
  if (meaning == Meaning::type) return type_header(name);
  const auto same = [&](const Pair& macro) { return macro.first == name; };
  const auto of_upc = std::find_if(kConstants.begin(), kConstants.end(), same);
  if (of_upc != kConstants.end()) return of_upc->second;
  const auto of_c = std::find_if(kCMacros.begin(), kCMacros.end(), same);
  return of_c != kCMacros.end() ? of_c->second : type_header(name);  // a type that stands where a value may
}

// By a function that the header declares.
bool is_included(TranslationUnit& unit, std::string_view header) {
  static constexpr std::array<Pair, 8> kDeclared{{
      {"<upc.h>", "upc_lock"},
      {"<upc_team.h>", "upc_team_size"},
      {"<upc_atomic.h>", "upc_atomic_isfast"},
      {"<upc_tick.h>", "upc_ticks_now"},
      {"<upc_castable.h>", "upc_castable"},
      {"<upc_nb.h>", "upc_sync"},
      {"<upc_io.h>", "upc_all_fopen"},
      {"<upc_collective.h>", "upc_all_broadcast"},
  }};
  const auto found = std::find_if(kDeclared.begin(), kDeclared.end(), [&](const Pair& p) { return p.first == header; });
  return found != kDeclared.end() && unit.names.intern(found->second)->external != nullptr;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

// Insertions, deletions, replacements and exchanges of neighbours that make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

std::string_view without_prefix(std::string_view name) {
  return name.starts_with("upc_") || name.starts_with("UPC_") ? name.substr(4) : name;
}

class Closest {
 public:
  explicit Closest(std::string_view goal) : goal_(goal) {}

  void consider(std::string_view word) {
    if (word == goal_ || word == best_) return;
    // A prefix that all names have makes no two alike. `upc_threads` and `UPC_THREADS` are meant for THREADS.
    const std::string_view stem = without_prefix(goal_);
    const bool both = stem != goal_ && without_prefix(word) != word;
    std::size_t d = both ? distance_of(stem, without_prefix(word)) : distance_of(goal_, word);
    if (word == "THREADS" || word == "MYTHREAD") d = std::min(d, distance_of(stem, word));
    if (d >= best_distance_) return;
    best_ = word;
    best_distance_ = d;
  }
  [[nodiscard]] std::string_view best() const { return best_; }

 private:
  static constexpr std::size_t kShortest = 3;
  static constexpr std::size_t kFar = SIZE_MAX;

  // kFar if the words are others.
  static std::size_t distance_of(std::string_view a, std::string_view b) {
    const auto [shorter, longer] = std::minmax({a.size(), b.size()});
    // As gcc: words that differ by more than a third are others.
    const std::size_t most = longer - shorter <= 1 ? std::max(longer / 3, std::size_t{1}) : (longer + 2) / 3;
    if (longer < kShortest || longer - shorter > most) return kFar;
    // Words of another case are alike if not more than a letter is another.
    if (const std::size_t d = distance(lower_case(a), lower_case(b)); d <= 1) return d;
    const std::size_t d = distance(a, b);
    return d > most ? kFar : d;
  }

  std::string_view goal_;
  std::string_view best_;
  std::size_t best_distance_ = kFar;
};

bool means(const Decl* decl, Meaning meaning) {
  if (meaning == Meaning::type) return decl->kind == DeclKind::typedef_;
  if (meaning == Meaning::function) return decl->kind == DeclKind::function && !decl->invalid;
  return decl->kind != DeclKind::typedef_;
}

// Behind a message about a name that a header declares; `or_name` is another name that may be meant, or empty.
Hint missing_header(std::string_view header, const std::string& or_name = {}) {
  const std::string other = or_name.empty() ? "" : ", or should it be " + quoted(or_name);
  return {": is '#include " + std::string(header) + "' missing" + other + "?", {}};
}

// Other libraries that programs use beside UPC, by what their names begin with.
constexpr std::array kLibraries{Pair{"MPI_", "<mpi.h>"}, Pair{"omp_", "<omp.h>"}, Pair{"pthread_", "<pthread.h>"},
                                Pair{"weft_", "<weft/weft.h>"}, Pair{"shmem_", "<shmem.h>"}};

bool is_of_the_implementation(std::string_view name) {
  return name[0] == '_' || name.starts_with("upcr_") || name.starts_with("upcc_");
}

}  // namespace

Hint spelling_hint(TranslationUnit& unit, const Name* name, Meaning meaning) {
  if (meaning == Meaning::type && name->tag != nullptr) {
    const Type* type = name->tag->type.type;
    const auto* record = type->is_record() ? static_cast<const RecordType*>(type)->decl : nullptr;
    const std::string word = record == nullptr ? "enum " : record->is_union ? "union " : "struct ";
    const std::string tagged = word + std::string(name->text);
    return {"; did you mean " + quoted(tagged) + "?", tagged};
  }
  const std::string_view header = header_of(name->text, meaning);
  if (!header.empty() && !is_included(unit, header)) return missing_header(header);
  if (name->text == "upc_all_reduce" || name->text == "upc_all_prefix_reduce")
    return {"; a letter for the type ends its name, as in " + quoted(std::string(name->text) + "I") + " for int", {}};
  for (const auto& [synonym, function] : kSynonyms) {
    if (name->text == synonym && is_included(unit, "<upc.h>"))
      return {"; did you mean " + quoted(function) + "?", std::string(function)};
  }
  Closest closest(name->text);
  if (meaning == Meaning::type) {
    for (const std::string_view word : kTypeWords) closest.consider(word);
  } else {
    for (const std::string_view word : kValueWords) closest.consider(word);
  }
  if (meaning == Meaning::value) {
    for (const Pair& constant : kConstants) closest.consider(constant.first);
  }
  const auto library = std::find_if(kLibraries.begin(), kLibraries.end(),
                                    [&](const Pair& l) { return name->text.starts_with(l.first); });
  bool has_library = library == kLibraries.end();
  for (const Token& token : unit.tokens.tokens) {
    const Decl* decl = token.name == nullptr ? nullptr : token.name->ordinary;
    if (decl != nullptr && !is_of_the_implementation(token.name->text) && means(decl, meaning))
      closest.consider(token.name->text);
    has_library = has_library || (decl != nullptr && token.name->text.starts_with(library->first));
  }
  const std::string best(closest.best());
  const std::string_view c_header = meaning == Meaning::function ? c_library_header(name->text) : std::string_view();
  // What the C library has under this name goes first: another name is another function.
  if (!c_header.empty()) return missing_header(c_header, best == "upc_" + std::string(name->text) ? best : "");
  if (!has_library) return missing_header(library->second);
  if (!best.empty()) return {"; did you mean " + quoted(best) + "?", best};
  const bool collective = meaning == Meaning::function && name->text.starts_with("upc_all_");
  if (collective && !is_included(unit, "<upc_collective.h>")) return missing_header("<upc_collective.h>");
  return {};
}

std::string_view closest_word(std::string_view name, std::span<const std::string_view> words) {
  Closest closest(name);
  for (const std::string_view word : words) closest.consider(word);
  return closest.best();
}

Marks marks_of(const Token& token, const Hint& hint) {
  if (hint.replacement.empty()) return {};
  const SourceRange name{token.loc, token.loc + token.length};
  return {{name}, {{name, hint.replacement}}};
}

}  // namespace upcc
