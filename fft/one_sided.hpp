// Transposition by Weft's non-blocking puts: data goes straight into the final place in the peer's segment.
#pragma once

#include <weft/types.h>

#include <cstdint>
#include <vector>

#include "fft/segment_arrays.hpp"
#include "fft/transport.hpp"

namespace weft::fft {

/// Over all ranks of the job. A barrier that is split around the first plane's transforms says that all targets are
/// free. That everything has arrived is said by a second barrier where all memory is mapped; behind a network every put
/// signals its target, which counts, so that sources are free as soon as the network has taken them.
class OneSided final : public Transport {
 public:
  OneSided();
  ~OneSided() override;

  int rank() const override;
  int size() const override;
  Complex* allocate(std::size_t elements) override;
  std::size_t least_message_bytes() const override;
  std::size_t source_buffers(std::size_t bytes) const override;
  void reuse(std::size_t buffer) override;
  void begin(const Route& route, Strategy strategy, Complex* target) override;
  void open(PhaseClock& clock) override;
  void send(int peer, std::size_t offset, const Complex* source, std::size_t elements) override;
  void exchange(const Complex* stage, std::size_t elements) override;
  void close(PhaseClock& clock) override;

 private:
  void tell_neighbours();

  SegmentArrays arrays_;
  bool network_ = false;                              // whether any peer's memory is not mapped here
  std::vector<std::vector<weft_handle_t>> sends_{1};  // of each source buffer
  std::size_t buffer_ = 0;                            // the source buffer in use
  std::vector<weft_handle_t> unacknowledged_;         // their sources are free
  std::size_t arrivals_ = 0;    // segment offset of the word that counts signals, all there ever were
  std::uint64_t expected_ = 0;  // its value when this transposition is complete
  unsigned put_flags_ = 0;
  std::size_t target_ = 0;  // segment offset of the target array, the same on every rank
};

}  // namespace weft::fft
