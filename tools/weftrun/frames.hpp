// What weftrun and its agents on the hosts say to each other over the agents' standard input and output.
//
// An agent begins with one line of text, so that whatever answers instead is recognised: greeting(). From then on both
// sides send frames: four bytes of payload length, one of type, three unused, four of rank, little-endian, and the
// payload. The channel is as safe as what carries it (ssh).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weftrun {

/// Counted up whenever frames change, so that different versions do not misunderstand each other.
inline constexpr int agent_protocol = 2;

enum class FrameType : uint8_t {
  // To the agent.
  setup = 1,  ///< strings: see Setup
  start,      ///< of a rank; strings: its variables, NAME=VALUE
  input,      ///< bytes for rank 0; empty: the end
  credit,     ///< so many more bytes of output may be sent
  signal,     ///< to all ranks
  suspend,    ///< stop all ranks; silence is no failure until resume
  resume,
  terminate,  ///< end everything on the host, then say done
  // From the agent.
  ready,    ///< answers setup
  started,  ///< of a rank; number: its process id
  failed,   ///< strings: exit code, line
  out,      ///< of a rank: bytes
  err,
  ended,   ///< of a rank; number: its status as waitpid gives it
  closed,  ///< of a rank: it has closed its connection to the launcher and runs on
  taken,   ///< so many bytes of input have been taken
  done,    ///< nothing of the job is left on the host, all output is sent; strings: a line if something is left
  // Both ways.
  pmi,  ///< of or to a rank: bytes
  heartbeat
};

struct Frame {
  FrameType type = FrameType::heartbeat;
  uint32_t rank = 0;
  std::string payload;
};

std::string encode(FrameType type, uint32_t rank, std::string_view payload);

/// Cuts a stream into frames.
class FrameReader {
 public:
  void append(std::string_view bytes) { buffer_.append(bytes); }
  /// The next whole frame, if there is one.
  std::optional<Frame> next();
  /// The next whole line, before the first frame.
  std::optional<std::string> next_line();
  size_t waiting() const { return buffer_.size() - begin_; }
  /// True if what comes cannot be frames.
  bool damaged() const { return damaged_; }

 private:
  std::string buffer_;
  size_t begin_ = 0;
  bool damaged_ = false;
};

// Payloads.
std::string pack(const std::vector<std::string>& strings);
/// Nothing if the text is not a list of strings.
std::optional<std::vector<std::string>> unpack(std::string_view text);
std::string number_text(uint64_t number);
/// 0 if it is no number.
uint64_t number_of(std::string_view text);

/// What an agent is told first.
struct Setup {
  std::string folder;                  // where the ranks run
  std::string path;                    // of the program
  std::vector<std::string> arguments;  // its argv
  std::vector<std::string> variables;  // NAME=VALUE, for all ranks
  uint32_t ranks = 0;                  // how many on this host
  uint32_t first_rank = 0;
  bool bind = false;
  uint32_t timeout_ms = 0;  // without a sign of life of the other side

  std::string encode() const;
  static std::optional<Setup> decode(std::string_view text);
};

/// The agent's first line, without newline.
std::string greeting();

/// What is wrong with a greeting; empty if nothing is; nothing if it is no greeting at all.
std::optional<std::string> compare_greeting(std::string_view line);

}  // namespace weftrun
