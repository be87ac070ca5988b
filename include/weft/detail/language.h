/* What the runtime of a language needs of the library beyond the public interface. Not for programs.
 *
 * All of it is called by a thread of a rank between weft_init() and weft_finalize(), but for what says otherwise. */
#ifndef WEFT_DETAIL_LANGUAGE_H
#define WEFT_DETAIL_LANGUAGE_H

#include <stdbool.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the calling thread's lines on standard error come from "NOUN n" instead of "rank n". At most 20
 * characters. */
void weft_detail_name_rank(const char* noun);

/* From now on the library's own messages about misuse are passed to `words`, which may say in the language's terms what
 * is wrong, and where in the source; true if it named the place. `size`: of the buffer. `with_place`: the place is that
 * of the call under way, else it is not known. For all ranks of the process. */
void weft_detail_word_misuse(bool (*words)(char* line, size_t size, bool with_place));

/* What a rank waits in when a signal ends it, for its line. */
typedef struct weft_detail_wait_t {
  char call[320]; /* the library's name of it at first */
  char note[320]; /* what else is known; empty at first */
} weft_detail_wait_t;

/* From now on `words` may say that in the language's terms. It is called by the thread that waits, outside of the
 * signal handler and while other ranks may do the same; it does not wait long. For all ranks of the process. */
void weft_detail_word_wait(void (*words)(weft_detail_wait_t* wait));

/* Before weft_init(): what a line about too large a segment advises to lower, in place of WEFT_SEGMENT_SIZE, which the
 * language sets itself. The text stays there. For all ranks of the process. */
void weft_detail_name_segment_size(const char* setting);

/* Whether an operation has this handle: it was issued, and not waited for. */
bool weft_detail_handle_is_live(weft_handle_t handle);

/* Logs the line, with a backtrace if that is wanted, and ends the job with this exit code. */
void weft_detail_fail(int code, const char* line) __attribute__((noreturn));

/* Barriers of kinds 1 to WEFT_DETAIL_KINDS. They are weft/barrier.h's, but match only barriers of their own kind: no
 * rank gets past one while another rank is at one of another kind, or in weft_barrier() or weft_finalize(). The wait
 * then returns WEFT_RETRY on a rank that notices, and at least one does; the barrier never ends, so the caller ends the
 * job. */
enum { WEFT_DETAIL_KINDS = 4 };
void weft_detail_barrier_notify(unsigned kind, int32_t value, unsigned flags);
int weft_detail_barrier_wait(int32_t value, unsigned flags);

#ifdef __cplusplus
}
#endif
#endif
