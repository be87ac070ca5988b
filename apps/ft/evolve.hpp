// Evolution in spectral space: iteration t multiplies the transformed initial field by
// exp(-4 alpha pi^2 |k|^2 t), k' = ((k + n/2) mod n) - n/2 in each dimension.
//
// The benchmark words it as a cumulative product, u0 <- u0 * tw each iteration. The closed form is the same to
// rounding (tests compare them), factors into one small table per dimension, and needs neither a table of N
// values nor a write of u0: the product is taken while a plane is read for the first local transform.
#pragma once

#include <cstddef>
#include <vector>

#include "fft/half_transform.hpp"

namespace ft {

/// exp(-4 alpha pi^2 k'^2 t) for k = first .. first + count - 1 of a dimension of n.
std::vector<double> decay(int n, std::size_t first, std::size_t count, int t);

/// The input of the inverse transform of one iteration.
class EvolvedField final : public weft::fft::PlaneSource {
 public:
  /// route: of the inverse transform (a = z, b = x). field: this rank's spectral array, in the route's source layout.
  EvolvedField(const weft::fft::Route& route, const weft::fft::Complex* field)
      : EvolvedField(route, field, 0, route.y) {}
  /// The route's y are those from y_first on of ny.
  EvolvedField(const weft::fft::Route& route, const weft::fft::Complex* field, std::size_t y_first, std::size_t ny)
      : route_(route), field_(field), y_first_(y_first), ny_(ny) {}

  /// Sets up the tables of iteration t, counted from 1.
  void set_iteration(int t);

  void load(std::size_t b_local, weft::fft::Complex* work, std::size_t stride) override;
  weft::fft::Phase phase() const override { return weft::fft::Phase::other; }
  // Two multiplications of each of two parts.
  double operations_each() const override { return 4; }

 private:
  weft::fft::Route route_;
  const weft::fft::Complex* field_;
  std::size_t y_first_;
  std::size_t ny_;
  std::vector<double> decay_x_;  // of this rank's x
  std::vector<double> decay_y_;  // each value twice, for the real and the imaginary part
  std::vector<double> decay_z_;
};

/// The input of the forward transform: the random initial field.
class InitialField final : public weft::fft::PlaneSource {
 public:
  /// route: of the forward transform (a = x, b = z); its y are those from y_first on.
  InitialField(const weft::fft::Shape& shape, const weft::fft::Route& route, std::size_t y_first = 0)
      : shape_(shape), route_(route), y_first_(y_first) {}

  void load(std::size_t b_local, weft::fft::Complex* work, std::size_t stride) override;
  weft::fft::Phase phase() const override { return weft::fft::Phase::other; }
  // Two random numbers of about five operations each.
  double operations_each() const override { return 10; }

 private:
  weft::fft::Shape shape_;
  weft::fft::Route route_;
  std::size_t y_first_;
};

}  // namespace ft
