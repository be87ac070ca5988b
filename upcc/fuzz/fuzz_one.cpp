#include "fuzz/fuzz_one.hpp"

#include <string>

#include "emit/writer.hpp"
#include "lower/erase.hpp"
#include "lower/lower.hpp"
#include "parse/frontend.hpp"

int upcc_fuzz_one(const std::uint8_t* data, std::size_t size, int stage) {
  int errors = 0;
  upcc::run_on_big_stack([&] {
    upcc::FrontendOptions options;
    options.colour = upcc::Colour::never;
    options.warnings.all = options.warnings.extra = options.warnings.pedantic = true;
    // The first byte of the text decides between dynamic and static THREADS.
    options.static_threads = size > 0 && data[0] % 2 == 0 ? 4 : 0;
    upcc::Compilation compilation(std::string(reinterpret_cast<const char*>(data), size), "fuzz.upc", options, nullptr);
    std::string messages;
    compilation.diagnostics.capture(&messages);
    compilation.lex();
    if (stage >= UPCC_FUZZ_PARSE) compilation.parse();
    errors = compilation.diagnostics.error_count();
    if (stage < UPCC_FUZZ_LOWER || errors != 0) return;
    const upcc::Lowered erased = upcc::erase_upc(compilation.unit);
    upcc::write_c(compilation.unit, erased.text, erased.edits, {.mark_rewritten_lines = false, .exact_columns = true});
    for (const bool optimise : {false, true}) {
      upcc::LowerOptions lowering;
      lowering.pthreads = optimise;
      lowering.optimise.set_all(optimise);
      lowering.optimise.strict_aliasing = optimise;
      const upcc::Lowered lowered =
          upcc::lower(compilation.unit, compilation.sema->types(), compilation.sema->constants(), lowering);
      upcc::write_c(compilation.unit, lowered.text, lowered.edits, {});
    }
  });
  return errors;
}
