#include "coll/line_check.hpp"

#include "coll/scratch.hpp"

namespace weft::coll {

void LineCheck::Record::awaited(uint64_t stamp_at) {
  const uint64_t at = stamp_at - first_;
  awaited_[at / line_bytes * 2 + (at % line_bytes != 0)] = true;
}

LineCheck::Record& LineCheck::begin(const Region& region, uint32_t lines, std::string call) {
  auto record = std::make_unique<Record>();
  record->call_ = std::move(call);
  record->first_ = region.lines;
  record->stamp_ = region.stamp;
  record->awaited_.resize(2 * size_t{lines});
  records_[region.bank].push_back(std::move(record));
  return *records_[region.bank].back();
}

std::string LineCheck::look(uint32_t bank, const std::byte* own_banks) {
  std::string wrong;
  for (const auto& record : std::exchange(records_[bank], {}))
    for (size_t i = 0; i < record->awaited_.size() && wrong.empty(); ++i) {
      const uint64_t stamp_at = record->first_ + i / 2 * line_bytes + i % 2 * line_second_stamp_at;
      if (!record->awaited_[i] && Members::load(own_banks + stamp_at) == record->stamp_)
        wrong = "a call of " + record->call_ + " ended without waiting for " +
                (i % 2 != 0 ? "the answer on line " : "line ") + std::to_string(i / 2) + ", which a member sent to it";
    }
  return wrong;
}

}  // namespace weft::coll
