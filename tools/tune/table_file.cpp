#include "table_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace tune {
namespace {

namespace fs = std::filesystem;

std::string write(const std::string& path, const std::string& text, const char* mode = "w") {
  FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return std::strerror(errno);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int why = errno;
  if (std::fclose(file) != 0) return std::strerror(errno);
  return written ? "" : std::strerror(why);
}

// The file itself, where the path is a link to it, even if it does not exist yet.
std::string target_of(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  if (!error) return target.string();
  const fs::path link = fs::read_symlink(path, error);
  return error ? path : (fs::path(path).parent_path() / link).string();
}

// Beside the target, so that it can be renamed.
std::string part_of(const std::string& target) { return target + ".part-" + std::to_string(getpid()); }

bool lies_in_proc(const fs::path& path) {
  std::error_code error;
  return fs::canonical(path.parent_path(), error).native().starts_with("/proc/");
}

// As /dev/stdout and /dev/fd/1 do.
bool names_descriptor(const fs::path& path) {
  std::error_code error;
  return lies_in_proc(path) || lies_in_proc(fs::read_symlink(path, error));
}

}  // namespace

bool TableFile::is_regular() const {
  std::error_code error;
  if (names_descriptor(path_)) return false;
  return !fs::exists(path_, error) || fs::is_regular_file(path_, error);
}

std::string TableFile::complaint() const {
  std::error_code error;
  if (fs::is_directory(path_, error)) return "it is a folder";
  if (!is_regular()) return "";
  const std::string part = part_of(target_of(path_));
  const std::string why = write(part, "");
  unlink(part.c_str());
  if (why.empty() || !fs::exists(path_, error)) return why;
  return why + " for a file beside it, where the new table is made that replaces it";
}

std::string TableFile::replace(const std::string& text) const {
  if (!is_regular()) return write(path_, text, "a");
  const std::string target = target_of(path_);
  const std::string part = part_of(target);
  std::string why = write(part, text);
  std::error_code error;
  if (fs::exists(target, error)) fs::permissions(part, fs::status(target, error).permissions(), error);
  if (why.empty() && std::rename(part.c_str(), target.c_str()) != 0) why = std::strerror(errno);
  if (!why.empty()) unlink(part.c_str());
  return why;
}

}  // namespace tune
