#include "driver/toolchain.hpp"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <sstream>

#include "driver/process.hpp"
#include "sema/target.hpp"

#ifndef UPCC_LIBDIR
#define UPCC_LIBDIR "lib"
#endif

namespace upcc::driver {

namespace {

bool readable(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

// The prefix of the tree that upcc itself lies in: the parent of its bin directory.
std::string own_prefix() {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t n = ::readlink("/proc/self/exe", buffer.data(), buffer.size() - 1);
  if (n <= 0) return {};
  std::string path(buffer.data(), static_cast<std::size_t>(n));
  for (int up = 0; up < 2; ++up) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return {};
    path.resize(slash);
  }
  return path;
}

std::string file_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string follow_links(const std::string& path) {
  std::array<char, PATH_MAX> buffer{};
  return ::realpath(path.c_str(), buffer.data()) == nullptr ? std::string{} : std::string(buffer.data());
}

// The file that a command really is; empty if it is not there.
std::string real_path(const std::string& command) {
  if (command.find('/') != std::string::npos) return follow_links(command);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + command;
    if (::access(candidate.c_str(), X_OK) == 0) return follow_links(candidate);
  }
  return {};
}

// The C compiler that the environment names. `make CC=upcc` puts upcc itself there.
std::vector<std::string> chosen_compiler() {
  for (const char* variable : {"UPCC_CC", "CC"}) {
    const char* value = std::getenv(variable);
    std::istringstream words(value != nullptr ? value : "");
    std::vector<std::string> command;
    for (std::string word; words >> word;) command.push_back(word);
    if (!command.empty() && real_path(command.front()) != real_path("/proc/self/exe")) return command;
  }
  return {"cc"};
}

}  // namespace

bool Toolchain::find() {
  // Only a C compiler that is a script around upcc makes upcc start itself.
  constexpr const char* kWithin = "UPCC_WITHIN";
  cc = chosen_compiler();
  if (std::getenv(kWithin) != nullptr) {
    complain("the C compiler '" + std::string(std::getenv(kWithin)) +
             "' that upcc was to use is upcc; name another in CC or, where CC is upcc, in UPCC_CC");
    return false;
  }
  ::setenv(kWithin, cc.front().c_str(), 1);
  const std::string prefix = own_prefix();
  include_dir = prefix + "/include";
  if (!readable(include_dir + "/weft/upcc.h")) {
    complain("cannot find the runtime's headers in " + include_dir + "; is upcc installed with the rest of Weft?");
    return false;
  }
  for (const std::string& candidate : {prefix + "/" + UPCC_LIBDIR, prefix + "/lib", prefix + "/lib64"}) {
    if (!readable(candidate + "/libweft-upcrt.so") && !readable(candidate + "/libweft-upcrt.a")) continue;
    library_dir = candidate;
    break;
  }
  return true;
}

namespace {

// By name, because asking it takes longer than compiling a small file: "cc" is a link to gcc or clang as a rule.
bool detect_clang(const std::vector<std::string>& cc) {
  for (const std::string& name : {file_name(cc.front()), file_name(real_path(cc.front()))}) {
    if (name.find("clang") != std::string::npos) return true;
    if (name.find("gcc") != std::string::npos) return false;
  }
  std::vector<std::string> command = cc;
  command.insert(command.end(), {"-dM", "-E", "-x", "c", "/dev/null"});
  return run_process(command, {.capture_output = true}).output.find("#define __clang__") != std::string::npos;
}

}  // namespace

bool Toolchain::is_clang() const {
  if (!is_clang_) is_clang_ = detect_clang(cc);
  return *is_clang_;
}

namespace {

void add_upc_macros(std::vector<std::string>& command, const Options& options) {
  const std::string count = std::to_string(options.threads);
  // What the specification lets programs test, and what the runtime's headers need to know.
  command.insert(command.end(),
                 {"-D__UPC__=1", "-D__UPC_VERSION__=201311L", "-D__UPC_COLLECTIVE__=1", "-D__UPC_TICK__=1",
                  "-D__UPC_ATOMIC__=1", "-D__UPC_CASTABLE__=1", "-D__UPC_IO__=1", "-D__UPC_NB__=1", "-D__UPC_PUPC__=0",
                  "-D__WEFT_UPC__=1", "-DUPC_MAX_BLOCK_SIZE=" + std::to_string(target::kMaxBlockSize) + "L"});
  if (options.threads > 0) {
    command.insert(command.end(),
                   {"-D__UPC_STATIC_THREADS__=" + count, "-DTHREADS=" + count, "-DUPCR_THREADS=" + count});
  } else {
    command.emplace_back("-D__UPC_DYNAMIC_THREADS__=1");
  }
  if (options.pthreads) command.emplace_back("-D__UPC_PTHREADS__=1");
}

}  // namespace

std::vector<std::string> preprocess_command(const Toolchain& tools, const Options& options, Language language) {
  std::vector<std::string> command = tools.cc;
  command.insert(command.end(), {"-E", "-x", "c", "-std=" + options.standard});
  command.insert(command.end(), options.compile_args.begin(), options.compile_args.end());
  if (language != Language::thread_local_c) add_upc_macros(command, options);
  if (options.pthreads) command.emplace_back(kPthreadsMacro);
  std::vector<std::string> clang_headers;
  if (tools.is_clang()) {
    // clang 14 has no such types and glibc defines the names for it; to our front end they are keywords.
    for (const char* type : {"_Float32", "_Float64", "_Float32x", "_Float64x"}) {
      command.push_back(std::string("-D") + type + "=__upcc" + type);
    }
    clang_headers = {"-isystem", tools.include_dir + "/upc/clang"};
  }
  // The runtime's interface is for the C that comes out, before what the user includes; checking goes without.
  const bool to_stop_early = options.action == Action::check || options.action == Action::dependencies;
  if (language == Language::upc && !to_stop_early) command.insert(command.end(), {"-include", "weft/upcc.h"});
  if (language == Language::upc) command.insert(command.end(), {"-include", "upc_predeclared.h"});
  command.insert(command.end(), options.preprocess_args.begin(), options.preprocess_args.end());
  command.insert(command.end(), clang_headers.begin(), clang_headers.end());
  command.insert(command.end(), {"-isystem", tools.include_dir + "/upc", "-isystem", tools.include_dir});
  return command;
}

}  // namespace upcc::driver
