! MPI and Weft in turns in Fortran: turns.c once more. Weft passes blocks around a ring, MPI sums them up.
!   mpirun -n 4 build/bin/example-interop-fortran-openmpi
program turns
  use, intrinsic :: iso_c_binding
  use mpi
  use weft
  implicit none
  integer, parameter :: rounds = 10, length = 1000
  integer :: ierror, me, ranks
  integer(c_size_t) :: block
  integer(c_long), target :: out(length)
  integer(c_long), pointer :: mine(:)
  integer(c_long) :: round, i, total, all, sum_here, expected, n
  integer(c_int) :: status, right

  call MPI_Init(ierror)
  if (weft_init(c_null_ptr, c_null_ptr) /= weft_ok) error stop 1
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  if (me /= weft_rank() .or. ranks /= weft_size()) error stop 2

  status = weft_alloc_symmetric(int(length, c_size_t) * c_sizeof(out(1)), 0_c_size_t, block)
  if (status /= weft_ok) error stop 1
  call c_f_pointer(weft_pointer(weft_rank(), block), mine, [length])
  right = modulo(me + 1, ranks)
  total = 0
  do round = 0, rounds - 1
    out = [(round * length + i + me, i = 0, length - 1)]
    status = weft_put(right, block, c_loc(out), int(length, c_size_t) * c_sizeof(out(1)))
    status = weft_barrier()
    sum_here = sum(mine)
    call MPI_Allreduce(sum_here, all, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
    total = total + all
  end do
  n = int(rounds, c_long) * length
  expected = ranks * (n * (n - 1) / 2) + n * (int(ranks, c_long) * (ranks - 1) / 2)
  if (me == 0) print '(i0, a, i0, a, i0)', ranks, ' ranks in Fortran: total ', total, ', expected ', expected
  status = weft_finalize()
  call MPI_Finalize(ierror)
  if (total /= expected) error stop 3
end program turns
