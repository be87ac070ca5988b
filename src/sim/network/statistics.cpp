#include "sim/network/statistics.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace weft::sim {
namespace {

using Json = nlohmann::ordered_json;

double share(double busy_ns, Time elapsed) { return elapsed == 0 ? 0 : busy_ns / static_cast<double>(elapsed); }

// null where there is no link
Json as_json(const GroupUse& use, Time elapsed) {
  Json bytes = Json::array(), utilisation = Json::array();
  for (const std::optional<LinkUse>& link : use.links) {
    bytes.push_back(link ? Json(link->bytes) : Json());
    utilisation.push_back(link ? Json(share(link->busy_ns, elapsed)) : Json());
  }
  return {{"name", use.name}, {"shape", use.shape}, {"bytes", bytes}, {"utilisation", utilisation}};
}

Json as_json(const std::vector<GroupUse>& groups, Time elapsed) {
  Json list = Json::array();
  for (const GroupUse& use : groups) list.push_back(as_json(use, elapsed));
  return list;
}

}  // namespace

Statistics::Busiest Statistics::busiest_link() const {
  Busiest found;
  for (const GroupUse& use : links)
    for (size_t i = 0; i < use.links.size(); ++i) {
      if (!use.links[i]) continue;
      const double utilisation = share(use.links[i]->busy_ns, elapsed);
      if (utilisation > found.utilisation || found.group.empty())
        found = {use.name, static_cast<uint32_t>(i), use.links[i]->bytes, utilisation};
    }
  return found;
}

double Statistics::mean_utilisation() const {
  double busy = 0;
  size_t count = 0;
  for (const GroupUse& use : links)
    for (const std::optional<LinkUse>& link : use.links) {
      if (!link) continue;
      busy += link->busy_ns;
      ++count;
    }
  return count == 0 ? 0 : share(busy, elapsed) / static_cast<double>(count);
}

std::string summary(const Statistics& statistics) {
  const Statistics::Busiest busiest = statistics.busiest_link();
  if (busiest.bytes == 0) return "links: none has carried anything";
  char text[128];
  std::snprintf(text, sizeof text, "links: mean %.3g %%, busiest %.3g %% (%s, number %u)",
                100 * statistics.mean_utilisation(), 100 * busiest.utilisation, busiest.group.c_str(), busiest.link);
  return text;
}

std::string to_json(const Statistics& statistics) {
  const Statistics::Busiest busiest = statistics.busiest_link();
  const Json json = {{"simulated", true},
                     {"network", statistics.network},
                     {"seconds", static_cast<double>(statistics.elapsed) * 1e-9},
                     {"messages", statistics.messages},
                     {"short_messages", statistics.short_messages},
                     {"local_messages", statistics.local_messages},
                     {"bytes", statistics.bytes},
                     {"hops", statistics.hops},
                     {"mean_utilisation", statistics.mean_utilisation()},
                     {"busiest_link",
                      {{"group", busiest.group},
                       {"link", busiest.link},
                       {"bytes", busiest.bytes},
                       {"utilisation", busiest.utilisation}}},
                     {"links", as_json(statistics.links, statistics.elapsed)},
                     {"interfaces", as_json(statistics.interfaces, statistics.elapsed)}};
  return json.dump() + "\n";
}

std::string write_json(const Statistics& statistics, const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return std::strerror(errno);
  const std::string text = to_json(statistics);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int why = errno;
  if (std::fclose(file) != 0) return std::strerror(errno);
  return written ? "" : std::strerror(why);
}

}  // namespace weft::sim
