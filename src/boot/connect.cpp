#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/log.hpp"
#include "boot/process_managers.hpp"

namespace weft::boot {

Status connect(std::unique_ptr<Boot>& boot) {
  if (std::getenv("PMI_FD")) return connect_pmi1(boot);
  if (std::getenv("PMIX_NAMESPACE")) return connect_pmix(boot);
  // A job of many jobs of one rank each would be the silent alternative.
  if (const char* port = std::getenv("PMI_PORT")) {
    base::log_error(
        "the launcher asks for PMI over TCP (PMI_PORT=%s), which is not supported: start mpiexec without "
        "-pmi-port, or use weftrun",
        port);
    return WEFT_ERR_BOOT;
  }
  boot = alone();
  return WEFT_OK;
}

Status Boot::get_all(std::string_view key, std::vector<std::string>& values) {
  values.resize(size());
  for (uint32_t rank = 0; rank < size(); ++rank) {
    const Status status = get(rank, key, values[rank]);
    if (!status.ok()) return status;
  }
  return WEFT_OK;
}

bool may_put(std::string_view key, std::string_view value) {
  const auto key_character = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  const auto value_character = [](char c) { return c >= ' ' && c <= '~'; };
  const bool key_good = !key.empty() && key.size() <= key_max && std::all_of(key.begin(), key.end(), key_character);
  const bool value_good = value.size() <= value_max && std::all_of(value.begin(), value.end(), value_character);
  if (key_good && value_good) return true;
  base::log_error(
      "start-up cannot exchange key '%.*s' (%zu characters) with a value of %zu bytes: keys are 1 to %zu "
      "characters of [a-z0-9-], values at most %zu printable characters",
      static_cast<int>(std::min<size_t>(key.size(), 80)), key.data(), key.size(), value.size(), key_max, value_max);
  return false;
}

Boot::Common CommonTable::take(std::string_view key, uint32_t ranks, const std::function<Boot::Common()>& make) {
  auto& [made, asked] = made_[std::string(key)];
  if (asked++ == 0) made = make();
  // Whoever comes last takes it away, so that another round may use the key.
  if (asked != ranks) return made;
  asked = 0;
  return std::exchange(made, nullptr);
}

Status missing(uint32_t rank, std::string_view key) {
  base::log_error("rank %u has not published '%.*s' at start-up: do all ranks run the same program?", rank,
                  static_cast<int>(key.size()), key.data());
  return WEFT_ERR_BOOT;
}

}  // namespace weft::boot
