#include "program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace weftrun {
namespace {

enum class Verdict { runnable, absent, folder, refused };

Verdict examine(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return errno == EACCES ? Verdict::refused : Verdict::absent;
  if (S_ISDIR(about.st_mode)) return Verdict::folder;
  return ::access(path.c_str(), X_OK) == 0 ? Verdict::runnable : Verdict::refused;
}

std::string cannot_run(Verdict verdict, const std::string& path, int& exit_code) {
  const char* problem = verdict == Verdict::folder ? "is a folder, not a program"
                        : verdict == Verdict::refused
                            ? "is not executable (chmod +x makes it so), or its folder is closed"
                            : "does not exist";
  std::fprintf(stderr, "weftrun: %s %s\n", path.c_str(), problem);
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
  const bool here = !name.empty() && examine("./" + name) == Verdict::runnable;
  std::fprintf(stderr, "weftrun: '%s' is not in any folder of PATH (%.*s)%s%s\n", name.c_str(),
               static_cast<int>(folders.size()), folders.data(), here ? "; did you mean ./" : "",
               here ? (name + "?").c_str() : "");
  exit_code = exit_not_found;
  return {};
}

}  // namespace weftrun
