#include "capi/totals.hpp"

#include <cstdio>
#include <cstring>
#include <string>

namespace weft::capi {

using conduit::hook::Counters;

static_assert(sizeof(Counters) % sizeof(uint64_t) == 0, "Counters are 64-bit numbers and nothing else");

Totals::Totals(core::Rank& rank) : rank_(rank) {
  rank.handlers().add_internal(core::Internal::counters, on_counters, this);
}

void Totals::tell(const Counters& counters) {
  const conduit::AmMessage message = {.kind = conduit::AmKind::medium,
                                      .handler = core::number_of(core::Internal::counters),
                                      .payload = &counters,
                                      .size = sizeof counters};
  rank_.progress().wait([&] {
    const core::OnBehalf behalf(WEFT_DETAIL_STATISTICS);
    return rank_.conduit().am_send(0, conduit::AmClass::request, message) != conduit::Result::retry;
  });
  rank_.progress().wait([&] { return taken_; });
}

void Totals::on_counters(void* self, const conduit::AmDelivery& message) {
  auto& totals = *static_cast<Totals*>(self);
  if (message.message_class == conduit::AmClass::reply) {
    totals.taken_ = true;
    return;
  }
  constexpr size_t count = sizeof(Counters) / sizeof(uint64_t);
  uint64_t sums[count], more[count];
  std::memcpy(sums, &totals.sum_, sizeof sums);
  std::memcpy(more, message.payload, sizeof more);
  for (size_t i = 0; i < count; ++i) sums[i] += more[i];
  std::memcpy(&totals.sum_, sums, sizeof sums);
  ++totals.summed_;
  const core::OnBehalf behalf(WEFT_DETAIL_STATISTICS);
  (void)totals.rank_.conduit().am_send(message.source, conduit::AmClass::reply,
                                       {.handler = core::number_of(core::Internal::counters)});
}

void Totals::print() const {
  if (summed_ < 2) return;
  const std::string title = "weft statistics, all " + std::to_string(summed_) + " ranks";
  std::fputs(conduit::hook::statistics_table(title, sum_).c_str(), stderr);
}

}  // namespace weft::capi
