// Braces, designators, strings, nesting, and what may be constant.
#include <stddef.h>
struct in { int a, b; };
struct out { struct in x, y; int z[3]; char s[4]; union { int i; float f; } u; struct { int p, q; }; };
int a1[] = {1, 2, 3}, a2[5] = {[3] = 4, 5}, a3[] = {[9] = 1}, a4[2][2] = {1, 2, 3, 4}, a5[][2] = {{1}, {2, 3}, 4};
_Static_assert(sizeof a1 == 12 && sizeof a3 == 40 && sizeof a5 == 24, "");
int range[10] = {[0 ... 4] = 1, [5 ... 9] = 2};
char s1[] = "abc", s2[3] = "abc", s3[] = {"abc"}, s4[][4] = {"ab", "cd"};
int wide[] = L"ab";
_Static_assert(sizeof s1 == 4 && sizeof s4 == 8 && sizeof wide == 12, "");
struct out o1 = {1, 2, 3, 4, 5, 6, 7, "abc", {8}, 9, 10};
struct out o2 = {{1, 2}, {.b = 3}, {[1] = 4}, .s = {'a'}, .u.f = 1.5f, .p = 1, .q = 2};
struct out o3 = {.x.a = 1, .x.b = 2, .y = {3, 4}, .z[2] = 5, .z[0] = 6};
struct out o4[2] = {[1].x.b = 1, [0] = {.z = {1, 2, 3}}, [1].z[1] = 7};
struct out *po = &(struct out){.x = {1}};
struct old { int m, n; } old = {m: 1, n: 2};
struct flex { int n; int v[]; } flex = {2, {1, 2}};
union { int i; double d; } un = {.d = 1.0}, un2 = {1};
int scalar = {5}, *ptr = {&scalar}, *mid = &a2[2], *end = a2 + 5;
char *str = "x" "y", *tail = &"hello"[2], *names[] = {"a", [2] = "c"};
void f(void);
void (*fp)(void) = f, (*fps[])(void) = {f, &f, 0};
size_t off = offsetof(struct out, y.b), dist = (char *)&o1.y - (char *)&o1;
long addr = (long)&scalar;
double dbl = 1.0 / 3 + 2, neg = -1, inf = __builtin_inf(), huge = __builtin_huge_val();
_Complex double z = 1.0 + 2.0i;
enum { K = 3 } en = K;
_Bool b = 5, nb = &scalar;
void f(void) {
  int n = 3;
  struct in v = {n, n + 1}, copy = v, arr[] = {v, {1, 2}, copy, 5, 6};
  struct out nested = {v, copy, {n}, "ab", .p = n};
  int dyn[3] = {n, n * 2}, (*q)[3] = &dyn;
  char text[] = {"local"}, more[10] = "short";
  struct in *lit = &(struct in){n, 2}, lits[] = {(struct in){1, 2}, *lit};
  const struct in cs = {.b = n};
  static int once = 5, *where = &once;
  (void)arr; (void)nested; (void)q; (void)text; (void)more; (void)lits; (void)cs; (void)where;
}
