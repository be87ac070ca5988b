#include "apps/ft/driver.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace ft {
namespace {

int refuse(const Job& job, const std::string& line) {
  if (job.rank() == 0) std::fprintf(stderr, "%s\n", line.c_str());
  return 2;
}

// Opens the output before the run, so that a mistyped path does not cost one. True on every rank or on none.
bool open_output(const std::string& path, Job& job, std::ofstream& file) {
  if (job.rank() == 0 && !path.empty()) file.open(path);
  std::array<double, 1> failed{file.fail() ? 1.0 : 0.0};
  job.max(failed);
  return failed[0] == 0.0;
}

// False, with a line, if the file does not take it.
bool write_report(const Program& program, const Options& options, const Result& result, std::ofstream& file) {
  errno = 0;
  file << json_report(options, result);
  file.close();
  if (!file)
    std::fprintf(stderr, "%s: cannot write %s: %s\n", program.name.c_str(), options.json.c_str(), std::strerror(errno));
  return !file.fail();
}

}  // namespace

std::string help_asked(const Program& program, int argc, const char* const* argv) {
  const Parsed parsed = parse_options(argc, argv, program.name, program.description, program.variants);
  return parsed.done && parsed.exit_code == 0 ? parsed.message : "";
}

int drive(const Program& program, int argc, const char* const* argv, Job& job) {
  const Parsed parsed = parse_options(argc, argv, program.name, program.description, program.variants);
  if (parsed.done && parsed.exit_code != 0) return refuse(job, parsed.message);
  if (parsed.done) {
    if (job.rank() == 0) std::fputs(parsed.message.c_str(), stdout);
    return 0;
  }
  Options options = parsed.options;
  options.planning.local = job.local_work();
  if (options.progress && !options.planning.local.has_data) {
    return refuse(
        job, program.name + ": --progress prints checksums, and with --sim-data none there is no data; leave it out");
  }
  if (options.forward_only && !program.runs_forward_only)
    return refuse(job, program.name + ": --forward-only is for ft and ft-mpi; leave it out");
  const std::string problem = program.problem(options);
  if (!problem.empty()) return refuse(job, program.name + ": " + problem);
  std::ofstream json;
  if (!open_output(options.json, job, json)) {
    return refuse(job, program.name + ": cannot write " + options.json + "; choose another file for --json");
  }

  const Result result = program.run(options);
  if (job.rank() != 0) return exit_code(result);
  std::fputs(text_report(options, result).c_str(), stdout);
  return json.is_open() && !write_report(program, options, result, json) ? 1 : exit_code(result);
}

}  // namespace ft
