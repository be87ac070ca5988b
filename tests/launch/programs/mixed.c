/* A program of both Weft and MPI. Argument "mpi-first" or "weft-first": who is initialised first. MPI is finalised last
 * unless a second argument "ends-first" says that MPI is finalised first. Prints one line per rank: its rank and size
 * as MPI and as Weft see them, and whether both can communicate. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <weft/weft.h>

int main(int argc, char** argv) {
  const int mpi_first = argc > 1 && strcmp(argv[1], "mpi-first") == 0;
  if (mpi_first) MPI_Init(&argc, &argv);
  if (weft_init(&argc, &argv) != WEFT_OK) return 99;
  if (!mpi_first) MPI_Init(&argc, &argv);

  int rank = -1;
  int size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  weft_barrier();
  char line[100];
  snprintf(line, sizeof line, "MPI %d of %d, Weft %u of %u, sum %d\n", rank, size, weft_rank(), weft_size(), sum);
  fputs(line, stdout);

  const int mpi_ends_first = argc > 2 && strcmp(argv[2], "ends-first") == 0;
  if (mpi_ends_first) MPI_Finalize();
  if (weft_finalize() != WEFT_OK) return 98;
  if (!mpi_ends_first) MPI_Finalize();
  return 0;
}
