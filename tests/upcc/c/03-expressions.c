// Every operator, with the conversions around it.
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
int g(int a) { return a; }
struct pt { int x, y; } pt(void) { return (struct pt){1, 2}; }
#define type_name(e) \
  _Generic((e), int: "int", unsigned: "unsigned", long: "long", double: "double", char *: "char *", default: "other")
_Static_assert(-1 / 2 == 0 && -1 >> 1 == -1 && 7 % -3 == 1 && (unsigned char)300 == 44, "");
_Static_assert('a' == 97 && '\n' == 10 && '\x41' == 'A' && '\101' == 'A' && L'a' == 97 && u'\u00e9' == 0xe9 &&
               U'\U0001F600' == 0x1f600, "");
_Static_assert(sizeof("abc" "def") == 7 && sizeof(L"ab") == 12 && sizeof(u"ab") == 6 && sizeof(U"ab") == 12 &&
               sizeof(u8"\u00e9") == 3, "");
_Static_assert(0x1p4 == 16 && 0x.8p1 == 1.0 && 1e3 == 1000.0 && 0b101 == 5 && 017 == 15, "");
_Static_assert(sizeof(1) == 4 && sizeof(1u) == 4 && sizeof(1l) == 8 && sizeof(1ll) == 8 && sizeof(2147483648) == 8 &&
               sizeof(0xffffffff) == 4, "");
_Static_assert((0 ? 1 : -1) < 0 && (1 ? 1u : -1) > 0 && -1 < 0u == 0, "");
_Static_assert(__builtin_types_compatible_p(typeof(1 ? (char)1 : (char)2), int), "");
_Static_assert(__builtin_types_compatible_p(typeof(1.0f + 1), float), "");
_Static_assert(__builtin_types_compatible_p(typeof((short)1 + (short)1), int), "");
_Static_assert(__builtin_types_compatible_p(typeof(1u + 1l), long), "");
_Static_assert(__builtin_types_compatible_p(typeof(1ul + 1ll), unsigned long long), "");
_Static_assert(__builtin_choose_expr(1, 2, "x") == 2 && __builtin_constant_p(3), "");
_Static_assert(offsetof(struct pt, y) == 4, "");
_Static_assert((__int128)1 << 100 >> 99 == 2, "");
int sum(int n, ...) {
  va_list ap, ap2;
  va_start(ap, n);
  va_copy(ap2, ap);
  int s = 0;
  while (n--) s += va_arg(ap, int) + (int)va_arg(ap2, int);
  va_end(ap);
  va_end(ap2);
  return s;
}
int vsum(va_list ap) { return va_arg(ap, int) + *va_arg(ap, int *); }
int main(int argc, char **argv) {
  int i = 1, *p = &i, a[10] = {0};
  unsigned u = 2;
  long l = 3;
  double d = 4.5;
  char c = 'x';
  const char *s = "text";
  void *v = p;
  _Complex double z = 1.0 + 2.0i, w = 3.0fi;
  i += u; i -= l; i *= d; i /= 2; i %= 3; i <<= 1; i >>= 1; i &= 7; i |= 8; i ^= 1;
  p++; --p; p += 1; p -= 1; v = v + 1;
  l = p - a; l = &a[5] - a; i = p < a; i = p == 0; i = !p; i = p && v || i; i = p != (void *)0;
  i = s[1] + 1[s] + *s + "lit"[0] + sizeof s + sizeof(int) + _Alignof(double);
  i = argc ?: 5; i = argc ? argc : 0; p = argc ? p : 0; v = argc ? v : p; argc ? (void)0 : (void)g(1);
  i = (i, u, l); i = pt().x; i = (pt()).y; i = (struct pt){.y = 5}.y; p = (int[]){1, 2, 3}; p = &(int){4};
  i = ({ int t = i; t * 2; }); i = (int)d; d = (double)i; c = (char)i; p = (int *)l; l = (long)p;
  z = z * w + __real__ z - __imag__ w; z = ~z; d = __real z; __imag__ z = 2; i = z == w;
  i = -i + +i + ~i; d = -d; i = __extension__ i; i = __builtin_expect(i, 1);
  int (*f)(int) = g; i = f(1) + (*f)(2) + (&g)(3) + (****f)(4); f = &g;
  i = argc[argv] != 0; i = *&i; p = &*p; p = &a[2]; int (*pa)[10] = &a; i = (*pa)[1];
  printf("%s %d %f %s %d\n", type_name(i), sum(2, 1, 2), d, __func__, __LINE__);
  i = _Generic(c, char: 1, int: 2) + _Generic(&a, int (*)[10]: 3) + _Generic(a, int *: 4) +
      _Generic((const int)0, int: 5);
  struct pt q = {1, 2}, r; r = q; q = i ? r : pt(); (void)q;
  enum { A, B = 3 } e = B; i = e + A; switch (e) { case A: break; case B ... 9: break; default:; }
  unsigned __int128 big = 1; big <<= 100; i = (int)(big >> 99);
  _Bool t = p; t = 0.5; t = v; t++; i = t;
  goto *(&&end + 0);
  { static void *labels[] = {&&end, &&again}; static int diff = &&end - &&again; goto *labels[diff > 0]; }
again:
  i = ((struct { int k; }){3}).k + (int)(long)&((struct pt *)0)->y;
end:
  return i;
}
