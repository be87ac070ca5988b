/* Private data of a thread, also what has no name, in every mode (trap 13). */
#include "../check.h"

struct point { int x, *y; };
int *numbers = (int[]){1, 2, 3};
struct point *point = &(struct point){5, (int[2]){7, 8}};
const int *constant = (const int[]){4, 5};
static int target = 6;
struct point *to_target = &(struct point){9, &target};
int **nested = (int *[]){&target, (int[]){11}};

static void literals(void) {
  numbers[0] += MYTHREAD;
  point->x += MYTHREAD;
  point->y[1] += MYTHREAD;
  *to_target->y += MYTHREAD;
  nested[1][0] += MYTHREAD;
  upc_barrier;
  CHECK(numbers[0] == 1 + MYTHREAD && numbers[2] == 3);
  CHECK(point->x == 5 + MYTHREAD && point->y[0] == 7 && point->y[1] == 8 + MYTHREAD);
  CHECK(to_target->x == 9 && target == 6 + MYTHREAD && nested[0] == &target);
  CHECK(nested[1][0] == 11 + MYTHREAD && constant[1] == 5);
}

/* The texts of the arguments are each thread's own. */
static void arguments(char **argv) {
  char *name = argv[0];
  const char first = name[0];
  upc_barrier;
  if (MYTHREAD == 0) name[0] = '?';
  upc_barrier;
  CHECK(name[0] == (MYTHREAD == 0 ? '?' : first));
  upc_barrier;
}

int main(int argc, char **argv) {
  RUN(literals);
  if (argc > 0) arguments(argv);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
