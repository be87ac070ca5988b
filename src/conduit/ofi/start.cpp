#include "conduit/ofi/start.hpp"

#include <malloc.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include "base/log.hpp"
#include "base/parse.hpp"
#include "boot/hosts.hpp"
#include "boot/secret.hpp"
#include "conduit/ofi/provider.hpp"
#include "conduit/ofi/wire.hpp"
#include "conduit/segment_size.hpp"
#include "conduit/start_round.hpp"
#include "weft/version.h"

namespace weft::conduit::ofi {
namespace {

std::string version_text(uint32_t version) {
  return std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version));
}

size_t own_segment_size(const Environment& environment, const base::Settings& settings, const Choice& choice) {
  if (environment.segment != nullptr) return environment.segment_size;
  const uint32_t ranks = environment.hosts->host_size(environment.boot->rank());
  const bool pinned =
      std::ranges::any_of(choice.rails, [](const Info& info) { return info->domain_attr->mr_mode & FI_MR_ALLOCATED; });
  // Where registering pins every page, the segments of a host may take half of its memory.
  if (pinned && settings.segment_size == 0) return whole_pages(os::physical_memory() / 2 / ranks);
  return wanted_segment_size(settings, ranks);
}

// Everybody compares with rank 0; segments become as large as the smallest wish.
Status agree(boot::Boot& boot, const Hello& mine, size_t& segment_size) {
  std::vector<Hello> all;
  segment_size = mine.segment_size;
  std::vector<std::string> texts;
  const Status status = hear(boot, "ofi-hello", texts);
  if (!status.ok()) return status;
  for (RankId rank = 0; rank < boot.size(); ++rank) {
    Hello other;
    if (!Hello::decode(texts[rank], other)) {
      base::log_error(
          "rank %u speaks another version of Weft's network protocol: install the same version on all hosts", rank);
      return WEFT_ERR_BOOT;
    }
    segment_size = std::min(segment_size, other.segment_size);
    all.push_back(std::move(other));
  }
  if (const std::string difference = mine.difference(all.front()); !difference.empty()) {
    base::log_error("this rank and rank 0 do not fit together: %s; make them the same on all hosts",
                    difference.c_str());
    return WEFT_ERR_BOOT;
  }
  const std::string clash = clash_in(all);
  if (clash.empty()) return {};
  base::log_error("the ranks' interfaces (WEFT_NET_INTERFACE): %s", clash.c_str());
  return WEFT_ERR_INVALID;
}

Status make_segment(const Environment& environment, State& state, os::Mapping& own_segment) {
  if (environment.segment != nullptr) {
    state.segment = environment.segment;
    return {};
  }
  const Status status = os::Mapping::make("weft-ofi", state.segment_size, own_segment);
  state.segment = own_segment.address();
  return status;
}

void log_choice(const std::string& fabric, const Choice& choice, bool one_host, const base::Settings& settings) {
  std::string interfaces;
  for (const Info& info : choice.rails) interfaces += (interfaces.empty() ? "" : ", ") + interface_of(*info);
  base::log(base::LogLevel::info, "libfabric %s, provider %s, interface %s", fabric.c_str(), choice.provider.c_str(),
            interfaces.c_str());
  if (one_host) return;
  if (!settings.secret_file.empty())
    base::log_warning(
        "WEFT_SECRET_FILE is for conduit ip: it does not protect this job (docs/NETWORKS.md, \"Safety\")");
  if (!is_open_to_strangers(choice.provider)) return;
  base::log_warning(
      "libfabric's provider %s is not authenticated: whoever reaches a rank's port may read and write its memory; "
      "conduit node-ip is (docs/NETWORKS.md, \"Safety\")",
      choice.provider.c_str());
  if (!settings.ip_port_range.empty())
    base::log_warning(
        "WEFT_IP_PORT_RANGE is for conduit ip: libfabric's provider %s listens on ports of its own choice "
        "(docs/LAUNCHING.md, \"Firewalls\")",
        choice.provider.c_str());
}

Status open_rails(const Library& library, Choice choice, const Rail::Options& options, State& state) {
  for (size_t i = 0; i < choice.rails.size(); ++i) {
    std::unique_ptr<Rail> rail;
    Status status = Rail::open(library, std::move(choice.rails[i]), i, state.size, options, rail);
    if (status.ok()) status = rail->register_segment(state.segment, state.segment_size);
    if (!status.ok()) return status;
    state.rails.push_back(std::move(rail));
  }
  return {};
}

void open_caches(State& state, size_t idle_limit) {
  for (auto& rail : state.rails) {
    state.caches.push_back(nullptr);
    if (!rail->registers_local_memory()) continue;
    ::mallopt(M_MMAP_MAX, 0);  // see registration.hpp
    ::mallopt(M_TRIM_THRESHOLD, -1);
    Rail* where = rail.get();
    state.caches.back() = std::make_unique<RegistrationCache>(
        [where](void* first, size_t size, void*& object) {
          Owned<fid_mr> registration;
          const Status status = where->register_memory(first, size, local_access, registration);
          object = registration.release();
          return status;
        },
        [](void* object) { fi_close(&static_cast<fid_mr*>(object)->fid); }, idle_limit);
  }
}

std::string rail_key(size_t index) { return "ofi-rail-" + std::to_string(index); }

// The second round. From its end on errors are written at once.
Status exchange_addresses(State& state, Status status, const base::KeepErrors& errors) {
  boot::Boot& boot = *state.boot;
  std::vector<std::string> texts(state.rails.size());
  for (size_t i = 0; i < texts.size() && status.ok(); ++i) status = state.rails[i]->publish(texts[i]);
  for (size_t i = 1; i < texts.size() && status.ok(); ++i) status = boot.put(rail_key(i), texts[i]);
  status = tell(boot, rail_key(0), status, texts.empty() ? "" : texts[0], errors);
  if (!status.ok()) speak_if_first(boot, rail_key(0));
  base::KeepErrors::end(false);
  state.peers.resize(state.size);
  for (size_t i = 0; i < state.rails.size() && status.ok(); ++i) {
    std::vector<std::string> all;
    status = hear(boot, rail_key(i), all);
    for (RankId rank = 0; rank < state.size && status.ok(); ++rank)
      status = state.rails[i]->connect(all[rank], state.peers[rank].rails[i]);
  }
  return status;
}

}  // namespace

std::string Hello::encode() const {
  std::string listed;
  for (const std::string& each : addresses) listed += (listed.empty() ? "" : ",") + each;
  if (listed.empty()) listed = "-";
  return std::to_string(wire) + " " + weft + " " + fabric + " " + std::to_string(rails) + " " +
         std::to_string(segment_size) + " " + provider + " " + network + " " + listed;
}

bool Hello::decode(const std::string& text, Hello& hello) {
  char weft[64], fabric[64], provider[128], network[128], listed[max_rails * INET6_ADDRSTRLEN];
  if (std::sscanf(text.c_str(), "%u %63s %63s %zu %zu %127s %127s %183s", &hello.wire, weft, fabric, &hello.rails,
                  &hello.segment_size, provider, network, listed) != 8)
    return false;
  hello.weft = weft;
  hello.fabric = fabric;
  hello.provider = provider;
  hello.network = network;
  if (listed != std::string_view("-")) hello.addresses = base::parse_list(listed);
  return true;
}

std::string Hello::difference(const Hello& first) const {
  const auto differ = [](const std::string& what, const std::string& here, const std::string& there) {
    return what + " " + here + " here, " + there + " on rank 0";
  };
  if (weft != first.weft || wire != first.wire) return differ("Weft", weft, first.weft);
  if (provider != first.provider) return differ("provider", provider, first.provider);
  if (fabric != first.fabric) return differ("libfabric", fabric, first.fabric);
  if (rails != first.rails) return differ("number of interfaces", std::to_string(rails), std::to_string(first.rails));
  return "";
}

std::string clash_in(const std::vector<Hello>& ranks) {
  std::map<std::string_view, RankId> owners;
  for (RankId rank = 0; rank < ranks.size(); ++rank)
    for (const std::string& address : ranks[rank].addresses) {
      const RankId owner = owners.try_emplace(address, rank).first->second;
      if (ranks[owner].network == ranks[rank].network) continue;
      return "ranks " + std::to_string(owner) + " and " + std::to_string(rank) +
             ", on different hosts, both have the address " + address +
             ", so each would call itself; name another interface or network (weft-info --network)";
    }
  return {};
}

std::string slow_start_notice(uint32_t ranks, uint32_t processors) {
  constexpr double seconds_per_rank = 0.1;
  constexpr double worth_telling_s = 4;
  const double seconds = ranks * seconds_per_rank / processors;
  if (seconds < worth_telling_s) return "";
  char text[200];
  std::snprintf(text, sizeof text,
                "%u ranks of this host open the network, which takes each about %.1f s of its %u processor%s: the job "
                "begins in %.0f s or more",
                ranks, seconds_per_rank, processors, processors == 1 ? "" : "s", seconds);
  return text;
}

Status start(const Environment& environment, const base::Settings& settings, State& state, os::Mapping& own_segment) {
  boot::Boot& boot = *environment.boot;
  const base::KeepErrors errors;
  const std::string notice = slow_start_notice(environment.hosts->host_size(state.rank), os::host_processors());
  if (state.rank == 0 && !notice.empty()) base::log_warning("%s", notice.c_str());
  const Library* library = nullptr;
  Choice choice;
  Status status = open_library(library);
  const boot::Hosts& hosts = *environment.hosts;
  const Job job = {.one_host = hosts.count() == 1, .sleeps = sleeps(settings, hosts.count() == state.size)};
  if (status.ok()) status = choose_provider(*library, settings, job, choice);
  if (status.ok() && settings.bounce_size > layered_payload_max) {
    base::log_error("setting WEFT_BOUNCE_SIZE is %zu bytes; at most %zu are possible",
                    static_cast<size_t>(settings.bounce_size), layered_payload_max);
    status = WEFT_ERR_INVALID;
  }
  Hello mine;
  if (status.ok()) {
    mine.weft = weft_version();
    mine.fabric = version_text(library->version());
    mine.provider = choice.provider;
    mine.network = boot::network_identity();
    for (const Info& rail : choice.rails)
      if (std::string address = ip_address_of(*rail); !address.empty()) mine.addresses.push_back(std::move(address));
    mine.rails = choice.rails.size();
    mine.segment_size = own_segment_size(environment, settings, choice);
  }
  status = tell(boot, "ofi-hello", status, mine.encode(), errors);
  if (status.ok()) status = agree(boot, mine, state.segment_size);
  if (status.ok() && state.rank == 0) log_choice(mine.fabric, choice, hosts.count() == 1, settings);
  // From here on all ranks have failed or none, or will hear of it in the second round.
  boot::Secret secret;
  const Status shared = boot::Secret::share(boot, secret);
  if (status.ok()) status = shared;
  state.order = choice.order;
  state.lossless = is_lossless(choice.provider);
  const bool wait = sleeps(settings, hosts.host_size(state.rank) == 1) && can_wake(choice.provider);
  const Rail::Options options = {choice.order, wait, settings.register_local};
  state.bounce_size = settings.bounce_size;
  if (status.ok()) status = make_segment(environment, state, own_segment);
  if (status.ok()) status = open_rails(*library, std::move(choice), options, state);
  status = exchange_addresses(state, status, errors);
  if (!status.ok()) return status;
  for (RankId rank = 0; rank < state.size; ++rank) {
    state.peers[rank].send_token = secret.token(state.rank, rank);
    state.peers[rank].receive_token = secret.token(rank, state.rank);
  }
  open_caches(state, settings.pin_limit);
  return state.pools.open(state.rails);
}

}  // namespace weft::conduit::ofi
