/* A call of Weft makes progress: it runs handlers of active messages, which are functions of the program, whatever it
 * is given. */
#include "../check.h"

#include <weft/weft.h>
shared int numbers[64 * THREADS];
static int told;
static void on_tell(const weft_am_t *message) { told = (int)message->args[0]; }

int main(void) {
  upc_forall (int i = 0; i < 64 * THREADS; i++; &numbers[i]) numbers[i] = i;
  weft_am_id_t tell;
  const weft_am_entry_t entry = {"tell", on_tell, &tell, WEFT_AM_ANY};
  weft_am_register(&entry, 1);
  upc_barrier;
  for (uint64_t value = 7; value < 9; value++) {
    weft_am_request_short((weft_rank_t)MYTHREAD, tell, &value, 1, 0);
    long sum = 0;
    for (int i = 0; i < 2000; i++) {
      weft_poll();
      sum += numbers[told] == (int)value;
    }
    CHECK(sum > 0);
  }
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
