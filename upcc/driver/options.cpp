#include "driver/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "driver/help.hpp"
#include "sema/spelling.hpp"
#include "sema/target.hpp"
#include "sema/warnings.hpp"

namespace upcc::driver {

namespace {

// Options of the C compiler whose argument may be the next word.
constexpr std::array<std::string_view, 9> kPreprocessorWithArgument{
    "-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot"};
constexpr std::array<std::string_view, 7> kLinkerWithArgument{"-l", "-L", "-Xlinker", "-u", "-z", "-e", "-rpath"};
constexpr std::array<std::string_view, 9> kLinkerAlone{
    "-static", "-pie", "-no-pie", "-rdynamic", "-s", "-static-libgcc", "-static-pie", "-nostartfiles", "-pthread"};
constexpr std::array<std::string_view, 4> kCompilerWithArgument{"--param", "-Xassembler", "-Xpreprocessor",
                                                                "-aux-info"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// With quotes and backslashes as in a shell.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
      continue;
    }
    in_word = true;
    if (c == '\\' && quote != '\'' && i + 1 < text.size())
      word += text[++i];
    else if (quote != 0 ? c == quote : c == '"' || c == '\'')
      quote = quote != 0 ? '\0' : c;
    else
      word += c;
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

// `@file` stands for the words in the file.
bool expand_response_files(std::vector<std::string>& args) {
  for (std::size_t i = 0, budget = 1000; i < args.size(); ++i) {
    if (args[i].size() < 2 || args[i][0] != '@') continue;
    std::ifstream file(args[i].substr(1));
    if (!file) continue;  // as gcc: then it is an ordinary argument
    if (budget-- == 0) {
      complain("too many response files");
      return false;
    }
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::vector<std::string> words = split_words(text);
    args.erase(args.begin() + static_cast<std::ptrdiff_t>(i));
    args.insert(args.begin() + static_cast<std::ptrdiff_t>(i), words.begin(), words.end());
    --i;
  }
  return true;
}

// Options of other UPC compilers that are settings of a run here, or not needed. Their opposites begin with -no.
struct Other {
  std::string_view option;
  std::string_view here;
  bool has_value = false;
};
constexpr std::string_view kNoNetwork =
    "no network is chosen here; the setting WEFT_CONDUIT does when the program runs";
constexpr std::string_view kNoFile = "upcc reads no configuration file; UPCC_FLAGS has options for every command";
constexpr std::string_view kNoTranslator = "upcc translates by itself; upcc --help names its own options";
constexpr std::string_view kHeap = "upcrun --shared-heap SIZE sets it when the program runs";
constexpr std::string_view kHeapFits = "a program whose heap cannot be had ends at its start with a line";
constexpr std::string_view kInstrument = "the settings WEFT_STATS=1 and WEFT_TRACE=file do when the program runs";
constexpr std::array kOthers{
    Other{"-opt", "accesses to shared memory are optimised from -O1 on"},
    Other{"-network", kNoNetwork, true},
    Other{"-conduit", kNoNetwork, true},
    Other{"-shared-heap", kHeap, true},
    Other{"-shared-heap-max", kHeap, true},
    Other{"-heap-offset", "heaps need no offset", true},
    Other{"-size-warn", kHeapFits},
    Other{"-require-size", kHeapFits},
    Other{"-stats", "the setting WEFT_STATS=1 does when the program runs"},
    Other{"-trace", "the setting WEFT_TRACE=file does when the program runs"},
    Other{"-inst", kInstrument},
    Other{"-fupc-instrument", kInstrument},
    Other{"-fupc-instrument-functions", kInstrument},
    Other{"-fupc-debug", "the setting WEFT_CHECK=1 checks when the program runs"},
    Other{"-lines", "messages and debuggers show lines of the UPC source; --print-c shows the C"},
    Other{"-norc", kNoFile},
    Other{"-conf", kNoFile, true},
    Other{"-uses-mpi", "programs that use MPI need no more than its compiler: CC=mpicc, or -link-with=mpicc"},
    Other{"-extern-main",
          "a main that is not UPC is found; it calls upcr_start() first and upcr_finish() last "
          "(docs/UPC-RUNTIME.md)"},
    Other{"-Wu,", kNoTranslator},
    Other{"-Ww,", kNoTranslator},
};

// Names of upcc's own options behind `--`.
constexpr std::array<std::string_view, 7> kLongNames{"threads",       "pthreads", "print-c", "report-view",
                                                     "report-counts", "help",     "version"};

std::string did_you_mean(std::string_view start, std::string_view name) {
  return name.empty() ? "" : "; did you mean '" + std::string(start) + std::string(name) + "'?";
}

// What was meant by -fupc-NAME or -fno-upc-NAME.
std::string guess_of_pass(std::string_view arg) {
  const std::string_view start = arg.starts_with("-fupc-") ? "-fupc-" : "-fno-upc-";
  std::vector<std::string_view> names{"report", "shadow", "optimise"};
  for (const Pass* pass : kPasses) names.push_back(pass->name);
  return did_you_mean(start, closest_word(arg.substr(start.size()), names));
}

// Whether a word is this option, with or without a value, or its opposite.
bool is_other(std::string_view word, const Other& other) {
  if (other.option.ends_with(',')) return word.starts_with(other.option);
  const std::string_view name = word.substr(0, word.find('='));
  return name == other.option || (name.starts_with("-no") && name.substr(3) == other.option.substr(1));
}

// Whether a file is an object, an archive or a shared library by its content. Linker scripts go by their names.
bool is_linkable(const std::string& path) {
  constexpr std::array<std::string_view, 4> kSigns{
      "\x7f"
      "ELF",
      "!<arch>\n", "!<thin>\n", "BC\xc0\xde"};
  std::string start(8, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return path.ends_with(".so") || path.ends_with(".a") || path.ends_with(".o") ||
         std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) { return start.starts_with(sign); });
}

class OptionParser {
 public:
  OptionParser(std::vector<std::string> args, bool c_is_upc, Options& out)
      : args_(std::move(args)), out_(out), forced_(c_is_upc ? "upc" : "") {}
  ParseResult run();

 private:
  bool option(const std::string& arg);
  bool driver_option(const std::string& arg);
  bool output_option(const std::string& arg);
  bool upc_option(const std::string& arg);
  bool other_compilers_option(const std::string& arg);
  bool phase_option(const std::string& arg);
  bool warning_option(const std::string& arg);
  static bool known_upc_warning(const std::string& arg);
  bool dependency_option(const std::string& arg);
  static void check_macro(std::string_view definition);
  bool toolchain_option(const std::string& arg);
  bool set_threads(const std::string& text);
  void input(const std::string& path);
  bool next(const std::string& option, std::string& value);
  [[nodiscard]] static std::optional<Language> language_of_suffix(std::string_view path);
  [[nodiscard]] static Language language_after_x_upc(const std::string& path);
  bool fail(const std::string& message) {
    complain(message);
    return false;
  }

  std::vector<std::string> args_;
  Options& out_;
  std::string forced_;  // -x
  std::size_t at_ = 0;
  bool failed_ = false;
  bool refused_ = false;  // the option being read
  bool aliasing_by_level_ = false;
  bool has_level_ = false;  // -O was given
  std::optional<bool> strict_aliasing_;
  std::unordered_map<const Pass*, bool> pass_choice_;
  std::unordered_set<std::string_view> told_;  // what notes have said
  bool stop_after_information_ = false;
};

bool OptionParser::next(const std::string& option, std::string& value) {
  if (at_ + 1 >= args_.size()) {
    refused_ = true;
    return fail("missing argument to '" + option + "'");
  }
  value = args_[++at_];
  return true;
}

ParseResult OptionParser::run() {
  if (!expand_response_files(args_)) return ParseResult::failed;
  for (at_ = 0; at_ < args_.size(); ++at_) {
    const std::string arg = args_[at_];
    if (arg.size() > 1 && arg[0] == '-') {
      if (!option(arg)) failed_ = true;
      if (stop_after_information_) return ParseResult::done;
    } else {
      input(arg);
    }
  }
  if (failed_) return ParseResult::failed;
  if (!out_.questions.empty()) return ParseResult::run;
  if (out_.inputs.empty() && out_.link_args.empty()) {
    if (out_.verbose) return ParseResult::done;
    complain("no input files");
    return ParseResult::failed;
  }
  const bool one_output = out_.action == Action::compile || out_.action == Action::assembly;
  const auto sources = std::count_if(out_.inputs.begin(), out_.inputs.end(),
                                     [](const Input& in) { return in.language != Language::object; });
  if (one_output && !out_.output.empty() && sources > 1) {
    complain("cannot specify '-o' with '-c' or '-S' and several files");
    return ParseResult::failed;
  }
  for (Input& in : out_.inputs) {
    const bool is_c =
        in.language == Language::other_source && (in.forced == "c" || (in.forced.empty() && in.path.ends_with(".c")));
    if (is_c && out_.pthreads) in.language = Language::thread_local_c;
  }
  if (!out_.report_counts.empty() && !out_.report_view) {
    complain("--report-counts is for --report-view");
    return ParseResult::failed;
  }
  if (out_.report_view && !out_.output.empty()) {
    complain("--report-view compiles nothing for '-o'; --report-view=FILE.html writes a file");
    return ParseResult::failed;
  }
  // Of what is compiled without optimisation there is nothing to view.
  const bool view_optimised = out_.report_view && !has_level_;
  out_.optimise.set_all(out_.optimise_level > 0 || view_optimised);
  for (const auto& [pass, on] : pass_choice_) out_.optimise.set(*pass, on);
  out_.optimise.strict_aliasing = strict_aliasing_.value_or(aliasing_by_level_);
  return ParseResult::run;
}

bool OptionParser::option(const std::string& arg) {
  refused_ = false;
  if (driver_option(arg) || stop_after_information_ || refused_) return !refused_;
  if (other_compilers_option(arg) || refused_) return !refused_;
  if (output_option(arg) || refused_) return !refused_;
  if (upc_option(arg) || refused_) return !refused_;
  if (dependency_option(arg) || refused_) return !refused_;
  if (warning_option(arg) || refused_) return !refused_;
  return toolchain_option(arg);
}

bool OptionParser::driver_option(const std::string& arg) {
  if (arg == "-dumpmachine" || arg == "-dumpspecs" || (arg.starts_with("-print-") && arg != "-print-c")) {
    out_.questions.push_back(arg);
    return true;
  }
  if (arg == "--help" || arg == "-help" || arg == "--version" || arg == "-V" || arg == "-dumpversion") {
    if (arg == "-dumpversion")
      std::printf("%s\n", version_number());
    else if (arg == "--version" || arg == "-V")
      print_version();
    else
      print_help();
    stop_after_information_ = true;
    return true;
  }
  if (arg == "-v" || arg == "-###") {
    out_.verbose = true;
    out_.dry_run = out_.dry_run || arg == "-###";
    if (args_.size() == 1) {
      print_version();
      stop_after_information_ = true;
    }
    return true;
  }
  return false;
}

bool OptionParser::output_option(const std::string& arg) {
  const auto action = [&](Action a) {
    out_.action = a;
    return true;
  };
  if (arg == "-c") return out_.action == Action::link ? action(Action::compile) : true;
  if (arg == "-S") return action(Action::assembly);
  if (arg == "-E") return action(Action::preprocess);
  if (arg == "-fsyntax-only") return action(Action::check);
  if (arg == "--print-c" || arg == "-print-c") return action(Action::print_c);
  if (arg == "-save-temps" || arg.starts_with("-save-temps=") || arg == "--save-temps") {
    out_.save_temps_beside = arg == "-save-temps=obj";
    return out_.save_temps = true;
  }
  if (arg == "-o") return next(arg, out_.output);
  if (arg.starts_with("-o") && !arg.starts_with("-objc")) {
    out_.output = arg.substr(2);
    return true;
  }
  if (arg.starts_with("-x")) {
    forced_ = arg.substr(2);
    if (forced_.empty() && !next(arg, forced_)) return false;
    return true;
  }
  return false;
}

bool OptionParser::set_threads(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const long long n = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno != 0 || n < 1 || n > target::kMaxThreads) {
    refused_ = true;
    return fail("invalid number of threads '" + text + "': need 1 to " + std::to_string(target::kMaxThreads));
  }
  out_.threads = n;
  return true;
}

bool OptionParser::other_compilers_option(const std::string& arg) {
  const std::string name = arg.substr(arg.starts_with("--") ? 1 : 0);
  if (name == "-trans") {
    refused_ = true;
    return fail("unknown option " + arg + "; what it does is here: --print-c > FILE.c");
  }
  if (name.starts_with("-pthreads=")) {
    std::fprintf(stderr, "upcc: note: %s: how many threads a process has is decided when the program runs\n",
                 arg.c_str());
    return out_.pthreads = true;
  }
  if (arg == "-fupc-pthreads-model-tls" || arg == "-fupc-pthreads-model-none") {
    out_.pthreads = arg.ends_with("tls");
    return true;
  }
  if (name == "-save-all-temps") return out_.save_temps = true;
  if (name.starts_with("-lang=")) {
    forced_ = name.substr(std::string("-lang=").size());
    return true;
  }
  if (name == "-link-with" || name.starts_with("-link-with=")) {
    std::string program = name.substr(std::min(name.size(), std::string("-link-with=").size()));
    if (name == "-link-with" && !next(arg, program)) return false;
    out_.link_with = split_words(program);
    if (!out_.link_with.empty()) return true;
    refused_ = true;
    return fail(arg + " needs the command that links, as in -link-with=mpicc");
  }
  if (phase_option(arg)) return true;
  for (const Other& other : kOthers) {
    if (!is_other(name, other)) continue;
    std::string value;
    if (other.has_value && name.find('=') == std::string::npos && !next(arg, value)) return false;
    if (told_.insert(other.here).second)
      std::fprintf(stderr, "upcc: note: %s is ignored: %s\n", arg.c_str(), std::string(other.here).c_str());
    return true;
  }
  return false;
}

// Berkeley UPC's way to give options to one phase: `-Wc,-O3`, `-Wl,"-w -O3"`, `-Wl,-Wl,--gc-sections`. Blanks separate
// options there, and commas belong to them. A -Wp, or -Wl, that has not several options is the C compiler's.
bool OptionParser::phase_option(const std::string& arg) {
  constexpr std::size_t kPrefix = std::string_view("-Wc,").size();
  const std::string phase = arg.substr(0, kPrefix);
  const std::string rest = arg.substr(std::min(arg.size(), kPrefix));
  const std::vector<std::string> words = split_words(rest);
  if (phase == "-Wc,") {
    args_.insert(args_.begin() + static_cast<std::ptrdiff_t>(at_ + 1), words.begin(), words.end());
    return true;
  }
  if (!rest.starts_with(phase) && rest.find(" -") == std::string::npos) return false;
  if (phase != "-Wl," && phase != "-Wp,") return false;
  std::vector<std::string>& options = phase == "-Wl," ? out_.link_args : out_.preprocess_args;
  options.insert(options.end(), words.begin(), words.end());
  return true;
}

bool OptionParser::upc_option(const std::string& arg) {
  std::string value;
  if (arg == "-T" || arg == "--threads") return next(arg, value) && set_threads(value);
  if (arg.starts_with("--threads=")) return set_threads(arg.substr(10));
  if (arg.starts_with("-T")) return set_threads(arg.substr(arg.starts_with("-T=") ? 3 : 2));
  if (arg.starts_with("-fupc-threads=") || arg.starts_with("-fupc-threads-")) return set_threads(arg.substr(14));
  if (arg == "--pthreads" || arg == "-pthreads") return out_.pthreads = true;
  if (arg == "--no-pthreads" || arg == "-nopthreads") {
    out_.pthreads = false;
    return true;
  }
  if (arg == "-fupc-report" || arg == "-fupc-report=text" || arg == "-fupc-report=json") {
    out_.report = arg.ends_with("json") ? Options::Report::json : Options::Report::text;
    return true;
  }
  if (arg == "--report-view" || arg.starts_with("--report-view=")) {
    out_.action = Action::check;
    out_.report_view = true;
    out_.report_html = arg.substr(std::min(arg.size(), std::string("--report-view=").size()));
    return arg != "--report-view=" || fail("--report-view= needs the name of an HTML file");
  }
  if (arg.starts_with("--report-counts=")) {
    out_.report_counts = arg.substr(std::string("--report-counts=").size());
    return !out_.report_counts.empty() || fail("--report-counts= needs the name of a file that UPC_PLACES wrote");
  }
  if (arg == "-fupc-shadow" || arg == "-fno-upc-shadow") {
    out_.optimise.shadow = arg[2] == 'u';
    return true;
  }
  if (arg == "-fupc-optimise" || arg == "-fno-upc-optimise") {
    for (const Pass* pass : kPasses) pass_choice_[pass] = arg[2] == 'u';
    return true;
  }
  for (const Pass* pass : kPasses) {
    const bool on = arg == "-fupc-" + std::string(pass->name);
    if (!on && arg != "-fno-upc-" + std::string(pass->name)) continue;
    pass_choice_[pass] = on;
    return true;
  }
  if (arg.starts_with("-fupc-") || arg.starts_with("-fno-upc-")) {
    refused_ = true;
    return fail("unrecognized command-line option '" + arg + "'" + guess_of_pass(arg));
  }
  if (arg.starts_with("--")) {
    const std::string_view name = std::string_view(arg).substr(2, arg.find('=') - 2);
    if (const std::string_view meant = closest_word(name, kLongNames); !meant.empty()) {
      refused_ = true;
      return fail("unrecognized command-line option '" + arg + "'" + did_you_mean("--", meant));
    }
  }
  return false;
}

bool OptionParser::dependency_option(const std::string& arg) {
  if (arg == "-M" || arg == "-MM") {
    if (out_.action != Action::preprocess) out_.action = Action::dependencies;
    out_.dependency_args.push_back(arg);
    return true;
  }
  if (arg == "-MD" || arg == "-MMD") {
    out_.dependencies_beside = true;
    out_.dependency_args.push_back(arg);
    return true;
  }
  if (arg == "-MP" || arg == "-MG") {
    out_.dependency_args.push_back(arg);
    return true;
  }
  if (arg.starts_with("-MF") || arg.starts_with("-MT") || arg.starts_with("-MQ")) {
    std::string value = arg.substr(3);
    const std::string name = arg.substr(0, 3);
    if (value.empty() && !next(arg, value)) return false;
    (name == "-MF" ? out_.dependency_file : out_.dependency_target) = true;
    out_.dependency_args.push_back(name);
    out_.dependency_args.push_back(value);
    return true;
  }
  return false;
}

// -Wupc-NAME, -Werror=upc-NAME. As gcc: -Wno-NAME may be for another version.
bool OptionParser::known_upc_warning(const std::string& arg) {
  const auto name = arg.substr(arg.starts_with("-Werror=") ? 8 : 2);
  return !name.starts_with("upc-") ||
         std::any_of(kWarnings.begin(), kWarnings.end(), [&](const WarningInfo& known) { return known.name == name; });
}

bool OptionParser::warning_option(const std::string& arg) {
  WarningOptions& w = out_.warnings;
  if (!known_upc_warning(arg)) {
    refused_ = true;
    return fail("unrecognized command-line option '" + arg + "'; 'upcc --help' names the warnings about UPC");
  }
  if (arg == "-w") {
    w.suppress_all = true;
  } else if (arg == "-pedantic" || arg == "-Wpedantic" || arg == "--pedantic") {
    w.pedantic = true;
  } else if (arg == "-pedantic-errors") {
    w.pedantic = w.pedantic_errors = true;
  } else if (arg == "-Werror") {
    w.errors = true;
  } else if (arg == "-Wno-error") {
    w.errors = false;
  } else if (arg == "-Wall") {
    w.all = true;
  } else if (arg == "-Wextra" || arg == "-W") {
    w.extra = true;
  } else if (arg.starts_with("-Werror=")) {
    w.error_names.insert(arg.substr(8));
    w.enabled.insert(arg.substr(8));
  } else if (arg.starts_with("-Wno-error=")) {
    w.no_error_names.insert(arg.substr(11));
  } else if (!arg.starts_with("-W") || arg.starts_with("-Wl,") || arg.starts_with("-Wa,") || arg.starts_with("-Wp,")) {
    return false;
  } else if (arg.starts_with("-Wno-")) {
    w.disabled.insert(arg.substr(5));
    w.enabled.erase(arg.substr(5));
  } else {
    w.enabled.insert(arg.substr(2));
    w.disabled.erase(arg.substr(2));
  }
  out_.warning_args.push_back(arg);
  return true;
}

void OptionParser::check_macro(std::string_view definition) {
  const std::string_view name = definition.substr(0, definition.find('='));
  if (name != "THREADS" && name != "MYTHREAD") return;
  std::fprintf(stderr, "upcc: warning: -D%.*s hides %.*s of UPC; -T N fixes the number of threads\n",
               static_cast<int>(definition.size()), definition.data(), static_cast<int>(name.size()), name.data());
}

bool OptionParser::toolchain_option(const std::string& arg) {
  std::string value;
  if (arg.starts_with("-D") && arg.size() > 2) check_macro(std::string_view(arg).substr(2));
  if (contains(kPreprocessorWithArgument, arg)) {
    if (!next(arg, value)) return false;
    if (arg == "-D") check_macro(value);
    out_.preprocess_args.push_back(arg);
    out_.preprocess_args.push_back(value);
    return true;
  }
  if (arg.starts_with("-I") || arg.starts_with("-D") || arg.starts_with("-U") || arg.starts_with("-Wp,") ||
      arg == "-nostdinc" || arg == "-undef" || arg == "-C" || arg == "-CC" || arg == "-P" || arg == "-H" ||
      arg.starts_with("-isystem") || arg.starts_with("-iquote") || arg.starts_with("-idirafter")) {
    out_.preprocess_args.push_back(arg);
    return true;
  }
  if (contains(kLinkerWithArgument, arg)) {
    if (!next(arg, value)) return false;
    out_.link_args.push_back(arg);
    out_.link_args.push_back(value);
    return true;
  }
  if (arg == "-nostdlib" || arg == "-nodefaultlibs" || arg == "-r" || arg == "-shared") {
    out_.no_link_runtime = true;
    out_.link_args.push_back(arg);
    return true;
  }
  if (arg == "-pthread") out_.compile_args.push_back(arg);
  if (contains(kLinkerAlone, arg) || arg.starts_with("-l") || arg.starts_with("-L") || arg.starts_with("-Wl,") ||
      arg.starts_with("-fuse-ld=") || arg.starts_with("-u")) {
    out_.link_args.push_back(arg);
    return true;
  }
  if (contains(kCompilerWithArgument, arg)) {
    if (!next(arg, value)) return false;
    out_.compile_args.push_back(arg);
    out_.compile_args.push_back(value);
    return true;
  }
  if (arg.starts_with("-std=") || arg == "-ansi") {
    out_.standard = arg == "-ansi" ? "c89" : arg.substr(5);
    return true;
  }
  if (arg.starts_with("-fdiagnostics-color") || arg.starts_with("-fcolor-diagnostics")) {
    out_.colour = arg.ends_with("=never") ? Colour::never : arg.ends_with("=auto") ? Colour::automatic : Colour::always;
  } else if (arg == "-fno-diagnostics-color") {
    out_.colour = Colour::never;
  }
  if (arg.starts_with("-fdiagnostics-format=") && arg != "-fdiagnostics-format=text") {
    return fail(arg + " is not supported: messages of upcc are text");
  }
  if (arg == "-fdirectives-only") return true;  // text whose macros are not expanded cannot be translated
  if (arg.starts_with("-O")) {
    const std::string level = arg.substr(2);
    out_.optimise_level = level == "0" || level == "g" ? 0 : 1;
    has_level_ = true;
    out_.more_loops = level == "2";
    aliasing_by_level_ = out_.optimise_level > 0 && !level.empty() && level != "1";
  }
  if (arg == "-fstrict-aliasing" || arg == "-fno-strict-aliasing") strict_aliasing_ = arg == "-fstrict-aliasing";
  out_.compile_args.push_back(arg);
  return true;
}

std::optional<Language> OptionParser::language_of_suffix(std::string_view path) {
  static const std::unordered_map<std::string_view, Language> kSuffixes{
      {"upc", Language::upc},          {"UPC", Language::upc},         {"upci", Language::upc_preprocessed},
      {"c", Language::other_source},   {"i", Language::other_source},  {"s", Language::other_source},
      {"S", Language::other_source},   {"cc", Language::other_source}, {"cpp", Language::other_source},
      {"cxx", Language::other_source}, {"C", Language::other_source},  {"c++", Language::other_source},
      {"ii", Language::other_source},  {"f", Language::other_source},  {"f90", Language::other_source},
      {"F90", Language::other_source}, {"m", Language::other_source}};
  const auto dot = path.rfind('.');
  const auto slash = path.rfind('/');
  if (dot == std::string_view::npos || (slash != std::string_view::npos && dot < slash)) return std::nullopt;
  const auto found = kSuffixes.find(path.substr(dot + 1));
  return found == kSuffixes.end() ? std::nullopt : std::optional(found->second);
}

// So that `upcc -x upc` can stand where a makefile has its compiler, objects stay objects and languages that are not C
// stay what they are.
Language OptionParser::language_after_x_upc(const std::string& path) {
  if (path.ends_with(".i") || path.ends_with(".upci")) return Language::upc_preprocessed;
  if (path.ends_with(".c") || path == "-") return Language::upc;
  return language_of_suffix(path).value_or(is_linkable(path) ? Language::object : Language::upc);
}

void OptionParser::input(const std::string& path) {
  Input in;
  in.path = path;
  const auto by_suffix = language_of_suffix(path);
  if (forced_.empty() || forced_ == "none") {
    if (path == "-") {
      complain("-E or -x required when input is from standard input");
      failed_ = true;
      return;
    }
    in.language = by_suffix.value_or(Language::object);
  } else if (forced_ == "upc") {
    in.language = language_after_x_upc(path);
  } else if (forced_ == "upc-cpp-output" || forced_ == "upc-preprocessed") {
    in.language = Language::upc_preprocessed;
  } else {
    in.language = Language::other_source;
    in.forced = forced_;
  }
  if (path != "-" && ::access(path.c_str(), R_OK) != 0) {
    const bool counts = at_ > 0 && (args_[at_ - 1] == "-n" || args_[at_ - 1] == "-np") &&
                        path.find_first_not_of("0123456789") == std::string::npos;
    complain(counts ? args_[at_ - 1] + " " + path + ": upcrun takes the number of threads so; upcc fixes it with -T " +
                          path
                    : path + ": No such file or directory");
    failed_ = true;
    return;
  }
  in.link_position = out_.link_args.size();
  out_.inputs.push_back(std::move(in));
}

}  // namespace

void complain(const std::string& message) { std::fprintf(stderr, "upcc: error: %s\n", message.c_str()); }

// As gupc and clang-upc do, of which clang-upc is to upcc what clang++ is to clang.
bool means_upc_by_c(const std::string& program) {
  return std::string_view(program).substr(program.rfind('/') + 1).ends_with("upc");
}

ParseResult parse_options(const std::string& program, std::vector<std::string> args, Options& out) {
  if (const char* flags = std::getenv("UPCC_FLAGS"); flags != nullptr) {
    const std::vector<std::string> words = split_words(flags);
    args.insert(args.begin(), words.begin(), words.end());
  }
  return OptionParser(std::move(args), means_upc_by_c(program), out).run();
}

}  // namespace upcc::driver
