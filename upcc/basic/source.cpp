#include "basic/source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "basic/pieces.hpp"

namespace upcc {

namespace {

constexpr std::size_t kPadding = 16;
constexpr std::size_t kLongestAlignedLine = 4096;                     // longer lines are shown as preprocessed
constexpr std::uintmax_t kLargestOriginal = std::uintmax_t{1} << 30;  // lines of larger files, too

// Where a piece of a preprocessed line is in the original line.
struct Match {
  std::size_t piece;  // index; the number of pieces: behind the last one
  bool same;          // false: it comes from an expansion, and `piece` is the first one that was replaced
};

// The preprocessor keeps lines but not columns: comments vanish and macros expand. Aligns the pieces of both lines
// by their longest common subsequence.
std::vector<Match> align(const std::vector<Piece>& from, const std::vector<Piece>& to) {
  const std::size_t n = from.size();
  const std::size_t m = to.size();
  std::vector<std::uint32_t> common((n + 1) * (m + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return common[i * (m + 1) + j]; };
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      at(i, j) = from[i].text == to[j].text ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::vector<Match> out;
  std::size_t j = 0;
  for (std::size_t i = 0; i < n; ++i) {
    while (j < m && from[i].text != to[j].text && at(i, j + 1) > at(i + 1, j)) ++j;
    const bool same = j < m && from[i].text == to[j].text && at(i, j) == at(i + 1, j + 1) + 1;
    out.push_back({j, same});
    if (same) ++j;
  }
  return out;
}

struct Column {
  std::size_t at;
  bool written;
};

Column map_column(std::string_view processed, std::string_view original, std::size_t column) {
  const auto from = split_pieces(processed);
  const auto to = split_pieces(original);
  if (from.empty() || to.empty() || from.size() * to.size() > std::size_t{1} << 20)
    return {std::min(column, original.size()), false};
  const auto next =
      std::find_if(from.begin(), from.end(), [&](const Piece& piece) { return column < piece.at + piece.text.size(); });
  if (next == from.end()) return {std::min(column, original.size()), false};
  const Match match = align(from, to)[static_cast<std::size_t>(next - from.begin())];
  if (match.piece >= to.size()) return {to.back().at, false};
  const std::size_t inside = match.same && column > next->at ? column - next->at : 0;
  return {to[match.piece].at + inside, match.same};
}

}  // namespace

std::string read_regular_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > kLargestOriginal) return {};
  std::string text(size, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

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

bool SourceText::has_marker(Loc loc) const { return marker_for(loc).at == loc; }

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

ProcessedLine SourceText::processed_line(Loc loc, std::uint32_t lines_above) const {
  const std::size_t end = std::min<std::size_t>(loc, size_);
  std::size_t start = end == 0 ? 0 : text_.rfind('\n', end - 1) + 1;
  const auto line_end = [&](std::size_t from) { return std::min(text_.find('\n', from), size_); };
  ProcessedLine out{text_.substr(start, line_end(end) - start), end - start};
  const PresumedLoc here = presumed_line(static_cast<Loc>(start));
  // Parts of the same line are joined. Between them are line markers, one or two.
  constexpr int kMostMarkers = 2;
  const auto is_part = [&](std::size_t at) {
    const PresumedLoc there = presumed_line(static_cast<Loc>(at));
    return there.file == here.file && there.line <= here.line && there.line + lines_above >= here.line;
  };
  std::size_t behind = line_end(end);
  for (int markers = 0; start > 0 && out.text.size() <= kLongestAlignedLine;) {
    const std::size_t before = start < 2 ? 0 : text_.rfind('\n', start - 2) + 1;
    if (text_[before] == '#') {
      if (++markers > kMostMarkers) break;
    } else {
      if (!is_part(before)) break;
      markers = 0;
      const std::string part = text_.substr(before, start - 1 - before) + ' ';
      if (part.size() > 1) {
        out.text.insert(0, part);
        out.column += part.size();
      }
    }
    start = before;
  }
  for (int markers = 0; behind + 1 < size_ && out.text.size() <= kLongestAlignedLine;) {
    const std::size_t next = behind + 1;
    behind = line_end(next);
    if (text_[next] == '#') {
      if (++markers > kMostMarkers) break;
      continue;
    }
    if (!is_part(next)) break;
    markers = 0;
    out.text += ' ' + text_.substr(next, behind - next);
  }
  return out;
}

PresumedLoc SourceText::presumed(Loc loc) const {
  PresumedLoc out = presumed_line(loc);
  if (loc == kNoLoc) return out;
  ProcessedLine processed = processed_line(loc);
  const std::string_view text = original_text(out.file, out.line);
  const std::string_view original = text.substr(0, text.find('\n'));
  if (original.empty() || original == processed.text || original.size() > kLongestAlignedLine ||
      processed.text.size() > kLongestAlignedLine) {
    out.column = static_cast<std::uint32_t>(processed.column + 1);
    out.line_text = std::move(processed.text);
  } else {
    const Column column = map_column(processed.text, original, processed.column);
    out.column = static_cast<std::uint32_t>(column.at + 1);
    out.written = column.written;
    out.line_text = original;
  }
  return out;
}

SourceRange SourceText::word_at(Loc loc) const {
  if (loc >= size_) return {loc, loc};
  const std::size_t stop = std::min(text_.find('\n', loc), size_);
  const auto pieces = split_pieces(std::string_view(text_).substr(loc, std::min(stop - loc, kLongestAlignedLine)));
  const bool here = !pieces.empty() && pieces[0].at == 0;
  return {loc, loc + static_cast<Loc>(here ? pieces[0].text.size() : 1)};
}

std::string_view SourceText::original_text(std::string_view file, std::uint32_t line) const {
  if (cached_file_ != file) {
    cached_file_ = file;
    cached_text_ = read_regular_file(cached_file_);
  }
  std::size_t at = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    at = cached_text_.find('\n', at);
    if (at == std::string::npos) return {};
    ++at;
  }
  return std::string_view(cached_text_).substr(at);
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
