// Which interfaces a job of conduit ip uses. Each rank publishes where it listens; all apply the same rules to the list
// of all, so both ends of a pair come to the same answer.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "boot/hosts.hpp"
#include "conduit/ip/handshake.hpp"
#include "conduit/ip/sockets.hpp"

namespace weft::conduit::ip {

/// Where a rank listens, and how many bits of the address all of its network have.
struct Place {
  Address address;
  unsigned prefix = 0;
  bool spare = false;  ///< may be the first, no further one
  uint32_t speed = 0;  ///< of its link, in 100 Mbit/s, which keeps the text short; 0: not known
};

/// What a rank tells the others.
struct Listing {
  unsigned protocol = protocol_version;
  std::string weft;     ///< version
  std::string host;     ///< its name
  std::string network;  ///< boot::network_identity()
  size_t segment_size = 0;
  bool named = false;       ///< the interfaces are those of WEFT_NET_INTERFACE, which names not only networks
  std::string fingerprint;  ///< of the job's key, if it is made from WEFT_SECRET_FILE; else empty
  std::vector<Place> places;

  std::string encode() const;
  static bool decode(const std::string& text, Listing& listing);
};

/// The addresses that ranks in several networks have, as bridges inside hosts do: nobody reaches another host by them.
using Shared = std::set<std::string>;
Shared shared_addresses(const std::vector<Listing>& ranks);

/// Which of each rank's places make an interface of the job: result[interface][rank]. All are of one family, that of
/// rank 0's first place, or of the other one where a rank has none of that family of its own, or only the other has a
/// network of all ranks. The first of all ranks are one, where a rank passes over shared addresses while each rank has
/// another; if these are on several networks, and there is one that every rank has a place on, those places are the
/// first. Several that were named are used in the order of the first rank that names several: those on one network
/// together if each rank is on all of these, else those that are named at the same place. Others that were found join
/// where every rank has one on the same network and none is shared. If the result is empty `why` says what is wrong.
std::vector<std::vector<size_t>> agree_on_interfaces(const std::vector<Listing>& ranks, const Shared& shared,
                                                     std::string& why);

/// Two ranks of which one has chosen a place with an address that the other, in another network, has as well.
struct Clash {
  RankId rank, other;
  size_t place;  // of `rank`
};
/// The first one of `chosen`: a rank would call itself there.
std::optional<Clash> clash_in(const std::vector<std::vector<size_t>>& chosen, const std::vector<Listing>& ranks,
                              const Shared& shared);

/// Whether these places of all ranks are on one network.
bool on_one_network(const std::vector<Listing>& ranks, const std::vector<size_t>& places);

/// Where each two machines also meet on a network that is not `chosen` and at least twice as fast as the first one:
/// these networks, as WEFT_NET_INTERFACE takes them; else empty. It is asked where the first ones are on one network.
std::string faster_networks(const std::vector<std::vector<size_t>>& chosen, const std::vector<Listing>& ranks,
                            const Shared& shared);

/// Where two ranks meet: which place of each.
struct Pair {
  size_t mine, its;
};
/// Where `me` meets each rank if no network has all of them: on the first network that the two are on, by the order of
/// the lower one's places, and without shared addresses. If there is none, at `firsts`, their first places, which
/// routes must join. Both ranks of a pair come to the same.
std::vector<Pair> pairs_of(const std::vector<Listing>& ranks, const Shared& shared, const std::vector<size_t>& firsts,
                           RankId me);

/// What of it one rank needs.
struct Used {
  std::vector<size_t> mine;                  ///< which of the interfaces that it listens on
  std::vector<std::vector<Address>> places;  ///< of each of these, where it leads to each rank
  std::vector<uint8_t> primary_of;           ///< by rank, which of `mine` leads there; empty: all lead to all

  void add(const std::vector<Listing>& all, size_t interface, const std::vector<size_t>& which);
};

/// Collective: a round of boot where no network has all ranks. One rank says why there is no answer.
Status agree(boot::Boot& boot, const boot::Hosts& hosts, const base::Settings& settings,
             const std::vector<Listing>& all, std::span<const Interface> interfaces, Used& used);

}  // namespace weft::conduit::ip
