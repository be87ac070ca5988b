/* Private data of a thread, also what has no name, in every mode (trap 13). */
#include "../check.h"

struct point { int x, *y; };
int *numbers = (int[]){1, 2, 3};
struct point *point = &(struct point){5, (int[2]){7, 8}};
const int *constant = (const int[]){4, 5};
static int target = 6;
struct point *to_target = &(struct point){9, &target};
int **nested = (int *[]){&target, (int[]){11}};

/* Literals of types that their own declaration defines, or they themselves. */
static struct defined { int a; } *defined = &(struct defined){1}, other = {2};
static union { int i; float f; } *of_typeof = &(__typeof__(*of_typeof)){3};
static enum colour { RED, GREEN } *colour = &(enum colour){GREEN};
static struct outer { struct { int *p; } in; } *outer = &(struct outer){{(int[]){4, 5}}};
static int *in_literal = &(struct only_here { int x, y; }){6, 7}.y;
static int *unnamed = &(struct { struct { int z; } deep; }){{8}}.deep.z;
static struct defined *table[] = {&(struct defined){9}, &other, 0};
static int *either = sizeof(int) > 1 ? (int[]){10} : 0;
static int twice(int x) { return 2 * x; }
static struct with_function { int *p; int (*f)(int), (*const table[2])(int), (*row)[2]; } with_function = {
    &target, twice, {twice}, 0};
static const struct ring { const struct ring *next; int *data; } ring = {&ring, 0};

static void defined_types(void) {
  struct only_here copy = {1, *in_literal};
  defined->a += MYTHREAD;
  of_typeof->i += MYTHREAD;
  *colour = MYTHREAD == 0 ? RED : GREEN;
  outer->in.p[1] += MYTHREAD;
  *in_literal += MYTHREAD;
  *unnamed += MYTHREAD;
  table[0]->a += MYTHREAD;
  table[1]->a += MYTHREAD;
  *either += MYTHREAD;
  upc_barrier;
  CHECK(defined->a == 1 + MYTHREAD && other.a == 2 + MYTHREAD && of_typeof->i == 3 + MYTHREAD);
  CHECK(*colour == (MYTHREAD == 0 ? RED : GREEN) && outer->in.p[0] == 4 && outer->in.p[1] == 5 + MYTHREAD);
  CHECK(copy.y == 7 && *in_literal == 7 + MYTHREAD && *unnamed == 8 + MYTHREAD && *either == 10 + MYTHREAD);
  CHECK(sizeof table == 3 * sizeof *table && table[0]->a == 9 + MYTHREAD && table[1] == &other && table[2] == 0);
  CHECK(with_function.p == &target && with_function.f(with_function.table[0](1)) == 4 && with_function.row == 0);
  CHECK(ring.next->next == &ring && ring.data == 0);
}

static int *of_function(int which) {
  static int first = 20, second = 21;
  static int *both[] = {&first, &second};
  typedef int *pointers[];
  static pointers swapped = {&second, &first};
  static int *const constant = &second;
  static const struct pair { int *a, *b; } pairs[] = {{&first, &second}, {&second, &first}};
  return which < 2 ? both[which] : which == 2 ? constant : which < 5 ? pairs[which % 2].a : swapped[which % 2];
}

static void statics(void) {
  *of_function(0) += MYTHREAD;
  *of_function(2) += MYTHREAD;
  upc_barrier;
  CHECK(*of_function(0) == 20 + MYTHREAD && *of_function(1) == 21 + MYTHREAD);
  CHECK(of_function(1) == of_function(2) && of_function(3) == of_function(1) && of_function(4) == of_function(0));
  CHECK(of_function(5) == of_function(0) && of_function(6) == of_function(1));
}

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
  RUN(defined_types);
  RUN(statics);
  if (argc > 0) arguments(argv);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
