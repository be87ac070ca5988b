// Moves between runs of a file and memory that this thread may load and store. Any thread may do that; nothing here
// calls Weft, so an asynchronous operation's helper does it, too.
//
// Few large system calls. What is written goes through a staging buffer that stays in the processor's cache: the copy
// into it runs beside other threads' writes, while the kernel's copy out of it holds the file's lock, and is the faster
// from a cache. What is read is the program's and read once, so pieces that are not small are parts of one vectored
// call, straight to where they belong.
#pragma once

#include <memory>
#include <vector>

#include "upcrt/io_memory.hpp"
#include "upcrt/io_posix.hpp"

namespace weft::upcrt::io {

/// Consecutive bytes of a file.
struct FileRun {
  int64_t offset = 0;
  uint64_t bytes = 0;
};

/// The runs of an operation, in the order of its memory: a list, or runs of one size at equal distances.
class Runs {
 public:
  Runs() = default;
  static Runs one(int64_t offset, uint64_t bytes) { return list({{offset, bytes}}); }
  static Runs list(std::vector<FileRun> runs);
  /// `total` bytes in runs of `size` bytes, each `stride` bytes after the one before.
  static Runs strided(int64_t offset, uint64_t size, uint64_t stride, uint64_t total);

  bool done() const { return left_ == 0; }
  uint64_t bytes_left() const { return left_; }
  /// What is left of the present run.
  const FileRun& run() const { return run_; }
  void advance(uint64_t bytes);
  /// If the runs are at equal distances and the present one is whole: their size and distance.
  bool even(uint64_t& size, uint64_t& stride) const;
  /// The next runs, `bytes` bytes in all, as a list.
  Runs take(uint64_t bytes);

 private:
  void load();

  std::shared_ptr<const std::vector<FileRun>> list_;  // shared, so that a copy to look ahead costs little
  size_t next_ = 0;
  uint64_t size_ = 0;  // strided: of a run
  uint64_t stride_ = 0;
  int64_t next_offset_ = 0;
  uint64_t left_ = 0;
  FileRun run_{};
};

/// Memory that is not initialised.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t size) : bytes_(new char[size]), size_(size) {}
  char* data() { return bytes_.get(); }
  size_t size() const { return size_; }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
};

inline constexpr size_t default_staging = size_t{256} << 10;

struct Transfer {
  int fd = -1;
  bool writes = false;
  Runs runs;
  Memory memory;
  const Bases* bases = nullptr;
  char* staging = nullptr;
  size_t staging_size = 0;

  /// Bytes of runs that lie beyond the end of the file count as not moved.
  Outcome run();

 private:
  Outcome move_window(uint64_t bytes);
  Outcome move_scattered(uint64_t bytes);
  Outcome read_through_holes();
  bool read_even_runs(Outcome& outcome);
  size_t worth_staging() const;
};

}  // namespace weft::upcrt::io
