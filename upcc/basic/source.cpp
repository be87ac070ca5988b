#include "basic/source.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

namespace upcc {

namespace {

constexpr std::size_t kPadding = 16;
constexpr std::size_t kLongestAlignedLine = 4096;  // longer lines are shown as preprocessed

struct Piece {
  std::string_view text;
  std::size_t at;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }

// A rough token split, good enough to align a preprocessed line with the line it came from.
std::vector<Piece> split(std::string_view line) {
  std::vector<Piece> out;
  std::size_t i = 0;
  while (i < line.size()) {
    const char c = line[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (is_word(c)) {
      while (end < line.size() && is_word(line[end])) ++end;
    } else if (c == '"' || c == '\'') {
      while (end < line.size() && line[end] != c) end += line[end] == '\\' ? 2 : 1;
      end = std::min(line.size(), end + 1);
    }
    out.push_back({line.substr(i, end - i), i});
    i = end;
  }
  return out;
}

// The preprocessor keeps lines but not columns: comments vanish and macros expand. Aligns the pieces of both lines
// by their longest common subsequence. A place inside an expansion maps to the first original piece it replaced.
std::size_t map_column(std::string_view processed, std::string_view original, std::size_t column) {
  const auto from = split(processed);
  const auto to = split(original);
  const std::size_t n = from.size();
  const std::size_t m = to.size();
  if (n == 0 || m == 0 || n * m > std::size_t{1} << 20) return std::min(column, original.size());
  std::vector<std::uint32_t> common((n + 1) * (m + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return common[i * (m + 1) + j]; };
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      at(i, j) = from[i].text == to[j].text ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < n && j < m) {
    const bool here = column < from[i].at + from[i].text.size();
    if (from[i].text == to[j].text && at(i, j) == at(i + 1, j + 1) + 1) {
      if (here) return to[j].at + (column > from[i].at ? column - from[i].at : 0);
      ++i;
      ++j;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      if (here) return to[j].at;
      ++i;
    } else {
      if (here && i + 1 >= n) return to[j].at;
      // Original pieces missing from the output: skip them unless an expansion starts here.
      if (here && at(i, j + 1) != at(i, j)) return to[j].at;
      ++j;
    }
  }
  return i < n && j >= m ? to[m - 1].at : std::min(column, original.size());
}

}  // namespace

SourceText::SourceText(std::string text, std::string name) : text_(std::move(text)), size_(text_.size()) {
  text_.append(kPadding, '\0');
  files_.push_back(std::move(name));
  markers_.push_back({0, 1, 0, false});
}

void SourceText::add_marker(Loc at, std::string_view file, std::uint32_t line, bool system_header) {
  std::size_t index = files_.size();
  for (std::size_t back = 0; back < 16 && back < files_.size(); ++back) {
    if (files_[files_.size() - 1 - back] == file) {
      index = files_.size() - 1 - back;
      break;
    }
  }
  if (index == files_.size()) files_.emplace_back(file);
  markers_.push_back({at, line, static_cast<std::uint32_t>(index), system_header});
  last_marker_ = nullptr;  // it may point into what push_back has moved
}

const SourceText::Marker& SourceText::marker_for(Loc loc) const {
  auto it = std::upper_bound(markers_.begin(), markers_.end(), loc, [](Loc l, const Marker& m) { return l < m.at; });
  return *std::prev(it);
}

bool SourceText::in_system_header(Loc loc) const { return loc != kNoLoc && marker_for(loc).system_header; }

PresumedLoc SourceText::presumed_line(Loc loc) const {
  if (loc == kNoLoc) return {files_[0], 0, 0, {}};
  const Marker& marker = marker_for(loc);
  const std::size_t end = std::min<std::size_t>(loc, size_);
  // Counts from the place asked for last, if that was under the same marker: questions come in order of the text, and a
  // file can be long.
  const bool again = last_marker_ == &marker;
  const std::size_t from = again ? last_loc_ : marker.at;
  const auto first = text_.begin() + static_cast<std::ptrdiff_t>(std::min(from, end));
  const auto last = text_.begin() + static_cast<std::ptrdiff_t>(std::max(from, end));
  const auto lines = static_cast<std::uint32_t>(std::count(first, last, '\n'));
  last_line_ = (again ? last_line_ : marker.line) + (end >= from ? lines : -lines);
  last_marker_ = &marker;
  last_loc_ = end;
  return {files_[marker.file], last_line_, 0, {}};
}

PresumedLoc SourceText::presumed(Loc loc) const {
  PresumedLoc out = presumed_line(loc);
  if (loc == kNoLoc) return out;
  const std::size_t end = std::min<std::size_t>(loc, size_);
  const std::size_t start = end == 0 ? 0 : text_.rfind('\n', end - 1) + 1;
  std::size_t stop = text_.find('\n', end);
  if (stop == std::string::npos || stop > size_) stop = size_;
  const std::string_view processed(text_.data() + start, stop - start);
  const std::string_view original = original_line(out.file, out.line);
  const std::size_t column = end - start;
  if (original.empty() || original == processed || original.size() > kLongestAlignedLine ||
      processed.size() > kLongestAlignedLine) {
    out.column = static_cast<std::uint32_t>(column + 1);
    out.line_text = processed;
  } else {
    out.column = static_cast<std::uint32_t>(map_column(processed, original, column) + 1);
    out.line_text = original;
  }
  return out;
}

std::string_view SourceText::original_line(std::string_view file, std::uint32_t line) const {
  if (cached_file_ != file) {
    cached_file_ = file;
    cached_text_.clear();
    std::ifstream in(cached_file_, std::ios::binary);
    if (in) cached_text_.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::size_t at = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    at = cached_text_.find('\n', at);
    if (at == std::string::npos) return {};
    ++at;
  }
  const std::size_t stop = std::min(cached_text_.find('\n', at), cached_text_.size());
  if (at >= stop) return {};
  return std::string_view(cached_text_).substr(at, stop - at);
}

std::vector<PresumedLoc> SourceText::include_stack(Loc loc) const {
  std::vector<Loc> open;
  for (const IncludeEvent& event : include_events_) {
    if (event.at > loc) break;
    if (event.enter) {
      open.push_back(event.at);
    } else if (!open.empty()) {
      open.pop_back();
    }
  }
  std::vector<PresumedLoc> out;
  for (auto it = open.rbegin(); it != open.rend(); ++it) {
    out.push_back(presumed_line(*it));  // the marker stands where the #include was
  }
  return out;
}

}  // namespace upcc
