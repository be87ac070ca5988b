#include "apps/ft/result.hpp"

#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace ft {
namespace {

__attribute__((format(printf, 1, 2))) std::string format(const char* pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string verification_line(const Options& options, const Verification& verification) {
  if (!options.planning.local.has_data) return "Verification         none: the job is simulated without data\n";
  if (options.forward_only) return "Verification         none: only the forward transform was run\n";
  if (!verification.passed) {
    return format("Verification         none: no reference checksums are published for class %c\n",
                  options.problem.name);
  }
  if (*verification.passed) {
    return format("Verification         passed: %d of %d checksums, largest relative error %.1e\n", options.iterations,
                  options.iterations, verification.largest_error);
  }
  return format("Verification         FAILED: first at iteration %d, largest relative error %.1e, allowed %.0e\n",
                verification.first_failure, verification.largest_error, tolerance);
}

}  // namespace

double Result::mops(const Options& options) const {
  return nas_megaoperations(options.problem.shape, options.iterations) / seconds;
}

double Result::gflops(const Options& options) const {
  return 1e-9 * transform_operations(options.problem.shape) / seconds_per_transform;
}

std::string progress_line(int iteration, Complex checksum, double seconds) {
  return format("iteration %2d   checksum %.12e %.12e   %9.4f s\n", iteration, checksum.real(), checksum.imag(),
                seconds);
}

std::string text_report(const Options& options, const Result& result) {
  const Shape& shape = options.problem.shape;
  const std::string place = result.grid ? " as " + weft::fft::to_string(*result.grid) : "";
  std::string text =
      format("NAS FT class %c: %d x %d x %d, %d iterations; %s, %s; %d ranks%s on %d host%s\n", options.problem.name,
             shape.nx, shape.ny, shape.nz, options.iterations, options.variant.c_str(), result.library.c_str(),
             result.ranks, place.c_str(), result.hosts, result.hosts == 1 ? "" : "s");
  text += format("Time                 %9.4f s\n", result.seconds);
  text += format("Time per transform   %9.2f ms   %.2f Gflop/s by 5 N log2 N\n", 1e3 * result.seconds_per_transform,
                 result.gflops(options));
  text += format("Rate                 %9.0f Mop/s by the benchmark's count\n", result.mops(options));
  if (result.phases) {
    for (std::size_t i = 0; i < weft::fft::phase_count; ++i) {
      const double seconds = (*result.phases)[i];
      text += format("  %-18s %9.4f s   %5.1f %%\n", std::string(weft::fft::phase_names[i]).c_str(), seconds,
                     100 * seconds / result.seconds);
    }
  }
  if (result.sent) {
    text += format("Sent per rank        %zu messages, %zu bytes per inverse transform (%zu, %zu forward)\n",
                   result.sent->inverse.messages, result.sent->inverse.bytes, result.sent->forward.messages,
                   result.sent->forward.bytes);
  }
  if (!result.simulated.empty()) {
    const auto machine = nlohmann::json::parse(result.simulated);
    text += "Simulated            " + machine.at("machine").get<std::string>() +
            "; computation: " + machine.at("compute").get<std::string>() + "\n";
  }
  return text + verification_line(options, result.verification);
}

std::string json_report(const Options& options, const Result& result) {
  using nlohmann::ordered_json;
  const auto& passed = result.verification.passed;
  ordered_json json;
  json["variant"] = options.variant;
  json["class"] = std::string(1, options.problem.name);
  json["ranks"] = result.ranks;
  json["hosts"] = result.hosts;
  if (!result.simulated.empty()) json.update(ordered_json::parse(result.simulated));
  json["grid"] = result.grid ? ordered_json(weft::fft::to_string(*result.grid)) : ordered_json(nullptr);
  json["library"] = result.library;
  json["iterations"] = options.iterations;
  json["pad"] = options.pad;
  json["seconds"] = result.seconds;
  json["seconds_per_transform"] = result.seconds_per_transform;
  json["mops"] = result.mops(options);
  json["fft_gflops"] = result.gflops(options);
  json["verified"] = passed ? ordered_json(*passed) : ordered_json(nullptr);
  json["largest_error"] = passed ? ordered_json(result.verification.largest_error) : ordered_json(nullptr);
  for (const char* key : {"messages_per_rank", "bytes_per_rank", "messages_per_rank_forward", "bytes_per_rank_forward",
                          "messages_per_rank_total", "bytes_per_rank_total"}) {
    json[key] = nullptr;
  }
  if (result.sent) {
    json["messages_per_rank"] = result.sent->inverse.messages;
    json["bytes_per_rank"] = result.sent->inverse.bytes;
    json["messages_per_rank_forward"] = result.sent->forward.messages;
    json["bytes_per_rank_forward"] = result.sent->forward.bytes;
    json["messages_per_rank_total"] = result.sent->total.messages;
    json["bytes_per_rank_total"] = result.sent->total.bytes;
  }
  ordered_json phases = ordered_json::object();
  for (std::size_t i = 0; i < weft::fft::phase_count; ++i) {
    phases[std::string(weft::fft::phase_names[i])] =
        result.phases ? ordered_json((*result.phases)[i]) : ordered_json(nullptr);
  }
  json["phases"] = phases;
  json["checksums"] = ordered_json::array();
  for (const Complex& checksum : result.checksums) json["checksums"].push_back({checksum.real(), checksum.imag()});
  return json.dump(2) + "\n";
}

int exit_code(const Result& result) { return result.verification.passed.value_or(true) ? 0 : 1; }

}  // namespace ft
