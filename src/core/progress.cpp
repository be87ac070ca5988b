#include "core/progress.hpp"

#include "conduit/hook/recorder.hpp"

namespace weft::core {
namespace {

uint64_t to_ns(double setting_us, double automatic_us) {
  return static_cast<uint64_t>((setting_us < 0 ? automatic_us : setting_us) * 1000);
}

}  // namespace

Progress::Progress(conduit::Conduit& conduit, const base::Settings& settings, conduit::hook::Recorder* recorder)
    : conduit_(conduit), recorder_(recorder) {
  const bool crowded = conduit.capabilities().crowded;
  // Where ranks share processors, whoever is waited for probably needs this one.
  spin_ns_ = to_ns(settings.spin_us, crowded ? 0 : 50);
  yield_ns_ = to_ns(settings.yield_us, 500);
  if (conduit.capabilities().sure_dozes) spin_ns_ = yield_ns_ = 0;
  learns_ = spin_ns_ != 0 && settings.spin_us < 0;
  quick_polls_ = recorder_ != nullptr ? 1 : spin_ns_ > 0 ? 64 : 0;
}

// A unit test may wait outside any job.
Progress::SlowWait::SlowWait(Progress& progress)
    : progress_(progress), start_(os::now_ns()), outer_(weft_detail_current ? weft_detail_current->waiting : 0) {
  if (weft_detail_current) weft_detail_current->waiting = 1;
}

Progress::SlowWait::~SlowWait() {
  if (weft_detail_current) weft_detail_current->waiting = outer_;
  if (progress_.recorder_ != nullptr) progress_.recorder_->waited(current_call(), start_, os::now_ns());
}

void Progress::SlowWait::end() const {
  if (progress_.recorder_ != nullptr) progress_.recorder_->waited(current_call(), start_, os::now_ns());
  if (progress_.end_) progress_.end_(progress_.end_self_, current_call(), os::now_ns() - start_);
}

const char* current_call() {
  return weft_detail_current && weft_detail_current->call ? weft_detail_current->call : "weft_init";
}

}  // namespace weft::core
