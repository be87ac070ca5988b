#include "coll/line_check.hpp"

#include "coll/scratch.hpp"

namespace weft::coll {

void LineCheck::Record::awaited(uint64_t at) { awaited_[(at - first_) / line_bytes] = true; }

LineCheck::Record& LineCheck::begin(const Region& region, uint32_t lines, std::string call) {
  auto record = std::make_unique<Record>();
  record->call_ = std::move(call);
  record->first_ = region.lines;
  record->stamp_ = region.stamp;
  record->awaited_.resize(lines);
  records_[region.bank].push_back(std::move(record));
  return *records_[region.bank].back();
}

std::string LineCheck::look(uint32_t bank, const std::byte* own_banks) {
  std::string wrong;
  for (const auto& record : std::exchange(records_[bank], {}))
    for (size_t line = 0; line < record->awaited_.size() && wrong.empty(); ++line)
      if (!record->awaited_[line] && Members::load(own_banks + record->first_ + line * line_bytes) == record->stamp_)
        wrong = "a call of " + record->call_ + " ended without waiting for line " + std::to_string(line) +
                ", which a member sent to it";
  return wrong;
}

}  // namespace weft::coll
