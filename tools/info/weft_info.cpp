// weft-info: what this installation has, and every setting with its value here and where the value came from.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/parse.hpp"
#include "base/settings.hpp"
#include "boot/pmi_wire.hpp"
#include "conduit/conduit.hpp"
#include "conduit/segment_size.hpp"
#include "memory.hpp"
#include "os/processor.hpp"
#include "weft/version.h"

namespace {

constexpr const char* usage =
    "usage: weft-info [--settings | --conduits | --network | --version | --help]\n"
    "       weft-info --memory -n RANKS [--hosts HOSTS]\n"
    "\n"
    "Shows the version of Weft, the conduits it has, this host, what jobs across hosts would use, and all settings\n"
    "(environment variables): value, where it came from, meaning. With an option, only that part.\n"
    "--memory tells what a rank of such a job takes, its segment apart.\n";

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
std::optional<uint32_t> number_of(const char* option, const char* text, uint32_t most) {
  const std::optional<int64_t> number = text != nullptr ? weft::boot::parse_number(text, 1, most) : std::nullopt;
  if (number) return static_cast<uint32_t>(*number);
  std::fprintf(stderr, "weft-info: %s needs a number from 1 to %u, not '%s'\n%s", option, most, text ? text : "",
               usage);
  return std::nullopt;
}

int show_memory_of(int argc, char** argv) {
  constexpr uint32_t most_ranks = 1u << 20;
  std::optional<uint32_t> ranks, hosts = 1;
  const char* hosts_text = nullptr;
  for (int i = 2; i < argc; i += 2) {
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (std::strcmp(argv[i], "-n") == 0) {
      ranks = number_of("-n", value, most_ranks);
      if (!ranks) return 2;
    } else if (std::strcmp(argv[i], "--hosts") == 0) {
      hosts_text = value ? value : "";
    } else {
      std::fprintf(stderr, "weft-info: --memory does not know '%s'\n%s", argv[i], usage);
      return 2;
    }
  }
  if (!ranks) {
    std::fprintf(stderr, "weft-info: --memory needs -n and a number of ranks\n%s", usage);
    return 2;
  }
  if (hosts_text != nullptr) hosts = number_of("--hosts", hosts_text, *ranks);
  if (!hosts) return 2;
  weft::base::Settings settings;
  if (!weft::base::read_settings(settings).ok()) return 1;
  show_memory(settings, *ranks, *hosts);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--memory") == 0) return show_memory_of(argc, argv);
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (argc > 2 || (!option.empty() && option != "--settings" && option != "--conduits" && option != "--network" &&
                   option != "--version" && option != "--help")) {
    std::fprintf(stderr, "weft-info: unknown argument '%s'\n%s", argc > 2 ? argv[2] : argv[1], usage);
    return 2;
  }
  if (option == "--help") {
    std::fputs(usage, stdout);
    return 0;
  }
  if (option == "--version") {
    std::printf("Weft %s\n", weft_version());
    return 0;
  }
  const bool all = option.empty();
  if (all) std::printf("Weft %s\n\n", weft_version());
  if (all || option == "--conduits") show_conduits();
  if (all) {
    std::printf("\n");
    show_host();
  }
  // A setting that does not parse, or that does not exist, is worth a failure: this is where people look.
  weft::base::Settings settings;
  const bool good = weft::base::read_settings(settings).ok();
  if (good && (all || option == "--network")) {
    std::printf("%sNetwork\n", all ? "\n" : "");
    std::fputs(weft::conduit::describe_network(settings).c_str(), stdout);
  }
  if (all) std::printf("\n");
  if (all || option == "--settings") show_settings();
  std::fflush(stdout);
  return good ? 0 : 1;
}
