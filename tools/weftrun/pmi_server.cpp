#include "pmi_server.hpp"

#include <utility>

#include "boot/boot.hpp"
#include "common.hpp"
#include "speech.hpp"

namespace weftrun {

using weft::boot::PmiMessage;

namespace {

JobEnd violation(std::string what) { return {JobEnd::Kind::violation, 1, false, std::move(what)}; }

}  // namespace

PmiServer::PmiServer(uint32_t size, std::string name, const std::vector<uint32_t>& per_host)
    : name_(std::move(name)), ranks_(size) {
  // MPICH asks for it: blocks of nodes, each (first node, number of nodes, ranks on each of them).
  std::string mapping = "(vector";
  for (size_t first = 0; first < per_host.size();) {
    size_t next = first;
    while (next < per_host.size() && per_host[next] == per_host[first]) ++next;
    mapping +=
        ",(" + std::to_string(first) + "," + std::to_string(next - first) + "," + std::to_string(per_host[first]) + ")";
    first = next;
  }
  if (per_host.empty()) mapping += ",(0,1," + std::to_string(size) + ")";
  mapping += ")";
  // A mapping that is too long for the protocol is left out: MPICH then finds out by itself.
  if (mapping.size() < weft::boot::pmi_value_max) values_["PMI_process_mapping"] = mapping;
}

std::optional<JobEnd> PmiServer::receive(uint32_t rank, std::string_view bytes) {
  weft::boot::PmiLines& lines = ranks_[rank].lines;
  lines.append(bytes);
  while (const std::optional<std::string> line = lines.next())
    if (std::optional<JobEnd> end = handle(rank, *line)) return end;
  if (lines.overlong()) return violation("sent a line that is too long for PMI-1");
  return std::nullopt;
}

std::vector<PmiServer::Reply> PmiServer::take_replies() { return std::exchange(replies_, {}); }

std::optional<JobEnd> PmiServer::handle(uint32_t rank, const std::string& line) {
  const std::optional<PmiMessage> message = PmiMessage::parse(line);
  if (!message) return violation("sent a line that is not PMI-1");
  if (message->command() == "init") return join(rank, *message);
  if (phase(rank) != Phase::before_init && phase(rank) != Phase::finalized) return handle_member(rank, *message);
  return violation("sent '" + std::string(message->command().substr(0, 40)) + "' " +
                   (phase(rank) == Phase::finalized ? "after finalize" : "before init"));
}

std::optional<JobEnd> PmiServer::handle_member(uint32_t rank, const PmiMessage& message) {
  const std::string_view command = message.command();
  if (ranks_[rank].in_fence && command != "abort") return violation("sent a request while it waits for a reply");
  if (command == "get_maxes") {
    using namespace weft::boot;
    reply(rank, "cmd=maxes kvsname_max=" + std::to_string(pmi_name_max) + " keylen_max=" + std::to_string(pmi_key_max) +
                    " vallen_max=" + std::to_string(pmi_value_max) + " weft_get_all=1");
  } else if (command == "get_my_kvsname") {
    reply(rank, "cmd=my_kvsname kvsname=" + name_);
  } else if (command == "get_appnum") {
    reply(rank, "cmd=appnum appnum=0");
  } else if (command == "get_universe_size") {
    reply(rank, "cmd=universe_size size=" + std::to_string(ranks_.size()));
  } else if (command == "put") {
    put(rank, message);
  } else if (command == "get") {
    get(rank, message);
  } else if (command == "weft_get_all") {
    get_all(rank, message);
  } else if (command == "barrier_in") {
    return enter_fence(rank);
  } else if (command == "finalize") {
    return finalize(rank);
  } else if (command == "abort") {
    const std::optional<int64_t> code = message.number("exitcode", INT32_MIN, INT32_MAX);
    if (!code) return violation("asked to end the job without an exit code");
    return JobEnd{JobEnd::Kind::exit_called, static_cast<int>(*code & 255), message.number("logged", 1, 1) == 1, {}};
  } else {
    return violation("sent the PMI command '" + std::string(command.substr(0, 40)) + "', which " + launcher() +
                     " does not know");
  }
  return std::nullopt;
}

std::optional<JobEnd> PmiServer::join(uint32_t rank, const PmiMessage& message) {
  if (phase(rank) == Phase::finalized) return violation("joined the job again after it had left it");
  // A second init comes from a second library in the same process: MPICH beside Weft.
  if (phase(rank) == Phase::before_init) {
    ranks_[rank].phase = Phase::joined;
    ++joined_;
  }
  const bool spoken = message.number("pmi_version", 1, 1) && message.number("pmi_subversion", 0, 1);
  reply(rank, std::string("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=") + (spoken ? "0" : "-1"));
  return std::nullopt;
}

void PmiServer::put(uint32_t rank, const PmiMessage& message) {
  const std::string_view key = message.find("key").value_or("");
  const std::optional<std::string_view> value = message.find("value");
  if (key.find(weft::boot::init_failed_key) != std::string_view::npos)
    ranks_[rank].phase =
        value == weft::boot::pmi_encode(weft::boot::wrong_settings) ? Phase::wrong_settings : Phase::init_failed;
  if (key.find(weft::boot::reports_key) != std::string_view::npos) ranks_[rank].reports = true;
  pages_.clear();
  const bool fits = value && !key.empty() && key.size() < weft::boot::pmi_key_max &&
                    value->size() < weft::boot::pmi_value_max && message.find("kvsname") == name_;
  if (!fits)
    reply(rank, "cmd=put_result rc=-1 msg=malformed_key_or_value");
  else if (!values_.emplace(key, *value).second)
    reply(rank, "cmd=put_result rc=-1 msg=key_was_put_before");
  else
    reply(rank, "cmd=put_result rc=0 msg=success");
}

void PmiServer::get(uint32_t rank, const PmiMessage& message) {
  const auto found = values_.find(message.find("key").value_or(""));
  if (found == values_.end() || message.find("kvsname") != name_)
    reply(rank, "cmd=get_result rc=-1 msg=key_not_found value=unknown");
  else
    reply(rank, "cmd=get_result rc=0 msg=success value=" + found->second);
}

void PmiServer::get_all(uint32_t rank, const PmiMessage& message) {
  const auto first = message.number("first", 0, static_cast<int64_t>(ranks_.size()) - 1);
  const bool known = first && message.find("kvsname") == name_;
  const std::string key = std::string(message.find("key").value_or("")) + "-";
  const auto from = static_cast<uint32_t>(first.value_or(0));
  auto found = pages_.find({key, from});
  if (known && found == pages_.end())
    if (std::optional<std::string> made = page(key, from))
      found = pages_.emplace(std::pair(key, from), std::move(*made)).first;
  reply(rank, known && found != pages_.end() ? found->second : "cmd=weft_values rc=-1 msg=key_not_found");
}

std::optional<std::string> PmiServer::page(const std::string& key, uint32_t first) const {
  std::string line = "cmd=weft_values rc=0 values=";
  uint32_t next = first;
  for (; next < ranks_.size(); ++next) {
    const auto found = values_.find(key + std::to_string(next));
    if (found == values_.end() || line.size() + 1 + found->second.size() >= weft::boot::pmi_line_max) break;
    if (next > first) line += ",";
    line += found->second;
  }
  if (next == first) return std::nullopt;
  return line;
}

std::optional<JobEnd> PmiServer::enter_fence(uint32_t rank) {
  if (finalized_ > 0)
    return violation(std::string("waits for all ") + rank_nouns() + ", but another has finalized already");
  ranks_[rank].in_fence = true;
  if (++in_fence_ < ranks_.size()) return std::nullopt;
  in_fence_ = 0;
  for (uint32_t each = 0; each < ranks_.size(); ++each) {
    ranks_[each].in_fence = false;
    reply(each, "cmd=barrier_out");
  }
  return std::nullopt;
}

std::optional<JobEnd> PmiServer::finalize(uint32_t rank) {
  if (in_fence_ > 0) return violation(std::string("finalized while others wait for all ") + rank_nouns());
  ranks_[rank].phase = Phase::finalized;
  ++finalized_;
  reply(rank, "cmd=finalize_ack");
  return std::nullopt;
}

}  // namespace weftrun
