#include "driver/compile.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>

#include "driver/help.hpp"
#include "driver/repeats.hpp"
#include "emit/writer.hpp"
#include "lower/erase.hpp"
#include "lower/lower.hpp"
#include "optimise/report.hpp"
#include "parse/frontend.hpp"

namespace upcc::driver {

namespace {

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

int not_started(const std::vector<std::string>& command, const ProcessResult& result) {
  complain("cannot run the C compiler '" + command.front() + "': " + result.errors + "; set CC to a working one");
  return 1;
}

// Whether a line of the C compiler's is an error at a place in a file. Others are about the command line.
bool is_error_in_file(std::string_view line) {
  const auto error = line.find("error:");
  if (error == std::string_view::npos) return false;
  for (auto colon = line.find(':'); colon < error; colon = line.find(':', colon + 1)) {
    if (line[colon + 1] >= '0' && line[colon + 1] <= '9') return true;
  }
  return false;
}

// What upcc passes on without a look of its own, so that an error about it is the program's: the arguments of
// attributes and of what <tgmath.h> is made of.
bool is_passed_on(std::string_view line) {
  return line.find(" attribute") != std::string_view::npos ||
         line.find("type-generic function") != std::string_view::npos ||
         line.find("__builtin_tgmath") != std::string_view::npos;
}

// An error that is no warning made one by -Werror or -pedantic-errors, which end in the warning's name.
bool is_plain_error(std::string_view line) {
  return is_error_in_file(line) && line.find(" [-W") == std::string_view::npos;
}

bool has_plain_error(const std::string& errors) {
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);)
    if (is_plain_error(line)) return true;
  return false;
}

// Nobody's fault: a full disk, a reader that has left.
bool cannot_write(const std::string& errors) {
  const auto said = [&](const char* words) { return errors.find(words) != std::string::npos; };
  return said("No space left") || said("Broken pipe") || said("error writing") || said("closing output file") ||
         said("unable to open output file") || said("can't create") || said("Permission denied");
}

// The C compiler rejected what upcc made of a program that upcc accepted. Warnings turned into errors are about the
// user's own code and need no excuse, and options it does not know are not upcc's.
void blame_ourselves(const std::string& errors, const std::string& path) {
  std::istringstream lines(errors);
  bool ours = errors.find("error:") == std::string::npos;
  for (std::string line; std::getline(lines, line);) ours = ours || (is_plain_error(line) && !is_passed_on(line));
  if (!ours || cannot_write(errors)) return;
  std::fprintf(
      stderr,
      "upcc: error: the C compiler rejected the translation of %s. This is a bug in upcc, not in your program.\n"
      "upcc: note: please report it with the file that 'upcc -E' makes of your source, the command line, and\n"
      "upcc: note: the output of 'upcc --version' and '$CC --version'.\n",
      path.c_str());
}

// Whether it is about a warning that only upcc knows.
bool is_upc_warning(std::string_view arg) {
  for (const std::string_view form : {"-Wupc-", "-Wno-upc-", "-Werror=upc-", "-Wno-error=upc-"}) {
    if (arg.starts_with(form)) return true;
  }
  return false;
}

// Whether the C compiler is to warn of more than it always does.
bool wants_warnings(const Options& options) {
  const auto asks = [](const std::string& arg) { return !arg.starts_with("-Wno-") && !is_upc_warning(arg); };
  return !options.warnings.suppress_all && std::any_of(options.warning_args.begin(), options.warning_args.end(), asks);
}

// Whether a header that was not found, though <> looked for it, lies beside the source, where Berkeley UPC's compiler
// finds it. Searching there from the start would put the program's <complex.h> before the system's.
bool misses_header_beside(const std::string& source, const std::string& errors) {
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);) {
    const auto error = line.find("error: ");
    if (error == std::string::npos) continue;
    std::string name = line.substr(error + 7);  // gcc: "a.h: No such ..."; clang: "'a.h' file not found ..."
    name = name.starts_with('\'') ? name.substr(1, name.find('\'', 1) - 1) : name.substr(0, name.find(": No such"));
    return source != "-" && !name.starts_with('/') && ::access((folder_of(source) + "/" + name).c_str(), R_OK) == 0;
  }
  return false;
}

// UPC extends C99: what upcc makes of older C needs its declarations in loops, not its meaning of `inline`.
std::vector<std::string> back_end_dialect(const std::string& standard) {
  for (const char* old : {"c89", "c90", "iso9899:1990", "iso9899:199409"}) {
    if (standard == old) return {"-std=c99", "-fgnu89-inline"};
  }
  if (standard == "gnu89" || standard == "gnu90") return {"-std=gnu99", "-fgnu89-inline"};
  return {"-std=" + standard};
}

}  // namespace

std::string base_name(const std::string& path) {
  const auto slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto dot = name.rfind('.');
  if (dot != std::string::npos && dot != 0) name.resize(dot);
  return name == "-" ? "stdin" : name;
}

bool is_named_c(const Input& input) {
  const bool as_c = input.language == Language::other_source || input.language == Language::thread_local_c;
  return as_c && input.forced.empty() && (input.path.ends_with(".c") || input.path.ends_with(".i"));
}

std::string saved_name(const Options& options, const Input& input, const std::string& suffix) {
  const auto slash = options.output.rfind('/');
  const bool elsewhere = options.save_temps_beside && slash != std::string::npos;
  return (elsewhere ? options.output.substr(0, slash + 1) : "") + base_name(input.path) + suffix;
}

int UnitCompiler::run(const Input& input, const std::string& object) {
  if (options_.action == Action::dependencies) return dependencies_only(input);
  std::string text;
  if (input.language == Language::upc_preprocessed) {
    if (!read_file(input.path, text)) {
      complain("cannot read " + input.path);
      return 1;
    }
  } else if (const int status = preprocess(input, object, text); status != 0) {
    return status;
  }
  if (options_.dry_run) {
    const bool stops =
        options_.action == Action::preprocess || options_.action == Action::check || options_.action == Action::print_c;
    return stops ? 0 : back_end(input, object);
  }
  if (options_.action == Action::preprocess) {
    if (write_file(options_.output.empty() ? "-" : options_.output, text)) return 0;
    complain("cannot write " + options_.output);
    return 1;
  }
  if (options_.save_temps && !write_file(saved_name(options_, input, ".upci"), text))
    complain("cannot write the .upci file");
  int status = translate(input, std::move(text));
  if (!erased_.empty()) status = std::max(status, warn(input));
  if (status != 0) return status;
  if (options_.action == Action::print_c) {
    if (write_file(options_.output.empty() ? "-" : options_.output, c_text_)) return 0;
    complain("cannot write " + options_.output);
    return 1;
  }
  return options_.action == Action::check ? 0 : back_end(input, object);
}

std::vector<std::string> UnitCompiler::dependency_arguments(const Input& input, const std::string& object) const {
  std::vector<std::string> args = options_.dependency_args;
  if (args.empty()) return args;
  const bool to_output = options_.action == Action::preprocess;
  if (!options_.dependency_file && !to_output) {
    // gcc names the file after the output when -o is given with -c, else after the input.
    std::string file = base_name(input.path) + ".d";
    if (!options_.output.empty() && options_.action != Action::link) {
      const auto dot = options_.output.rfind('.');
      file = options_.output.substr(0, dot) + ".d";
    }
    args.insert(args.end(), {"-MF", file});
  }
  if (!options_.dependency_target) {
    args.insert(args.end(), {"-MT", options_.action == Action::link ? base_name(input.path) + ".o" : object});
  }
  return args;
}

// The preprocessor's command without the source.
std::vector<std::string> UnitCompiler::preprocessor(const Input& input) const {
  std::vector<std::string> command = preprocess_command(tools_, options_, input.language);
  if (searches_beside_) command.push_back("-I" + folder_of(input.path));
  return command;
}

int UnitCompiler::preprocess(const Input& input, const std::string& object, std::string& text) {
  const auto dependencies = dependency_arguments(input, object);
  const auto run = [&](ProcessResult& result) {
    std::vector<std::string> command = preprocessor(input);
    command.insert(command.end(), dependencies.begin(), dependencies.end());
    command.push_back(input.path);
    result = run_process(
        command,
        {.capture_output = true, .capture_errors = true, .echo = options_.verbose, .dry_run = options_.dry_run});
    return result.started ? 0 : not_started(command, result);
  };
  ProcessResult result;
  if (const int status = run(result); status != 0) return status;
  if (result.exit_code != 0 && misses_header_beside(input.path, result.errors)) {
    searches_beside_ = true;
    if (const int status = run(result); status != 0) return status;
  }
  std::fputs(result.errors.c_str(), stderr);
  text = std::move(result.output);
  return result.exit_code == 0 ? 0 : 1;
}

// The preprocessed text again, with the definitions of macros, for messages about what comes from them.
std::string UnitCompiler::list_macros(const Input& input) const {
  std::vector<std::string> command = preprocessor(input);
  command.insert(command.end(), {"-dD", input.path});
  return run_process(command, {.capture_output = true, .capture_errors = true, .echo = options_.verbose}).output;
}

int UnitCompiler::dependencies_only(const Input& input) {
  // With -MM gcc says nothing about a header in <> that it does not find: ask first. Standard input can be read once.
  if (!options_.dry_run && input.path != "-") {
    std::vector<std::string> trial = preprocessor(input);
    trial.push_back(input.path);
    const ProcessResult tried = run_process(trial, {.capture_output = true, .capture_errors = true});
    searches_beside_ = tried.exit_code != 0 && misses_header_beside(input.path, tried.errors);
  }
  std::vector<std::string> command = preprocessor(input);
  command.insert(command.end(), options_.dependency_args.begin(), options_.dependency_args.end());
  if (!options_.output.empty()) command.insert(command.end(), {"-o", options_.output});
  command.push_back(input.path);
  const ProcessResult result = run_process(command, {.echo = options_.verbose, .dry_run = options_.dry_run});
  if (!result.started) return not_started(command, result);
  return result.exit_code == 0 ? 0 : 1;
}

void UnitCompiler::report_on(const Compilation& compilation) {
  if (options_.report == Options::Report::none && !options_.report_view) return;
  const SourceText& source = compilation.unit.source;
  for (const Remark& remark :
       report(compilation.unit, compilation.sema->types(), compilation.sema->constants(), options_.optimise)) {
    if (options_.report_view) view_.add(source, remark);
    if (options_.report == Options::Report::text) std::fputs(as_text(source, remark).c_str(), stderr);
    if (options_.report == Options::Report::json) std::fputs(as_json(source, remark).c_str(), stdout);
  }
}

// The pipeline: lex, parse and check, lower (asking the optimiser), emit.
void UnitCompiler::note_inlines(const TranslationUnit& unit) {
  for (const DeclGroup* group : unit.groups) {
    if (group->kind != GroupKind::function_definition) continue;
    const auto* function = decl_cast<FunctionDecl>(group->decls[0]);
    if (function->is_inline && function->linkage == Linkage::external)
      inlines_.insert(std::string(function->name->text));
  }
}

int UnitCompiler::translate(const Input& input, std::string text) {
  FrontendOptions front;
  front.static_threads = options_.threads;
  front.upc_include = tools_.include_dir + "/upc";
  front.warnings = options_.warnings;
  front.colour = options_.colour;
  front.gnu_keywords = !options_.standard.starts_with("c") && !options_.standard.starts_with("iso");
  LowerOptions lowering;
  front.upc = lowering.upc = input.language != Language::thread_local_c;
  lowering.pthreads = options_.pthreads;
  lowering.optimise = options_.optimise;
  const std::string name = input.path == "-" ? "<stdin>" : input.path;
  bool ok = false;
  run_on_big_stack([&] {
    Compilation compilation(std::move(text), name, front, stderr);
    const bool can_ask = input.language != Language::upc_preprocessed && input.path != "-";
    if (can_ask) compilation.diagnostics.set_macros([&] { return list_macros(input); });
    ok = compilation.run();
    warned_ = compilation.diagnostics.shown_warnings();
    // Warnings that are errors do not keep the C compiler's from being seen.
    if (compilation.diagnostics.plain_error_count() != 0) return;
    if (lowering.upc && options_.action != Action::print_c && wants_warnings(options_)) {
      const Lowered erased = erase_upc(compilation.unit);
      erased_ =
          write_c(compilation.unit, erased.text, erased.edits, {.mark_rewritten_lines = false, .exact_columns = true});
    }
    if (ok && lowering.upc) report_on(compilation);
    if (ok) note_inlines(compilation.unit);
    if (!ok || options_.action == Action::check) return;
    const Lowered lowered = lower(compilation.unit, compilation.sema->types(), compilation.sema->constants(), lowering);
    c_text_ = write_c(compilation.unit, lowered.text, lowered.edits, {});
  });
  return ok ? 0 : 1;
}

std::vector<std::string> UnitCompiler::c_compiler(bool with_warnings) const {
  std::vector<std::string> command = tools_.cc;
  // What upcc has already used, such as -I, is of no use to its later steps.
  if (tools_.is_clang()) command.emplace_back("-Qunused-arguments");
  for (const std::string& option : back_end_dialect(options_.standard)) command.push_back(option);
  // At -O2 gcc leaves loops whose count it does not know scalar, which the loops made of UPC's are, and tests in them
  // what is the same throughout: whether an array has been copied. An option of the user comes later and counts.
  if (options_.more_loops && !tools_.is_clang())
    command.insert(command.end(), {"-fvect-cost-model=dynamic", "-funswitch-loops"});
  // At -O3 gcc 12 splits loops that store to an address and update what is behind another, as if the two could not be
  // equal (-fno-strict-aliasing hides it).
  if (!tools_.is_clang()) command.emplace_back("-fno-tree-loop-distribution");
  command.insert(command.end(), options_.compile_args.begin(), options_.compile_args.end());
  if (!with_warnings) return command;
  for (const std::string& arg : options_.warning_args) {
    if (!is_upc_warning(arg)) command.push_back(arg);
  }
  return command;
}

// Lets the C compiler warn about the user's program as it is written, UPC erased; the translation then keeps quiet.
// Where that is no C (a pointer-to-shared and a pointer in one _Generic, say), the translation's own warnings have to
// do, which leave out the lines that access shared memory.
int UnitCompiler::warn(const Input& input) {
  const std::string c_file = temporaries_.make("-" + base_name(input.path) + ".erased.c");
  const std::string assembly = temporaries_.make("-" + base_name(input.path) + ".erased.s");
  if (c_file.empty() || assembly.empty()) return 1;
  if (!write_file(c_file, erased_)) {
    complain("cannot write " + c_file);
    return 1;
  }
  std::vector<std::string> command = c_compiler(true);
  // To assembly, because warnings about the flow of control and of values come late.
  command.insert(command.end(), {"-g0", "-fno-lto", "-fno-profile-arcs", "-fno-test-coverage", "-x", "cpp-output",
                                 options_.action == Action::check ? "-fsyntax-only" : "-S", c_file, "-o", assembly});
  const ProcessResult result = run_process(command, {.capture_errors = true, .echo = options_.verbose});
  if (!result.started) return not_started(command, result);
  if (has_plain_error(result.errors)) return 0;
  erased_speaks_ = true;
  std::fputs(without_repeats(result.errors, warned_).c_str(), stderr);
  return result.exit_code == 0 ? 0 : 1;
}

int UnitCompiler::run_c_compiler(const Input& input, const std::vector<std::string>& command) {
  const ProcessResult result =
      run_process(command, {.capture_errors = true, .echo = options_.verbose, .dry_run = options_.dry_run});
  if (!result.started) return not_started(command, result);
  std::fputs(without_repeats(result.errors, warned_).c_str(), stderr);
  if (result.exit_code == 0) return 0;
  blame_ourselves(result.errors, input.path);
  return 1;
}

int UnitCompiler::back_end(const Input& input, const std::string& output) {
  const std::string c_file = options_.save_temps ? saved_name(options_, input, ".upc.c")
                                                 : temporaries_.make("-" + base_name(input.path) + ".c");
  if (c_file.empty()) return 1;
  if (!options_.dry_run && !write_file(c_file, c_text_)) {
    complain("cannot write the translated C file " + c_file);
    return 1;
  }
  std::vector<std::string> command = c_compiler(!erased_speaks_);
  if (erased_speaks_) command.emplace_back("-w");
  command.insert(command.end(), {"-x", "cpp-output"});
  if (!options_.save_temps || options_.action == Action::assembly) {
    command.insert(command.end(), {options_.action == Action::assembly ? "-S" : "-c", c_file, "-o", output});
    return run_c_compiler(input, command);
  }
  const std::string assembly = saved_name(options_, input, ".s");
  command.insert(command.end(), {"-S", c_file, "-o", assembly});
  if (const int status = run_c_compiler(input, command); status != 0) return status;
  command = c_compiler(false);
  command.insert(command.end(), {"-c", assembly, "-o", output});
  return run_c_compiler(input, command);
}

namespace {

bool includes_upc(const std::string& path) {
  std::string text;
  if (!read_file(path, text)) return false;
  for (const char* header : {"<upc.h>", "<upc_relaxed.h>", "<upc_strict.h>"})
    if (text.find(header) != std::string::npos) return true;
  return false;
}

}  // namespace

int compile_other(const Toolchain& tools, const Options& options, const Input& input, const std::string& output) {
  std::vector<std::string> command = tools.cc;
  const bool is_c = input.forced == "c" || (input.forced.empty() && input.path.ends_with(".c"));
  if (is_c) command.push_back("-std=" + options.standard);
  command.insert(command.end(), options.compile_args.begin(), options.compile_args.end());
  command.insert(command.end(), options.warning_args.begin(), options.warning_args.end());
  command.insert(command.end(), options.preprocess_args.begin(), options.preprocess_args.end());
  command.insert(command.end(), {"-isystem", tools.include_dir + "/upc", "-isystem", tools.include_dir});
  if (options.pthreads) command.emplace_back(kPthreadsMacro);
  command.insert(command.end(), options.dependency_args.begin(), options.dependency_args.end());
  if (options.action == Action::link && options.dependencies_beside) {
    if (!options.dependency_file) command.insert(command.end(), {"-MF", base_name(input.path) + ".d"});
    if (!options.dependency_target) command.insert(command.end(), {"-MT", base_name(input.path) + ".o"});
  }
  switch (options.action) {
    case Action::preprocess:
      command.emplace_back("-E");
      break;
    case Action::assembly:
      command.emplace_back("-S");
      break;
    case Action::check:
      command.emplace_back("-fsyntax-only");
      break;
    case Action::dependencies:
    case Action::print_c:
      break;
    case Action::link:
    case Action::compile:
      command.emplace_back("-c");
      break;
  }
  if (!input.forced.empty()) command.insert(command.end(), {"-x", input.forced});
  // The first error says it all: <upc.h> does not want to be C.
  if (is_named_c(input) && includes_upc(input.path)) command.emplace_back("-Wfatal-errors");
  command.push_back(input.path);
  if (!output.empty() && options.action != Action::check) command.insert(command.end(), {"-o", output});
  const ProcessResult result = run_process(command, {.echo = options.verbose, .dry_run = options.dry_run});
  if (!result.started) return not_started(command, result);
  return result.exit_code == 0 ? 0 : 1;
}

}  // namespace upcc::driver
