// The file of WEFT_SECRET_FILE: a secret that the user has brought to all hosts, for jobs whose launcher would carry
// one where others can read it.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"

namespace weft::conduit::ip {

/// Shorter ones could be guessed.
inline constexpr size_t secret_file_least = 32, secret_file_most = 4096;

/// What the file holds. Refused and logged: a file that others than its owner may read or change, that another user
/// owns, or that is too short or too long.
Status read_secret_file(const std::string& path, std::vector<std::byte>& secret);

}  // namespace weft::conduit::ip
