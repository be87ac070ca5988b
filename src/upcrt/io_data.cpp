// Reading and writing (<upc_io.h>): the eight blocking functions, the eight asynchronous ones, and their completion.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "upcrt/io_request.hpp"

namespace weft::upcrt::io {
namespace {

// Runs shorter than this, on average, are worth an exchange among the threads.
constexpr int64_t short_runs = 4096;
// An asynchronous operation on memory that is not mapped is prepared in private memory up to this size.
constexpr uint64_t largest_prepared = uint64_t{1} << 30;

// ---- The parts of a call that its threads do alike ----

bool waits_for_all(const File* file, const Form& form, unsigned flags) {
  if (file != nullptr && file->strong()) return true;
  // MYSYNC is about the threads whose memory is touched; a local buffer is the caller's.
  return (flags & WEFT_IN_ALLSYNC) != 0 || ((flags & WEFT_IN_MYSYNC) != 0 && form.shared);
}

// The part of a file that runs lie in, and whether any two of them overlap, as a read's may.
struct Range {
  int64_t low;
  int64_t high;
  bool overlapping;
};

Range range_of(const Request& request) {
  Range range{INT64_MAX, 0, false};
  for (Runs runs = request.runs; !runs.done(); runs.advance(runs.run().bytes)) {
    range.low = std::min(range.low, runs.run().offset);
    range.overlapping = range.overlapping || runs.run().offset < range.high;
    range.high = std::max(range.high, runs.run().offset + static_cast<int64_t>(runs.run().bytes));
  }
  return range;
}

// Collective.
bool ranges_overlap(State& state, Range mine) {
  std::vector<Range> all(state.threads);
  (void)weft_gather_all(WEFT_TEAM_WORLD, all.data(), &mine, sizeof mine, 0);
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
  int64_t end = 0;
  for (const Range& range : all) {
    if (range.low < end && range.low < range.high) return true;
    end = std::max(end, range.high);
  }
  return false;
}

// With UPC_STRONG_CA: must the threads take turns? With the common pointer their parts are one operation. Collective.
bool take_turns(State& state, const Form& form, const File& file, const Request& request) {
  if (!file.strong() || state.threads == 1 || (file.common() && !form.lists)) return false;
  return form.writes ? ranges_overlap(state, range_of(request)) : form.shared;
}

Outcome move_in_turn(State& state, const Form& form, const File& file, const Request& request) {
  upc_lock(file.lock);
  const Outcome outcome = move(state, file, form.writes, request.runs, request.memory);
  upc_unlock(file.lock);
  return outcome;
}

// Is it worth exchanging the data of these lists? From what all threads agreed about, so all decide alike.
bool worth_exchange(const State& state, const Form& form, const File& file, const Result& all) {
  const bool overlapping = !all.done;
  if (overlapping) return false;
  if (file.strong() || file.over_network || !file.hints.collective_buffering || all.bytes == 0) return false;
  const int64_t threads = state.threads, span = all.high - all.low;
  if (all.count < 16 * threads || all.bytes / all.count >= short_runs) return false;
  if (span / 16 > all.bytes) return false;
  // A thread reads through what lies between its runs if that is not much more than they are.
  return form.writes || span / 4 * threads > all.bytes;
}

Outcome perform(State& state, const Form& form, const File& file, const Request& request) {
  if (take_turns(state, form, file, request)) return move_in_turn(state, form, file, request);
  return move(state, file, form.writes, request.runs, request.memory);
}

void add(Vote& vote, const Outcome& outcome) {
  vote.bytes = static_cast<int64_t>(outcome.bytes);
  if (outcome.error != 0) vote.refuse(outcome.error, {});
}

// The end of an operation, blocking or not: what the function returns.
upc_off_t finish(State& state, const Form& form, File& file, const Vote& vote, const Arguments& arguments) {
  const Result result = agree(state, form.function, vote, arguments);
  if (result.error != 0) return -1;
  const bool common = file.common() && !form.lists;
  const int64_t bytes = common ? result.bytes : vote.bytes;
  if (!form.lists) file.position += bytes;
  return bytes;
}

// ---- Blocking ----

upc_off_t run_lists(const Call& call, const Form& form, File& file, const Request& request, Vote vote) {
  State& state = call.state;
  const Range range = range_of(request);
  vote.bytes = static_cast<int64_t>(request.bytes);
  vote.count = static_cast<int64_t>(request.runs_wanted);
  vote.low = range.low;
  vote.high = range.high;
  vote.done = !range.overlapping;
  const Result all = call.agree(vote);
  if (all.error != 0) return -1;
  Vote end;
  if (worth_exchange(state, form, file, all))
    add(end, move_together(state, file, form.writes, request.runs, request.memory, all.low, all.high));
  else
    add(end, perform(state, form, file, request));
  return finish(state, form, file, end, call.arguments);
}

// `make`: the request, of an open file.
template <class Make>
upc_off_t run(const Form& form, upcr_pts_t fd, int flags, Make make) {
  Call call(form.function);
  State& state = call.state;
  const unsigned sync = coll_flags(form.function, flags);
  Vote vote;
  File* const file = find_idle(state, fd, vote);
  Arguments arguments(form.function, fd);
  arguments.add("flags", sync, Arguments::As::sync);
  const Request request = file == nullptr ? Request{} : make(state, *file, arguments, vote);
  call.begin(arguments, waits_for_all(file, form, sync));
  if (file == nullptr) return (void)call.agree(vote), -1;
  if (form.writes) file->dirty = true;
  if (form.lists && state.threads > 1) return run_lists(call, form, *file, request, std::move(vote));
  // A thread whose arguments are refused has an empty request, with which it does its part.
  const Outcome outcome = perform(state, form, *file, request);
  if (vote.error == 0) add(vote, outcome);
  return finish(state, form, *file, vote, call.arguments);
}

// ---- Asynchronous ----

// The helper, or null where none can be made.
Worker* helper_of(Files& files) {
  if (files.worker == nullptr) {
    try {
      files.worker = std::make_unique<Worker>();
    } catch (const std::system_error&) {
      return nullptr;
    }
  }
  return files.worker.get();
}

// Gives the operation to the helper, so that it needs no further Weft call; false if it cannot be.
bool hand_over(State& state, const Form& form, const File& file, const Request& request, Pending& pending) {
  Files& files = files_of(state);
  Worker* const helper = helper_of(files);
  if (helper == nullptr) return false;
  Memory memory = request.memory;
  const bool direct = std::all_of(memory.regions().begin(), memory.regions().end(),
                                  [&](const Region& region) { return reachable(region, files.bases); });
  if (!direct) {
    if (request.bytes > largest_prepared) return false;
    pending.delivery = std::make_unique<Delivery>(Delivery{request.runs, memory, Buffer(request.bytes)});
    if (form.writes) fetch(state, pending.delivery->data.data(), memory, request.bytes);
    memory = Memory({Region::of_private(pending.delivery->data.data(), request.bytes)});
  }
  Job& job = pending.job;
  job.staging = Buffer(file.staging_size());
  job.transfer = {file.fd,      form.writes,        request.runs,      std::move(memory),
                  &files.bases, job.staging.data(), job.staging.size()};
  pending.submitted = true;
  helper->submit(job);
  return true;
}

template <class Make>
void start(const Form& form, upcr_pts_t fd, int flags, Make make) {
  Call call(form.function);
  State& state = call.state;
  const unsigned sync = coll_flags(form.function, flags);
  File* const file = find(state, fd);
  if (file == nullptr) fail({}, "%s: that is no open file; it may have been closed", form.function);
  if (file->pending != nullptr)
    fail({}, "%s: the %s of this file is not complete; a file has one asynchronous operation at a time", form.function,
         file->pending->form.function);
  auto pending = std::make_unique<Pending>();
  pending->form = form;
  pending->arguments = Arguments(form.function, fd);
  pending->arguments.add("flags", sync, Arguments::As::sync);
  const Request request = make(state, *file, pending->arguments, pending->vote);
  pending->bytes = request.bytes;
  call.begin(pending->arguments, waits_for_all(file, form, sync));
  if (form.writes) file->dirty = true;
  if (take_turns(state, form, *file, request))
    pending->job.outcome = move_in_turn(state, form, *file, request);
  else if (!hand_over(state, form, *file, request, *pending))
    pending->job.outcome = move(state, *file, form.writes, request.runs, request.memory);
  file->pending = std::move(pending);
}

void wait_for(State& state, const Pending& pending) {
  if (!pending.submitted) return;
  Worker& helper = *files_of(state).worker;
  while (!helper.wait_for(pending.job, std::chrono::microseconds(200))) (void)weft_poll();
}

bool is_complete(State& state, const Pending& pending) {
  return !pending.submitted || files_of(state).worker->is_done(pending.job);
}

// The helper has done its part, on all threads.
upc_off_t complete(State& state, File& file) {
  const std::unique_ptr<Pending> pending = std::move(file.pending);
  const Form& form = pending->form;
  Outcome outcome = pending->job.outcome;
  if (Delivery* const delivery = pending->delivery.get(); delivery != nullptr && !form.writes) {
    // Where a list met the end of the file it takes a second look to know which runs did.
    if (outcome.bytes == pending->bytes || !form.lists)
      deliver(state, delivery->data.data(), delivery->memory, outcome.bytes);
    else if (outcome.error == 0)
      outcome = move(state, file, false, delivery->runs, delivery->memory);
  }
  Vote vote = std::move(pending->vote);
  if (vote.error == 0) add(vote, outcome);
  return finish(state, form, file, vote, pending->arguments);
}

// The file whose asynchronous operation is to be completed.
File* find_pending(State& state, upcr_pts_t fd, Vote& vote) {
  File* const file = find(state, fd);
  if (file == nullptr)
    vote.refuse(EBADF, "that is no open file; it may have been closed");
  else if (file->pending == nullptr)
    vote.refuse(EINVAL, "the file has no asynchronous operation to complete");
  return vote.error == 0 ? file : nullptr;
}

upc_off_t wait_async(upcr_pts_t fd) {
  const Call call("upc_all_fwait_async", fd);
  Vote vote;
  File* const file = find_pending(call.state, fd, vote);
  if (file != nullptr) wait_for(call.state, *file->pending);
  return call.agreed(vote) ? complete(call.state, *file) : -1;
}

upc_off_t test_async(upcr_pts_t fd, int* flag) {
  Call call("upc_all_ftest_async");
  State& state = call.state;
  call.begin(Arguments(call.function, fd), false);
  Vote vote;
  File* const file = find_pending(state, fd, vote);
  if (flag == nullptr) vote.refuse(EINVAL, "flag is a null pointer");
  if (file != nullptr) vote.done = is_complete(state, *file->pending);
  const Result result = call.agree(vote);
  if (flag != nullptr) *flag = result.error != 0 || result.done ? 1 : 0;
  if (result.error != 0) return -1;
  return result.done ? complete(state, *file) : 0;
}

// ---- The functions by their arguments ----

template <class Call>
auto with_buffer(Call call, const Form& form, upcr_pts_t fd, const Buffers& buffers, int flags) {
  return call(form, fd, flags, [&form, &buffers](State& state, const File& file, Arguments& arguments, Vote& vote) {
    return request_of(state, form, file, buffers, arguments, vote);
  });
}

template <class Call>
auto with_lists(Call call, const Form& form, upcr_pts_t fd, const Lists& lists, int flags) {
  return call(form, fd, flags, [&form, &lists](State& state, const File& file, Arguments&, Vote& vote) {
    if (form.writes ? !file.writable() : !file.readable())
      vote.refuse(EBADF, form.writes ? "the file was opened with UPC_RDONLY" : "the file was opened with UPC_WRONLY");
    return vote.error == 0 ? request_of(state, form, lists, vote) : Request{};
  });
}

constexpr auto blocking = [](const Form& form, upcr_pts_t fd, int flags, auto make) {
  return run(form, fd, flags, make);
};
constexpr auto asynchronous = [](const Form& form, upcr_pts_t fd, int flags, auto make) {
  start(form, fd, flags, make);
};

}  // namespace
}  // namespace weft::upcrt::io

using namespace weft::upcrt::io;

extern "C" {

#define WEFT_UPCRT_IO(result, direction, async, call, writes)                                                     \
  result upc_all_##direction##_local##async(upcr_pts_t fd, void* buffer, size_t size, size_t nmemb, int flags) {  \
    return with_buffer(call, {"upc_all_" #direction "_local" #async, writes, false, false}, fd,                   \
                       {buffer, {}, 0, size, nmemb}, flags);                                                      \
  }                                                                                                               \
  result upc_all_##direction##_shared##async(upcr_pts_t fd, upcr_pts_t buffer, size_t blocksize, size_t size,     \
                                             size_t nmemb, int flags) {                                           \
    return with_buffer(call, {"upc_all_" #direction "_shared" #async, writes, false, true}, fd,                   \
                       {nullptr, buffer, blocksize, size, nmemb}, flags);                                         \
  }                                                                                                               \
  result upc_all_##direction##_list_local##async(upcr_pts_t fd, size_t memvec_entries,                            \
                                                 const struct upc_local_memvec* memvec, size_t filevec_entries,   \
                                                 const struct upc_filevec* filevec, int flags) {                  \
    return with_lists(call, {"upc_all_" #direction "_list_local" #async, writes, true, false}, fd,                \
                      {memvec_entries, memvec, nullptr, filevec_entries, filevec}, flags);                        \
  }                                                                                                               \
  result upc_all_##direction##_list_shared##async(upcr_pts_t fd, size_t memvec_entries,                           \
                                                  const struct upc_shared_memvec* memvec, size_t filevec_entries, \
                                                  const struct upc_filevec* filevec, int flags) {                 \
    return with_lists(call, {"upc_all_" #direction "_list_shared" #async, writes, true, true}, fd,                \
                      {memvec_entries, nullptr, memvec, filevec_entries, filevec}, flags);                        \
  }

WEFT_UPCRT_IO(upc_off_t, fread, , blocking, false)
WEFT_UPCRT_IO(upc_off_t, fwrite, , blocking, true)
WEFT_UPCRT_IO(void, fread, _async, asynchronous, false)
WEFT_UPCRT_IO(void, fwrite, _async, asynchronous, true)

upc_off_t upc_all_fwait_async(upcr_pts_t fd) { return wait_async(fd); }
upc_off_t upc_all_ftest_async(upcr_pts_t fd, int* flag) { return test_async(fd, flag); }

}  // extern "C"
