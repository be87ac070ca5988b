// Ranks whose settings of scope job differ would not understand each other: they end before they begin to.
//
// No round of its own: the settings go with the fence in which ranks tell their hosts, and one word per rank says
// whether they differ.
#pragma once

#include <string>
#include <vector>

#include "base/settings.hpp"
#include "boot/boot.hpp"

namespace weft::core {

/// Before a fence. `word` is what tells whether another rank has the same settings, without blanks.
Status tell_job_settings(boot::Boot& boot, const base::Settings& settings, std::string& word);

/// After it, with the words of all ranks if they differ, else none. Then logs in what, and fails alike on all ranks.
Status compare_job_settings(boot::Boot& boot, const std::vector<std::string>& words);

}  // namespace weft::core
