// Lists of short runs from several threads, in two phases. The part of the file that they lie in is cut into windows,
// whose data one thread each brings together: for a write the threads send it what they have of its window, and it
// writes what is whole in few calls; for a read it reads through the window and sends each thread what that asked for.
#include <algorithm>
#include <cstring>

#include "upcrt/io_file.hpp"

namespace weft::upcrt::io {
namespace {

constexpr uint64_t default_window = uint64_t{4} << 20;

// A run within a window.
struct Short {
  uint32_t at;
  uint32_t bytes;
};

// What is sent to the threads, or has come from them, one after another.
class Parcels {
 public:
  explicit Parcels(size_t threads) : sizes(threads), offsets(threads) {}
  void reserve() {
    size_t total = 0;
    for (size_t t = 0; t < sizes.size(); ++t) {
      offsets[t] = total;
      total += sizes[t];
    }
    if (total > bytes.size()) bytes = Buffer(total);
  }
  char* of(size_t thread) { return bytes.data() + offsets[thread]; }

  std::vector<size_t> sizes;
  std::vector<size_t> offsets;
  Buffer bytes;
};

void exchange_sizes(const Parcels& out, Parcels& in) {
  (void)weft_exchange(WEFT_TEAM_WORLD, in.sizes.data(), out.sizes.data(), sizeof(size_t), 0);
  in.reserve();
}

void exchange(Parcels& out, Parcels& in) {
  (void)weft_exchange_v(WEFT_TEAM_WORLD, in.bytes.data(), in.sizes.data(), in.offsets.data(), out.bytes.data(),
                        out.sizes.data(), out.offsets.data(), 0);
}

class Together {
 public:
  Together(State& state, const File& file, bool writes, Runs runs, Memory memory, int64_t low, int64_t high)
      : state_(state),
        file_(file),
        writes_(writes),
        runs_(std::move(runs)),
        memory_(std::move(memory)),
        low_(low),
        high_(high),
        threads_(state.threads),
        wanted_(threads_),
        asked_(threads_),
        out_(threads_),
        in_(threads_) {
    const uint64_t parts =
        file.hints.aggregators == 0 ? threads_ : std::min<uint64_t>(file.hints.aggregators, threads_);
    aggregators_ = parts;
    const uint64_t span = static_cast<uint64_t>(high - low);
    const uint64_t most = file.hints.buffer_size == 0 ? default_window : file.staging_size();
    window_ = std::clamp<uint64_t>((span + parts - 1) / parts, uint64_t{64} << 10, most);
  }

  Outcome move() {
    const uint64_t round = window_ * aggregators_;
    for (int64_t begin = low_; begin < high_; begin += static_cast<int64_t>(round)) {
      collect(begin);
      send_runs();
      if (writes_)
        write(begin);
      else
        read(begin);
    }
    return mine_;
  }

 private:
  // Which thread brings window `k` of a round together.
  size_t aggregator(uint64_t k) const { return k * threads_ / aggregators_; }
  bool has_window(uint64_t& k) const {
    k = (state_.me * aggregators_ + threads_ - 1) / threads_;
    return k < aggregators_ && aggregator(k) == state_.me;
  }

  // This thread's runs in the windows of a round.
  void collect(int64_t begin) {
    for (size_t t = 0; t < threads_; ++t) wanted_[t].clear();
    taken_ = 0;
    for (uint64_t k = 0; k < aggregators_; ++k) {
      const int64_t first = begin + static_cast<int64_t>(k * window_);
      const int64_t end = first + static_cast<int64_t>(window_);
      std::vector<Short>& list = wanted_[aggregator(k)];
      while (!runs_.done() && runs_.run().offset < end && runs_.run().offset >= first) {
        const uint64_t here = std::min<uint64_t>(runs_.run().bytes, static_cast<uint64_t>(end - runs_.run().offset));
        list.push_back({static_cast<uint32_t>(runs_.run().offset - first), static_cast<uint32_t>(here)});
        taken_ += here;
        runs_.advance(here);
      }
    }
  }

  void send_runs() {
    for (size_t t = 0; t < threads_; ++t) out_.sizes[t] = wanted_[t].size() * sizeof(Short);
    out_.reserve();
    for (size_t t = 0; t < threads_; ++t)
      if (out_.sizes[t] != 0) std::memcpy(out_.of(t), wanted_[t].data(), out_.sizes[t]);
    exchange_sizes(out_, in_);
    exchange(out_, in_);
    for (size_t t = 0; t < threads_; ++t) {
      asked_[t].resize(in_.sizes[t] / sizeof(Short));
      if (in_.sizes[t] != 0) std::memcpy(asked_[t].data(), in_.of(t), in_.sizes[t]);
    }
  }

  static size_t bytes_of(const std::vector<Short>& list) {
    size_t bytes = 0;
    for (const Short& run : list) bytes += run.bytes;
    return bytes;
  }

  // Sizes of the data between each thread and each window's.
  void size_parcels(Parcels& of_wanted, Parcels& of_asked) {
    for (size_t t = 0; t < threads_; ++t) {
      of_wanted.sizes[t] = bytes_of(wanted_[t]);
      of_asked.sizes[t] = bytes_of(asked_[t]);
    }
    of_wanted.reserve();
    of_asked.reserve();
  }

  char* window() {
    if (buffer_.size() < window_) buffer_ = Buffer(window_);
    return buffer_.data();
  }

  // All threads' runs in this thread's window, in the order of the file; those that touch are one.
  std::vector<Short> merged() const {
    std::vector<Short> all, next;
    for (const std::vector<Short>& list : asked_) {
      next.resize(all.size() + list.size());
      std::merge(all.begin(), all.end(), list.begin(), list.end(), next.begin(),
                 [](const Short& a, const Short& b) { return a.at < b.at; });
      all.swap(next);
    }
    size_t kept = 0;
    for (const Short& run : all) {
      if (kept != 0 && run.at <= all[kept - 1].at + all[kept - 1].bytes)
        all[kept - 1].bytes = std::max(all[kept - 1].at + all[kept - 1].bytes, run.at + run.bytes) - all[kept - 1].at;
      else
        all[kept++] = run;
    }
    all.resize(kept);
    return all;
  }

  void write(int64_t begin) {
    size_parcels(out_, in_);
    if (taken_ != 0) fetch(state_, out_.bytes.data(), memory_, taken_);
    exchange(out_, in_);
    mine_.bytes += taken_;
    uint64_t k = 0;
    if (!has_window(k)) return;
    for (size_t t = 0; t < threads_; ++t) {
      const char* from = in_.of(t);
      for (const Short& run : asked_[t]) {
        std::memcpy(window() + run.at, from, run.bytes);
        from += run.bytes;
      }
    }
    for (const Short& run : merged()) {
      iovec part{window() + run.at, run.bytes};
      if (mine_.error != 0) break;
      mine_.error = write_at(file_.fd, {&part, 1}, begin + static_cast<int64_t>(k * window_ + run.at)).error;
    }
  }

  // The end of the file is told with the data: how many bytes of the window are there.
  void read(int64_t begin) {
    size_parcels(in_, out_);
    uint64_t k = 0, there = 0;
    if (has_window(k)) there = read_window(begin + static_cast<int64_t>(k * window_));
    for (size_t t = 0; t < threads_; ++t) {
      char* to = out_.of(t);
      for (const Short& run : asked_[t]) {
        const uint64_t valid = std::min<uint64_t>(run.bytes, there > run.at ? there - run.at : 0);
        std::memcpy(to, window() + run.at, valid);
        to += run.bytes;
      }
    }
    exchange(out_, in_);
    std::vector<uint64_t> ends(threads_);
    (void)weft_gather_all(WEFT_TEAM_WORLD, ends.data(), &there, sizeof there, 0);
    deliver_runs(ends);
  }

  uint64_t read_window(int64_t offset) {
    size_t end = 0;
    for (const std::vector<Short>& list : asked_)
      if (!list.empty()) end = std::max<size_t>(end, list.back().at + list.back().bytes);
    if (end == 0) return 0;
    iovec part{window(), end};
    const Outcome outcome = read_at(file_.fd, {&part, 1}, offset);
    if (mine_.error == 0) mine_.error = outcome.error;
    return outcome.bytes;
  }

  // `ends`: how many bytes of each thread's window were there.
  void deliver_runs(const std::vector<uint64_t>& ends) {
    for (size_t t = 0; t < threads_; ++t) {
      const std::vector<Short>& list = wanted_[t];
      if (list.empty()) continue;
      const bool whole = ends[t] >= uint64_t{list.back().at} + list.back().bytes;
      if (whole) {
        deliver(state_, in_.of(t), memory_, in_.sizes[t]);
        mine_.bytes += in_.sizes[t];
        continue;
      }
      const char* from = in_.of(t);
      for (const Short& run : list) {
        const uint64_t valid = std::min<uint64_t>(run.bytes, ends[t] > run.at ? ends[t] - run.at : 0);
        deliver(state_, from, memory_, valid);
        memory_.skip(run.bytes - valid);
        mine_.bytes += valid;
        from += run.bytes;
      }
    }
  }

  State& state_;
  const File& file_;
  bool writes_;
  Runs runs_;
  Memory memory_;
  int64_t low_, high_;
  size_t threads_;
  uint64_t aggregators_ = 1;
  uint64_t window_ = 0;
  uint64_t taken_ = 0;                      // bytes of this thread's runs in the round
  std::vector<std::vector<Short>> wanted_;  // this thread's runs, by whose window they are in
  std::vector<std::vector<Short>> asked_;   // the threads' runs in this thread's window
  Parcels out_, in_;
  Buffer buffer_;
  Outcome mine_;
};

}  // namespace

Outcome move_together(State& state, const File& file, bool writes, Runs runs, Memory memory, int64_t low,
                      int64_t high) {
  return Together(state, file, writes, std::move(runs), std::move(memory), low, high).move();
}

}  // namespace weft::upcrt::io
