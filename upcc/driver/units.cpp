#include "driver/units.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "driver/object_file.hpp"
#include "lower/abi.hpp"

namespace upcc::driver {

namespace {

struct Unit {
  std::string file;
  std::int64_t threads;  // 0: dynamic
  bool pthreads;
};

std::vector<Unit> units_of(const std::string& path) {
  constexpr const char* section = "upc_config";
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

}  // namespace

int refuse_units(const Options& options) {
  const std::string program = options.output.empty() ? "a.out" : options.output;
  const std::string found = difference(units_of(program), options);
  if (found.empty()) return 0;
  std::remove(program.c_str());
  complain(found);
  return 1;
}

}  // namespace upcc::driver
