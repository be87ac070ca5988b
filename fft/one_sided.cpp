#include "fft/one_sided.hpp"

#include <weft/barrier.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/segment.h>
#include <weft/watch.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace weft::fft {
namespace {

// Behind a network a message costs tens of microseconds of two processors; docs/performance-net.md has the
// measurements.
constexpr std::size_t network_message_bytes = std::size_t{128} << 10;

// A put is complete when its acknowledgement is back, which waits behind everything that both sockets hold, some
// MiB: the wire is idle unless more than that is under way.
constexpr std::size_t network_bytes_under_way = std::size_t{16} << 20;
constexpr std::size_t least_buffers = 4;

// A target larger than the caches is not read before it has left them: then puts go past the caches.
constexpr std::size_t stream_bytes = std::size_t{8} << 20;

void check(int status, const char* operation) {
  if (status != WEFT_OK) throw std::runtime_error(std::string(operation) + ": " + weft_status_string(status));
}

}  // namespace

OneSided::OneSided() {
  // A put to a mapped peer has left its source when it returns; reusing one buffer keeps that buffer in cache.
  for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
    if (weft_pointer(peer, 0) == nullptr) network_ = true;
  }
}

OneSided::~OneSided() {
  for (std::size_t offset : allocations_) weft_free_symmetric(offset);
}

int OneSided::rank() const { return static_cast<int>(weft_rank()); }
int OneSided::size() const { return static_cast<int>(weft_size()); }

Complex* OneSided::allocate(std::size_t elements) {
  constexpr std::size_t page = 4096;
  std::size_t offset = 0;
  check(weft_alloc_symmetric(elements * sizeof(Complex), page, &offset), "weft_alloc_symmetric");
  allocations_.push_back(offset);
  // Columns are read and written with strides of many pages. Best effort: it only saves time.
  weft_segment_commit(offset, elements * sizeof(Complex));
  return static_cast<Complex*>(weft_pointer(weft_rank(), offset));
}

std::size_t OneSided::least_message_bytes() const { return network_ ? network_message_bytes : 1; }

std::size_t OneSided::source_buffers(std::size_t bytes) const {
  return network_ ? std::max(least_buffers, network_bytes_under_way / bytes) : 1;
}

void OneSided::reuse(std::size_t buffer) {
  buffer_ = buffer;
  if (buffer >= sends_.size()) sends_.resize(buffer + 1);
  if (sends_[buffer].empty()) return;
  weft_trace_begin("wait for sources");
  weft_handle_wait_all(sends_[buffer].data(), sends_[buffer].size());
  weft_trace_end();
  sends_[buffer].clear();
}

void OneSided::begin(const Route& route, Strategy, Complex* target) {
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
  weft_put_nb(to, place, source, bytes, 0, &sends_[buffer_].emplace_back());
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
  weft_trace_end();
  clock.lap(Phase::completion);
  weft_trace_begin("barrier");
  check(weft_barrier(), "weft_barrier");
  weft_trace_end();
  clock.lap(Phase::barrier);
}

}  // namespace weft::fft
