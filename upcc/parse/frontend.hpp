// The front end as one call: preprocessed text in, checked translation unit out.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ast/translation_unit.hpp"
#include "basic/diagnostics.hpp"
#include "lex/lexer.hpp"
#include "sema/sema.hpp"

namespace upcc {

struct FrontendOptions {
  bool upc = true;                  // false: plain C
  bool gnu_keywords = true;         // `asm` and `typeof`
  std::int64_t static_threads = 0;  // 0 = dynamic THREADS
  std::string upc_include;          // directory of our own headers
  WarningOptions warnings;
  Colour colour = Colour::automatic;
};

// Owns everything one translation unit refers to.
struct Compilation {
  Compilation(std::string text, std::string name, const FrontendOptions& options, std::FILE* messages);

  SourceText source;
  Diagnostics diagnostics;
  TranslationUnit unit;
  FrontendOptions options;
  std::unique_ptr<Sema> sema;  // keeps the types; made by parse()

  void lex();
  void parse();  // and check
  // lex and parse; true when there was no error
  [[nodiscard]] bool run();
};

// Runs fn on a stack large enough for the deepest program the parser accepts, whatever the limits of the caller.
void run_on_big_stack(const std::function<void()>& fn);

}  // namespace upcc
