#include "emit/writer.hpp"

#include <algorithm>

#include "emit/text.hpp"

namespace upcc {

bool TokenEdits::touches(TokenRange range) const {
  const auto has_some = [&](const std::map<std::uint32_t, std::string>& edits) {
    const auto first = edits.lower_bound(range.first);
    return first != edits.end() && first->first < range.last;
  };
  return has_some(replace) || has_some(insert_before);
}

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Whether two adjacent characters could melt into one token.
bool needs_space(char a, char b) {
  if (is_word(a) && (is_word(b) || b == '"' || b == '\'')) return true;
  if (a == '.' && is_word(b)) return true;
  if (is_word(a) && b == '.') return true;  // `1` and `.5`
  static constexpr std::string_view kJoin = "+-<>=&|*/%!^:#.";
  return kJoin.find(a) != std::string_view::npos && kJoin.find(b) != std::string_view::npos;
}

class Writer {
 public:
  Writer(const TranslationUnit& unit, const TokenEdits& edits, const WriteOptions& options)
      : unit_(unit), edits_(edits), options_(options) {}

  std::string run(std::string_view marked);

 private:
  struct Place {
    std::string_view file;
    std::uint32_t line = 0;
    bool system = false;
  };

  void plain(std::string_view text);
  void word(std::string_view text, bool space_before);
  void tokens(std::uint32_t first, std::uint32_t last);
  void source(Loc first, Loc last);
  [[nodiscard]] std::size_t column_of(Loc loc) const;
  void pragmas_before(std::uint32_t token, text::Pragmas kind);
  void go_to(Loc loc);
  void flush_line();
  void start_line(std::string_view file, std::uint32_t line);
  void write_marker(std::string_view file, std::uint32_t line, bool system);

  const TranslationUnit& unit_;
  const TokenEdits& edits_;
  const WriteOptions& options_;
  std::string out_;
  std::string line_;                            // the line being collected
  Place place_;                                 // of line_
  bool known_ = false;                          // place_ is valid
  bool rewritten_ = false;                      // line_ holds text that is not the user's
  std::uint32_t written_pragmas_ = UINT32_MAX;  // all of those before this token, and nothing since
  std::uint32_t done_pragmas_ = UINT32_MAX;     // those before this token have been written for good
  Place written_;                               // what the C compiler believes about the next line of out_
  bool written_known_ = false;
};

std::string Writer::run(std::string_view marked) {
  out_.reserve(unit_.source.text().size() + marked.size());
  // The first line gives the object file, and so the linker's messages, its name.
  write_marker(unit_.source.main_file(), 1, false);
  std::size_t i = 0;
  while (i < marked.size()) {
    const char c = marked[i];
    if (text::is_mark(c)) {
      const std::uint32_t first = text::read_number(marked.data() + i + 1);
      const std::uint32_t last = text::read_number(marked.data() + i + 5);
      i += text::kMarkSize;
      if (c == text::kTokens) tokens(first, last);
      if (c == text::kSource) source(first, last);
      if (c == text::kLine) go_to(first);
      if (c == text::kPragmas) pragmas_before(first, static_cast<text::Pragmas>(last));
      continue;
    }
    std::size_t end = i;
    while (end < marked.size() && !text::is_mark(marked[end])) ++end;
    plain(marked.substr(i, end - i));
    i = end;
  }
  flush_line();
  return std::move(out_);
}

void Writer::plain(std::string_view text) {
  // A line break in generated text (around a pragma) ends the line but not the place: it is the same user line.
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view part = text.substr(0, newline);
    if (!part.empty()) {
      if (part.find_first_not_of(' ') != std::string_view::npos) written_pragmas_ = UINT32_MAX;
      if (part.find_first_not_of(" ;{}()") != std::string_view::npos) rewritten_ = true;
      if (!line_.empty() && needs_space(line_.back(), part.front())) line_ += ' ';
      line_ += part;
    }
    if (newline == std::string_view::npos) return;
    flush_line();
    text.remove_prefix(newline + 1);
  }
}

void Writer::word(std::string_view text, bool space_before) {
  if (!line_.empty() && line_.back() != ' ' && (space_before || needs_space(line_.back(), text.front()))) line_ += ' ';
  line_ += text;
}

void Writer::tokens(std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t i = first; i < last; ++i) {
    const Token& token = unit_.tokens.tokens[i];
    if ((token.flags & Token::kLineStart) != 0) pragmas_before(i, text::Pragmas::all);
    go_to(token.loc);
    if (!edits_.insert_before.empty()) {
      if (const auto edit = edits_.insert_before.find(i); edit != edits_.insert_before.end()) {
        word(edit->second, true);
      }
    }
    std::string_view text = unit_.source.text().substr(token.loc, token.length);
    if (!edits_.replace.empty()) {
      if (const auto edit = edits_.replace.find(i); edit != edits_.replace.end()) text = edit->second;
    }
    if (text.empty()) continue;
    written_pragmas_ = UINT32_MAX;
    if (options_.exact_columns && line_.size() > column_of(token.loc) && column_of(token.loc) != 0) flush_line();
    // Columns stay where the user put them, as far as the line is still the user's: the C compiler's messages show
    // them.
    if (!rewritten_ && line_.size() < column_of(token.loc)) line_.append(column_of(token.loc) - line_.size(), ' ');
    word(text, (token.flags & (Token::kSpaceBefore | Token::kLineStart)) != 0);
  }
}

// From 0, in the preprocessed line. Far-out ones (macros can make long lines) do not matter.
std::size_t Writer::column_of(Loc loc) const {
  const std::string_view text = unit_.source.text();
  constexpr std::size_t kFar = 200;
  std::size_t column = 0;
  while (column < loc && column < kFar && text[loc - column - 1] != '\n') ++column;
  return column == kFar ? 0 : column;
}

bool is_about_a_loop(std::string_view pragma) {
  for (const std::string_view start :
       {"GCC ivdep", "GCC unroll", "GCC novector", "clang loop", "unroll", "nounroll", "ivdep", "simd", "omp"}) {
    if (pragma.starts_with(start)) return true;
  }
  return false;
}

// Pragmas for the C compiler go where they stood. Ours have done their work in sema. Lowering may ask for the same ones
// twice in a row: once for a statement and once with its first token.
void Writer::pragmas_before(std::uint32_t token, text::Pragmas kind) {
  const auto& pragmas = unit_.tokens.pragmas;
  if (pragmas.empty() || written_pragmas_ == token || done_pragmas_ == token) return;
  auto at = std::lower_bound(pragmas.begin(), pragmas.end(), token,
                             [](const PragmaLine& p, std::uint32_t t) { return p.before_token < t; });
  for (; at != pragmas.end() && at->before_token == token; ++at) {
    if (at->text.starts_with("upc ") || at->text == "upc") continue;
    const bool some = kind == text::Pragmas::about_loops || kind == text::Pragmas::others;
    if (some && is_about_a_loop(at->text) != (kind == text::Pragmas::about_loops)) continue;
    flush_line();
    start_line(unit_.source.presumed_line(at->loc).file, unit_.source.presumed_line(at->loc).line);
    place_.system = kind == text::Pragmas::about_loops;  // the loop may be written twice, a warning should not
    line_ = "#pragma " + std::string(at->text);
    flush_line();
  }
  if (kind == text::Pragmas::all) written_pragmas_ = token;
  if (kind == text::Pragmas::once) done_pragmas_ = token;
}

bool is_left_out(std::string_view directive) {
  return directive.starts_with("#pragma upc ") || directive.starts_with("#pragma upc\n") ||
         directive.starts_with("#define ") || directive.starts_with("#undef ");
}

// Repeats source text as it is, but without the pragmas that are ours and definitions of macros. Line markers are
// written anew: parts of the text are missing, so the C compiler's stack of files would get out of step with "enter
// file" and "leave file", and upcc reads markers that the C compiler rejects.
void Writer::source(Loc first, Loc last) {
  flush_line();
  const auto mark = [&](Loc loc) {
    const PresumedLoc at = unit_.source.presumed_line(loc);
    write_marker(at.file, at.line, unit_.source.in_system_header(loc));
  };
  mark(first);
  out_.append(column_of(first), ' ');
  const std::string_view text = unit_.source.text().substr(0, last);
  for (std::size_t at = first; at < last;) {
    const std::size_t newline = std::min(text.find('\n', at), text.size());
    const std::size_t next = std::min<std::size_t>(newline + 1, last);
    const std::string_view line = text.substr(at, next - at);
    const std::string_view directive = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool is_directive = at != first && directive.starts_with("#");
    if (is_directive && unit_.source.has_marker(static_cast<Loc>(next)))
      mark(static_cast<Loc>(next));
    else if (is_directive && is_left_out(directive))
      out_ += '\n';
    else
      out_ += line;
    at = next;
  }
  out_ += '\n';
  written_known_ = false;
  known_ = false;
}

void Writer::go_to(Loc loc) {
  const PresumedLoc at = unit_.source.presumed_line(loc);
  const bool system = unit_.source.in_system_header(loc);
  const bool same_kind = !options_.exact_columns || place_.system == system;
  if (known_ && place_.line == at.line && place_.file == at.file && same_kind) return;
  flush_line();
  start_line(at.file, at.line);
  place_.system = system;
}

void Writer::start_line(std::string_view file, std::uint32_t line) {
  place_.file = file;
  place_.line = line;
  place_.system = false;
  known_ = true;
}

void Writer::flush_line() {
  if (line_.find_first_not_of(' ') == std::string::npos) {
    line_.clear();
    rewritten_ = false;
    return;
  }
  if (known_) {
    const bool system = place_.system || (rewritten_ && options_.mark_rewritten_lines);
    constexpr std::uint32_t kFewLines = 8;
    if (written_known_ && written_.system == system && written_.file == place_.file && written_.line <= place_.line &&
        place_.line - written_.line <= kFewLines) {
      out_.append(place_.line - written_.line, '\n');
    } else {
      write_marker(place_.file, place_.line, system);
    }
    written_ = {place_.file, place_.line + 1, system};
    written_known_ = true;
  } else {
    written_known_ = false;
  }
  out_ += line_;
  out_ += '\n';
  line_.clear();
  rewritten_ = false;
}

void Writer::write_marker(std::string_view file, std::uint32_t line, bool system) {
  out_ += "# " + std::to_string(line) + " \"";
  for (const char c : file) {
    if (c == '"' || c == '\\') out_ += '\\';
    out_ += c;
  }
  out_ += system ? "\" 3\n" : "\"\n";
}

}  // namespace

std::string write_c(const TranslationUnit& unit, std::string_view marked, const TokenEdits& edits,
                    const WriteOptions& options) {
  return Writer(unit, edits, options).run(marked);
}

}  // namespace upcc
