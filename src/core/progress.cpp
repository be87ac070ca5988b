#include "core/progress.hpp"

namespace weft::core {
namespace {

uint64_t to_ns(double setting_us, double automatic_us) {
  return static_cast<uint64_t>((setting_us < 0 ? automatic_us : setting_us) * 1000);
}

}  // namespace

Progress::Progress(conduit::Conduit& conduit, const base::Settings& settings) : conduit_(conduit) {
  const bool crowded = conduit.capabilities().crowded;
  // Where ranks share processors, whoever is waited for probably needs this one.
  spin_ns_ = to_ns(settings.spin_us, crowded ? 0 : 50);
  yield_ns_ = to_ns(settings.yield_us, 500);
  quick_polls_ = spin_ns_ > 0 ? 64 : 1;
}

}  // namespace weft::core
