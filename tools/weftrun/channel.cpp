#include "channel.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace weftrun {
namespace {

void make_non_blocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

}  // namespace

Channel::Channel(int in, int out) : in_(in), out_(out), heard_(Clock::now()), sent_(heard_) {
  make_non_blocking(in_);
  make_non_blocking(out_);
}

Channel::~Channel() { close(); }

void Channel::close() {
  if (in_ >= 0) ::close(std::exchange(in_, -1));
  if (out_ >= 0) ::close(std::exchange(out_, -1));
}

void Channel::send(FrameType type, uint32_t rank, std::string_view payload) { send_text(encode(type, rank, payload)); }

void Channel::send_text(std::string_view text) {
  pending_.append(text);
  sent_ = Clock::now();
}

bool Channel::flush() {
  while (wants_to_write()) {
    const ssize_t count = ::write(out_, pending_.data() + written_, pending_.size() - written_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    written_ += static_cast<size_t>(count);
    if (written_ == pending_.size() || written_ > (1 << 20)) {
      pending_.erase(0, written_);
      written_ = 0;
    }
  }
  return out_ >= 0;
}

bool Channel::receive() {
  const ssize_t count = ::read(in_, bytes_.data(), bytes_.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count <= 0) return false;
  reader_.append({bytes_.data(), static_cast<size_t>(count)});
  heard_ = Clock::now();
  return true;
}

void Channel::keep_alive(Clock::time_point now) {
  if (now - sent_ >= time_between_heartbeats) send(FrameType::heartbeat);
}

bool was_stopped(Channel::Clock::time_point before, Channel::Clock::time_point after, int asked_ms) {
  return asked_ms >= 0 && after - before > std::chrono::milliseconds(asked_ms + 2000);
}

}  // namespace weftrun
