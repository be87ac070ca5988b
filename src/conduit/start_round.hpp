// A round of the start of a conduit, in which every rank tells the others something or that it cannot take part, so
// that nobody waits for it and one line says why. Errors are kept meanwhile (base::KeepErrors): the first rank that has
// one of its own writes it.
#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"
#include "boot/boot.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit {

/// Tells the others `text`, or that this rank failed, and waits for all. The first failure counts.
Status tell(boot::Boot& boot, const std::string& key, Status status, const std::string& text,
            const base::KeepErrors& errors);

/// What all told under `key`, by rank. An error also if a rank failed, which it says itself, or another for both.
Status hear(boot::Boot& boot, const std::string& key, std::vector<std::string>& texts);

/// After tell(): of the ranks that know why they failed the first says it. The others have mostly met the same; they
/// leave after it if another round follows.
void speak_if_first(boot::Boot& boot, const std::string& key);

}  // namespace weft::conduit
