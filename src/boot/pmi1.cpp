// The PMI-1 client: MPICH's mpiexec (hydra) and weftrun pass one end of a socket as descriptor PMI_FD.
//
// An MPICH in the same process talks to the same socket. That works because every exchange is one request and one
// reply: both libraries may init, put, fence and get. Only finalize is final (the server closes the socket), so it is
// MPI_Finalize's, to come or done already.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/log.hpp"
#include "base/parse.hpp"
#include "boot/loaded_mpi.hpp"
#include "boot/pmi_wire.hpp"
#include "boot/process_managers.hpp"
#include "os/ending.hpp"

namespace weft::boot {
namespace {

/// True if an MPI library that speaks PMI-1 has been initialised in this process. Open MPI speaks PMIx only.
bool mpi_shares_the_socket() {
  using Query = int (*)(int*);
  const auto initialized = reinterpret_cast<Query>(::dlsym(RTLD_DEFAULT, "MPI_Initialized"));
  if (initialized == nullptr) return false;
  int begun = 0;
  initialized(&begun);
  const char* library = begun != 0 ? loaded_mpi() : nullptr;
  return library != nullptr && std::strcmp(library, "mpich") == 0;
}

class Pmi1 final : public Boot {
 public:
  Pmi1(int socket, uint32_t rank, uint32_t size) : socket_(socket), rank_(rank), size_(size) {}

  uint32_t rank() const override { return rank_; }
  uint32_t size() const override { return size_; }
  const char* name() const override { return "pmi1"; }
  bool is_private() const override { return launcher_is_weftrun_; }

  /// Says hello and learns the limits and the name of the key-value space.
  Status open();

  Status put(std::string_view key, std::string_view value) override;
  Status fence() override;
  Status get(uint32_t rank, std::string_view key, std::string& value) override;
  Status get_all(std::string_view key, std::vector<std::string>& values) override;
  Status finalize() override;
  [[noreturn]] void abort(int exit_code, std::string_view reason) override;

 private:
  /// Sends a request and reads its reply, which must be the command `expected`.
  Status ask(const std::string& request, std::string_view expected, PmiMessage& reply);
  /// One of get_all's questions: the values from the first that is missing on, as many as come.
  Status ask_page(std::string_view key, std::vector<std::string>& values);
  /// The value of `rank` that came as `text`.
  Status take_value(uint32_t rank, std::string_view key, std::string_view text, std::string& value) const;
  Status send(const std::string& line);
  Status receive(std::string& line);
  std::string wire_key(uint32_t rank, std::string_view key) const {
    return "weft-" + std::string(key) + "-" + std::to_string(rank);
  }

  const int socket_;
  const uint32_t rank_;
  const uint32_t size_;
  size_t largest_value_ = 0;
  bool launcher_is_weftrun_ = false;  // which brings values in pages
  std::string space_;
  PmiLines lines_;
};

Status Pmi1::open() {
  PmiMessage reply;
  Status status = ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", reply);
  if (!status.ok()) return status;
  if (reply.number("rc", 0, 0) != 0) {
    base::log_error(
        "the launcher does not speak version 1 of PMI: start with weftrun, MPICH's mpiexec or Open MPI's "
        "mpirun");
    return WEFT_ERR_BOOT;
  }
  status = ask("cmd=get_maxes", "maxes", reply);
  if (!status.ok()) return status;
  constexpr int64_t any = std::numeric_limits<int32_t>::max();
  const size_t largest_key = static_cast<size_t>(reply.number("keylen_max", 1, any).value_or(0));
  largest_value_ = static_cast<size_t>(reply.number("vallen_max", 1, any).value_or(0));
  // The limits of other servers count a terminating zero.
  if (largest_key <= wire_key(size_, std::string(key_max, 'k')).size() ||
      largest_value_ <= pmi_encode(std::string(value_max, 'v')).size()) {
    base::log_error(
        "the launcher's key-value space is too small (keys %zu, values %zu bytes): use weftrun or MPICH's "
        "mpiexec",
        largest_key, largest_value_);
    return WEFT_ERR_BOOT;
  }
  launcher_is_weftrun_ = reply.number("weft_get_all", 1, 1).has_value();
  status = ask("cmd=get_my_kvsname", "my_kvsname", reply);
  if (!status.ok()) return status;
  space_ = reply.find("kvsname").value_or("");
  return WEFT_OK;
}

Status Pmi1::put(std::string_view key, std::string_view value) {
  if (!may_put(key, value)) return WEFT_ERR_INVALID;
  PmiMessage reply;
  const std::string request =
      "cmd=put kvsname=" + space_ + " key=" + wire_key(rank_, key) + " value=" + pmi_encode(value);
  const Status status = ask(request, "put_result", reply);
  if (!status.ok()) return status;
  if (reply.number("rc", 0, 0) == 0) return WEFT_OK;
  base::log_error("the launcher refused to store '%.*s': %s", static_cast<int>(key.size()), key.data(),
                  std::string(reply.find("msg").value_or("no reason given")).c_str());
  return WEFT_ERR_BOOT;
}

Status Pmi1::fence() {
  PmiMessage reply;
  return ask("cmd=barrier_in", "barrier_out", reply);
}

Status Pmi1::get(uint32_t rank, std::string_view key, std::string& value) {
  PmiMessage reply;
  const Status status = ask("cmd=get kvsname=" + space_ + " key=" + wire_key(rank, key), "get_result", reply);
  if (!status.ok()) return status;
  if (reply.number("rc", 0, 0) != 0) return missing(rank, key);
  return take_value(rank, key, reply.find("value").value_or(""), value);
}

Status Pmi1::get_all(std::string_view key, std::vector<std::string>& values) {
  if (!launcher_is_weftrun_) return Boot::get_all(key, values);
  values.clear();
  while (values.size() < size_) {
    const Status status = ask_page(key, values);
    if (!status.ok()) return status;
  }
  return WEFT_OK;
}

Status Pmi1::ask_page(std::string_view key, std::vector<std::string>& values) {
  const auto first = static_cast<uint32_t>(values.size());
  PmiMessage reply;
  const Status status =
      ask("cmd=weft_get_all kvsname=" + space_ + " key=weft-" + std::string(key) + " first=" + std::to_string(first),
          "weft_values", reply);
  if (!status.ok()) return status;
  if (reply.number("rc", 0, 0) != 0) return missing(first, key);
  std::string_view page = reply.find("values").value_or("");
  for (uint32_t rank = first; rank < size_; ++rank) {
    const size_t comma = std::min(page.find(','), page.size());
    values.emplace_back();
    const Status taken = take_value(rank, key, page.substr(0, comma), values.back());
    if (!taken.ok() || comma == page.size()) return taken;
    page.remove_prefix(comma + 1);
  }
  return WEFT_OK;
}

Status Pmi1::take_value(uint32_t rank, std::string_view key, std::string_view text, std::string& value) const {
  std::optional<std::string> decoded = pmi_decode(text);
  if (!decoded) {
    base::log_error("the launcher returned a damaged value for '%.*s' of rank %u", static_cast<int>(key.size()),
                    key.data(), rank);
    return WEFT_ERR_BOOT;
  }
  value = std::move(*decoded);
  return WEFT_OK;
}

Status Pmi1::finalize() {
  if (mpi_shares_the_socket()) return WEFT_OK;
  PmiMessage reply;
  const Status status = ask("cmd=finalize", "finalize_ack", reply);
  ::close(socket_);
  return status;
}

void Pmi1::abort(int exit_code, std::string_view reason) {
  // hydra reads the first field after cmd only; `logged` is for weftrun.
  std::string request = "cmd=abort exitcode=" + std::to_string(exit_code);
  if (!reason.empty()) request += " logged=1";
  if (send(request).ok()) {
    // The launcher ends this process too, by a signal that may come before the wait. Should it be gone itself, so is
    // this process after a moment.
    pollfd wait{socket_, POLLIN, 0};
    for (int times = 100; times > 0 && os::end_signal == 0; --times)
      if (::poll(&wait, 1, 10) != 0) break;
  }
  ::_exit(exit_code);
}

Status Pmi1::ask(const std::string& request, std::string_view expected, PmiMessage& reply) {
  Status status = send(request);
  std::string line;
  if (status.ok()) status = receive(line);
  if (!status.ok()) return status;
  std::optional<PmiMessage> parsed = PmiMessage::parse(line);
  if (!parsed || parsed->command() != expected) {
    base::log_error("the launcher answered '%s' with '%.200s', which is not PMI-1", request.c_str(), line.c_str());
    return WEFT_ERR_BOOT;
  }
  reply = std::move(*parsed);
  return WEFT_OK;
}

Status Pmi1::send(const std::string& request) {
  const std::string line = request + "\n";
  size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t count = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      base::log_error("cannot reach the launcher through PMI_FD: %s", std::strerror(errno));
      return WEFT_ERR_BOOT;
    }
  }
  return WEFT_OK;
}

Status Pmi1::receive(std::string& line) {
  for (;;) {
    if (std::optional<std::string> next = lines_.next()) {
      line = std::move(*next);
      return WEFT_OK;
    }
    if (lines_.overlong()) {
      base::log_error("the launcher sent a line of more than %zu bytes, which is not PMI-1", pmi_line_max);
      return WEFT_ERR_BOOT;
    }
    char bytes[pmi_line_max];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count > 0) {
      lines_.append({bytes, static_cast<size_t>(count)});
    } else if (count == 0 || errno != EINTR) {
      base::log_error("the launcher closed the connection: %s",
                      count == 0 ? "it has ended, or another library has finalised PMI" : std::strerror(errno));
      return WEFT_ERR_BOOT;
    }
  }
}

/// A variable that the launcher must have set to a number.
std::optional<int64_t> launcher_number(const char* variable, int64_t low, int64_t high) {
  const char* text = std::getenv(variable);
  const std::optional<int64_t> value = text ? base::parse_number<int64_t>(text, low, high) : std::nullopt;
  if (!value)
    base::log_error(
        "PMI_FD is set, so %s must be a number from %lld to %lld, but it is %s%s%s: unset PMI_FD to run "
        "alone, or start with weftrun",
        variable, static_cast<long long>(low), static_cast<long long>(high), text ? "'" : "", text ? text : "missing",
        text ? "'" : "");
  return value;
}

}  // namespace

Status connect_pmi1(std::unique_ptr<Boot>& boot) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  const std::optional<int64_t> socket = launcher_number("PMI_FD", 0, most);
  const std::optional<int64_t> size = launcher_number("PMI_SIZE", 1, most);
  if (!socket || !size) return WEFT_ERR_BOOT;
  const std::optional<int64_t> rank = launcher_number("PMI_RANK", 0, *size - 1);
  if (!rank) return WEFT_ERR_BOOT;
  const int descriptor = static_cast<int>(*socket);
  // Programs that this rank starts are no ranks: keep the socket from them.
  if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) {
    base::log_error(
        "PMI_FD=%d is not an open descriptor: this program was started by a rank, not by the launcher; "
        "unset PMI_FD to run it alone",
        descriptor);
    return WEFT_ERR_BOOT;
  }
  auto client = std::make_unique<Pmi1>(descriptor, static_cast<uint32_t>(*rank), static_cast<uint32_t>(*size));
  const Status status = client->open();
  if (status.ok()) boot = std::move(client);
  return status;
}

}  // namespace weft::boot
