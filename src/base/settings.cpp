#include "base/settings.hpp"

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "base/nearest.hpp"
#include "base/parse.hpp"

extern char** environ;

namespace weft::base {
namespace {

constexpr SettingDescription descriptions[] = {
#define SETTING(field, type, variable, default_value, category, scope, help) \
  {variable, #type, default_value, category, #scope, help},
#include "base/settings.def.hpp"
#undef SETTING
};

constexpr std::string_view prefix = "WEFT_";

// Variables that the launcher and the tools set or read; not settings of the library, but not typing errors either.
constexpr std::string_view other_variables[] = {"WEFT_RANKS_AS",     "WEFT_THREADS_SIZE", "WEFT_BIND_CPUS",
                                                "WEFT_BIND_ALLOWED", "WEFT_JOB",          "WEFT_RSH"};

// Nothing for an empty text, which is as good as none.
const char* given(const char* variable, std::string_view type) {
  const char* text = std::getenv(variable);
  const bool empty = text != nullptr && *text == '\0' && (type == "text" || type == "file");
  return empty ? nullptr : text;
}

bool parse(const char* text, uint64_t& value) { return parse_size(text, value); }

bool parse(const char* text, uint32_t& value) {
  const std::optional<uint32_t> number = parse_number<uint32_t>(text);
  value = number.value_or(0);
  return number.has_value();
}

bool parse(const char* text, double& value) {
  const std::optional<double> number = parse_real(text);
  value = number.value_or(0);
  return number.has_value();
}

bool parse(const char* text, bool& value) {
  const std::optional<bool> flag = parse_flag(text);
  value = flag.value_or(false);
  return flag.has_value();
}

bool parse(const char* text, std::string& value) {
  value = text;
  return true;
}

const char* expected_form(std::string_view type) {
  if (type == "size") return "a number of bytes, with a suffix K, M, G or T if you like (4G, 4GB, 4GiB)";
  if (type == "count") return "a whole number from 0 to 4294967295";
  if (type == "real") return "a number";
  if (type == "flag") return "0 or 1 (nor no, off, false, yes, on, true)";
  return "text";
}

// -1 leaves the choice to the runtime; other negative times are mistakes.
bool is_time(const char* variable, double us) {
  if (us >= 0 || us == -1) return true;
  log_error("setting %s is %g, which is neither a number of microseconds nor -1 for the default", variable, us);
  return false;
}

bool is_budget(double percent) {
  if (percent >= 0 && percent <= 100) return true;
  log_error("setting WEFT_TUNE_BUDGET is %g, which is no part of the run time in percent", percent);
  return false;
}

// 0 stands for a setting that is not there. Who writes it means something else.
bool is_rank_count(uint32_t ranks_per_host) {
  if (ranks_per_host != 0 || given("WEFT_SIM_RANKS_PER_HOST", "count") == nullptr) return true;
  log_error(
      "setting WEFT_SIM_RANKS_PER_HOST (--sim-per-host) is 0, but a simulated host has a rank at least; leave it out "
      "for as many as a host has cores");
  return false;
}

bool is_port_range(const std::string& text) {
  if (text.empty() || parse_port_range(text)) return true;
  log_error(
      "setting WEFT_IP_PORT_RANGE is '%s', expected LOW-HIGH (20000-20999): ports from 1 to 65535, the lower one first",
      text.c_str());
  return false;
}

bool is_interface_list(const std::string& text) {
  if (text.empty() || std::ranges::none_of(parse_list(text), &std::string::empty)) return true;
  log_error(
      "setting WEFT_NET_INTERFACE is '%s', expected interfaces, addresses or networks with one comma between each two "
      "(eth0,eth1)",
      text.c_str());
  return false;
}

// Which of the words the setting is; if none, the log says so.
std::optional<size_t> word_of(const char* variable, const std::string& value,
                              std::initializer_list<const char*> words) {
  std::string expected;
  for (size_t i = 0; i < words.size(); ++i) {
    const char* word = words.begin()[i];
    if (value == word) return i;
    expected += std::string(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + word;
  }
  log_error("setting %s is '%s', expected %s", variable, value.c_str(), expected.c_str());
  return {};
}

bool words_are_known(const Settings& settings) {
  return word_of("WEFT_ORDER", settings.order, {"strict", "default", "relaxed"}) &&
         word_of("WEFT_PROGRESS", settings.progress, {"poll", "thread"}) &&
         word_of("WEFT_IP_SECURITY", settings.ip_security, {"auth", "encrypt", "off"}) &&
         word_of("WEFT_IP_DATAGRAMS", settings.ip_datagrams, {"auto", "0", "1"}) &&
         word_of("WEFT_NET_WAIT", settings.net_wait, {"auto", "0", "1"}) &&
         word_of("WEFT_TUNE", settings.tune, {"off", "online"}) &&
         word_of("WEFT_SIM_COMPUTE", settings.sim_compute, {"free", "measured", "model"}) &&
         word_of("WEFT_SIM_DATA", settings.sim_data, {"exact", "early", "none"});
}

bool apply_log_setting(const Settings& settings) {
  const auto level = word_of("WEFT_LOG", settings.log, {"error", "warning", "info", "debug"});
  if (level) log_threshold(static_cast<LogLevel>(*level));
  return level.has_value();
}

// The setting by which whoever wrote the name, or the one that it resembles, wanted to protect the job; empty: none.
std::string protection_by(std::string_view name, const std::string& resembled) {
  const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (has("ENCRYPT") || has("TLS")) return "IP_SECURITY=encrypt";
  if (resembled == "IP_SECURITY" || resembled == "SECRET_FILE") return resembled;
  if (has("SECRET")) return "SECRET_FILE";
  return has("SECUR") ? "IP_SECURITY" : "";
}

// Warns of a variable that is no setting. False if it was to protect the job: without that it must not run.
bool is_known_or_harmless(std::string_view variable) {
  for (std::string_view other : other_variables)
    if (variable == other) return true;
  const std::string_view name = variable.substr(prefix.size());
  std::vector<std::string_view> names;
  std::string_view whole;  // of which this is a part
  for (const SettingDescription& description : descriptions) {
    if (variable == description.variable) return true;
    names.push_back(std::string_view(description.variable).substr(prefix.size()));
    if (whole.empty() && name.size() > 3 && names.back().ends_with("_" + std::string(name))) whole = names.back();
  }
  const std::string meant(whole.empty() ? nearest(name, names) : whole);
  if (const std::string protection = protection_by(name, meant); !protection.empty()) {
    log_error("there is no setting %.*s, did you mean WEFT_%s? The job does not start without its protection",
              static_cast<int>(variable.size()), variable.data(), protection.c_str());
    return false;
  }
  log_warning("there is no setting %.*s%s%s; weft-info lists them all", static_cast<int>(variable.size()),
              variable.data(), meant.empty() ? "" : ", did you mean WEFT_", meant.c_str());
  return true;
}

// Exactly, as one would write it.
std::string shown(uint64_t bytes) {
  constexpr const char* suffixes[] = {"", "K", "M", "G", "T"};
  unsigned unit = 0;
  for (; bytes != 0 && bytes % 1024 == 0 && unit + 1 < std::size(suffixes); ++unit) bytes /= 1024;
  return std::to_string(bytes) + suffixes[unit];
}
std::string shown(uint32_t count) { return std::to_string(count); }
std::string shown(bool flag) { return flag ? "1" : "0"; }
std::string shown(const std::string& text) { return text; }
std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

// What two files have in common only if they have the same contents.
std::string contents_of(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) return "not a file";
  std::ifstream file(path, std::ios::binary);
  return file ? "contents " + hash_text({std::istreambuf_iterator<char>(file), {}}).substr(0, 8) : "cannot be read";
}

}  // namespace

std::string hash_text(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, hash);
  return digits;
}

std::vector<JobSetting> job_settings(const Settings& settings) {
  std::vector<JobSetting> found;
  const auto add = [&](const char* variable, std::string_view type, std::string_view scope, std::string value) {
    if (scope != "job") return;
    const bool is_file = type == "file" && !value.empty();
    std::string compared = is_file ? contents_of(value) : value;
    if (is_file) value += " (" + compared + ")";
    found.push_back({variable, std::move(value), std::move(compared)});
  };
#define SETTING(field, type, variable, default_value, category, scope, help) \
  add(variable, #type, #scope, shown(settings.field));
#include "base/settings.def.hpp"
#undef SETTING
  return found;
}

Settings default_settings() {
  Settings settings;
#define SETTING(field, type, variable, default_value, category, scope, help) (void)parse(default_value, settings.field);
#include "base/settings.def.hpp"
#undef SETTING
  return settings;
}

std::span<const SettingDescription> setting_descriptions() { return descriptions; }

Status read_settings(Settings& settings, bool warn) {
  bool good = true;
#define SETTING(field, type, variable, default_value, category, scope, help)                                         \
  {                                                                                                                  \
    const char* text = given(variable, #type);                                                                       \
    if (!parse(text ? text : default_value, settings.field)) {                                                       \
      log_error("setting %s is '%s', which is not %s", variable, text ? text : default_value, expected_form(#type)); \
      good = false;                                                                                                  \
    }                                                                                                                \
  }
#include "base/settings.def.hpp"
#undef SETTING
  // libfabric's own names have small letters only.
  std::ranges::transform(settings.ofi_provider, settings.ofi_provider.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  good = good && is_time("WEFT_SPIN_US", settings.spin_us) && is_time("WEFT_YIELD_US", settings.yield_us) &&
         is_budget(settings.tune_budget) && is_port_range(settings.ip_port_range) &&
         is_interface_list(settings.net_interface) && is_rank_count(settings.sim_ranks_per_host) &&
         words_are_known(settings);
  if (!good || !apply_log_setting(settings)) return WEFT_ERR_INVALID;
  if (!warn) return {};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    if (text.starts_with(prefix)) good = is_known_or_harmless(text.substr(0, text.find('='))) && good;
  }
  return good ? Status{} : WEFT_ERR_INVALID;
}

}  // namespace weft::base
