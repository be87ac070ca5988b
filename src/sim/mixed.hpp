// Bits that look random, of numbers that do not.
#pragma once

#include <cstdint>

namespace weft::sim {

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): each bit of the result depends on all of `word`'s.
inline uint64_t mixed(uint64_t word) {
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
  word = (word ^ word >> 27) * 0x94d049bb133111ebu;
  return word ^ word >> 31;
}

/// For numbers in a row, which differ in few bits: multiples of this lie apart (the golden ratio).
inline constexpr uint64_t golden = 0x9e3779b97f4a7c15u;

}  // namespace weft::sim
