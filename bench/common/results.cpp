#include "common/results.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace bench {
namespace {

std::string size_text(size_t bytes) {
  char text[32];
  if (bytes >= size_t{1} << 20 && bytes % (size_t{1} << 20) == 0)
    std::snprintf(text, sizeof text, "%zu MiB", bytes >> 20);
  else if (bytes >= size_t{1} << 10 && bytes % (size_t{1} << 10) == 0)
    std::snprintf(text, sizeof text, "%zu KiB", bytes >> 10);
  else
    std::snprintf(text, sizeof text, "%zu B", bytes);
  return text;
}

}  // namespace

void Report::section(const std::string& title) {
  std::printf("\n%-28s %8s %12s %-5s %12s  %-19s %6s\n", title.c_str(), "size", "value", "unit", "limit", "which is",
              "ratio");
}

void Report::add(Result result) {
  std::printf("%-28s %8s %12.2f %-5s", result.name.c_str(), size_text(result.size_bytes).c_str(), result.value,
              result.unit.c_str());
  if (result.limit)
    std::printf(" %12.2f  %-19s %6.2f\n", result.limit->value, result.limit->kind, result.value / result.limit->value);
  else
    std::printf(" %12s  %-19s %6s\n", "-", simulated_.empty() ? "peer is not mapped" : "none simulated", "-");
  std::fflush(stdout);
  results_.push_back(std::move(result));
}

std::string Report::json() const {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const Result& result : results_) {
    nlohmann::ordered_json entry = {
        {"name", result.name}, {"size_bytes", result.size_bytes}, {"value", result.value}, {"unit", result.unit}};
    entry["limit"] = result.limit ? nlohmann::ordered_json(result.limit->value) : nlohmann::ordered_json();
    entry["ratio_to_limit"] =
        result.limit ? nlohmann::ordered_json(result.value / result.limit->value) : nlohmann::ordered_json();
    results.push_back(std::move(entry));
  }
  nlohmann::ordered_json report = {{"benchmark", benchmark_}, {"ranks", ranks_}, {"conduit", conduit_}};
  if (!simulated_.empty()) report.update(nlohmann::ordered_json::parse(simulated_));
  report["results"] = std::move(results);
  return report.dump(1) + "\n";
}

bool Report::write_json(const std::string& path) const {
  std::ofstream file(path, std::ios::trunc);
  file << json() << std::flush;
  if (file) return true;
  std::fprintf(stderr, "cannot write %s: %s\n", path.c_str(), std::strerror(errno));
  return false;
}

}  // namespace bench
