// What the job runs on: with WEFT_LOG=info and debug, and where it is not what the settings are for.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "base/parse.hpp"
#include "capi/state.hpp"
#include "os/processor.hpp"
#include "weft/version.h"

namespace weft::capi {
namespace {

using base::LogLevel;

std::string counted(uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string launcher_of(const boot::Boot& boot) {
  const std::string way = boot.name();
  if (way == "threads") return "as threads of one process";
  if (way == "alone") return "without a launcher";
  if (way == "pmix") return "by a PMIx launcher (mpirun)";
  return std::getenv("WEFT_JOB") != nullptr ? "by weftrun" : "by a PMI-1 launcher (mpiexec)";
}

std::string mapped_part(core::Rank& rank) {
  conduit::RankId mapped = 0;
  for (conduit::RankId peer = 0; peer < rank.size(); ++peer) mapped += rank.conduit().mapped(peer) != nullptr ? 1 : 0;
  if (mapped == rank.size()) return "all mapped";
  return std::to_string(mapped) + " of " + std::to_string(rank.size()) + " mapped";
}

// The settings that the environment gives, "WEFT_CHECK=1 WEFT_STATS=1".
std::string given_settings() {
  std::string given;
  for (const base::SettingDescription& setting : base::setting_descriptions())
    if (const char* value = std::getenv(setting.variable)) given += std::string(" ") + setting.variable + "=" + value;
  return given.empty() ? " none" : given;
}

// A simulation that was wanted, and is none.
void warn_of_no_simulation(core::Rank& rank) {
  if (std::strcmp(rank.boot().name(), "sim") == 0) return;
  std::string given;
  for (const char* variable : {"WEFT_SIM_PLATFORM", "WEFT_SIM_FAULT"}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != '\0') given += std::string(given.empty() ? "" : " and ") + variable;
  }
  if (!given.empty())
    base::log_warning("%s set, but this job is not simulated: weftrun --sim PLATFORM simulates", given.c_str());
}

}  // namespace

void log_start(RankState& state) {
  core::Rank& rank = *state.core;
  const conduit::Capabilities& able = rank.capabilities();
  if (rank.id() == 0) warn_of_no_simulation(rank);
  if (rank.id() == 0)
    base::log(LogLevel::info, "Weft %s: %s on %s, started %s; conduit %s, segments of %s, %s%s%s", weft_version(),
              counted(rank.size(), "rank").c_str(), counted(rank.hosts().count(), "host").c_str(),
              launcher_of(rank.boot()).c_str(), rank.transport().c_str(),
              base::size_text(rank.conduit().segment_size()).c_str(), mapped_part(rank).c_str(),
              able.crowded ? "; ranks share processors" : "", state.check ? "; every call is checked" : "");
  base::log(
      LogLevel::debug,
      "process %d on %s, rank %u of %u there, %s usable; segments: %s; puts and gets %s, atomics %s; medium messages "
      "up to %s; settings given:%s",
      static_cast<int>(getpid()), os::host_name().c_str(), rank.conduit().host_rank(), rank.conduit().host_size(),
      counted(os::processor_count(), "processor").c_str(), mapped_part(rank).c_str(),
      able.put_get ? "native" : "by messages", able.atomics ? "native" : "by messages",
      base::size_text(able.max_medium).c_str(), given_settings().c_str());
}

}  // namespace weft::capi
