// Element types: what the public weft_la_type_t is in C++.
#pragma once

#include <weft/linalg.h>

#include <complex>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "linalg/report.hpp"

/// Instantiates what `macro` says for the four types.
#define WEFT_LA_FOR_ALL_TYPES(macro) macro(float) macro(double) macro(std::complex<float>) macro(std::complex<double>)

namespace weft::la {

template <class T>
struct RealOf {
  using Type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <class T>
using Real = typename RealOf<T>::Type;

template <class T>
inline constexpr bool is_complex = !std::is_same_v<T, Real<T>>;

template <class T>
T conjugate(T x) {
  if constexpr (is_complex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

/// What a caller gave for an enumeration, which in C may be any number.
template <class Enumeration>
int number_of(const Enumeration& given) {
  static_assert(sizeof given == sizeof(int));
  int number;
  std::memcpy(&number, &given, sizeof number);
  return number;
}

inline std::size_t size_of(weft_la_type_t type) {
  switch (type) {
    case WEFT_LA_S:
      return sizeof(float);
    case WEFT_LA_D:
      return sizeof(double);
    case WEFT_LA_C:
      return sizeof(std::complex<float>);
    case WEFT_LA_Z:
      return sizeof(std::complex<double>);
  }
  return 0;
}

/// "WEFT_LA_D"; the number where it is none of the four.
inline std::string name_of_type(int type) {
  constexpr const char* names[] = {"WEFT_LA_S", "WEFT_LA_D", "WEFT_LA_C", "WEFT_LA_Z"};
  return type >= WEFT_LA_S && type <= WEFT_LA_Z ? names[type] : std::to_string(type);
}

/// work.template operator()<T>() for the type that T stands for; the type is one of the four.
template <class Work>
auto with_type(weft_la_type_t type, Work work) {
  switch (type) {
    case WEFT_LA_S:
      return work.template operator()<float>();
    case WEFT_LA_D:
      return work.template operator()<double>();
    case WEFT_LA_C:
      return work.template operator()<std::complex<float>>();
    case WEFT_LA_Z:
      break;
  }
  return work.template operator()<std::complex<double>>();
}

/// Calls use(name, bits) for the one or two real numbers that an element is, as "alpha" or "the real part of alpha".
template <class Use>
void for_each_real(const std::string& name, weft_la_type_t type, const void* element, Use use) {
  with_type(type, [&]<class T>() {
    const T value = *static_cast<const T*>(element);
    if constexpr (is_complex<T>) {
      use("the real part of " + name, bits_of(value.real()));
      use("the imaginary part of " + name, bits_of(value.imag()));
    } else {
      use(name, bits_of(value));
    }
  });
}

}  // namespace weft::la
