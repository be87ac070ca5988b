#include "fft/segment_arrays.hpp"

#include <weft/job.h>
#include <weft/segment.h>
#include <weft/sim.h>
#include <weft/types.h>

#include <stdexcept>
#include <string>

namespace weft::fft {

void check(int status, const char* operation) {
  if (status != WEFT_OK) throw std::runtime_error(std::string(operation) + ": " + weft_status_string(status));
}

SegmentArrays::~SegmentArrays() {
  for (std::size_t offset : offsets_) weft_free_symmetric(offset);
}

Complex* SegmentArrays::allocate(std::size_t elements) {
  constexpr std::size_t page = 4096;
  std::size_t offset = 0;
  check(weft_alloc_symmetric(elements * sizeof(Complex), page, &offset), "weft_alloc_symmetric");
  offsets_.push_back(offset);
  auto* const array = static_cast<Complex*>(weft_pointer(weft_rank(), offset));
  // Best effort: it only saves time.
  if (weft_sim_drop_data(array, elements * sizeof(Complex)) == 0)
    weft_segment_commit(offset, elements * sizeof(Complex));
  return array;
}

}  // namespace weft::fft
