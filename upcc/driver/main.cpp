// upcc: the command.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "driver/compile.hpp"
#include "driver/link.hpp"
#include "driver/options.hpp"
#include "driver/process.hpp"
#include "driver/report_view.hpp"
#include "driver/toolchain.hpp"

namespace {

using namespace upcc::driver;

// Whether the C compiler writes other files, which stay, beside the object and by its name.
bool leaves_files(const Options& options) {
  const auto leaves = [](const std::string& arg) {
    return arg == "--coverage" || arg == "-coverage" || arg == "-ftest-coverage" || arg == "-gsplit-dwarf" ||
           arg == "-fstack-usage" || arg.starts_with("-fprofile-");
  };
  return std::any_of(options.compile_args.begin(), options.compile_args.end(), leaves);
}

// As gcc names what it leaves: prog-a.o for a.upc, in the folder of the program.
std::string object_beside_output(const Options& options, const Input& input, TemporaryFiles& temporaries) {
  const std::string object = (options.output.empty() ? "a" : options.output) + "-" + base_name(input.path) + ".o";
  if (::access(object.c_str(), F_OK) == 0) {
    complain(object + " is in the way of this command; remove it, or compile with -c");
    return {};
  }
  temporaries.add(object);
  return object;
}

// The file that compiling this input makes; a temporary one when only the program is wanted.
std::string object_name(const Options& options, const Input& input, TemporaryFiles& temporaries) {
  switch (options.action) {
    case Action::link:
      if (leaves_files(options) && !options.save_temps && !options.dry_run)
        return object_beside_output(options, input, temporaries);
      return options.save_temps ? saved_name(options, input, ".o")
                                : temporaries.make("-" + base_name(input.path) + ".o");
    case Action::compile:
      return options.output.empty() ? base_name(input.path) + ".o" : options.output;
    case Action::assembly:
      return options.output.empty() ? base_name(input.path) + ".s" : options.output;
    default:
      return options.output;
  }
}

// UPC in a file whose name says C.
void note_if_upc(const Input& input) {
  std::string text;
  if (!is_named_c(input) || !read_file(input.path, text)) return;
  for (const char* sign : {"<upc", "upc_forall", "upc_barrier", "MYTHREAD", "upcr_"}) {
    if (text.find(sign) == std::string::npos) continue;
    std::fprintf(stderr,
                 "upcc: note: %s was compiled as C, which its name stands for. If it is UPC, give '-x upc' before it "
                 "(objects may\n"
                 "upcc: note: follow), use gupc instead of upcc, or name it %s.\n",
                 input.path.c_str(), (base_name(input.path) + (input.path.ends_with(".c") ? ".upc" : ".upci")).c_str());
    return;
  }
}

// -print-... and the like.
int ask(const Toolchain& tools, const Options& options) {
  std::vector<std::string> command = tools.cc;
  command.insert(command.end(), options.compile_args.begin(), options.compile_args.end());
  command.insert(command.end(), options.questions.begin(), options.questions.end());
  const ProcessResult result = run_process(command, {});
  if (!result.started) complain("cannot run the C compiler '" + command.front() + "': " + result.errors);
  return result.exit_code;
}

// Counts are beside the remarks by now.
int show(const ReportView& view, const Options& options) {
  if (options.report_html.empty()) {
    const bool terminal = options.colour == upcc::Colour::automatic && ::isatty(STDOUT_FILENO) != 0;
    std::fputs(view_as_text(view, terminal || options.colour == upcc::Colour::always).c_str(), stdout);
    return 0;
  }
  if (write_file(options.report_html, view_as_html(view))) return 0;
  complain("cannot write " + options.report_html);
  return 1;
}

int run(const Options& options) {
  Toolchain tools;
  if (!tools.find()) return 1;
  if (!options.questions.empty()) return ask(tools, options);
  TemporaryFiles temporaries;
  ReportView view;
  std::vector<std::string> objects;
  std::unordered_set<std::string> inlines;
  int status = 0;
  for (const Input& input : options.inputs) {
    if (input.language == Language::object) {
      objects.push_back(input.path);
      continue;
    }
    if (options.report_view && !view.add_file(input.path)) return 1;
    const std::string object = object_name(options, input, temporaries);
    if (object.empty() && options.action == Action::link) return 1;
    const int result = input.language == Language::other_source
                           ? compile_other(tools, options, input, object)
                           : UnitCompiler(tools, options, temporaries, view, inlines).run(input, object);
    if (result != 0) {
      status = result;
      note_if_upc(input);
    }
    objects.push_back(object);
  }
  if (status == 0 && options.report_view) {
    if (!options.report_counts.empty() && !view.add_counts(options.report_counts)) return 1;
    return show(view, options);
  }
  if (status != 0 || options.action != Action::link) return status;
  return link_program(tools, options, objects, inlines);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  switch (parse_options(argv[0], {argv + 1, argv + argc}, options)) {
    case ParseResult::done:
      return 0;
    case ParseResult::failed:
      return 1;
    case ParseResult::run:
      break;
  }
  return run(options);
}
