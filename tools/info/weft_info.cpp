// weft-info: what this installation has, and every setting with its value here and where the value came from.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "base/parse.hpp"
#include "base/settings.hpp"
#include "command_line.hpp"
#include "conduit/conduit.hpp"
#include "conduit/segment_size.hpp"
#include "memory.hpp"
#include "os/processor.hpp"
#include "weft/version.h"

namespace {

constexpr const char* about =
    "Shows the version of Weft, the conduits it has, this host, what jobs across hosts would use, and all settings\n"
    "(environment variables): value, where it came from, meaning. With an option, only that part.";

std::string file_line(const char* path) {
  std::string line = "not available";
  if (std::FILE* file = std::fopen(path, "r")) {
    char text[256];
    if (std::fgets(text, sizeof text, file)) {
      line = text;
      while (!line.empty() && line.back() == '\n') line.pop_back();
    }
    std::fclose(file);
  }
  return line;
}

void show_conduits() {
  std::printf("Conduits (WEFT_CONDUIT)\n");
  for (const weft::conduit::Registration& conduit : weft::conduit::registered())
    std::printf("  %-10s %s\n", conduit.name, conduit.description);
}

void show_host() {
  std::printf("Host %s\n", weft::os::host_name().c_str());
  std::printf("  processors usable   %u\n", weft::os::processor_count());
  std::printf("  memory              %.1f GiB\n",
              static_cast<double>(weft::os::physical_memory()) / (1024.0 * 1024 * 1024));
  std::printf("  shared huge pages   %s\n", file_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled").c_str());
}

// Prints text in lines of at most `width` characters, each after `indent` blanks.
void print_wrapped(std::string_view text, size_t indent, size_t width) {
  while (!text.empty()) {
    size_t end = text.size();
    if (end > width) {
      end = text.rfind(' ', width);
      if (end == std::string_view::npos) end = width;
    }
    std::printf("%*s%.*s\n", static_cast<int>(indent), "", static_cast<int>(end), text.data());
    text.remove_prefix(end);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
}

// What a job on this host gets without WEFT_SEGMENT_SIZE.
std::string default_segment() {
  using weft::conduit::default_segment_size;
  const size_t size = default_segment_size(1);
  size_t ranks = 1;
  while (default_segment_size(2 * ranks) == size) ranks *= 2;
  return ": " + weft::base::size_text(size) + " here with up to " + std::to_string(ranks) + " ranks";
}

void show_settings() {
  std::printf("Settings\n");
  const char* category = "";
  for (const weft::base::SettingDescription& setting : weft::base::setting_descriptions()) {
    if (std::strcmp(category, setting.category) != 0) std::printf("  -- %s\n", category = setting.category);
    const char* value = std::getenv(setting.variable);
    const std::string_view shown = value ? value : setting.default_value;
    std::printf(
        "  %-18s %-7s = %s (%s)%s\n", setting.variable, setting.type, shown.data(), value ? "environment" : "default",
        setting.variable == std::string_view("WEFT_SEGMENT_SIZE") && shown == "0" ? default_segment().c_str() : "");
    print_wrapped(setting.help, 6, 100);
  }
}

// The value of "-n" or "--hosts"; nothing, after a line, if it is not a number from 1 to `most`.
std::optional<uint32_t> number_of(const char* option, const std::string& text, uint32_t most) {
  const auto number = weft::base::parse_number<uint32_t>(text, 1, most);
  if (number) return number;
  std::fprintf(stderr, "weft-info: %s needs a number from 1 to %u, not '%s'; see weft-info --help\n", option, most,
               text.c_str());
  return std::nullopt;
}

int show_memory_of(const std::string& ranks_text, const std::string& hosts_text) {
  constexpr uint32_t most_ranks = 1u << 20;
  const std::optional<uint32_t> ranks = number_of("-n", ranks_text, most_ranks);
  if (!ranks) return weft::tools::exit_usage;
  const std::optional<uint32_t> hosts = number_of("--hosts", hosts_text, *ranks);
  if (!hosts) return weft::tools::exit_usage;
  weft::base::Settings settings;
  if (!weft::base::read_settings(settings).ok()) return 1;
  show_memory(settings, *ranks, *hosts);
  return 0;
}

// Logs what is wrong with well-formed words, if anything is.
bool fit(const CLI::App& app, const std::vector<std::string>& rest, size_t parts) {
  std::string mistake;
  if (!rest.empty())
    mistake = "unknown argument '" + rest.front() + "'";
  else if (parts > 1)
    mistake = "give one of --settings, --conduits, --network and --memory";
  else if (app.count("--memory") == 0 && app.count("-n") + app.count("--hosts") != 0)
    mistake = "-n and --hosts go with --memory";
  else if (app.count("--memory") != 0 && app.count("-n") == 0)
    mistake = "--memory needs -n and a number of ranks";
  if (!mistake.empty()) std::fprintf(stderr, "weft-info: %s; see weft-info --help\n", mistake.c_str());
  return mistake.empty();
}

int run(int argc, char** argv) {
  bool conduits = false, network = false, memory = false, settings_only = false;
  std::string ranks, hosts = "1";
  weft::tools::CommandLine line("weft-info", "weft-info [OPTIONS]", about,
                                std::string("Weft ") + weft_version() + "\n");
  CLI::App& app = line.app;
  app.allow_extras();
  line.add_flag("--settings", settings_only, "all settings");
  line.add_flag("--conduits", conduits, "the conduits that WEFT_CONDUIT can name");
  line.add_flag("--network", network, "what jobs across hosts would use");
  line.add_flag("--memory", memory, "what a rank of a job of -n ranks takes, its segment apart");
  app.add_option("-n", ranks, "ranks of that job")->type_name("RANKS");
  app.add_option("--hosts", hosts, "and its hosts (1)")->type_name("HOSTS");
  int exit_code = 0;
  if (!line.parse(argc, argv, exit_code)) return exit_code;
  const size_t parts = size_t{settings_only} + conduits + network + memory;
  if (!fit(app, line.rest(), parts)) return weft::tools::exit_usage;
  if (memory) return show_memory_of(ranks, hosts);
  const bool all = parts == 0;
  if (all) std::printf("Weft %s\n\n", weft_version());
  if (all || conduits) show_conduits();
  if (all) {
    std::printf("\n");
    show_host();
  }
  // A setting that does not parse, or that does not exist, is worth a failure: this is where people look.
  weft::base::Settings settings;
  bool good = weft::base::read_settings(settings).ok();
  if (good && (all || network)) {
    std::string text;
    const bool starts = weft::conduit::describe_network(settings, text);
    std::printf("%sNetwork\n%s", all ? "\n" : "", text.c_str());
    good = starts || all;  // many a host needs no network
  }
  if (all) std::printf("\n");
  if (all || settings_only) show_settings();
  std::fflush(stdout);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weft-info: %s\n", error.what());
    return 1;
  }
}
