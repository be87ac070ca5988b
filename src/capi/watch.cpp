#include "weft/watch.h"

#include "capi/state.hpp"
#include "weft/version.h"

using namespace weft::capi;

extern "C" {

void weft_trace_begin(const char* name) {
  Thread& thread = enter_anywhere("weft_trace_begin");
  check_pointer("weft_trace_begin", name, "name");
  if (weft::conduit::hook::Trace* trace = thread.rank->trace()) trace->span_begin(name);
}

void weft_trace_end(void) {
  Thread& thread = enter_anywhere("weft_trace_end");
  if (weft::conduit::hook::Trace* trace = thread.rank->trace()) trace->span_end();
}

int weft_counters_read(weft_counters_t* counters) {
  Thread& thread = enter_anywhere("weft_counters_read");
  check_pointer("weft_counters_read", counters, "pointer to the counters");
  *counters = {};
  const weft::conduit::hook::Statistics* statistics = thread.rank->statistics();
  if (statistics == nullptr) return WEFT_OK;
  const weft::conduit::hook::Counters& counted = statistics->counters();
  counters->puts = counted.puts;
  counters->put_bytes = counted.put_bytes;
  counters->gets = counted.gets;
  counters->get_bytes = counted.get_bytes;
  counters->atomics = counted.atomics;
  counters->am_requests = counted.am_requests;
  counters->am_replies = counted.am_replies;
  counters->am_bytes = counted.am_request_bytes + counted.am_reply_bytes;
  counters->barriers = thread.rank->barrier.count();
  return WEFT_OK;
}

const char* weft_version(void) { return WEFT_VERSION_TEXT; }

}  // extern "C"
