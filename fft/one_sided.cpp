#include "fft/one_sided.hpp"

#include <weft/barrier.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/segment.h>

#include <stdexcept>
#include <string>

namespace weft::fft {
namespace {

// Peers behind a network: enough rows or planes under way to cover the latency of a put.
constexpr std::size_t network_source_buffers = 32;

// A target larger than the caches is not read before it has left them: then puts go past the caches.
constexpr std::size_t stream_bytes = std::size_t{8} << 20;

void check(int status, const char* operation) {
  if (status != WEFT_OK) throw std::runtime_error(std::string(operation) + ": " + weft_status_string(status));
}

}  // namespace

OneSided::OneSided() {
  // A put to a mapped peer has left its source when it returns; reusing one buffer keeps that buffer in cache.
  for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
    if (weft_pointer(peer, 0) == nullptr) source_buffers_ = network_source_buffers;
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

void OneSided::reuse(std::size_t buffer) {
  // Puts complete in any order, so one wait per round of the buffers waits for all of them.
  if (buffer == 0) weft_nbi_wait_local();
}

void OneSided::begin(const Route& route, Strategy, Complex* target) {
  put_flags_ = route.target_elements() * sizeof(Complex) >= stream_bytes ? WEFT_STREAM : 0;
  target_ = weft_offset(target);
  check(weft_barrier_notify(0, WEFT_BARRIER_ANONYMOUS), "weft_barrier_notify");
}

void OneSided::open(PhaseClock& clock) {
  check(weft_barrier_wait(0, WEFT_BARRIER_ANONYMOUS), "weft_barrier_wait");
  clock.lap(Phase::barrier);
}

void OneSided::send(int peer, std::size_t offset, const Complex* source, std::size_t elements) {
  weft_put_nbi(static_cast<weft_rank_t>(peer), target_ + offset * sizeof(Complex), source, elements * sizeof(Complex),
               put_flags_);
  count(elements);
}

void OneSided::exchange(const Complex* stage, std::size_t elements) {
  for (int i = 1; i <= size(); ++i) {
    const int peer = (rank() + i) % size();
    send(peer, static_cast<std::size_t>(rank()) * elements, stage + static_cast<std::size_t>(peer) * elements,
         elements);
  }
}

void OneSided::close(PhaseClock& clock) {
  weft_nbi_wait();
  clock.lap(Phase::completion);
  check(weft_barrier(), "weft_barrier");
  clock.lap(Phase::barrier);
}

}  // namespace weft::fft
