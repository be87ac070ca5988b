// Declarators of every shape.
#include <stddef.h>
typedef int I, *P, A[3], F(int), *(*G)(void);
extern int x, *p, a[], b[3][4], (*pa)[3], *ap[3], (*pf)(int), *(*fpf(int))[5], (*(*apf[2])(void))(int);
int x = 1, *p = &x, a[] = {1, 2, 3}, b[3][4] = {{1}, {2, 3}, {4}};
static const volatile unsigned long long int long_order = 1ull;
long unsigned int long typedef *Weird;
Weird weird;
int const *const cp = &x;
_Bool flag;
signed char sc;
char unsigned uc;
double long ld;
double _Complex dc;
_Complex float fc;
__int128 wide;
unsigned __int128 uwide = (unsigned __int128)1 << 100;
_Float128 quad = 1.5f128;
__float128 quad2 = 1.5q;
_Float64x f64x = 1.5f64x;
_Float32 f32 = 1.0f32;
_Alignas(32) int aligned_a;
_Alignas(double) char aligned_b;
_Thread_local int tls;
static __thread int tls2;
_Noreturn void die(void);
inline static int twice(int v) { return 2 * v; }
int I_as_member(void) { struct { I I; P P; } s = {1, 0}; return s.I; }
int shadow(int I) { { typedef char I; I c = 1; return c; } }
int old(a, b, c) int a; char *b; double c; { return a + *b + (int)c; }
int old_float(f) float f; { return (int)f; }
int noproto();
int call_noproto(void) { return noproto(1, 2.0, "x") + old(1, "a", 2.0); }
int variadic(const char *f, ...);
int params(int n, int v[static n], int w[const], int (*m)[n], int q[*], void (cb)(int), int (*restrict r)[n][n]);
int params(int n, int v[static n], int w[const], int (*m)[n], int q[n], void (cb)(int), int (*restrict r)[n][n]) {
  return v[0] + w[0] + (*m)[0] + q[0] + r[0][0][0];
}
F declared_through_typedef;
int declared_through_typedef(int i) { return i; }
int (parenthesised)(int (i)) { return i; }
G g;
struct S;
struct S *forward(struct S *);
struct S { struct S *next; int bits : 3, : 0, more : 5; unsigned wide : 32; _Bool one : 1; char tail[]; };
union U { int i; float f; struct { short lo, hi; }; };
enum E { E1, E2 = 5, E3, E4 = -1, E5 = E2 << 2, };
enum Big { BIG = 0x100000000ll };
enum E e = E3;
struct { int anonymous; } unnamed, *unnamed_pointer = &unnamed;
struct outer { struct inner { int deep; } in; enum { RED, GREEN } colour; } o = {{1}, GREEN};
struct inner visible = {2};
struct empty {};
struct empty nothing = {};
int zero_length[0];
typeof(x) tx = 3;
typeof(int *[3]) tp;
__typeof__(x + 1.0) td = 1.0;
int main(void) {
  __auto_type copy = x;
  register int reg = copy;
  extern int x;
  int f(void);
  auto int automatic = reg;
  struct S { int other; } local = {1};
  static int counter;
  int n = automatic, vla[n], vla2[n][n + 1];
  typedef int V[n];
  V v3;
  for (int i = 0, *q = &i; i < 1; i++) (void)q;
  (void)sizeof(struct { int k; });
  _Static_assert(sizeof(int[3]) == 12);
  return local.other + counter + vla[0] + vla2[0][0] + v3[0] + (int)sizeof vla;
}
