#include "core/progress.hpp"

#include "os/processor.hpp"

namespace weft::core {
namespace {

uint64_t to_ns(double setting_us, double automatic_us) {
  return static_cast<uint64_t>((setting_us < 0 ? automatic_us : setting_us) * 1000);
}

}  // namespace

Progress::Progress(conduit::Conduit& conduit, const base::Settings& settings) : conduit_(conduit) {
  const bool crowded = conduit.host_size() > os::processor_count();
  spin_ns_ = to_ns(settings.spin_us, crowded ? 1 : 50);
  yield_ns_ = to_ns(settings.yield_us, crowded ? 50 : 200);
}

}  // namespace weft::core
