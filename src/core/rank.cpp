#include "core/rank.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/log.hpp"
#include "conduit/segment_size.hpp"
#include "core/job_settings.hpp"
#include "os/ending.hpp"
#include "os/shared_memory.hpp"

namespace weft::core {
namespace {

std::atomic<bool (*)(char* line, size_t size, bool with_place)> language_words{nullptr};

// Nobody may use the start of a segment: a null reference leads to that of rank 0, with an index to those after it.
// Each range costs every process of the host a piece of its address space, of which systems allow some 65,000, so a
// rank forbids itself only those of the first ranks, and its own.
void forbid_null_references(conduit::Conduit& conduit) {
  constexpr conduit::RankId first_ranks = 64;
  for (conduit::RankId peer = 0; peer < std::min(conduit.size(), first_ranks); ++peer)
    if (std::byte* segment = conduit.mapped(peer)) os::forbid_access(segment, ControlArea::forbidden_bytes);
  if (conduit.rank() >= first_ranks || conduit.mapped(conduit.rank()) == nullptr)
    os::forbid_access(conduit.segment(), ControlArea::forbidden_bytes);
}

// How many ranks of this process are in Rank::join() and say where if a signal ends them.
std::atomic<int> ranks_starting{0};

// In the signal handler.
bool tell_where(int signal) {
  if (ranks_starting.load(std::memory_order_relaxed) == 0) return false;
  os::log_backtrace(nullptr, "SIG%s in weft_init; %s", sigabbrev_np(signal), os::backtrace_follows);
  return false;
}

class Starting {
 public:
  explicit Starting(bool counted) : counted_(counted) {
    if (!counted_) return;
    ranks_starting.fetch_add(1, std::memory_order_relaxed);
    os::watch_end_signals(tell_where);
  }
  ~Starting() {
    if (counted_) ranks_starting.fetch_sub(1, std::memory_order_relaxed);
  }
  Starting(const Starting&) = delete;
  Starting& operator=(const Starting&) = delete;

 private:
  const bool counted_;
};

}  // namespace

Status Rank::create(std::unique_ptr<boot::Boot> boot, weft_thread_mode_t mode, CheckSettings check,
                    std::unique_ptr<Rank>& rank) {
  auto made = std::unique_ptr<Rank>(new Rank);
  made->boot_ = std::move(boot);
  const Status status = made->join(mode, check);
  if (status.ok()) {
    rank = std::move(made);
  } else {
    const base::KeepErrors errors;  // a launcher that is gone has been told of
    made->boot_->cannot_start();    // weftrun says then where the program ended
  }
  return status;
}

Status Rank::join(weft_thread_mode_t mode, CheckSettings check) {
  thread_mode_ = mode;
  handlers_.use(*boot_);
  char identity[32];
  std::snprintf(identity, sizeof identity, "rank %u", boot_->rank());
  base::log_identity(identity);
  Status status = base::read_settings(settings_, boot_->rank() == 0);
  if (status.ok()) status = conduit::check_segment_size(settings_);
  if (!status.ok()) return status;
  if (settings_.backtrace) os::backtrace_on_crash();
  // The simulation tells of all its ranks.
  const Starting starting(settings_.backtrace && std::strcmp(boot_->name(), "sim") != 0);
  std::string word;
  std::vector<std::string> words;
  status = tell_job_settings(*boot_, settings_, word);
  if (status.ok()) status = boot::Hosts::collect(*boot_, settings_.host_name, hosts_, word, &words);
  if (status.ok()) status = compare_job_settings(*boot_, words);
  if (status.ok()) status = check(settings_);
  if (!status.ok()) return status;

  status = conduit::hook::Recorder::make(settings_, boot_->rank(), hosts_.start_ns(), recorder_);
  if (!status.ok()) return status;
  conduit::Environment environment;
  environment.boot = boot_.get();
  environment.hosts = &hosts_;
  environment.sink = &handlers_;
  environment.recorder = recorder_.get();
  // A thread that makes progress sends on behalf of collectives.
  environment.threads_multiple = mode == WEFT_THREAD_MULTIPLE || settings_.progress == "thread";
  status = conduit::make(environment, settings_, conduit_, &transport_);
  if (!status.ok()) return status;
  capabilities_ = conduit_->capabilities();
  if (capabilities_.may_forbid) forbid_null_references(*conduit_);
  mapped_ = MappedPeers(*conduit_, hosts_);
  own_ = MappedPeers::only(conduit_->rank(), conduit_->segment());
  progress_ = std::make_unique<Progress>(*conduit_, settings_, recorder_.get());
  handlers_.use(*progress_);
  heap_ = std::make_unique<SegmentHeap>(ControlArea::bytes, conduit_->segment_size());
  return {};
}

void word_misuse(bool (*words)(char* line, size_t size, bool with_place)) {
  language_words.store(words, std::memory_order_relaxed);
}

bool worded(char* line, size_t size, bool with_place) {
  const auto words = language_words.load(std::memory_order_relaxed);
  return words != nullptr && words(line, size, with_place);
}

void Rank::refuse(const char* line, bool place_helps) {
  char text[2048];
  std::snprintf(text, sizeof text, "%s", line);
  // No place: a wait may be for a call before the last one that told where it is.
  (void)worded(text, sizeof text, false);
  const bool hint = place_helps && !settings_.backtrace;
  base::log_error("%s%s", text, hint ? "; WEFT_BACKTRACE=1 shows where" : "");
  if (settings_.backtrace) os::print_backtrace();
  std::fflush(nullptr);
  boot_->abort(1, text);
  __builtin_unreachable();
}

void Rank::refuse_for_room(size_t size, const char* use) {
  char line[280];
  std::snprintf(line, sizeof line,
                "%s: no room in the segment for the %zu bytes that %s; raise WEFT_SEGMENT_SIZE, or leave more of it "
                "free",
                current_call(), size, use);
  refuse(line, false);
}

}  // namespace weft::core
