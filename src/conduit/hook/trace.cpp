#include "conduit/hook/trace.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "conduit/hook/forwarding.hpp"
#include "os/clock.hpp"

namespace weft::conduit::hook {
namespace {

// Names are string constants, or the program's own, which outlive the job (weft/watch.h).
struct Event {
  const char* name;
  uint64_t start_ns;
  uint64_t duration_ns;
  uint64_t bytes;
  RankId peer;
  bool beside = false;  // was under way beside the rank's other events, and may overlap with its like
};
constexpr RankId no_peer = ~RankId{0};
constexpr uint64_t notable_poll_ns = 2000;

class Trace final : public Forwarding {
 public:
  Trace(std::unique_ptr<Conduit> inner_conduit, uint64_t start_ns, int descriptor)
      : Forwarding(std::move(inner_conduit)), start_ns_(start_ns), descriptor_(descriptor) {}
  ~Trace() override { close(descriptor_); }

  Result put(RankId peer, uint64_t offset, const void* source, size_t size, TransferFlags flags,
             Completion* completion) override {
    return timed("put", peer, size, [&] { return inner().put(peer, offset, source, size, flags, completion); });
  }
  Result get(void* destination, RankId peer, uint64_t offset, size_t size, Completion* completion) override {
    return timed("get", peer, size, [&] { return inner().get(destination, peer, offset, size, completion); });
  }
  Result fill(RankId peer, uint64_t offset, uint8_t byte, size_t size, Completion* completion) override {
    return timed("memset", peer, size, [&] { return inner().fill(peer, offset, byte, size, completion); });
  }
  Result atomic(RankId peer, uint64_t offset, const AtomicRequest& request, Completion* completion) override {
    return timed("atomic", peer, 0, [&] { return inner().atomic(peer, offset, request, completion); });
  }
  Result put_signal(RankId peer, uint64_t offset, const void* source, size_t size, uint64_t signal_offset,
                    uint64_t value, SignalOp op, Completion* completion) override {
    return timed("put with signal", peer, size,
                 [&] { return inner().put_signal(peer, offset, source, size, signal_offset, value, op, completion); });
  }
  Result am_send(RankId peer, AmClass message_class, const AmMessage& message) override {
    return timed(message_class == AmClass::request ? "am request" : "am reply", peer, message.size,
                 [&] { return inner().am_send(peer, message_class, message); });
  }
  void am_commit(RankId peer, AmClass message_class, const AmMessage& message) override {
    timed("am commit", peer, message.size, [&] {
      inner().am_commit(peer, message_class, message);
      return Result::done;
    });
  }
  int poll() override {
    const uint64_t start = os::now_ns();
    const int handled = inner().poll();
    const uint64_t end = os::now_ns();
    // Looks that find nothing would drown the rest; long ones are the network's work.
    if (handled > 0 || end - start >= notable_poll_ns) {
      std::lock_guard guard(mutex_);
      events_.push_back({"progress", start, end - start, 0, no_peer});
    }
    return handled;
  }
  void doze(uint64_t timeout_ns) override {
    timed("sleep", no_peer, 0, [&] {
      inner().doze(timeout_ns);
      return Result::done;
    });
  }

  void span_begin(const char* name) override {
    std::lock_guard guard(mutex_);
    open_spans_.push_back({name, os::now_ns(), 0, 0, no_peer});
  }
  void span_end() override {
    std::lock_guard guard(mutex_);
    if (open_spans_.empty()) return;
    Event span = open_spans_.back();
    open_spans_.pop_back();
    span.duration_ns = os::now_ns() - span.start_ns;
    events_.push_back(span);
  }

  void waited(const char* call, uint64_t start_ns, uint64_t end_ns) override {
    inner().waited(call, start_ns, end_ns);
    std::lock_guard guard(mutex_);
    events_.push_back({call, start_ns, end_ns - start_ns, 0, no_peer});
  }
  void under_way(const char* call, uint64_t start_ns, uint64_t end_ns) override {
    inner().under_way(call, start_ns, end_ns);
    std::lock_guard guard(mutex_);
    events_.push_back({call, start_ns, end_ns - start_ns, 0, no_peer, true});
  }
  void report(uint64_t barriers) override {
    (void)write_events();  // it has been logged
    inner().report(barriers);
  }

  Status finalize() override {
    Status written = write_events();
    Status ended = inner().finalize();
    return written.ok() ? ended : written;
  }

 private:
  template <class Operation>
  Result timed(const char* name, RankId peer, size_t size, Operation operation) {
    uint64_t start = os::now_ns();
    Result result = operation();
    // Declined attempts would drown the rest.
    if (result != Result::retry) {
      uint64_t end = os::now_ns();
      std::lock_guard guard(mutex_);
      events_.push_back({name, start, end - start, size, peer});
    }
    return result;
  }

  // Negative for what was before; possible on a host whose clock differs.
  double since_start_us(uint64_t time_ns) const {
    return static_cast<double>(static_cast<int64_t>(time_ns - start_ns_)) * 1e-3;
  }

  static std::string escaped(const char* name) {
    std::string text;
    for (; *name != '\0'; ++name) {
      auto character = static_cast<unsigned char>(*name);
      if (character == '"' || character == '\\') text += '\\';
      text += character < 0x20 ? ' ' : *name;
    }
    return text;
  }

  // Appends this rank's events; the file is a whole JSON array before and after.
  Status write_events() {
    std::string text = events_as_text();
    if (text.empty()) return {};
    flock(descriptor_, LOCK_EX);
    const off_t size = lseek(descriptor_, 0, SEEK_END);
    const bool empty = size < closing_size;
    lseek(descriptor_, empty ? 0 : size - closing_size, SEEK_SET);
    text.insert(0, empty ? "[\n" : ",\n");
    text += closing;
    const bool written = write_all(text);
    const int error = errno;
    flock(descriptor_, LOCK_UN);
    if (written) return {};
    base::log_error("cannot write the trace: %s", std::strerror(error));
    return WEFT_ERR_SYSTEM;
  }

  // The events so far, with commas between them, which are forgotten then; with the rank's name before the first.
  std::string events_as_text() {
    std::string text;
    char line[256];
    auto append = [&](auto... values) {
      std::snprintf(line, sizeof line, values...);
      text += line;
    };
    const auto begin = [&](const char* phase, const Event& event, uint64_t time_ns) {
      text += text.empty() ? "" : ",\n";
      text += std::string("{\"ph\":\"") + phase + "\",\"name\":\"" + escaped(event.name) + "\"";
      append(",\"pid\":%u,\"tid\":0,\"ts\":%.3f", rank(), since_start_us(time_ns));
    };
    std::lock_guard guard(mutex_);
    if (!std::exchange(named_, true)) {
      append("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":0,\"args\":{\"name\":\"rank %u\"}},\n", rank(),
             rank());
      append("{\"ph\":\"M\",\"name\":\"start\",\"pid\":%u,\"tid\":0,\"args\":{\"monotonic_ns\":%" PRIu64 "}}", rank(),
             start_ns_);
    }
    for (const Event& event : events_) {
      if (event.beside) {
        ++beside_;
        for (const bool ends : {false, true}) {
          begin(ends ? "e" : "b", event, event.start_ns + (ends ? event.duration_ns : 0));
          append(",\"cat\":\"under way\",\"id\":\"%u.%" PRIu64 "\"}", rank(), beside_);
        }
        continue;
      }
      begin("X", event, event.start_ns);
      append(",\"dur\":%.3f", static_cast<double>(event.duration_ns) * 1e-3);
      if (event.peer != no_peer) append(",\"args\":{\"peer\":%u,\"bytes\":%" PRIu64 "}", event.peer, event.bytes);
      text += "}";
    }
    events_.clear();
    return text;
  }

  bool write_all(const std::string& text) const {
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = write(descriptor_, text.data() + done, text.size() - done);
      if (count < 0) return false;
      done += static_cast<size_t>(count);
    }
    return true;
  }

  static constexpr char closing[] = "\n]\n";
  static constexpr off_t closing_size = sizeof closing - 1;

  uint64_t start_ns_;
  int descriptor_;
  uint64_t beside_ = 0;  // how many such events have been written
  std::mutex mutex_;
  std::vector<Event> events_;
  std::vector<Event> open_spans_;
  bool named_ = false;
};

}  // namespace

Status wrap_trace(const base::Settings& settings, uint64_t start_ns, std::unique_ptr<Conduit>& conduit) {
  const char* path = settings.trace.c_str();
  const bool first = conduit->rank() == 0;
  // Ranks write only when they end, so rank 0 has emptied the file by then.
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (first ? O_TRUNC : 0), 0644);
  if (descriptor < 0) {
    base::log_error("cannot write the trace file %s (WEFT_TRACE): %s", path, std::strerror(errno));
    return WEFT_ERR_INVALID;
  }
  conduit = std::make_unique<Trace>(std::move(conduit), start_ns, descriptor);
  return {};
}

}  // namespace weft::conduit::hook
