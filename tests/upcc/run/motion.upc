/* What the optimiser must leave where it is: pointers, tests and addresses that only seem not to change. */
#include "../check.h"
#include <stddef.h>

struct element {
  int a;
  int v[4];
  struct { short s[3]; } in[2];
};
#define PER 8
shared [PER] struct element elements[PER * THREADS];
shared struct element one_each[THREADS];
shared int numbers[16 * THREADS];
struct node { int value; shared struct node *next; };
shared struct node nodes[4 * THREADS];

/* A cast to a private pointer gives the place that it names: the member, the element of the member. */
static void casts_of_members(void) {
  int *p[PER][4];
  short *q[PER];
  for (int i = 0; i < 4; i++) p[0][i] = (int *)&one_each[MYTHREAD].v[i];
  for (int i = 0; i < 4; i++)
    CHECK((char *)p[0][i] == (char *)(struct element *)&one_each[MYTHREAD] + offsetof(struct element, v[i]));
  upc_forall (int i = 0; i < PER * THREADS; i++; &elements[i]) {
    elements[i].a = i;
    for (int k = 0; k < 4; k++) {
      p[i % PER][k] = (int *)&elements[i].v[k];
      *p[i % PER][k] = 10 * i + k;
    }
    q[i % PER] = (short *)&elements[i].in[1].s[2];
    *q[i % PER] = (short)i;
  }
  upc_barrier;
  for (int i = 0; i < PER * THREADS; i++) {
    CHECK_EQUAL(elements[i].a, i);
    for (int k = 0; k < 4; k++) CHECK_EQUAL(elements[i].v[k], 10 * i + k);
    CHECK_EQUAL(elements[i].in[1].s[2], (short)i);
  }
  upc_barrier;
}

static int index_of;
static void next_index(void) { index_of++; }
static int truth(int v) { return v; }

/* A test of upc_threadof() says something about the pointer that it was given, not about what that is later. */
static void tests_of_the_thread(void) {
  int i;
  shared int *p;
  const int other = (MYTHREAD + 1) % THREADS;
  for (int k = 0; k < 16; k++) numbers[k * THREADS + MYTHREAD] = 0;
  upc_barrier;
  i = MYTHREAD;
  if (upc_threadof(&numbers[i]) == MYTHREAD) {
    i = other;
    numbers[i] = 1; /* each writes its neighbour's */
    (&numbers[i])[0] += 10;
  }
  i = 2 * THREADS + MYTHREAD;
  if (upc_threadof(&numbers[i]) == MYTHREAD) {
    i++;
    *(&numbers[i]) = 2;
  }
  p = &numbers[4 * THREADS + MYTHREAD];
  if (upc_threadof(p) == MYTHREAD && (p += 1) != NULL) *p = 3;
  p = &numbers[6 * THREADS + MYTHREAD];
  if (truth(upc_threadof(p) == MYTHREAD) && upc_threadof(p) == MYTHREAD && (p++, 1)) *p = 4;
  index_of = 8 * THREADS + MYTHREAD;
  if (upc_threadof(&numbers[index_of]) == MYTHREAD) {
    next_index();
    *&numbers[index_of] = 5;
  }
  p = &numbers[10 * THREADS + other];
  if (MYTHREAD % 2 == 0) goto in;
  if (upc_threadof(p) == MYTHREAD) {
    *p = -1;
  in:
    *p = 6;
  } else {
    *p = 6;
  }
  p = &numbers[11 * THREADS + other];
  switch (THREADS > 0) {
    case 0:
      if (upc_threadof(p) == MYTHREAD) {
        case 1:
          *p = 7;
      }
  }
  p = &numbers[12 * THREADS + MYTHREAD];
  if (upc_threadof(p) == MYTHREAD)
    for (int k = 0; k < 2; k++, p += THREADS + 1) *p = 8 + k;
  upc_barrier;
  CHECK_EQUAL(numbers[12 * THREADS + MYTHREAD], 8);
  CHECK_EQUAL(numbers[13 * THREADS + MYTHREAD + 1], 9);
  CHECK_EQUAL(numbers[MYTHREAD], 11);
  CHECK_EQUAL(numbers[2 * THREADS + MYTHREAD + 1], 2);
  CHECK_EQUAL(numbers[4 * THREADS + MYTHREAD + 1], 3);
  CHECK_EQUAL(numbers[6 * THREADS + MYTHREAD + 1], 4);
  CHECK_EQUAL(numbers[8 * THREADS + MYTHREAD + 1], 5);
  CHECK_EQUAL(numbers[10 * THREADS + MYTHREAD], 6);
  CHECK_EQUAL(numbers[11 * THREADS + MYTHREAD], 7);
  upc_barrier;
  for (int k = 0; k < 4; k++) nodes[4 * MYTHREAD + k].value = 0; /* of several threads: cyclic */
  upc_barrier;
  for (int k = MYTHREAD; k < 4 * THREADS; k += THREADS) nodes[k].next = k + 1 < 4 * THREADS ? &nodes[k + 1] : NULL;
  upc_barrier;
  shared struct node *n = &nodes[MYTHREAD];
  if (upc_threadof(n) == MYTHREAD && (n = n->next) != NULL) n->value = 100 + MYTHREAD;
  upc_barrier;
  if (4 * THREADS > 1) CHECK_EQUAL(nodes[MYTHREAD + 1].value, 100 + MYTHREAD);
  upc_barrier;
}

/* Of an array it tells where the first element is. */
static shared int rows[4 * THREADS][3];
static void tests_of_the_thread_of_an_array(void) {
  for (int i = 0; i < 4 * THREADS; i = truth(i) + 1) {
    if (upc_threadof(&rows[i]) == MYTHREAD) {
      rows[i][0] = 10 * i;
      rows[i][truth(1)] = 10 * i + 1;
      rows[i][2] = 10 * i + 2;
    }
    shared int(*row)[3] = &rows[i];
    if (upc_threadof(row) == MYTHREAD) (*row)[truth(1)] += 5;
  }
  upc_barrier;
  for (int i = 0; i < 4 * THREADS; i++)
    for (int k = 0; k < 3; k++) CHECK_EQUAL(rows[i][k], 10 * i + k + (k == 1 ? 5 : 0));
  upc_barrier;
}

/* What hides a change of a variable. */
static void hidden_changes(void) {
  long sum = 0;
  if (MYTHREAD == 0)
    for (int k = 0; k < 16 * THREADS; k++) numbers[k] = k;
  upc_barrier;
  { /* the length of an array */
    int n = 0;
    for (int i = 0; i < 4; i++) {
      int a[++n];
      a[0] = numbers[n];
      sum = 10 * sum + a[0];
    }
    CHECK_EQUAL(sum, 1234);
  }
  { /* sizeof of one */
    int n = 0;
    sum = 0;
    for (int i = 0; i < 4; i++) {
      (void)sizeof(int[++n]);
      sum = 10 * sum + numbers[n];
    }
    CHECK_EQUAL(sum, 1234);
  }
  { /* a cast to a pointer to one */
    int n = 0, a[8] = {0};
    sum = 0;
    for (int i = 0; i < 4; i++) {
      sum += (*(int(*)[++n])a)[0];
      sum = 10 * sum + numbers[n];
    }
    CHECK_EQUAL(sum, 1234);
  }
  { /* part of a complex number */
    double _Complex z = 0;
    sum = 0;
    for (int i = 0; i < 4; i++) {
      __real__ z += 1;
      sum = 10 * sum + numbers[(int)__real__ z];
    }
    CHECK_EQUAL(sum, 1234);
  }
  { /* an lvalue that is chosen */
    int n = 0;
    sum = 0;
    for (int i = 0; i < 4; i++) {
      _Generic(1, int: n) += 1;
      sum = 10 * sum + numbers[n];
    }
    __builtin_choose_expr(1, n, 0) = 0;
    CHECK_EQUAL(sum, 1234);
    sum = 0;
    for (int i = 0; i < 4; i++) {
      __builtin_choose_expr(1, n, 0) += 1;
      sum = 10 * sum + numbers[n];
    }
    CHECK_EQUAL(sum, 1234);
  }
}

/* Variables that are read through a pointer and changed by their names. */
static int changed_here;
static void changes_behind_a_pointer(void) {
  int k = 0, map[2] = {0, 0}, *at = &k, *second = map, *global = &changed_here;
  long sum = 0;
  changed_here = 0;
  for (int i = 0; i < 4; i++) {
    sum = 10 * sum + numbers[*at + second[1]] + numbers[*global];
    k++;
    map[1]++;
    changed_here++;
  }
  CHECK_EQUAL(sum, 369);
}

/* Variables of the unit that change by a pointer made elsewhere, by another declaration of them, by a call: and one
 * that does not, though stores through pointers to its type might. */
static int pointed_at, declared_again, set_by_call, only_read = 1;
static int *const pointer_to_it = &pointed_at;
static struct { int at, other; } members, *const pointer_to_members = &members;
static void set_it(int value) { set_by_call = value; }
static void changes_of_the_unit(void) {
  long sum = 0, calls = 0;
  int map[4] = {0};
  pointed_at = declared_again = set_by_call = members.at = 0;
  for (int i = 0; i < 4; i++) {
    extern int declared_again;
    sum = 10 * sum + numbers[pointed_at] + numbers[declared_again] + numbers[members.at] + numbers[only_read + i - 1];
    map[i] = (*pointer_to_it)++;
    pointer_to_members->at++;
    declared_again++;
  }
  CHECK_EQUAL(sum, 4 * 123 + 0 * map[0]);
  for (int i = 0; i < 4; i++) {
    calls = 10 * calls + numbers[set_by_call];
    set_it(i + 1);
  }
  CHECK_EQUAL(calls, 123);
}

/* A tag that is defined twice, once in a loop. */
static int defines_the_tag(void) {
  struct twice { double before; };
  return (int)sizeof(struct twice);
}
static void tags_of_the_body(void) {
  int sum = defines_the_tag();
  for (int i = 0; i < 3; i++) {
    struct twice { int n; shared int *at; } b = {1, &numbers[2]};
    sum += *b.at + numbers[3] + b.n;
  }
  CHECK_EQUAL(sum, 8 + 3 * 6);
}

/* Names that mean something else, or nothing, before the loop. */
static void names_of_the_body(void) {
  long sum = 0;
  int n = THREADS;
  for (int i = 0; i < 4; i++) {
    enum { two = 2 };
    sum += numbers[two * n];
  }
  CHECK_EQUAL(sum, 8 * THREADS);
  sum = 0;
  n = 300;
  for (int i = 0; i < 4; i++) {
    typedef signed char small;
    sum += numbers[(small)(n - 299)];
  }
  CHECK_EQUAL(sum, 4);
  sum = 0;
  for (int i = 0; i < 4; i++) {
    struct same { int x; shared int *p; } a = {i, &numbers[2]};
    {
      struct same { char y[40]; shared int *q; } b = {{(char)i}, &numbers[3]};
      sum += *b.q + b.y[0] + (int)sizeof(struct same);
    }
    sum += *a.p + a.x + (int)sizeof(struct same);
    sum += numbers[sizeof(struct same) / sizeof(struct same)];
  }
  CHECK(sum > 0);
}

/* An index that counts to the top of its type and goes on at the bottom. */
static void wrapping_indices(void) {
  unsigned first = 0xfffffffeu;
  long sum = 0;
  for (unsigned i = first; i != 2; i++) sum += numbers[i & 1];
  CHECK_EQUAL(sum, 2);
  sum = 0;
  for (unsigned i = 2; i != first; i--) sum += 1 + 0 * numbers[i & 1];
  CHECK_EQUAL(sum, 4);
}

/* Unsigned arithmetic that wraps around in the middle of a loop. */
static void wrapping_subscripts(void) {
  long sum = 0, n = 3;
  for (unsigned i = 0; i < 4; i++)
    if (i > 0) sum = 10 * sum + numbers[(i - 1u) + n];
  CHECK_EQUAL(sum, 345);
  sum = 0;
  for (int i = -2; i < 2; i++)
    if (i >= 0) sum = 10 * sum + numbers[(long)(unsigned)i + n];
  CHECK_EQUAL(sum, 34);
  sum = 0;
  for (unsigned i = 0; i < 16; i += 4) sum += numbers[i * 1073741824u + 3u]; /* 3 each time */
  CHECK_EQUAL(sum, 12);
  const unsigned back = 0u - (unsigned)(truth(1));
  sum = 0;
  for (unsigned i = 3; i < 10; i += back) sum = 10 * sum + numbers[i];
  CHECK_EQUAL(sum, 3210);
  int owners = 0;
  upc_forall (unsigned i = 0; i < 12; i++; i - 5u) owners += (i - 5u) % THREADS == MYTHREAD ? 1 : 1000;
  CHECK(owners < 1000);
  upc_forall (int i = -6; i < 6; i++; (unsigned)i) owners += (unsigned)i % THREADS == MYTHREAD ? 1 : 1000;
  CHECK(owners < 1000);
  upc_forall (unsigned long i = 0; i < 12; i++; i - 5) owners += (i - 5) % THREADS == MYTHREAD ? 1 : 1000;
  CHECK(owners < 1000);
  sum = 0;
  for (unsigned long i = (unsigned long)n - 4; i < 2; i++) sum += 1 + 0 * numbers[i];
  for (unsigned i = 2; i > (unsigned long)(n - 4); i--) sum += 1 + 0 * numbers[i];
  CHECK_EQUAL(sum, 0);
}

/* A pointer that is not used yet may be anything. */
static void pointers_not_used(void) {
  union {
    unsigned char bytes[sizeof(shared [16] int *)];
    shared [16] int *p;
  } u;
  for (unsigned k = 0; k < sizeof u; k++) u.bytes[k] = 0xff;
  shared [16] int *p = u.p;
  int have = index_of > 1000000, count = 0;
  for (int i = 0; i < 50; i++) {
    if (have) count += p[i];
    count += 1;
  }
  CHECK_EQUAL(count, 50);
}

/* A store of one member of a union changes the others. */
union number { int i; float f; };
static long members_of_a_union(union number *u) {
  long sum = 0;
  for (int k = 0; k < 4; k++) {
    u->f = k == 2 ? 1.0f : 0.0f;
    sum = 10 * sum + numbers[u->i != 0];
  }
  return sum;
}
static void stores_of_other_types(void) {
  union number u[2] = {{0}, {0}};
  CHECK_EQUAL(members_of_a_union(&u[MYTHREAD % 2]), 10);
}

/* The body of a loop that a switch around it jumps into. */
static void entered_loops(void) {
  int count = 0, i = 0;
  switch (THREADS > 0) {
    for (; i < 4; i++) {
      count += 100 + 0 * numbers[i];
      case 1:
        count += 1 + 0 * numbers[0];
    }
  }
  CHECK_EQUAL(count, 304);
}

/* A comma operator stays one operand. */
static void commas(void) {
  shared int *p = numbers;
  int u = 0, count = 0;
  _Bool set = (u++, p);
  CHECK_EQUAL(((void)u, p)[2] + *(u++, p) + *((u++, p) + 1), 3);
  CHECK_EQUAL(((void)0, *(u++, one_each + MYTHREAD)).a, one_each[MYTHREAD].a);
  if (u++, p) count++;
  while (u++, count < 3 ? p : NULL) count++;
  upc_forall (int i = 0; i < 8; i++; (void)u, i) count += i % THREADS == MYTHREAD ? 0 : 100;
  upc_forall (int i = 0; i < 8; i++; u++, &numbers[i]) count += i % THREADS == MYTHREAD ? 0 : 100;
  CHECK_EQUAL(count, 3);
  CHECK(set && u > 5);
}

struct flags { int plain; volatile int seen; };
static struct flags *flags_here(struct flags *f) { return f; }
static void volatile_members(void) {
  struct flags f = {0, 0};
  volatile struct flags *same = flags_here(&f);
  long sum = 0;
  for (int i = 0; i < 4; i++) {
    same->seen++;
    sum = 10 * sum + numbers[f.seen];
  }
  CHECK_EQUAL(sum, 1234);
}

int main(void) {
  RUN(casts_of_members);
  RUN(tests_of_the_thread);
  RUN(tests_of_the_thread_of_an_array);
  RUN(hidden_changes);
  RUN(changes_behind_a_pointer);
  RUN(changes_of_the_unit);
  RUN(tags_of_the_body);
  RUN(names_of_the_body);
  RUN(wrapping_indices);
  RUN(wrapping_subscripts);
  RUN(pointers_not_used);
  RUN(stores_of_other_types);
  RUN(entered_loops);
  RUN(commas);
  RUN(volatile_members);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
