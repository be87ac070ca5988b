// Hints of parallel files: key and value, of which the predefined keys are kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/upcrt/functions.h"

namespace weft::upcrt::io {

class Hints {
 public:
  /// Empty, or what is wrong with the value. A key that nobody knows is ignored.
  std::string set(const char* key, const char* value);

  const upc_hint_t* list() const { return list_.data(); }
  int count() const { return static_cast<int>(list_.size()); }

  // What has an effect.
  bool collective_buffering = true;
  uint64_t buffer_size = 0;    // cb_buffer_size; 0: not given
  uint64_t aggregators = 0;    // cb_nodes; 0: all threads
  uint64_t striping_unit = 0;  // 0: not given
  unsigned permissions = 0666;
  bool sequential = false;
  bool random = false;
  bool read_once = false;

 private:
  std::string apply(const std::string& key, const std::string& value);
  std::string apply_style(const std::string& styles);

  struct Entry {
    std::string key, value;
  };
  std::vector<Entry> entries_;
  std::vector<upc_hint_t> list_;  // points into the entries
};

}  // namespace weft::upcrt::io
