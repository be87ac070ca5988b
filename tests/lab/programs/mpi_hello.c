/* Sums 1 + 2 + ... over MPI: shows that an MPI library finds its ranks under this launcher. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int mine = rank + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks, sum %d\n", size, sum);
  /* Over UCX, MPICH before 4.2 hangs in MPI_Finalize at times where a connection is not yet complete: ranks wait there
     for each other without progress (pmodels/mpich pull request 6596). These give connections time to complete. */
  for (int i = 0; i < 1000; i++) MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
