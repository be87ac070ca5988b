// Output of the ranks through the launcher (--tag-output), and the launcher's own lines among it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weftrun {

/// One of the launcher's own standard streams, written without ever blocking the launcher for long: the terminal, pipe
/// or file behind it is shared with others, so it cannot be made non-blocking itself.
class Outlet {
 public:
  explicit Outlet(int descriptor) : descriptor_(descriptor) {}

  int descriptor() const { return descriptor_; }
  void append(std::string_view text) { pending_.append(text); }
  bool idle() const { return written_ == pending_.size(); }
  /// True while so much waits to be written that no more should be taken from the ranks.
  bool congested() const { return pending_.size() - written_ > 256 * 1024; }
  /// Writes what can be written now. 0, or the error if the stream takes nothing any more (EPIPE: nobody reads it);
  /// what waits is then dropped.
  int flush();

 private:
  const int descriptor_;
  std::string pending_;
  size_t written_ = 0;  // of pending_
};

/// Cuts one stream of one rank into lines and puts the rank's tag before each.
class Tagger {
 public:
  explicit Tagger(std::string tag) : tag_(std::move(tag)) {}

  void feed(std::string_view bytes, Outlet& outlet);
  /// The stream has ended: what has no newline becomes a line too.
  void finish(Outlet& outlet);

 private:
  const std::string tag_;
  std::string partial_;
};

/// The lines in which the ranks of a job say that they refused strangers. Each rank says it of its first, and who tries
/// one rank tries all: so many lines are printed for the job.
class RefusalLines {
 public:
  static constexpr uint32_t printed_max = 8;

  /// Whether one more is to be printed.
  bool print_one() { return ++said_ <= printed_max; }
  uint32_t held_back() const { return said_ - std::min(said_, printed_max); }

 private:
  uint32_t said_ = 0;
};

/// Takes lines of the library out of a rank's standard error. Where it says that it has lost peers or does not reach
/// them, "weft: rank 2: error: lost contact with ..." and "... cannot send to rank ...", another rank's end is mostly
/// the reason, and the launcher's line about that end says more: these lines are held. Lines that speak of forgery, or
/// of a stranger in a peer's place, are not. Those about refused strangers are dropped when the job has enough of them.
class RankErrors {
 public:
  RankErrors(uint32_t rank, RefusalLines& refusals) : rank_(std::to_string(rank)), refusals_(refusals) {}

  /// What remains of a piece of the rank's standard error without such lines.
  std::string filter(std::string_view bytes);
  /// The lines that are held. Later ones, which may come behind the word that the rank ends the job, are not.
  std::string take() {
    holds_ = false;
    return std::exchange(held_, {});
  }

 private:
  std::string_view message_of(std::string_view line, std::string_view level) const;
  bool tells_of_contact(std::string_view line) const;
  bool tells_of_refusal(std::string_view line) const;

  const std::string rank_;
  RefusalLines& refusals_;  // of the job
  std::string held_;
  bool holds_ = true;
  bool at_start_ = true;  // of a line
};

/// Whether the reason that a text gives for a connection that cannot be made is a firewall's work, maybe.
bool suggests_firewall(std::string_view text);

}  // namespace weftrun
