// GNU extensions that headers and programs use.
typedef int v4si __attribute__((vector_size(16)));
typedef float v4sf __attribute__((__vector_size__(16), __may_alias__));
typedef int word __attribute__((mode(DI)));
_Static_assert(sizeof(word) == 8 && sizeof(v4si) == 16, "");
v4si add(v4si a, v4si b) { v4si c = a + b * 2; c[1] = a[0]; return (a < b) & -c; }
v4sf conv(v4si a) { return (v4sf)a + (v4sf){1, 2, 3, 4}; }
struct __attribute__((packed)) pk { char c; int i; } __attribute__((aligned(2)));
_Static_assert(sizeof(struct pk) == 6, "");
int attributed(int a __attribute__((unused)), const char *f, ...) __asm__("renamed")
    __attribute__((format(printf, 2, 3), nonnull(2), warn_unused_result));
static __inline__ __attribute__((__always_inline__, __gnu_inline__)) int inl(void) { return 1; }
extern int aliased __attribute__((weak, alias("target")));
int target __attribute__((section(".data.x"), visibility("hidden"), used)) = 1;
void cleanup(int *p);
typedef union { int *i; float *f; } any_ptr __attribute__((transparent_union));
void take(any_ptr);
void (*volatile handler)(int) __attribute__((noreturn));
int labels(int n) {
  static const void *const table[] = {&&a, &&b};
  goto *table[n];
a: return 1;
b: return 2;
}
int cases(int c) { switch (c) { case 'a' ... 'z': return 1; case -5 ... -1: return 2; } return 0; }
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
int use(int n) {
  int x __attribute__((cleanup(cleanup))) = max(n, 3);
  int *p = &x; float *f = 0;
  take(p); take(f); take(0);
  unsigned r;
  if (__builtin_add_overflow(n, x, &n)) return __builtin_popcount(n) + __builtin_clz(n) + __builtin_bswap32(n);
  __sync_fetch_and_add(&x, 1); __atomic_store_n(&x, 2, __ATOMIC_SEQ_CST); r = __atomic_load_n(&x, __ATOMIC_RELAXED);
  __sync_synchronize(); int expected = 1; __atomic_compare_exchange_n(&x, &expected, 2, 0, 5, 5);
  __sync_bool_compare_and_swap(p, 1, 2);
  void *sp = __builtin_alloca(n), *ra = __builtin_return_address(0);
  __builtin_memcpy(sp, ra, sizeof(int)); __builtin_prefetch(sp);
  if (n == 99) __builtin_unreachable();
  char buf[__builtin_constant_p(3) ? 4 : 8];
  return r + sizeof buf + __extension__({ 5; }) + !!__builtin_strlen("abc") + (int)__builtin_fabs(-1.0);
}
int arr[3] = {[0 ... 2] = 7};
struct init { int a; } in = {a: 3};
long long int imag(void) { _Complex int z = 1 + 2i; return __real__ z + __imag__ z; }
void *arith(void *p) { return p + sizeof *p; }
int elvis(char *s) { return (s ?: "x")[0]; }
_Pragma("GCC diagnostic push")
#pragma GCC diagnostic ignored "-Wunused"
#pragma pack(push, 1)
struct tight { char a; long b; };
#pragma pack(pop)
_Static_assert(sizeof(struct tight) == 9 && _Alignof(struct tight) == 1, "");
int digraphs<::> = <%1, 2%>;
int caf\u00e9 = 1, naïve = 2;
[[maybe_unused]] static int c2x(void) { return 0; }
union with_anonymous { struct { int lo, hi; }; long all; };
int anonymous(union with_anonymous u) { return u.lo + u.hi; }
struct bits { unsigned a : 3; int : 2; unsigned b : 30; long long c : 40; };
int bitfields(struct bits *s) { s->a = 5; s->b++; s->c += s->a; return s->a < -1; }
