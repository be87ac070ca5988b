/**
 * @file
 * Active messages: run a named handler on another rank.
 *
 * | message | carries |
 * |---------|---------|
 * | short   | up to WEFT_AM_ARGS 64-bit arguments |
 * | medium  | also a payload, which the handler finds in a buffer of the runtime |
 * | long    | also a payload, which is written to an offset in the target's segment before the handler runs |
 *
 * A request's handler may send one reply to the request's source. A reply's handler sends nothing.
 *
 * **What a handler may do**: read its message, compute briefly, access memory, use C atomics, send its one reply. It
 * may not wait, poll, put, get, enter a barrier or send requests. It records what is to be done, and returns. With
 * WEFT_CHECK=1 a handler that breaks this rule ends the job with a line that names it. Handlers run inside weft_poll()
 * and inside the functions that wait, one at a time per rank, on the thread that polls.
 *
 * **State of a handler.** A handler gets no context pointer. It runs on a thread of its rank, and reaches the program's
 * state through a global variable or, where ranks are threads of one process, through a thread_local one.
 *
 * - With WEFT_THREAD_MULTIPLE several threads of a rank may poll and run handlers. Handlers never run at the same time,
 *   and each sees what the one before it wrote. But the program's other threads run meanwhile. So state that only
 *   handlers touch may be plain variables. State that a thread reads while another thread may poll must be C11 atomics
 *   (C++: std::atomic), or be guarded by a lock that no thread holds while it calls Weft.
 * - In the other thread modes handlers run only inside calls of the one thread that is in Weft. So that thread and its
 *   handlers may share plain variables. A loop that polls until a handler has changed a variable needs no volatile:
 *   the compiler cannot see into weft_poll().
 * - A request that wants an answer sends the address of what waits for the answer as an argument. The reply brings the
 *   address back (examples/c/replies.c).
 *
 * **Order.** Messages of one kind (request or reply) that a thread sends to a rank arrive in the order in which they
 * were sent. No other order is guaranteed.
 *
 * **Completion.** A send returns when the payload's memory may be reused. While the target's queue is full a request
 * waits and makes progress. With WEFT_IMMEDIATE it returns WEFT_RETRY instead. Replies never wait.
 *
 * **Misuse** ends the job with a line: too many arguments, too large a payload, a peer or place that does not exist, a
 * NULL buffer or request, a NULL payload of more than 0 bytes.
 *
 * Source: von Eicken et al. 1992; GASNet-EX's active messages, negotiated payload included.
 */
#ifndef WEFT_AM_H
#define WEFT_AM_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Handlers
 * @{ */

/** Limits of active messages. */
enum {
  WEFT_AM_ARGS = 8,      /**< arguments of a message */
  WEFT_AM_HANDLERS = 256 /**< handlers of a job */
};

/** What a handler is given. Valid until it returns; `payload` of a medium message is aligned to 16 bytes. */
typedef struct weft_am {
  weft_rank_t source;   /**< who sent it */
  uint32_t arg_count;   /**< how many arguments */
  const uint64_t* args; /**< arg_count of them */
  void* payload;        /**< medium: the runtime's buffer; long: in this rank's segment; short: NULL */
  size_t size;          /**< of the payload, in bytes */
  const void* token;    /**< for the runtime: lets a request be replied to */
} weft_am_t;

/** A handler. */
typedef void (*weft_am_handler_t)(const weft_am_t* message);
/** The number of a handler, which messages are sent to. */
typedef uint8_t weft_am_id_t;

/** A handler to register. */
typedef struct weft_am_entry {
  const char* name;          /**< unique within the job; the same on all ranks */
  weft_am_handler_t handler; /**< what to run */
  weft_am_id_t* id;          /**< set to the number to send to; may be NULL if `index` is given */
  int index;                 /**< 0 to WEFT_AM_HANDLERS - 1 to choose the number, or WEFT_AM_ANY */
} weft_am_entry_t;
/** As `index` of an entry: any number. */
enum { WEFT_AM_ANY = -1 };

/** Registers handlers. Collective; may be called several times.
 *
 * All ranks pass the same names and indices in the same order; a difference ends the job with a line that names it.
 * Returns when all ranks have them, so messages may follow at once.
 * @param entries  the handlers
 * @param count    how many
 * @return WEFT_OK, or WEFT_ERR_INVALID: an index or name is taken, or there are too many
 * @since 0.1 */
int weft_am_register(const weft_am_entry_t* entries, size_t count);

/** Largest payload of a medium message on this conduit. Handlers may call it.
 * @return bytes, at least 4096
 * @since 0.1 */
size_t weft_am_max_medium(void);
/** Largest payload of a long reply on this conduit. The payload of a long request has no limit. Handlers may call it.
 * @return bytes, at least weft_am_max_medium()
 * @since 0.1 */
size_t weft_am_max_reply_long(void);

/** @} */

/** @name Requests
 * @{ */

/** Sends a request with arguments only.
 * @param peer       who is to run the handler
 * @param id         the handler
 * @param args       the arguments; may be NULL if there are none
 * @param arg_count  how many, at most WEFT_AM_ARGS
 * @param flags      WEFT_IMMEDIATE, or 0
 * @return WEFT_OK; WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was sent
 * @since 0.1 */
int weft_am_request_short(weft_rank_t peer, weft_am_id_t id, const uint64_t* args, uint32_t arg_count, unsigned flags);
/** Sends a request with a payload that the handler finds in a buffer of the runtime.
 * @copydetails weft_am_request_short
 * @param payload    what to send; may be reused when the call returns
 * @param size       bytes, at most weft_am_max_medium() */
int weft_am_request_medium(weft_rank_t peer, weft_am_id_t id, const void* payload, size_t size, const uint64_t* args,
                           uint32_t arg_count, unsigned flags);
/** Sends a request with a payload that is in place in the peer's segment before the handler runs.
 * @copydetails weft_am_request_short
 * @param offset     where in the peer's segment
 * @param payload    what to send; may be reused when the call returns
 * @param size       bytes, any number */
int weft_am_request_long(weft_rank_t peer, weft_am_id_t id, size_t offset, const void* payload, size_t size,
                         const uint64_t* args, uint32_t arg_count, unsigned flags);

/** @} */

/** @name Replies
 * Inside the handler of a request, at most one per request.
 * @{ */

/** Replies with arguments only.
 * @param request    what the handler was given
 * @param id         the handler that the sender of the request is to run
 * @param args       the arguments; may be NULL if there are none
 * @param arg_count  how many, at most WEFT_AM_ARGS
 * @return WEFT_OK
 * @since 0.1 */
int weft_am_reply_short(const weft_am_t* request, weft_am_id_t id, const uint64_t* args, uint32_t arg_count);
/** Replies with a payload that the handler finds in a buffer of the runtime.
 * @copydetails weft_am_reply_short
 * @param payload    what to send; may be reused when the call returns
 * @param size       bytes, at most weft_am_max_medium() */
int weft_am_reply_medium(const weft_am_t* request, weft_am_id_t id, const void* payload, size_t size,
                         const uint64_t* args, uint32_t arg_count);
/** Replies with a payload that is in place in the requester's segment before the handler runs.
 * @copydetails weft_am_reply_short
 * @param offset     where in the requester's segment
 * @param payload    what to send; may be reused when the call returns
 * @param size       bytes, at most weft_am_max_reply_long() */
int weft_am_reply_long(const weft_am_t* request, weft_am_id_t id, size_t offset, const void* payload, size_t size,
                       const uint64_t* args, uint32_t arg_count);

/** @} */

/** @name Negotiated payload: prepare, fill, commit
 * No copy is made where the memory is mapped.
 * @{ */

/** A medium or long message being written. Between prepare and commit (or cancel) the calling thread makes no other
 * Weft call. */
typedef struct weft_am_buffer {
  void* data;        /**< where to write the payload */
  size_t capacity;   /**< what was asked for */
  weft_rank_t peer;  /**< of the runtime */
  int kind;          /**< of the runtime */
  size_t offset;     /**< of the runtime */
  const void* token; /**< of the runtime */
} weft_am_buffer_t;

/** Reserves room for a medium request's payload.
 * @param peer         who is to run the handler
 * @param capacity     bytes at most, up to weft_am_max_medium()
 * @param flags        WEFT_IMMEDIATE, or 0
 * @param[out] buffer  where to write the payload
 * @return WEFT_OK; WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was reserved
 * @since 0.1 */
int weft_am_prepare_medium(weft_rank_t peer, size_t capacity, unsigned flags, weft_am_buffer_t* buffer);
/** Reserves room for a long request's payload.
 * @param peer         who is to run the handler
 * @param offset       where in its segment the payload is to be
 * @param capacity     bytes at most
 * @param flags        WEFT_IMMEDIATE, or 0
 * @param[out] buffer  where to write the payload
 * @return WEFT_OK; WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was reserved; WEFT_ERR_NO_MEMORY if the peer's
 *         memory is not mapped and the host has no room for the payload
 * @since 0.1 */
int weft_am_prepare_long(weft_rank_t peer, size_t offset, size_t capacity, unsigned flags, weft_am_buffer_t* buffer);
/** Reserves room for a medium reply's payload. Inside the handler of a request; it is the request's one reply.
 * @param request      what the handler was given
 * @param capacity     bytes at most, up to weft_am_max_medium()
 * @param[out] buffer  where to write the payload
 * @return WEFT_OK
 * @since 0.1 */
int weft_am_prepare_reply_medium(const weft_am_t* request, size_t capacity, weft_am_buffer_t* buffer);
/** Sends a prepared message. It is committed or cancelled once, before weft_finalize().
 * @param buffer     as it was prepared
 * @param size       bytes written, from the beginning; at most the capacity
 * @param id         the handler
 * @param args       the arguments; may be NULL if there are none
 * @param arg_count  how many, at most WEFT_AM_ARGS
 * @return WEFT_OK
 * @since 0.1 */
int weft_am_commit(weft_am_buffer_t* buffer, size_t size, weft_am_id_t id, const uint64_t* args, uint32_t arg_count);
/** Gives the room of a prepared message back; nothing is sent. A request whose reply was cancelled can still be
 * answered.
 * @param buffer  as it was prepared
 * @return WEFT_OK
 * @since 0.1 */
int weft_am_cancel(weft_am_buffer_t* buffer);

/** @} */

#ifdef __cplusplus
}
#endif
#endif
