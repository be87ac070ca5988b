// One UPC source file to preprocessed text, C, or an object file.
#pragma once

#include <string>
#include <unordered_set>

#include "driver/options.hpp"
#include "driver/process.hpp"
#include "driver/report_view.hpp"
#include "driver/toolchain.hpp"
#include "parse/frontend.hpp"

namespace upcc::driver {

class UnitCompiler {
 public:
  // `view` gets the report if options.report_view asks for it; `inlines` the names of inline functions that other
  // units could use.
  UnitCompiler(const Toolchain& tools, const Options& options, TemporaryFiles& temporaries, ReportView& view,
               std::unordered_set<std::string>& inlines)
      : tools_(tools), options_(options), temporaries_(temporaries), view_(view), inlines_(inlines) {}

  // Does what options.action asks for with this input; for Action::link makes the object file `object`.
  // Returns the exit code.
  int run(const Input& input, const std::string& object);

 private:
  [[nodiscard]] std::vector<std::string> preprocessor(const Input& input) const;
  int preprocess(const Input& input, const std::string& object, std::string& text);
  [[nodiscard]] std::string list_macros(const Input& input) const;
  int translate(const Input& input, std::string text);
  void report_on(const Compilation& compilation);
  void note_inlines(const TranslationUnit& unit);
  int warn(const Input& input);
  int back_end(const Input& input, const std::string& output);
  int run_c_compiler(const Input& input, const std::vector<std::string>& command);
  [[nodiscard]] std::vector<std::string> c_compiler(bool with_warnings) const;
  int dependencies_only(const Input& input);
  [[nodiscard]] std::vector<std::string> dependency_arguments(const Input& input, const std::string& object) const;

  bool searches_beside_ = false;  // <> looks beside the source, too: misses_header_beside()
  std::string c_text_;            // the translation
  std::string erased_;            // the program for warnings about it, see erase_upc(); empty: none are wanted
  bool erased_speaks_ = false;    // it has given the C compiler's warnings
  std::unordered_set<std::string> warned_;  // what the front end has warned about, see without_repeats()
  const Toolchain& tools_;
  const Options& options_;
  TemporaryFiles& temporaries_;
  ReportView& view_;
  std::unordered_set<std::string>& inlines_;
};

// A plain C, C++, ... source: compiled by the C compiler as it is.
int compile_other(const Toolchain& tools, const Options& options, const Input& input, const std::string& output);

// Whether a file is compiled as C because its name says so.
bool is_named_c(const Input& input);

// Where -save-temps puts what is made of an input.
std::string saved_name(const Options& options, const Input& input, const std::string& suffix);

// "dir/a.upc" -> "a"; for -save-temps and default output names.
std::string base_name(const std::string& path);

}  // namespace upcc::driver
