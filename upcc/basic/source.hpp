// The preprocessed text of one translation unit and the way from a place in it back to the user's files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upcc {

// Byte offset in the preprocessed text.
using Loc = std::uint32_t;
inline constexpr Loc kNoLoc = UINT32_MAX;

// [begin, end) of the preprocessed text.
struct SourceRange {
  Loc begin = kNoLoc;
  Loc end = kNoLoc;
};

struct PresumedLoc {
  std::string_view file;
  std::uint32_t line = 0;    // 1-based; 0 when unknown
  std::uint32_t column = 0;  // 1-based, in bytes, of the original line
  std::string line_text;     // the original line when its file is readable, else the preprocessed one
  bool written = true;       // the text at this place is in line_text; false: it comes from a macro that is named there
};

// What the preprocessor has made of one line. It breaks the line where a macro of a system header begins and ends.
struct ProcessedLine {
  std::string text;
  std::size_t column = 0;  // 0-based, of the place asked for
};

// The text of a regular file, else nothing: a #line may name anything, and a device or a pipe has no end.
std::string read_regular_file(const std::string& path);

class SourceText {
 public:
  // `name` is what messages call the input until the first line marker says otherwise.
  SourceText(std::string text, std::string name);
  [[nodiscard]] const std::string& main_file() const { return files_[0]; }
  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;

  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }
  [[nodiscard]] const char* begin() const { return text_.data(); }

  /// Whether a marker stands right before `loc`.
  bool has_marker(Loc loc) const;
  // Called by the lexer: from `at` on, lines are those of `file` starting with number `line`.
  void add_marker(Loc at, std::string_view file, std::uint32_t line, bool system_header);

  [[nodiscard]] PresumedLoc presumed(Loc loc) const;
  // The word, number or string literal at loc; a single character where there is none of them.
  [[nodiscard]] SourceRange word_at(Loc loc) const;
  // With what `lines_above` lines before it have become, in front.
  [[nodiscard]] ProcessedLine processed_line(Loc loc, std::uint32_t lines_above = 0) const;
  // The user's file from the start of a line on; empty if it cannot be read.
  [[nodiscard]] std::string_view original_text(std::string_view file, std::uint32_t line) const;
  // Only file and line: cheap, for emitting #line.
  [[nodiscard]] PresumedLoc presumed_line(Loc loc) const;
  [[nodiscard]] bool in_system_header(Loc loc) const;
  // The stack of `In file included from` lines for loc: (file, line) pairs, innermost first.
  void push_include(Loc at) { include_events_.push_back({at, true}); }
  void pop_include(Loc at) { include_events_.push_back({at, false}); }
  [[nodiscard]] std::vector<PresumedLoc> include_stack(Loc loc) const;

 private:
  struct Marker {
    Loc at;
    std::uint32_t line;
    std::uint32_t file;
    bool system_header;
  };
  struct IncludeEvent {
    Loc at;
    bool enter;
  };
  [[nodiscard]] const Marker& marker_for(Loc loc) const;

  std::string text_;  // padded with zero bytes, so that a lexer may look ahead without checks
  std::size_t size_;
  std::vector<std::string> files_;
  std::vector<Marker> markers_;
  std::vector<IncludeEvent> include_events_;
  mutable const Marker* last_marker_ = nullptr;  // of the last question about a line, and its answer
  mutable std::size_t last_loc_ = 0;
  mutable std::uint32_t last_line_ = 0;
  mutable std::string cached_file_;  // contents of the file last shown in a message
  mutable std::string cached_text_;
};

}  // namespace upcc
