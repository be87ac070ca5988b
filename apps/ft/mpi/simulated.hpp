// What an MPI program of this folder knows of the simulation that it may run in; MPI itself says nothing of that.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "fft/kernel.hpp"

#if defined(WEFT_SIM_MPI)
#include "apps/ft/simulated.hpp"
#else
#include <string>
#endif

namespace ft {

#if !defined(WEFT_SIM_MPI)

inline std::string simulated_machine() { return {}; }
inline weft::fft::LocalWork simulated_work() { return {}; }

#endif

/// An array that messages are received in; without data in a job that is simulated so.
class ReceiveArray {
 public:
  explicit ReceiveArray(std::size_t elements)
      : array_(simulated_work().has_data ? weft::fft::AlignedArray(elements)
                                         : weft::fft::AlignedArray::untouched(elements)) {
#if defined(WEFT_SIM_MPI)
    is_dropped_ = weft_sim_drop_data(array_.data(), elements * sizeof(weft::fft::Complex)) != 0;
#endif
  }
  ReceiveArray(ReceiveArray&&) = default;
  ReceiveArray& operator=(ReceiveArray&&) = delete;
#if defined(WEFT_SIM_MPI)
  ~ReceiveArray() {
    if (is_dropped_ && array_.data() != nullptr) weft_sim_restore_data(array_.data());
  }
#endif

  weft::fft::Complex* data() const { return array_.data(); }

 private:
  weft::fft::AlignedArray array_;
#if defined(WEFT_SIM_MPI)
  bool is_dropped_ = false;
#endif
};

}  // namespace ft
