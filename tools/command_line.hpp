// What the programs of tools/ share that read their command line with CLI11: help, a version, hints for words that are
// no options, and a program of the user's at the end, whose options are its own.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"

namespace weft::tools {

inline constexpr int exit_usage = 2;

/// The help begins with this line.
class UsageFirst : public CLI::Formatter {
 public:
  explicit UsageFirst(std::string usage) : usage_(std::move(usage)) { column_width(26); }
  std::string make_description(const CLI::App* app) const override {
    return "Usage: " + usage_ + "\n" + app->get_description() + "\n";
  }
  std::string make_usage(const CLI::App*, std::string) const override { return {}; }

 private:
  std::string usage_;
};

/// An option of other programs of the kind, with one dash (two mean the same), and what does that here.
struct OtherOption {
  const char* option;
  const char* here;
  bool is(const std::string& word) const {
    const std::string name = word.substr(0, word.find('='));
    return name == option || name == std::string("-") + option;
  }
};

class CommandLine {
 public:
  /// `usage`: how to write the command, which begins with the program's name.
  CommandLine(const std::string& name, const std::string& usage, const std::string& about, const std::string& version)
      : app(about, name), version_(version) {
    app.formatter(std::make_shared<UsageFirst>(usage));
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app.set_help_flag("-h,--help", "print this");
    app.add_flag("--version", shows_version_, "print the version")->disable_flag_override();
  }
  CLI::Option* add_flag(const std::string& names, bool& value, const std::string& about) {
    return app.add_flag(names, value, about)->disable_flag_override();
  }

  /// Reads the words after argv[0]. False: there is nothing to do, because help or version has been printed, or a line
  /// with what is wrong; `exit_code` is set. After this, rest() has the words from the first that is no option, "--"
  /// apart.
  bool parse(int argc, char** argv, int& exit_code) {
    exit_code = 0;
    const auto refuse = [&](const std::string& word) {
      exit_code = exit_usage;
      tell_unknown(word);
      return false;
    };
    try {
      const std::vector<const char*> words = words_to_read(argc, argv);
      if (!misread_.empty()) return refuse(misread_);
      app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::CallForHelp&) {
      std::fputs(app.help().c_str(), stdout);
      return false;
    } catch (const CLI::ArgumentMismatch& error) {
      exit_code = exit_usage;
      tell_mismatch(error.what(), argc, argv);
      return false;
    } catch (const CLI::ParseError& error) {
      exit_code = exit_usage;
      std::fprintf(stderr, "%s: %s; see %s --help\n", name(), error.what(), name());
      return false;
    }
    rest_ = app.remaining();
    if (!rest_.empty() && rest_.front() == "--") {
      rest_.erase(rest_.begin());
    } else if (!rest_.empty() && rest_.front().size() > 1 && rest_.front().front() == '-') {
      return refuse(rest_.front());
    }
    if (shows_version_) std::printf("%s", version_.c_str());
    return !shows_version_;
  }
  const std::vector<std::string>& rest() const { return rest_; }

  /// What to read in place of a word that may be an option; NULL: nothing.
  std::function<const char*(const char* word)> read_as;
  /// Options that people know from elsewhere.
  std::span<const OtherOption> others;
  void tell_unknown(const std::string& word) const {
    for (const OtherOption& other : others) {
      if (!other.is(word)) continue;
      std::fprintf(stderr, "%s: unknown option %s; what it does is here: %s\n", name(), word.c_str(), other.here);
      return;
    }
    std::fprintf(stderr, "%s: unknown or misused option %s%s; see %s --help\n", name(), word.c_str(),
                 hint(word).c_str(), name());
  }

  CLI::App app;

 private:
  const char* name() const { return name_.c_str(); }

  // The words to read, with `read_as` applied. CLI11 takes the next word for the value of "--hosts="; so the empty
  // value becomes a word of its own.
  std::vector<const char*> words_to_read(int argc, char** argv) {
    std::vector<const char*> words(argv, argv + argc);
    for (size_t i = 1; i < words.size() && words[i][0] == '-' && std::strcmp(words[i], "--") != 0; ++i) {
      const auto place = words.begin() + static_cast<ptrdiff_t>(i);
      if (read_as) *place = read_as(*place);
      if (*place == nullptr) {
        words.erase(place);
        --i;
        continue;
      }
      std::string_view name = *place;
      if (misread_.empty() && begins_like_a_flag(name)) misread_ = name;
      const bool empty = name.starts_with("--") && name.ends_with('=');
      if (empty) name.remove_suffix(1);
      const CLI::Option* const option = app.get_option_no_throw(std::string(name));
      if (option == nullptr || option->get_items_expected_max() == 0) continue;
      if (empty) {
        *place = kept_.emplace_back(name).c_str();
        words.insert(place + 1, "");
      }
      ++i;  // its value
    }
    return words;
  }

  // CLI11 reads "-hosts" as "-h -o -s -t -s", and prints the help.
  bool begins_like_a_flag(std::string_view word) const {
    if (word.size() < 3 || word[1] == '-') return false;
    const CLI::Option* const option = app.get_option_no_throw(std::string(word.substr(0, 2)));
    return option != nullptr && option->get_items_expected_max() == 0;
  }

  // " (did you mean --hosts?)" or nothing.
  std::string hint(std::string_view word) const {
    const size_t dashes = word.starts_with("--") ? 2 : 1;
    if (word.size() <= dashes + 1) return "";
    const std::string_view stem =
        word.substr(dashes, word.find('=') == word.npos ? word.npos : word.find('=') - dashes);
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
      if (!option->get_group().empty())
        names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
    const std::string_view meant = base::nearest(stem, names);
    return meant.empty() ? "" : " (did you mean --" + std::string(meant) + "?)";
  }

  // CLI11 begins its line with the option: "--env" if a value is missing, "bind" if there is one where none may be.
  void tell_mismatch(const std::string& line, int argc, char** argv) const {
    const std::string option = line.substr(0, line.find_first_of(": "));
    const auto has_value = [&](const char* word) { return std::string_view(word).starts_with("--" + option + "="); };
    char** const word = std::find_if(argv + 1, argv + argc, has_value);
    if (word != argv + argc)
      std::fprintf(stderr, "%s: unknown or misused option %s (it takes no value); see %s --help\n", name(), *word,
                   name());
    else
      std::fprintf(stderr, "%s: %s needs a value; see %s --help\n", name(), option.c_str(), name());
  }

  std::string name_ = app.get_name();
  std::string version_;
  bool shows_version_ = false;
  std::string misread_;  // a word that CLI11 would take for flags of one letter
  std::vector<std::string> rest_;
  std::deque<std::string> kept_;  // words that are not in argv
};

}  // namespace weft::tools
