#include "upcrt/sync_point.hpp"

#include <time.h>

#include <cstring>
#include <string>

#include "upcrt/runtime.hpp"
#include "weft/barrier.h"
#include "weft/detail/language.h"
#include "weft/segment.h"

namespace weft::upcrt {
namespace {

unsigned flags_of(const SyncPoint& point) { return point.named ? 0u : unsigned{WEFT_BARRIER_ANONYMOUS}; }

// ---- Finding out where the others are ----

constexpr long look_ns = 1'000'000;

void pause() {
  (void)weft_poll();
  const timespec moment{0, look_ns};
  nanosleep(&moment, nullptr);
}

// What one thread told: read where it is mapped, else asked for, as long as that thread answers.
class Found {
 public:
  void ask(State& state, weft_rank_t thread) {
    const uint64_t offset = WEFT_UPCRT_CONTROL(state, whereabouts);
    const char* there = static_cast<const char*>(weft_pointer(thread, offset));
    if (there != nullptr)
      look_at(reinterpret_cast<const Whereabouts*>(there));
    else if (!asked_)
      asked_ = weft_get_nb(&whereabouts_, thread, offset, sizeof whereabouts_, 0, &handle_) == WEFT_OK;
    else if (!here_ && weft_handle_test(handle_) != 0)
      here_ = true;
  }
  bool came(const State& state) const { return here_ && whereabouts_.number == state.sync_points; }
  const Whereabouts& whereabouts() const { return whereabouts_; }

 private:
  void look_at(const Whereabouts* there) {
    // acquire: pairs with arrive().
    if (here_ || __atomic_load_n(&there->number, __ATOMIC_ACQUIRE) != self().sync_points) return;
    whereabouts_ = *there;
    here_ = true;
  }

  Whereabouts whereabouts_{};
  weft_handle_t handle_ = WEFT_HANDLE_DONE;
  bool asked_ = false;
  bool here_ = false;
};

// Who has come to this point or another one in its place; those on their way get a moment.
const std::vector<Found>& find_all(State& state) {
  auto& found = *new std::vector<Found>(state.threads);  // gets may still arrive when the job ends
  constexpr int looks = 50;
  for (int look = 0; look < looks; ++look) {
    weft_rank_t came = 0;
    for (weft_rank_t thread = 0; thread < state.threads; ++thread) {
      found[thread].ask(state, thread);
      came += found[thread].came(state) ? 1 : 0;
    }
    if (came == state.threads) break;
    pause();
  }
  return found;
}

// Several threads notice; one tells. Gives up waiting for the end of the job if that does not come.
void let_one_tell(State& state) {
  auto* word = static_cast<uint64_t*>(weft_pointer(0, WEFT_UPCRT_CONTROL(state, trouble)));
  if (word == nullptr || __atomic_exchange_n(word, 1, __ATOMIC_RELAXED) == 0) return;
  constexpr int looks = 3000;
  for (int look = 0; look < looks; ++look) pause();
}

// ---- Saying it ----

bool same(const Whereabouts& a, const Whereabouts& b) {
  return a.kind == b.kind && a.named == b.named && a.value == b.value && a.bytes == b.bytes && a.line == b.line &&
         std::strcmp(a.function, b.function) == 0 && std::strcmp(a.file, b.file) == 0;
}

bool is(const Whereabouts& at, SyncKind kind) { return at.kind == static_cast<uint32_t>(kind); }

std::string place_text(const Whereabouts& at) {
  return at.file[0] == '\0' ? "" : std::string(" (") + at.file + ":" + std::to_string(at.line) + ")";
}

// "thread 1", "threads 0, 2-5": those that told the same.
std::string threads_text(const std::vector<Found>& found, const State& state, const Whereabouts& at, bool& several) {
  std::string text;
  weft_rank_t count = 0;
  const auto is_one = [&](weft_rank_t t) {
    return t < state.threads && found[t].came(state) && same(found[t].whereabouts(), at);
  };
  for (weft_rank_t first = 0; first < state.threads; ++first) {
    if (!is_one(first)) continue;
    weft_rank_t last = first;
    while (is_one(last + 1)) ++last;
    count += last - first + 1;
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (last > first) text += (last == first + 1 ? ", " : "-") + std::to_string(last);
    first = last;
  }
  several = count > 1;
  return (several ? "threads " : "thread ") + text;
}

std::string what_text(const Whereabouts& at) {
  std::string text = at.function;
  if (is(at, SyncKind::barrier) && at.named != 0) text += " " + std::to_string(at.value);
  if (at.bytes != 0) text += " of " + std::to_string(at.bytes) + " bytes";
  return text;
}

// The groups of threads, from `wanted` kinds of telling, as "threads 0, 2 VERB upc_barrier (a.upc:7), thread 3 ...".
template <class Wanted, class Verb>
std::string groups_text(const std::vector<Found>& found, const State& state, Wanted wanted, Verb verb) {
  constexpr size_t longest = 500;
  std::string text;
  for (weft_rank_t thread = 0; thread < state.threads; ++thread) {
    if (!found[thread].came(state) || !wanted(found[thread].whereabouts())) continue;
    const Whereabouts& at = found[thread].whereabouts();
    bool first = true;
    for (weft_rank_t before = 0; before < thread && first; ++before)
      first = !(found[before].came(state) && same(found[before].whereabouts(), at));
    if (!first) continue;
    if (text.size() > longest) return text + ", ...";
    bool several = false;
    const std::string who = threads_text(found, state, at, several);
    text += (text.empty() ? "" : ", ") + who + verb(at, several) + place_text(at);
  }
  return text;
}

[[noreturn]] void tell_of_end(const State& state, const std::vector<Found>& found, const Whereabouts& end,
                              Place place) {
  const std::string left = groups_text(
      found, state, [](const Whereabouts& t) { return is(t, SyncKind::end); },
      [](const Whereabouts& t, bool) {
        return std::string(" ") + t.function + (t.value != 0 ? " with exit code " + std::to_string(t.value) : "");
      });
  const std::string wait = groups_text(
      found, state, [](const Whereabouts& t) { return !is(t, SyncKind::end); },
      [](const Whereabouts& t, bool several) {
        return (several ? " wait" : " waits") + std::string(is(t, SyncKind::barrier) ? " at " : " in ") + what_text(t);
      });
  fail_with(end.value != 0 ? end.value & 0xff : fail_code, place, "%s while %s", left.c_str(), wait.c_str());
}

[[noreturn]] void tell_of_values(const State& state, const std::vector<Found>& found, Place place) {
  const std::string text = groups_text(
      found, state, [](const Whereabouts& t) { return t.named != 0; },
      [](const Whereabouts& t, bool) { return " gave " + std::to_string(t.value); });
  fail(place, "barrier mismatch: %s", text.c_str());
}

[[noreturn]] void explain(State& state, const SyncPoint& point, int status) {
  let_one_tell(state);
  const std::vector<Found>& found = find_all(state);
  const Whereabouts* waiting = nullptr;
  const Whereabouts* end = nullptr;
  for (const Found& one : found) {
    if (!one.came(state)) continue;
    const Whereabouts*& which = is(one.whereabouts(), SyncKind::end) ? end : waiting;
    if (which == nullptr || (which->value == 0 && which == end)) which = &one.whereabouts();
  }
  Place place = point.place;
  if (place.file == nullptr && waiting != nullptr && waiting->file[0] != '\0') place = {waiting->file, waiting->line};
  if (end != nullptr && waiting != nullptr) tell_of_end(state, found, *end, place);
  if (status == WEFT_ERR_MISMATCH && point.kind == SyncKind::barrier) tell_of_values(state, found, place);
  const std::string text = groups_text(
      found, state, [](const Whereabouts&) { return true; },
      [](const Whereabouts& t, bool several) {
        return (several ? " are" : " is") + std::string(is(t, SyncKind::barrier) ? " at " : " in ") + what_text(t);
      });
  fail(place, "%s; all threads make the same collective calls in the same order, with the same arguments",
       text.c_str());
}

}  // namespace

void arrive(State& state, const SyncPoint& point) {
  auto& mine = *reinterpret_cast<Whereabouts*>(state.view.self + WEFT_UPCRT_CONTROL(state, whereabouts));
  if (state.whereabouts_file != point.place.file) keep_end(mine.file, state.whereabouts_file = point.place.file);
  if (state.whereabouts_function != point.function)
    keep_end(mine.function, state.whereabouts_function = point.function);
  mine.kind = static_cast<uint32_t>(point.kind);
  mine.named = point.named ? 1 : 0;
  mine.value = point.value;
  mine.line = point.place.line;
  mine.bytes = point.bytes;
  // release: whoever sees the number sees the rest, which then stays until that is over.
  __atomic_store_n(&mine.number, ++state.sync_points, __ATOMIC_RELEASE);
  let_see(&sync_keys[state.sync_points & 1]);
  weft_detail_barrier_notify(static_cast<unsigned>(point.kind), point.value, flags_of(point));
}

void await(State& state, const SyncPoint& point) {
  const int status = weft_detail_barrier_wait(point.value, flags_of(point));
  if (__builtin_expect(status != WEFT_OK, 0)) explain(state, point, status);
  see(&sync_keys[state.sync_points & 1]);
}

void synchronize(State& state, const SyncPoint& point) {
  const bool end = point.kind == SyncKind::end;
  const Calling calling(end ? "the end of main" : point.function, point.place);
  arrive(state, point);
  await(state, point);
}

}  // namespace weft::upcrt
