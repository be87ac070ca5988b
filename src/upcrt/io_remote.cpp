// Moves of parallel files whose memory is not mapped here. The memory is brought together in windows: what a window
// needs from one thread lies in one piece there, so it is one get or put per thread, and several are under way at once.
#include <algorithm>
#include <array>
#include <cstring>

#include "upcrt/io_file.hpp"
#include "weft/rma.h"

namespace weft::upcrt::io {
namespace {

constexpr size_t window_size = size_t{1} << 20;

// Gets or puts under way.
class Handles {
 public:
  void get(char* to, const Piece& from) {
    weft_handle_t handle = WEFT_HANDLE_DONE;
    (void)weft_get_nb(to, from.thread, from.offset, from.bytes, 0, &handle);
    keep(handle);
  }
  void put(const Piece& to, const char* from) {
    weft_handle_t handle = WEFT_HANDLE_DONE;
    (void)weft_put_nb(to.thread, to.offset, from, to.bytes, 0, &handle);
    keep(handle);
  }
  void wait() {
    if (!handles_.empty()) (void)weft_handle_wait_all(handles_.data(), handles_.size());
    handles_.clear();
  }

 private:
  // So many under way are as good as more.
  void keep(weft_handle_t handle) {
    if (handle == WEFT_HANDLE_DONE) return;
    handles_.push_back(handle);
    if (handles_.size() == 256) wait();
  }
  std::vector<weft_handle_t> handles_;
};

// The shares of all threads that are not mapped, one after another in `scratch`, and bases with which a scattered
// region can be copied as if they were mapped.
struct Shares {
  Bases bases;
  std::vector<Piece> remote;
  std::vector<char*> at;  // in the scratch memory

  Shares(const Region& region, uint64_t at_byte, uint64_t bytes, char* scratch, const Bases& mapped) : bases(mapped) {
    for (uint64_t thread = 0; thread < mapped.size(); ++thread) {
      if (mapped[thread] != nullptr) continue;
      const Piece share = share_of(region, at_byte, bytes, thread, mapped);
      if (share.bytes == 0) continue;
      // The base itself is no address, only base plus offset is.
      bases[thread] = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(scratch) - share.offset);
      remote.push_back(share);
      at.push_back(scratch);
      scratch += share.bytes;
    }
  }
};

// The next `bytes` of memory, region by region: pieces that are whole go straight, scattered ones through scratch
// memory.
template <class Straight, class Scattered>
void walk(Memory& memory, uint64_t bytes, const Bases& bases, Straight straight, Scattered scattered) {
  for (uint64_t done = 0; done < bytes;) {
    const Region& region = memory.region();
    const uint64_t here = std::min(bytes - done, memory.room());
    const Piece piece = piece_at(region, memory.at(), here, bases);
    if (piece.bytes == here || piece.bytes >= window_size / 4) {
      straight(piece, done);
      memory.advance(piece.bytes);
      done += piece.bytes;
    } else {
      scattered(region, memory.at(), here, done);
      memory.advance(here);
      done += here;
    }
  }
}

// Memory as consecutive bytes, from windows of it: while one is taken the gets of the next are under way.
class Incoming {
 public:
  Incoming(State& state, Memory& memory, uint64_t bytes, size_t window)
      : files_(files_of(state)), memory_(memory), left_(bytes), size_(window) {
    begin();
  }
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;
  ~Incoming() {
    for (Window& window : windows_) window.handles.wait();
  }

  // The next bytes, of which there must be so many.
  void take(char* to, uint64_t bytes) {
    for (uint64_t done = 0; done < bytes;) {
      if (part_ == now().parts.size()) turn();
      const Part& part = now().parts[part_];
      const uint64_t here = std::min(bytes - done, part.region.bytes - taken_);
      if (part.region.scattered())
        gather(to + done, part.region, taken_, here, part.bases);
      else
        std::memcpy(to + done, part.region.local + taken_, here);
      done += here;
      taken_ += here;
      if (taken_ == part.region.bytes) ++part_, taken_ = 0;
    }
  }

 private:
  struct Part {
    Region region;
    Bases bases;
  };
  struct Window {
    Handles handles;
    std::vector<Part> parts;
  };

  Window& now() { return windows_[index_]; }

  // To the window whose gets are under way.
  void turn() {
    index_ = 1 - index_;
    part_ = 0;
    now().handles.wait();
    begin();
  }

  // Starts the gets of the window that is not the present one.
  void begin() {
    Window& window = windows_[1 - index_];
    window.parts.clear();
    const uint64_t bytes = std::min<uint64_t>(size_, left_);
    char* const scratch = files_.window(1 - index_, bytes);
    left_ -= bytes;
    walk(
        memory_, bytes, files_.bases,
        [&](const Piece& piece, uint64_t done) {
          char* const here = piece.here != nullptr ? piece.here : scratch + done;
          if (piece.here == nullptr) window.handles.get(here, piece);
          window.parts.push_back({Region::of_private(here, piece.bytes), {}});
        },
        [&](const Region& region, uint64_t at, uint64_t here, uint64_t done) {
          Shares shares(region, at, here, scratch + done, files_.bases);
          for (size_t i = 0; i < shares.remote.size(); ++i) window.handles.get(shares.at[i], shares.remote[i]);
          Region part = region;
          part.skip += at;
          part.bytes = here;
          window.parts.push_back({part, std::move(shares.bases)});
        });
  }

  Files& files_;
  Memory& memory_;
  uint64_t left_;  // of which no get has been started
  size_t size_;
  std::array<Window, 2> windows_;
  size_t index_ = 0;    // the present window: at first none, its list being empty
  size_t part_ = 0;     // in it
  uint64_t taken_ = 0;  // of that part
};

}  // namespace

void fetch(State& state, char* to, Memory& memory, uint64_t bytes) {
  Incoming(state, memory, bytes, window_size).take(to, bytes);
}

void deliver(State& state, const char* from, Memory& memory, uint64_t bytes) {
  Files& files = files_of(state);
  Handles handles;
  for (uint64_t here = 0; bytes != 0; from += here, bytes -= here) {
    here = std::min<uint64_t>(bytes, window_size);
    walk(
        memory, here, files.bases,
        [&](const Piece& piece, uint64_t done) {
          if (piece.here != nullptr)
            std::memcpy(piece.here, from + done, piece.bytes);
          else
            handles.put(piece, from + done);
        },
        [&](const Region& region, uint64_t at, uint64_t part, uint64_t done) {
          const Shares shares(region, at, part, files.window(0, part), files.bases);
          scatter(from + done, region, at, part, shares.bases);
          for (size_t i = 0; i < shares.remote.size(); ++i) handles.put(shares.remote[i], shares.at[i]);
          handles.wait();
        });
  }
  handles.wait();
}

namespace {

Transfer transfer_of(State& state, const File& file, bool writes, Runs runs, Memory memory) {
  Files& files = files_of(state);
  const size_t staging = file.staging_size();
  return {file.fd, writes, std::move(runs), std::move(memory), &files.bases, files.staging_of(staging), staging};
}

// Each call writes what has just been brought together, out of the processor's cache.
Outcome write_incoming(State& state, const File& file, Runs runs, Memory memory) {
  const size_t size = file.staging_size();
  char* const staging = files_of(state).staging_of(size);
  Incoming incoming(state, memory, runs.bytes_left(), std::max(size, window_size));
  Outcome all;
  while (!runs.done()) {
    const uint64_t bytes = std::min<uint64_t>(size, runs.bytes_left());
    incoming.take(staging, bytes);
    char* from = staging;
    for (Runs slice = runs.take(bytes); !slice.done(); slice.advance(slice.run().bytes)) {
      iovec part{from, slice.run().bytes};
      const Outcome some = write_at(file.fd, {&part, 1}, slice.run().offset);
      all = {all.bytes + some.bytes, some.error};
      if (some.error != 0) return all;
      from += slice.run().bytes;
    }
  }
  return all;
}

// What a window has read goes to its memory by puts.
class Outgoing {
 public:
  Outgoing(State& state, const File& file, Runs runs, Memory memory)
      : state_(state),
        file_(file),
        runs_(std::move(runs)),
        memory_(std::move(memory)),
        size_(std::max(file.staging_size(), window_size)),
        window_(files_of(state).window(1, size_)) {}

  Outcome read() {
    Outcome all;
    while (!runs_.done() && all.error == 0) {
      const uint64_t bytes = std::min<uint64_t>(size_, runs_.bytes_left());
      const Outcome some = read_window(runs_.take(bytes));
      all = {all.bytes + some.bytes, some.error};
    }
    return all;
  }

 private:
  Outcome transfer(Runs runs) {
    const uint64_t bytes = runs.bytes_left();
    return transfer_of(state_, file_, false, std::move(runs), Memory({Region::of_private(window_, bytes)})).run();
  }
  Outcome read_window(Runs runs) {
    const uint64_t bytes = runs.bytes_left();
    Outcome outcome = transfer(runs);
    if (outcome.bytes == bytes) {
      deliver(state_, window_, memory_, bytes);
      return outcome;
    }
    // The file ends, or an error came: run by run, so that nothing is delivered that was not read.
    outcome = {};
    while (!runs.done() && outcome.error == 0) {
      const FileRun run = runs.run();
      runs.advance(run.bytes);
      const Outcome some = transfer(Runs::one(run.offset, run.bytes));
      deliver(state_, window_, memory_, some.bytes);
      memory_.skip(run.bytes - some.bytes);
      outcome = {outcome.bytes + some.bytes, some.error};
    }
    return outcome;
  }

  State& state_;
  const File& file_;
  Runs runs_;
  Memory memory_;
  size_t size_;
  char* window_;
};

}  // namespace

Outcome move(State& state, const File& file, bool writes, Runs runs, const Memory& memory) {
  const Bases& bases = files_of(state).bases;
  const bool direct = std::all_of(memory.regions().begin(), memory.regions().end(),
                                  [&](const Region& region) { return reachable(region, bases); });
  if (direct) return transfer_of(state, file, writes, std::move(runs), memory).run();
  return writes ? write_incoming(state, file, std::move(runs), memory)
                : Outgoing(state, file, std::move(runs), memory).read();
}

}  // namespace weft::upcrt::io
