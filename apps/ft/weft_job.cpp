#include "apps/ft/weft_job.hpp"

#include <weft/barrier.h>
#include <weft/coll.h>
#include <weft/job.h>
#include <weft/segment.h>
#include <weft/sim.h>

#include <stdexcept>

#include "apps/ft/simulated.hpp"

namespace ft {

int WeftJob::rank() const { return static_cast<int>(weft_rank()); }
int WeftJob::size() const { return static_cast<int>(weft_size()); }
// All simulated hosts are this one.
int WeftJob::ranks_on_host() const {
  return static_cast<int>(weft_simulated() != nullptr ? weft_size() : weft_host_size());
}

int WeftJob::hosts() {
  double first_on_host = weft_host_rank() == 0 ? 1.0 : 0.0;
  sum({&first_on_host, 1});
  return static_cast<int>(first_on_host);
}

std::size_t WeftJob::shared_limit() const { return weft_segment_size(); }

std::string WeftJob::shared_limit_advice() const { return "raise WEFT_SEGMENT_SIZE"; }

// That of a simulated rank is virtual.
weft::fft::Clock WeftJob::clock() const {
  return [] { return static_cast<double>(weft_time_ns()) * 1e-9; };
}

std::string WeftJob::simulated() const { return simulated_machine(); }

weft::fft::LocalWork WeftJob::local_work() const { return simulated_work(); }

void WeftJob::barrier() { weft_barrier(); }

// All ranks get the same bits, as weft_reduce_all() promises.
void WeftJob::reduce(std::span<double> values, weft_reduce_op_t op) {
  if (weft_reduce_all(WEFT_TEAM_WORLD, values.data(), WEFT_IN_PLACE, values.size(), weft_reduction_of(WEFT_F64, op),
                      0) != WEFT_OK) {
    throw std::runtime_error("a reduction over all ranks failed");
  }
}

void WeftJob::sum(std::span<double> values) { reduce(values, WEFT_REDUCE_ADD); }

void WeftJob::max(std::span<double> values) { reduce(values, WEFT_REDUCE_MAX); }

}  // namespace ft
