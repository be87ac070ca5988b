#include "apps/ft/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/ft/reference.hpp"

namespace ft {

std::span<const Problem> problems() {
  static const std::array<Problem, 8> all{{
      {'S', {64, 64, 64}, 6, checksums_s},
      {'W', {128, 128, 32}, 6, checksums_w},
      {'A', {256, 256, 128}, 6, checksums_a},
      {'B', {512, 256, 256}, 20, checksums_b},
      {'C', {512, 512, 512}, 20, checksums_c},
      {'D', {2048, 1024, 1024}, 25, checksums_d},
      {'E', {4096, 2048, 2048}, 25, {}},
      {'F', {8192, 4096, 4096}, 25, {}},
  }};
  return all;
}

std::optional<Problem> find_problem(std::string_view name) {
  for (const Problem& problem : problems()) {
    if (name.size() == 1 && name.front() == problem.name) return problem;
  }
  return std::nullopt;
}

Verification verify(const Problem& problem, std::span<const Complex> checksums) {
  Verification result;
  if (problem.reference.empty()) return result;
  result.passed = true;
  for (std::size_t i = 0; i < std::min(checksums.size(), problem.reference.size()); ++i) {
    const double error = std::abs(checksums[i] - problem.reference[i]) / std::abs(problem.reference[i]);
    // Written so that a checksum that is not a number fails.
    const bool good = error <= tolerance;
    if (!good && result.first_failure == 0) result.first_failure = static_cast<int>(i) + 1;
    if (!good) result.passed = false;
    if (!(error <= result.largest_error)) result.largest_error = error;
  }
  return result;
}

double nas_megaoperations(const Shape& shape, int iterations) {
  const double n = static_cast<double>(shape.elements());
  return 1e-6 * n * (14.8157 + 7.19641 * std::log(n) + (5.23518 + 7.21113 * std::log(n)) * iterations);
}

double transform_operations(const Shape& shape) {
  const double n = static_cast<double>(shape.elements());
  return 5.0 * n * std::log2(n);
}

}  // namespace ft
