// Which macro a piece of a preprocessed line comes from. The preprocessor does not tell; so the line is expanded once
// more from the definitions that were in force there, and if that gives the preprocessed line, each piece's way is
// known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace upcc {

// A piece of a macro's definition from which a piece of the program has come.
struct MacroUse {
  std::string macro;
  std::string file;  // of the definition
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // 1-based, in bytes
};

struct PieceOrigin {
  std::uint32_t lines_below = 0;  // of an argument in a later line of the call of a macro
  std::size_t column = 0;         // 0-based, in the user's line: where it is written, or the name of the macro is
  bool written = true;            // in the user's line; false: it comes from the last of `uses`
  std::vector<MacroUse> uses;     // outermost first
};

class MacroDefinitions {
 public:
  // `listing` is what `cc -E -dD` says of the same file with the same options.
  explicit MacroDefinitions(std::string listing) : listing_(std::move(listing)) {}

  // From here on, the macros that are defined where the preprocessor first comes to a line of a file.
  void go_to(std::string_view file, std::uint32_t line);

  // The origin of the piece at a column of a preprocessed line. `original` is the user's file from that line on;
  // nothing if the line cannot be retraced.
  [[nodiscard]] std::optional<PieceOrigin> origin(std::string_view original, std::string_view processed,
                                                  std::size_t column) const;

 private:
  struct Definition {
    std::string_view text;  // behind `#define `
    std::string file;
    std::uint32_t line = 0;
  };

  std::string listing_;
  std::string file_;  // up to whose line the definitions have been read
  std::uint32_t line_ = 0;
  std::unordered_map<std::string_view, Definition> definitions_;
};

}  // namespace upcc
