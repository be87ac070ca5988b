#include "apps/ft/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace ft {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string class_names() {
  std::vector<std::string> names;
  for (const Problem& problem : problems()) names.emplace_back(1, problem.name);
  return join(names);
}

// The first thing that is wrong with values that are well-formed, or nothing.
std::string mistake(const Options& options, const std::string& class_name, const std::string& plan,
                    const std::string& kernel, const std::vector<std::string>& variants, bool iterations_given) {
  if (!find_problem(class_name)) return "unknown class '" + class_name + "'; use one of " + class_names();
  if (std::find(variants.begin(), variants.end(), options.variant) == variants.end()) {
    return "unknown variant '" + options.variant + "'; use one of " + join(variants);
  }
  if (options.pad < 0 || options.pad > 4096) {
    return "--pad " + std::to_string(options.pad) + " is out of range; use 0 to 4096 complex elements";
  }
  const int most = find_problem(class_name)->iterations;
  if (iterations_given && (options.iterations < 1 || options.iterations > most)) {
    return "--iterations " + std::to_string(options.iterations) + " is out of range; class " + class_name +
           " has 1 to " + std::to_string(most);
  }
  if (plan != "quick" && plan != "patient") return "unknown plan '" + plan + "'; use quick or patient";
  if (kernel != "auto" && kernel != "fftw") return "unknown kernel '" + kernel + "'; use auto or fftw";
  return {};
}

std::string grid_mistake(const Options& options, const std::string& grid) {
  if (grid.empty()) return {};
  if (!weft::fft::parse_grid(grid)) return "cannot read --grid '" + grid + "'; write TYxTZ, as 2x4";
  if (!grid_strategy(options)) return "--grid is for the 2-D variants, and " + options.variant + " is none";
  return {};
}

}  // namespace

std::optional<weft::fft::GridStrategy> grid_strategy(const Options& options) {
  std::string_view variant = options.variant;
  constexpr std::string_view way = "-ialltoall";
  if (variant.ends_with(way)) variant.remove_suffix(way.size());
  return weft::fft::parse_grid_strategy(variant);
}

std::optional<weft::fft::Grid> chosen_grid(const Options& options, int ranks) {
  if (!grid_strategy(options)) return std::nullopt;
  return options.grid ? options.grid : weft::fft::default_grid(options.problem.shape, ranks);
}

Parsed parse_options(int argc, const char* const* argv, const std::string& program, const std::string& description,
                     const std::vector<std::string>& variants) {
  Parsed parsed;
  Options& options = parsed.options;
  std::string class_name = "S";
  std::string plan = "patient";
  std::string kernel = "auto";
  std::string grid;
  options.variant = variants.front();

  CLI::App app{description, program};
  app.add_option("--class", class_name, "Problem class: " + class_names())->capture_default_str();
  app.add_option("--variant", options.variant, "One of " + join(variants))->capture_default_str();
  if (std::any_of(variants.begin(), variants.end(), [](const std::string& v) { return v.ends_with("-2d"); })) {
    app.add_option("--grid", grid, "TYxTZ ranks of the 2-D variants, as 2x4; the most nearly square if not given");
  }
  app.add_option("--json", options.json, "Write the results to this file (docs/FORMATS.md)");
  app.add_option("--pad", options.pad, "Complex elements between planes, against cache conflicts")
      ->capture_default_str();
  app.add_flag("--progress", options.progress, "Print each iteration's checksum when it is finished");
  auto* iterations = app.add_option("--iterations", options.iterations, "Run and verify only the first ones");
  app.add_flag("--forward-only", options.forward_only, "Time one forward transform, without warm-up and iterations")
      ->excludes(iterations);
  app.add_option("--plan", plan, "Search for local transforms: quick or patient")->capture_default_str();
  app.add_option("--kernel", kernel, "Local transforms: auto, or fftw for FFTW alone")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {.options = options, .done = true, .exit_code = 0, .message = app.help()};
  } catch (const CLI::ParseError& error) {
    return {.options = options,
            .done = true,
            .exit_code = 2,
            .message = program + ": " + error.what() + "; see " + program + " --help"};
  }

  std::string problem = mistake(options, class_name, plan, kernel, variants, iterations->count() > 0);
  if (problem.empty()) problem = grid_mistake(options, grid);
  if (!problem.empty()) {
    return {.options = options, .done = true, .exit_code = 2, .message = program + ": " + problem};
  }
  options.problem = *find_problem(class_name);
  options.grid = weft::fft::parse_grid(grid);
  if (iterations->count() == 0) options.iterations = options.forward_only ? 0 : options.problem.iterations;
  options.planning = {.rigor = plan == "quick" ? weft::fft::Rigor::quick : weft::fft::Rigor::patient,
                      .kernel = kernel == "fftw" ? weft::fft::Kernel::fftw : weft::fft::Kernel::automatic};
  return parsed;
}

}  // namespace ft
