#include "boot/hosts.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include "base/parse.hpp"
#include "boot/boot.hpp"
#include "os/clock.hpp"
#include "os/processor.hpp"

namespace weft::boot {
namespace {

std::string first_word_of(const char* path) {
  char text[80] = "";
  if (std::FILE* file = std::fopen(path, "r")) {
    if (std::fscanf(file, "%79s", text) != 1) text[0] = '\0';
    std::fclose(file);
  }
  return text;
}

// A name that a user forces goes over the wire as it is: nothing but what boot takes.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < '!' || c > '~'; }, '?');
  return text.substr(0, 200);
}

// "a,b": rank 0 has a, rank 1 b, rank 2 a again.
std::string dealt(const std::string& names, uint32_t rank) {
  const std::vector<std::string> words = base::parse_list(names);
  return words[rank % words.size()];
}

// What a rank tells the others: its caller's word, its host's identity, and the time by the host's two clocks.
struct Arrival {
  std::string word;
  std::string identity;
  uint64_t monotonic_ns = 0;
  uint64_t day_ns = 0;

  std::string encode() const {
    return word + " " + identity + "@" + std::to_string(monotonic_ns) + "@" + std::to_string(day_ns);
  }
  static Status decode(const std::string& text, Arrival& arrival) {
    const size_t second = text.rfind('@');
    const size_t first = second == std::string::npos || second == 0 ? second : text.rfind('@', second - 1);
    const size_t blank = text.find(' ');
    if (first == std::string::npos || blank >= first) return WEFT_ERR_BOOT;
    arrival.word = text.substr(0, blank);
    arrival.identity = text.substr(blank + 1, first - blank - 1);
    const std::string_view times = std::string_view(text).substr(first + 1);
    const auto monotonic_ns = base::parse_number<uint64_t>(times.substr(0, second - first - 1));
    const auto day_ns = base::parse_number<uint64_t>(times.substr(second - first));
    if (!monotonic_ns || !day_ns) return WEFT_ERR_BOOT;
    arrival.monotonic_ns = *monotonic_ns;
    arrival.day_ns = *day_ns;
    return {};
  }

  static constexpr const char* key = "host-id";
};

}  // namespace

std::string host_identity() { return os::host_name() + "/" + network_identity(); }

std::string network_identity() {
  struct stat space {};
  const bool known = ::stat("/proc/self/ns/net", &space) == 0;
  return first_word_of("/proc/sys/kernel/random/boot_id") + "/" + (known ? std::to_string(space.st_ino) : "-");
}

Hosts::Hosts(const std::vector<uint32_t>& host_of_rank) : ranks_(static_cast<uint32_t>(host_of_rank.size())) {
  auto listed = std::make_shared<Listed>();
  for (uint32_t rank = 0; rank < ranks_; ++rank) {
    const uint32_t host = host_of_rank[rank];
    if (host >= listed->sizes.size()) listed->sizes.resize(host + 1, 0);
    in_blocks_ = in_blocks_ && (listed->sizes[host] == 0 || host_of_rank[rank - 1] == host);
    listed->of_rank.push_back({host, listed->sizes[host]++});
  }
  count_ = static_cast<uint32_t>(listed->sizes.size());
  if (count_ == 0) return;
  largest_ = *std::ranges::max_element(listed->sizes);
  smallest_ = *std::ranges::min_element(listed->sizes);
  const auto regular = [&](uint32_t block) {
    block_ = block;
    for (uint32_t rank = 0; rank < ranks_; ++rank)
      if (place_of(rank) != listed->of_rank[rank]) return false;
    return true;
  };
  if (!regular(listed->sizes[0]) && !regular(0)) listed_ = std::move(listed);
}

Hosts Hosts::in_blocks_of(uint32_t block, uint32_t ranks) {
  Hosts hosts;
  hosts.ranks_ = ranks;
  hosts.count_ = (ranks - 1) / block + 1;
  hosts.largest_ = hosts.block_ = std::min(block, ranks);
  hosts.smallest_ = ranks - (hosts.count_ - 1) * block;
  return hosts;
}

Hosts Hosts::among(uint32_t first, uint32_t stride, uint32_t count) const {
  if (first == 0 && stride == 1 && count == ranks_) return *this;
  const bool rises = count != 0 && first + uint64_t{stride} * (count - 1) < ranks_;
  if (rises && stride != 0 && listed_ == nullptr && block_ != 0) {
    if (stride >= block_) return in_blocks_of(1, count);
    if (block_ % stride == 0 && first % block_ < stride) return in_blocks_of(block_ / stride, count);
  }
  std::vector<uint32_t> ranks;
  for (uint32_t i = 0; i < count; ++i) ranks.push_back(first + i * stride);
  return among(ranks);
}

Hosts Hosts::among(const std::vector<uint32_t>& ranks) const {
  std::map<uint32_t, uint32_t> numbers;
  std::vector<uint32_t> hosts;
  for (const uint32_t rank : ranks)
    hosts.push_back(numbers.try_emplace(host_of(rank), static_cast<uint32_t>(numbers.size())).first->second);
  return Hosts(hosts);
}

// What the ranks of a process learn alike.
struct Hosts::Collected {
  Status status;
  Hosts hosts;
  std::vector<uint64_t> starts;    // of the job, by host
  std::vector<std::string> words;  // by rank; empty: they are alike
};

std::shared_ptr<const Hosts::Collected> Hosts::collect_once(Boot& boot) {
  auto made = std::make_shared<Collected>();
  std::vector<std::string> texts;
  made->status = boot.get_all(Arrival::key, texts);
  if (!made->status.ok()) return made;
  std::map<std::string, uint32_t> numbers;
  std::vector<uint32_t> host_of_rank;
  uint64_t first_day_ns = 0;
  bool differ = false;
  for (const std::string& text : texts) {
    Arrival arrival;
    made->status = Arrival::decode(text, arrival);
    if (!made->status.ok()) return made;
    if (host_of_rank.empty()) first_day_ns = arrival.day_ns;
    const auto [found, fresh] = numbers.try_emplace(arrival.identity, static_cast<uint32_t>(numbers.size()));
    host_of_rank.push_back(found->second);
    if (fresh) made->starts.push_back(arrival.monotonic_ns - arrival.day_ns + first_day_ns);
    made->words.push_back(arrival.word);
    differ = differ || arrival.word != made->words.front();
  }
  if (!differ) made->words.clear();
  made->hosts = Hosts(host_of_rank);
  return made;
}

Status Hosts::collect(Boot& boot, const std::string& forced_names, Hosts& hosts, const std::string& word,
                      std::vector<std::string>* words) {
  const std::string given = boot.host();
  const Arrival mine = {.word = word,
                        .identity = printable(!given.empty()         ? given
                                              : forced_names.empty() ? host_identity()
                                                                     : dealt(forced_names, boot.rank())),
                        .monotonic_ns = os::now_ns(),
                        .day_ns = os::day_ns()};
  Status status = boot.put(Arrival::key, mine.encode());
  const Status fenced = boot.fence();
  if (status.ok()) status = fenced;
  if (!status.ok()) return status;
  const auto collected = std::static_pointer_cast<const Collected>(
      boot.in_common(Arrival::key, [&]() -> std::shared_ptr<const void> { return collect_once(boot); }));
  if (!collected->status.ok()) return collected->status;
  hosts = collected->hosts;
  hosts.start_ns_ = collected->starts[hosts.host_of(boot.rank())];
  if (words != nullptr) *words = collected->words;
  return {};
}

std::vector<uint32_t> Hosts::ranks_of(uint32_t host) const {
  std::vector<uint32_t> ranks;
  if (listed_ == nullptr) {
    for (uint32_t number = 0; number < size_of(host); ++number)
      ranks.push_back(block_ != 0 ? host * block_ + number : number * count_ + host);
    return ranks;
  }
  for (uint32_t rank = 0; rank < ranks_; ++rank)
    if (host_of(rank) == host) ranks.push_back(rank);
  return ranks;
}

uint32_t Hosts::size_of(uint32_t host) const {
  if (listed_ != nullptr) return listed_->sizes[host];
  return block_ != 0 ? std::min(block_, ranks_ - host * block_) : (ranks_ - host - 1) / count_ + 1;
}

}  // namespace weft::boot
