#include "driver/report_view.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "driver/options.hpp"
#include "driver/process.hpp"

namespace upcc::driver {

namespace {

// Whether two paths may name one file: equal, or one is the end of the other.
bool is_same_file(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  return a == b || (a.ends_with(b) && a[a.size() - b.size() - 1] == '/');
}

std::vector<ReportView::Line> lines_of(const std::string& text) {
  std::vector<ReportView::Line> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back({text.substr(at, end - at), {}, {}});
    at = end + 1;
  }
  return lines;
}

}  // namespace

bool ReportView::add_file(const std::string& name) {
  std::string text;
  if (!read_file(name, text)) {
    complain("cannot read " + name);
    return false;
  }
  files_.push_back({name, lines_of(text)});
  return true;
}

ReportView::Line* ReportView::line_of(std::string_view file, std::uint64_t line) {
  const auto found =
      std::find_if(files_.begin(), files_.end(), [&](const File& f) { return is_same_file(f.name, file); });
  return found == files_.end() || line == 0 || line > found->lines.size() ? nullptr : &found->lines[line - 1];
}

void ReportView::add(const SourceText& source, const Remark& remark) {
  const PresumedLoc at = source.presumed(remark.loc);
  std::string text;
  // A header with a loop in it.
  const auto is_it = [&](const File& f) { return is_same_file(f.name, at.file); };
  if (std::none_of(files_.begin(), files_.end(), is_it) && read_file(std::string(at.file), text))
    files_.push_back({std::string(at.file), lines_of(text)});
  Line* line = line_of(at.file, at.line);
  if (line == nullptr) return;
  Note note{at.column, remark.missed, remark.text + " [" + std::string(remark.pass) + "]"};
  // A header's remark comes once for each unit.
  const auto is_there = [&](const Note& n) { return n.column == note.column && n.text == note.text; };
  if (std::none_of(line->notes.begin(), line->notes.end(), is_there)) line->notes.push_back(std::move(note));
}

bool ReportView::add_counts(const std::string& path) {
  std::string text;
  if (!read_file(path, text)) {
    complain("cannot read the counts in " + path);
    return false;
  }
  try {
    const auto counts = nlohmann::json::parse(text);
    threads_ = counts.at("threads").get<unsigned>();
    for (const auto& place : counts.at("places")) {
      const auto file = place.at("file").get<std::string>();
      const auto number = place.at("line").get<std::uint64_t>();
      const Count count{place.at("messages").get<std::uint64_t>(), place.at("bytes").get<std::uint64_t>()};
      total_.messages += count.messages;
      total_.bytes += count.bytes;
      if (Line* line = line_of(file, number)) {
        line->count.messages += count.messages;
        line->count.bytes += count.bytes;
      } else {
        elsewhere_.emplace_back(file + ":" + std::to_string(number), count);
      }
    }
  } catch (const nlohmann::json::exception& e) {
    complain(path + " is not what UPC_PLACES writes (docs/FORMATS.md): " + e.what());
    return false;
  }
  return true;
}

std::string readable_bytes(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1000; amount /= 1000) ++unit;
  char out[32];
  std::snprintf(out, sizeof out, unit == 0 || amount >= 99.95 ? "%.0f %s" : "%.1f %s", amount, kUnits[unit]);
  return out;
}

namespace {

// What stands before column `column`, as blanks: tabs stay.
std::string blanks_before(const std::string& text, unsigned column) {
  std::string out = text.substr(0, column == 0 ? 0 : column - 1);
  for (char& c : out) c = c == '\t' ? '\t' : ' ';
  return out;
}

class TextView {
 public:
  TextView(const ReportView& view, bool colours) : view_(view), colours_(colours) {}

  std::string all() {
    for (const ReportView::File& file : view_.files()) add(file);
    if (!view_.elsewhere().empty()) out_ += bold("elsewhere") + "\n";
    for (const auto& [place, count] : view_.elsewhere()) out_ += numbers(count) + "  " + place + "\n";
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kAround = 2;  // lines of the source

  void add(const ReportView::File& file) {
    out_ += bold(file.name);
    if (view_.threads() != 0) {
      out_ += "   messages and bytes of " + std::to_string(view_.threads()) + " threads, in all " +
              std::to_string(view_.total().messages) + " and " + readable_bytes(view_.total().bytes);
    }
    out_ += "\n";
    const auto is_shown = [&](std::size_t i) {
      const std::size_t first = i < kAround ? 0 : i - kAround;
      const std::size_t last = std::min(i + kAround + 1, file.lines.size());
      return std::any_of(file.lines.begin() + static_cast<std::ptrdiff_t>(first),
                         file.lines.begin() + static_cast<std::ptrdiff_t>(last),
                         [](const ReportView::Line& line) { return line.speaks(); });
    };
    bool gap = false;
    bool any = false;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (!is_shown(i)) {
        gap = true;
        continue;
      }
      if (gap && any) out_ += std::string(width(), ' ') + "  ...\n";
      gap = false;
      any = true;
      add(file.lines[i], i + 1);
    }
    if (!any) out_ += "  no shared access in a loop, and none that communicated\n";
  }

  void add(const ReportView::Line& line, std::size_t number) {
    char text[32];
    std::snprintf(text, sizeof text, "%5zu | ", number);
    out_ += numbers(line.count) + text + line.text + "\n";
    for (const ReportView::Note& note : line.notes) {
      out_ += std::string(width(), ' ') + "      | " + blanks_before(line.text, note.column) +
              colour(note.missed ? "35" : "32", std::string("^ ") + (note.missed ? "missed: " : "") + note.text) + "\n";
    }
  }

  // Messages and bytes.
  [[nodiscard]] std::string numbers(const ReportView::Count& count) const {
    if (view_.threads() == 0) return "";
    if (count.messages == 0) return std::string(width(), ' ');
    char text[64];
    std::snprintf(text, sizeof text, "%11llu %8s", static_cast<unsigned long long>(count.messages),
                  readable_bytes(count.bytes).c_str());
    // What makes a tenth of all stands out.
    return count.messages * 10 >= view_.total().messages ? colour("31", text) : std::string(text);
  }
  [[nodiscard]] std::size_t width() const { return view_.threads() == 0 ? 0 : 20; }

  [[nodiscard]] std::string colour(const char* code, const std::string& text) const {
    return colours_ ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
  }
  [[nodiscard]] std::string bold(const std::string& text) const { return colour("1", text); }

  const ReportView& view_;
  bool colours_;
  std::string out_;
};

}  // namespace

std::string view_as_text(const ReportView& view, bool colours) { return TextView(view, colours).all(); }

}  // namespace upcc::driver
