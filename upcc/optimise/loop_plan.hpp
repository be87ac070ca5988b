// What the optimiser decides about a loop, before it is lowered: the passes fill a LoopPlan, lowering writes it down
// (lower/lower_loop.cpp).
//
// The idea behind all of it: iterations of a counted loop fall into runs in which every shared access moves by a
// constant number of bytes in one thread's memory. At the start of a run each access gets a plain pointer; inside it is
// plain C that the C compiler can vectorise. upc_forall contributes the runs that belong to this thread; layouts
// contribute where blocks end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ast/stmt.hpp"
#include "optimise/effects.hpp"
#include "optimise/options.hpp"
#include "sema/types.hpp"

namespace upcc {

// A variable that the loop's step moves with the index: an integer, or a pointer.
struct SecondIndex {
  const Decl* variable = nullptr;
  std::int64_t step = 1;        // in each iteration
  const Expr* first = nullptr;  // where the loop's init clause declares it; else null, and it keeps its value
};

// for (index = first; index REL limit; index += step * stride): up with < and <=, down with > and >=.
struct LoopShape {
  const Decl* index = nullptr;
  bool declared_inside = false;  // index lives in the loop's init clause
  const Expr* first = nullptr;   // null: index keeps its value
  const Expr* limit = nullptr;   // null for 0
  std::int64_t ahead = 0;        // index + ahead is what the condition compares with the limit
  bool ahead_may_wrap = false;   // that sum is unsigned
  bool condition_steps = false;  // the condition makes the step, also before the first iteration
  bool inclusive = false;        // <= or >=
  bool until_equal = false;      // !=
  bool is_unsigned = false;      // compared as unsigned numbers
  std::int64_t step = 1;         // its sign is the direction
  const Expr* stride = nullptr;  // null for 1; positive, which is tested before the loop
  bool stride_is_threads = false;
  std::vector<SecondIndex> seconds;

  [[nodiscard]] const SecondIndex* second(const Decl* variable) const {
    const auto found =
        std::find_if(seconds.begin(), seconds.end(), [&](const SecondIndex& s) { return s.variable == variable; });
    return found == seconds.end() ? nullptr : &*found;
  }
  // A parameter or an automatic variable.
  [[nodiscard]] bool index_is_local() const {
    const auto* variable = decl_cast<VarDecl>(index);
    return index->kind == DeclKind::param || (variable != nullptr && variable->duration == StorageDuration::automatic);
  }
  // How it moves when the index grows by one, if that is a whole number.
  [[nodiscard]] std::optional<std::int64_t> per_index(const SecondIndex& second) const {
    if (stride != nullptr || second.step % step != 0) return std::nullopt;
    return second.step / step;
  }
  // An unsigned index may step over its limit and the end of its type.
  [[nodiscard]] bool may_overstep() const { return is_unsigned && step > 0 && (step > 1 || stride != nullptr); }
  // Whether the loop must be looked at before it is run as planned.
  [[nodiscard]] bool tested() const {
    return may_overstep() || ahead_may_wrap || (stride != nullptr && !stride_is_threads);
  }
};

// Without parentheses and conversions of integers and pointers-to-shared that keep the value.
[[nodiscard]] const Expr* strip_conversions(const Expr* e);
// The pointer whose thread == or != compares with MYTHREAD, or null.
[[nodiscard]] const Expr* pointer_compared(const BinaryExpr* comparison);

// So many iterations within a block are worth a pointer that moves by bytes (strength_reduction).
inline constexpr std::uint64_t kShortestRun = 8;

// What the runtime calls an update that it can send to the owner of the object (weft/upcrt/update.h).
struct UpdateKind {
  const char* op;    // UPCR_UPDATE_...
  const char* type;  // the same
};
// What `x op= v`, ++x and the like change; null of others.
[[nodiscard]] const Expr* updated_lvalue(const Expr* e);
// Of such an update; null if the owner cannot compute what the program would.
[[nodiscard]] std::optional<UpdateKind> update_kind(const Expr* update, const TypeContext& types);

// Calls of upc_atomic_relaxed() in a loop whose result nobody wants: all of them may take effect when the loop ends.
struct AtomicUpdates {
  std::vector<const CallExpr*> calls;
  bool apart = false;  // nothing else in the loop can access what they change, through a private pointer either
  // The target of the only call, if its subscript says which object it is: the rest of it, and the domain, do not
  // change in the loop.
  const SubscriptExpr* by_index = nullptr;
};
// What the runtime calls the operation of such a call (weft/upcrt/update.h); null of others.
[[nodiscard]] const char* atomic_update_op(const CallExpr* call, const ConstEvaluator& constants);

// A loop, and whose iterations are this thread's: all, or those that an affinity says.
struct LoopClauses {
  const Stmt* init = nullptr;
  const Expr* condition = nullptr;
  const Expr* step = nullptr;
  const Stmt* body = nullptr;
  AffinityKind affinity_kind = AffinityKind::none;
  const Expr* affinity = nullptr;      // null for all
  bool affinity_is_remainder = false;  // an integer, of which the program takes C's remainder
};

// Of a while or do loop all are null.
[[nodiscard]] LoopClauses clauses_of(const Stmt* loop);

// How an access moves when the loop index grows by one: `per_index` ultimate elements of an array of that layout.
struct Motion {
  std::int64_t per_index = 0;
  std::uint64_t block = 0;
  std::uint64_t element_size = 1;
};

enum class Movement : std::uint8_t {
  fixed,    // the same place in every iteration (hoist_bases)
  pointer,  // a constant number of bytes per iteration, until the block ends (strength_reduction)
  walk,     // from thread to thread (strength_reduction)
};

// The part of an accessed lvalue that has a place of its own in shared memory: below it only members and member arrays
// follow, which keep their distance from it.
[[nodiscard]] const Expr* place_of(const Expr* lvalue);

// Whether an expression is a declared array as the pointer that it becomes.
[[nodiscard]] bool is_declared_array(const Expr* base);
// Whether a place is a[MYTHREAD] of a declared cyclic array: this thread's own memory.
[[nodiscard]] bool is_own_by_subscript(const Expr* place);
// The row a[MYTHREAD] that the element a[MYTHREAD][e] is of, if the array is declared and each of its rows is a block:
// this thread's own memory, while e is in the row. Null of others.
[[nodiscard]] const SubscriptExpr* own_row(const Expr* place);

// The parts of an expression, as commas separate them.
[[nodiscard]] std::vector<const Expr*> parts_of(const Expr* e);

// Whether two lvalues may designate parts of one object: not if each is reached from a declared one, without a pointer.
[[nodiscard]] bool may_be_one_object(const Expr* a, const Expr* b);

// A shared access as it stands in a piece of code.
struct PerformedAccess {
  const Expr* lvalue;
  bool reads;
  bool writes;
};
[[nodiscard]] std::vector<PerformedAccess> shared_accesses(const Stmt* code);

// A cast to a private pointer of the address of a planned access, or of a part of it.
struct LocalCast {
  const CastExpr* cast;
  const Expr* place;  // the access in its operand
};

struct PlannedAccess {
  const Expr* lvalue = nullptr;     // one of the equal expressions
  std::vector<const Expr*> same;    // all of them, lvalue included
  std::size_t performed = 0;        // reads and writes among them, in the program text
  bool written = false;             // there are writes among them, or casts to private pointers
  std::vector<const Expr*> writes;  // of the whole object
  bool read = false;
  bool partly_written = false;  // there are writes of members
  std::vector<LocalCast> local_casts;
  Motion motion;
  bool of_record = false;  // the motion is that of *p, of which the lvalue is the member p->m
  Movement movement = Movement::fixed;
  bool certain = false;  // every iteration performs it, so its first address is one of the array's
  bool certainly_written = false;
  bool only_if_certain = false;  // computing that address is safe and right only then
  bool with_affinity = false;    // known to lie where the affinity expression points (locality)
  // It lies on the affinity's thread in every iteration if it does, in the same phase, in one (locality).
  bool moves_with_affinity = false;
  bool in_window = false;  // where memory is not mapped, it goes through a window (loop_windows)

  [[nodiscard]] bool is_at(const Expr* place) const { return std::find(same.begin(), same.end(), place) != same.end(); }
};

// An access of a loop inside the planned one, which may have a window that shows what all its iterations access.
struct NestedAccess {
  PlannedAccess access;  // as the loop inside moves it; its certainty is that of the outer body
  LoopShape inner;
  std::int64_t per_index = 0;  // how the planned loop moves it
};

// An array that loops inside read and that nothing in the planned loop changes, unless an object that `written` leads
// to turns out to be part of it (replication).
struct Replica {
  const Expr* array = nullptr;       // a pointer to its first element, or it as an array that becomes one
  std::vector<const Expr*> written;  // pointers to shared objects, and such objects
  std::vector<const Expr*> reads;    // its elements, by subscript
  std::vector<const Stmt*> readers;  // the loops whose every iteration reads one, for each of the reads
};

enum class Split : std::uint8_t {
  whole,       // all iterations
  one_thread,  // all or none: the affinity does not change
  cyclic,      // every so many iterations
  blocked,     // runs of iterations
};

struct LoopPlan {
  LoopShape shape;
  Split split = Split::whole;
  std::int64_t affinity_per_index = 0;  // cyclic and blocked: elements (or the integer) per index
  std::int64_t threads_per_index = 0;   // cyclic: how far the thread moves, before the remainder of THREADS is taken
  std::uint64_t affinity_block = 0;
  // blocked: the body needs the index for nothing but elements of its thread's blocks, which follow one another in that
  // thread's memory. So they are one run.
  bool joined = false;
  const Expr* not_negative = nullptr;  // an integer that the affinity is made of, which must not be negative
  std::vector<PlannedAccess> accesses;
  std::vector<NestedAccess> nested;
  std::vector<PlannedAccess> gathered;  // their places are known before the iterations that access them: b[index[i]]
  std::vector<Replica> replicated;
  std::vector<const Expr*> updates;  // op=, ++ and -- that may take effect at the loop's end
  bool covers_all = false;           // no other shared access happens in the body
  bool windows = false;              // some access has a window
  bool windows_cover_all = false;    // no shared access of the body is of memory that may be elsewhere, but in a window
  bool ends_early = false;           // the body may leave the loop, perhaps for what another thread has written
  // The plan where all accesses that move with the affinity begin with it, too, if all shared memory that the body
  // accesses is this thread's own then. Else null.
  std::shared_ptr<const LoopPlan> own;

  // Whether a place is known to be in this thread's own memory, which is mapped.
  [[nodiscard]] bool is_own(const Expr* place) const {
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](const PlannedAccess& a) { return a.with_affinity && a.is_at(place); });
  }
};

class LoopPlanner {
 public:
  LoopPlanner(TypeContext& types, const EffectContext& context, const OptimiseOptions& options)
      : types_(types), context_(context), options_(options) {}

  // The function whose loops are asked about next.
  void enter(const FunctionDecl* function) { address_taken_ = AddressTaken(function); }

  // `known` says which lvalues an enclosing loop has made plain already. Without affinity every thread runs everything.
  // A loop whose body does nothing in iterations that a test says are other threads' becomes a upc_forall:
  // `if (upc_threadof(&a[i]) == MYTHREAD) ...`, `if (i % THREADS != MYTHREAD) continue;`.
  [[nodiscard]] std::optional<LoopPlan> plan(LoopClauses& loop, const std::function<bool(const Expr*)>& known);

  // What a loop leaves for its end (updates).
  [[nodiscard]] AtomicUpdates atomic_updates(const Stmt* loop) const;

  // Why an access in a loop, or all of them, go element by element where memory is not mapped: for the report.
  [[nodiscard]] std::string obstacle(const LoopClauses& loop, const TranslationUnit& unit) const;
  [[nodiscard]] std::string obstacle(const LoopClauses& loop, const Expr* lvalue, bool written,
                                     const TranslationUnit& unit) const;
  // Why a place that has the subscript of the affinity is not known to be this thread's own (locality); empty of
  // others.
  [[nodiscard]] std::string obstacle_to_locality(const LoopClauses& loop, const Expr* place) const;
  // Why a loop keeps no private copy of the array that a loop inside it reads; empty if none would serve (replication).
  [[nodiscard]] std::string obstacle_to_copy(const LoopClauses& loop, const LoopClauses& inside, const Expr* read,
                                             const TranslationUnit& unit) const;

  // Lvalues in `then` that a test `upc_threadof(p) == MYTHREAD` proves local, with the pointer that was tested
  // (locality).
  struct TestedAccess {
    const Expr* lvalue;
    const Expr* pointer;
  };
  [[nodiscard]] std::vector<TestedAccess> local_after_test(const Expr* condition, const Stmt* then);

  // How a loop ends. What is no for or upc_forall has no bound.
  enum class Bound : std::uint8_t {
    none,      // it may go on until another thread has written something
    at_most,   // by itself, after a number of iterations that is known when it begins, or before
    complete,  // after that number
  };
  [[nodiscard]] Bound bound_of(const Stmt* loop) const;
  // Whether a loop without a bound may look at one shared object until another thread changes it.
  [[nodiscard]] bool spins(const Stmt* loop) const;
  // Whether a place may be another one in each iteration of a loop.
  [[nodiscard]] bool moves_in(const Stmt* loop, const Expr* place) const;
  // The limit or stride of a loop that counts but for it: its value may change in the loop. Null of others.
  [[nodiscard]] const Expr* changing_bound(const LoopClauses& loop) const;

  // What passes ask of the planner, and of a loop that counts: its shape and what its body may do.
  struct Context {
    LoopShape shape;
    Effects effects;
    const Stmt* body;
    // Set by the questions below when their answer holds only ...
    mutable bool only_if_certain = false;  // for what every iteration computes
    mutable bool only_if_no_wrap = false;  // while unsigned arithmetic does not wrap around

    // The effects of one iteration, in which the index and what moves with it are constants.
    [[nodiscard]] Effects of_one_iteration() const {
      Effects one = effects.with_constant(shape.index);
      for (const SecondIndex& s : shape.seconds) one = one.with_constant(s.variable);
      return one;
    }
  };
  [[nodiscard]] const TypeContext& types() const { return types_; }
  [[nodiscard]] const ConstEvaluator& constants() const { return context_.constants; }
  // The loop as a counted one, or null (loop_shape.cpp).
  [[nodiscard]] std::optional<Context> counted(const Stmt* init, const Expr* condition, const Expr* step,
                                               const Stmt* body) const;
  // How an integer, a pointer-to-shared and an lvalue move with the index (affine.cpp).
  [[nodiscard]] std::optional<std::int64_t> coefficient(const Expr* e, const Context& loop) const;
  [[nodiscard]] std::optional<Motion> pointer_motion(const Expr* e, const Context& loop) const;
  [[nodiscard]] std::optional<Motion> lvalue_motion(const Expr* e, const Context& loop) const;
  // How the object of a place moves; or for p->m, if p moves, how *p does.
  [[nodiscard]] std::optional<Motion> place_motion(const Expr* place, const Context& loop, bool& of_record) const;
  // The accesses of a body whose address moves evenly.
  void collect(LoopPlan& plan, const Context& context, const std::function<bool(const Expr*)>& known) const;
  // Whether some pass knows how to move an access with the index; it has said how then.
  [[nodiscard]] bool moves(PlannedAccess& access, const LoopPlan& plan) const;
  [[nodiscard]] bool may_skip(const Stmt* body) const;        // it may end before its last statement
  [[nodiscard]] bool always_returns(const Stmt* body) const;  // no call in it may end the program, or jump
  // Marks the accesses that nothing in the body can skip.
  void mark_certain(LoopPlan& plan, const Stmt* body) const;

 private:
  // loop_shape.cpp
  // The loop as a counted one, if its limit and its stride do not change in it.
  [[nodiscard]] std::optional<Context> shaped(const Stmt* init, const Expr* condition, const Expr* step,
                                              const Stmt* body) const;
  [[nodiscard]] bool step_of(const Expr* step, LoopShape& shape) const;
  [[nodiscard]] bool steps_of(const Expr* step, const Expr* condition, LoopShape& shape) const;
  [[nodiscard]] bool second_of(const Expr* step, LoopShape& shape) const;
  [[nodiscard]] bool step_in(const Expr* condition, LoopShape& shape) const;
  [[nodiscard]] bool limit_of(const Expr* condition, LoopShape& shape) const;
  // affine.cpp
  [[nodiscard]] bool may_wrap(const Expr* e, std::int64_t coefficient, const Context& loop) const;
  [[nodiscard]] Motion layout(QualType pointee, std::int64_t per_index) const;
  [[nodiscard]] std::optional<LoopPlan> plan_as_it_is(const LoopClauses& loop,
                                                      const std::function<bool(const Expr*)>& known) const;
  [[nodiscard]] std::optional<LoopClauses> divided_by_test(const LoopClauses& loop);  // forall_bounds.cpp
  [[nodiscard]] static bool joins_blocks(const LoopPlan& plan, const Stmt* body);
  // A loop without a bound in a body, which may wait until another thread sees what was written before it; or null.
  [[nodiscard]] const Stmt* loop_that_may_wait(const Stmt* body) const;
  static void sum_up(LoopPlan& plan, const Stmt* body);
  // LoopPlan::own, from what is known of the accesses but how they move.
  [[nodiscard]] std::shared_ptr<const LoopPlan> plan_of_own_memory(const LoopPlan& plan, const Stmt* body) const;
  // Drops the accesses that no pass knows how to move.
  void keep_those_that_move(LoopPlan& plan, const Stmt* body) const;
  // Why an access whose place is known before the iterations is not moved with others (gather).
  [[nodiscard]] std::string obstacle_to_gather(const LoopClauses& loop, const Context& context, const Expr* place,
                                               const TranslationUnit& unit) const;
  // obstacles.cpp
  // x++ or x-- in a place that each iteration accesses, if the body mentions x nowhere else; or null.
  [[nodiscard]] const Expr* step_in_place(const Context& context, const Expr* place) const;
  [[nodiscard]] std::string obstacle_to_moving(const LoopClauses& loop, const TranslationUnit& unit) const;
  [[nodiscard]] std::string obstacle_to_counting(const LoopClauses& loop, const TranslationUnit& unit) const;
  [[nodiscard]] std::string obstacle_to_shape(const LoopClauses& loop, const TranslationUnit& unit) const;

  TypeContext& types_;
  const EffectContext& context_;
  const OptimiseOptions& options_;
  AddressTaken address_taken_;
  std::deque<CompoundStmt> rests_;  // bodies without the test that they begin with
};

// What a pass sees of the loop that is being planned.
struct PlannedLoop {
  const LoopPlanner& planner;
  const LoopClauses& clauses;
  const LoopPlanner::Context& context;
  const std::function<bool(const Expr*)>& known;  // lvalues that an enclosing loop has made plain already
};

}  // namespace upcc
