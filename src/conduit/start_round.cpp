#include "conduit/start_round.hpp"

#include <algorithm>

namespace weft::conduit {
namespace {

constexpr const char* failed_mark = "failed";           // and knows why
constexpr const char* heard_mark = "failed-elsewhere";  // because another has

}  // namespace

Status tell(boot::Boot& boot, const std::string& key, Status status, const std::string& text,
            const base::KeepErrors& errors) {
  const Status told = boot.put(key, status.ok() ? text : errors.any() ? failed_mark : heard_mark);
  const Status fenced = boot.fence();
  if (!status.ok()) return status;
  return told.ok() ? fenced : told;
}

Status hear(boot::Boot& boot, const std::string& key, std::vector<std::string>& texts) {
  const Status status = boot.get_all(key, texts);
  if (!status.ok()) return status;
  const auto failed = [](const std::string& text) { return text == failed_mark || text == heard_mark; };
  return std::ranges::any_of(texts, failed) ? Status(WEFT_ERR_BOOT) : Status();
}

void speak_if_first(boot::Boot& boot, const std::string& key) {
  bool first = true;
  for (RankId rank = 0; rank < boot.rank() && first; ++rank) {
    std::string text;
    if (boot.get(rank, key, text).ok()) first = text != failed_mark;
  }
  base::KeepErrors::end(first);
}

}  // namespace weft::conduit
