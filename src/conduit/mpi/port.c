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
  requests = malloc((size_t)slots * sizeof *requests);
  if (!requests) return MPI_ERR_NO_MEM;
  for (int slot = 0; slot < slots; ++slot) requests[slot] = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

static int stop(void) {
  free(requests);
  requests = NULL;
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

__attribute__((visibility("default"))) const struct weft_mpi_port* weft_mpi_get_port(void) {
  static const struct weft_mpi_port port = {
      WEFT_MPI_PORT_VERSION, library, error_text, start, stop, send, receive, test, cancel};
  return &port;
}
