// Where things are: the C compiler, our headers and our libraries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/options.hpp"

namespace upcc::driver {

struct Toolchain {
  std::vector<std::string> cc;  // command and leading arguments, from $CC
  std::string include_dir;      // holds weft/ and upc/
  std::string library_dir;

  // Whether cc is clang; asked only when needed.
  [[nodiscard]] bool is_clang() const;

  // Finds everything; complains and returns false when something is missing.
  bool find();

 private:
  mutable std::optional<bool> is_clang_;
};

// Makes the runtime's headers those of threads that may share a process.
inline constexpr const char* kPthreadsMacro = "-DUPCR_PTHREADS=1";

// Arguments common to preprocessing and compiling UPC: predefined macros and include paths (UPC 6.7.2, 6.3).
std::vector<std::string> preprocess_command(const Toolchain& tools, const Options& options, Language language);

}  // namespace upcc::driver
