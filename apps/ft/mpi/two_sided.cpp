#include "apps/ft/mpi/two_sided.hpp"

#include <algorithm>
#include <cstring>

namespace ft {

using weft::fft::Phase;
using weft::fft::Strategy;

namespace {

// Sends under way before their buffers come round again: 256 rows or two planes of class A. Fewer rows make a rank wait
// for its peer, more planes leave the caches before they are sent; docs/performance-ft.md has the measurement.
constexpr std::size_t bytes_under_way = std::size_t{1} << 20;
constexpr std::size_t least_buffers = 2;
constexpr std::size_t most_buffers = 64;

}  // namespace

TwoSided::TwoSided() : sends_(most_buffers) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

std::size_t TwoSided::source_buffers(std::size_t bytes) const {
  return std::clamp(bytes_under_way / bytes, least_buffers, most_buffers);
}

TwoSided::Complex* TwoSided::allocate(std::size_t elements) { return arrays_.emplace_back(elements).data(); }

void TwoSided::reuse(std::size_t buffer) {
  buffer_ = buffer;
  MPI_Waitall(static_cast<int>(sends_[buffer].size()), sends_[buffer].data(), MPI_STATUSES_IGNORE);
  sends_[buffer].clear();
}

void TwoSided::begin(const weft::fft::Route& route, Strategy strategy, Complex* target) {
  target_ = target;
  if (strategy != Strategy::exchange) post_receives(route, strategy);
}

// In the order in which each peer sends, so that one tag serves all: MPI keeps the order between two ranks.
void TwoSided::post_receives(const weft::fft::Route& route, Strategy strategy) {
  const std::size_t rows = strategy == Strategy::pencils ? 1 : route.a_local();
  for (std::size_t plane = 0; plane < route.b_local(); ++plane) {
    for (std::size_t peer = 0; peer < route.ranks; ++peer) {
      if (peer == route.rank) continue;
      for (std::size_t row = 0; row < route.a_local(); row += rows) {
        Complex* place = target_ + route.target_offset(row, peer * route.b_local() + plane);
        MPI_Irecv(place, static_cast<int>(rows * route.y), MPI_C_DOUBLE_COMPLEX, static_cast<int>(peer), 0,
                  MPI_COMM_WORLD, &receives_.emplace_back());
      }
    }
  }
}

void TwoSided::send(int peer, std::size_t offset, const Complex* source, std::size_t elements) {
  count(elements);
  if (peer == rank_) {
    if (simulated_work().has_data)
      std::memcpy(static_cast<void*>(target_ + offset), source, elements * sizeof(Complex));
    return;
  }
  MPI_Isend(source, static_cast<int>(elements), MPI_C_DOUBLE_COMPLEX, peer, 0, MPI_COMM_WORLD,
            &sends_[buffer_].emplace_back());
}

void TwoSided::exchange(const Complex* stage, std::size_t elements) {
  const int n = static_cast<int>(elements);
  MPI_Alltoall(stage, n, MPI_C_DOUBLE_COMPLEX, target_, n, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
  for (int peer = 0; peer < size_; ++peer) count(elements);
}

void TwoSided::close(weft::fft::PhaseClock& clock) {
  for (std::size_t buffer = 0; buffer < most_buffers; ++buffer) reuse(buffer);
  MPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE);
  receives_.clear();
  clock.lap(Phase::completion);
}

}  // namespace ft
