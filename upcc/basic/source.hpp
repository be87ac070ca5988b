// The preprocessed text of one translation unit and the way from a place in it back to the user's files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upcc {

// Byte offset in the preprocessed text.
using Loc = std::uint32_t;
inline constexpr Loc kNoLoc = UINT32_MAX;

struct PresumedLoc {
  std::string_view file;
  std::uint32_t line = 0;    // 1-based; 0 when unknown
  std::uint32_t column = 0;  // 1-based, in bytes, of the original line
  std::string line_text;     // the original line when its file is readable, else the preprocessed one
};

class SourceText {
 public:
  // `name` is what messages call the input until the first line marker says otherwise.
  SourceText(std::string text, std::string name);
  [[nodiscard]] const std::string& main_file() const { return files_[0]; }
  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;

  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }
  [[nodiscard]] const char* begin() const { return text_.data(); }

  // Called by the lexer: from `at` on, lines are those of `file` starting with number `line`.
  void add_marker(Loc at, std::string_view file, std::uint32_t line, bool system_header);

  [[nodiscard]] PresumedLoc presumed(Loc loc) const;
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
  [[nodiscard]] std::string_view original_line(std::string_view file, std::uint32_t line) const;

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
