#include "conduit/ip/start.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "base/log.hpp"
#include "boot/hosts.hpp"
#include "boot/secret.hpp"
#include "conduit/ip/ip_conduit.hpp"
#include "conduit/ip/tls.hpp"
#include "conduit/segment_size.hpp"
#include "conduit/start_round.hpp"
#include "weft/version.h"

namespace weft::conduit::ip {
namespace {

constexpr const char* listing_key = "ip-listing";

Security security_of(const base::Settings& settings) {
  if (settings.ip_security == "off") return Security::off;
  return settings.ip_security == "encrypt" ? Security::encrypt : Security::auth;
}

// One round, in the order in which ranks stand in it everybody reads it. `told`: a rank has said that it failed.
Status hear_all(boot::Boot& boot, const Listing& mine, std::vector<Listing>& all, bool& told) {
  for (RankId rank = 0; rank < boot.size(); ++rank) {
    std::string text;
    const Status status = hear(boot, rank, listing_key, text);
    told = !status.ok();
    if (told) return status;
    Listing other;
    const bool legible = Listing::decode(text, other);
    if (!legible || (rank == 0 && (other.protocol != mine.protocol || other.weft != mine.weft))) {
      base::log_error(
          "this rank and rank %u do not fit together: Weft %s here, %s on rank %u; make them the same on all hosts",
          rank, mine.weft.c_str(), legible ? other.weft.c_str() : "another", rank);
      return WEFT_ERR_BOOT;
    }
    all.push_back(std::move(other));
  }
  return {};
}

std::string names_of(std::span<const Interface> interfaces) {
  std::string names;
  for (const Interface& each : interfaces) names += (names.empty() ? "" : ", ") + text_of(each);
  return names;
}

// Keeps the interfaces that the job uses, of those that this rank listens on.
void keep(const std::vector<std::vector<size_t>>& chosen, RankId me, Rails& rails, std::vector<Interface>& interfaces) {
  std::vector<size_t> mine;
  std::vector<Interface> kept;
  for (const auto& of_ranks : chosen) {
    mine.push_back(of_ranks[me]);
    kept.push_back(interfaces[of_ranks[me]]);
  }
  rails.keep(mine);
  interfaces = std::move(kept);
}

std::vector<sockaddr_in> addresses_of(const std::vector<Listing>& all, const std::vector<size_t>& which) {
  std::vector<sockaddr_in> addresses;
  for (RankId rank = 0; rank < all.size(); ++rank) addresses.push_back(all[rank].places[which[rank]].address);
  return addresses;
}

}  // namespace

std::string Listing::encode() const {
  std::string text = std::to_string(protocol) + " " + weft + " " + std::to_string(segment_size) + (named ? " n" : " f");
  for (const Place& each : places) text += " " + text_of(each.address) + "/" + std::to_string(each.prefix);
  return text;
}

bool Listing::decode(const std::string& text, Listing& listing) {
  std::istringstream words(text);
  std::string how, place;
  if (!(words >> listing.protocol >> listing.weft >> listing.segment_size >> how) || (how != "n" && how != "f"))
    return false;
  listing.named = how == "n";
  while (words >> place) {
    const size_t slash = place.find('/');
    unsigned prefix = 0;
    if (slash == std::string::npos || std::sscanf(place.c_str() + slash, "/%2u", &prefix) != 1 || prefix > 32)
      return false;
    listing.places.push_back({.address = {}, .prefix = prefix});
    if (!parse_place(place.substr(0, slash), listing.places.back().address)) return false;
  }
  return !listing.places.empty() && listing.places.size() <= interfaces_max;
}

std::vector<std::vector<size_t>> agree_on_interfaces(const std::vector<Listing>& ranks, const boot::Hosts& hosts) {
  std::vector<std::vector<size_t>> chosen{std::vector<size_t>(ranks.size(), 0)};
  const size_t count = ranks.front().places.size();
  if (std::ranges::any_of(ranks, [](const Listing& each) { return each.named && each.places.size() > 1; })) {
    if (std::ranges::any_of(ranks, [&](const Listing& each) { return each.places.size() != count; })) return {};
    for (size_t i = 1; i < count; ++i) chosen.emplace_back(ranks.size(), i);
    return chosen;
  }
  for (size_t i = 1; i < count; ++i) {
    const Place& wanted = ranks.front().places[i];
    std::vector<size_t> of_ranks;
    for (RankId rank = 0; rank < ranks.size(); ++rank) {
      const auto fits = [&](const Place& place) {
        return place.prefix == wanted.prefix &&
               same_network(place.address.sin_addr, wanted.address.sin_addr, wanted.prefix);
      };
      const auto& places = ranks[rank].places;
      const auto found = std::ranges::find_if(places.begin() + 1, places.end(), fits);
      if (found == places.end()) break;
      const bool inside_hosts =
          rank != 0 && !hosts.together(0, rank) && found->address.sin_addr.s_addr == wanted.address.sin_addr.s_addr;
      if (inside_hosts) break;
      of_ranks.push_back(static_cast<size_t>(found - places.begin()));
    }
    if (of_ranks.size() == ranks.size()) chosen.push_back(std::move(of_ranks));
  }
  return chosen;
}

std::string describe(const base::Settings& settings) {
  std::vector<Interface> interfaces;
  std::string text = "  conduit ip          ";
  if (!choose_interfaces(settings.net_interface, false, !settings.host_name.empty(), interfaces).ok())
    return text + "cannot be used\n";
  text += "TCP on " + text_of(interfaces.front()) + ", ";
  if (interfaces.size() > 1) {
    const std::string others = names_of(std::span(interfaces).subspan(1));
    text += (settings.net_interface.empty() ? "and if all hosts have them on " : "on ") + others + ", ";
  }
  switch (security_of(settings)) {
    case Security::off:
      return text + "open to strangers (WEFT_IP_SECURITY=off)\n";
    case Security::auth:
      return text + "connections authenticated, data not encrypted (WEFT_IP_SECURITY=encrypt)\n";
    default:
      return text + "connections authenticated, data encrypted\n";
  }
}

Status start(const Environment& environment, const base::Settings& settings, Rails& rails, Started& started) {
  boot::Boot& boot = *environment.boot;
  const boot::Hosts& hosts = *environment.hosts;
  const base::KeepErrors errors;
  if (settings.ip_security == "off" && boot.rank() == 0)
    base::log_warning("WEFT_IP_SECURITY is off: whoever reaches a rank's port can read and write its memory");
  Status status = open_crypto();
  boot::Secret secret;
  const Status shared = boot::Secret::share(boot, secret);
  if (status.ok()) status = shared;
  started.credentials = {.rank = boot.rank(), .size = boot.size()};
  started.credentials.security = security_of(settings);
  if (status.ok() && started.credentials.security == Security::encrypt) status = open_tls();
  if (status.ok() && started.credentials.security != Security::off) {
    const auto words = secret.words();
    started.credentials.key = key_of(std::as_bytes(std::span(words)));
  }
  std::vector<Interface> interfaces;
  if (status.ok())
    status = choose_interfaces(settings.net_interface, hosts.count() == 1, !settings.host_name.empty(), interfaces);
  // Two connections keep no order.
  if (settings.order == "strict" && interfaces.size() > 1) interfaces.resize(1);
  if (status.ok()) status = rails.open(interfaces);
  Listing mine;
  mine.weft = weft_version();
  mine.named = !settings.net_interface.empty();
  for (size_t i = 0; status.ok() && i < rails.count(); ++i)
    mine.places.push_back({rails[i].links().place(), interfaces[i].prefix});
  mine.segment_size = environment.segment != nullptr ? environment.segment_size
                                                     : wanted_segment_size(settings, hosts.host_size(boot.rank()));
  status = tell(boot, listing_key, status, mine.encode(), errors);
  bool told = !status.ok();
  if (told) speak_if_first(boot, listing_key);
  base::KeepErrors::end(false);
  std::vector<Listing> all;
  if (status.ok()) status = hear_all(boot, mine, all, told);
  // The first that leaves ends the job, and who knows why must have said so before.
  if (told) (void)boot.fence();
  std::vector<std::vector<size_t>> chosen;
  if (status.ok()) chosen = agree_on_interfaces(all, hosts);
  if (status.ok() && chosen.empty()) {
    if (boot.rank() == 0)
      base::log_error("setting WEFT_NET_INTERFACE: ranks name different numbers of interfaces; name as many on all");
    status = WEFT_ERR_INVALID;
  }
  started.segment_size = mine.segment_size;
  for (const Listing& each : all) started.segment_size = std::min(started.segment_size, each.segment_size);
  started.segment = environment.segment;
  if (status.ok() && started.segment == nullptr) {
    status = os::Mapping::make("weft-ip", started.segment_size, started.own_segment);
    started.segment = started.own_segment.address();
  }
  if (!status.ok()) return status;
  keep(chosen, boot.rank(), rails, interfaces);
  for (size_t i = 0; i < rails.count(); ++i) {
    rails[i].set_segment(started.segment, started.segment_size);
    rails[i].links().start(started.credentials, addresses_of(all, chosen[i]));
  }
  if (boot.rank() == 0)
    base::log(base::LogLevel::info, "ip on %s, security %s", names_of(interfaces).c_str(),
              settings.ip_security.c_str());
  return {};
}

}  // namespace weft::conduit::ip
