#include <algorithm>
#include <cstdio>

#include "driver/report_view.hpp"

namespace upcc::driver {

namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Communication of a UPC program</title>
<style>
:root { color-scheme: light dark; --back: #fff; --front: #1c2024; --quiet: #6b7280; --rule: #e3e6ea; --good: #1a7f4b;
  --goodback: #edf8f1; --bad: #a8431d; --badback: #fdf1ea; --heat: 214, 69, 65; }
@media (prefers-color-scheme: dark) { :root { --back: #16191d; --front: #dfe3e8; --quiet: #8b949e; --rule: #2b3138;
  --good: #6fcf97; --goodback: #17261e; --bad: #f0a27c; --badback: #2e2019; } }
body { margin: 0 auto; max-width: 88rem; padding: 1.5rem; background: var(--back); color: var(--front);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.35rem; margin: 0 0 .25rem; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
h2.file { font-family: ui-monospace, monospace; }
p { margin: .25rem 0; color: var(--quiet); }
a { color: inherit; }
table { border-collapse: collapse; width: 100%; }
table.code { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; border: 1px solid var(--rule); }
.code td { padding: 0 .6rem; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 8; }
td.n { text-align: right; color: var(--quiet); white-space: nowrap; width: 1%; user-select: none; }
.code td.n { border-right: 1px solid var(--rule); }
tr.note td.text { padding-bottom: .1rem; }
.note span { display: inline-block; padding: 0 .5rem; border-radius: .25rem; font-family: system-ui, sans-serif;
  white-space: normal; }
.done span { color: var(--good); background: var(--goodback); }
.missed span { color: var(--bad); background: var(--badback); }
tr:target td { outline: 2px solid rgba(var(--heat), .8); }
table.top { width: auto; }
.top th, .code th { text-align: left; font-weight: 600; padding: .15rem .6rem; border-bottom: 1px solid var(--rule); }
.code th { color: var(--quiet); font-weight: 400; }
.top td { padding: .15rem .6rem; font-variant-numeric: tabular-nums; }
.top td.r, th.r { text-align: right; }
.top td.code { font-family: ui-monospace, monospace; }
</style>
</head>
<body>
<h1>Communication of a UPC program</h1>
)";

constexpr std::size_t kTop = 10;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A number with its thousands apart.
std::string grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

class HtmlView {
 public:
  explicit HtmlView(const ReportView& view) : view_(view) {}

  std::string all() {
    out_ = kHead;
    summary();
    if (view_.threads() != 0) places();
    for (std::size_t f = 0; f < view_.files().size(); ++f) file(f);
    return std::move(out_) + "</body>\n</html>\n";
  }

 private:
  struct Place {
    std::string name, link;
    ReportView::Count count;
  };

  void summary() {
    std::size_t done = 0, missed = 0;
    for (const ReportView::File& file : view_.files()) {
      for (const ReportView::Line& line : file.lines) {
        for (const ReportView::Note& note : line.notes) ++(note.missed ? missed : done);
      }
    }
    out_ += "<p>Shared accesses in loops: " + grouped(done) + " in bulk, together or of a thread's own memory, " +
            grouped(missed) + " element by element.</p>\n";
    if (view_.threads() == 0) return;
    out_ += "<p>The run: " + grouped(view_.threads()) + " threads, " + grouped(view_.total().messages) +
            " messages to and from memory that is not mapped, " + readable_bytes(view_.total().bytes) + ".</p>\n";
  }

  // Where most messages come from.
  void places() {
    std::vector<Place> all;
    for (std::size_t f = 0; f < view_.files().size(); ++f) {
      const ReportView::File& file = view_.files()[f];
      for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (file.lines[i].count.messages == 0) continue;
        all.push_back({file.name + ":" + std::to_string(i + 1), "#" + anchor(f, i), file.lines[i].count});
      }
    }
    for (const auto& [name, count] : view_.elsewhere()) all.push_back({name, "", count});
    std::stable_sort(all.begin(), all.end(),
                     [](const Place& a, const Place& b) { return a.count.messages > b.count.messages; });
    if (all.empty()) return;
    out_ +=
        "<h2>Places with most messages</h2>\n<table class=\"top\"><tr><th class=\"r\">messages</th>"
        "<th class=\"r\">bytes</th><th class=\"r\">per message</th><th>place</th></tr>\n";
    for (std::size_t i = 0; i < std::min(all.size(), kTop); ++i) {
      const Place& place = all[i];
      const std::string name = escaped(place.name);
      out_ += "<tr><td class=\"r\"" + heat(place.count) + ">" + grouped(place.count.messages) +
              "</td><td class=\"r\">" + readable_bytes(place.count.bytes) + "</td><td class=\"r\">" +
              readable_bytes(place.count.messages == 0 ? 0 : place.count.bytes / place.count.messages) +
              "</td><td class=\"code\">" +
              (place.link.empty() ? name : "<a href=\"" + place.link + "\">" + name + "</a>") + "</td></tr>\n";
    }
    out_ += "</table>\n";
    if (all.size() > kTop) out_ += "<p>and " + grouped(all.size() - kTop) + " others</p>\n";
  }

  void file(std::size_t f) {
    const ReportView::File& file = view_.files()[f];
    const bool counted = view_.threads() != 0;
    out_ += "<h2 class=\"file\">" + escaped(file.name) + "</h2>\n<table class=\"code\">\n<tr>" +
            (counted ? "<th class=\"r\">messages</th><th class=\"r\">bytes</th>" : "") +
            "<th class=\"r\">line</th><th></th></tr>\n";
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const ReportView::Line& line = file.lines[i];
      out_ += "<tr id=\"" + anchor(f, i) + "\">";
      if (counted) {
        const bool any = line.count.messages != 0;
        out_ += "<td class=\"n\"" + heat(line.count) + ">" + (any ? grouped(line.count.messages) : "") +
                "</td><td class=\"n\">" + (any ? readable_bytes(line.count.bytes) : "") + "</td>";
      }
      out_ +=
          "<td class=\"n\">" + std::to_string(i + 1) + "</td><td class=\"text\">" + escaped(line.text) + "</td></tr>\n";
      for (const ReportView::Note& note : line.notes) {
        out_ += std::string("<tr class=\"note ") + (note.missed ? "missed" : "done") + "\">" +
                (counted ? "<td class=\"n\"></td><td class=\"n\"></td>" : "") +
                "<td class=\"n\"></td><td class=\"text\"><span>" + (note.missed ? "missed: " : "") +
                escaped(note.text) + "</span></td></tr>\n";
      }
    }
    out_ += "</table>\n";
  }

  // The more of all messages, the redder.
  [[nodiscard]] std::string heat(const ReportView::Count& count) const {
    if (count.messages == 0 || view_.total().messages == 0) return "";
    const double share = static_cast<double>(count.messages) / static_cast<double>(view_.total().messages);
    char style[80];
    std::snprintf(style, sizeof style, " style=\"background: rgba(var(--heat), %.2f)\"", 0.08 + 0.62 * share);
    return style;
  }

  static std::string anchor(std::size_t file, std::size_t line) {
    return "f" + std::to_string(file + 1) + "l" + std::to_string(line + 1);
  }

  const ReportView& view_;
  std::string out_;
};

}  // namespace

std::string view_as_html(const ReportView& view) { return HtmlView(view).all(); }

}  // namespace upcc::driver
