// One end of the conversation between weftrun and an agent: two descriptors, what waits to be written, and when the
// other side was last heard.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "frames.hpp"

namespace weftrun {

class Channel {
 public:
  using Clock = std::chrono::steady_clock;

  /// Makes both descriptors non-blocking; closes them in the end.
  Channel(int in, int out);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  int in() const { return in_; }
  int out() const { return out_; }
  bool wants_to_write() const { return out_ >= 0 && !pending_.empty(); }

  void send(FrameType type, uint32_t rank = 0, std::string_view payload = {});
  void send_text(std::string_view text);
  /// Writes what can be written now. False if nobody reads any more.
  bool flush();
  /// Reads what has come, at most 64 KiB. False at the end of the stream.
  bool receive();
  FrameReader& reader() { return reader_; }

  // Signs of life.
  /// Sends a heartbeat if nothing else was sent for a second.
  void keep_alive(Clock::time_point now);
  bool silent_for(Clock::time_point now, std::chrono::milliseconds time) const { return now - heard_ > time; }
  /// The silence until now does not count: this process itself was stopped.
  void forgive(Clock::time_point now) { heard_ = now; }

  void close();

 private:
  int in_;
  int out_;
  std::string pending_;
  std::vector<char> bytes_ = std::vector<char>(65536);  // of a read; a stack may be smaller
  size_t written_ = 0;
  FrameReader reader_;
  Clock::time_point heard_;
  Clock::time_point sent_;
};

inline constexpr std::chrono::milliseconds time_between_heartbeats{1000};

/// Tells whether a loop that wanted to wake after `asked_ms` slept so much longer that the process, or the whole
/// machine, must have been stopped meanwhile.
bool was_stopped(Channel::Clock::time_point before, Channel::Clock::time_point after, int asked_ms);

}  // namespace weftrun
