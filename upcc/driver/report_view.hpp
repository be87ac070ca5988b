// The view of what became of shared accesses in loops, and of what a run counted, beside the source (--report-view).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "basic/source.hpp"
#include "optimise/report.hpp"

namespace upcc::driver {

class ReportView {
 public:
  // What is shown.
  struct Count {
    std::uint64_t messages = 0, bytes = 0;
  };
  struct Note {  // a remark
    unsigned column;
    bool missed;
    std::string text;
  };
  struct Line {
    std::string text;
    std::vector<Note> notes;
    Count count;

    [[nodiscard]] bool speaks() const { return !notes.empty() || count.messages != 0; }
  };
  struct File {
    std::string name;
    std::vector<Line> lines;
  };

  // A source, with all its lines. False after a complaint.
  bool add_file(const std::string& name);
  void add(const SourceText& source, const Remark& remark);
  // What UPC_PLACES wrote (docs/FORMATS.md). After all remarks. False after a complaint.
  bool add_counts(const std::string& path);

  [[nodiscard]] const std::vector<File>& files() const { return files_; }
  [[nodiscard]] unsigned threads() const { return threads_; }  // of the run; 0 if there are no counts
  [[nodiscard]] Count total() const { return total_; }
  // Places of files that are not shown, as FILE:LINE.
  [[nodiscard]] const std::vector<std::pair<std::string, Count>>& elsewhere() const { return elsewhere_; }

 private:
  Line* line_of(std::string_view file, std::uint64_t line);

  std::vector<File> files_;
  unsigned threads_ = 0;
  Count total_;
  std::vector<std::pair<std::string, Count>> elsewhere_;
};

// As text: lines that have something beside them, with two around each.
[[nodiscard]] std::string view_as_text(const ReportView& view, bool colours);
// As one HTML file that needs no other.
[[nodiscard]] std::string view_as_html(const ReportView& view);

// "12.3 MB"
[[nodiscard]] std::string readable_bytes(std::uint64_t bytes);

}  // namespace upcc::driver
