// What a half transform needs from a communication library. One-sided and two-sided libraries both fit:
// one_sided.hpp serves it by Weft's puts, the MPI programs of apps/ft by send and receive.
#pragma once

#include <cstddef>

#include "fft/phases.hpp"
#include "fft/route.hpp"
#include "fft/types.hpp"

namespace weft::fft {

/// The ranks that a transposition runs over: all of the job for a 1-D decomposition, the team of a row or a column
/// of ranks for each round of a 2-D one. Calls of one transposition, in this order on every rank:
///   begin; open; send any number of times, or exchange once; close.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Memory that all ranks may write to; collective, the same size everywhere, page-aligned, zero, freed with the
  /// transport.
  virtual Complex* allocate(std::size_t elements) = 0;

  /// A message costs so much that rows which are neighbours at their destination are gathered until it has this size.
  virtual std::size_t least_message_bytes() const = 0;
  /// How many source buffers of this size to cycle through, so that waiting in reuse() is rare.
  virtual std::size_t source_buffers(std::size_t bytes) const = 0;
  /// Returns when the buffer that is next in turn (0, 1, ..., source_buffers() - 1, 0, ...) may be overwritten. What is
  /// sent until the next call comes from this buffer.
  virtual void reuse(std::size_t buffer) = 0;

  /// This rank's target array may be overwritten from now on. Does not wait.
  virtual void begin(const Route& route, Strategy strategy, Complex* target) = 0;
  /// Returns when the target arrays of all ranks may be written to.
  virtual void open(PhaseClock& clock) = 0;
  /// Starts to send `elements` from `source` to `offset` (in elements) of the peer's target array. Messages between
  /// two ranks are sent in the order of their planes b, rows a.
  virtual void send(int peer, std::size_t offset, const Complex* source, std::size_t elements) = 0;
  /// Sends the p-th part of `stage`, `elements` long, to rank p for all p: the part that comes from rank q goes to
  /// q * elements of the target.
  virtual void exchange(const Complex* stage, std::size_t elements) = 0;
  /// Returns when this rank's target is complete and its sources may be reused.
  virtual void close(PhaseClock& clock) = 0;

  /// Sent since the transport exists, to itself too.
  const Traffic& traffic() const { return traffic_; }

 protected:
  void count(std::size_t elements) {
    ++traffic_.messages;
    traffic_.bytes += elements * sizeof(Complex);
  }

 private:
  Traffic traffic_;
};

}  // namespace weft::fft
