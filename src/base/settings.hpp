// Settings: the table of settings.def.hpp read from the environment.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace weft::base {

/// The value of every setting, by the field name of the table.
struct Settings {
  using size = uint64_t;
  using count = uint32_t;
  using real = double;
  using flag = bool;
  using text = std::string;
  using file = std::string;
#define SETTING(field, type, variable, default_value, category, scope, help) type field;
#include "base/settings.def.hpp"
#undef SETTING
};

/// One line of the table, as weft-info and the documentation check show it.
struct SettingDescription {
  const char* variable;
  const char* type;
  const char* default_value;
  const char* category;
  const char* scope;
  const char* help;
};

std::span<const SettingDescription> setting_descriptions();

/// Reads the environment. A value that does not parse is an error: the log line names the variable, the value and what
/// would be accepted. WEFT_LOG takes effect here. If `warn`, a WEFT_ variable that no setting has is a warning with the
/// nearest name; one rank of a job is enough for that.
Status read_settings(Settings& settings, bool warn = true);

/// A setting of scope job, for comparison between ranks.
struct JobSetting {
  const char* variable;
  std::string shown;     ///< the value as a message shows it
  std::string compared;  ///< the same on two ranks if the value means the same; of a file what its contents tell
};

/// All of them, in the table's order.
std::vector<JobSetting> job_settings(const Settings& settings);

/// 16 digits that differ for texts that differ.
std::string hash_text(const std::string& text);

/// The defaults, whatever the environment says.
Settings default_settings();

}  // namespace weft::base
