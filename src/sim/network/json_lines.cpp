#include "sim/network/json_lines.hpp"

#include <iterator>
#include <vector>

#include "sim/network/platform.hpp"

namespace weft::sim {
namespace {

// The parser reads the text through it; whoever looks sees how far it has come.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, size_t* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *line_ += *at_++ == '\n' ? 1 : 0;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  size_t* line_;
};

// "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while ..." without what only
// programmers read.
std::string message_of(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const size_t begin = text.find("] parse error");
  const size_t colon = begin == text.npos ? text.npos : text.find(": ", begin);
  return colon == text.npos ? text : text.substr(colon + 2);
}

}  // namespace

JsonText parse_json(const std::string& text, const std::string& file) {
  using Json = nlohmann::ordered_json;
  JsonText parsed;
  size_t line = 1;
  std::vector<std::string> keys;  // by depth; "" for what is in an array
  const auto visit = [&](int depth, Json::parse_event_t event, Json& value) {
    if (event != Json::parse_event_t::key) return true;
    keys.resize(static_cast<size_t>(depth - 1));
    keys.push_back(value.get<std::string>());
    std::string path;
    for (const std::string& key : keys) {
      if (key.empty()) return true;  // elements of an array may have the same keys
      path += (path.empty() ? "" : ".") + key;
    }
    if (!parsed.lines.emplace(path, line).second)
      throw PlatformError(file + ":" + std::to_string(line) + ": " + path + " is there twice, first in line " +
                          std::to_string(parsed.lines[path]));
    return true;
  };
  const CountingIterator begin(text.data(), &line), end(text.data() + text.size(), &line);
  try {
    parsed.root = Json::parse(begin, end, visit, true, true);
  } catch (const nlohmann::json::exception& error) {
    throw PlatformError(file + ":" + std::to_string(line) + ": this is no JSON: " + message_of(error));
  }
  return parsed;
}

}  // namespace weft::sim
