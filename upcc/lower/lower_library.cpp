#include <algorithm>
#include <array>

#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

// Calls of the UPC library's functions become calls of the runtime's own, which are inline or are told the caller's
// place for messages. (Macros in the headers could do that, too, but would split compound literals at their commas, and
// messages about arguments would speak of what the macros expand to.) Taking the address of a function is not touched.

namespace upcc {

namespace {

struct LibraryFunction {
  std::string_view name;
  std::string_view runtime;
  bool wants_place;  // file and line as further arguments
};

constexpr std::array<LibraryFunction, 15> kFunctions{{
    {"upc_all_free", "upcr_all_free_at", true},
    {"upc_all_lock_free", "upcr_all_lock_free_at", true},
    {"upc_free", "upcr_free_at", true},
    {"upc_lock", "upcr_lock_at", true},
    {"upc_lock_attempt", "upcr_lock_attempt_at", true},
    {"upc_lock_free", "upcr_lock_free_at", true},
    {"upc_unlock", "upcr_unlock_at", true},
    {"upc_memcpy", "upcr_memcpy", true},
    {"upc_memget", "upcr_memget", true},
    {"upc_memput", "upcr_memput", true},
    {"upc_memset", "upcr_memset", true},
    {"upc_addrfield", "upcr_addrfield", false},
    {"upc_phaseof", "upcr_phaseof", false},
    {"upc_resetphase", "upcr_resetphase", false},
    {"upc_threadof", "upcr_threadof", false},
}};

}  // namespace

// Empty for any other call.
std::string Lowerer::library_call(const CallExpr* e) {
  if (e->direct == nullptr || !e->direct->wants_place) return {};
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&](const LibraryFunction& f) { return f.name == e->direct->name->text; });
  const bool known = found != kFunctions.end();
  const std::string function =
      known ? std::string(found->runtime)
            : "(upcr_place(" + here(e->callee->loc) + "), " + std::string(e->direct->name->text) + ")";
  std::vector<Child> children{{e->callee->tokens, function}};
  for (const Expr* arg : e->args) children.emplace_back(arg->tokens, expr(arg));
  const std::uint32_t close = e->tokens.last - 1;
  const std::string place = known && found->wants_place ? ", " + here(e->callee->loc) : std::string();
  return splice({e->tokens.first, close}, std::move(children)) + place + text::tokens({close, e->tokens.last});
}

}  // namespace upcc
