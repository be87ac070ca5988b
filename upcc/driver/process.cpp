#include "driver/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace upcc::driver {

namespace {

void print_command(const std::vector<std::string>& command) {
  for (const std::string& word : command) {
    const bool plain = word.find_first_of(" \t\n\"'\\$&|;()<>*?") == std::string::npos && !word.empty();
    std::fprintf(stderr, plain ? " %s" : " '%s'", word.c_str());
  }
  std::fputc('\n', stderr);
}

[[noreturn]] void become(const std::vector<std::string>& command, int report) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(report, &error, sizeof error);
  ::_exit(127);
}

// Reads both streams until both are closed, so that neither can block the child.
void drain(int out, int err, ProcessResult& result) {
  std::array<pollfd, 2> fds{pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  std::array<char, 65536> buffer{};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const ssize_t n = ::read(fds[i].fd, buffer.data(), buffer.size());
      if (n > 0) {
        (i == 0 ? result.output : result.errors).append(buffer.data(), static_cast<std::size_t>(n));
      } else if (n == 0 || errno != EINTR) {
        fds[i].fd = -1;
      }
    }
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  ProcessResult result;
  if (options.echo || options.dry_run) print_command(command);
  if (options.dry_run) return result;
  std::array<int, 2> out{-1, -1};
  std::array<int, 2> err{-1, -1};
  std::array<int, 2> report{-1, -1};
  if (::pipe2(report.data(), O_CLOEXEC) != 0 || (options.capture_output && ::pipe2(out.data(), O_CLOEXEC) != 0) ||
      (options.capture_errors && ::pipe2(err.data(), O_CLOEXEC) != 0)) {
    result.exit_code = 127;
    result.started = false;
    result.errors = std::strerror(errno);
    return result;
  }
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (out[1] >= 0) ::dup2(out[1], STDOUT_FILENO);
    if (err[1] >= 0) ::dup2(err[1], STDERR_FILENO);
    become(command, report[1]);
  }
  for (const int fd : {out[1], err[1], report[1]}) {
    if (fd >= 0) ::close(fd);
  }
  drain(out[0], err[0], result);
  int error = 0;
  const bool could_not_start = ::read(report[0], &error, sizeof error) == static_cast<ssize_t>(sizeof error);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  for (const int fd : {out[0], err[0], report[0]}) {
    if (fd >= 0) ::close(fd);
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (could_not_start || child < 0) {
    result.started = false;
    result.exit_code = 127;
    result.errors = std::strerror(could_not_start ? error : errno);
  }
  return result;
}

std::string TemporaryFiles::make(const std::string& suffix) {
  if (directory_.empty()) {
    const char* base = std::getenv("TMPDIR");
    std::string pattern = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/upcc-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) return {};
    directory_ = pattern;
  }
  files_.push_back(directory_ + "/" + std::to_string(files_.size()) + suffix);
  return files_.back();
}

TemporaryFiles::~TemporaryFiles() {
  for (const std::string& file : files_) ::unlink(file.c_str());
  if (!directory_.empty()) ::rmdir(directory_.c_str());
}

bool read_file(const std::string& path, std::string& out) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  std::array<char, 65536> buffer{};
  std::size_t n = 0;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), file)) > 0) out.append(buffer.data(), n);
  const bool ok = std::ferror(file) == 0;
  if (file != stdin) std::fclose(file);
  return ok;
}

bool write_file(const std::string& path, const std::string& text) {
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool ok = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return (file == stdout ? std::fflush(file) : std::fclose(file)) == 0 && ok;
}

}  // namespace upcc::driver
