#include "upcrt/io_transfer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace weft::upcrt::io {
namespace {

// Reads bring pieces below this many bytes through the staging buffer.
constexpr size_t staged_read = 1024;
// A write of one piece, at most so long, goes straight from where it lies.
constexpr size_t short_write = size_t{64} << 10;
// A scattered window of fewer bytes is not worth a pass per thread.
constexpr size_t smallest_pass = 512;
// Runs are read with what lies between them if they are shorter than this, since each is copied once more,
constexpr size_t short_run = size_t{8} << 10;
// ... and no more lies between them on average: reading and dropping so much costs what a call does (0.4 us).
constexpr size_t small_hole = size_t{2} << 10;

}  // namespace

Runs Runs::list(std::vector<FileRun> runs) {
  Runs result;
  for (const FileRun& run : runs) result.left_ += run.bytes;
  result.list_ = std::make_shared<const std::vector<FileRun>>(std::move(runs));
  result.load();
  return result;
}

Runs Runs::strided(int64_t offset, uint64_t size, uint64_t stride, uint64_t total) {
  Runs result;
  result.size_ = size;
  result.stride_ = stride;
  result.next_offset_ = offset;
  result.left_ = total;
  result.load();
  return result;
}

void Runs::load() {
  run_ = {};
  if (left_ == 0) return;
  if (size_ != 0) {
    run_ = {next_offset_, std::min(size_, left_)};
    next_offset_ += static_cast<int64_t>(stride_);
    return;
  }
  while (run_.bytes == 0) run_ = (*list_)[next_++];
  // Runs that touch are one.
  for (; next_ < list_->size(); ++next_) {
    const FileRun& next = (*list_)[next_];
    if (next.bytes != 0 && next.offset != run_.offset + static_cast<int64_t>(run_.bytes)) break;
    run_.bytes += next.bytes;
  }
}

bool Runs::even(uint64_t& size, uint64_t& stride) const {
  size = size_;
  stride = stride_;
  return size_ != 0 && run_.bytes == size_;
}

void Runs::advance(uint64_t bytes) {
  if (size_ != 0 && bytes > run_.bytes) {  // over whole runs
    const uint64_t skipped = (bytes - run_.bytes) / size_;
    next_offset_ += static_cast<int64_t>(skipped * stride_);
    left_ -= run_.bytes + skipped * size_;
    bytes -= run_.bytes + skipped * size_;
    load();
    if (bytes == 0) return;
  }
  left_ -= bytes;
  run_.offset += static_cast<int64_t>(bytes);
  run_.bytes -= bytes;
  if (run_.bytes == 0) load();
}

Runs Runs::take(uint64_t bytes) {
  std::vector<FileRun> taken;
  while (bytes != 0) {
    const uint64_t here = std::min(bytes, run_.bytes);
    taken.push_back({run_.offset, here});
    advance(here);
    bytes -= here;
  }
  return list(std::move(taken));
}

size_t Transfer::worth_staging() const { return writes ? staging_size : std::min(staging_size, staged_read); }

Outcome Transfer::run() {
  Outcome all;
  while (!runs.done()) {
    const uint64_t left = runs.run().bytes;
    if (!writes && left < short_run && left < runs.bytes_left()) {
      const Outcome some = read_through_holes();
      all.bytes += some.bytes;
      if (some.error != 0) return {all.bytes, some.error};
      continue;
    }
    const Region& region = memory.region();
    const uint64_t room = std::min(left, memory.room());
    const bool pass = region.scattered() && region.block < worth_staging() && room >= smallest_pass;
    const Outcome some = pass ? move_scattered(std::min<uint64_t>(room, staging_size)) : move_window(left);
    all.bytes += some.bytes;
    if (some.error != 0) return {all.bytes, some.error};
  }
  return all;
}

// Part of a run whose memory is one scattered region of small blocks.
Outcome Transfer::move_scattered(uint64_t bytes) {
  const Region& region = memory.region();
  iovec part{staging, bytes};
  Outcome outcome;
  if (writes) {
    gather(staging, region, memory.at(), bytes, *bases);
    outcome = write_at(fd, {&part, 1}, runs.run().offset);
  } else {
    outcome = read_at(fd, {&part, 1}, runs.run().offset);
    if (outcome.bytes != 0) scatter(staging, region, memory.at(), outcome.bytes, *bases);
  }
  const bool ended = outcome.bytes < bytes;
  const uint64_t passed = ended ? runs.run().bytes : bytes;
  memory.skip(passed);
  runs.advance(passed);
  return outcome;
}

// At most `bytes` of the present run in one vectored call: small pieces through the staging buffer, others directly.
Outcome Transfer::move_window(uint64_t bytes) {
  std::array<iovec, most_parts> parts;
  struct Staged {
    char* memory;
    char* staged;
    size_t bytes;
    uint64_t at;  // in the window
  };
  std::vector<Staged> staged;
  size_t count = 0, staged_bytes = 0;
  uint64_t window = 0;
  const size_t limit = worth_staging();
  while (window < bytes && count < most_parts) {
    const uint64_t most = writes ? std::min<uint64_t>(bytes - window, staging_size - staged_bytes) : bytes - window;
    if (most == 0) break;
    const Piece next = piece_at(memory.region(), memory.at(), most, *bases);
    const bool whole = count == 0 && next.bytes == bytes && bytes <= short_write;
    const bool through = (writes || next.bytes < limit) && !whole;
    if (through && staged_bytes + next.bytes > staging_size) break;
    if (through) {
      char* const at = staging + staged_bytes;
      if (writes)
        std::memcpy(at, next.here, next.bytes);
      else
        staged.push_back({next.here, at, next.bytes, window});
      iovec* const last = count == 0 ? nullptr : &parts[count - 1];
      if (last != nullptr && static_cast<char*>(last->iov_base) + last->iov_len == at)
        last->iov_len += next.bytes;
      else
        parts[count++] = {at, next.bytes};
      staged_bytes += next.bytes;
    } else {
      parts[count++] = {next.here, next.bytes};
    }
    window += next.bytes;
    memory.advance(next.bytes);
  }
  const std::span<iovec> used{parts.data(), count};
  const Outcome outcome = writes ? write_at(fd, used, runs.run().offset) : read_at(fd, used, runs.run().offset);
  for (const Staged& piece : staged) {
    if (piece.at >= outcome.bytes) break;
    std::memcpy(piece.memory, piece.staged, std::min<uint64_t>(piece.bytes, outcome.bytes - piece.at));
  }
  if (outcome.bytes < window) {
    const uint64_t rest = runs.run().bytes;
    memory.skip(rest - window);
    runs.advance(rest);
  } else {
    runs.advance(window);
  }
  return outcome;
}

// Runs at equal distances into consecutive memory, as a thread's own blocks of a shared array are.
bool Transfer::read_even_runs(Outcome& outcome) {
  uint64_t size = 0, stride = 0;
  if (!runs.even(size, stride) || stride > size + small_hole || stride > staging_size) return false;
  if (memory.region().local == nullptr) return false;
  const uint64_t most = std::min(runs.bytes_left(), memory.room()) / size;
  const uint64_t count = std::min<uint64_t>(most, (staging_size - size) / stride + 1);
  if (count < 2) return false;
  iovec part{staging, (count - 1) * stride + size};
  const Outcome read = read_at(fd, {&part, 1}, runs.run().offset);
  const uint64_t whole = read.bytes < size ? 0 : (read.bytes - size) / stride + 1;
  char* const to = memory.region().local + memory.region().skip + memory.at();
  copy_blocks(to, size, staging, stride, size, whole);
  const uint64_t rest = whole < count && read.bytes > whole * stride ? read.bytes - whole * stride : 0;
  std::memcpy(to + whole * size, staging + whole * stride, rest);
  memory.skip(count * size);
  runs.advance(count * size);
  outcome = {whole * size + rest, read.error};
  return true;
}

// Several short runs, and what lies between them, in one call.
Outcome Transfer::read_through_holes() {
  if (Outcome outcome; read_even_runs(outcome)) return outcome;
  Runs ahead = runs;
  const int64_t begin = runs.run().offset;
  int64_t end = begin;
  uint64_t wanted = 0, count = 0;
  for (; !ahead.done() && ahead.run().bytes < short_run && ahead.run().offset >= begin; ++count) {
    const int64_t stop = std::max(end, ahead.run().offset + static_cast<int64_t>(ahead.run().bytes));
    const auto span = static_cast<uint64_t>(stop - begin);
    if (span > staging_size || span > wanted + ahead.run().bytes + count * small_hole) break;
    end = stop;
    wanted += ahead.run().bytes;
    ahead.advance(ahead.run().bytes);
  }
  if (count < 2) return move_window(runs.run().bytes);
  iovec part{staging, static_cast<size_t>(end - begin)};
  const Outcome read = read_at(fd, {&part, 1}, begin);
  Outcome outcome{0, read.error};
  for (; count != 0; --count) {
    const auto at = static_cast<uint64_t>(runs.run().offset - begin);
    const uint64_t there = std::min(runs.run().bytes, read.bytes > at ? read.bytes - at : 0);
    for (uint64_t copied = 0; copied < there;) {
      const Piece piece = memory.take(there - copied, *bases);
      std::memcpy(piece.here, staging + at + copied, piece.bytes);
      copied += piece.bytes;
    }
    memory.skip(runs.run().bytes - there);
    outcome.bytes += there;
    runs.advance(runs.run().bytes);
  }
  return outcome;
}

}  // namespace weft::upcrt::io
