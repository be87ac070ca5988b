// Output of the ranks through the launcher (--tag-output), and the launcher's own lines among it.
#pragma once

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

/// Holds back what a rank says of peers that it has lost or does not reach, "weft: rank 2: error: lost contact with
/// ..." and "... cannot send to rank ...". Another rank's end is mostly the reason, and the launcher's line about that
/// end says more. Lines that speak of forgery or of a stranger are not held back.
class ContactErrors {
 public:
  explicit ContactErrors(uint32_t rank) : after_noun_(std::to_string(rank) + ": error: ") {}

  /// What remains of a piece of the rank's standard error without such lines.
  std::string filter(std::string_view bytes);
  /// The lines held back.
  std::string take() { return std::exchange(held_, {}); }

 private:
  bool tells(std::string_view line) const;

  const std::string after_noun_;
  std::string held_;
  bool at_start_ = true;  // of a line
};

/// Whether the reason that a text gives for a connection that cannot be made is a firewall's work, maybe.
bool suggests_firewall(std::string_view text);

}  // namespace weftrun
