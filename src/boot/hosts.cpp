#include "boot/hosts.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

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
  const auto count = static_cast<uint32_t>(std::count(names.begin(), names.end(), ',')) + 1;
  size_t begin = 0;
  for (uint32_t skip = rank % count; skip > 0; --skip) begin = names.find(',', begin) + 1;
  return names.substr(begin, std::min(names.find(',', begin), names.size()) - begin);
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
    arrival.monotonic_ns = std::strtoull(text.c_str() + first + 1, nullptr, 10);
    arrival.day_ns = std::strtoull(text.c_str() + second + 1, nullptr, 10);
    return {};
  }

  static constexpr const char* key = "host-id";
};

}  // namespace

std::string host_identity() {
  struct stat space {};
  const bool known = ::stat("/proc/self/ns/net", &space) == 0;
  return os::host_name() + "/" + first_word_of("/proc/sys/kernel/random/boot_id") + "/" +
         (known ? std::to_string(space.st_ino) : "-");
}

Hosts::Hosts(std::vector<uint32_t> host_of_rank) : host_of_rank_(std::move(host_of_rank)) {
  for (uint32_t host : host_of_rank_) count_ = std::max(count_, host + 1);
}

Status Hosts::collect(Boot& boot, const std::string& forced_names, Hosts& hosts, const std::string& word,
                      std::vector<std::string>* words) {
  const std::string given = boot.host();
  const Arrival mine = {
      .word = word,
      .identity = printable(!given.empty()          ? given
                            : forced_names.empty() ? host_identity()
                                                   : dealt(forced_names, boot.rank())),
      .monotonic_ns = os::now_ns(),
      .day_ns = os::day_ns()};
  Status status = boot.put(Arrival::key, mine.encode());
  const Status fenced = boot.fence();
  if (status.ok()) status = fenced;
  std::vector<std::string> told;
  if (status.ok()) status = boot.get_all(Arrival::key, told);
  if (!status.ok()) return status;
  std::map<std::string, uint32_t> numbers;
  std::vector<uint32_t> host_of_rank;
  std::vector<Arrival> firsts;  // by host
  for (uint32_t rank = 0; rank < boot.size(); ++rank) {
    Arrival arrival;
    status = Arrival::decode(told[rank], arrival);
    if (!status.ok()) return status;
    if (words != nullptr) words->push_back(arrival.word);
    const auto [found, fresh] = numbers.try_emplace(arrival.identity, static_cast<uint32_t>(numbers.size()));
    host_of_rank.push_back(found->second);
    if (fresh) firsts.push_back(arrival);
  }
  const Arrival& here = firsts[host_of_rank[boot.rank()]];
  hosts = Hosts(std::move(host_of_rank));
  hosts.start_ns_ = here.monotonic_ns - here.day_ns + firsts[0].day_ns;
  return {};
}

std::vector<uint32_t> Hosts::ranks_of(uint32_t host) const {
  std::vector<uint32_t> ranks;
  for (uint32_t rank = 0; rank < host_of_rank_.size(); ++rank)
    if (host_of_rank_[rank] == host) ranks.push_back(rank);
  return ranks;
}

uint32_t Hosts::host_rank(uint32_t rank) const {
  return static_cast<uint32_t>(std::count(host_of_rank_.begin(), host_of_rank_.begin() + rank, host_of_rank_[rank]));
}

uint32_t Hosts::host_size(uint32_t rank) const {
  return static_cast<uint32_t>(std::count(host_of_rank_.begin(), host_of_rank_.end(), host_of_rank_[rank]));
}

}  // namespace weft::boot
