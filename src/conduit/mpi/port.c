/* The MPI side of port.h; compiled once per MPI library. */
#include "conduit/mpi/port.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm communicator = MPI_COMM_NULL;
static MPI_Request* requests = NULL;
static int ours_to_finalize = 0;

static void library(char* text, size_t size) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  if (MPI_Get_library_version(version, &length) != MPI_SUCCESS) length = 0;
  version[length] = '\0';
  snprintf(text, size, "%.*s", (int)strcspn(version, "\n"), version);
}

static void error_text(int error, char* text, size_t size) {
  char message[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(error, message, &length) != MPI_SUCCESS) length = 0;
  snprintf(text, size, "%.*s", length, message);
}

/* Only after weft_finalize: MPI may share the launcher's connection with Weft, and must be the last to use it. */
static void finalize_mpi(void) {
  int ended = 0;
  MPI_Finalized(&ended);
  if (!ended && communicator == MPI_COMM_NULL) MPI_Finalize();
}

static int start(int threads, int slots, int* rank, int* size, int* threads_ok) {
  int begun = 0;
  int provided = MPI_THREAD_SINGLE;
  int error = MPI_Initialized(&begun);
  if (error == MPI_SUCCESS && !begun) {
    error = MPI_Init_thread(NULL, NULL, threads ? MPI_THREAD_SERIALIZED : MPI_THREAD_SINGLE, &provided);
    if (error == MPI_SUCCESS && !ours_to_finalize) {
      ours_to_finalize = 1;
      atexit(finalize_mpi);
    }
  }
  if (error == MPI_SUCCESS) error = MPI_Query_thread(&provided);
  *threads_ok = !threads || provided >= MPI_THREAD_SERIALIZED;
  if (error == MPI_SUCCESS) error = MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  if (error == MPI_SUCCESS) error = MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  if (error == MPI_SUCCESS) error = MPI_Comm_rank(communicator, rank);
  if (error == MPI_SUCCESS) error = MPI_Comm_size(communicator, size);
  if (error != MPI_SUCCESS) return error;
  requests = malloc((size_t)slots * sizeof(MPI_Request));
  if (!requests) return MPI_ERR_NO_MEM;
  for (int slot = 0; slot < slots; ++slot) requests[slot] = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

/* MPI hands a function no context of its own, so there is one function for each reduction that may be under way. */
static struct {
  weft_mpi_fold fold;
  const void* context;
  size_t element;
  MPI_Op operation;
  MPI_Datatype type;
  int in_use; /* operation and type are there */
} folds[WEFT_MPI_PORT_FOLDS];

/* in: the operand of lower ranks; inout: that of higher ones, and the result. */
#define FOLD(n)                                                                          \
  static void fold_##n(void* in, void* inout, int* count, MPI_Datatype* type) {          \
    (void)type;                                                                          \
    folds[n].fold(folds[n].context, inout, in, inout, (size_t)*count* folds[n].element); \
  }
FOLD(0)
FOLD(1)
FOLD(2)
FOLD(3)
FOLD(4)
FOLD(5)
FOLD(6)
FOLD(7)
static MPI_User_function* const functions[WEFT_MPI_PORT_FOLDS] = {fold_0, fold_1, fold_2, fold_3,
                                                                  fold_4, fold_5, fold_6, fold_7};

/* Whether all uses of a type and an operation are over MPI does not say, so they are kept until the next ones. */
static int forget_fold(int number) {
  if (!folds[number].in_use) return MPI_SUCCESS;
  folds[number].in_use = 0;
  const int error = MPI_Op_free(&folds[number].operation);
  return error == MPI_SUCCESS ? MPI_Type_free(&folds[number].type) : error;
}

static int stop(void) {
  free(requests);
  requests = NULL;
  for (int number = 0; number < WEFT_MPI_PORT_FOLDS; ++number) {
    const int error = forget_fold(number);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_Comm_free(&communicator);
}

static int send(int slot, int synchronous, int peer, int tag, const void* buffer, size_t size) {
  if (synchronous) return MPI_Issend(buffer, (int)size, MPI_BYTE, peer, tag, communicator, &requests[slot]);
  return MPI_Isend(buffer, (int)size, MPI_BYTE, peer, tag, communicator, &requests[slot]);
}

static int receive(int slot, int tag, void* buffer, size_t size) {
  return MPI_Irecv(buffer, (int)size, MPI_BYTE, MPI_ANY_SOURCE, tag, communicator, &requests[slot]);
}

static int test(int slot, int* done, int* source, size_t* size) {
  MPI_Status status;
  int count = 0;
  int error = MPI_Test(&requests[slot], done, &status);
  if (error != MPI_SUCCESS || !*done || !source) return error;
  *source = status.MPI_SOURCE;
  error = MPI_Get_count(&status, MPI_BYTE, &count);
  *size = (size_t)count;
  return error;
}

static int cancel(int slot) {
  if (requests[slot] == MPI_REQUEST_NULL) return MPI_SUCCESS;
  const int error = MPI_Cancel(&requests[slot]);
  return error == MPI_SUCCESS ? MPI_Wait(&requests[slot], MPI_STATUS_IGNORE) : error;
}

static int barrier(int slot) { return MPI_Ibarrier(communicator, &requests[slot]); }

static int broadcast(int slot, void* buffer, size_t size, int root) {
  return MPI_Ibcast(buffer, (int)size, MPI_BYTE, root, communicator, &requests[slot]);
}

static int gather_all(int slot, void* destination, const void* source, size_t size) {
  int rank = 0;
  int error = MPI_Comm_rank(communicator, &rank);
  if (error != MPI_SUCCESS) return error;
  if (source == (char*)destination + (size_t)rank * size) source = MPI_IN_PLACE;
  return MPI_Iallgather(source, (int)size, MPI_BYTE, destination, (int)size, MPI_BYTE, communicator, &requests[slot]);
}

static int exchange(int slot, void* destination, const void* source, size_t size) {
  return MPI_Ialltoall(source, (int)size, MPI_BYTE, destination, (int)size, MPI_BYTE, communicator, &requests[slot]);
}

static int reduce_all(int slot, int number, void* destination, const void* source, size_t size, size_t element,
                      int commutative, weft_mpi_fold fold, const void* context) {
  int error = forget_fold(number);
  folds[number].fold = fold;
  folds[number].context = context;
  folds[number].element = element;
  if (error == MPI_SUCCESS) error = MPI_Type_contiguous((int)element, MPI_BYTE, &folds[number].type);
  if (error == MPI_SUCCESS) error = MPI_Type_commit(&folds[number].type);
  if (error == MPI_SUCCESS) error = MPI_Op_create(functions[number], commutative, &folds[number].operation);
  if (error != MPI_SUCCESS) return error;
  folds[number].in_use = 1;
  return MPI_Iallreduce(source == destination ? MPI_IN_PLACE : source, destination, (int)(size / element),
                        folds[number].type, folds[number].operation, communicator, &requests[slot]);
}

__attribute__((visibility("default"))) const struct weft_mpi_port* weft_mpi_get_port(void) {
  static const struct weft_mpi_port port = {WEFT_MPI_PORT_VERSION,
                                            library,
                                            error_text,
                                            start,
                                            stop,
                                            send,
                                            receive,
                                            test,
                                            cancel,
                                            barrier,
                                            broadcast,
                                            gather_all,
                                            exchange,
                                            reduce_all};
  return &port;
}
