// The file that a table goes to. One that is there stays as it is until the new one is whole.
#pragma once

#include <string>

namespace tune {

class TableFile {
 public:
  explicit TableFile(std::string path) : path_(std::move(path)) {}
  /// Before anything is measured: why the file cannot be written, or "".
  std::string complaint() const;
  /// Puts the text in the place of what is there. Returns why it could not, or "".
  std::string replace(const std::string& text) const;
  /// No pipe, device or open descriptor (/dev/stdout): those are written to, and not replaced.
  bool is_regular() const;

 private:
  std::string path_;
};

}  // namespace tune
