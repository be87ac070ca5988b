/* Trap 13: if threads share a process, every writable private global is thread-local, also those in C headers; never
 * functions or libc objects. (Without --pthreads this must hold trivially.) */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "trap13_header.h"
extern char **environ;
int t13_global = 5;
static int t13_static[3] = {1, 2, 3};
int *t13_pointer = &t13_global;
const int t13_constant[2] = {10, 20};
static int (*t13_function)(void) = t13_from_header;
shared int t13_sum[THREADS];

static int t13_next(void) { static int count; return ++count; }

static void trap13_private_globals(void) {
  t13_global += MYTHREAD;
  t13_static[1] = MYTHREAD;
  t13_in_header = 100 + MYTHREAD;
  for (int i = 0; i <= MYTHREAD; i++) t13_next();
  upc_barrier;
  CHECK_EQUAL(t13_global, 5 + MYTHREAD);
  CHECK_EQUAL(*t13_pointer, 5 + MYTHREAD);
  CHECK_EQUAL(t13_static[1], MYTHREAD);
  CHECK_EQUAL(t13_in_header, 100 + MYTHREAD);
  CHECK_EQUAL(t13_function(), 100 + MYTHREAD);
  CHECK_EQUAL(t13_next(), MYTHREAD + 2);
  CHECK_EQUAL(t13_constant[1], 20);
  CHECK(environ != NULL && stdout != NULL && (errno = 0) == 0 && getenv("PATH") != NULL);
}
