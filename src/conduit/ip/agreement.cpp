#include "conduit/ip/agreement.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/log.hpp"
#include "base/parse.hpp"
#include "conduit/ip/handshake.hpp"
#include "conduit/ip_network.hpp"

namespace weft::conduit::ip {

std::string Listing::encode() const {
  std::string text = std::to_string(protocol) + " " + weft + " " + host + " " + network + " " +
                     std::to_string(segment_size) + (named ? " n" : " f") + fingerprint;
  for (const Place& each : places)
    text += " " + each.address.place_text() + "/" + std::to_string(each.prefix) + "@" + std::to_string(each.speed) +
            (each.spare ? "s" : "");
  return text;
}

bool Listing::decode(const std::string& text, Listing& listing) {
  std::string_view rest = text;
  const auto next_word = [&rest] {
    const size_t blank = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, blank);
    rest.remove_prefix(std::min(blank + 1, rest.size()));
    return word;
  };
  const auto protocol = base::parse_number<unsigned>(next_word());
  listing.weft = next_word();
  listing.host = next_word();
  listing.network = next_word();
  const auto segment_size = base::parse_number<size_t>(next_word(), 0, INT64_MAX);
  const std::string_view how = next_word();
  if (!protocol || listing.weft.empty() || listing.host.empty() || listing.network.empty() || !segment_size ||
      how.empty() || (how[0] != 'n' && how[0] != 'f') || how.size() > 1 + fingerprint_size)
    return false;
  listing.protocol = *protocol;
  listing.segment_size = *segment_size;
  listing.named = how[0] == 'n';
  listing.fingerprint = how.substr(1);
  while (!rest.empty()) {
    std::string_view place = next_word();
    const bool spare = place.ends_with('s');
    if (spare) place.remove_suffix(1);
    const size_t at = std::min(place.find('@'), place.size());
    const auto speed = base::parse_number<uint32_t>(place.substr(std::min(at + 1, place.size())));
    place = place.substr(0, at);
    const size_t slash = std::min(place.find('/'), place.size());
    const auto prefix = base::parse_number<unsigned>(place.substr(std::min(slash + 1, place.size())), 0, 128);
    Address address;
    if (!speed || !prefix || !Address::parse_place(std::string(place.substr(0, slash)), address) ||
        *prefix > address.bits())
      return false;
    listing.places.push_back({address, *prefix, spare, *speed});
  }
  return !listing.places.empty() && listing.places.size() <= 2 * interfaces_max;
}

namespace {

const char* name_of(int family) { return family == AF_INET ? "IPv4" : "IPv6"; }

bool one_network(const Place& one, const Place& other) {
  return one.prefix == other.prefix && one.address.same_network(other.address, one.prefix);
}

// Each rank's first place with an address of the family that is not in `shared`, if `wanted` is not null on its
// network; empty if a rank has none. `any_too`: else its first one of them.
std::vector<size_t> firsts_of(const std::vector<Listing>& ranks, int family, const Shared& shared,
                              const Place* wanted = nullptr, bool any_too = false) {
  std::vector<size_t> firsts;
  for (const Listing& rank : ranks) {
    const auto suits = [&](const Place& each) {
      return each.address.family() == family && (wanted == nullptr || one_network(each, *wanted));
    };
    auto found = std::ranges::find_if(
        rank.places, [&](const Place& each) { return suits(each) && !shared.contains(each.address.text()); });
    if (found == rank.places.end() && any_too) found = std::ranges::find_if(rank.places, suits);
    if (found == rank.places.end()) return {};
    firsts.push_back(static_cast<size_t>(found - rank.places.begin()));
  }
  return firsts;
}

bool names_several(const Listing& rank) { return rank.named && rank.places.size() > 1; }

// The place of `rank` on the network of `wanted`; as many as there are if it has none.
size_t on_network(const Listing& rank, const Place& wanted) {
  const auto found =
      std::ranges::find_if(rank.places, [&](const Place& each) { return !each.spare && one_network(each, wanted); });
  return static_cast<size_t>(found - rank.places.begin());
}

// Each rank's places in the order of the model's networks, which hosts may name in another one; empty if a rank is not
// on each of them, or on one twice.
std::vector<std::vector<size_t>> named_by_networks(const std::vector<Listing>& ranks, const Listing& model) {
  std::vector<std::vector<size_t>> chosen(model.places.size());
  for (const Listing& rank : ranks) {
    std::vector<bool> taken(rank.places.size());
    for (size_t i = 0; i < model.places.size(); ++i) {
      const size_t found = on_network(rank, model.places[i]);
      if (found == rank.places.size() || taken[found]) return {};
      taken[found] = true;
      chosen[i].push_back(found);
    }
  }
  return chosen;
}

// A rank has named several.
std::vector<std::vector<size_t>> agree_on_named(const std::vector<Listing>& ranks, std::string& why) {
  const auto model = std::ranges::find_if(ranks, names_several);
  const std::string its_name = "rank " + std::to_string(model - ranks.begin());
  for (RankId rank = 0; rank < ranks.size(); ++rank) {
    const std::string name = "rank " + std::to_string(rank);
    const size_t named = ranks[rank].named ? ranks[rank].places.size() : 0;
    if (named != model->places.size()) {
      why = name + " names " + std::to_string(named) + " and " + its_name + " " + std::to_string(model->places.size()) +
            "; name as many on all";
      return {};
    }
    for (size_t i = 0; i < named; ++i) {
      const Address& mine = model->places[i].address;
      const Address& other = ranks[rank].places[i].address;
      if (other.family() == mine.family()) continue;
      why = name + " names " + other.text() + " where " + its_name + " names " + mine.text() +
            "; name addresses of one family";
      return {};
    }
  }
  std::vector<std::vector<size_t>> chosen = named_by_networks(ranks, *model);
  if (!chosen.empty()) return chosen;
  for (size_t i = 0; i < model->places.size(); ++i) chosen.emplace_back(ranks.size(), i);
  return chosen;
}

// Each rank's place on the first network that all have one on; empty if there is no such network.
std::vector<size_t> meeting_places(const std::vector<Listing>& ranks, int family, const Shared& shared) {
  for (const Place& wanted : ranks.front().places)
    if (std::vector<size_t> found = firsts_of(ranks, family, shared, &wanted); !found.empty()) return found;
  return {};
}

// Each rank's first place in the job: if possible all of one network, else of the preferred family, else with addresses
// that another host has as well. Rank 0 prefers the family of its first place, which is IPv4 if it has any, unless
// WEFT_NET_INTERFACE names a network of IPv6 before. Empty if no family has all ranks.
std::vector<size_t> firsts_of_all(const std::vector<Listing>& ranks, const Shared& shared) {
  const int preferred = ranks.front().places.front().address.family();
  const std::array families = {preferred, preferred == AF_INET ? AF_INET6 : AF_INET};
  for (const int family : families) {
    std::vector<size_t> firsts = firsts_of(ranks, family, shared);
    if (!firsts.empty() && on_one_network(ranks, firsts)) return firsts;
    firsts = meeting_places(ranks, family, shared);
    if (!firsts.empty()) return firsts;
  }
  for (const bool any_too : {false, true})
    for (const int family : families)
      if (std::vector<size_t> firsts = firsts_of(ranks, family, shared, nullptr, any_too); !firsts.empty())
        return firsts;
  return {};
}

}  // namespace

Shared shared_addresses(const std::vector<Listing>& ranks) {
  std::map<std::string, std::string_view> owners;
  Shared shared;
  for (const Listing& rank : ranks)
    for (const Place& each : rank.places)
      if (std::string text = each.address.text(); owners.try_emplace(text, rank.network).first->second != rank.network)
        shared.insert(std::move(text));
  return shared;
}

bool on_one_network(const std::vector<Listing>& ranks, const std::vector<size_t>& places) {
  const Place& first = ranks.front().places[places.front()];
  for (RankId rank = 1; rank < ranks.size(); ++rank)
    if (!one_network(first, ranks[rank].places[places[rank]])) return false;
  return true;
}

std::vector<std::vector<size_t>> agree_on_interfaces(const std::vector<Listing>& ranks, const Shared& shared,
                                                     std::string& why) {
  if (std::ranges::any_of(ranks, names_several)) return agree_on_named(ranks, why);
  std::vector<std::vector<size_t>> chosen = {firsts_of_all(ranks, shared)};
  if (chosen[0].empty()) {
    const auto without = [&](int missing) {
      const auto found = std::ranges::find_if(ranks, [&](const Listing& each) {
        return std::ranges::none_of(each.places, [&](const Place& place) { return place.address.family() == missing; });
      });
      return "rank " + std::to_string(found - ranks.begin()) + " uses no address of " + name_of(missing);
    };
    why = without(AF_INET) + " and " + without(AF_INET6) + "; give all hosts addresses of one family";
    return {};
  }
  const auto& places = ranks.front().places;
  const int family = places[chosen[0][0]].address.family();
  for (size_t i = chosen[0][0] + 1; i < places.size() && places[i].address.family() == family; ++i) {
    if (places[i].spare) continue;
    std::vector<size_t> of_ranks;
    for (RankId rank = 0; rank < ranks.size(); ++rank) {
      const size_t found = on_network(ranks[rank], places[i]);
      if (found == ranks[rank].places.size() || found == chosen[0][rank]) break;
      if (shared.contains(ranks[rank].places[found].address.text())) break;
      of_ranks.push_back(found);
    }
    if (of_ranks.size() == ranks.size()) chosen.push_back(std::move(of_ranks));
  }
  return chosen;
}

std::optional<Clash> clash_in(const std::vector<std::vector<size_t>>& chosen, const std::vector<Listing>& ranks,
                              const Shared& shared) {
  for (const std::vector<size_t>& interface : chosen) {
    for (RankId rank = 0; rank < ranks.size(); ++rank) {
      const Address& mine = ranks[rank].places[interface[rank]].address;
      if (!shared.contains(mine.text())) continue;
      const auto other = std::ranges::find_if(ranks, [&](const Listing& each) {
        return each.network != ranks[rank].network &&
               std::ranges::any_of(each.places, [&](const Place& its) { return its.address.same_host(mine); });
      });
      return Clash{rank, static_cast<RankId>(other - ranks.begin()), interface[rank]};
    }
  }
  return std::nullopt;
}

namespace {

// One rank of each machine.
std::vector<RankId> one_of_each(const std::vector<Listing>& ranks) {
  std::set<std::string_view> seen;
  std::vector<RankId> found;
  for (RankId rank = 0; rank < ranks.size(); ++rank)
    if (seen.insert(ranks[rank].network).second) found.push_back(rank);
  return found;
}

}  // namespace

std::string faster_networks(const std::vector<std::vector<size_t>>& chosen, const std::vector<Listing>& ranks,
                            const Shared& shared) {
  const Place& first = ranks.front().places[chosen.front().front()];
  const auto is_faster = [&](RankId rank, size_t place) {
    const Place& each = ranks[rank].places[place];
    return each.speed >= 2 * uint64_t{first.speed} && each.address.family() == first.address.family() &&
           !shared.contains(each.address.text()) &&
           std::ranges::none_of(chosen, [&](const auto& places) { return places[rank] == place; });
  };
  const auto meet = [&](RankId one, RankId other) -> const Place* {
    for (size_t place = 0; place < ranks[one].places.size(); ++place) {
      const Place& mine = ranks[one].places[place];
      if (is_faster(one, place) &&
          std::ranges::any_of(ranks[other].places, [&](const Place& its) { return one_network(mine, its); }))
        return &mine;
    }
    return nullptr;
  };
  if (first.speed == 0) return {};
  std::vector<const Place*> networks;
  const std::vector<RankId> machines = one_of_each(ranks);
  for (size_t i = 0; i < machines.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Place* const met = meet(machines[j], machines[i]);
      if (met == nullptr) return {};
      const auto is_it = [&](const Place* each) { return one_network(*each, *met); };
      if (std::ranges::none_of(networks, is_it)) networks.push_back(met);
    }
  std::string text;
  for (const Place* each : networks)
    text += (text.empty() ? "" : ",") + each->address.text() + "/" + std::to_string(each->prefix);
  return text;
}

std::vector<Pair> pairs_of(const std::vector<Listing>& ranks, const Shared& shared, const std::vector<size_t>& firsts,
                           RankId me) {
  const int family = ranks[me].places[firsts[me]].address.family();
  std::vector<Pair> pairs;
  for (RankId rank = 0; rank < ranks.size(); ++rank) {
    Pair& pair = pairs.emplace_back(Pair{firsts[me], firsts[rank]});
    if (rank == me) continue;
    const bool lower = me < rank;
    const std::vector<size_t> met =
        meeting_places({ranks[lower ? me : rank], ranks[lower ? rank : me]}, family, shared);
    if (!met.empty()) pair = {met[lower ? 0 : 1], met[lower ? 1 : 0]};
  }
  return pairs;
}

namespace {

constexpr const char* routes_key = "ip-routes";

// "host h1 (10.0.0.1/24, 10.0.1.1/24)": of the place's family.
std::string networks_of(const Listing& rank, const Address& place, const Shared& shared) {
  std::string text;
  for (const Place& each : rank.places)
    if (each.address.same_host(place) ||
        (each.address.family() == place.family() && !shared.contains(each.address.text())))
      text += (text.empty() ? "" : ", ") + each.address.text() + "/" + std::to_string(each.prefix);
  return "host " + rank.host + " (" + text + ")";
}

// Where no network has all ranks: the first host to which none of this one's routes leads, in a sentence; empty if
// there is none, or this rank is not the one of its host that looks.
std::string missing_route(const std::vector<Listing>& ranks, const Shared& shared, const std::vector<Pair>& pairs,
                          const boot::Hosts& hosts, RankId me, std::span<const Interface> interfaces) {
  if (hosts.host_rank(me) != 0) return {};
  for (RankId rank = 0; rank < ranks.size(); ++rank) {
    const Address& place = ranks[rank].places[pairs[rank].its].address;
    if (hosts.host_rank(rank) != 0 || hosts.together(rank, me) || has_route(interfaces[pairs[rank].mine], place))
      continue;
    const std::string why = std::strerror(errno);
    return "no network has them all, and " +
           networks_of(ranks[me], ranks[me].places[pairs[rank].mine].address, shared) + " has no way to " +
           place.text() + " of " + networks_of(ranks[rank], place, shared) + ": " + why;
  }
  return {};
}

// A round. The first that misses a route tells all: `why`.
Status compare_routes(boot::Boot& boot, const std::string& missing, std::string& why) {
  Status status = boot.put(routes_key, missing.empty() ? "none" : missing.substr(0, boot::value_max));
  const Status fenced = boot.fence();
  std::vector<std::string> texts;
  if (status.ok()) status = fenced;
  if (status.ok()) status = boot.get_all(routes_key, texts);
  const auto found = std::ranges::find_if(texts, [](const std::string& text) { return text != "none"; });
  if (found != texts.end()) why = *found + "; connect all hosts to one network, or each two, or name interfaces on one";
  return status;
}

// Only for the rank of the clash, which knows its interfaces' names.
std::string text_of(const Clash& clash, const std::vector<Listing>& ranks, std::span<const Interface> interfaces,
                    const base::Settings& settings) {
  const Interface& mine = interfaces[clash.place];
  const std::string what_to_do =
      mine.loopback ? "unset WEFT_HOST_NAME, which is for hosts that a test makes up on one machine"
      : settings.net_interface.empty()
          ? "connect host " + ranks[clash.rank].host + " to a network of the others (weft-info --network)"
          : "name another interface or network, or none (weft-info --network shows what is chosen then)";
  return text_of(mine) + " of host " + ranks[clash.rank].host + " has an address that host " + ranks[clash.other].host +
         " has as well, so their ranks would call themselves; " + what_to_do;
}

// All come to the same answer, and the first that leaves ends the job.
Status refuse_together(boot::Boot& boot) {
  (void)boot.fence();
  return WEFT_ERR_INVALID;
}

// A host need not be on all networks that are named, but one on none is a mistake, and not all families can be used.
void warn_of_unused_networks(const std::string& named, const std::vector<Listing>& ranks, const Shared& shared,
                             int family) {
  for (const std::string& word : networks_named(named)) {
    const auto network = IpNetwork::parse(word);
    const auto has_it = [&](const Listing& rank) {
      return std::ranges::any_of(rank.places, [&](const Place& each) {
        return network->contains(each.address.raw()) && !shared.contains(each.address.text());
      });
    };
    if (std::ranges::none_of(ranks, has_it))
      base::log_warning("setting WEFT_NET_INTERFACE: no host has an address in %s that is used", word.c_str());
    else if (network->family() != family)
      base::log_warning(
          "setting WEFT_NET_INTERFACE: %s is not used: the addresses of a job are of one family, and this job's are of "
          "%s",
          word.c_str(), name_of(family));
  }
}

void tell_of_faster(const std::vector<std::vector<size_t>>& chosen, const std::vector<Listing>& all,
                    const Shared& shared, std::span<const Interface> interfaces) {
  const std::string networks = faster_networks(chosen, all, shared);
  if (networks.empty()) return;
  const Interface& first = interfaces[chosen.front().front()];
  base::log_warning(
      "the job uses %s of %u Mbit/s, whose network has all hosts, but each two hosts also meet on a faster one: "
      "WEFT_NET_INTERFACE=%s uses these",
      text_of(first).c_str(), first.speed_mbit, networks.c_str());
}

// Whether this rank meets others at places that are not the first ones.
bool meet_elsewhere(const std::vector<Pair>& pairs, const std::vector<size_t>& firsts, RankId me) {
  for (RankId rank = 0; rank < pairs.size(); ++rank)
    if (pairs[rank].mine != firsts[me] || pairs[rank].its != firsts[rank]) return true;
  return false;
}

Used used_by_all(const std::vector<Listing>& all, const std::vector<std::vector<size_t>>& chosen, RankId me) {
  Used used;
  for (const auto& of_ranks : chosen) used.add(all, of_ranks[me], of_ranks);
  return used;
}

Used used_in_pairs(const std::vector<Listing>& all, const std::vector<Pair>& pairs, RankId me) {
  std::vector<size_t> its;
  for (const Pair& each : pairs) its.push_back(each.its);
  Used used;
  used.primary_of.resize(all.size());
  for (RankId rank = 0; rank < all.size(); ++rank) {
    if (rank == me) continue;
    const auto found = std::ranges::find(used.mine, pairs[rank].mine);
    used.primary_of[rank] = static_cast<uint8_t>(found - used.mine.begin());
    if (found == used.mine.end()) used.add(all, pairs[rank].mine, its);
  }
  if (used.mine.size() == 1) used.primary_of.clear();
  return used;
}

}  // namespace

void Used::add(const std::vector<Listing>& all, size_t interface, const std::vector<size_t>& which) {
  mine.push_back(interface);
  places.emplace_back();
  for (RankId rank = 0; rank < all.size(); ++rank) places.back().push_back(all[rank].places[which[rank]].address);
}

Status agree(boot::Boot& boot, const boot::Hosts& hosts, const base::Settings& settings,
             const std::vector<Listing>& all, std::span<const Interface> interfaces, Used& used) {
  const RankId me = boot.rank();
  std::string why;
  const Shared shared = shared_addresses(all);
  std::vector<std::vector<size_t>> chosen = agree_on_interfaces(all, shared, why);
  std::vector<Pair> pairs;  // if no network has all ranks
  Status status;
  if (const auto clash = clash_in(chosen, all, shared)) {
    if (me == clash->rank)
      base::log_error("the ranks' interfaces (WEFT_NET_INTERFACE): %s",
                      text_of(*clash, all, interfaces, settings).c_str());
    return refuse_together(boot);
  }
  if (me == 0 && !chosen.empty()) {
    const Place& first = all.front().places[chosen.front().front()];
    warn_of_unused_networks(settings.net_interface, all, shared, first.address.family());
  }
  const bool met = why.empty() && on_one_network(all, chosen.front());
  if (met && me == 0 && settings.net_interface.empty()) tell_of_faster(chosen, all, shared, interfaces);
  if (why.empty() && !met) {
    pairs = pairs_of(all, shared, chosen.front(), me);
    status = compare_routes(boot, missing_route(all, shared, pairs, hosts, me, interfaces), why);
    // Several that were named share all traffic where routes join them, each with its like.
    if (chosen.size() > 1 && !meet_elsewhere(pairs, chosen.front(), me)) pairs.clear();
  }
  if (!status.ok()) return status;
  if (!why.empty()) {
    if (me == 0) base::log_error("the ranks' interfaces (WEFT_NET_INTERFACE): %s", why.c_str());
    return refuse_together(boot);
  }
  // Two connections keep no order.
  if (settings.order == "strict") chosen.resize(1);
  used = pairs.empty() ? used_by_all(all, chosen, me) : used_in_pairs(all, pairs, me);
  return {};
}

}  // namespace weft::conduit::ip
