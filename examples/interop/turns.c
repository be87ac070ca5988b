/* MPI and Weft in turns: Weft passes blocks around a ring with puts, MPI checks and sums up, round after round.
 *   weftrun -n 4 build/bin/example-interop-c-mpich          (or mpiexec.mpich)
 *   mpirun -n 4 build/bin/example-interop-c-openmpi */
#include <mpi.h>
#include <stdio.h>
#include <weft/weft.h>

enum { rounds = 10, length = 1000 };

int main(int argc, char** argv) {
  /* Either may be initialised first; Weft is finalised first. */
  MPI_Init(&argc, &argv);
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  int mpi_rank, mpi_size;
  MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &mpi_size);
  if ((weft_rank_t)mpi_rank != weft_rank() || (weft_rank_t)mpi_size != weft_size()) return 2; /* the same ranks */

  size_t block;
  if (weft_alloc_symmetric(length * sizeof(long), 0, &block) != WEFT_OK) return 1;
  const long* mine = weft_pointer(weft_rank(), block);
  const weft_rank_t right = (weft_rank() + 1) % weft_size();
  long total = 0;
  for (long round = 0; round < rounds; ++round) {
    long out[length];
    for (long i = 0; i < length; ++i) out[i] = round * length + i + mpi_rank;
    weft_put(right, block, out, sizeof out);
    weft_barrier(); /* Weft's turn ends: all blocks are in place */

    long sum = 0, all = 0;
    for (long i = 0; i < length; ++i) sum += mine[i];
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    total += all; /* MPI's turn ends: everybody has read his block */
  }
  const long n = (long)rounds * length;
  const long expected = mpi_size * (n * (n - 1) / 2) + n * ((long)mpi_size * (mpi_size - 1) / 2);
  if (mpi_rank == 0) printf("%d ranks in C: total %ld, expected %ld\n", mpi_size, total, expected);
  const int status = weft_finalize();
  MPI_Finalize();
  return status == WEFT_OK && total == expected ? 0 : 3;
}
