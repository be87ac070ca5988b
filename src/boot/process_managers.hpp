// The process managers that boot::connect joins a job through, and what they share.
#pragma once

#include <functional>
#include <map>
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

/// Boot::in_common of ranks in one process. Not guarded.
class CommonTable {
 public:
  Boot::Common take(std::string_view key, uint32_t ranks, const std::function<Boot::Common()>& make);

 private:
  struct Made {
    Boot::Common what;
    uint32_t asked = 0;  // by so many ranks
  };
  std::map<std::string, Made, std::less<>> made_;
};

}  // namespace weft::boot
