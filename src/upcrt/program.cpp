#include "upcrt/program.hpp"

#include <cinttypes>
#include <cstdio>

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

const char* mode(const upcr_unit& unit) { return unit.pthreads != 0 ? "with" : "without"; }

void check_pair(const upcr_unit& first, const upcr_unit& unit) {
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

}  // namespace

Program Program::read() {
  Program program;
  if (&upcr_program == nullptr) return program;
  program.sections = &upcr_program;
  const upcr_unit& first = *upcr_program.units;
  program.static_threads = first.threads;
  program.pthreads = first.pthreads != 0;
  program.static_bytes = static_cast<uint64_t>(upcr_program.shared_end - upcr_program.shared) * UPCR_STATIC_SCALE;
  return program;
}

void Program::check(uint64_t threads) const {
  if (sections != nullptr)
    for (const upcr_unit* unit = sections->units; unit < sections->units_end; ++unit)
      check_pair(*sections->units, *unit);
  if (static_threads != 0 && static_threads != threads)
    fail({},
         "this program was compiled for %" PRIu64 " threads but is run with %" PRIu64 "; run it with upcrun -n %" PRIu64
         ", or compile it without --threads",
         static_threads, threads, static_threads);
  if (threads > static_cast<uint64_t>(UPCR_MAX_THREADS))
    fail({}, "%" PRIu64 " threads are more than the %d that a pointer-to-shared can name", threads, UPCR_MAX_THREADS);
}

void Program::run_initialisers() const {
  if (sections == nullptr) return;
  for (const upcr_initialiser* f = sections->initialisers; f < sections->initialisers_end; ++f) (*f)();
}

}  // namespace weft::upcrt
