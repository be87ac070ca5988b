// The network that a user names.
#pragma once

#include <memory>
#include <string>

#include "base/status.hpp"
#include "sim/network/model_network.hpp"

namespace weft::sim {

/// `platform` is the name of a known one or a file. What is wrong with it, or does not fit the ranks, is logged.
Status make_network(const std::string& platform, const NetworkOptions& options, Calendar& calendar,
                    std::unique_ptr<Network>& network);

}  // namespace weft::sim
