/* What the MPI conduit needs of an MPI library: a table of a few functions in plain C.
 *
 * Every MPI has its own headers, constants and handles, so port.c is compiled once per MPI, into a plugin
 * libweft-conduit-mpi-NAME.so, and the conduit opens the one that fits the job. Requests are known by slot numbers that
 * the conduit chooses. One call at a time: the conduit holds a lock where threads are about.
 */
#ifndef WEFT_CONDUIT_MPI_PORT_H
#define WEFT_CONDUIT_MPI_PORT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counted up whenever the table changes. */
#define WEFT_MPI_PORT_VERSION 2
/* Reductions under way at once. */
#define WEFT_MPI_PORT_FOLDS 8
#define WEFT_MPI_PORT_SYMBOL "weft_mpi_get_port"

/* result = left op right over so many bytes; result may be left or right. */
typedef void (*weft_mpi_fold)(const void* context, void* result, const void* left, const void* right, size_t bytes);

/* Functions that can fail return 0, or an MPI error code for error_text(). */
struct weft_mpi_port {
  int version;
  /* The library's own name and version, one line. */
  void (*library)(char* text, size_t size);
  void (*error_text)(int error, char* text, size_t size);

  /* Initialises MPI unless the program has, and makes a communicator of all ranks that nobody else uses. `threads`:
     calls may come from several threads, one at a time. *threads_ok is 0 if MPI does not allow that. `slots`: how many
     there will be. */
  int (*start)(int threads, int slots, int* rank, int* size, int* threads_ok);
  /* Frees the communicator. If start() initialised MPI, it is finalised when the process exits. */
  int (*stop)(void);

  /* Starts sending from a buffer that stays as it is until done(). `synchronous`: done only when the receiver has begun
     to take it. */
  int (*send)(int slot, int synchronous, int peer, int tag, const void* buffer, size_t size);
  /* Starts receiving from any rank. */
  int (*receive)(int slot, int tag, void* buffer, size_t size);
  /* Sets *done to 1 if the slot's request is complete, and for a receive who sent how much. Drives MPI's progress. */
  int (*test)(int slot, int* done, int* source, size_t* size);
  /* Ends a receive that nobody will answer. */
  int (*cancel)(int slot);

  /* Start MPI's own collectives; sizes are at most INT_MAX. The source of gather_all and reduce_all may be its place in
     the destination. `fold`, `context`: used until the slot's request is complete, by at most WEFT_MPI_PORT_FOLDS
     requests at once, each with a number below that of its own. */
  int (*barrier)(int slot);
  int (*broadcast)(int slot, void* buffer, size_t size, int root);
  int (*gather_all)(int slot, void* destination, const void* source, size_t size);
  int (*exchange)(int slot, void* destination, const void* source, size_t size);
  int (*reduce_all)(int slot, int number, void* destination, const void* source, size_t size, size_t element,
                    int commutative, weft_mpi_fold fold, const void* context);
};

/* The plugin's one visible function. */
const struct weft_mpi_port* weft_mpi_get_port(void);

#ifdef __cplusplus
}
#endif

#endif
