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

// Brings memory together; the gets are under way between begin() and finish().
class Fetching {
 public:
  explicit Fetching(State& state) : bases_(files_of(state).bases) {}

  void begin(char* to, Memory& memory, uint64_t bytes) {
    if (scratch_.size() < bytes) scratch_ = Buffer(bytes);
    walk(
        memory, bytes, bases_,
        [&](const Piece& piece, uint64_t done) {
          if (piece.here != nullptr)
            std::memcpy(to + done, piece.here, piece.bytes);
          else
            handles_.get(to + done, piece);
        },
        [&](const Region& region, uint64_t at, uint64_t here, uint64_t done) {
          parts_.push_back({region, at, here, to + done, Shares(region, at, here, scratch_.data() + done, bases_)});
          const Shares& shares = parts_.back().shares;
          for (size_t i = 0; i < shares.remote.size(); ++i) handles_.get(shares.at[i], shares.remote[i]);
        });
  }

  void finish() {
    handles_.wait();
    for (const Part& part : parts_) gather(part.to, part.region, part.at, part.bytes, part.shares.bases);
    parts_.clear();
  }

 private:
  struct Part {
    Region region;
    uint64_t at;
    uint64_t bytes;
    char* to;
    Shares shares;
  };
  const Bases& bases_;
  Handles handles_;
  std::vector<Part> parts_;
  Buffer scratch_;
};

}  // namespace

void fetch(State& state, char* to, Memory& memory, uint64_t bytes) {
  Fetching fetching(state);
  fetching.begin(to, memory, bytes);
  fetching.finish();
}

void deliver(State& state, const char* from, Memory& memory, uint64_t bytes) {
  const Bases& bases = files_of(state).bases;
  Handles handles;
  walk(
      memory, bytes, bases,
      [&](const Piece& piece, uint64_t done) {
        if (piece.here != nullptr)
          std::memcpy(piece.here, from + done, piece.bytes);
        else
          handles.put(piece, from + done);
      },
      [&](const Region& region, uint64_t at, uint64_t here, uint64_t done) {
        Buffer scratch(here);
        const Shares shares(region, at, here, scratch.data(), bases);
        scatter(from + done, region, at, here, shares.bases);
        for (size_t i = 0; i < shares.remote.size(); ++i) handles.put(shares.remote[i], shares.at[i]);
        handles.wait();
      });
  handles.wait();
}

namespace {

Transfer transfer_of(State& state, const File& file, bool writes, Runs runs, Memory memory) {
  Files& files = files_of(state);
  const size_t staging = file.staging_size();
  return {file.fd, writes, std::move(runs), std::move(memory), &files.bases, files.staging_of(staging), staging};
}

// Through windows of private memory. While one is written the gets of the next are under way.
class Windows {
 public:
  Windows(State& state, const File& file, Runs runs, Memory memory)
      : state_(state),
        file_(file),
        runs_(std::move(runs)),
        memory_(std::move(memory)),
        size_(std::max(file.staging_size(), window_size)) {}

  Outcome write() {
    std::array<Window, 2> windows{Window(state_, size_), Window(state_, size_)};
    Outcome all;
    start(windows[0]);
    for (size_t i = 0; windows[i % 2].bytes != 0 && all.error == 0; ++i) {
      Window& window = windows[i % 2];
      window.fetching.finish();
      start(windows[(i + 1) % 2]);
      const Outcome some = transfer(true, window, runs_.take(window.bytes));
      all = {all.bytes + some.bytes, some.error};
    }
    for (Window& window : windows) window.fetching.finish();
    return all;
  }

  Outcome read() {
    Window window(state_, size_);
    Outcome all;
    while (!runs_.done() && all.error == 0) {
      window.bytes = std::min<uint64_t>(size_, runs_.bytes_left());
      const Outcome some = read(window, runs_.take(window.bytes));
      all = {all.bytes + some.bytes, some.error};
    }
    return all;
  }

 private:
  struct Window {
    Window(State& state, size_t size) : memory(size), fetching(state) {}
    Buffer memory;
    Fetching fetching;
    uint64_t bytes = 0;
  };

  // Nothing if no memory is left.
  void start(Window& window) {
    window.bytes = std::min<uint64_t>(size_, fetched_ < runs_total_ ? runs_total_ - fetched_ : 0);
    window.fetching.begin(window.memory.data(), memory_, window.bytes);
    fetched_ += window.bytes;
  }
  Outcome transfer(bool writes, Window& window, Runs runs) {
    const uint64_t bytes = runs.bytes_left();
    return transfer_of(state_, file_, writes, std::move(runs),
                       Memory({Region::of_private(window.memory.data(), bytes)}))
        .run();
  }
  Outcome read(Window& window, Runs runs) {
    Outcome outcome = transfer(false, window, runs);
    if (outcome.bytes == window.bytes) {
      deliver(state_, window.memory.data(), memory_, window.bytes);
      return outcome;
    }
    // The file ends, or an error came: run by run, so that nothing is delivered that was not read.
    outcome = {};
    while (!runs.done() && outcome.error == 0) {
      const FileRun run = runs.run();
      runs.advance(run.bytes);
      const Outcome some = transfer(false, window, Runs::one(run.offset, run.bytes));
      deliver(state_, window.memory.data(), memory_, some.bytes);
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
  uint64_t runs_total_ = runs_.bytes_left();
  uint64_t fetched_ = 0;
};

}  // namespace

Outcome move(State& state, const File& file, bool writes, Runs runs, const Memory& memory) {
  const Bases& bases = files_of(state).bases;
  const bool direct = std::all_of(memory.regions().begin(), memory.regions().end(),
                                  [&](const Region& region) { return reachable(region, bases); });
  if (direct) return transfer_of(state, file, writes, std::move(runs), memory).run();
  Windows windows(state, file, std::move(runs), memory);
  return writes ? windows.write() : windows.read();
}

}  // namespace weft::upcrt::io
