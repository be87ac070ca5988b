#include "conduit/hook/trace.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/json_text.hpp"
#include "base/log.hpp"
#include "os/clock.hpp"

namespace weft::conduit::hook {
namespace {

constexpr char empty_array[] = "[\n]\n";
constexpr char closing[] = "\n]\n";
// What a loop that polls looks at in between; who does more computes.
constexpr uint64_t most_between_polls_ns = 2000;

constexpr off_t empty_size = sizeof empty_array - 1;
constexpr off_t closing_size = sizeof closing - 1;

// Writing the job's trace has failed: ranks that share this process say it once.
std::atomic<bool> failed{false};

void tell_failure(const std::string& path, int why) {
  base::log_error("cannot write the trace file %s (WEFT_TRACE): %s", path.c_str(), std::strerror(why));
}

}  // namespace

Status Trace::open(const std::string& path, RankId rank, uint64_t start_ns, std::unique_ptr<Trace>& trace) {
  // Ranks write only when they end, so rank 0 has emptied the file by then.
  if (rank == 0) failed = false;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (rank == 0 ? O_TRUNC : 0), 0644);
  if (descriptor < 0) {
    tell_failure(path, errno);
    return WEFT_ERR_INVALID;
  }
  trace.reset(new Trace(path, rank, start_ns, descriptor));
  return rank == 0 ? trace->append(empty_array, 0) : Status(WEFT_OK);
}

Trace::~Trace() { close(descriptor_); }

// ---- Events ----

void Trace::add(const char* name, uint64_t start_ns, uint64_t end_ns, RankId peer, uint64_t bytes) {
  std::lock_guard guard(mutex_);
  events_.push_back({name, start_ns, end_ns - start_ns, bytes, peer});
}

void Trace::add_vain_poll(const char* name, uint64_t start_ns, uint64_t end_ns) {
  std::lock_guard guard(mutex_);
  if (!events_.empty() && events_.back().kind == Event::Kind::vain_poll) {
    Event& before = events_.back();
    if (start_ns - (before.start_ns + before.duration_ns) <= most_between_polls_ns) {
      before.duration_ns = end_ns - before.start_ns;
      return;
    }
  }
  events_.push_back({name, start_ns, end_ns - start_ns, 0, no_peer, Event::Kind::vain_poll});
}

void Trace::add_beside(const char* name, uint64_t start_ns, uint64_t end_ns) {
  std::lock_guard guard(mutex_);
  events_.push_back({name, start_ns, end_ns - start_ns, 0, no_peer, Event::Kind::beside});
}

void Trace::span_begin(const char* name) {
  std::lock_guard guard(mutex_);
  open_spans_.push_back({name, os::now_ns(), 0, 0, no_peer});
}

void Trace::span_end() {
  std::lock_guard guard(mutex_);
  if (open_spans_.empty()) return;
  Event span = open_spans_.back();
  open_spans_.pop_back();
  span.duration_ns = os::now_ns() - span.start_ns;
  events_.push_back(span);
}

// ---- The file ----

Status Trace::write() {
  std::string text = events_as_text();
  if (text.empty()) return {};
  flock(descriptor_, LOCK_EX);
  const off_t size = lseek(descriptor_, 0, SEEK_END);
  text.insert(0, size == empty_size ? "\n" : ",\n");
  text += closing;
  const Status status = append(text, size - closing_size);
  flock(descriptor_, LOCK_UN);
  return status;
}

Status Trace::append(const std::string& text, off_t at) const {
  lseek(descriptor_, at, SEEK_SET);
  if (write_all(text)) return {};
  if (const int why = errno; !failed.exchange(true)) tell_failure(path_, why);
  return WEFT_ERR_SYSTEM;
}

bool Trace::write_all(const std::string& text) const {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(descriptor_, text.data() + done, text.size() - done);
    if (count < 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

// Negative for what was before; possible on a host whose clock differs.
double Trace::since_start_us(uint64_t time_ns) const {
  return static_cast<double>(static_cast<int64_t>(time_ns - start_ns_)) * 1e-3;
}

// With commas between them, and the rank's name before the first of all.
std::string Trace::events_as_text() {
  std::string text;
  char line[256];
  auto append = [&](auto... values) {
    std::snprintf(line, sizeof line, values...);
    text += line;
  };
  const auto begin = [&](const char* phase, const Event& event, uint64_t time_ns) {
    text += text.empty() ? "" : ",\n";
    text += std::string("{\"ph\":\"") + phase + "\",\"name\":" + base::json_text(event.name);
    append(",\"pid\":%u,\"tid\":0,\"ts\":%.3f", rank_, since_start_us(time_ns));
  };
  std::lock_guard guard(mutex_);
  if (!std::exchange(named_, true)) {
    append("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":0,\"args\":{\"name\":\"rank %u\"}},\n", rank_,
           rank_);
    append("{\"ph\":\"M\",\"name\":\"start\",\"pid\":%u,\"tid\":0,\"args\":{\"monotonic_ns\":%" PRIu64 "}}", rank_,
           start_ns_);
  }
  for (const Event& event : events_) {
    if (event.kind == Event::Kind::beside) {
      ++beside_;
      for (const bool ends : {false, true}) {
        begin(ends ? "e" : "b", event, event.start_ns + (ends ? event.duration_ns : 0));
        append(",\"cat\":\"under way\",\"id\":\"%u.%" PRIu64 "\"}", rank_, beside_);
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

}  // namespace weft::conduit::hook
