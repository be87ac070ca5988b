#include "conduit/ip/start.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

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
Status hear_all(boot::Boot& boot, const Listing& mine, std::vector<sockaddr_in>& places, size_t& segment_size,
                bool& told) {
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
    segment_size = std::min(segment_size, other.segment_size);
    places.push_back(other.place);
  }
  return {};
}

}  // namespace

std::string Listing::encode() const {
  return std::to_string(protocol) + " " + weft + " " + std::to_string(segment_size) + " " + text_of(place);
}

bool Listing::decode(const std::string& text, Listing& listing) {
  char weft[64], place[64];
  if (std::sscanf(text.c_str(), "%u %63s %zu %63s", &listing.protocol, weft, &listing.segment_size, place) != 4)
    return false;
  listing.weft = weft;
  return parse_place(place, listing.place);
}

std::string describe(const base::Settings& settings) {
  Interface interface;
  std::string text = "  conduit ip          ";
  if (!choose_interface(settings.net_interface, false, !settings.host_name.empty(), interface).ok())
    return text + "cannot be used\n";
  text += "TCP on " + interface.name + " (" + text_of(interface.address) + "), ";
  switch (security_of(settings)) {
    case Security::off:
      return text + "open to strangers (WEFT_IP_SECURITY=off)\n";
    case Security::auth:
      return text + "connections authenticated, data not encrypted (WEFT_IP_SECURITY=encrypt)\n";
    default:
      return text + "connections authenticated, data encrypted\n";
  }
}

Status start(const Environment& environment, const base::Settings& settings, Traffic& traffic, Started& started) {
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
  Interface interface;
  if (status.ok())
    status = choose_interface(settings.net_interface, hosts.count() == 1, !settings.host_name.empty(), interface);
  if (status.ok()) status = traffic.open(interface);
  Listing mine;
  mine.weft = weft_version();
  mine.place = traffic.links().place();
  mine.segment_size = environment.segment != nullptr ? environment.segment_size
                                                     : wanted_segment_size(settings, hosts.host_size(boot.rank()));
  status = tell(boot, listing_key, status, mine.encode(), errors);
  bool told = !status.ok();
  if (told) speak_if_first(boot, listing_key);
  base::KeepErrors::end(false);
  std::vector<sockaddr_in> places;
  started.segment_size = mine.segment_size;
  if (status.ok()) status = hear_all(boot, mine, places, started.segment_size, told);
  // The first that leaves ends the job, and who knows why must have said so before.
  if (told) (void)boot.fence();
  started.segment = environment.segment;
  if (status.ok() && started.segment == nullptr) {
    status = os::Mapping::make("weft-ip", started.segment_size, started.own_segment);
    started.segment = started.own_segment.address();
  }
  if (!status.ok()) return status;
  traffic.set_segment(started.segment, started.segment_size);
  traffic.links().start(started.credentials, std::move(places));
  if (boot.rank() == 0)
    base::log(base::LogLevel::info, "ip on interface %s (%s), security %s", interface.name.c_str(),
              text_of(interface.address).c_str(), settings.ip_security.c_str());
  return {};
}

}  // namespace weft::conduit::ip
