#include "output.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>

namespace weftrun {

namespace {

/// A line that grows beyond this is printed in pieces, so that binary output cannot fill the memory.
constexpr size_t longest_line = 1 << 20;

// Whether one of the reasons stands in a message behind ": ", up to its end or to what the message adds behind ";".
bool gives_reason(std::string_view message, std::initializer_list<std::string_view> reasons) {
  return std::ranges::any_of(reasons, [&](std::string_view reason) {
    const size_t at = message.find(": " + std::string(reason));
    const size_t end = at + 2 + reason.size();
    return at != message.npos && end < message.size() && (message[end] == '\n' || message[end] == ';');
  });
}

}  // namespace

int Outlet::flush() {
  while (!idle()) {
    // A pipe that polls writable takes PIPE_BUF bytes at once.
    pollfd writable{descriptor_, POLLOUT, 0};
    if (::poll(&writable, 1, 0) <= 0) return 0;
    const size_t piece = std::min<size_t>(pending_.size() - written_, PIPE_BUF);
    const ssize_t count = ::write(descriptor_, pending_.data() + written_, piece);
    if (count >= 0) {
      written_ += static_cast<size_t>(count);
    } else if (errno == EAGAIN) {
      return 0;
    } else if (errno != EINTR) {
      const int error = errno;
      pending_.clear();
      written_ = 0;
      return error;
    }
  }
  pending_.clear();
  written_ = 0;
  return 0;
}

void Tagger::feed(std::string_view bytes, Outlet& outlet) {
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t newline = bytes.find('\n', begin);
    if (newline == std::string_view::npos) {
      partial_.append(bytes.substr(begin));
      if (partial_.size() > longest_line) finish(outlet);
      return;
    }
    outlet.append(tag_);
    outlet.append(partial_);
    outlet.append(bytes.substr(begin, newline + 1 - begin));
    partial_.clear();
    begin = newline + 1;
  }
}

void Tagger::finish(Outlet& outlet) {
  if (partial_.empty()) return;
  outlet.append(tag_);
  outlet.append(partial_);
  outlet.append("\n");
  partial_.clear();
}

// The library writes such a line at once, so no piece ends within it.
std::string RankErrors::filter(std::string_view bytes) {
  std::string others;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t newline = bytes.find('\n', begin);
    const bool whole = newline != std::string_view::npos;
    const std::string_view line = bytes.substr(begin, whole ? newline + 1 - begin : newline);
    const bool complete = at_start_ && whole;
    if (complete && holds_ && tells_of_contact(line))
      held_.append(line);
    else if (!complete || !tells_of_refusal(line) || refusals_.print_one())
      others.append(line);
    at_start_ = whole;
    begin += line.size();
  }
  return others;
}

// What the rank logs at a level in this line; empty if that is nothing. The threads of a UPC program, which any weftrun
// may start, call themselves so.
std::string_view RankErrors::message_of(std::string_view line, std::string_view level) const {
  for (const std::string_view noun : {"rank", "thread"}) {
    const std::string start = "weft: " + std::string(noun) + " " + rank_ + ": " + std::string(level) + ": ";
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return {};
}

// Only for reasons that the end of the peer, or a cut network, explains: that somebody has forged what a peer sends, or
// listens in its place, must be told.
bool RankErrors::tells_of_contact(std::string_view line) const {
  const std::string_view message = message_of(line, "error");
  if (message.starts_with("cannot send to rank "))
    return gives_reason(message, {"Connection refused"}) || suggests_firewall(message);
  return message.starts_with("lost contact with ") &&
         gives_reason(message, {"it has closed the connection", "Connection reset by peer", "Broken pipe",
                                "Connection timed out", "No route to host"});
}

bool RankErrors::tells_of_refusal(std::string_view line) const {
  const std::string_view message = message_of(line, "warning");
  return message.starts_with("refused a connection from ") || message.starts_with("refused a message that ");
}

// It drops what comes, or answers as firewalld does, "administratively prohibited".
bool suggests_firewall(std::string_view text) {
  return text.find("timed out") != std::string_view::npos || text.find("No route to host") != std::string_view::npos;
}

}  // namespace weftrun
