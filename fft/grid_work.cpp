#include "fft/grid_work.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

namespace weft::fft {
namespace {

// As in half_transform.cpp: rows of the work plane are a cache line further apart than they are long.
constexpr std::size_t work_row_pad = 4;

// Rows of a burst, before and after their FFT, stay in the first-level cache.
constexpr std::size_t burst_limit = 4;

// What is larger than the caches: as in one_sided.cpp.
constexpr std::size_t stream_bytes = std::size_t{8} << 20;

void copy_row(Complex* to, const Complex* from, std::size_t elements) {
  std::memcpy(static_cast<void*>(to), from, elements * sizeof(Complex));
}

// Past the caches: for parts that will not be read before they would have left them.
void stream_row(Complex* to, const Complex* from, std::size_t elements) {
#if defined(__SSE2__)
  auto* out = reinterpret_cast<double*>(to);
  const auto* in = reinterpret_cast<const double*>(from);
  for (std::size_t i = 0; i < 2 * elements; i += 2) _mm_stream_pd(out + i, _mm_loadu_pd(in + i));
#else
  copy_row(to, from, elements);
#endif
}

// Others may read what has been streamed.
void finish_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace

GridWork::GridWork(const GridRoute& route, Direction direction, GridStrategy strategy, const GridArrays& arrays,
                   const Planning& planning)
    : route_(route),
      strategy_(strategy),
      target_(arrays.target),
      local_(planning.local),
      pack_first_(copy_for(route.first)),
      pack_second_(copy_for(route.second)),
      work_stride_(route.y_source() + work_row_pad),
      burst_(std::min(burst_limit, route.a_local())),
      work_(local_.needed(route.a * work_stride_)),
      rows_(local_.needed(burst_limit * route.y)),
      transformed_(local_.needed(burst_limit * route.y)) {
  while (route.a_local() % burst_ != 0) --burst_;
  // A round that moves nothing leaves the inbox free, and the other one exchanges the roles of inbox and stage.
  const bool alone_first = route.first.size == 1;
  Complex* second_stage = alone_first ? arrays.inbox : arrays.stage;
  Complex* second_inbox = alone_first ? arrays.stage : arrays.inbox;
  packed_first_ = parts(arrays.stage, route.first.size, route.first_part());
  arrived_first_ = parts(alone_first ? arrays.stage : arrays.inbox, route.first.size, route.first_part());
  packed_second_ = parts(second_stage, route.second.size, route.second_part());
  arrived_second_ = parts(second_inbox, route.second.size, route.second_part());
  // Slabs are received in their final place, and so is what stays here.
  const std::size_t stride = route.target().target_stride();
  const Parts in_place{.base = target_, .plane_step = stride, .member_step = route.b_local() * stride};
  if (slabs() || route.second.size == 1) arrived_second_ = in_place;
  if (route.second.size == 1) packed_second_ = in_place;
  along_a_ = Columns(route.a, route.y_source(), work_stride_, direction, work_.data(), planning);
  along_y_ = Batch({.length = route.y, .count = burst_, .in_distance = route.y, .out_distance = route.y}, direction,
                   rows_.data(), transformed_.data(), planning);
  along_b_ = Columns(route.b, route.y_target(), route.target().target_stride(), direction, target_, planning);
}

// Slabs are sent from the cache at once. Packed slabs, and what is not sent at all, have left the caches before they
// are read, if they are larger than these.
GridWork::Copy GridWork::copy_for(const GridRoute::Member& team) const {
  const bool read_soon = slabs() && team.size > 1;
  return !read_soon && route_.share() * sizeof(Complex) >= stream_bytes ? stream_row : copy_row;
}

// Packed slabs keep all planes for one member together, slabs all members' parts of one plane.
GridWork::Parts GridWork::parts(Complex* base, std::size_t members, std::size_t part) const {
  if (slabs()) return {.base = base, .plane_step = members * part, .member_step = part};
  return {.base = base, .plane_step = part, .member_step = route_.b_local() * part};
}

GridRound GridWork::round(const GridRoute::Member& team, std::size_t part, const Parts& from, const Parts& to) const {
  return {.team = team.team,
          .count = slabs() ? route_.b_local() : 1,
          .elements = slabs() ? part : part * route_.b_local(),
          .source = from.base,
          .source_step = from.plane_step,
          .destination = to.base,
          .destination_step = to.plane_step,
          .destination_distance = to.member_step};
}

GridRound GridWork::first_round() const {
  return round(route_.first, route_.first_part(), packed_first_, arrived_first_);
}

GridRound GridWork::second_round() const {
  return round(route_.second, route_.second_part(), packed_second_, arrived_second_);
}

void GridWork::first_plane(std::size_t plane, PlaneSource& source, PhaseClock& clock) {
  if (local_.has_data) source.load(plane, work_.data(), work_stride_);
  local_.copied(route_.a * route_.y_source(), source.operations_each());
  clock.lap(source.phase());
  along_a_.run(work_.data());
  clock.lap(Phase::local_fft);
  pack_plane(plane);
  finish_streams();
  clock.lap(Phase::movement);
}

void GridWork::pack_plane(std::size_t plane) {
  local_.copied(route_.a * route_.y_source());
  if (!local_.has_data) return;
  const Complex* row = work_.data();
  for (std::size_t member = 0; member < route_.first.size; ++member) {
    Complex* to = packed_first_.at(plane, member);
    for (std::size_t a = 0; a < route_.a_local(); ++a) {
      pack_first_(to + a * route_.y_source(), row, route_.y_source());
      row += work_stride_;
    }
  }
}

void GridWork::second_plane(std::size_t plane, PhaseClock& clock) {
  for (std::size_t row = 0; row < route_.a_local(); row += burst_) {
    gather_rows(plane, row);
    clock.lap(Phase::movement);
    along_y_.run(rows_.data(), transformed_.data());
    clock.lap(Phase::local_fft);
    pack_rows(plane, row);
    clock.lap(Phase::movement);
  }
  finish_streams();
}

void GridWork::gather_rows(std::size_t plane, std::size_t row) {
  local_.copied(burst_ * route_.y);
  if (!local_.has_data) return;
  const std::size_t part = route_.y_source();
  for (std::size_t member = 0; member < route_.first.size; ++member) {
    const Complex* from = arrived_first_.at(plane, member) + row * part;
    for (std::size_t k = 0; k < burst_; ++k)
      copy_row(rows_.data() + k * route_.y + member * part, from + k * part, part);
  }
}

void GridWork::pack_rows(std::size_t plane, std::size_t row) {
  local_.copied(burst_ * route_.y);
  if (!local_.has_data) return;
  const std::size_t part = route_.y_target();
  for (std::size_t member = 0; member < route_.second.size; ++member) {
    Complex* to = packed_second_.at(plane, member) + row * part;
    for (std::size_t k = 0; k < burst_; ++k)
      pack_second_(to + k * part, transformed_.data() + k * route_.y + member * part, part);
  }
}

void GridWork::finish(PhaseClock& clock) {
  for (std::size_t a = 0; a < route_.a_local(); ++a) {
    if (unpacks()) {
      unpack(a);
      clock.lap(Phase::movement);
    }
    along_b_.run(target_ + a * route_.y_target());
    clock.lap(Phase::local_fft);
  }
}

// The columns of one a, from [b][its a][its y] without padding to where the FFT finds them in cache.
void GridWork::unpack(std::size_t a) {
  local_.copied(route_.b * route_.y_target());
  if (!local_.has_data) return;
  const std::size_t stride = route_.target().target_stride();
  const std::size_t row = route_.y_target();
  for (std::size_t b = 0; b < route_.b; ++b) {
    copy_row(target_ + b * stride + a * row, arrived_second_.base + b * route_.second_part() + a * row, row);
  }
}

}  // namespace weft::fft
