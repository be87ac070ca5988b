! What the example needs of Weft, for Fortran. Functions of weft.h that are inline there have a wrapper in wrappers.c;
! all others can be bound as they are.
module weft
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), parameter :: weft_ok = 0
  interface
    integer(c_int) function weft_init(argc, argv) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: argc, argv
    end function
    integer(c_int) function weft_finalize() bind(c)
      import :: c_int
    end function
    integer(c_int) function weft_barrier() bind(c)
      import :: c_int
    end function
    integer(c_int) function weft_alloc_symmetric(bytes, alignment, offset) bind(c)
      import :: c_int, c_size_t
      integer(c_size_t), value :: bytes, alignment
      integer(c_size_t), intent(out) :: offset
    end function
    type(c_ptr) function weft_pointer(peer, offset) bind(c)
      import :: c_ptr, c_size_t, c_int
      integer(c_int), value :: peer
      integer(c_size_t), value :: offset
    end function
    integer(c_int) function weft_rank() bind(c, name="example_rank")
      import :: c_int
    end function
    integer(c_int) function weft_size() bind(c, name="example_size")
      import :: c_int
    end function
    integer(c_int) function weft_put(peer, offset, source, bytes) bind(c, name="example_put")
      import :: c_int, c_size_t, c_ptr
      integer(c_int), value :: peer
      integer(c_size_t), value :: offset, bytes
      type(c_ptr), value :: source
    end function
  end interface
end module weft
