/* Work sharing: ranks draw task numbers from one counter until none is left, then rank 0 collects the results with
 * active messages.
 *   weftrun -n 4 build/bin/example-counter */
#include <stdio.h>
#include <weft/weft.h>

enum { tasks = 1000 };

static uint64_t total; /* on rank 0 */
static uint64_t reports;

/* Runs on rank 0: a handler only records. */
static void on_report(const weft_am_t* message) {
  total += message->args[0];
  ++reports;
}

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  weft_am_id_t report;
  const weft_am_entry_t handlers[] = {{"report", on_report, &report, WEFT_AM_ANY}};
  weft_am_register(handlers, 1);
  size_t counter;
  weft_alloc_symmetric(sizeof(uint64_t), 0, &counter);
  weft_atomic_domain_t* domain;
  weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_BIT(WEFT_ATOMIC_ADD), &domain);

  uint64_t mine = 0;
  for (;;) {
    const uint64_t task = weft_atomic_fetch_add64(domain, 0, counter, 1);
    if (task >= tasks) break;
    mine += task * task;
  }
  weft_am_request_short(0, report, &mine, 1, 0);
  if (weft_rank() == 0) {
    while (reports < weft_size()) weft_poll();
    printf("sum of squares below %d: %llu\n", tasks, (unsigned long long)total);
  }
  weft_barrier();
  weft_atomic_domain_destroy(domain);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
