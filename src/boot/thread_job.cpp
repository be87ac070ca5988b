#include "boot/thread_job.hpp"

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/log.hpp"
#include "base/parse.hpp"
#include "boot/process_managers.hpp"

namespace weft::boot {

namespace {

constexpr uint32_t most_thread_ranks = 65536;

Status malformed(const char* variable, const char* text, const char* wanted) {
  base::log_error("%s is '%s', but must be %s: start with weftrun --ranks-as=threads or --sim, which set it", variable,
                  text ? text : "", wanted);
  return WEFT_ERR_BOOT;
}

}  // namespace

Status ranks_in_process(uint32_t& threads, uint32_t& simulated) {
  threads = simulated = 0;
  const char* kind = std::getenv("WEFT_RANKS_AS");
  if (!kind || std::strcmp(kind, "processes") == 0) return WEFT_OK;
  const bool as_threads = std::strcmp(kind, "threads") == 0;
  if (!as_threads && std::strcmp(kind, "simulated") != 0)
    return malformed("WEFT_RANKS_AS", kind, "'threads', 'simulated' or 'processes'");
  const char* text = std::getenv("WEFT_THREADS_SIZE");
  const auto size = text ? base::parse_number<uint32_t>(text, 1, most_thread_ranks) : std::nullopt;
  if (!size) return malformed("WEFT_THREADS_SIZE", text, "a number from 1 to 65536");
  (as_threads ? threads : simulated) = *size;
  return WEFT_OK;
}

Status bind_thread_rank(uint32_t rank) {
  const char* list = std::getenv("WEFT_BIND_CPUS");
  if (!list) return WEFT_OK;
  std::string_view rest = list;
  for (uint32_t skip = rank; skip > 0 && !rest.empty(); --skip)
    rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
  const auto processor = base::parse_number<uint32_t>(rest.substr(0, rest.find(',')), 0, CPU_SETSIZE - 1);
  if (!processor) return malformed("WEFT_BIND_CPUS", list, "a list of processor numbers, one per rank");
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(*processor, &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return WEFT_OK;
  base::log_error("cannot bind to processor %u: %s", *processor, std::strerror(errno));
  return WEFT_ERR_SYSTEM;
}

struct ThreadJob::Shared {
  explicit Shared(uint32_t ranks) : size(ranks) {}

  const uint32_t size;
  std::mutex mutex;
  std::condition_variable fence_over;
  // All below is guarded by the mutex.
  uint32_t waiting = 0;  // ranks inside the current fence
  uint64_t fences_over = 0;
  uint32_t finalized = 0;
  std::map<std::pair<uint32_t, std::string>, std::string> values;
  std::unique_ptr<Boot> process;  // null also once all ranks have left
  // What ranks have in common; apart, because who makes it asks for values.
  std::mutex common_mutex;
  CommonTable common;

  [[noreturn]] void abort(int exit_code, std::string_view reason) {
    // The lock keeps a second abort, and the last finalize, from using the connection at the same time. It is never
    // given back: the process ends.
    mutex.lock();
    if (process) process->abort(exit_code, reason);
    ::_exit(exit_code);
  }
};

class ThreadJob::Rank final : public Boot {
 public:
  Rank(std::shared_ptr<Shared> shared, uint32_t rank) : shared_(std::move(shared)), rank_(rank) {}

  uint32_t rank() const override { return rank_; }
  uint32_t size() const override { return shared_->size; }
  const char* name() const override { return "threads"; }

  Status put(std::string_view key, std::string_view value) override {
    if (!may_put(key, value)) return WEFT_ERR_INVALID;
    const std::lock_guard lock(shared_->mutex);
    shared_->values.insert_or_assign({rank_, std::string(key)}, std::string(value));
    return WEFT_OK;
  }

  Status fence() override {
    std::unique_lock lock(shared_->mutex);
    if (++shared_->waiting == shared_->size) {
      shared_->waiting = 0;
      ++shared_->fences_over;
      shared_->fence_over.notify_all();
      return WEFT_OK;
    }
    const uint64_t mine = shared_->fences_over;
    shared_->fence_over.wait(lock, [&] { return shared_->fences_over != mine; });
    return WEFT_OK;
  }

  Status get(uint32_t rank, std::string_view key, std::string& value) override {
    const std::lock_guard lock(shared_->mutex);
    const auto found = shared_->values.find({rank, std::string(key)});
    if (found == shared_->values.end()) return missing(rank, key);
    value = found->second;
    return WEFT_OK;
  }

  Common in_common(std::string_view key, const std::function<Common()>& make) override {
    const std::lock_guard lock(shared_->common_mutex);
    return shared_->common.take(key, size(), make);
  }

  Status finalize() override {
    const std::lock_guard lock(shared_->mutex);
    const bool last = ++shared_->finalized == shared_->size;
    if (!last || !shared_->process) return WEFT_OK;
    const Status status = shared_->process->finalize();
    shared_->process.reset();
    return status;
  }

  [[noreturn]] void abort(int exit_code, std::string_view reason) override { shared_->abort(exit_code, reason); }

 private:
  const std::shared_ptr<Shared> shared_;
  const uint32_t rank_;
};

ThreadJob::ThreadJob(uint32_t size, std::unique_ptr<Boot> process) : shared_(std::make_shared<Shared>(size)) {
  shared_->process = std::move(process);
}

ThreadJob::~ThreadJob() = default;

std::unique_ptr<Boot> ThreadJob::boot(uint32_t rank) { return std::make_unique<Rank>(shared_, rank); }

void ThreadJob::abort(int exit_code, std::string_view reason) { shared_->abort(exit_code, reason); }

}  // namespace weft::boot
