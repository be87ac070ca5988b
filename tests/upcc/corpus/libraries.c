/* standards: gnu11 gnu99 */
/* Headers of the C library and their macros at work: math, complex, tgmath, threads, time, signals, varargs,
 * sorting. */
#define _GNU_SOURCE
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tgmath.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int total, initialised;
static jmp_buf back;
static volatile sig_atomic_t signals;

static void initialise(void) { initialised++; }
static void handle(int number) { signals += number == SIGUSR1; }
static void *work(void *argument) {
  int *n = argument;
  pthread_once(&once, initialise);
  for (int i = 0; i < 1000; i++) {
    pthread_mutex_lock(&mutex);
    total += *n;
    pthread_mutex_unlock(&mutex);
  }
  return n;
}
static int by_value(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}
static void leap(int depth) {
  if (depth == 0) longjmp(back, 42);
  leap(depth - 1);
}

int main(int argc, char **argv) {
  pthread_t threads[3];
  int add[3] = {1, 2, 3};
  for (int i = 0; i < 3; i++)
    if (pthread_create(&threads[i], NULL, work, &add[i]) != 0) return 1;
  for (int i = 0; i < 3; i++) {
    void *result;
    pthread_join(threads[i], &result);
    assert(result == &add[i]);
  }
  printf("threads %d %d\n", total, initialised);
  float f = 2.0f;
  double complex z = csqrt(-4.0 + 0.0 * I);
  printf("tgmath %zu %zu %zu %.6f\n", sizeof(sqrt(f)), sizeof(pow(2.0, 3.0L)), sizeof(cos(z)), (double)sqrt(f));
  printf("complex %.3f %.3f %.3f\n", creal(z), cimag(z), cabs(z * conj(z)));
  printf("classify %d %d %d %d\n", isnan(NAN), isinf(-INFINITY) != 0, signbit(-0.0f) != 0,
         fpclassify(1e-310) == FP_SUBNORMAL);
  printf("limits %d %ld %g %d\n", INT_MAX, LONG_MIN, (double)FLT_MAX, DBL_MANT_DIG);
  printf("inttypes %" PRId64 " %" PRIxPTR " %ju\n", INT64_C(-5), (uintptr_t)255, (uintmax_t)7);
  int values[] = {5, 3, 9, -1};
  qsort(values, 4, sizeof values[0], by_value);
  printf("sorted %d %d %d %d\n", values[0], values[1], values[2], values[3]);
  const int jumped = setjmp(back);
  if (jumped == 0) leap(5);
  printf("longjmp %d\n", jumped);
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  printf("signals %d\n", (int)signals);
  struct tm time = {.tm_year = 100, .tm_mday = 1};
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%d", &time);
  printf("time %s %s\n", text, isalpha((unsigned char)text[0]) ? "letter" : "digit");
  errno = 0;
  struct stat st;
  printf("errno %d %d\n", stat("/nonexistent", &st), errno == ENOENT);
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status;
  waitpid(child, &status, 0);
  printf("wait %d %d\n", WIFEXITED(status), WEXITSTATUS(status));
  wchar_t wide[8];
  swprintf(wide, 8, L"%d", 12);
  printf("wide %ls %zu\n", wide, wcslen(wide));
  bool flag = 0.5;
  printf("bool %d rounding %d args %d %d\n", flag, fegetround() == FE_TONEAREST, argc, argv[argc] == NULL);
  char *copy = strdupa("on the stack");
  printf("%s %s\n", copy, basename("/a/b"));
  return 0;
}
