// Child processes and temporary files.
#pragma once

#include <string>
#include <vector>

namespace upcc::driver {

struct ProcessResult {
  int exit_code = 0;  // 128 + signal when killed; 127 when it could not be started
  bool started = true;
  std::string output;  // standard output, when captured
  std::string errors;  // standard error, when captured
};

struct ProcessOptions {
  bool capture_output = false;
  bool capture_errors = false;
  bool echo = false;     // print the command first
  bool dry_run = false;  // print it and do nothing
};

ProcessResult run_process(const std::vector<std::string>& command, const ProcessOptions& options);

// Files that vanish when upcc ends, also after an error or by a signal. One at a time.
class TemporaryFiles {
 public:
  TemporaryFiles() = default;
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;
  ~TemporaryFiles();
  // A new name in a private directory; empty, after a message, when the directory cannot be made.
  std::string make(const std::string& suffix);
  // A file elsewhere that is to vanish, too.
  void add(const std::string& file);
  // Async-signal-safe.
  void remove() const;

 private:
  std::string directory_;
  std::vector<std::string> files_;
};

bool read_file(const std::string& path, std::string& out);
bool write_file(const std::string& path, const std::string& text);

}  // namespace upcc::driver
