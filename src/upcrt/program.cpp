#include "upcrt/program.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "upcrt/state.hpp"

// Weak: a program whose main is not UPC may have no unit at all.
extern "C" const upcr_program_t upcr_program __attribute__((weak));

namespace weft::upcrt {
namespace {

struct ThreadsText {
  char text[40];
  explicit ThreadsText(uint64_t threads) {
    if (threads == 0)
      std::snprintf(text, sizeof text, "dynamic THREADS");
    else
      std::snprintf(text, sizeof text, "%" PRIu64 " threads", threads);
  }
};

const char* mode(const upcr_unit_t& unit) { return unit.pthreads != 0 ? "with" : "without"; }

void check_pair(const upcr_unit_t& first, const upcr_unit_t& unit) {
  if (unit.magic != UPCR_UNIT_MAGIC || unit.abi != UPCR_ABI)
    fail({}, "%s was compiled for another version of the UPC runtime; compile it again",
         unit.magic == UPCR_UNIT_MAGIC ? unit.file : "a unit of this program");
  if (unit.threads != first.threads)
    fail({}, "%s was compiled for %s, %s for %s; compile all units with the same --threads", first.file,
         ThreadsText(first.threads).text, unit.file, ThreadsText(unit.threads).text);
  if (unit.pthreads != first.pthreads)
    fail({}, "%s was compiled %s --pthreads, %s %s; compile all units alike", first.file, mode(first), unit.file,
         mode(unit));
}

void check_units(const upcr_unit_t& first, const upcr_program_t& of) {
  for (const upcr_unit_t* unit = of.units; unit < of.units_end; ++unit) check_pair(first, *unit);
}

// The shared libraries that the program is linked with. Each that has units has an upcr_program of its own.
void check_libraries(const upcr_unit_t& first) {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* library, size_t, void* out) {
        static_cast<std::vector<std::string>*>(out)->emplace_back(library->dlpi_name);
        return 0;
      },
      &names);
  for (const std::string& name : names) {
    void* library = name.empty() ? nullptr : ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    const void* units = ::dlsym(library, "upcr_program");
    if (units != nullptr) check_units(first, *static_cast<const upcr_program_t*>(units));
    ::dlclose(library);
  }
}

void check_same(const upcr_object_t& a, const upcr_object_t& b) {
  const bool same_type = a.type_id == b.type_id || a.type_id == 0 || b.type_id == 0;
  const bool same_size = a.bytes == b.bytes || a.bytes == 0 || b.bytes == 0;
  if (a.block == b.block && same_type && same_size) return;
  const bool blocks = a.block != b.block;
  const bool names = std::string_view(a.type) != b.type;
  const auto value = [&](const upcr_object_t& of) {
    if (blocks) return of.block == 0 ? std::string("indefinite block size") : "block size " + std::to_string(of.block);
    if (same_type) return std::to_string(of.bytes) + " bytes per thread";
    return names || &of == &a ? "type '" + std::string(of.type) + "'" : "another type of this name";
  };
  fail({a.file, a.line},
       "the shared object '%s' is declared here with %s, and at %s:%d with %s; all units must say the same: put "
       "the declaration in a header that they include",
       a.name, value(a).c_str(), b.file, b.line, value(b).c_str());
}

}  // namespace

Program Program::read() {
  Program program;
  if (&upcr_program == nullptr) return program;
  program.sections = &upcr_program;
  const upcr_unit_t& first = *upcr_program.units;
  program.static_threads = first.threads;
  program.pthreads = first.pthreads != 0;
  program.static_bytes = static_cast<uint64_t>(upcr_program.shared_end - upcr_program.shared) * UPCR_STATIC_SCALE;
  return program;
}

void Program::check(uint64_t threads) const {
  if (sections != nullptr) {
    check_units(*sections->units, *sections);
    check_libraries(*sections->units);
  }
  check_objects();
  if (static_threads != 0 && static_threads != threads)
    fail({},
         "this program was compiled for %" PRIu64 " threads but is run with %" PRIu64 "; run it with upcrun -n %" PRIu64
         ", or compile it without -T",
         static_threads, threads, static_threads);
  if (threads > static_cast<uint64_t>(UPCR_MAX_THREADS))
    fail({}, "%" PRIu64 " threads are more than the %d that a pointer-to-shared can name", threads, UPCR_MAX_THREADS);
}

void Program::check_objects() const {
  if (sections == nullptr || sections->objects == nullptr) return;
  std::unordered_map<std::string_view, const upcr_object_t*> first;
  for (const upcr_object_t* object = sections->objects; object < sections->objects_end; ++object) {
    if (object->external == 0) continue;
    const auto [known, is_new] = first.emplace(object->name, object);
    if (!is_new) check_same(*known->second, *object);
  }
}

const upcr_object_t* Program::largest_object() const {
  if (sections == nullptr || sections->objects == sections->objects_end) return nullptr;
  return std::max_element(sections->objects, sections->objects_end,
                          [](const upcr_object_t& a, const upcr_object_t& b) { return a.bytes < b.bytes; });
}

void Program::run_initialisers() const {
  if (sections == nullptr) return;
  for (const upcr_initialiser_t* f = sections->initialisers; f < sections->initialisers_end; ++f) (*f)();
}

}  // namespace weft::upcrt
