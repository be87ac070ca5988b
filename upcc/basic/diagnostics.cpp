#include "basic/diagnostics.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "basic/pieces.hpp"

namespace upcc {

namespace {

bool want_colour(Colour colour, std::FILE* out) {
  if (colour == Colour::always) return true;
  if (colour == Colour::never || out == nullptr) return false;
  const char* term = std::getenv("TERM");
  return isatty(fileno(out)) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

struct SeverityLook {
  std::string_view word;
  std::string_view colour;
};

SeverityLook look(Severity severity) {
  switch (severity) {
    case Severity::note:
      return {"note", "\33[01;36m"};
    case Severity::warning:
      return {"warning", "\33[01;35m"};
    case Severity::error:
      return {"error", "\33[01;31m"};
    case Severity::fatal:
      return {"fatal error", "\33[01;31m"};
  }
  return {"error", ""};
}

// The source line as it is shown: tabs become single spaces and undecodable bytes are kept out of terminals.
std::string printable(std::string_view line) {
  std::string out;
  for (const char c : line) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '\t') {
      out += ' ';
    } else if (u < 0x20 || u == 0x7f) {
      out += '?';
    } else {
      out += c;
    }
  }
  return out;
}

// One character of `marks` for each character of the line, which may take several bytes, without blanks at the end.
std::string beneath(std::string_view line, std::string_view marks) {
  std::string out;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const bool continues = i < line.size() && (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;
    if (!continues) out += marks[i];
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

constexpr std::string_view kBold = "\33[01m";
constexpr std::string_view kGreen = "\33[32m";
constexpr std::string_view kReset = "\33[m";

}  // namespace

Diagnostics::Diagnostics(const SourceText& source, WarningOptions options, Colour colour, std::FILE* out)
    : source_(source), options_(std::move(options)), out_(out), colour_(want_colour(colour, out)) {}

bool WarningOptions::wants(std::string_view name, WarnLevel level) const {
  const std::string key(name);
  if (suppress_all || disabled.contains(key)) return false;
  if (enabled.contains(key) || error_names.contains(key)) return true;
  switch (level) {
    case WarnLevel::always:
      return true;
    case WarnLevel::all:
      return all;
    case WarnLevel::extra:
      return extra;
    case WarnLevel::pedantic:
      return pedantic;
    case WarnLevel::off:
      return false;
  }
  return false;
}

bool WarningOptions::makes_error(std::string_view name, WarnLevel level) const {
  const std::string key(name);
  return (errors && !no_error_names.contains(key)) || error_names.contains(key) ||
         (pedantic_errors && level == WarnLevel::pedantic);
}

// The argument of a macro may be in its expansion several times: once is enough.
bool Diagnostics::repeats(Loc loc, std::string_view message) {
  const auto same_place = [&] {
    const PresumedLoc a = place_of(loc).at;
    const PresumedLoc b = place_of(last_loc_).at;
    return a.written && b.written && a.file == b.file && a.line == b.line && a.column == b.column;
  };
  const bool known =
      message == last_message_ && loc != kNoLoc && last_loc_ != kNoLoc && (loc == last_loc_ || same_place());
  last_loc_ = loc;
  last_message_ = message;
  return known;
}

void Diagnostics::error(Loc loc, std::string_view message, const Marks& marks) {
  last_shown_ = false;
  if (gave_up() || repeats(loc, message)) return;
  ++errors_;
  last_shown_ = true;
  ++shown_;
  print(Severity::error, loc, message, {}, marks);
  if (gave_up() && !gave_up_said_) {
    gave_up_said_ = true;
    print(Severity::fatal, loc, "too many errors, stopping here", {}, {});
  }
}

bool Diagnostics::warning(Loc loc, std::string_view name, std::string_view message, WarnLevel level,
                          const Marks& marks) {
  last_shown_ = false;
  if (gave_up() || !options_.wants(name, level) || source_.in_system_header(loc)) return false;
  if (repeats(loc, message)) return false;
  const bool as_error = options_.makes_error(name, level);
  const std::string flag = WarningOptions::mark(name, as_error);
  if (as_error) {
    ++errors_;
    ++promoted_;
  }
  last_shown_ = true;
  ++shown_;
  const PresumedLoc at = source_.presumed_line(loc);
  shown_warnings_.insert(std::string(at.file) + ":" + std::to_string(at.line) + ":" + std::string(name));
  print(as_error ? Severity::error : Severity::warning, loc, message, name.empty() ? std::string_view{} : flag, marks);
  return true;
}

void Diagnostics::note(Loc loc, std::string_view message, const Marks& marks) {
  if (last_shown_) print(Severity::note, loc, message, {}, marks);
}

void Diagnostics::print_include_stack(Loc loc, std::string& out) {
  auto stack = source_.include_stack(loc);
  // The preprocessors' own "files" stand for -include: one name for all, and nothing includes them.
  const auto option =
      std::find_if(stack.begin(), stack.end(), [](const PresumedLoc& at) { return at.file.starts_with('<'); });
  if (option != stack.end()) {
    option->file = "<command-line>";
    option->line = 0;
    stack.erase(option + 1, stack.end());
  }
  for (std::size_t i = 0; i < stack.size(); ++i) {
    out += i == 0 ? "In file included from " : "                 from ";
    if (colour_) out += kBold;
    out += stack[i].file;
    if (stack[i].line != 0) out += ":" + std::to_string(stack[i].line);
    if (colour_) out += kReset;
    out += i + 1 < stack.size() ? ",\n" : ":\n";
  }
}

namespace {

// Whether the user's line has a name that the preprocessor has replaced.
bool has_macros(std::string_view original, std::string_view processed) {
  std::vector<std::string_view> left;
  for (const Piece& piece : split_pieces(processed)) left.push_back(piece.text);
  std::sort(left.begin(), left.end());
  for (const Piece& piece : split_pieces(original)) {
    if (is_name(piece.text) && !std::binary_search(left.begin(), left.end(), piece.text)) return true;
  }
  return false;
}

}  // namespace

Diagnostics::Place Diagnostics::place_of(Loc loc) const {
  Place out{source_.presumed(loc), {}};
  if (loc == kNoLoc || (!list_macros_ && !macros_)) return out;
  const ProcessedLine processed = source_.processed_line(loc);
  if (!has_macros(out.at.line_text, processed.text)) return out;
  if (list_macros_) macros_.emplace(std::exchange(list_macros_, nullptr)());
  // The call of a macro may have begun some lines above.
  constexpr std::uint32_t kMostLinesAbove = 5;
  macros_->go_to(out.at.file, out.at.line);
  std::optional<PieceOrigin> origin;
  std::uint32_t line = out.at.line;
  for (std::uint32_t above = 0; !origin && above <= kMostLinesAbove && above < out.at.line; ++above) {
    line = out.at.line - above;
    const ProcessedLine text = source_.processed_line(loc, above);
    origin = macros_->origin(source_.original_text(out.at.file, line), text.text, text.column);
  }
  if (!origin) return out;
  out.at.line = line + origin->lines_below;
  out.at.column = static_cast<std::uint32_t>(origin->column + 1);
  out.at.written = origin->written;
  const std::string_view text = source_.original_text(out.at.file, out.at.line);
  out.at.line_text = text.substr(0, text.find('\n'));
  out.uses = std::move(origin->uses);
  return out;
}

std::optional<Diagnostics::Columns> Diagnostics::columns(SourceRange range, const PresumedLoc& at) const {
  if (range.begin == kNoLoc || range.end == kNoLoc || range.begin >= range.end || at.line == 0) return {};
  const PresumedLoc first = place_of(range.begin).at;
  const PresumedLoc last = place_of(range.end - 1).at;
  if (first.file != at.file || last.file != at.file || first.line > at.line || last.line < at.line) return {};
  const std::string_view line = at.line_text;
  std::size_t from = first.line < at.line ? std::min(line.find_first_not_of(" \t"), line.size()) : first.column - 1;
  std::size_t to = last.line > at.line ? line.find_last_not_of(" \t\r") + 1 : last.column;
  // Of an expansion the name of the macro stands for all.
  while (last.line == at.line && !last.written && to < line.size() && is_word(line[to - 1]) && is_word(line[to])) ++to;
  from = std::min(from, line.size());
  to = std::min(to, line.size());
  if (from >= to) return {};
  return Columns{from + 1, to + 1};
}

std::string Diagnostics::written_text(SourceRange range) const {
  const PresumedLoc first = place_of(range.begin).at;
  const PresumedLoc behind = place_of(range.end).at;
  const bool together = first.file == behind.file && first.line == behind.line && first.column < behind.column;
  if (!together || !first.written || !behind.written || behind.column > first.line_text.size()) return {};
  return first.line_text.substr(first.column - 1, behind.column - first.column);
}

// What a message is about is in the definition of a macro, whose name is at the message's place.
void Diagnostics::print_expansions(const std::vector<MacroUse>& uses, std::string& out) const {
  for (const MacroUse& use : uses) {
    PresumedLoc at{use.file, use.column == 0 ? 0 : use.line, use.column, {}};
    const std::string_view text = at.line == 0 ? std::string_view() : source_.original_text(use.file, use.line);
    at.line_text = text.substr(0, text.find('\n'));
    print_heading(at, Severity::note, "in expansion of macro '" + use.macro + "'", {}, out);
    const auto pieces = split_pieces(at.line_text);
    const auto here =
        std::find_if(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.at + 1 == use.column; });
    print_line(at, Severity::note, here == pieces.end() ? 1 : here->text.size(), {}, {}, out);
  }
}

void Diagnostics::print_heading(const PresumedLoc& at, Severity severity, std::string_view message,
                                std::string_view flag, std::string& out) const {
  const SeverityLook style = look(severity);
  if (colour_) out += kBold;
  out += at.file;
  if (at.line != 0) out += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  out += ": ";
  if (colour_) {
    out += kReset;
    out += style.colour;
  }
  out += style.word;
  out += ": ";
  if (colour_) out += kReset;
  out += message;
  out += flag;
  out += '\n';
}

// The source line, the caret with ranges beneath, and beneath that the changes that would help.
void Diagnostics::print_line(const PresumedLoc& at, Severity severity, std::size_t width, SourceRange word,
                             const Marks& marks, std::string& out) const {
  if (at.line == 0 || at.line_text.empty()) return;
  const std::string& line = at.line_text;
  std::string number = std::to_string(at.line);
  if (number.size() < 5) number.insert(0, 5 - number.size(), ' ');
  out += number + " | " + printable(line) + "\n";
  const std::string margin = std::string(number.size(), ' ') + " | ";
  const auto painted = [&](const std::string& text, std::string_view colour) {
    if (text.empty()) return;
    out += margin;
    if (colour_) out += colour;
    out += text;
    if (colour_) out += kReset;
    out += '\n';
  };
  std::string carets(std::max<std::size_t>(line.size(), at.column), ' ');
  const auto underline = [&](SourceRange range) {
    const auto part = columns(range, at);
    for (std::size_t i = part ? part->first : 1; part && i < part->second; ++i) carets[i - 1] = '~';
  };
  for (const SourceRange range : marks.ranges) underline(range);
  underline(word);
  for (std::size_t i = at.column; i < at.column + width && i <= carets.size(); ++i) carets[i - 1] = '~';
  carets[at.column - 1] = '^';
  painted(beneath(line, carets), look(severity).colour);
  std::string changes;
  for (const FixIt& fix : marks.fixits) {
    const bool inserts = fix.where.begin == fix.where.end;
    // An insertion follows the character before it, wherever the next one is.
    const Loc first = inserts && fix.where.begin > 0 ? fix.where.begin - 1 : fix.where.begin;
    const auto part = columns({first, std::max(fix.where.end, first + 1)}, at);
    if (!part || !place_of(first).at.written) return;
    const std::size_t column = inserts ? part->second : part->first;
    if (changes.size() >= column) return;
    changes.resize(column - 1, ' ');
    changes += fix.text.empty() ? std::string(part->second - part->first, '-') : fix.text;
  }
  painted(beneath(line.substr(0, changes.size()), changes), kGreen);
}

void Diagnostics::print(Severity severity, Loc loc, std::string_view message, std::string_view flag,
                        const Marks& marks) {
  const auto [at, uses] = place_of(loc);
  std::string out;
  // A note belongs to the message before it.
  if (at.line != 0 && at.file != last_file_ && severity != Severity::note) {
    print_include_stack(loc, out);
    last_file_ = at.file;
  }
  if (function_ != announced_function_) {
    announced_function_ = function_;
    if (colour_) out += kBold;
    out += at.file;
    if (colour_) out += kReset;
    out += function_.empty() ? ": At top level:\n" : ": In function '" + std::string(function_) + "':\n";
  }
  print_heading(at, severity, message, flag, out);
  print_line(at, severity, 1, marks.ranges.empty() && loc != kNoLoc ? source_.word_at(loc) : SourceRange{}, marks, out);
  if (severity != Severity::note) print_expansions(uses, out);
  if (captured_ != nullptr) {
    *captured_ += out;
  } else if (out_ != nullptr) {
    std::fwrite(out.data(), 1, out.size(), out_);
  }
}

}  // namespace upcc
