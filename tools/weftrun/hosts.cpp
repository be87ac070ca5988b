#include "hosts.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "base/parse.hpp"
#include "common.hpp"

namespace weftrun {
namespace {

constexpr uint32_t most_slots = 65536;
constexpr size_t largest_hostfile = size_t{16} << 20;

bool good_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '@';
  };
  // A name that begins with '-' would be an option to ssh.
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), good);
}

bool add_host(std::string_view name, std::string_view slots, bool has_slots, std::vector<Host>& hosts,
              std::string& error) {
  const std::string text(name);
  if (!good_name(name)) {
    error = "'" + text + "' is not the name of a host";
    return false;
  }
  Host host{text, 0};
  if (has_slots) {
    const auto number = weft::base::parse_number<uint32_t>(slots, 1, most_slots);
    if (!number) {
      error = "host " + text + ": the number of slots must be from 1 to 65536, not '" + std::string(slots) + "'";
      return false;
    }
    host.slots = *number;
  }
  const auto known = std::find_if(hosts.begin(), hosts.end(), [&](const Host& each) { return each.name == text; });
  if (known == hosts.end()) {
    hosts.push_back(std::move(host));
    return true;
  }
  known->slots = std::max(known->slots, 1u) + std::max(host.slots, 1u);
  if (known->slots <= most_slots) return true;
  error = "host " + text + ": all times that it is named together give it more than " + std::to_string(most_slots) +
          " slots";
  return false;
}

/// NAME or NAME:SLOTS.
bool add_word(std::string_view word, std::vector<Host>& hosts, std::string& error) {
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos) return add_host(word, {}, false, hosts, error);
  if (word.find(':', colon + 1) != std::string_view::npos) {
    error = "'" + std::string(word) + "' is not the name of a host; an address of IPv6 needs one (/etc/hosts)";
    return false;
  }
  return add_host(word.substr(0, colon), word.substr(colon + 1), true, hosts, error);
}

bool add_line(const std::string& line, std::vector<Host>& hosts, std::string& error) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::string name;
  std::string slots;
  std::string more;
  if (!(words >> name)) return true;
  if (!(words >> slots)) return add_word(name, hosts, error);
  constexpr std::string_view prefix = "slots=";
  if (slots.substr(0, prefix.size()) != prefix || words >> more) {
    error = "'" + line + "' is neither NAME, NAME:SLOTS nor NAME slots=SLOTS";
    return false;
  }
  return add_host(name, std::string_view(slots).substr(prefix.size()), true, hosts, error);
}

/// All of a file, which may be a pipe.
bool read_hostfile(const std::string& path, std::string& text, std::string& error) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  char bytes[4096];
  size_t count = 0;
  while (file != nullptr && text.size() <= largest_hostfile && (count = std::fread(bytes, 1, sizeof bytes, file)) > 0)
    text.append(bytes, count);
  if (file == nullptr || std::ferror(file) != 0)
    error = std::string("cannot be read: ") + std::strerror(errno);
  else if (text.size() > largest_hostfile)
    error = "is no list of hosts: it has more than " + std::to_string(largest_hostfile >> 20) + " MiB";
  if (file != nullptr) std::fclose(file);
  return error.empty();
}

}  // namespace

bool parse_hosts(std::string_view text, std::vector<Host>& hosts, std::string& error) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (!add_word(text.substr(begin, end - begin), hosts, error)) return false;
    begin = end + 1;
  }
  return true;
}

bool parse_hostfile(const std::string& path, std::vector<Host>& hosts, std::string& error) {
  std::string text;
  if (!read_hostfile(path, text, error)) return false;
  std::istringstream file(text);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (add_line(line, hosts, error)) continue;
    error = "line " + std::to_string(number) + ": " + error;
    return false;
  }
  if (!hosts.empty()) return true;
  error = "names no host";
  return false;
}

bool place_ranks(uint32_t ranks, std::vector<Host>& hosts, std::vector<uint32_t>& counts, std::string& error) {
  const bool by_slots = std::any_of(hosts.begin(), hosts.end(), [](const Host& host) { return host.slots > 0; });
  const uint32_t host_count = static_cast<uint32_t>(hosts.size());
  counts.clear();
  uint32_t left = ranks;
  uint64_t all_slots = 0;
  for (uint32_t i = 0; i < host_count; ++i) {
    const uint32_t slots = std::max(hosts[i].slots, 1u);
    counts.push_back(by_slots ? std::min(slots, left) : ranks / host_count + (i < ranks % host_count ? 1 : 0));
    left -= counts.back();
    all_slots += slots;
  }
  if (left > 0) {
    error = std::to_string(ranks) + " " + rank_nouns() + " do not fit the " + std::to_string(all_slots) +
            " slots of the hosts; give more slots (host:slots), or leave all slots out";
    return false;
  }
  hosts.resize(static_cast<size_t>(std::count_if(counts.begin(), counts.end(), [](uint32_t n) { return n > 0; })));
  counts.resize(hosts.size());  // blocks are filled from the front, so that empty hosts are the last
  return true;
}

}  // namespace weftrun
