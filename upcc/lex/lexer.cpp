#include "lex/lexer.hpp"

#include <array>
#include <cstring>
#include <vector>

namespace upcc {

namespace {

using enum TokenKind;

enum CharClass : std::uint8_t { kIdent = 1, kDigit = 2, kSpace = 4 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = kIdent;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = kIdent;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = kIdent | kDigit;
  for (std::size_t c = 128; c < 256; ++c) table[c] = kIdent;
  table['_'] = table['$'] = kIdent;
  table[' '] = table['\t'] = table['\v'] = table['\f'] = table['\r'] = kSpace;
  return table;
}
constexpr auto kClasses = make_classes();

bool is_ident(char c) { return (kClasses[static_cast<unsigned char>(c)] & kIdent) != 0; }
bool is_digit(char c) { return (kClasses[static_cast<unsigned char>(c)] & kDigit) != 0; }
bool is_space(char c) { return (kClasses[static_cast<unsigned char>(c)] & kSpace) != 0; }

// Length of the valid UTF-8 sequence at p, 0 when there is none.
int utf8_length(const char* p) {
  const auto byte = [&](int i) { return static_cast<unsigned>(static_cast<unsigned char>(p[i])); };
  const auto tail = [&](int i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned c = byte(0);
  if (c < 0x80) return 1;
  if (c >= 0xc2 && c <= 0xdf) return tail(1) ? 2 : 0;
  if (c >= 0xe0 && c <= 0xef) {
    if (!tail(1) || !tail(2) || (c == 0xe0 && byte(1) < 0xa0) || (c == 0xed && byte(1) >= 0xa0)) return 0;
    return 3;
  }
  if (c >= 0xf0 && c <= 0xf4) {
    if (!tail(1) || !tail(2) || !tail(3) || (c == 0xf0 && byte(1) < 0x90) || (c == 0xf4 && byte(1) >= 0x90)) return 0;
    return 4;
  }
  return 0;
}

class Lexer {
 public:
  Lexer(SourceText& source, const LexOptions& options, NameTable& names, Diagnostics& diagnostics, TokenBuffer& out)
      : source_(source),
        options_(options),
        names_(names),
        diagnostics_(diagnostics),
        out_(out),
        begin_(source.begin()),
        end_(begin_ + source.text().size()),
        at_(begin_) {}

  void run();

 private:
  // What pragmas say about the language of a file. A file starts as the one that includes it goes on.
  enum class Code : std::uint8_t { by_file, c, upc };
  void choose_keywords();
  [[nodiscard]] Loc loc(const char* p) const { return static_cast<Loc>(p - begin_); }
  void skip_space();
  bool skip_comment();
  bool directive();
  void line_marker(const char* p, const char* stop, bool flags_follow);
  void pragma(const char* text, const char* stop);
  void token();
  void identifier_or_keyword();
  void check_utf8(const char* from, const char* to);
  void number_token();
  void quoted(const char* start, char quote);
  void punctuator();
  void push(TokenKind kind, const char* start, Name* name = nullptr) {
    out_.tokens.push_back({loc(start), static_cast<std::uint32_t>(at_ - start), kind, flags_, name});
    flags_ = context_;
  }
  void punct(TokenKind kind, int length) {
    const char* start = at_;
    at_ += length;
    push(kind, start);
  }

  SourceText& source_;
  const LexOptions& options_;
  NameTable& names_;
  Diagnostics& diagnostics_;
  TokenBuffer& out_;
  const char* begin_;
  const char* end_;
  const char* at_;
  std::uint8_t flags_ = Token::kLineStart;  // of the next token
  std::uint8_t context_ = 0;                // Token::kSystem inside system headers, kC as pragmas say
  bool upc_keywords_ = true;                // off in C system headers: they use the words as identifiers
  bool file_is_c_ = false;
  Code code_ = Code::by_file;
  std::vector<Code> including_;  // code_ of the files that include this one
};

void Lexer::run() {
  upc_keywords_ = options_.upc;
  out_.tokens.reserve(static_cast<std::size_t>(end_ - begin_) / 5 + 16);
  for (;;) {
    skip_space();
    if (at_ >= end_) break;
    if ((flags_ & Token::kLineStart) != 0 && *at_ == '#' && directive()) continue;
    token();
    if (diagnostics_.gave_up()) at_ = end_;
  }
  at_ = end_;
  push(end_of_file, end_);
}

void Lexer::skip_space() {
  for (;;) {
    if (is_space(*at_)) {
      flags_ |= Token::kSpaceBefore;
      ++at_;
    } else if (*at_ == '\n') {
      flags_ |= Token::kLineStart;
      ++at_;
    } else if (*at_ == '\\' && (at_[1] == '\n' || (at_[1] == '\r' && at_[2] == '\n'))) {
      at_ += at_[1] == '\n' ? 2 : 3;
    } else if (*at_ != '/' || !skip_comment()) {
      return;
    }
  }
}

// The preprocessor removes comments, except with -C or in text that someone edited afterwards.
bool Lexer::skip_comment() {
  if (at_[1] == '/') {
    const void* stop = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    at_ = stop == nullptr ? end_ : static_cast<const char*>(stop);
    return true;
  }
  if (at_[1] != '*') return false;
  const char* p = at_ + 2;
  while (p < end_ && !(p[0] == '*' && p[1] == '/')) ++p;
  if (p >= end_) {
    diagnostics_.error(loc(at_), "unterminated comment");
    at_ = end_;
  } else {
    at_ = p + 2;
  }
  flags_ |= Token::kSpaceBefore;
  return true;
}

// `# 12 "file" flags`, `#line`, `#pragma`, `#ident`; definitions of macros, which -g3 and -dD leave in the text, are of
// no use here. Anything else is reported once and skipped.
bool Lexer::directive() {
  const void* newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
  const char* stop = newline == nullptr ? end_ : static_cast<const char*>(newline);
  const char* p = at_ + 1;
  while (p < stop && is_space(*p)) ++p;
  const char* word_end = p;
  while (word_end < stop && is_ident(*word_end)) ++word_end;
  const std::string_view word(p, static_cast<std::size_t>(word_end - p));
  if (!word.empty() && is_digit(word[0])) {
    line_marker(p, stop, true);
  } else if (word == "line") {
    line_marker(word_end, stop, false);
  } else if (word == "pragma") {
    pragma(word_end, stop);
  } else if (!word.empty() && word != "ident" && word != "sccs" && word != "define" && word != "undef") {
    diagnostics_.error(loc(p), "preprocessing directive '#" + std::string(word) + "' in preprocessed input");
  }
  at_ = stop;
  flags_ |= Token::kLineStart;
  return true;
}

void Lexer::line_marker(const char* p, const char* stop, bool flags_follow) {
  while (p < stop && is_space(*p)) ++p;
  std::uint64_t line = 0;
  while (p < stop && is_digit(*p) && line < UINT32_MAX) line = line * 10 + static_cast<std::uint64_t>(*p++ - '0');
  while (p < stop && is_space(*p)) ++p;
  std::string file(source_.presumed_line(loc(at_)).file);
  if (p < stop && *p == '"') {
    file.clear();
    for (++p; p < stop && *p != '"'; ++p) {
      if (*p == '\\' && p + 1 < stop) ++p;
      file += *p;
    }
    if (p < stop) ++p;
  }
  bool system = (context_ & Token::kSystem) != 0;
  const Loc next = loc(stop < end_ ? stop + 1 : stop);
  if (flags_follow) {
    system = false;
    for (; p < stop; ++p) {
      if (*p == '1') {
        source_.push_include(loc(at_));
        including_.push_back(code_);
        if (code_ == Code::upc) code_ = Code::by_file;
      }
      if (*p == '2') {
        source_.pop_include(loc(at_));
        code_ = including_.empty() ? Code::by_file : including_.back();
        if (!including_.empty()) including_.pop_back();
      }
      if (*p == '3') system = true;
    }
    const auto slash = file.rfind('/');
    const std::string_view base = std::string_view(file).substr(slash == std::string::npos ? 0 : slash + 1);
    const bool ours = (!options_.upc_include.empty() && file.starts_with(options_.upc_include)) ||
                      base.starts_with("upc") || base.starts_with("bupc");
    file_is_c_ = system && !ours;
  }
  // The C compiler counts no further.
  line = std::min<std::uint64_t>(line, INT32_MAX);
  source_.add_marker(next, file, static_cast<std::uint32_t>(line), system);
  context_ = system ? Token::kSystem : 0;
  choose_keywords();
}

void Lexer::choose_keywords() {
  upc_keywords_ = options_.upc && code_ != Code::c && (code_ == Code::upc || !file_is_c_);
  context_ = static_cast<std::uint8_t>((context_ & Token::kSystem) | (code_ == Code::c ? Token::kC : 0));
  flags_ = static_cast<std::uint8_t>((flags_ & ~(Token::kSystem | Token::kC)) | context_);
}

void Lexer::pragma(const char* text, const char* stop) {
  while (text < stop && is_space(*text)) ++text;
  while (stop > text && is_space(stop[-1])) --stop;
  const std::string_view body(text, static_cast<std::size_t>(stop - text));
  // A header may say for itself whether its text is C or UPC (an extension other UPC compilers share): until the next
  // such pragma or the end of the file, and for what it includes.
  if (body == "upc c_code" || body == "upc upc_code") {
    code_ = body == "upc c_code" ? Code::c : Code::upc;
    choose_keywords();
    return;
  }
  out_.pragmas.push_back({static_cast<std::uint32_t>(out_.tokens.size()), loc(at_), body});
}

void Lexer::token() {
  const char c = *at_;
  if (is_digit(c) || (c == '.' && is_digit(at_[1]))) {
    number_token();
  } else if (is_ident(c) || (c == '\\' && (at_[1] == 'u' || at_[1] == 'U'))) {
    identifier_or_keyword();
  } else if (c == '"' || c == '\'') {
    quoted(at_, c);
  } else {
    punctuator();
  }
}

void Lexer::identifier_or_keyword() {
  const char* start = at_;
  std::uint32_t hash = 2166136261u;
  bool plain = true;
  for (;;) {
    const char c = *at_;
    if (is_ident(c)) {
      plain = plain && (c & 0x80) == 0;
    } else if (c == '\\' && (at_[1] == 'u' || at_[1] == 'U')) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
      ++at_;
    } else {
      break;
    }
    hash = (hash ^ static_cast<unsigned char>(*at_)) * 16777619u;
    ++at_;
  }
  const std::string_view text(start, static_cast<std::size_t>(at_ - start));
  if ((*at_ == '"' || *at_ == '\'') && (text == "L" || text == "u" || text == "U" || text == "u8")) {
    quoted(start, *at_);
    return;
  }
  if (!plain) check_utf8(start, at_);
  Name* name = names_.intern(text, hash);
  auto kind = name->keyword == 0 ? identifier : static_cast<TokenKind>(name->keyword);
  if (kind >= first_upc_keyword && !upc_keywords_) kind = identifier;
  push(kind, start, name);
}

void Lexer::check_utf8(const char* from, const char* to) {
  while (from < to) {
    const int length = utf8_length(from);
    if (length == 0) {
      char text[32];
      std::snprintf(text, sizeof text, "stray '\\%o' in program",
                    static_cast<unsigned>(static_cast<unsigned char>(*from)));
      diagnostics_.error(loc(from), text);
      return;
    }
    from += length;
  }
}

// pp-number: digits, letters, periods and signs after an exponent letter. Its meaning is checked later.
void Lexer::number_token() {
  const char* start = at_;
  ++at_;
  for (;;) {
    const char c = *at_;
    if ((c == '+' || c == '-') && (at_[-1] == 'e' || at_[-1] == 'E' || at_[-1] == 'p' || at_[-1] == 'P')) {
      ++at_;
    } else if (is_ident(c) || c == '.') {
      ++at_;
    } else {
      break;
    }
  }
  push(number, start);
}

void Lexer::quoted(const char* start, char quote) {
  ++at_;
  while (at_ < end_ && *at_ != quote && *at_ != '\n') at_ += *at_ == '\\' && at_ + 1 < end_ && at_[1] != '\n' ? 2 : 1;
  if (at_ < end_ && *at_ == quote) {
    ++at_;
  } else {
    if (at_ > end_) at_ = end_;
    diagnostics_.error(loc(start), std::string("missing terminating ") + quote + " character");
    flags_ |= Token::kBad;
  }
  push(quote == '"' ? string : character, start);
}

void Lexer::punctuator() {
  const char* p = at_;
  const auto two = [&](char second, TokenKind pair, TokenKind single) {
    p[1] == second ? punct(pair, 2) : punct(single, 1);
  };
  switch (*p) {
    case '[':
      return punct(l_square, 1);
    case ']':
      return punct(r_square, 1);
    case '(':
      return punct(l_paren, 1);
    case ')':
      return punct(r_paren, 1);
    case '{':
      return punct(l_brace, 1);
    case '}':
      return punct(r_brace, 1);
    case '~':
      return punct(tilde, 1);
    case '?':
      return punct(question, 1);
    case ';':
      return punct(semicolon, 1);
    case ',':
      return punct(comma, 1);
    case '.':
      return p[1] == '.' && p[2] == '.' ? punct(ellipsis, 3) : punct(dot, 1);
    case '-':
      if (p[1] == '>') return punct(arrow, 2);
      return p[1] == '-' ? punct(minus_minus, 2) : two('=', minus_equal, minus);
    case '+':
      return p[1] == '+' ? punct(plus_plus, 2) : two('=', plus_equal, plus);
    case '&':
      return p[1] == '&' ? punct(amp_amp, 2) : two('=', amp_equal, amp);
    case '|':
      return p[1] == '|' ? punct(pipe_pipe, 2) : two('=', pipe_equal, pipe);
    case '*':
      return two('=', star_equal, star);
    case '!':
      return two('=', bang_equal, bang);
    case '/':
      return two('=', slash_equal, slash);
    case '^':
      return two('=', caret_equal, caret);
    case '=':
      return two('=', equal_equal, equal);
    case ':':
      return p[1] == '>' ? punct(r_square, 2) : punct(colon, 1);
    case '#':
      return two('#', hash_hash, hash);
    case '%':
      if (p[1] == '>') return punct(r_brace, 2);
      if (p[1] == ':') return p[2] == '%' && p[3] == ':' ? punct(hash_hash, 4) : punct(hash, 2);
      return two('=', percent_equal, percent);
    case '<':
      if (p[1] == ':') return punct(l_square, 2);
      if (p[1] == '%') return punct(l_brace, 2);
      if (p[1] == '<') return p[2] == '=' ? punct(less_less_equal, 3) : punct(less_less, 2);
      return two('=', less_equal, less);
    case '>':
      if (p[1] == '>') return p[2] == '=' ? punct(greater_greater_equal, 3) : punct(greater_greater, 2);
      return two('=', greater_equal, greater);
    default:
      break;
  }
  const auto c = static_cast<unsigned char>(*p);
  char text[48];
  std::snprintf(text, sizeof text, c > 0x20 && c < 0x7f ? "stray '%c' in program" : "stray '\\%o' in program", c);
  diagnostics_.error(loc(p), text);
  ++at_;
}

}  // namespace

void lex(SourceText& source, const LexOptions& options, NameTable& names, Diagnostics& diagnostics, TokenBuffer& out) {
  Lexer(source, options, names, diagnostics, out).run();
}

}  // namespace upcc
