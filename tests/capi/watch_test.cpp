// Counters and trace spans: weft/watch.h.
#include "weft/watch.h"

#include <cstdlib>
#include <cstring>

#include "support/ranks.hpp"
#include "weft/barrier.h"
#include "weft/rma.h"
#include "weft/vis.h"

namespace {

using weft_test::next_rank;
using weft_test::SharedBlock;

bool statistics_are_on() {
  const char* text = std::getenv("WEFT_STATS");
  return text != nullptr && std::strcmp(text, "1") == 0;
}

RANK_TEST(Watch, CountersCountWhatThisRankSent) {
  SharedBlock block(4096);
  weft_counters_t before{}, now{};
  ASSERT_EQ(weft_counters_read(&before), WEFT_OK);
  char data[1000] = {};
  for (int i = 0; i < 10; ++i) weft_put(next_rank(), block.offset(), data, sizeof data);
  for (int i = 0; i < 7; ++i) weft_get(data, next_rank(), block.offset(), 100);
  ASSERT_EQ(weft_counters_read(&now), WEFT_OK);
  if (statistics_are_on()) {
    EXPECT_EQ(now.puts - before.puts, 10u);
    EXPECT_EQ(now.put_bytes - before.put_bytes, 10000u);
    EXPECT_EQ(now.gets - before.gets, 7u);
    EXPECT_EQ(now.get_bytes - before.get_bytes, 700u);
  } else {
    EXPECT_EQ(now.puts, 0u);
    EXPECT_EQ(now.gets, 0u);
    EXPECT_EQ(now.barriers, 0u);
  }
}

RANK_TEST(Watch, SpansMayBeOpenedAndClosedAnywhere) {
  weft_trace_begin("outer \"quoted\"");
  weft_trace_begin("inner");
  weft_trace_end();
  weft_barrier();
  weft_trace_end();
  weft_trace_end();  // one too many is ignored
}

}  // namespace
