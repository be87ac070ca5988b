#include "driver/link.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "driver/object_file.hpp"
#include "driver/process.hpp"
#include "driver/units.hpp"
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

// Whether an object file has static shared objects. Every unit has a record in the one section and a byte, which is no
// object, in the other.
bool has_shared_objects(const std::string& path, Elf64_Half type) {
  const ObjectFile file(path);
  return file.type() == type && file.size_of("upc_shared") > file.size_of("upc_config") / sizeof(abi::UnitRecord);
}

// Static shared objects have their place in the program's own part of every segment, so a library that is loaded beside
// the program cannot bring any. The linker, too, refuses some objects for shared libraries, so they are looked at
// first; archives are not.
bool makes_shared_library(const Options& options) {
  return std::find(options.link_args.begin(), options.link_args.end(), "-shared") != options.link_args.end();
}

int refuse_shared_library(const Options& options, const std::vector<std::string>& objects) {
  const std::string output = program_of(options);
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

void complain_of_main() {
  complain("the program has no main; define 'int main(void)' or 'int main(int, char **)' in one of its UPC files");
}

// What the units define: whether there is a main among it, and what they say of objects that are shared in one of them.
// For the linker, private objects of these names are others.
class DefinedNames {
 public:
  DefinedNames(const Options& options, const std::vector<std::string>& objects);

  // UPC's or another language's.
  [[nodiscard]] bool has_main() const { return !mains_.empty(); }

  // Where an object is shared, or null.
  [[nodiscard]] const std::string* file_of(const std::string& name) const {
    const auto found = shared_.find(name);
    return found == shared_.end() ? nullptr : &found->second;
  }
  // An object must not be shared in one unit and defined as a private one in another.
  [[nodiscard]] int refuse_private() const;
  // The linker sees no conflict between a main of UPC and one of another language.
  [[nodiscard]] int refuse_second_main() const;
  // The same for what comes from libraries, where main may be missing as well.
  [[nodiscard]] int check_main_of(const std::string& program) const;

 private:
  std::vector<std::string> mains_;                            // files
  std::unordered_map<std::string, std::string> shared_;       // names to files
  std::vector<std::pair<std::string, std::string>> private_;  // definitions, with their files
};

DefinedNames::DefinedNames(const Options& options, const std::vector<std::string>& objects) {
  constexpr std::string_view prefix = abi::kSharedSymbol;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const ObjectFile file(objects[i]);
    if (file.type() != ET_REL) continue;
    for (const ObjectFile::Symbol& symbol : file.global_symbols()) {
      if (symbol.defined && (symbol.name == "main" || symbol.name == "upcr_user_main"))
        mains_.push_back(options.inputs[i].path);
      if (symbol.name.starts_with(prefix))
        shared_.emplace(symbol.name.substr(prefix.size()), options.inputs[i].path);
      else if (symbol.defined)
        private_.emplace_back(symbol.name, options.inputs[i].path);
    }
  }
}

int DefinedNames::refuse_private() const {
  int status = 0;
  for (const auto& [name, file] : private_) {
    const std::string* other = file_of(name);
    if (other == nullptr) continue;
    complain("'" + name + "' is private in " + file + " and shared in " + *other +
             "; declare it the same in both, or rename one");
    status = 1;
  }
  return status;
}

int DefinedNames::refuse_second_main() const {
  if (mains_.size() < 2) return 0;
  complain("main is defined in " + mains_[0] + " and in " + mains_[1] + "; a program has one");
  return 1;
}

// The runtime's main starts the program's, which a UPC unit defines as upcr_user_main, unless the program has a main of
// its own in another language. The linker misses it in a static program only.
int DefinedNames::check_main_of(const std::string& program) const {
  bool of_upc = false, has_other = false, lacks = false, of_runtime = false;
  const ObjectFile file(program);
  for (const ObjectFile::Symbol& symbol : file.global_symbols()) {
    of_upc = of_upc || (symbol.name == "upcr_user_main" && symbol.defined);
    of_runtime = of_runtime || (symbol.name == abi::kBesideMain && symbol.defined);
    has_other = has_other || (symbol.name == "main" && symbol.defined);
    lacks = lacks || (symbol.name == "main" && !symbol.defined);
  }
  const bool twice = of_upc && has_other && !of_runtime;
  if (!twice && (of_upc || !lacks)) return 0;
  std::remove(program.c_str());
  if (!twice)
    complain_of_main();
  else
    complain("main is defined in UPC and in another language, in " + (mains_.empty() ? "libraries" : mains_[0]) +
             (mains_.empty() ? "" : " and in a library") + "; a program has one");
  return 1;
}

// The names that stand behind these words in the messages of linkers.
std::unordered_set<std::string> names_behind(std::initializer_list<std::string_view> words, const std::string& errors) {
  std::unordered_set<std::string> names;
  for (const std::string_view start : words) {
    for (std::size_t at = errors.find(start); at != std::string::npos; at = errors.find(start, at + 1)) {
      const std::size_t from = at + start.size();
      names.insert(errors.substr(from, errors.find_first_of("'\n", from) - from));
    }
  }
  return names;
}

// The linker's messages about names that only UPC code may use, that it does not have, or that C99 makes none of.
void explain_undefined(const std::string& errors, const DefinedNames& names,
                       const std::unordered_set<std::string>& inlines) {
  for (std::string name :
       names_behind({"undefined reference to `", "undefined reference to '", "undefined symbol: "}, errors)) {
    if (inlines.contains(name))
      std::fprintf(
          stderr,
          "upcc: note: '%s' is an inline function without an external definition, which C99 wants in one unit: "
          "make it\n"
          "upcc: note: 'static inline', declare it 'extern' in one unit, or give -fgnu89-inline.\n",
          name.c_str());
    const std::size_t prefix = std::string_view(abi::kSharedSymbol).size();
    const bool in_upc = name.starts_with(abi::kSharedSymbol);
    if (in_upc) name.erase(0, prefix);
    const std::string* file = names.file_of(name);
    if (file == nullptr) continue;
    if (in_upc)
      std::fprintf(stderr, "upcc: note: the shared object '%s' is declared but no UPC file defines it\n", name.c_str());
    else
      std::fprintf(
          stderr,
          "upcc: note: '%s' is shared in %s, and the code that uses it here declares it private. C cannot use\n"
          "upcc: note: shared objects: hand it a pointer to the thread's own part, or make its file UPC.\n",
          name.c_str(), file->c_str());
  }
}

void explain_repeated(const std::string& errors) {
  const std::string_view prefix = abi::kSharedSymbol;
  for (const std::string& name :
       names_behind({"multiple definition of `", "multiple definition of '", "duplicate symbol: "}, errors)) {
    if (name == "upcr_user_main")
      std::fprintf(stderr,
                   "upcc: note: that is main, which several UPC files define, in libraries, too: a program has one\n");
    if (!name.starts_with(prefix)) continue;
    std::fprintf(stderr,
                 "upcc: note: several UPC files define the shared object '%s': declare it 'extern' in all but one\n",
                 name.c_str() + prefix.size());
  }
}

// Messages speak of the user's files, not of objects in a temporary folder.
std::string with_names_of_inputs(std::string errors, const Options& options, const std::vector<std::string>& objects) {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (objects[i] == options.inputs[i].path) continue;
    for (std::size_t at = errors.find(objects[i]); at != std::string::npos; at = errors.find(objects[i], at))
      errors.replace(at, objects[i].size(), options.inputs[i].path);
    // Some linkers name the object and the source.
    const std::string once = options.inputs[i].path + ":";
    const std::string twice = once + once;
    for (std::size_t at = errors.find(twice); at != std::string::npos; at = errors.find(twice, at))
      errors.replace(at, twice.size(), once);
  }
  return errors;
}

}  // namespace

int link_program(const Toolchain& tools, const Options& options, const std::vector<std::string>& objects,
                 const std::unordered_set<std::string>& inlines) {
  if (!options.no_link_runtime && tools.library_dir.empty()) {
    complain("cannot find libweft beside " + tools.include_dir + "; is upcc installed with the rest of Weft?");
    return 1;
  }
  const DefinedNames names(options, options.dry_run ? std::vector<std::string>() : objects);
  if (names.refuse_private() != 0 || names.refuse_second_main() != 0) return 1;
  if (makes_shared_library(options) && !options.dry_run && refuse_shared_library(options, objects) != 0) return 1;
  std::vector<std::string> command = options.link_with.empty() ? tools.cc : options.link_with;
  if (options.link_with.empty() && tools.is_clang()) command.emplace_back("-Qunused-arguments");
  command.insert(command.end(), options.compile_args.begin(), options.compile_args.end());
  command.insert(command.end(), {"-o", program_of(options)});
  // A static library's UPC main is wanted as one of C would be.
  if (!options.no_link_runtime && !names.has_main()) command.emplace_back("-Wl,-u,upcr_user_main");
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
  if (is_static && !options.no_link_runtime) command.insert(command.end(), {"-lstdc++", "-lm", "-lpthread", "-ldl"});
  if (options.pthreads) command.emplace_back("-pthread");
  const ProcessResult result =
      run_process(command, {.capture_errors = true, .echo = options.verbose, .dry_run = options.dry_run});
  if (!result.started) {
    complain(options.link_with.empty()
                 ? "cannot run the C compiler '" + command.front() + "': " + result.errors + "; set CC to a working one"
                 : "cannot link with '" + command.front() + "': " + result.errors + "; give -link-with a command");
    return 1;
  }
  std::fputs(with_names_of_inputs(result.errors, options, objects).c_str(), stderr);
  if (result.exit_code == 0 && !options.dry_run) {
    if (check_units(options, objects) != 0) return 1;
    if (options.no_link_runtime) return refuse_shared_library(options, {});
    return makes_shared_library(options) ? 0 : names.check_main_of(program_of(options));
  }
  if (result.exit_code == 0) return 0;
  for (const char* missing : {"undefined reference to `upcr_user_main'", "undefined symbol: upcr_user_main"})
    if (result.errors.find(missing) != std::string::npos) complain_of_main();
  explain(result.errors);
  explain_undefined(result.errors, names, inlines);
  explain_repeated(result.errors);
  return 1;
}

}  // namespace upcc::driver
