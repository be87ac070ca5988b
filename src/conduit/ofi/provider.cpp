#include "conduit/ofi/provider.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/log.hpp"
#include "base/nearest.hpp"
#include "base/parse.hpp"
#include "conduit/ip_network.hpp"
#include "conduit/ofi/pools.hpp"

namespace weft::conduit::ofi {

std::string ip_address_of(const fi_info& info) {
  char text[INET6_ADDRSTRLEN] = "";
  if (info.src_addr == nullptr) return text;
  if (info.addr_format == FI_SOCKADDR_IN)
    ::inet_ntop(AF_INET, &static_cast<const sockaddr_in*>(info.src_addr)->sin_addr, text, sizeof text);
  if (info.addr_format == FI_SOCKADDR_IN6)
    ::inet_ntop(AF_INET6, &static_cast<const sockaddr_in6*>(info.src_addr)->sin6_addr, text, sizeof text);
  return text;
}

namespace {

// What Weft needs of an endpoint, and what it can live with.
Info hints_for(const Library& library, const std::string& provider) {
  Info hints(library.dupinfo(nullptr), InfoDelete{&library});
  if (!hints) return hints;
  hints->caps = FI_MSG | FI_RMA | FI_MULTI_RECV;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;                               // one lock of ours around all calls
  if (provider == "net") hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;  // else it starts a thread
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->av_type = FI_AV_TABLE;
  if (!provider.empty()) hints->fabric_attr->prov_name = ::strdup(provider.c_str());
  return hints;
}

// All that fit, as a chain; null if none.
Info look_up(const Library& library, const std::string& provider, int& result) {
  Info hints = hints_for(library, provider);
  fi_info* found = nullptr;
  const KeptSignalHandlers kept;
  result = hints ? library.getinfo(interface_version, nullptr, nullptr, 0, hints.get(), &found) : -FI_ENOMEM;
  return Info(result == 0 ? found : nullptr, InfoDelete{&library});
}

// Where conduit smp serves; shm crashes besides.
bool within_a_host(std::string_view provider) { return provider == "shm" || provider == "sm2"; }

// The chain also holds providers that were not asked for by this name (tcp under net), and endpoints without the order
// that messages need.
bool fits(const fi_info& info, const std::string& provider) {
  const std::string_view name = info.fabric_attr->prov_name;
  if (within_a_host(name)) return false;
  const bool named = name == provider || name.starts_with(provider + ";");
  return named && (info.tx_attr->msg_order & FI_ORDER_SAS) != 0 && info.domain_attr->mr_key_size != 0;
}

bool is_ip(const fi_info& info) { return info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR_IN6; }

bool is_loopback(const fi_info& info) {
  const std::string address = ip_address_of(info);
  return address.starts_with("127.") || address == "::1";
}

// Other hosts cannot use such an address without knowing the interface.
bool is_link_local(const fi_info& info) { return ip_address_of(info).starts_with("fe80:"); }

using Candidates = std::vector<const fi_info*>;

Candidates candidates_of(const Info& chain, const std::string& provider) {
  Candidates candidates;
  for (const fi_info* info = chain.get(); info != nullptr; info = info->next)
    if (fits(*info, provider) && !is_link_local(*info)) candidates.push_back(info);
  // IPv4 first where an interface has both.
  std::ranges::stable_sort(candidates, [](const fi_info* a, const fi_info* b) {
    return a->addr_format != FI_SOCKADDR_IN6 && b->addr_format == FI_SOCKADDR_IN6;
  });
  return candidates;
}

// A hardware network's domain has a name of its own, so its interface is found by that.
const fi_info* find_interface(const Candidates& candidates, const std::string& wanted,
                              const std::optional<IpNetwork>& network) {
  const auto suits = [&](const fi_info& info) {
    if (!network) return wanted == info.domain_attr->name || wanted == ip_address_of(info);
    return is_ip(info) && info.src_addr != nullptr && network->contains(static_cast<const sockaddr*>(info.src_addr));
  };
  for (const fi_info* info : candidates)
    if (suits(*info)) return info;
  return nullptr;
}

const fi_info* default_interface(const Candidates& candidates, bool one_host) {
  for (const fi_info* info : candidates)
    if (!is_ip(*info) || is_loopback(*info) == one_host) return info;
  return one_host ? candidates.front() : nullptr;
}

std::string names_of(const Candidates& candidates, bool with_loopback) {
  std::string names;
  for (const fi_info* info : candidates) {
    if (!with_loopback && is_loopback(*info)) continue;
    const std::string name = interface_of(*info);
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

std::string providers_here(const Library& library) {
  int result = 0;
  const Info chain = look_up(library, "", result);
  std::string names;
  for (const fi_info* info = chain.get(); info != nullptr; info = info->next) {
    const std::string name = info->fabric_attr->prov_name;
    if (!fits(*info, name) || (", " + names + ", ").find(", " + name + ", ") != std::string::npos) continue;
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? "none" : names;
}

Status choose_interfaces(const Library& library, const base::Settings& settings, Job job, const Candidates& candidates,
                         Choice& choice) {
  const auto take = [&](const fi_info& info) {
    choice.rails.emplace_back(library.dupinfo(&info), InfoDelete{&library});
    return choice.rails.back() ? Status() : Status(WEFT_ERR_NO_MEMORY);
  };
  if (settings.net_interface.empty()) {
    if (const fi_info* info = default_interface(candidates, job.one_host)) return take(*info);
    base::log_error(
        "provider %s has no interface but loopback here, and the job spans hosts: connect this host to a "
        "network, or name an interface (WEFT_NET_INTERFACE)",
        choice.provider.c_str());
    return WEFT_ERR_SYSTEM;
  }
  const std::vector<std::string> wanted = base::parse_list(settings.net_interface);
  if (wanted.size() > max_rails) {
    base::log_error("setting WEFT_NET_INTERFACE names %zu interfaces; at most %zu can be used at once", wanted.size(),
                    max_rails);
    return WEFT_ERR_INVALID;
  }
  for (const std::string& name : wanted) {
    std::optional<IpNetwork> network;
    const Status legible = read_network(name, network);
    if (!legible.ok()) return legible;
    const fi_info* info = find_interface(candidates, name, network);
    if (info == nullptr) {
      base::log_error("setting WEFT_NET_INTERFACE: provider %s has no interface '%s' here; it has: %s",
                      choice.provider.c_str(), name.c_str(), names_of(candidates, true).c_str());
      return WEFT_ERR_INVALID;
    }
    // Hosts that tests have made up reach each other through loopback.
    if (!job.one_host && is_loopback(*info) && settings.host_name.empty()) {
      base::log_error("setting WEFT_NET_INTERFACE: %s is loopback, but the job spans hosts; name one of: %s",
                      interface_of(*info).c_str(), names_of(candidates, false).c_str());
      return WEFT_ERR_INVALID;
    }
    const Status status = take(*info);
    if (!status.ok()) return status;
  }
  return {};
}

Order order_of(const std::string& text) {
  return text == "strict" ? Order::strict : text == "relaxed" ? Order::relaxed : Order::standard;
}

}  // namespace

std::string interface_of(const fi_info& info) {
  const std::string address = ip_address_of(info);
  const char* name = info.domain_attr->name != nullptr ? info.domain_attr->name : "?";
  return address.empty() ? name : std::string(name) + " (" + address + ")";
}

Status choose_provider(const Library& library, const base::Settings& settings, Job job, Choice& choice) {
  if (within_a_host(settings.ofi_provider)) {
    base::log_error(
        "setting WEFT_OFI_PROVIDER: '%s' joins ranks of one host only, which conduit smp does: set WEFT_CONDUIT=smp, "
        "or one of the providers %s",
        settings.ofi_provider.c_str(), providers_here(library).c_str());
    return WEFT_ERR_INVALID;
  }
  choice.order = order_of(settings.order);
  std::vector<std::string> names(std::begin(preference), std::end(preference));
  if (job.sleeps) std::erase_if(names, [](const std::string& name) { return !can_wake(name); });
  if (!settings.ofi_provider.empty()) names = {settings.ofi_provider};
  for (const std::string& name : names) {
    int result = 0;
    const Info chain = look_up(library, name, result);
    const Candidates candidates = candidates_of(chain, name);
    if (candidates.empty()) continue;
    choice.provider = candidates.front()->fabric_attr->prov_name;
    return choose_interfaces(library, settings, job, candidates, choice);
  }
  if (settings.ofi_provider.empty())
    base::log_error("libfabric has no provider here that Weft can use; it has: %s", providers_here(library).c_str());
  else
    base::log_error("setting WEFT_OFI_PROVIDER: libfabric has no provider '%s' here that Weft can use; it has: %s",
                    settings.ofi_provider.c_str(), providers_here(library).c_str());
  return WEFT_ERR_INVALID;
}

bool is_open_to_strangers(const std::string& provider) {
  const std::string_view lowest = std::string_view(provider).substr(0, provider.find(';'));
  return lowest == "net" || lowest == "tcp" || lowest == "udp" || lowest == "sockets";
}

// InfiniBand and RoCE with priority flow control, Slingshot, Omni-Path. EFA runs over Ethernet that drops.
bool is_lossless(const std::string& provider) {
  const std::string_view lowest = std::string_view(provider).substr(0, provider.find(';'));
  return lowest == "verbs" || lowest == "cxi" || lowest == "psm2" || lowest == "opx";
}

std::string hardware_provider() {
  const Library* library = nullptr;
  if (!open_library(library, false).ok()) return {};
  for (const std::string name : preference) {
    int result = 0;
    if (is_open_to_strangers(name)) continue;
    const Info chain = look_up(*library, name, result);
    if (!candidates_of(chain, name).empty()) return name;
  }
  return {};
}

// By the name alone: opening libfabric takes longer than starting a job that needs none.
void warn_if_unknown(const std::string& provider) {
  std::vector<std::string_view> names;  // all that Weft knows, in whole and without the layer on top
  for (const std::string_view name : preference)
    for (const std::string_view each : {name, name.substr(0, name.find(';'))}) names.push_back(each);
  names.insert(names.end(), {"sockets", "shm", "sm2", "psm2", "opx"});
  const std::string_view lowest = std::string_view(provider).substr(0, provider.find(';'));
  if (std::ranges::find(names, lowest) != names.end()) return;
  const std::string meant(base::nearest(provider, names));
  base::log_warning(
      "setting WEFT_OFI_PROVIDER is '%s', which Weft does not know%s%s; this job does not use libfabric, one that does "
      "may refuse it (weft-info --network lists what is here)",
      provider.c_str(), meant.empty() ? "" : ", did you mean ", meant.c_str());
}

bool describe_provider(const base::Settings& settings, std::string& text) {
  const Library* library = nullptr;
  if (!open_library(library, false).ok()) {
    text += "  libfabric           cannot be opened here\n";
    return false;
  }
  const uint32_t version = library->version();
  text += "  libfabric           " + std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version)) +
          " (built with " + std::to_string(FI_MAJOR_VERSION) + "." + std::to_string(FI_MINOR_VERSION) + ")\n";
  text += "  providers here      " + providers_here(*library) + "\n";
  Choice choice, sleeping;
  const auto chosen = [&](bool alone, Choice& made) {
    return choose_provider(*library, settings, {.one_host = false, .sleeps = sleeps(settings, alone)}, made).ok();
  };
  if (!chosen(true, choice) || !chosen(false, sleeping)) return false;
  const fi_info& info = *choice.rails.front();
  text += "  conduit ofi         " + choice.provider + " on ";
  for (const Info& rail : choice.rails) text += (&rail == &choice.rails.front() ? "" : ", ") + interface_of(*rail);
  if (sleeping.provider != choice.provider)
    text += "\n                      " + sleeping.provider + " if a host has several ranks, or WEFT_PROGRESS=thread";
  if (is_open_to_strangers(choice.provider))
    text += "\n  safety of ofi       not authenticated: whoever reaches a rank's port may read and write its memory";
  const bool manual = info.domain_attr->data_progress == FI_PROGRESS_MANUAL;
  text += "\n  must the target call Weft for an operation to complete?\n";
  text += std::string("    put, get                       ") + (manual ? "yes" : "no") + "\n";
  text += "    fill, atomics, put with signal yes\n";
  text += "    active messages                yes\n";
  text += "  With WEFT_PROGRESS=thread all but active messages complete without.\n";
  return true;
}

}  // namespace weft::conduit::ofi
