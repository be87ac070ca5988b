/* An ordinary C program: data structures, function pointers, varargs, string handling, floating point, bit tricks. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tree { struct tree *left, *right; int key; } tree;
static tree *insert(tree *t, int key) {
  if (!t) {
    t = calloc(1, sizeof *t);
    t->key = key;
  } else if (key < t->key) t->left = insert(t->left, key);
  else t->right = insert(t->right, key);
  return t;
}
static void show(const tree *t, void (*visit)(int)) {
  if (t) show(t->left, visit), visit(t->key), show(t->right, visit);
}
static void print(int k) { printf("%d ", k); }
static void drop(tree *t) { if (t) { drop(t->left); drop(t->right); free(t); } }
static int compare(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }
static int sum(int n, ...) {
  va_list l;
  int s = 0;
  va_start(l, n);
  while (n--) s += va_arg(l, int);
  va_end(l);
  return s;
}
static jmp_buf back;
static void thrower(int n) { if (n == 0) longjmp(back, 3); thrower(n - 1); }
enum colour { RED, GREEN = 5, BLUE };
union bits { float f; uint32_t u; };
struct flags { unsigned a : 3, b : 7; int : 0; signed c : 5; };
static const char *const names[] = {[BLUE] = "blue", [RED] = "red", [GREEN] = "green"};
#define SQUARE(x) ((x) * (x))
int main(void) {
  tree *t = NULL;
  unsigned seed = 7;
  for (int i = 0; i < 12; i++) t = insert(t, (int)((seed = seed * 1103515245 + 12345) >> 16 & 63));
  show(t, print);
  drop(t);
  char text[] = "the quick brown fox";
  qsort(text, strlen(text), 1, compare);
  for (char *p = text; *p; ++p) *p = (char)toupper((unsigned char)*p);
  printf("\n%s %d\n", text, sum(4, 1, 2, 3, 4));
  union bits u = {.f = -1.5f};
  struct flags f = {.a = 9, .b = 100, .c = -17};
  printf("%08x %u %u %d %s\n", u.u, f.a, f.b, f.c, names[BLUE]);
  int code = setjmp(back);
  if (code == 0) thrower(5);
  printf("%d %.15g %a %Lg\n", code, sqrt(2) + 0x1.8p-2, 1.0 / 3, 1.25L);
  long double total = 0;
  int matrix[3][4] = {{1, 2, 3}, [2] = {[1] = 9, 10}}, n = 3, vla[n][n + 1];
  for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) total += vla[i][j] = matrix[i][j] << i;
  printf("%Lg %zu %zu\n", total, sizeof vla, sizeof vla[0]);
  switch (n) {
    case 1 ... 2: puts("low"); break;
    case 3: { int y = SQUARE(n); printf("%d\n", ({ int z = y + 1; z; })); }
    __attribute__((fallthrough));
    default: goto end;
  }
end:
  printf("%s %d %td\n", __func__, _Generic(n, int: 1, default: 2), &matrix[2][1] - &matrix[0][3]);
  return errno = 0, (int)(strtol("0x2a", NULL, 0) % 40);
}
