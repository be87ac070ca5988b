// What a piece of code may do, and so what stays the same in it. Every pass asks here; none decides for itself what is
// invariant, what may be copied and where control may enter.
#pragma once

#include <unordered_set>
#include <vector>

#include "ast/stmt.hpp"
#include "ast/translation_unit.hpp"
#include "ast/walk.hpp"
#include "lex/token.hpp"
#include "sema/consteval.hpp"

namespace upcc {

// What one function, or a whole unit, says about variables wherever it mentions them: those whose address it takes may
// change by a store through a pointer, and by a call. A variable that is declared more than once counts as one of them.
class AddressTaken {
 public:
  AddressTaken() = default;
  explicit AddressTaken(const FunctionDecl* function);
  explicit AddressTaken(const TranslationUnit& unit);
  [[nodiscard]] bool contains(const Decl* decl) const { return decls_.contains(decl); }

 private:
  [[nodiscard]] Visitor watcher();
  void add(const Decl* decl);

  std::unordered_set<const Decl*> decls_;
};

// What effects are judged by.
struct EffectContext {
  const ConstEvaluator& constants;
  const std::vector<Token>& tokens;
  bool strict_aliasing = false;     // objects of different types are different objects (C11 6.5p7)
  bool weak_functions = false;      // the unit may have some
  bool aliases = false;             // ... and variables with other names
  AddressTaken address_taken = {};  // anywhere in the unit
};

[[nodiscard]] EffectContext effect_context(const TranslationUnit& unit, const ConstEvaluator& constants,
                                           bool strict_aliasing);

// The effects of the statements and expressions that were added, all of them together and in any order.
class Effects {
 public:
  Effects(const EffectContext& context, const AddressTaken& address_taken)
      : context_(&context), address_taken_(&address_taken) {}

  void add(const Stmt* s);
  void add(const Expr* e);
  void add_change_of(const Decl* variable) { changed_.insert(variable); }
  // A call in what is added later, which does nothing that the caller does not know.
  void leave_out(const CallExpr* call) { left_out_.insert(call); }

  // The same effects for one value of a variable that is declared, or changed, here.
  [[nodiscard]] Effects with_constant(const Decl* variable) const;

  // Whether a variable is assigned by its name, or declared here.
  [[nodiscard]] bool changes(const Decl* variable) const { return changed_.contains(variable); }
  [[nodiscard]] bool takes_address_of(const Decl* variable) const { return address_taken_->contains(variable); }

  // Whether e has one value, whenever it is computed here, and can be computed even where the program would not: it has
  // no effect and does not trap. Loads through pointers and of array elements may trap, so may floating-point
  // arithmetic, and loads of shared objects may see what another thread writes: these are allowed only where the caller
  // gives `loads`, and reported there.
  [[nodiscard]] bool same_value(const Expr* e, bool* loads = nullptr) const;
  // The same for the object that an lvalue designates (not for what is in it).
  [[nodiscard]] bool same_place(const Expr* lvalue, bool* loads = nullptr) const;
  // Whether a store through a private pointer, or a call, may change an object of this type that no variable is.
  [[nodiscard]] bool stores_by_pointer(const Type* object) const;
  // Whether e means the same in front of this code: it names nothing that is declared here.
  [[nodiscard]] bool means_the_same_before(const Expr* e) const;

  // There must be one copy of the code: it has labels, statics or assembly.
  [[nodiscard]] bool one_copy() const { return one_copy_; }
  // Control may come in elsewhere than at the beginning: by goto or by a switch around it.
  [[nodiscard]] bool entered() const { return entered_; }
  // A break of a loop or switch around, or a goto.
  [[nodiscard]] bool leaves() const { return leaves_; }
  // Something ends before its time, also in an inner loop: break, goto, return.
  [[nodiscard]] bool ends_early() const { return ends_early_; }
  // Relaxed accesses may be performed before this code, or after it: it has no strict access, fence, barrier or
  // assembly, and calls nothing that might access shared memory or order accesses (UPC 5.1.2.3).
  [[nodiscard]] bool lets_accesses_move() const { return !strict_ && !orders_; }

 private:
  struct Around;
  [[nodiscard]] Visitor watcher();
  void add_control(const Stmt* statement, Around around);
  void assigned(const Expr* lvalue);
  void declare_tags(TokenRange range);
  [[nodiscard]] static bool may_raise(bool* loads);
  [[nodiscard]] bool stored_over(const std::unordered_set<const Type*>& stored, const Type* object) const;
  [[nodiscard]] bool same_variable(const Decl* decl) const;
  [[nodiscard]] bool has_no_pointers_to_it(const VarDecl* variable) const;
  [[nodiscard]] bool same_load(const CastExpr* load, bool* loads) const;

  const EffectContext* context_;
  const AddressTaken* address_taken_;
  std::unordered_set<const CallExpr*> left_out_;
  std::unordered_set<const Decl*> changed_;         // assigned, or declared here
  std::unordered_set<const Name*> declared_;        // variables, types, constants, tags
  std::unordered_set<const Type*> stored_;          // types of stores to private memory that pointers may point to
  std::unordered_set<const Type*> pointer_stored_;  // types of those that name no variable
  std::unordered_set<const Type*> shared_stored_;   // types of stores to shared memory
  bool strict_ = false;                             // has strict accesses
  bool calls_ = false;                              // of functions that might change variables of the program
  bool memory_calls_ = false;                       // ... or other memory
  bool any_call_ = false;
  bool orders_ = false;  // synchronises, or may access shared memory by other means than expressions of this code
  bool one_copy_ = false;
  bool entered_ = false;
  bool leaves_ = false;
  bool ends_early_ = false;
};

// Whether a call comes back to where it is: of library functions those that are not said to end the program, of others
// those of this unit that are plain C and call nothing else.
[[nodiscard]] bool surely_returns(const CallExpr* call, const EffectContext& context);

// Whether a call might access shared memory, or order accesses to it.
[[nodiscard]] bool may_order_accesses(const CallExpr* call, const EffectContext& context);

// Whether two side-effect free expressions are the same computation.
[[nodiscard]] bool same_expression(const Expr* a, const Expr* b);
// Without parentheses and __extension__.
[[nodiscard]] const Expr* strip_parens(const Expr* e);
// The array that becomes the pointer e, without parentheses; null if none does.
[[nodiscard]] const Expr* decayed_array(const Expr* e);

}  // namespace upcc
