/* Messages without a copy: the payload is written where it travels from.
 *
 * weft_am_prepare_medium gives room in the message, the program fills it, weft_am_commit sends it. Each rank sends the
 * words of its text to rank 0, as many as fit into one message, and rank 0 counts them.
 *   weftrun -n 3 build/bin/example-negotiated */
#include <stdio.h>
#include <string.h>
#include <weft/weft.h>

static const char* const words[] = {"one", "sided", "communication", "and", "overlap", "win"};
enum { word_count = sizeof words / sizeof *words };

static uint64_t received, letters, finished; /* on rank 0 */

/* Words end with a zero each; the argument says how many there are. */
static void on_words(const weft_am_t* message) {
  received += message->args[0];
  letters += message->size - message->args[0];
  ++finished;
}

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  weft_am_id_t id;
  const weft_am_entry_t handlers[] = {{"words", on_words, &id, WEFT_AM_ANY}};
  weft_am_register(handlers, 1);

  weft_am_buffer_t buffer;
  if (weft_am_prepare_medium(0, 256, 0, &buffer) != WEFT_OK) return 1;
  /* No other call of Weft from here to the commit. */
  size_t used = 0;
  uint64_t count = 0;
  for (; count < word_count && used + strlen(words[count]) + 1 <= buffer.capacity; ++count) {
    strcpy((char*)buffer.data + used, words[count]);
    used += strlen(words[count]) + 1;
  }
  weft_am_commit(&buffer, used, id, &count, 1); /* less than what was prepared is fine */

  if (weft_rank() == 0) {
    while (finished < weft_size()) weft_poll();
    printf("%llu words of %llu letters from each of %u ranks\n", (unsigned long long)(received / weft_size()),
           (unsigned long long)(letters / weft_size()), weft_size());
  }
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
