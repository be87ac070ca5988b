#include "driver/units.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

#include "driver/object_file.hpp"
#include "lower/abi.hpp"
#include "sema/warnings.hpp"

namespace upcc::driver {

namespace {

struct Unit {
  std::string file;
  std::int64_t threads;  // 0: dynamic
  bool pthreads;
};

constexpr const char* section = "upc_config";

std::vector<Unit> units_of(const std::string& path) {
  const ObjectFile file(path);
  std::vector<Unit> out;
  if (file.type() != ET_EXEC && file.type() != ET_DYN) return out;
  const std::string_view records = file.content_of(section);
  for (std::size_t at = 0; at + sizeof(abi::UnitRecord) <= records.size(); at += sizeof(abi::UnitRecord)) {
    abi::UnitRecord record;
    std::memcpy(&record, records.data() + at, sizeof record);
    out.push_back({std::string(file.text_behind(section, at + offsetof(abi::UnitRecord, file))),
                   static_cast<std::int64_t>(record.threads), record.pthreads != 0});
  }
  return out;
}

std::string option(std::int64_t threads) { return "-T " + std::to_string(threads); }

std::string text(std::int64_t threads) {
  return threads == 0 ? "for any number of threads" : "with " + option(threads);
}

const char* text(bool pthreads) { return pthreads ? "with --pthreads" : "without --pthreads"; }

// The first difference, as a sentence. Empty if there is none.
std::string difference(const std::vector<Unit>& units, const Options& options) {
  for (const Unit& unit : units) {
    if (options.threads != 0 && unit.threads != options.threads)
      return unit.file + " was compiled " + text(unit.threads) + ", and this command gives " + option(options.threads) +
             "; compile " + unit.file + " with " + option(options.threads) + ", too";
    if (options.pthreads && !unit.pthreads)
      return unit.file + " was compiled without --pthreads, which this command gives; compile " + unit.file +
             " with --pthreads, too";
    const Unit& first = units.front();
    if (unit.threads != first.threads)
      return first.file + " was compiled " + text(first.threads) + ", and " + unit.file + " " + text(unit.threads) +
             "; compile all units with the same -T, or all without";
    if (unit.pthreads != first.pthreads)
      return first.file + " was compiled " + text(first.pthreads) + ", and " + unit.file + " " + text(unit.pthreads) +
             "; compile all units with it, or all without";
  }
  return {};
}

// An object that sees the process where the program's threads are more. Empty if there is none. A program that has the
// runtime inside has the view in any case; in others it stands only where an object refers to it.
std::string view_of_process(const std::string& program, const Options& options,
                            const std::vector<std::string>& objects) {
  const auto find = [](const std::vector<ObjectFile::Symbol>& symbols, const char* name, bool only_defined) {
    return std::any_of(symbols.begin(), symbols.end(), [&](const ObjectFile::Symbol& symbol) {
      return symbol.name == name && (symbol.defined || !only_defined);
    });
  };
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const ObjectFile file(objects[i]);
    if (file.type() == ET_REL && find(file.global_symbols(), abi::kProcessView, false)) return options.inputs[i].path;
  }
  const ObjectFile file(program);
  const std::vector<ObjectFile::Symbol> symbols = file.global_symbols();
  const bool found = find(symbols, abi::kProcessView, false) && !find(symbols, abi::kStart, true);
  return found ? "an object of a library" : "";
}

bool is_thread_local(const ObjectFile& file) {
  return file.size_of(section) != 0 || file.size_of(abi::kThreadLocalC) != 0;
}

// What upcc --pthreads made of the program refers to these as objects that are one for all threads, or as functions.
std::unordered_set<std::string> names_in_c_code(const std::vector<std::string>& objects) {
  std::unordered_set<std::string> out;
  for (const std::string& object : objects) {
    const ObjectFile file(object);
    if (file.type() != ET_REL || !is_thread_local(file)) continue;
    for (const ObjectFile::Symbol& symbol : file.global_symbols()) out.emplace(symbol.name);
  }
  return out;
}

// The variables of an object, as its source names them. What compilers and C++'s library add is theirs.
std::vector<std::string> variables_of(const ObjectFile& file, const std::unordered_set<std::string>& known) {
  std::vector<std::string> out;
  for (const std::string_view symbol : file.variables()) {
    const auto starts = [&](const char* word) { return symbol.starts_with(word); };
    if (starts("__") || starts("_ZSt") || starts("_ZGV") || starts("DW.ref.")) continue;
    if (known.contains(std::string(symbol))) continue;
    std::string name(symbol);
    if (char* plain = ::abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr); plain != nullptr) {
      name = plain;
      std::free(plain);
    }
    // A static variable of a function: calls.0
    const auto dot = name.find_last_not_of("0123456789");
    if (dot != std::string::npos && dot != 0 && name[dot] == '.') name.resize(dot);
    out.push_back("'" + name + "'");
  }
  return out;
}

// Returns the exit code, which -Werror makes 1.
int warn_of_variables(const Options& options, const std::vector<std::string>& objects) {
  constexpr std::size_t named = 3;
  const WarningOptions& wanted = options.warnings;
  if (!wanted.wants(warning::kObjectData, WarnLevel::always)) return 0;
  const std::unordered_set<std::string> known = names_in_c_code(objects);
  const bool is_error = wanted.makes_error(warning::kObjectData, WarnLevel::always);
  int status = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const ObjectFile file(objects[i]);
    if (file.type() != ET_REL || is_thread_local(file)) continue;
    const std::vector<std::string> variables = variables_of(file, known);
    if (variables.empty()) continue;
    std::string list;
    for (std::size_t k = 0; k < std::min(variables.size(), named); ++k) list += (k == 0 ? "" : ", ") + variables[k];
    if (variables.size() > named) list += " and " + std::to_string(variables.size() - named) + " more";
    std::fprintf(stderr,
                 "upcc: %s: %s was not compiled by upcc --pthreads, so its variables are one for all threads of a "
                 "process: %s%s\n",
                 is_error ? "error" : "warning", options.inputs[i].path.c_str(), list.c_str(),
                 WarningOptions::mark(warning::kObjectData, is_error).c_str());
    if (is_error) status = 1;
  }
  return status;
}

}  // namespace

int check_units(const Options& options, const std::vector<std::string>& objects) {
  const std::string program = program_of(options);
  const std::vector<Unit> units = units_of(program);
  std::string found = difference(units, options);
  const bool pthreads = !units.empty() && units.front().pthreads;
  if (found.empty() && pthreads) {
    const std::string object = view_of_process(program, options, objects);
    if (!object.empty())
      found = object + " was compiled without --pthreads and asks the runtime for MYTHREAD, THREADS or addresses, " +
              "which it would not get; compile it with upcc --pthreads, or with -DUPCR_PTHREADS=1";
  }
  if (!found.empty()) complain(found);
  if (found.empty() && (!pthreads || warn_of_variables(options, objects) == 0)) return 0;
  std::remove(program.c_str());
  return 1;
}

}  // namespace upcc::driver
