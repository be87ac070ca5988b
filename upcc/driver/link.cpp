#include "driver/link.hpp"

#include "driver/process.hpp"

namespace upcc::driver {

int link_program(const Toolchain& tools, const Options& options, const std::vector<std::string>& objects) {
  if (!options.no_link_runtime && tools.library_dir.empty()) {
    complain("cannot find libweft beside " + tools.include_dir + "; is upcc installed with the rest of Weft?");
    return 1;
  }
  std::vector<std::string> command = tools.cc;
  command.insert(command.end(), options.compile_args.begin(), options.compile_args.end());
  command.insert(command.end(), {"-o", options.output.empty() ? "a.out" : options.output});
  // Libraries and objects keep the order of the command line: it decides what a static library provides.
  std::size_t next = 0;
  for (std::size_t position = 0; position <= options.link_args.size(); ++position) {
    for (; next < objects.size() && options.inputs[next].link_position == position; ++next) {
      command.push_back(objects[next]);
    }
    if (position < options.link_args.size()) command.push_back(options.link_args[position]);
  }
  if (!options.no_link_runtime) {
    command.insert(command.end(),
                   {"-L" + tools.library_dir, "-Wl,-rpath," + tools.library_dir, "-lweft-upcrt", "-lweft", "-lm"});
  }
  if (options.pthreads) command.emplace_back("-pthread");
  const ProcessResult result = run_process(command, {.echo = options.verbose, .dry_run = options.dry_run});
  if (!result.started) {
    complain("cannot run the C compiler '" + command.front() + "': " + result.errors + "; set CC to a working one");
    return 1;
  }
  return result.exit_code == 0 ? 0 : 1;
}

}  // namespace upcc::driver
