#include "core/am_registry.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/log.hpp"
#include "weft/detail/context.h"

namespace weft::core {

AmRegistry::AmRegistry() { add_internal(Internal::table_entry, on_table_entry, this); }

void AmRegistry::add_internal(Internal number, InternalHandler handler, void* self) {
  internals_[static_cast<size_t>(number) - WEFT_AM_HANDLERS] = {handler, self};
}

void AmRegistry::add_setter(Internal number, InternalHandler handler, std::byte* segment) {
  internals_[static_cast<size_t>(number) - WEFT_AM_HANDLERS] = {handler, segment, true};
}

const std::byte* AmRegistry::only_sets(const conduit::AmDelivery& message) const {
  if (message.handler < WEFT_AM_HANDLERS) return nullptr;
  const InternalEntry& entry = internals_[message.handler - WEFT_AM_HANDLERS];
  return entry.is_setter ? static_cast<const std::byte*>(entry.self) + message.args[0] : nullptr;
}

void AmRegistry::deliver(const conduit::AmDelivery& message) {
  if (message.handler >= WEFT_AM_HANDLERS) {
    const InternalEntry& entry = internals_[message.handler - WEFT_AM_HANDLERS];
    entry.handler(entry.self, message);
    return;
  }
  if (users_.empty() || users_[message.handler].handler == nullptr) refuse(message);
  const UserHandler& user = users_[message.handler];
  const weft_am_t view = {message.source, message.arg_count, message.args, message.payload, message.size, &message};
  // The thread is known to Weft: it got here through a call of the public interface.
  weft_detail_context_t& context = *weft_detail_current;
  const char* const interrupted = context.call;
  context.handler = user.name.c_str();
  user.handler(&view);
  context.handler = nullptr;
  context.call = interrupted;
}

// The program broke a rule of the interface, as in capi::misuse().
void AmRegistry::refuse(const conduit::AmDelivery& message) {
  char line[128];
  std::snprintf(line, sizeof line,
                "an active message for handler %u came from rank %u, but no such handler is registered",
                message.handler, message.source);
  base::log_error("%s", line);
  std::fflush(nullptr);
  boot_->abort(1, line);
  __builtin_unreachable();
}

Status AmRegistry::assign_one(const weft_am_entry_t& entry, std::vector<int>& indices) {
  if (entry.name == nullptr || entry.handler == nullptr) {
    base::log_error("active-message handler %zu of the table has no %s", indices.size(),
                    entry.name ? "function" : "name");
    return WEFT_ERR_INVALID;
  }
  auto same_name = std::ranges::find(users_, entry.name, &UserHandler::name);
  if (same_name != users_.end()) {
    base::log_error("an active-message handler named '%s' is registered already", entry.name);
    return WEFT_ERR_INVALID;
  }
  int index = entry.index;
  if (index == WEFT_AM_ANY) {
    auto free = std::ranges::find(users_, nullptr, &UserHandler::handler);
    index = static_cast<int>(free - users_.begin());
  }
  if (index < 0 || index >= WEFT_AM_HANDLERS || users_[static_cast<size_t>(index)].handler != nullptr) {
    base::log_error("active-message handler '%s' cannot have index %d: it is %s", entry.name, entry.index,
                    entry.index == WEFT_AM_ANY ? "one too many" : "taken or outside 0 to 255");
    return WEFT_ERR_INVALID;
  }
  users_[static_cast<size_t>(index)] = {entry.handler, entry.name};
  indices.push_back(index);
  return {};
}

Status AmRegistry::add(const weft_am_entry_t* entries, size_t count) {
  // All of it at once: another thread may deliver messages for handlers that are there already.
  if (users_.empty()) users_.resize(WEFT_AM_HANDLERS);
  std::vector<int> indices;
  for (size_t i = 0; i < count; ++i) {
    Status status = assign_one(entries[i], indices);
    if (status.ok()) continue;
    // Nothing of a refused table stays.
    for (int index : indices) users_[static_cast<size_t>(index)] = {};
    return status;
  }
  for (size_t i = 0; i < count; ++i)
    if (entries[i].id) *entries[i].id = static_cast<weft_am_id_t>(indices[i]);
  added_ = std::move(indices);
  ++round_;
  return {};
}

void AmRegistry::on_table_entry(void* self, const conduit::AmDelivery& message) {
  auto& registry = *static_cast<AmRegistry*>(self);
  registry.arrived_.push_back({message.args[0], message.args[1], message.args[2], static_cast<int>(message.args[3]),
                               std::string(static_cast<const char*>(message.payload), message.size)});
}

// Each rank compares its table with that of the rank before it; if all such pairs agree, all ranks do.
Status AmRegistry::compare(const weft_am_entry_t* entries, size_t count, conduit::Conduit& conduit, Progress& progress,
                           const std::function<void()>& look) {
  const std::vector<int>& indices = added_;
  const conduit::RankId next = (conduit.rank() + 1) % conduit.size();
  const conduit::RankId before = (conduit.rank() + conduit.size() - 1) % conduit.size();
  // An empty table is sent as one entry without a name, so that the neighbour learns of it.
  for (size_t i = 0; i < std::max<size_t>(count, 1); ++i) {
    const uint64_t args[] = {round_, i, count, i < count ? static_cast<uint64_t>(indices[i]) : 0};
    const char* name = i < count ? entries[i].name : "";
    const conduit::AmMessage message = {.kind = conduit::AmKind::medium,
                                        .handler = number_of(Internal::table_entry),
                                        .arg_count = 4,
                                        .args = args,
                                        .payload = name,
                                        .size = std::min(std::strlen(name), conduit.capabilities().max_medium)};
    progress.wait([&] { return conduit.am_send(next, conduit::AmClass::request, message) != conduit::Result::retry; });
  }
  auto arrived = [&](size_t position) {
    return std::ranges::find_if(arrived_,
                                [&](const RemoteEntry& e) { return e.round == round_ && e.position == position; });
  };
  uint32_t looks = 0;
  const auto wait_for = [&](size_t position) {
    progress.wait([&] {
      if (++looks % 256 == 0) look();
      return arrived(position) != arrived_.end();
    });
  };
  wait_for(0);
  const size_t theirs = arrived(0)->total;
  if (theirs != count) {
    base::log_error(
        "active-message handler tables differ: %zu handlers are registered here and %zu on rank %u; "
        "register the same handlers in the same order on every rank",
        count, theirs, before);
    return WEFT_ERR_MISMATCH;
  }
  for (size_t i = 0; i < count; ++i) {
    wait_for(i);
    auto entry = arrived(i);
    if (entry->index == indices[i] && entry->name == entries[i].name) continue;
    base::log_error(
        "active-message handler tables differ: entry %zu is '%s' (index %d) here and '%s' (index %d) on "
        "rank %u; register the same handlers in the same order on every rank",
        i, entries[i].name, indices[i], entry->name.c_str(), entry->index, before);
    return WEFT_ERR_MISMATCH;
  }
  std::erase_if(arrived_, [&](const RemoteEntry& entry) { return entry.round == round_; });
  return {};
}

}  // namespace weft::core
