#include "driver/process.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "driver/options.hpp"

namespace upcc::driver {

namespace {

void print_command(const std::vector<std::string>& command) {
  for (const std::string& word : command) {
    const bool plain = word.find_first_of(" \t\n\"'\\$&|;()<>*?") == std::string::npos && !word.empty();
    std::fprintf(stderr, plain ? " %s" : " '%s'", word.c_str());
  }
  std::fputc('\n', stderr);
}

// What a child writes to one of its streams. A file in memory, unlike a pipe, takes all of it without anybody reading,
// so the child is never woken or blocked by us.
class Capture {
 public:
  explicit Capture(bool wanted) : fd_(wanted ? ::memfd_create("upcc-capture", MFD_CLOEXEC) : -1), wanted_(wanted) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    if (fd_ >= 0) ::close(fd_);
  }

  bool failed() const { return wanted_ && fd_ < 0; }
  void attach(posix_spawn_file_actions_t& actions, int stream) const {
    if (fd_ >= 0) ::posix_spawn_file_actions_adddup2(&actions, fd_, stream);
  }
  std::string text() const {
    struct stat status {};
    if (fd_ < 0 || ::fstat(fd_, &status) != 0) return {};
    std::string all(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t done = 0;
    while (done < all.size()) {
      const ssize_t n = ::pread(fd_, all.data() + done, all.size() - done, static_cast<off_t>(done));
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    all.resize(done);
    return all;
  }

 private:
  int fd_;
  bool wanted_;
};

ProcessResult not_started(int error) {
  ProcessResult result;
  result.exit_code = 127;
  result.started = false;
  result.errors = std::strerror(error);
  return result;
}

// What a signal that ends upcc must clean up. Changed with these signals blocked.
constexpr std::array<int, 4> kEndingSignals{SIGHUP, SIGINT, SIGTERM, SIGPIPE};
TemporaryFiles* to_remove = nullptr;
pid_t running_child = 0;

class EndingSignalsBlocked {
 public:
  EndingSignalsBlocked() {
    sigset_t ending;
    ::sigemptyset(&ending);
    for (const int signal : kEndingSignals) ::sigaddset(&ending, signal);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  EndingSignalsBlocked(const EndingSignalsBlocked&) = delete;
  EndingSignalsBlocked& operator=(const EndingSignalsBlocked&) = delete;
  ~EndingSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// The C compiler goes first: it may be about to write one of the files.
void end_by_signal(int signal) {
  if (running_child > 0) {
    ::kill(running_child, SIGTERM);
    ::waitpid(running_child, nullptr, 0);
  }
  if (to_remove != nullptr) to_remove->remove();
  ::raise(signal);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  if (options.echo || options.dry_run) print_command(command);
  if (options.dry_run) return {};
  const Capture out(options.capture_output);
  const Capture err(options.capture_errors);
  if (out.failed() || err.failed()) return not_started(errno);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  out.attach(actions, STDOUT_FILENO);
  err.attach(actions, STDERR_FILENO);
  std::fflush(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return not_started(error);
  running_child = child;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running_child = 0;
  ProcessResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.output = out.text();
  result.errors = err.text();
  return result;
}

std::string TemporaryFiles::make(const std::string& suffix) {
  const EndingSignalsBlocked blocked;
  if (directory_.empty()) {
    const char* base = std::getenv("TMPDIR");
    const std::string parent = base != nullptr && *base != '\0' ? base : "/tmp";
    std::string pattern = parent + "/upcc-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
      complain("cannot make a temporary folder in " + parent + ": " + std::strerror(errno) +
               "; set TMPDIR to a folder that can be written");
      return {};
    }
    directory_ = pattern;
    to_remove = this;
    for (const int signal : kEndingSignals) {
      struct sigaction action {};
      ::sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_DFL) continue;
      action.sa_handler = end_by_signal;
      action.sa_flags = static_cast<int>(SA_RESETHAND);
      ::sigaction(signal, &action, nullptr);
    }
  }
  files_.push_back(directory_ + "/" + std::to_string(files_.size()) + suffix);
  return files_.back();
}

void TemporaryFiles::add(const std::string& file) {
  const EndingSignalsBlocked blocked;
  files_.push_back(file);
}

void TemporaryFiles::remove() const {
  for (const std::string& file : files_) ::unlink(file.c_str());
  if (!directory_.empty()) ::rmdir(directory_.c_str());
}

TemporaryFiles::~TemporaryFiles() {
  const EndingSignalsBlocked blocked;
  remove();
  // Whatever the C compiler has put beside its output.
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
  to_remove = nullptr;
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
