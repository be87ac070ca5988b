#include "conduit/ip/output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace weft::conduit::ip {
void Output::copy(const void* data, size_t size) {
  const auto* from = static_cast<const std::byte*>(data);
  bytes_ += size;
  while (size > 0) {
    if (pieces_.size() == first_ || pieces_.back().owned == nullptr || pieces_.back().size == pieces_.back().capacity) {
      const size_t capacity = std::max(chunk_size, size);
      auto owned = std::make_unique_for_overwrite<std::byte[]>(capacity);
      const std::byte* start = owned.get();
      pieces_.push_back({start, 0, nullptr, std::move(owned), capacity});
    }
    Piece& last = pieces_.back();
    const size_t part = std::min(size, last.capacity - last.size);
    std::memcpy(last.owned.get() + last.size, from, part);
    last.size += part;
    from += part;
    size -= part;
  }
}

void Output::refer(const void* data, size_t size, Completion* local) {
  pieces_.push_back({static_cast<const std::byte*>(data), size, local, nullptr, 0});
  bytes_ += size;
}

int Output::send(Channel* channel, const iovec* pieces, size_t count, bool keep, Completion* local) {
  size_t sent = 0;
  if (channel != nullptr && empty()) {
    const ssize_t result = channel->send(pieces, count);
    if (result < 0) return errno;
    sent = static_cast<size_t>(result);
  }
  for (size_t i = 0; i < count; ++i) {
    const bool last = keep && i + 1 == count;
    const size_t skip = std::min(sent, pieces[i].iov_len);
    sent -= skip;
    const auto* rest = static_cast<const std::byte*>(pieces[i].iov_base) + skip;
    const size_t size = pieces[i].iov_len - skip;
    if (size == 0) {
      if (last && local != nullptr) local->finish_local();
    } else if (last) {
      refer(rest, size, local);
    } else {
      copy(rest, size);
    }
  }
  return channel != nullptr && !empty() && channel->takes_more() ? flush(*channel) : 0;
}

int Output::flush(Channel& channel) {
  if (const int error = channel.flush(); error != 0) return error;
  while (!empty()) {
    std::array<iovec, pieces_at_once> parts;
    size_t count = 0, offered = 0, skip = begun_;
    for (size_t i = first_; i < pieces_.size() && count < parts.size(); ++i, skip = 0) {
      parts[count++] = {const_cast<std::byte*>(pieces_[i].data + skip), pieces_[i].size - skip};
      offered += pieces_[i].size - skip;
    }
    const ssize_t sent = channel.send(parts.data(), count);
    if (sent < 0) return errno;
    taken(static_cast<size_t>(sent));
    if (static_cast<size_t>(sent) < offered && !channel.takes_more()) return 0;
  }
  return 0;
}

void Output::taken(size_t count) {
  bytes_ -= count;
  begun_ += count;
  while (first_ < pieces_.size() && begun_ >= pieces_[first_].size) {
    Piece& done = pieces_[first_];
    begun_ -= done.size;
    if (done.local != nullptr) done.local->finish_local();
    done.owned.reset();
    ++first_;
  }
  if (first_ == pieces_.size()) {
    pieces_.clear();
    if (pieces_.capacity() > pieces_at_once) pieces_.shrink_to_fit();
    first_ = 0;
  } else if (first_ > pieces_at_once) {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

}  // namespace weft::conduit::ip
