// Two dimensions of a 3-D transform on local planes, a transposition that overlaps with them, and the third
// dimension on what has arrived. A 3-D transform with a 1-D decomposition is one half transform; "half" because a
// second one, with a and b exchanged, brings the data back to where it was.
//
//   for each local plane b:   load [a][y];  FFT along a;  FFT along y, row by row, sending rows as the strategy says
//   then:                     FFT along b in place in the target
#pragma once

#include <cstddef>

#include "fft/columns.hpp"
#include "fft/kernel.hpp"
#include "fft/phases.hpp"
#include "fft/route.hpp"
#include "fft/transport.hpp"
#include "fft/types.hpp"

namespace weft::fft {

/// Delivers the input, plane by plane: a chance to compute it on the way (initial values, a filter) instead of
/// writing it to memory and reading it back.
class PlaneSource {
 public:
  PlaneSource() = default;
  PlaneSource(const PlaneSource&) = delete;
  PlaneSource& operator=(const PlaneSource&) = delete;
  virtual ~PlaneSource() = default;

  /// Stores element (a, y) of the local plane b at work[a * stride + y].
  virtual void load(std::size_t b_local, Complex* work, std::size_t stride) = 0;
  /// What the time spent in load() is reported as.
  virtual Phase phase() const = 0;
  /// Floating-point operations of load() for each element, beside its copy.
  virtual double operations_each() const { return 0; }
};

/// The planes of an array in the source layout of a route.
class ArraySource final : public PlaneSource {
 public:
  ArraySource(const Route& route, const Complex* array) : route_(route), array_(array) {}
  void load(std::size_t b_local, Complex* work, std::size_t stride) override;
  Phase phase() const override { return Phase::movement; }

 private:
  Route route_;
  const Complex* array_;
};

class HalfTransform {
 public:
  /// Plans the local transforms. Overwrites `target`, this rank's target array.
  HalfTransform(const Route& route, Direction direction, Strategy strategy, Transport& transport, Complex* target,
                const Planning& planning);

  /// Collective. The target of the ranks must be free to be overwritten when they call.
  void run(PlaneSource& source, PhaseClock& clock);

  const Route& route() const { return route_; }

 private:
  void transform_plane(std::size_t plane, PhaseClock& clock);
  Complex* row_buffer(std::size_t plane, std::size_t owner, std::size_t row, PhaseClock& clock);
  void send_rows(std::size_t plane, std::size_t owner, std::size_t row, const Complex* rows);
  void send_parts(std::size_t plane);
  void finish_target(PhaseClock& clock);
  // Without data what is sent needs an address alone, in memory that has none.
  Complex* stage() const { return local_.has_data ? stage_.data() : target_; }

  Route route_;
  Strategy strategy_;
  Transport& transport_;
  Complex* target_;
  LocalWork local_;

  std::size_t work_stride_;
  std::size_t message_rows_;  // pencils: rows of one message
  std::size_t burst_;         // rows transformed between two sends or two readings of the clock
  std::size_t stage_slot_;    // elements of one source buffer
  std::size_t stage_slots_ = 1;
  std::size_t next_slot_ = 0;
  AlignedArray work_;   // one plane [a][y], rows work_stride_ apart
  AlignedArray stage_;  // rows on their way: see row_buffer()

  Columns along_a_;
  Batch along_y_;
  Columns along_b_;
};

}  // namespace weft::fft
