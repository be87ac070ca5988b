#include "parse/frontend.hpp"

#include <pthread.h>

#include "parse/parser.hpp"

namespace upcc {

Compilation::Compilation(std::string text, std::string name, const FrontendOptions& opts, std::FILE* messages)
    : source(std::move(text), std::move(name)),
      diagnostics(source, opts.warnings, opts.colour, messages),
      unit(source),
      options(opts) {
  unit.static_threads = options.static_threads;
}

void Compilation::lex() {
  LexOptions lex_options;
  lex_options.gnu_keywords = options.gnu_keywords;
  lex_options.upc = options.upc;
  lex_options.upc_include = options.upc_include;
  install_keywords(unit.names, lex_options);
  upcc::lex(source, lex_options, unit.names, diagnostics, unit.tokens);
}

void Compilation::parse() {
  SemaOptions sema_options;
  sema_options.upc = options.upc;
  sema = std::make_unique<Sema>(unit, diagnostics, sema_options);
  Parser parser(unit, *sema, diagnostics);
  parser.translation_unit();
}

bool Compilation::run() {
  lex();
  parse();
  return diagnostics.error_count() == 0;
}

void run_on_big_stack(const std::function<void()>& fn) {
  constexpr std::size_t kStackBytes = std::size_t{1} << 30;  // reserved, touched only as deep as the program nests
  pthread_attr_t attributes;
  pthread_t thread{};
  const auto entry = [](void* arg) -> void* {
    (*static_cast<const std::function<void()>*>(arg))();
    return nullptr;
  };
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  void* argument = const_cast<std::function<void()>*>(&fn);
  const int status = pthread_create(&thread, &attributes, entry, argument);
  pthread_attr_destroy(&attributes);
  if (status != 0) {
    fn();  // no room for another stack: the caller's has to do
    return;
  }
  pthread_join(thread, nullptr);
}

}  // namespace upcc
