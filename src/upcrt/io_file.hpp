// Open parallel files (<upc_io.h>), and what all threads agree about at the end of each call.
//
// A file is an ordinary one, opened by every thread. All functions are collective, so what is the same on all threads
// (the common file pointer, the flags, which files are open) is kept by each thread for itself. A handle is a number
// that no other file of the job gets, so a closed one is known.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "upcrt/collective.hpp"
#include "upcrt/io_arguments.hpp"
#include "upcrt/io_hints.hpp"
#include "upcrt/io_transfer.hpp"
#include "upcrt/io_worker.hpp"
#include "upcrt/runtime.hpp"

namespace weft::upcrt::io {

/// What a thread brings to the end of a call. The complaint says what is wrong with arguments; errors of the system
/// speak for themselves.
struct Vote {
  int error = 0;
  std::string complaint{};
  int64_t bytes = 0;
  int64_t count = 0;
  int64_t low = 0;
  int64_t high = 0;
  bool done = true;

  void refuse(int code, std::string text) {
    if (error != 0) return;
    error = code;
    complaint = std::move(text);
  }
};

/// Which function of those that read and write: their names differ in these.
struct Form {
  const char* function = nullptr;
  bool writes = false;
  bool lists = false;
  bool shared = false;  // buffers
};

/// Memory of an asynchronous operation that this thread reaches through the network only, and its copy.
struct Delivery {
  Runs runs;
  Memory memory;
  Buffer data;
};

/// The asynchronous operation of a file.
struct Pending {
  Form form;
  Vote vote;
  Arguments arguments;
  uint64_t bytes = 0;
  bool submitted = false;  // the job is the helper's; else its outcome is there
  Job job;
  std::unique_ptr<Delivery> delivery;
};

struct File {
  uint64_t number = 0;
  int fd = -1;
  int flags = 0;
  std::string name;
  Hints hints;
  int64_t position = 0;  // of this thread's pointer, or of the common one
  bool dirty = false;    // written since it was last synchronised, by any thread
  bool created = false;  // by this open, and its name not synchronised yet
  bool over_network = false;
  upcr_pts_t lock{};                 // with UPC_STRONG_CA
  std::unique_ptr<Pending> pending;  // the asynchronous operation

  bool common() const;
  bool strong() const;
  bool readable() const;
  bool writable() const;
  size_t staging_size() const { return hints.buffer_size == 0 ? default_staging : clamp(hints.buffer_size); }

 private:
  static size_t clamp(uint64_t wanted);
};

/// A thread's files.
struct Files {
  uint64_t opened = 0;
  std::map<uint64_t, std::unique_ptr<File>> open;
  Bases bases;
  Buffer staging;
  std::array<Buffer, 2> windows;  // for memory of other hosts
  std::unique_ptr<Worker> worker;

  /// At least so many bytes, kept from call to call.
  char* staging_of(size_t size) { return enlarged(staging, size); }
  char* window(size_t index, size_t size) { return enlarged(windows[index], size); }

 private:
  static char* enlarged(Buffer& buffer, size_t size) {
    if (buffer.size() < size) buffer = Buffer(size);
    return buffer.data();
  }
};
Files& files_of(State& state);

upcr_pts_t handle_of(const File& file);
/// Null if that is no open file.
File* find(State& state, upcr_pts_t handle);

/// What came of it, the same on all threads. `error`: the lowest thread's that has one; EINVAL if arguments differ.
struct Result {
  int error = 0;
  int64_t bytes = 0;  // sums
  int64_t count = 0;
  int64_t low = 0;   // the least
  int64_t high = 0;  // the greatest
  bool done = true;  // on all threads
};

/// Collective; returns when all threads have called. Sets errno and says what the complaint is, if there is one.
Result agree(State& state, const char* function, const Vote& vote, const Arguments& arguments);

/// A call of a function of <upc_io.h>, with which each of them begins: its name, and what must be the same on all
/// threads.
class Call {
 public:
  /// Before arguments are looked at; begin() follows.
  explicit Call(const char* name) : state(self()), function(name), calling_(name) {}
  /// Begins with a barrier.
  Call(const char* name, const Arguments& same_on_all) : Call(name) { begin(same_on_all, true); }
  Call(const char* name, upcr_pts_t fd) : Call(name, Arguments(name, fd)) {}

  /// May it be called, and are all threads in the same function. The barrier is always there where calls are compared
  /// (WEFT_CHECK), with their arguments; elsewhere if `barrier`.
  void begin(const Arguments& same_on_all, bool barrier);
  Result agree(const Vote& vote) const { return io::agree(state, function, vote, arguments); }
  /// False with errno set if any thread has an error.
  bool agreed(const Vote& vote) const { return agree(vote).error == 0; }

  State& state;
  const char* const function;
  Arguments arguments;

 private:
  const Calling calling_;
};

/// Refuses what is no open file and one with an asynchronous operation. Null then.
File* find_idle(State& state, upcr_pts_t handle, Vote& vote);

/// Data of this host's threads to the device, if the file has been written to: an errno or 0. One thread per host does
/// it.
int flush(const State& state, const File& file);
/// upc_all_fsync, where it is implied: true on all threads, or false with errno set.
bool synchronise(const Call& call, File& file);

/// Moves between a file and memory; on the thread that calls, with the network where memory is not mapped.
Outcome move(State& state, const File& file, bool writes, Runs runs, const Memory& memory);
/// Between consecutive private memory and the next `bytes` of memory that may be reached through the network only.
void fetch(State& state, char* to, Memory& memory, uint64_t bytes);
void deliver(State& state, const char* from, Memory& memory, uint64_t bytes);

/// Of several threads' short runs, as lists have them: exchanges data so that each thread moves a part of the file that
/// is whole. `low` and `high`: the part that all runs lie in. Collective.
Outcome move_together(State& state, const File& file, bool writes, Runs runs, Memory memory, int64_t low, int64_t high);

/// All threads have come to the end of the program: closes what is open.
void close_all(State& state);
/// The job ends now, by this thread's doing: its own part of that.
void abandon_all(State& state);

}  // namespace weft::upcrt::io
