#include "conduit/hook/recorder.hpp"

#include <utility>

namespace weft::conduit::hook {

Status Recorder::make(const base::Settings& settings, RankId rank, uint64_t start_ns,
                      std::unique_ptr<Recorder>& recorder) {
  if (!settings.stats && settings.trace.empty()) return {};
  std::unique_ptr<Recorder> made(new Recorder);
  if (settings.stats) made->statistics_.emplace(rank);
  if (!settings.trace.empty()) {
    const Status status = Trace::open(settings.trace, rank, start_ns, made->trace_);
    if (!status.ok()) return status;
  }
  recorder = std::move(made);
  return {};
}

void Recorder::report(uint64_t barriers) {
  if (trace_) (void)trace_->write();  // it has been logged
  if (statistics_) statistics_->print(barriers);
}

}  // namespace weft::conduit::hook
