#include "driver/link.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "driver/process.hpp"
#include "lower/abi.hpp"

namespace upcc::driver {

namespace {

// With --pthreads every UPC thread has its own copy of a variable, an object made by another compiler just one.
void explain(const std::string& errors) {
  if (errors.find("mismatches non-TLS") == std::string::npos) return;
  std::fprintf(
      stderr,
      "upcc: note: with --pthreads private variables are thread-local, and this one is not in one of the objects:\n"
      "upcc: note: compile all UPC sources with --pthreads or all without; give upcc the C source of a C object, or\n"
      "upcc: note: declare the variable after '#pragma upc c_code', which makes it one object for all threads.\n");
}

// Whether an object file has static shared objects.
bool has_shared_objects(const std::string& path, Elf64_Half type) {
  std::string file;
  Elf64_Ehdr header{};
  if (!read_file(path, file) || file.size() < sizeof header) return false;
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != type) return false;
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  const std::size_t bytes = sections.size() * sizeof(Elf64_Shdr);
  if (header.e_shoff > file.size() || file.size() - header.e_shoff < bytes || header.e_shstrndx >= header.e_shnum)
    return false;
  std::memcpy(sections.data(), file.data() + header.e_shoff, bytes);
  const std::uint64_t names = sections[header.e_shstrndx].sh_offset;
  const auto size_of = [&](std::string_view name) {
    for (const Elf64_Shdr& section : sections) {
      const std::uint64_t at = names + section.sh_name;
      if (at < file.size() && std::string_view(file.c_str() + at) == name) return section.sh_size;
    }
    return Elf64_Xword{0};
  };
  // Every unit has a record in the one section and a byte, which is no object, in the other.
  return size_of("upc_shared") > size_of("upc_config") / abi::kUnitRecordSize;
}

// Static shared objects have their place in the program's own part of every segment, so a library that is loaded beside
// the program cannot bring any. The linker, too, refuses some objects for shared libraries, so they are looked at
// first; archives are not.
bool makes_shared_library(const Options& options) {
  return std::find(options.link_args.begin(), options.link_args.end(), "-shared") != options.link_args.end();
}

int refuse_shared_library(const Options& options, const std::vector<std::string>& objects) {
  const std::string output = options.output.empty() ? "a.out" : options.output;
  const bool linked = objects.empty();
  const bool found = linked ? has_shared_objects(output, ET_DYN)
                            : std::any_of(objects.begin(), objects.end(),
                                          [](const std::string& object) { return has_shared_objects(object, ET_REL); });
  if (!found) return 0;
  if (linked) std::remove(output.c_str());
  complain(
      "a shared library cannot define static shared objects; allocate them with upc_all_alloc, or link the objects "
      "into the program or a static library");
  return 1;
}

}  // namespace

int link_program(const Toolchain& tools, const Options& options, const std::vector<std::string>& objects) {
  if (!options.no_link_runtime && tools.library_dir.empty()) {
    complain("cannot find libweft beside " + tools.include_dir + "; is upcc installed with the rest of Weft?");
    return 1;
  }
  if (makes_shared_library(options) && !options.dry_run && refuse_shared_library(options, objects) != 0) return 1;
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
  // The runtime is C++ inside; its shared library remembers that by itself.
  const bool is_static = std::any_of(options.link_args.begin(), options.link_args.end(),
                                     [](const std::string& arg) { return arg == "-static" || arg == "-static-pie"; });
  if (is_static && !options.no_link_runtime) command.insert(command.end(), {"-lstdc++", "-lpthread", "-ldl"});
  if (options.pthreads) command.emplace_back("-pthread");
  const ProcessResult result =
      run_process(command, {.capture_errors = true, .echo = options.verbose, .dry_run = options.dry_run});
  if (!result.started) {
    complain("cannot run the C compiler '" + command.front() + "': " + result.errors + "; set CC to a working one");
    return 1;
  }
  std::fputs(result.errors.c_str(), stderr);
  if (result.exit_code == 0) return options.no_link_runtime ? refuse_shared_library(options, {}) : 0;
  explain(result.errors);
  return 1;
}

}  // namespace upcc::driver
