#include "core/job_settings.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/log.hpp"

namespace weft::core {
namespace {

constexpr const char* key = "settings";
constexpr char separator = ';';

// What boot takes, and no separator.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~' || c == separator; }, '?');
  return text;
}

// A long value is cut, with a mark that tells it from others.
std::string short_form(const base::JobSetting& setting) {
  constexpr size_t most = 60, kept = 45;
  if (setting.shown.size() <= most) return printable(setting.shown);
  return printable(setting.shown.substr(0, kept)) + "...(" + base::hash_text(setting.compared).substr(0, 8) + ")";
}

// The settings that are not at their defaults, as far as they fit: "WEFT_CHECK=1;WEFT_COLL=reduce=tree".
std::string given(const std::vector<base::JobSetting>& own) {
  const std::vector<base::JobSetting> defaults = base::job_settings(base::default_settings());
  std::string text;
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i].compared == defaults[i].compared) continue;
    std::string entry = (text.empty() ? "" : std::string(1, separator)) + own[i].variable + "=" + short_form(own[i]);
    if (text.size() + entry.size() <= boot::value_max) text += entry;
  }
  return text;
}

// By variable; those at their defaults are missing.
Status given_by(boot::Boot& boot, uint32_t rank, std::map<std::string, std::string>& values) {
  std::string text;
  const Status status = boot.get(rank, key, text);
  if (!status.ok()) return status;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    const size_t equals = std::min(entry.find('='), entry.size() - 1);
    values[entry.substr(0, equals)] = entry.substr(equals + 1);
    begin = end + 1;
  }
  return {};
}

std::string value_in(const std::map<std::string, std::string>& values, const base::JobSetting& setting) {
  const auto found = values.find(setting.variable);
  if (found != values.end()) return "'" + found->second + "'";
  return setting.shown.empty() ? "not set" : "'" + setting.shown + "', the default,";
}

// "rank 3", "ranks 1 to 3, 5".
std::string ranks_with(const std::vector<std::string>& words, const std::string& word) {
  std::string list;
  size_t count = 0;
  for (size_t first = 0; first < words.size(); ++first) {
    if (words[first] != word) continue;
    size_t last = first;
    while (last + 1 < words.size() && words[last + 1] == word) ++last;
    count += last - first + 1;
    if (list.size() > 40) return "ranks " + list + ", ...";
    list += (list.empty() ? "" : ", ") + std::to_string(first);
    if (last > first) list += (last == first + 1 ? ", " : " to ") + std::to_string(last);
    first = last;
  }
  return (count == 1 ? "rank " : "ranks ") + list;
}

}  // namespace

Status tell_job_settings(boot::Boot& boot, const base::Settings& settings, std::string& word) {
  const std::vector<base::JobSetting> own = base::job_settings(settings);
  std::string all;
  for (const base::JobSetting& setting : own) all += std::string(setting.variable) + "=" + setting.compared + "\n";
  word = base::hash_text(all);
  return boot.put(key, given(own));
}

Status compare_job_settings(boot::Boot& boot, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const auto other = std::ranges::find_if(words, [&](const std::string& word) { return word != words[0]; });
  std::map<std::string, std::string> first, second;
  Status status = given_by(boot, 0, first);
  if (status.ok()) status = given_by(boot, static_cast<uint32_t>(other - words.begin()), second);
  if (!status.ok()) return status;
  const std::string here = ranks_with(words, words[0]), there = ranks_with(words, *other);
  std::string differences, options;
  for (const base::JobSetting& setting : base::job_settings(base::default_settings())) {
    const std::string a = value_in(first, setting), b = value_in(second, setting);
    if (a == b) continue;
    differences += std::string(differences.empty() ? "" : "; ") + setting.variable + " is " + a + " on " + here +
                   " and " + b + " on " + there;
    options += std::string(" -x ") + setting.variable;
  }
  if (differences.empty()) differences = "settings WEFT_* differ between " + here + " and " + there;
  if (std::strcmp(boot.name(), "pmix") == 0)
    base::log_error("%s; all ranks must have the same: mpirun%s ... passes it to all hosts", differences.c_str(),
                    options.empty() ? " -x NAME" : options.c_str());
  else
    base::log_error("%s; all ranks must have the same: set it for all of them%s", differences.c_str(),
                    options.empty() ? "" : ", or for none");
  return WEFT_ERR_MISMATCH;
}

}  // namespace weft::core
