/* Initialisers of shared arrays whose element type is local to a function or whose shape depends on THREADS: one
 * element at a time, strings included. */
#include <string.h>
#include "../check.h"

shared [] char words[2][8] = {"seven77", "ab"};
shared char spread[THREADS][6] = {"first"};
shared int rows[2][THREADS][2] = {{{1, 2}}, {{3}}};

static void strings(void) {
  struct local {
    char name[8];
    int n;
    struct { short wide[2]; char text[4]; } inner;
  };
  static shared struct local a[4 * THREADS] = {{"abc", 1, {{5, 6}, "xyz"}}, {"de", 2}, {{'x', 'y'}, 3}};
  static shared [] struct local b[2] = {{"zzz", 7}, {.inner.text = "four"}};
  struct local x = a[0], y = a[1], z = a[2], v = b[0], w = b[1];
  CHECK(strcmp(x.name, "abc") == 0 && x.n == 1 && x.inner.wide[1] == 6 && strcmp(x.inner.text, "xyz") == 0);
  CHECK(strcmp(y.name, "de") == 0 && y.n == 2 && y.inner.text[0] == 0);
  CHECK(strcmp(z.name, "xy") == 0 && z.n == 3);
  CHECK(strcmp(v.name, "zzz") == 0 && v.n == 7 && memcmp(w.inner.text, "four", 4) == 0);
  CHECK(words[0][6] == '7' && words[0][7] == 0 && words[1][1] == 'b' && words[1][2] == 0);
  CHECK(spread[0][0] == 'f' && spread[0][4] == 't' && spread[0][5] == 0);
  if (THREADS > 1) CHECK(spread[1][0] == 0);
}

static void shapes(void) {
  CHECK(rows[0][0][0] == 1 && rows[0][0][1] == 2 && rows[1][0][0] == 3 && rows[1][0][1] == 0);
}

int main(void) {
  RUN(strings);
  RUN(shapes);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
