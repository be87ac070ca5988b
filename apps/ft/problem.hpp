// The problem classes of NAS FT and their reference checksums.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fft/types.hpp"

namespace ft {

using weft::fft::Complex;
using weft::fft::Shape;

constexpr double diffusion = 1e-6;  ///< alpha of the benchmark description
constexpr double tolerance = 1e-12;

struct Problem {
  char name;
  Shape shape;
  int iterations;
  /// One value per iteration; empty where no reference has been published (E and F).
  std::span<const Complex> reference;
};

/// All classes, smallest first.
std::span<const Problem> problems();
/// The class of that name ("A"), or nothing.
std::optional<Problem> find_problem(std::string_view name);

struct Verification {
  std::optional<bool> passed;  ///< nothing without a reference
  double largest_error = 0;    ///< relative
  int first_failure = 0;       ///< iteration, from 1; 0 if none
};

/// Compares the checksums of the first iterations with the reference.
Verification verify(const Problem& problem, std::span<const Complex> checksums);

/// Floating-point operations, in millions, as the benchmark counts them.
double nas_megaoperations(const Shape& shape, int iterations);
/// 5 N log2 N: the plain count for one transform, in operations.
double transform_operations(const Shape& shape);

}  // namespace ft
