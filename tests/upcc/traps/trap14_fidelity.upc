/* Trap 14: fidelity of the emitted C. Each function uses UPC, so that its body is lowered and not just repeated. */
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <trap14_keywords.h>
shared int t14_one = 1;
struct t14 { int outer; };
typedef struct { float x; union { int i; float f; }; } t14_unnamed;
enum t14_enum { t14_a = 3, t14_b };

static double t14_sum(int n, ...) {
  va_list list;
  double total = t14_one - 1;
  va_start(list, n);
  for (int i = 0; i < n; i++) total += va_arg(list, double);
  va_end(list);
  return total;
}
static int t14_vla(int n) {
  int a[n][n + t14_one], (*p)[n + t14_one] = a;
  for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) p[i][j] = i * j;
  return a[n - 1][n] + (int)(sizeof a / sizeof a[0]);
}
static __attribute__((noinline, noclone)) int t14_attributes(int x __attribute__((unused))) { return t14_one; }
static int t14_local_tags(void) {
  struct t14 first = {t14_one};
  {
    struct t14 { char a, b, c; } second = {1, 2, (char)(t14_one + 2)};
    typedef int t14_unnamed;
    t14_unnamed shadow = second.c + (int)sizeof(struct t14);
    enum { t14_a = 50 } e = t14_a;
    return first.outer + shadow + (int)e;
  }
}
static int t14_asm(int x) {
#if defined(__x86_64__)
  __asm__ volatile("addl %1, %0" : "+r"(x) : "r"(t14_one) : "cc");
  return x;
#else
  return x + t14_one;
#endif
}
static void t14_labels(int *out) {
  int n = 0;
again:
  if ((n += t14_one) < 5) goto again;
  switch (n) {
    case 1 ... 4: *out = -1; break;
    case 5: { static const void *target[] = {&&done}; *out = n; goto *target[0]; }
    default: *out = -2;
  }
done:;
}

static void trap14_fidelity(void) {
  CHECK(t14_sum(2, 0x1.8p1, 1e-3) == 0x1.8p1 + 1e-3);
  CHECK(0.1 + t14_one == 1.1 && 1e308 * 10 == HUGE_VAL && 0x1.fffffep127f * t14_one < HUGE_VALF);
  CHECK(t14_one * 0.1L != 0.1);
  CHECK_EQUAL(t14_vla(4), 3 * 4 + 4);
  CHECK_EQUAL(t14_attributes(3), 1);
  CHECK_EQUAL(t14_local_tags(), 1 + 3 + 3 + 50);
  CHECK_EQUAL(t14_asm(41), 42);
  int labels;
  t14_labels(&labels);
  CHECK_EQUAL(labels, 5);
  t14_unnamed u = {.x = t14_one, .f = 1.0f};
  CHECK_EQUAL(u.i, 0x3f800000);
  char text[] = "a\0b\x01" "c";
  CHECK(sizeof text == 6 && text[2 * t14_one] == 'b' && memcmp(text + 3, "\001c", 3) == 0);
  CHECK_EQUAL(({ int t = t14_one; t + ({ t * 2; }); }), 3);
  CHECK_EQUAL(t14_keywords(t14_one, 1), 4);
  CHECK_EQUAL((((struct { int a, b; }){t14_one, 5}).b), 5);
  CHECK_EQUAL(((int[]){t14_one, 2, 3}[2]), 3);
  CHECK_EQUAL((_Generic(t14_one, int: t14_b, default: 0)), 4);
  CHECK_EQUAL(__builtin_choose_expr(1, t14_one, "no"), 1);
  CHECK_EQUAL(__builtin_offsetof(t14_unnamed, f) + (size_t)t14_one, 5);
  _Static_assert(sizeof(struct t14) == sizeof(int), "layout");
  {
#include "trap14_block.h"
    CHECK_EQUAL(from_block, 12);
  }
  unsigned char wide = (unsigned char)300 + t14_one;
  CHECK_EQUAL(wide, 45);
  CHECK_EQUAL(-7 / 2 * t14_one + (-7 >> 1), -3 - 4);
  CHECK_EQUAL(__LINE__, 85);
}
