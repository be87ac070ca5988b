#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

namespace upcc {

void Lowerer::function(const DeclGroup& group) {
  const auto* f = static_cast<const FunctionDecl*>(group.decls[0]);
  planner_.enter(f);
  bool signature_uses_upc = mentions_shared(f->type) || has_upc_tokens({group.tokens.first, f->body->tokens.first});
  std::string captures;
  for (const ParamDecl* param : f->params) {
    signature_uses_upc = signature_uses_upc || mentions_shared(param->type);
    captures += capture_extents(param->type, param->loc);
  }
  // First the body: what it moves to file scope must come before the function.
  std::string body = block(f->body);
  if (group.defines_tag && group.tag != nullptr && group.specifiers_use_upc) emit(tag_definition(group));
  if (signature_uses_upc) {
    emit(text::line(f->loc));
    emit(storage_prefix(group, f->storage, false) + (f->is_inline ? "inline " : "") +
         (f->noreturn ? "_Noreturn " : "") +
         attributes_in({group.tokens.first, f->body->tokens.first},
                       group.tag == nullptr ? TokenRange{} : group.tag->definition) +
         printer_.declare_function(f, std::string(f->name->text)));
  } else {
    emit(text::tokens({group.tokens.first, f->body->tokens.first}));
  }
  if (!captures.empty()) {
    // After the opening brace, which is the first token of the body.
    body = text::tokens({f->body->tokens.first, f->body->tokens.first + 1}) + captures + "{" + body + "}}";
  }
  emit(body);
  if (defines_main(group)) main_function(f);
}

// The runtime's main calls this one.
void Lowerer::main_function(const FunctionDecl* f) {
  const std::size_t arguments = f->params.size();
  const std::string call = arguments == 0   ? "main()"
                           : arguments == 1 ? "main(upcc_argc)"
                           : arguments == 2 ? "main(upcc_argc, upcc_argv)"
                                            : "main(upcc_argc, upcc_argv, upcc_environment)";
  const bool has_value = !f->function_type()->result->is_void();
  emit(
      "\nint upcr_user_main(int upcc_argc, char** upcc_argv, char** upcc_environment) { (void)upcc_argc; "
      "(void)upcc_argv; "
      "(void)upcc_environment; " +
      (has_value ? "return " + call + ";" : call + "; return 0;") + " }\n");
}

}  // namespace upcc
