// All of C11's headers and the POSIX ones programs include most.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <getopt.h>
#include <inttypes.h>
#include <iso646.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <tgmath.h>
#include <threads.h>
#include <time.h>
#include <uchar.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
#if __has_include(<fftw3.h>)
#include <fftw3.h>
#endif
#if __has_include(<mpi.h>)
#include <mpi.h>
#endif

int main(void) {
  float f = 2.0f;
  double complex z = 1.0 + 2.0 * I;
  struct stat st;
  _Static_assert(sizeof(sqrt(f)) == sizeof(float), "tgmath picks the float function");
  assert(INT64_MAX > 0 && UINT64_C(5) == 5);
  printf("%" PRId64 " %g %d\n", (int64_t)1, creal(csqrt(z)), stat("/", &st));
  atomic_int counter = ATOMIC_VAR_INIT(0);
  atomic_fetch_add(&counter, 1);
  errno = 0;
  fd_set set;
  FD_ZERO(&set);
  FD_SET(0, &set);
  if (isnan(sin(f)) || signbit(f) || isinf((double)f) || fpclassify(f) == FP_NAN) return 1;
  return WIFEXITED(st.st_mode) + htons(1) + isalpha('a') != 0 && tolower('A') ? EXIT_SUCCESS : EXIT_FAILURE;
}
