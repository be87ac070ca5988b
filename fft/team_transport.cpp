#include "fft/team_transport.hpp"

#include <weft/coll.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/segment.h>
#include <weft/watch.h>

namespace weft::fft {
TeamTransport::TeamTransport(const Grid& grid) : grid_(grid) {
  const auto ty = static_cast<std::uint32_t>(grid.ty);
  const auto tz = static_cast<std::uint32_t>(grid.tz);
  check(weft_team_split_stride(WEFT_TEAM_WORLD, ty, 1, &plane_), "weft_team_split_stride");
  check(weft_team_split_stride(WEFT_TEAM_WORLD, tz, ty, &across_), "weft_team_split_stride");
}

TeamTransport::~TeamTransport() {
  weft_team_free(across_);
  weft_team_free(plane_);
}

int TeamTransport::rank() const { return static_cast<int>(weft_rank()); }

Complex* TeamTransport::allocate(std::size_t elements) { return arrays_.allocate(elements); }

void TeamTransport::begin(const GridRound& round) {
  round_ = round;
  const std::size_t members = weft_team_size(team());
  sizes_.assign(members, round.elements * sizeof(Complex));
  source_offsets_.resize(members);
  destination_offsets_.resize(members);
  for (std::size_t member = 0; member < members; ++member) {
    source_offsets_[member] = member * round.elements * sizeof(Complex);
    destination_offsets_[member] = member * round.destination_distance * sizeof(Complex);
  }
}

void TeamTransport::start(std::size_t k) {
  const Complex* source = round_.source + k * round_.source_step;
  Complex* destination = round_.destination + k * round_.destination_step;
  count(sizes_.size(), round_.elements);
  if (sizes_.size() == 1) return;
  if (round_.destination_distance != round_.elements) {
    start_spread(source, destination);
  } else if (round_.count == 1) {
    check(weft_exchange(team(), destination, source, sizes_[0], 0), "weft_exchange");
  } else {
    check(weft_exchange_nb(team(), destination, source, sizes_[0], 0, &under_way_.emplace_back()), "weft_exchange_nb");
    weft_poll();
  }
}

void TeamTransport::start_spread(const Complex* source, Complex* destination) {
  check(weft_exchange_v_nb(team(), destination, sizes_.data(), destination_offsets_.data(), source, sizes_.data(),
                           source_offsets_.data(), 0, &under_way_.emplace_back()),
        "weft_exchange_v_nb");
  weft_poll();
}

void TeamTransport::finish(PhaseClock& clock) {
  weft_trace_begin("wait for the round");
  weft_handle_wait_all(under_way_.data(), under_way_.size());
  weft_trace_end();
  under_way_.clear();
  clock.lap(Phase::completion);
}

}  // namespace weft::fft
