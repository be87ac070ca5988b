# UPC programs under the launchers of MPI, and MPI's objects linked by upcc.
set -x # shown if something fails
command -v mpirun.openmpi mpiexec.mpich mpicc.openmpi mpicc.mpich > /dev/null
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export HWLOC_HIDE_ERRORS=2 UCX_LOG_LEVEL=fatal # where there is no /sys, MPI's parts complain
cat > ring.upc <<'U'
#include <stdio.h>
#include <upc.h>
shared int x[THREADS];
int main(void) {
  x[(MYTHREAD + 1) % THREADS] = MYTHREAD;
  upc_barrier;
  int sum = 0;
  for (int t = 0; t < THREADS; t++) sum += x[t];
  if (MYTHREAD == 0) printf("%d threads, sum %d\n", THREADS, sum);
  return 0;
}
U
"$UPCC" -O2 -o ring ring.upc
test "$(mpirun.openmpi --oversubscribe --bind-to none -n 3 ./ring)" = "3 threads, sum 3"
test "$(mpiexec.mpich -n 3 ./ring)" = "3 threads, sum 3"
"$UPCC" -T 3 -o ring3 ring.upc
test "$(mpirun.openmpi --oversubscribe --bind-to none -n 3 ./ring3)" = "3 threads, sum 3"
# mpiexec may end before it has passed on what the threads said, so only the code counts.
fails mpiexec.mpich -n 2 ./ring3 > out 2>&1

cat > sum.c <<'C'
#include <mpi.h>
int mpi_sum(int value, int *rank) {
  int sum = 0;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum;
}
C
cat > mixed.upc <<'U'
#include <stdio.h>
#include <upc.h>
int mpi_sum(int value, int *rank);
shared int x[THREADS];
int main(void) {
  int rank = -1;
  x[(MYTHREAD + 1) % THREADS] = MYTHREAD + 1;
  upc_barrier;
  int sum = mpi_sum(x[MYTHREAD], &rank);
  upc_barrier;
  if (rank != MYTHREAD) printf("thread %d is rank %d\n", MYTHREAD, rank);
  if (MYTHREAD == 0) printf("%d threads, sum %d\n", THREADS, sum);
  return 0;
}
U
mpicc.openmpi -c sum.c -o sum-openmpi.o
# shellcheck disable=SC2046  # a list of options on purpose
"$UPCC" -o mixed-openmpi mixed.upc sum-openmpi.o $(mpicc.openmpi --showme:link)
test "$(mpirun.openmpi --oversubscribe --bind-to none -n 3 ./mixed-openmpi 2>&1)" = "3 threads, sum 6"
"$LAUNCH" -n 2 ./mixed-openmpi > out 2>&1
case $LAUNCH in
  *upcrun) grep -q "upcrun: warning: ./mixed-openmpi uses Open MPI.*: start it with Open MPI's mpirun -n 2" out;;
esac
mpicc.mpich -c sum.c -o sum-mpich.o
"$UPCC" -o mixed-mpich mixed.upc sum-mpich.o -lmpich
test "$(mpiexec.mpich -n 3 ./mixed-mpich 2>&1)" = "3 threads, sum 6"
test "$("$LAUNCH" -n 3 ./mixed-mpich 2>&1)" = "3 threads, sum 6"
# Headers of both MPIs are accepted in UPC sources.
cat > header.upc <<'X'
#include <mpi.h>
#include <upc.h>
shared int x;
int main(void) { int r = MPI_SUCCESS; x = r; return x; }
X
# shellcheck disable=SC2046  # a list of options on purpose
"$UPCC" -fsyntax-only $(mpicc.openmpi --showme:compile) header.upc
# shellcheck disable=SC2046  # a list of options on purpose
"$UPCC" -fsyntax-only $(pkg-config --cflags mpich) header.upc
