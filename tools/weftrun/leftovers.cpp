#include "leftovers.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <climits>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weftrun {
namespace {

const std::string folder = "/dev/shm/";
constexpr std::array<std::string_view, 2> names = {"mpich_shar_tmp", "ucx_shm_posix_"};

std::vector<std::string> entries_of(const std::string& path) {
  std::vector<std::string> entries;
  DIR* open = ::opendir(path.c_str());
  if (open == nullptr) return entries;
  while (const dirent* entry = ::readdir(open)) entries.emplace_back(entry->d_name);
  ::closedir(open);
  return entries;
}

bool is_ours(const std::string& name, const timespec& since) {
  bool known = false;
  for (const std::string_view each : names) known = known || name.starts_with(each);
  struct stat status {};
  if (!known || ::lstat((folder + name).c_str(), &status) != 0) return false;
  const bool newer = status.st_ctim.tv_sec != since.tv_sec ? status.st_ctim.tv_sec > since.tv_sec
                                                           : status.st_ctim.tv_nsec >= since.tv_nsec;
  return newer && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
}

// Takes those out that the process holds. Descriptors first: who creates a file maps it, and only then closes it.
void keep_held(const std::string& process, std::set<std::string>& files) {
  const auto keep = [&](std::string_view text) {
    std::erase_if(files, [&](const std::string& name) { return text.find(folder + name) != std::string_view::npos; });
  };
  for (const std::string& descriptor : entries_of(process + "/fd")) {
    char target[PATH_MAX];
    const ssize_t length = ::readlink((process + "/fd/" + descriptor).c_str(), target, sizeof target);
    if (length > 0) keep({target, static_cast<size_t>(length)});
  }
  std::ifstream maps(process + "/maps");
  for (std::string line; std::getline(maps, line);) keep(line);
}

}  // namespace

timespec file_time() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

void remove_shared_memory_left(const timespec& since) {
  std::set<std::string> files;
  for (const std::string& name : entries_of(folder))
    if (is_ours(name, since)) files.insert(name);
  if (files.empty()) return;
  for (const std::string& name : entries_of("/proc"))
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) keep_held("/proc/" + name, files);
  for (const std::string& name : files) ::unlink((folder + name).c_str());
}

}  // namespace weftrun
