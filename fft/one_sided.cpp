#include "fft/one_sided.hpp"

#include <weft/barrier.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/segment.h>
#include <weft/signal.h>
#include <weft/watch.h>

#include <algorithm>

namespace weft::fft {
namespace {

// Behind a network a message costs tens of microseconds of two processors; docs/performance-ft-net.md has the
// measurements.
constexpr std::size_t network_message_bytes = std::size_t{128} << 10;

// Sources that wait for the network. What it has taken lies in its own buffers, megabytes of a socket; more here would
// only be written to memory and read back.
constexpr std::size_t network_source_bytes = std::size_t{2} << 20;
constexpr std::size_t least_buffers = 2;

// A target larger than the caches is not read before it has left them: then puts go past the caches.
constexpr std::size_t stream_bytes = std::size_t{8} << 20;

}  // namespace

OneSided::OneSided() {
  // A put to a mapped peer has left its source when it returns; reusing one buffer keeps that buffer in cache.
  for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
    if (weft_pointer(peer, 0) == nullptr) network_ = true;
  }
  if (!network_) return;
  check(weft_alloc_symmetric(sizeof expected_, 64, &arrivals_), "weft_alloc_symmetric");
  // Memory may have been used before. Nobody signals before the barrier of the first transposition.
  *static_cast<std::uint64_t*>(weft_pointer(weft_rank(), arrivals_)) = expected_;
}

OneSided::~OneSided() {
  weft_handle_wait_all(unacknowledged_.data(), unacknowledged_.size());
  if (network_) weft_free_symmetric(arrivals_);
}

int OneSided::rank() const { return static_cast<int>(weft_rank()); }
int OneSided::size() const { return static_cast<int>(weft_size()); }

Complex* OneSided::allocate(std::size_t elements) { return arrays_.allocate(elements); }

std::size_t OneSided::least_message_bytes() const { return network_ ? network_message_bytes : 1; }

std::size_t OneSided::source_buffers(std::size_t bytes) const {
  return network_ ? std::max(least_buffers, network_source_bytes / bytes) : 1;
}

void OneSided::reuse(std::size_t buffer) {
  buffer_ = buffer;
  if (buffer >= sends_.size()) sends_.resize(buffer + 1);
  if (sends_[buffer].empty()) return;
  weft_trace_begin("wait for sources");
  for (weft_handle_t send : sends_[buffer]) weft_handle_wait_local(send);
  weft_trace_end();
  unacknowledged_.insert(unacknowledged_.end(), sends_[buffer].begin(), sends_[buffer].end());
  sends_[buffer].clear();
}

void OneSided::begin(const Route& route, Strategy strategy, Complex* target) {
  if (network_) {
    // Those of the transposition before, whose targets have counted them.
    weft_handle_wait_all(unacknowledged_.data(), unacknowledged_.size());
    unacknowledged_.clear();
    const std::size_t messages = expected_traffic(route, strategy, least_message_bytes()).messages / route.ranks;
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
      if (peer != weft_rank()) expected_ += weft_pointer(peer, 0) == nullptr ? messages : 1;
    }
  }
  put_flags_ = route.target_elements() * sizeof(Complex) >= stream_bytes ? WEFT_STREAM : 0;
  target_ = weft_offset(target);
  check(weft_barrier_notify(0, WEFT_BARRIER_ANONYMOUS), "weft_barrier_notify");
}

void OneSided::open(PhaseClock& clock) {
  weft_trace_begin("barrier");
  check(weft_barrier_wait(0, WEFT_BARRIER_ANONYMOUS), "weft_barrier_wait");
  weft_trace_end();
  clock.lap(Phase::barrier);
}

void OneSided::send(int peer, std::size_t offset, const Complex* source, std::size_t elements) {
  const auto to = static_cast<weft_rank_t>(peer);
  const std::size_t place = target_ + offset * sizeof(Complex);
  const std::size_t bytes = elements * sizeof(Complex);
  count(elements);
  if (weft_pointer(to, 0) != nullptr) {
    weft_put_nbi(to, place, source, bytes, put_flags_);
    return;
  }
  weft_put_signal_nb(to, place, source, bytes, arrivals_, 1, WEFT_SIGNAL_ADD, 0, &sends_[buffer_].emplace_back());
  weft_poll();
}

void OneSided::exchange(const Complex* stage, std::size_t elements) {
  for (int i = 1; i <= size(); ++i) {
    const int peer = (rank() + i) % size();
    send(peer, static_cast<std::size_t>(rank()) * elements, stage + static_cast<std::size_t>(peer) * elements,
         elements);
  }
}

void OneSided::close(PhaseClock& clock) {
  for (std::size_t buffer = 0; buffer < sends_.size(); ++buffer) reuse(buffer);
  weft_trace_begin("wait for targets");
  weft_nbi_wait();
  if (network_) {
    tell_neighbours();
    weft_signal_wait(arrivals_, WEFT_GE, expected_, nullptr);
  }
  weft_trace_end();
  clock.lap(Phase::completion);
  if (network_) return;
  weft_trace_begin("barrier");
  check(weft_barrier(), "weft_barrier");
  weft_trace_end();
  clock.lap(Phase::barrier);
}

// Puts to peers on the same host have not signalled; now all of them are in place.
void OneSided::tell_neighbours() {
  for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
    if (peer != weft_rank() && weft_pointer(peer, 0) != nullptr) {
      weft_put_signal(peer, 0, nullptr, 0, arrivals_, 1, WEFT_SIGNAL_ADD);
    }
  }
}

}  // namespace weft::fft
