// What somebody may have meant who mistyped a name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::base {

/// How many letters one must change, add or leave out to make `b` of `a`. SIZE_MAX for names of 64 letters and more.
inline size_t edit_distance(std::string_view a, std::string_view b) {
  size_t row[64];
  if (b.size() >= 64) return SIZE_MAX;
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// Of these names the one that is most like `word`, or nothing if none is: short names are like many, so one letter in
/// about three may differ, and never more than three.
template <class Names>
std::string_view nearest(std::string_view word, const Names& names) {
  std::string_view found;
  size_t distance = std::min<size_t>(4, word.size() / 3 + 1);
  for (const std::string_view name : names) {
    const size_t other = edit_distance(word, name);
    if (other >= distance) continue;
    distance = other;
    found = name;
  }
  return found;
}

}  // namespace weft::base
