#include "program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "speech.hpp"

namespace weftrun {
namespace {

enum class Verdict { runnable, absent, folder, refused, source };

bool is_source(std::string_view path) {
  constexpr std::string_view endings[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".upc"};
  return std::any_of(std::begin(endings), std::end(endings), [&](auto ending) { return path.ends_with(ending); });
}

Verdict examine(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return errno == EACCES ? Verdict::refused : Verdict::absent;
  if (S_ISDIR(about.st_mode)) return Verdict::folder;
  if (::access(path.c_str(), X_OK) == 0) return Verdict::runnable;
  return is_source(path) ? Verdict::source : Verdict::refused;
}

// A command that may do it.
std::string compile_command(const std::string& path) {
  const std::string program = path.substr(0, path.rfind('.'));
  if (speaks_upc || path.ends_with(".upc")) return "upcc -o " + program + " " + path;
  const char* compiler = path.ends_with(".c") ? "cc " : "c++ ";
  return compiler + path + " -o " + program + " $(pkg-config --cflags --libs weft)";
}

std::string problem_of(Verdict verdict, const std::string& path) {
  switch (verdict) {
    case Verdict::folder:
      return "is a folder, not a program";
    case Verdict::refused:
      return "is not executable (chmod +x makes it so), or its folder is closed";
    case Verdict::source:
      return "is a source file, not a program: compile it first, as in " + compile_command(path);
    case Verdict::absent:
    case Verdict::runnable:
      break;
  }
  return "does not exist";
}

std::string cannot_run(Verdict verdict, const std::string& path, int& exit_code) {
  tell("%s %s", path.c_str(), problem_of(verdict, path).c_str());
  exit_code = verdict == Verdict::absent ? exit_not_found : exit_not_executable;
  return {};
}

}  // namespace

std::string find_program(const std::string& name, int& exit_code) {
  if (name.find('/') != std::string::npos) {
    const Verdict verdict = examine(name);
    return verdict == Verdict::runnable ? name : cannot_run(verdict, name, exit_code);
  }
  const char* variable = std::getenv("PATH");
  const std::string_view folders = variable ? variable : "/bin:/usr/bin";  // as execvp without a PATH
  std::string refused;
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string folder(folders.substr(begin, end - begin));
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    const Verdict verdict = examine(path);
    if (verdict == Verdict::runnable) return path;
    if (verdict == Verdict::refused && refused.empty()) refused = path;
    begin = end + 1;
  }
  if (!refused.empty()) return cannot_run(Verdict::refused, refused, exit_code);
  const Verdict in_folder = examine("./" + name);
  if (in_folder == Verdict::source) return cannot_run(in_folder, name, exit_code);
  const bool here = !name.empty() && in_folder == Verdict::runnable;
  tell("'%s' is not in any folder of PATH (%.*s)%s%s", name.c_str(), static_cast<int>(folders.size()), folders.data(),
       here ? "; did you mean ./" : "", here ? (name + "?").c_str() : "");
  exit_code = exit_not_found;
  return {};
}

}  // namespace weftrun
