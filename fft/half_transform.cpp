#include "fft/half_transform.hpp"

#include <algorithm>
#include <cstring>

namespace weft::fft {
namespace {

// Rows of the work plane are a cache line more apart than they are long, so that the FFT along a, whose elements are
// a row apart, does not fall into a few sets of the cache when y is a power of two.
constexpr std::size_t work_row_pad = 4;

// Rows of one burst stay in the first-level cache between their FFT and their put.
constexpr std::size_t burst_limit = 4;

std::size_t choose_burst(const Route& route, Strategy strategy, std::size_t message_rows) {
  if (strategy != Strategy::pencils) return route.a_local();
  if (message_rows > 1) return message_rows;
  std::size_t burst = std::min(burst_limit, route.a_local());
  while (route.a_local() % burst != 0) --burst;
  return burst;
}

}  // namespace

void ArraySource::load(std::size_t b_local, Complex* work, std::size_t stride) {
  constexpr std::size_t line = 64 / sizeof(Complex);
  const Complex* row = array_ + b_local * route_.y;
  for (std::size_t a = 0; a < route_.a; ++a) {
    const Complex* upcoming = array_ + upcoming_row(route_, a, b_local);
    for (std::size_t y = 0; y < route_.y; y += line) __builtin_prefetch(upcoming + y, 0, 2);
    std::memcpy(work + a * stride, row + a * route_.source_stride(), route_.y * sizeof(Complex));
  }
}

HalfTransform::HalfTransform(const Route& route, Direction direction, Strategy strategy, Transport& transport,
                             Complex* target, const Planning& planning)
    : route_(route),
      strategy_(strategy),
      transport_(transport),
      target_(target),
      local_(planning.local),
      work_stride_(route.y + work_row_pad),
      message_rows_(rows_per_message(route, transport.least_message_bytes())),
      burst_(choose_burst(route, strategy, message_rows_)),
      work_(local_.needed(route.a * work_stride_)) {
  switch (strategy) {
    case Strategy::pencils:
      stage_slot_ = burst_ * route.y;
      break;
    case Strategy::slabs:
      stage_slot_ = route.a * route.y;
      break;
    case Strategy::exchange:
      stage_slot_ = route.ranks * route.b_local() * route.target_stride();
      break;
  }
  if (strategy != Strategy::exchange) stage_slots_ = transport.source_buffers(stage_slot_ * sizeof(Complex));
  stage_ = AlignedArray(local_.needed(stage_slot_ * stage_slots_));

  along_a_ = Columns(route.a, route.y, work_stride_, direction, work_.data(), planning);
  along_y_ = Batch({route.y, 1, 1, route.y, 1, route.y}, direction, work_.data(), stage_.data(), planning);
  along_b_ = Columns(route.b, route.y, route.target_stride(), direction, target, planning);
}

void HalfTransform::run(PlaneSource& source, PhaseClock& clock) {
  transport_.begin(route_, strategy_, target_);
  clock.lap(Phase::communication);
  for (std::size_t plane = 0; plane < route_.b_local(); ++plane) {
    if (local_.has_data) source.load(plane, work_.data(), work_stride_);
    local_.copied(route_.a * route_.y, source.operations_each());
    clock.lap(source.phase());
    along_a_.run(work_.data());
    clock.lap(Phase::local_fft);
    if (plane == 0) transport_.open(clock);
    transform_plane(plane, clock);
  }
  if (strategy_ == Strategy::exchange) {
    transport_.exchange(stage(), route_.b_local() * route_.target_stride());
    clock.lap(Phase::communication);
  }
  transport_.close(clock);
  finish_target(clock);
}

// Transforms the rows of the work plane and sends them as soon as the strategy lets it. Starts with the rows of the
// next rank, so that ranks write to different peers at any time, and ends with its own.
void HalfTransform::transform_plane(std::size_t plane, PhaseClock& clock) {
  for (std::size_t i = 1; i <= route_.ranks; ++i) {
    const std::size_t owner = (route_.rank + i) % route_.ranks;
    for (std::size_t row = 0; row < route_.a_local(); row += burst_) {
      Complex* in = work_.data() + (owner * route_.a_local() + row) * work_stride_;
      Complex* buffer = row_buffer(plane, owner, row, clock);
      for (std::size_t k = 0; k < burst_; ++k) along_y_.run(in + k * work_stride_, buffer + k * route_.y);
      clock.lap(Phase::local_fft);
      if (strategy_ == Strategy::pencils) send_rows(plane, owner, row, buffer);
      clock.lap(Phase::communication);
    }
  }
  if (strategy_ == Strategy::slabs) send_parts(plane);
  clock.lap(Phase::communication);
}

// Where the transformed rows of a burst are kept until they are sent: pencils, one burst per buffer; slabs, one plane
// [a][y] per buffer; exchange, everything, ordered as it will lie at the ranks that will own it.
Complex* HalfTransform::row_buffer(std::size_t plane, std::size_t owner, std::size_t row, PhaseClock& clock) {
  if (strategy_ == Strategy::exchange) {
    return stage() + (owner * route_.b_local() + plane) * route_.target_stride() + row * route_.y;
  }
  const bool first_of_plane = owner == (route_.rank + 1) % route_.ranks && row == 0;
  if (strategy_ == Strategy::pencils || first_of_plane) {
    next_slot_ = (next_slot_ + 1) % stage_slots_;
    transport_.reuse(next_slot_);
    clock.lap(Phase::completion);
  }
  Complex* slot = stage() + next_slot_ * stage_slot_;
  return strategy_ == Strategy::pencils ? slot : slot + (owner * route_.a_local() + row) * route_.y;
}

void HalfTransform::send_rows(std::size_t plane, std::size_t owner, std::size_t row, const Complex* rows) {
  const std::size_t b = route_.rank * route_.b_local() + plane;
  for (std::size_t k = 0; k < burst_; k += message_rows_) {
    transport_.send(static_cast<int>(owner), route_.target_offset(row + k, b), rows + k * route_.y,
                    message_rows_ * route_.y);
  }
}

void HalfTransform::send_parts(std::size_t plane) {
  const Complex* parts = stage() + next_slot_ * stage_slot_;
  const std::size_t b = route_.rank * route_.b_local() + plane;
  const std::size_t part = route_.a_local() * route_.y;
  for (std::size_t i = 1; i <= route_.ranks; ++i) {
    const std::size_t owner = (route_.rank + i) % route_.ranks;
    transport_.send(static_cast<int>(owner), route_.target_offset(0, b), parts + owner * part, part);
  }
}

void HalfTransform::finish_target(PhaseClock& clock) {
  for (std::size_t a = 0; a < route_.a_local(); ++a) along_b_.run(target_ + a * route_.y);
  clock.lap(Phase::local_fft);
}

}  // namespace weft::fft
