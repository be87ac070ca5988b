// The ways into a job that boot::connect chooses from, and what they share.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "boot/boot.hpp"

namespace weft::boot {

std::unique_ptr<Boot> alone();
Status connect_pmi1(std::unique_ptr<Boot>& boot);
Status connect_pmix(std::unique_ptr<Boot>& boot);

/// False, and logged, if key or value break the limits of Boot::put.
bool may_put(std::string_view key, std::string_view value);

/// Logs that `rank` has not put `key`.
Status missing(uint32_t rank, std::string_view key);

}  // namespace weft::boot
