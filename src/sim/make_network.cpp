#include "sim/make_network.hpp"

#include "base/log.hpp"

namespace weft::sim {

Status make_network(const std::string& platform, const NetworkOptions& options, Calendar& calendar,
                    std::unique_ptr<Network>& network) {
  try {
    network = make_model_network(calendar, platform, options);
    return {};
  } catch (const PlatformError& error) {
    base::log_error("%s", error.what());
    return WEFT_ERR_INVALID;
  }
}

}  // namespace weft::sim
