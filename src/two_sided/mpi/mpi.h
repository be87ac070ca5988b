/* The part of MPI that this project's MPI programs use, on the simulated network of a job of weftrun --sim
 * (two_sided/model.hpp). A program that is compiled with this header, linked with weft-sim-mpi and -rdynamic, runs
 * unchanged: MPI_Init begins the simulation. Collectives are made of messages as MPI libraries make them.
 *
 * What is not here: types with gaps (but a resized one as the receive type of MPI_Alltoall, one element to each rank),
 * error codes (mistakes end the job), MPI_THREAD_MULTIPLE, windows, and files. */
#ifndef WEFT_SIM_MPI_H
#define WEFT_SIM_MPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_SIM_MPI 1

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Op;
typedef int MPI_Info;
typedef ptrdiff_t MPI_Aint;
typedef struct weft_sim_mpi_request* MPI_Request;
typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  size_t weft_bytes;
} MPI_Status;

enum { MPI_SUCCESS = 0, MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -1, MPI_UNDEFINED = -32766, MPI_COMM_TYPE_SHARED = 1 };
enum { MPI_COMM_NULL = 0, MPI_COMM_WORLD = 1 };
enum { MPI_INFO_NULL = 0 };
enum { MPI_DATATYPE_NULL = 0, MPI_BYTE, MPI_INT, MPI_UINT64_T, MPI_DOUBLE, MPI_C_DOUBLE_COMPLEX };
enum { MPI_SUM = 1, MPI_MAX };
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_IN_PLACE ((void*)-1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)

int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int code);
double MPI_Wtime(void);

int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made);
int MPI_Comm_free(MPI_Comm* comm);

int MPI_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype* made);
int MPI_Type_create_resized(MPI_Datatype of, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* made);
int MPI_Type_commit(MPI_Datatype* type);
int MPI_Type_free(MPI_Datatype* type);

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request);
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request);
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Allreduce(const void* source, void* destination, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Alltoall(const void* source, int source_count, MPI_Datatype source_type, void* destination,
                 int destination_count, MPI_Datatype destination_type, MPI_Comm comm);
int MPI_Ialltoall(const void* source, int source_count, MPI_Datatype source_type, void* destination,
                  int destination_count, MPI_Datatype destination_type, MPI_Comm comm, MPI_Request* request);

#ifdef __cplusplus
}
#endif

#endif
