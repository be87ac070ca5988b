#include "conduit/ip/secret_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/log.hpp"
#include "conduit/ip/sockets.hpp"
#include "os/processor.hpp"

namespace weft::conduit::ip {
namespace {

// Why the file is no secret, with what to do; empty: it may be one.
std::string problem_of(const struct stat& file) {
  if (!S_ISREG(file.st_mode)) return "is not a file";
  if (file.st_uid != ::geteuid())
    return "belongs to user " + std::to_string(file.st_uid) + ", not to user " + std::to_string(::geteuid()) +
           " who runs the job: make a copy of your own";
  if ((file.st_mode & (S_IRWXG | S_IRWXO)) != 0) return "may be read or changed by others: chmod 600 it";
  const auto size = static_cast<size_t>(file.st_size);
  if (size < secret_file_least || size > secret_file_most)
    return "has " + std::to_string(size) + " bytes, not " + std::to_string(secret_file_least) + " to " +
           std::to_string(secret_file_most) + ": make it with openssl rand -hex 32";
  return {};
}

}  // namespace

Status read_secret_file(const std::string& path, std::vector<std::byte>& secret) {
  const auto refuse = [&](const std::string& why) {
    base::log_error("setting WEFT_SECRET_FILE: '%s' on host %s %s", path.c_str(), os::host_name().c_str(), why.c_str());
    return WEFT_ERR_INVALID;
  };
  // A pipe, which is refused, must not be waited for.
  const Socket descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat file {};
  if (!descriptor || ::fstat(descriptor.get(), &file) != 0)
    return refuse(std::string("cannot be read: ") + std::strerror(errno));
  if (const std::string problem = problem_of(file); !problem.empty()) return refuse(problem);
  secret.resize(static_cast<size_t>(file.st_size));
  if (::read(descriptor.get(), secret.data(), secret.size()) != file.st_size) return refuse("changes while it is read");
  return {};
}

}  // namespace weft::conduit::ip
