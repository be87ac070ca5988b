// What the front-end tests share: check a program, read the messages back.
#pragma once

#include <string>
#include <vector>

#include "parse/frontend.hpp"

namespace upcc::test {

struct Message {
  int line = 0;
  int column = 0;
  std::string severity;  // error, warning, note
  std::string text;      // with the [-Wname] of warnings
  bool operator==(const Message&) const = default;
};

struct CheckResult {
  bool ok = false;
  std::string output;  // as a user would see it
  std::vector<Message> messages;
  std::vector<std::string> errors;  // texts only
};

// Checks text that needs no preprocessing. Options: -T N, -w, -Wall, -Wextra, -Wpedantic, -Werror, -C (plain C).
CheckResult check(const std::string& text, const std::vector<std::string>& options = {});

// Runs `cc -E` on a file with the macros of UPC 6.7.2; empty when the preprocessor failed.
std::string preprocess(const std::string& path, const std::vector<std::string>& flags, bool upc);

std::string read_file(const std::string& path);
std::vector<std::string> files_in(const std::string& directory);  // sorted paths
std::vector<std::string> split_words(const std::string& text);

}  // namespace upcc::test
