#include "upcrt/places.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json_text.hpp"
#include "upcrt/of_thread.hpp"
#include "upcrt/settings.hpp"
#include "weft/coll.h"
#include "weft/team.h"
#include "weft/upcrt/library.h"

namespace weft::upcrt {
namespace {

// What is printed; UPC_PLACES has all.
constexpr size_t kMostPrinted = 20;

struct Count {
  uint64_t messages = 0, bytes = 0;

  void add(const Count& more) {
    messages += more.messages;
    bytes += more.bytes;
  }
};

// A file's name as the compiler made it; the same name in two units may be two of these.
struct Key {
  const char* file;
  int line;

  bool operator==(const Key&) const = default;
};
struct Hash {
  size_t operator()(const Key& key) const {
    return std::hash<const void*>()(key.file) ^ static_cast<size_t>(key.line) * 0x9e37'79b9'7f4a'7c15;
  }
};

using Sums = std::map<std::pair<std::string, int>, Count>;

}  // namespace

class PlaceCounts {
 public:
  ~PlaceCounts() {
    if (file != nullptr) std::fclose(file);
  }

  void add(Key key, const Count& count) {
    if (last_ == nullptr || !(key == last_key_)) {
      last_ = &counts_[key];
      last_key_ = key;
    }
    last_->add(count);
  }

  /// "messages bytes line file" for each place, each with a 0 behind it.
  std::string text() const {
    std::string out;
    for (const auto& [key, count] : counts_) {
      out += std::to_string(count.messages) + ' ' + std::to_string(count.bytes) + ' ' + std::to_string(key.line) + ' ' +
             key.file + '\0';
    }
    return out;
  }

  FILE* file = nullptr;  // thread 0's, of UPC_PLACES

 private:
  std::unordered_map<Key, Count, Hash> counts_;
  Key last_key_{};
  Count* last_ = nullptr;  // of that key
};

thread_local PlaceCounts* place_counts = nullptr;

namespace {

constinit thread_local OfThread<PlaceCounts> own_counts;

uint64_t next_number(const char*& at) {
  uint64_t value = 0;
  at = std::from_chars(at, at + std::strlen(at), value).ptr + 1;
  return value;
}

void add_text(Sums& sums, const std::vector<char>& text) {
  for (const char* at = text.data(); at != text.data() + text.size();) {
    const uint64_t messages = next_number(at);
    const uint64_t bytes = next_number(at);
    const int line = static_cast<int>(next_number(at));
    sums[{at, line}].add({messages, bytes});
    at += std::strlen(at) + 1;
  }
}

// All threads' counts, on thread 0.
Sums sum_up(const State& state, const std::string& own) {
  const size_t size = own.size();
  std::vector<size_t> sizes(state.threads), offsets(state.threads);
  (void)weft_gather(WEFT_TEAM_WORLD, sizes.data(), &size, sizeof size, 0, 0);
  size_t total = 0;
  for (weft_rank_t t = 0; t < state.threads; ++t) {
    offsets[t] = total;
    total += sizes[t];
  }
  std::vector<char> all(total);
  (void)weft_gather_v(WEFT_TEAM_WORLD, all.data(), sizes.data(), offsets.data(), own.data(), size, 0, 0);
  Sums sums;
  if (state.me == 0) add_text(sums, all);
  return sums;
}

using Row = Sums::value_type;

void print(const State& state, const std::vector<const Row*>& rows) {
  std::string text = "upc communication by place, all " + std::to_string(state.threads) + " threads";
  if (rows.empty()) {
    text += state.view.windowing != 0 ? ": none\n"
                                      : ": none, all memory is mapped; WEFT_MAP_PEERS=0 counts as between hosts\n";
    std::fputs(text.c_str(), stderr);
    return;
  }
  char line[512];
  std::snprintf(line, sizeof line, "\n  %14s %18s %12s   %s\n", "messages", "bytes", "per message", "place");
  text += line;
  Count rest;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& [place, count] = *rows[i];
    if (i >= kMostPrinted) {
      rest.add(count);
      continue;
    }
    std::snprintf(line, sizeof line, "  %14" PRIu64 " %18" PRIu64 " %12" PRIu64 "   ", count.messages, count.bytes,
                  count.messages == 0 ? 0 : count.bytes / count.messages);
    text += line + place.first + ':' + std::to_string(place.second) + '\n';
  }
  if (rows.size() > kMostPrinted) {
    std::snprintf(line, sizeof line,
                  "  %14" PRIu64 " %18" PRIu64 " %12s   %zu other places (UPC_PLACES=FILE has all)\n", rest.messages,
                  rest.bytes, "", rows.size() - kMostPrinted);
    text += line;
  }
  std::fputs(text.c_str(), stderr);
}

void write(FILE* file, const State& state, const std::vector<const Row*>& rows) {
  std::fprintf(file, "{\"threads\": %u, \"places\": [", state.threads);
  const char* separator = "\n";
  for (const Row* row : rows) {
    const auto& [place, count] = *row;
    std::fprintf(file, "%s  {\"file\": %s, \"line\": %d, \"messages\": %" PRIu64 ", \"bytes\": %" PRIu64 "}", separator,
                 base::json_text(place.first).c_str(), place.second, count.messages, count.bytes);
    separator = ",\n";
  }
  std::fputs("\n]}\n", file);
  if (std::fflush(file) != 0) fail({}, "UPC_PLACES: cannot write '%s': %s", places_file_wanted(), std::strerror(errno));
}

}  // namespace

void count_at_place(uint64_t messages, uint64_t bytes) {
  if (upcr_caller.file != nullptr) place_counts->add({upcr_caller.file, upcr_caller.line}, {messages, bytes});
}

void start_counting_places(const State& state) {
  const char* const name = places_file_wanted();
  if (!statistics_wanted()) {
    if (name != nullptr && state.me == 0) fail({}, "UPC_PLACES is set, but nothing is counted without WEFT_STATS=1");
    return;
  }
  place_counts = &own_counts.get();
  if (name == nullptr || state.me != 0) return;
  own_counts->file = std::fopen(name, "w");
  if (own_counts->file == nullptr) fail({}, "UPC_PLACES: cannot write '%s': %s", name, std::strerror(errno));
}

void tell_places(const State& state) {
  if (place_counts == nullptr) return;
  place_counts = nullptr;  // what follows is not the program's
  const Sums sums = sum_up(state, own_counts->text());
  std::vector<const Row*> rows;
  for (const Row& row : sums) rows.push_back(&row);
  const auto amount = [](const Row* row) { return std::pair(row->second.messages, row->second.bytes); };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row* a, const Row* b) { return amount(a) > amount(b); });
  if (state.me == 0) print(state, rows);
  if (own_counts->file != nullptr) write(own_counts->file, state, rows);
  own_counts.reset();
}

}  // namespace weft::upcrt
