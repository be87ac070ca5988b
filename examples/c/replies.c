/* A table whose entries live on all ranks: a request asks the owner, its handler replies.
 *
 * A handler reads its message and replies; it never waits. What belongs to a rank is thread-local, so that the program
 * also works where ranks are threads of one process (weftrun --ranks-as=threads). Many questions are under way at once;
 * the rank waits for the last answer with weft_signal_wait, which runs handlers and leaves the processor to others.
 *   weftrun -n 4 build/bin/example-replies */
#include <stdio.h>
#include <weft/weft.h>

enum { entries = 1000 };

static _Thread_local uint64_t table[entries];   /* key k is entry k / size of rank k % size */
static _Thread_local uint64_t answers[entries]; /* by key */
static _Thread_local uint64_t* answered;        /* how many have come */
static weft_am_id_t id_lookup, id_found;        /* the same on every rank */

/* On the owner. The first argument comes back with the answer: it says where the answer goes. */
static void on_lookup(const weft_am_t* request) {
  const uint64_t answer[] = {request->args[0], table[request->args[1] / weft_size()]};
  weft_am_reply_short(request, id_found, answer, 2);
}

/* Back on the rank that asked. */
static void on_found(const weft_am_t* reply) {
  *(uint64_t*)(uintptr_t)reply->args[0] = reply->args[1];
  ++*answered;
}

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  for (uint64_t e = 0; e < entries; ++e) table[e] = 3 * (e * weft_size() + weft_rank());
  size_t word;
  if (weft_alloc(sizeof *answered, 0, &word) != WEFT_OK) return 1;
  answered = weft_pointer(weft_rank(), word);
  const weft_am_entry_t handlers[] = {{"lookup", on_lookup, &id_lookup, WEFT_AM_ANY},
                                      {"found", on_found, &id_found, WEFT_AM_ANY}};
  weft_am_register(handlers, 2); /* collective: from here on everybody can answer */

  for (uint64_t key = 0; key < entries; ++key) {
    const uint64_t question[] = {(uint64_t)(uintptr_t)&answers[key], key};
    weft_am_request_short((weft_rank_t)(key % weft_size()), id_lookup, question, 2, 0);
  }
  weft_signal_wait(word, WEFT_EQ, entries, NULL);

  uint64_t sum = 0;
  for (uint64_t key = 0; key < entries; ++key) sum += answers[key];
  if (weft_rank() == 0) printf("sum of %d entries: %llu\n", entries, (unsigned long long)sum);
  return weft_finalize() == WEFT_OK ? 0 : 1; /* serves the others until all are here */
}
