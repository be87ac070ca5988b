#include "apps/ft/weft_job.hpp"

#include <weft/barrier.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/segment.h>

#include <algorithm>
#include <stdexcept>

namespace ft {
namespace {

// Values reduced at a time; longer lists take several rounds.
constexpr std::size_t slot_values = 64;
constexpr std::size_t slot_bytes = slot_values * sizeof(double);

}  // namespace

WeftJob::WeftJob() {
  if (weft_alloc_symmetric(slot_bytes * weft_size(), 64, &slots_) != WEFT_OK) {
    throw std::runtime_error("no room in the segment for reductions");
  }
}

WeftJob::~WeftJob() { weft_free_symmetric(slots_); }

int WeftJob::rank() const { return static_cast<int>(weft_rank()); }
int WeftJob::size() const { return static_cast<int>(weft_size()); }
int WeftJob::ranks_on_host() const { return static_cast<int>(weft_host_size()); }

int WeftJob::hosts() {
  double first_on_host = weft_host_rank() == 0 ? 1.0 : 0.0;
  sum({&first_on_host, 1});
  return static_cast<int>(first_on_host);
}

std::size_t WeftJob::shared_limit() const { return weft_segment_size(); }

std::string WeftJob::shared_limit_advice() const { return "raise WEFT_SEGMENT_SIZE"; }

void WeftJob::barrier() { weft_barrier(); }

// Every rank gives its values to every rank, and each combines them in the same order, so that all get the same bits.
template <class Combine>
void WeftJob::reduce(std::span<double> values, Combine combine) {
  for (std::size_t first = 0; first < values.size(); first += slot_values) {
    const auto part = values.subspan(first, std::min(slot_values, values.size() - first));
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
      weft_put(peer, slots_ + weft_rank() * slot_bytes, part.data(), part.size_bytes());
    }
    weft_barrier();
    const auto* all = static_cast<const double*>(weft_pointer(weft_rank(), slots_));
    for (std::size_t i = 0; i < part.size(); ++i) {
      double total = all[i];
      for (std::size_t peer = 1; peer < weft_size(); ++peer) total = combine(total, all[peer * slot_values + i]);
      part[i] = total;
    }
    weft_barrier();
  }
}

void WeftJob::sum(std::span<double> values) {
  reduce(values, [](double x, double y) { return x + y; });
}

void WeftJob::max(std::span<double> values) {
  reduce(values, [](double x, double y) { return std::max(x, y); });
}

}  // namespace ft
