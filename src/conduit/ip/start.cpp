#include "conduit/ip/start.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/log.hpp"
#include "base/parse.hpp"
#include "boot/hosts.hpp"
#include "boot/secret.hpp"
#include "conduit/ip/agreement.hpp"
#include "conduit/ip/ip_conduit.hpp"
#include "conduit/ip/secret_file.hpp"
#include "conduit/ip/tls.hpp"
#include "conduit/ip_network.hpp"
#include "conduit/segment_size.hpp"
#include "conduit/start_round.hpp"
#include "os/processor.hpp"
#include "weft/version.h"

namespace weft::conduit::ip {
namespace {

constexpr const char* listing_key = "ip-listing";

Security security_of(const base::Settings& settings) {
  if (settings.ip_security == "off") return Security::off;
  return settings.ip_security == "encrypt" ? Security::encrypt : Security::auth;
}

// One round. `told`: a rank has said that it failed.
Status hear_all(boot::Boot& boot, const Listing& mine, std::vector<Listing>& all, bool& told) {
  std::vector<std::string> texts;
  const Status status = hear(boot, listing_key, texts);
  told = !status.ok();
  if (told) return status;
  for (RankId rank = 0; rank < boot.size(); ++rank) {
    Listing other;
    const bool legible = Listing::decode(texts[rank], other);
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

// The job's key. What rank 0 has drawn is the secret, or where ranks have one in a file, what sets this job apart.
Status make_key(boot::Boot& boot, const base::Settings& settings, bool one_host, const boot::Secret& drawn,
                Credentials& credentials) {
  const auto words = drawn.words();
  const Bytes bits = std::as_bytes(std::span(words));
  if (!settings.secret_file.empty()) {
    std::vector<std::byte> secret;
    const Status status = read_secret_file(settings.secret_file, secret);
    if (status.ok()) credentials.key = key_of(secret, bits);
    return status;
  }
  credentials.key = key_of(bits);
  if (one_host || boot.is_private()) return {};
  if (credentials.security == Security::encrypt) {
    base::log_error(
        "WEFT_IP_SECURITY is encrypt, but the launcher (%s) carries the job's secret between hosts unencrypted: start "
        "with weftrun, or give all hosts a secret of your own in a file and name it by WEFT_SECRET_FILE",
        boot.name());
    return WEFT_ERR_INVALID;
  }
  if (boot.rank() == 0)
    base::log_warning(
        "the launcher (%s) carries the job's secret between hosts unencrypted: whoever reads its network can join the "
        "job; start with weftrun, or name a file with a secret of your own by WEFT_SECRET_FILE",
        boot.name());
  return {};
}

// Which rank has not the key of rank 0, and why; empty: all have it.
std::string differing_key(const std::vector<Listing>& all) {
  const std::string& first = all.front().fingerprint;
  const auto found = std::ranges::find_if(all, [&](const Listing& each) { return each.fingerprint != first; });
  if (found == all.end()) return {};
  const std::string rank = "rank " + std::to_string(found - all.begin());
  if (found->fingerprint.empty()) return rank + " has no such file, rank 0 has one";
  return first.empty() ? rank + " has such a file, rank 0 has none" : rank + " has another secret than rank 0";
}

Status compare_keys(boot::Boot& boot, const std::vector<Listing>& all) {
  const std::string why = differing_key(all);
  if (why.empty()) return {};
  if (boot.rank() == 0)
    base::log_error("setting WEFT_SECRET_FILE: %s; all hosts need the same file, and all ranks the setting",
                    why.c_str());
  (void)boot.fence();  // all come to the same answer, and the first that leaves ends the job
  return WEFT_ERR_INVALID;
}

}  // namespace

bool describe(const base::Settings& settings, std::string& text) {
  const Security security = security_of(settings);
  bool starts = open_crypto().ok() && (security != Security::encrypt || open_tls().ok());
  std::vector<std::byte> secret;
  if (starts && security != Security::off && !settings.secret_file.empty())
    starts = read_secret_file(settings.secret_file, secret).ok();
  std::vector<Interface> interfaces;
  starts = starts && choose_interfaces(settings.net_interface, false, !settings.host_name.empty(), interfaces).ok();
  Socket socket;
  Address place;
  const auto range = base::parse_port_range(settings.ip_port_range);
  starts = starts && (!range || listen_on(interfaces.front(), {range, 0, 1}, socket, place).ok());
  text += "  conduit ip          ";
  if (!starts) {
    text += "cannot be used\n";
    return false;
  }
  std::erase_if(interfaces, &Interface::spare);
  std::vector<Interface> others;  // of the family that is not preferred
  if (!names_interfaces(settings.net_interface)) {
    const auto is_preferred = [family = interfaces.front().address.family()](const Interface& each) {
      return each.address.family() == family;
    };
    std::ranges::copy_if(interfaces, std::back_inserter(others), std::not_fn(is_preferred));
    std::erase_if(interfaces, std::not_fn(is_preferred));
  }
  if (settings.order == "strict") interfaces.resize(1);
  text += uses_datagrams(settings, true)    ? "TCP and datagrams on "
          : uses_datagrams(settings, false) ? "TCP, and datagrams unless ranks outnumber processors, on "
                                            : "TCP on ";
  text += text_of(interfaces.front()) + ", ";
  if (interfaces.size() > 1) {
    const std::string more = text_of(std::span<const Interface>(interfaces).subspan(1));
    text += (settings.net_interface.empty() ? "and if all hosts have them on " : "on ") + more + ", ";
  }
  if (!settings.net_interface.empty() && !others.empty())
    text += "or where these do not join all hosts on " + text_of(others) + ", ";
  if (!settings.ip_port_range.empty()) text += "ports " + settings.ip_port_range + ", ";
  text += security == Security::off ? "open to strangers (WEFT_IP_SECURITY=off)\n"
          : security == Security::auth
              ? "connections authenticated, data not encrypted (set WEFT_IP_SECURITY=encrypt to encrypt)\n"
              : "connections authenticated, data encrypted\n";
  for (const Interface& each : interfaces)
    if (each.inside)
      text +=
          "                      " + each.name + " is a bridge inside this host, which others reach by routes alone\n";
  return true;
}

namespace {

// What a rank does alone, once the job's secret is shared: it makes the key and listens.
Status prepare(const Environment& environment, const base::Settings& settings, Rails& rails, Credentials& credentials,
               std::vector<Interface>& interfaces) {
  boot::Boot& boot = *environment.boot;
  const boot::Hosts& hosts = *environment.hosts;
  Status status = open_crypto();
  boot::Secret secret;
  const Status shared = boot::Secret::share(boot, secret);
  if (status.ok()) status = shared;
  credentials = {.rank = boot.rank(), .size = boot.size()};
  credentials.security = security_of(settings);
  if (status.ok() && credentials.security == Security::encrypt) status = open_tls();
  if (status.ok() && credentials.security != Security::off)
    status = make_key(boot, settings, hosts.count() == 1, secret, credentials);
  if (status.ok())
    status = choose_interfaces(settings.net_interface, hosts.count() == 1, !settings.host_name.empty(), interfaces);
  const Ports ports = {base::parse_port_range(settings.ip_port_range), hosts.host_rank(boot.rank()),
                       hosts.host_size(boot.rank())};
  if (status.ok()) status = enough_ports(ports, interfaces);
  return status.ok() ? rails.open(interfaces, ports) : status;
}

Listing listing_of(const Environment& environment, const base::Settings& settings, const Credentials& credentials,
                   const std::vector<Interface>& interfaces, Rails& rails) {
  Listing mine;
  mine.weft = weft_version();
  mine.host = os::host_name();
  mine.network = boot::network_identity();
  mine.named = names_interfaces(settings.net_interface);
  if (credentials.security != Security::off && !settings.secret_file.empty())
    mine.fingerprint = fingerprint_of(credentials.key);
  for (size_t i = 0; i < rails.count(); ++i)
    mine.places.push_back(
        {rails[i].links().place(), interfaces[i].prefix, interfaces[i].spare, interfaces[i].speed_mbit / 100});
  const uint32_t host_size = environment.hosts->host_size(environment.boot->rank());
  mine.segment_size =
      environment.segment != nullptr ? environment.segment_size : wanted_segment_size(settings, host_size);
  return mine;
}

// Where all ranks' segments begin and end; made here if the environment brought none.
Status have_segment(const Environment& environment, const std::vector<Listing>& all, Started& started) {
  started.segment_size = std::ranges::min_element(all, {}, &Listing::segment_size)->segment_size;
  started.segment = environment.segment;
  if (started.segment != nullptr) return {};
  const Status status = os::Mapping::make("weft-ip", started.segment_size, started.own_segment);
  started.segment = started.own_segment.address();
  return status;
}

}  // namespace

Status start(const Environment& environment, const base::Settings& settings, Rails& rails, Started& started) {
  boot::Boot& boot = *environment.boot;
  const base::KeepErrors errors;
  if (settings.ip_security == "off" && boot.rank() == 0)
    base::log_warning("WEFT_IP_SECURITY is off: whoever reaches a rank's port can read and write its memory");
  std::vector<Interface> interfaces;
  Status status = prepare(environment, settings, rails, started.credentials, interfaces);
  Listing mine;
  if (status.ok()) mine = listing_of(environment, settings, started.credentials, interfaces, rails);
  status = tell(boot, listing_key, status, mine.encode(), errors);
  bool told = !status.ok();
  if (told) speak_if_first(boot, listing_key);
  base::KeepErrors::end(false);
  std::vector<Listing> all;
  if (status.ok()) status = hear_all(boot, mine, all, told);
  // The first that leaves ends the job, and who knows why must have said so before.
  if (told) (void)boot.fence();
  if (status.ok()) status = compare_keys(boot, all);
  Used used;
  if (status.ok()) status = agree(boot, *environment.hosts, settings, all, interfaces, used);
  if (status.ok()) status = have_segment(environment, all, started);
  if (!status.ok()) return status;
  rails.keep(used.mine, used.primary_of);
  std::vector<Interface> kept;
  for (size_t i = 0; i < rails.count(); ++i) {
    kept.push_back(interfaces[used.mine[i]]);
    rails[i].set_segment(started.segment, started.segment_size);
    rails[i].links().start(started.credentials, used.places[i]);
  }
  if (boot.rank() == 0)
    base::log(base::LogLevel::info, "ip on %s%s, security %s", text_of(kept).c_str(),
              used.primary_of.empty() ? "" : ", each to the hosts on its network", settings.ip_security.c_str());
  return {};
}

}  // namespace weft::conduit::ip
