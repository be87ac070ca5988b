#include <fftw3.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

#include "fft/kernel.hpp"

namespace weft::fft {
namespace {

fftw_complex* raw(Complex* data) { return reinterpret_cast<fftw_complex*>(data); }

// FFTW's planner has global state; ranks may be threads of one process.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

double transform_operations(std::size_t length, std::size_t count) {
  const auto n = static_cast<double>(length);
  return static_cast<double>(count) * 5 * n * std::log2(n);
}

Batch::Batch(const BatchShape& shape, Direction direction, Complex* in, Complex* out, const Planning& planning)
    : local_(planning.local), operations_(transform_operations(shape.length, shape.count)) {
  if (!local_.has_data) return;
  const int length = static_cast<int>(shape.length);
  const unsigned flags = planning.rigor == Rigor::patient ? FFTW_PATIENT : FFTW_ESTIMATE;
  const std::lock_guard lock(planner());
  plan_.reset(fftw_plan_many_dft(1, &length, static_cast<int>(shape.count), raw(in), nullptr,
                                 static_cast<int>(shape.in_stride), static_cast<int>(shape.in_distance), raw(out),
                                 nullptr, static_cast<int>(shape.out_stride), static_cast<int>(shape.out_distance),
                                 static_cast<int>(direction), flags));
  if (!plan_) throw std::runtime_error("FFTW has no plan for length " + std::to_string(shape.length));
}

void Batch::run(Complex* in, Complex* out) const {
  local_.computed(operations_);
  if (local_.has_data) fftw_execute_dft(static_cast<fftw_plan>(plan_.get()), raw(in), raw(out));
}

void Batch::Free::operator()(void* plan) const {
  const std::lock_guard lock(planner());
  fftw_destroy_plan(static_cast<fftw_plan>(plan));
}

AlignedArray AlignedArray::untouched(std::size_t elements) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const std::size_t bytes = std::max<std::size_t>(1, elements) * sizeof(Complex);
  const std::size_t alignment = bytes >= huge_page / 2 ? huge_page : 64;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  // Best effort: without huge pages everything works, with more TLB misses.
  if (alignment == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);
  AlignedArray made;
  made.data_.reset(static_cast<Complex*>(memory));
  return made;
}

AlignedArray::AlignedArray(std::size_t elements) : AlignedArray(untouched(elements)) {
  std::fill_n(data_.get(), elements, Complex{});
}

void AlignedArray::Free::operator()(Complex* data) const { std::free(data); }

}  // namespace weft::fft
