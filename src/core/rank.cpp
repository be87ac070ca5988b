#include "core/rank.hpp"

#include <cstdio>

#include "base/log.hpp"
#include "os/ending.hpp"

namespace weft::core {
namespace {

// Room for the control area and something to allocate.
constexpr size_t smallest_segment = size_t{1} << 20;

Status check_segment_size(const base::Settings& settings) {
  if (settings.segment_size == 0 || settings.segment_size >= smallest_segment) return {};
  base::log_error("setting WEFT_SEGMENT_SIZE is %zu bytes; a segment needs at least 1M",
                  static_cast<size_t>(settings.segment_size));
  return WEFT_ERR_INVALID;
}

}  // namespace

Status Rank::create(std::unique_ptr<boot::Boot> boot, weft_thread_mode mode, std::unique_ptr<Rank>& rank) {
  auto made = std::unique_ptr<Rank>(new Rank);
  made->boot_ = std::move(boot);
  made->thread_mode_ = mode;
  made->handlers_.use(*made->boot_);
  char identity[32];
  std::snprintf(identity, sizeof identity, "rank %u", made->boot_->rank());
  base::log_identity(identity);
  Status status = base::read_settings(made->settings_);
  if (status.ok()) status = check_segment_size(made->settings_);
  if (!status.ok()) return status;
  if (made->settings_.backtrace) os::backtrace_on_crash();

  conduit::Environment environment;
  environment.boot = made->boot_.get();
  environment.sink = &made->handlers_;
  environment.threads_multiple = mode == WEFT_THREAD_MULTIPLE;
  status = conduit::make(environment, made->settings_, made->conduit_);
  if (!status.ok()) return status;
  made->capabilities_ = made->conduit_->capabilities();
  made->progress_ = std::make_unique<Progress>(*made->conduit_, made->settings_);
  made->heap_ = std::make_unique<SegmentHeap>(ControlArea::bytes, made->conduit_->segment_size());
  rank = std::move(made);
  return {};
}

}  // namespace weft::core
