/* standards: gnu11 gnu17 */
/* GNU extensions and C11, each with a value that is printed. */
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int v4 __attribute__((vector_size(16)));
struct __attribute__((packed)) tight { char c; long l; short s; };
struct bits { unsigned a : 3, : 0, b : 5; signed c : 7; _Bool d : 1; unsigned long long e : 40; };
union any { int i; float f; unsigned char bytes[8]; };
struct flexible { int n; int values[]; };
struct nested { int x; struct { int y, z; }; union { int u; char v[4]; }; };
enum __attribute__((packed)) small { one = 1, big = 200 };
static _Thread_local int counter = 5;
static __thread long other = 6;
alignas(64) static char aligned_buffer[10];
_Static_assert(sizeof(struct tight) == 11, "packed");
_Static_assert(_Alignof(struct tight) == 1, "packed");
_Static_assert(sizeof(enum small) == 1, "packed enum");

static int cleaned;
static void clean(int *p) { cleaned += *p; }
static __attribute__((noinline, const)) int square(int x) { return x * x; }
static inline __attribute__((always_inline)) int twice(int x) { return 2 * x; }
__attribute__((format(printf, 1, 2))) static int say(const char *format, ...) {
  va_list list, copy;
  va_start(list, format);
  va_copy(copy, list);
  int n = vsnprintf(NULL, 0, format, copy);
  va_end(copy);
  vprintf(format, list);
  va_end(list);
  return n;
}
__attribute__((constructor)) static void before_main(void) { counter++; }
static int weak_function(void) __attribute__((weakref("nowhere_defined")));
extern int renamed(int) __asm__("renamed_symbol");
int renamed(int x) { return x + 100; }

#define max(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define kind(x) _Generic((x), char: "char", int: "int", unsigned: "unsigned", long: "long", float: "float", \
                         double: "double", char *: "string", const char *: "const string", default: "other")

static int vla(int n, int a[n][n + 1]) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++) sum += a[i][j];
  int (*row)[n + 1] = a + 1;
  return sum + (int)sizeof *row + (*row)[1];
}

static int jumps(int n) {
  static const void *const targets[] = {&&zero, &&one_, &&many};
  goto *targets[n > 2 ? 2 : n];
zero:
  return 10;
one_:
  return 11;
many:
  switch (n) {
    case 3 ... 5: return 35;
    case 6: { __label__ local; goto local; local: return 6; }
    default: return -1;
  }
}

static int assembly(int x) {
#if defined(__x86_64__)
  int out;
  __asm__ volatile("leal (%[in],%[in],2), %[out]" : [out] "=r"(out) : [in] "r"(x) : "cc");
  __asm__("" : "+m"(out));
  __asm__ goto("testl %0, %0\n\tjne %l[nonzero]" : : "r"(out) : "cc" : nonzero);
  return 0;
nonzero:
  return out;
#else
  return 3 * x;
#endif
}

int main(void) {
  v4 a = {1, 2, 3, 4}, b = a * 2 + (v4){1, 1, 1, 1};
  printf("vectors %d %d %d\n", b[0], b[3], (a < b)[2]);
  struct bits bits = {5, 17, -3, 1, 1ULL << 39};
  bits.a += 4;
  bits.c--;
  printf("bits %u %u %d %d %llu %zu\n", bits.a, bits.b, bits.c, bits.d, (unsigned long long)bits.e, sizeof bits);
  struct nested nested = {.z = 3, .x = 1, .v = {[1] = 1}};
  printf("nested %d %d %d %d\n", nested.x, nested.y, nested.z, nested.u);
  int sparse[10] = {[2] = 5, 6, [8 ... 9] = 1, [0] = 9};
  printf("designated %d %d %d %d\n", sparse[0], sparse[3], sparse[8], sparse[4]);
  struct flexible *f = malloc(sizeof *f + 3 * sizeof f->values[0]);
  *f = (struct flexible){3};
  f->values[2] = 7;
  printf("flexible %d %zu\n", f->values[2] + f->n, sizeof *f);
  free(f);
  __int128 wide = (__int128)1 << 100;
  wide = wide / 3 - 7;
  printf("int128 %llx %llx\n", (unsigned long long)(wide >> 64), (unsigned long long)wide);
  unsigned __int128 uwide = -(unsigned __int128)1;
  printf("uint128 %llu %d\n", (unsigned long long)(uwide % 1000000007), uwide > 0);
#if defined(__GNUC__) && !defined(__clang__)
  _Float128 quad = 1.0f128 / 3;
  printf("float128 %.15g %zu\n", (double)(quad * 3 - 1), sizeof quad);
#endif
  __float128 q = 2;
  printf("__float128 %g\n", (double)(q * q));
  printf("generic %s %s %s %s %s\n", kind(1), kind(2.0f), kind("s"), kind((char)1), kind(1UL << 3));
  printf("max %d %g\n", max(3, twice(2)), max(1.5, 0.5f));
  {
    int guard __attribute__((cleanup(clean))) = 4;
    guard += square(2);
  }
  printf("cleanup %d\n", cleaned);
  printf("thread-local %d %ld\n", counter, other);
  printf("alignment %d %d\n", (int)((uintptr_t)aligned_buffer % 64), (int)_Alignof(max_align_t));
  int n = 3, matrix[n][n + 1];
  for (int i = 0; i < n * (n + 1); i++) (*matrix)[i] = i;
  printf("vla %d %zu\n", vla(n, matrix), sizeof matrix);
  printf("jumps %d %d %d %d %d\n", jumps(0), jumps(1), jumps(4), jumps(6), jumps(9));
  printf("assembly %d\n", assembly(14));
  int overflow;
  printf("builtins %d %d %d %d %d\n", __builtin_popcount(255), __builtin_ctz(8), __builtin_bswap32(1) == 1 << 24,
         __builtin_add_overflow(2147483647, 1, &overflow), __builtin_constant_p(5));
  printf("elvis %d %d\n", 0 ?: 4, n ?: 5);
  printf("say %d\n", say("%s-%d\n", "text", 12));
  printf("weak %d renamed %d\n", weak_function ? 1 : 0, renamed(1));
  printf("literal %d %s\n", ((struct nested){.u = 8}).u, (char[]){"compound"});
  union any any = {.f = 1.0f};
  printf("union %x %zu\n", (unsigned)any.i, __builtin_offsetof(struct nested, v[2]));
  printf("complex %g %g\n", __real__(1.0 + 2.0i), __imag__ ~(1.0 + 2.0i));
  printf("choose %d %d\n", __builtin_choose_expr(1, 5, "no"), __builtin_types_compatible_p(int, unsigned));
  printf("strings %zu %d %d %s\n", sizeof "a\0b" "c", L'x', u'\u00e9', "\x41\102");
  printf("%s %d\n", __func__, __LINE__);
  enum small e = big;
  printf("enum %d %zu\n", e, sizeof e);
  memset(&any, 0, sizeof any);
  void *p = &any;
  printf("void arithmetic %d\n", (int)((char *)(p + 3) - (char *)p));
  return (unsigned char)(n + 200);
}
