#include "boot/sim_job.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "boot/process_managers.hpp"

namespace weft::boot {

struct SimJob::Shared {
  Shared(sim::Simulation& its_simulation, std::unique_ptr<Boot> its_process)
      : simulation(its_simulation), process(std::move(its_process)) {}

  sim::Simulation& simulation;
  std::unique_ptr<Boot> process;  // null also once all ranks have left
  uint32_t waiting = 0;           // ranks inside the current fence
  uint64_t fences_over = 0;
  sim::Time latest = 0;  // of those
  uint32_t finalized = 0;
  std::map<std::string, std::vector<std::string>, std::less<>> values;  // by rank
  CommonTable common;

  [[noreturn]] void abort(int exit_code, std::string_view reason) {
    if (process) process->abort(exit_code, reason);
    ::_exit(exit_code);
  }
};

class SimJob::Rank final : public Boot {
 public:
  Rank(std::shared_ptr<Shared> shared, uint32_t rank) : shared_(std::move(shared)), rank_(rank) {}

  uint32_t rank() const override { return rank_; }
  uint32_t size() const override { return shared_->simulation.ranks(); }
  const char* name() const override { return "sim"; }
  std::string host() const override { return "sim" + std::to_string(shared_->simulation.network().host_of(rank_)); }

  Status put(std::string_view key, std::string_view value) override {
    if (!may_put(key, value)) return WEFT_ERR_INVALID;
    auto found = shared_->values.find(key);
    if (found == shared_->values.end()) found = shared_->values.try_emplace(std::string(key), size()).first;
    found->second[rank_] = value;
    return WEFT_OK;
  }

  Status fence() override {
    sim::Simulation& simulation = shared_->simulation;
    const sim::Simulation::Inside inside(simulation);
    shared_->latest = std::max(shared_->latest, simulation.time());
    if (++shared_->waiting == size()) {
      shared_->waiting = 0;
      ++shared_->fences_over;
      simulation.spend_until(shared_->latest);
      for (uint32_t rank = 0; rank < size(); ++rank) simulation.wake(rank, shared_->latest);
      // In the ranks' order: where all are about to fail alike, the first says so, and the job ends.
      simulation.catch_up();
      return WEFT_OK;
    }
    for (const uint64_t mine = shared_->fences_over; shared_->fences_over == mine;)
      simulation.rest("weft_init", sim::never, true);
    return WEFT_OK;
  }

  Status get(uint32_t rank, std::string_view key, std::string& value) override {
    const auto found = shared_->values.find(key);
    if (found == shared_->values.end() || rank >= size()) return missing(rank, key);
    value = found->second[rank];
    return WEFT_OK;
  }

  Status get_all(std::string_view key, std::vector<std::string>& values) override {
    const auto found = shared_->values.find(key);
    if (found == shared_->values.end()) return missing(0, key);
    values = found->second;
    return WEFT_OK;
  }

  Common in_common(std::string_view key, const std::function<Common()>& make) override {
    return shared_->common.take(key, size(), make);
  }

  Status finalize() override {
    const bool last = ++shared_->finalized == size();
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

SimJob::SimJob(sim::Simulation& simulation, std::unique_ptr<Boot> process)
    : shared_(std::make_shared<Shared>(simulation, std::move(process))) {}

SimJob::~SimJob() = default;

std::unique_ptr<Boot> SimJob::boot(uint32_t rank) { return std::make_unique<Rank>(shared_, rank); }

void SimJob::reports() {
  if (shared_->process) (void)shared_->process->put(reports_key, "1");
}

void SimJob::abort(int exit_code, std::string_view reason) { shared_->abort(exit_code, reason); }

}  // namespace weft::boot
