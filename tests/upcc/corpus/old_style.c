/* C as it was and GNU extensions: old-style definitions, computed goto, asm, nested initialisers, no return from
 * main. */
#include <stdio.h>
#include <string.h>
static int add(a, b) int a; short b; { return a + b; }
static __inline__ int rotate(unsigned x, int n) { return (int)(x << n | x >> (32 - n)); }
typedef int vector __attribute__((vector_size(16)));
struct outer { struct { int x, y; } p[2]; union { char c[4]; int i; }; int tail[]; };
static int counter(void) { static int n = 40; return ++n; }
static int run(const unsigned char *code) {
  static const void *const ops[] = {&&push, &&plus, &&stop};
  int stack[8], top = 0;
  goto *ops[*code++];
push: stack[top++] = *code++; goto *ops[*code++];
plus: top--; stack[top - 1] += stack[top]; goto *ops[*code++];
stop: return stack[0];
}
extern int declared_later(void);
int main(argc, argv) int argc; char **argv; {
  vector v = {1, 2, 3, 4}, w = v * v;
  struct outer o = {{{1, 2}, {3}}, .c = "ab"};
  unsigned x = 1;
  (void)argv;
#if defined(__x86_64__)
  __asm__("shll $3, %0" : "+r"(x) : : "cc");
#else
  x <<= 3;
#endif
  printf("%d %d %d %d\n", add(argc, 2), rotate(0x80000001u, 4), w[3], o.p[1].x + (o.i & 0xff));
  printf("%u %d %d %d\n", x, counter(), counter(), run((const unsigned char *)"\0\5\0\6\1\2"));
  printf("%d %s\n", declared_later(), argc > 5 ? "many" : "few" "er");
  __int128 big = (__int128)1 << 100;
  printf("%d %d\n", (int)(big >> 98), __builtin_popcountll(0xf0f0) + (int)sizeof(char[3][2]));
}
int declared_later(void) { return memcmp("a\0b", "a\0c", 3) < 0; }
