// Messages in gcc's format: place, text, the source line with a caret, ranges as tildes, and below it what to write
// instead. Errors are counted, warnings can be switched by name; what the user does not want to see costs nothing but a
// test.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "basic/macros.hpp"
#include "basic/source.hpp"

namespace upcc {

enum class Severity : std::uint8_t { note, warning, error, fatal };

enum class Colour : std::uint8_t { automatic, always, never };

// A change that makes the program right: `text` in place of a range. An empty range: before its begin.
struct FixIt {
  SourceRange where;
  std::string text;
};

// What a message shows of its source line beside the caret. Without ranges the word at the caret is underlined.
struct Marks {
  std::vector<SourceRange> ranges;
  std::vector<FixIt> fixits;
};

// When a warning is given if the command line does not name it.
enum class WarnLevel : std::uint8_t { always, all, extra, pedantic, off };

// Command-line control of warnings. Names are without "-W".
struct WarningOptions {
  [[nodiscard]] bool wants(std::string_view name, WarnLevel level) const;
  [[nodiscard]] bool makes_error(std::string_view name, WarnLevel level) const;
  // What ends its line: " [-Wname]".
  [[nodiscard]] static std::string mark(std::string_view name, bool as_error) {
    return (as_error ? " [-Werror=" : " [-W") + std::string(name) + "]";
  }

  bool suppress_all = false;                       // -w
  bool errors = false;                             // -Werror
  bool all = false;                                // -Wall
  bool extra = false;                              // -Wextra
  bool pedantic = false;                           // -Wpedantic
  bool pedantic_errors = false;                    // -pedantic-errors
  std::unordered_set<std::string> enabled;         // -Wname
  std::unordered_set<std::string> disabled;        // -Wno-name
  std::unordered_set<std::string> error_names;     // -Werror=name
  std::unordered_set<std::string> no_error_names;  // -Wno-error=name
};

class Diagnostics {
 public:
  Diagnostics(const SourceText& source, WarningOptions options, Colour colour, std::FILE* out);

  // Keeps messages instead of printing them, for tests and fuzzing.
  void capture(std::string* into) { captured_ = into; }

  // `list` gives what `cc -E -dD` says of the input. It is asked when the first message about a line with macros comes.
  void set_macros(std::function<std::string()> list) { list_macros_ = std::move(list); }

  void error(Loc loc, std::string_view message, const Marks& marks = {});
  // Returns whether it was shown, so that a note may follow. In system headers warnings are not shown.
  bool warning(Loc loc, std::string_view name, std::string_view message, WarnLevel level = WarnLevel::always,
               const Marks& marks = {});
  void note(Loc loc, std::string_view message, const Marks& marks = {});

  // The function that contains what is being checked; empty at file scope. gcc announces it before its messages.
  void set_function(std::string_view name) { function_ = name; }

  // What the user wrote, on one line, between two places that no macro has made; else empty.
  [[nodiscard]] std::string written_text(SourceRange range) const;

  // "file:line:name" of each warning that was shown.
  [[nodiscard]] const std::unordered_set<std::string>& shown_warnings() const { return shown_warnings_; }

  [[nodiscard]] int error_count() const { return errors_; }
  // Errors and warnings that were shown.
  [[nodiscard]] int shown_count() const { return shown_; }
  // Without warnings that the command line made errors.
  [[nodiscard]] int plain_error_count() const { return errors_ - promoted_; }
  // After too many errors nothing more is shown and parsing stops.
  [[nodiscard]] bool gave_up() const { return errors_ >= kMaxErrors; }

 private:
  static constexpr int kMaxErrors = 100;
  bool repeats(Loc loc, std::string_view message);
  void print(Severity severity, Loc loc, std::string_view message, std::string_view flag, const Marks& marks);
  // Where messages say that a place is.
  struct Place {
    PresumedLoc at;
    std::vector<MacroUse> uses;
  };
  [[nodiscard]] Place place_of(Loc loc) const;
  // The columns [first, second) of the part of a range that lies on the line of `at`; 1-based, in bytes.
  using Columns = std::pair<std::size_t, std::size_t>;
  [[nodiscard]] std::optional<Columns> columns(SourceRange range, const PresumedLoc& at) const;
  void print_expansions(const std::vector<MacroUse>& uses, std::string& out) const;
  void print_heading(const PresumedLoc& at, Severity severity, std::string_view message, std::string_view flag,
                     std::string& out) const;
  // Underlines `width` characters at the caret, `word` and the marks.
  void print_line(const PresumedLoc& at, Severity severity, std::size_t width, SourceRange word, const Marks& marks,
                  std::string& out) const;
  void print_include_stack(Loc loc, std::string& out);

  const SourceText& source_;
  WarningOptions options_;
  std::FILE* out_;
  std::string* captured_ = nullptr;
  bool colour_;
  bool last_shown_ = true;  // the last error or warning: a note for a hidden one is hidden, too
  bool gave_up_said_ = false;
  int errors_ = 0;
  int shown_ = 0;
  int promoted_ = 0;  // of them, those that are warnings
  std::unordered_set<std::string> shown_warnings_;
  std::string last_file_;
  std::string_view function_;
  std::string_view announced_function_;
  mutable std::function<std::string()> list_macros_;  // empty once it has been asked
  mutable std::optional<MacroDefinitions> macros_;
  Loc last_loc_ = kNoLoc;  // of the last error or warning
  std::string last_message_;
};

}  // namespace upcc
