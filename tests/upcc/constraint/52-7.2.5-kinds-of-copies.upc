// Arguments of the wrong kind of memory: one message for a call, which names the function that takes them.
# 1 "upc.h" 1 3
void upc_memcpy(shared void *restrict dst, shared const void *restrict src, unsigned long n);
void upc_memget(void *restrict dst, shared const void *restrict src, unsigned long n);
void upc_memput(shared void *restrict dst, const void *restrict src, unsigned long n);
void upc_memput_nb(shared void *restrict dst, const void *restrict src, unsigned long n);
void upc_memset(shared void *dst, int c, unsigned long n);
void upc_free(shared void *ptr);
void *memcpy(void *to, const void *from, unsigned long n), *memset(void *to, int c, unsigned long n), free(void *);
# 11 "52.upc" 2
shared int a[THREADS];
int p[4];
void f(void) {
  upc_memput(a, &a[1], 4);  // expect-error: passing argument 2 of 'upc_memput' from 'shared int *' to 'const void *': a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread; use 'upc_memcpy'
  upc_memget(a, a, 4);  // expect-error: passing argument 1 of 'upc_memget' from 'shared int *' to 'void *': a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread; use 'upc_memcpy'
  upc_memget(a, p, 4);  // expect-error: passing argument 1 of 'upc_memget' from 'shared int *' to 'void *': a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread; use 'upc_memput'
  upc_memcpy(p, a, 4);  // expect-error: passing argument 1 of 'upc_memcpy' from 'int *' to 'shared void *': a pointer-to-local cannot become a pointer-to-shared; use 'upc_memget'
  upc_memput_nb(a, a, 4);  // expect-error: passing argument 2 of 'upc_memput_nb' from 'shared int *' to 'const void *': a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread; use 'upc_memcpy_nb'
  memcpy(p, a, 4);  // expect-error: passing argument 2 of 'memcpy' from 'shared int *' to 'const void *': a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread; use 'upc_memget'
  memset(a, 0, 4);  // expect-error: passing argument 1 of 'memset' from 'shared int *' to 'void *': a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread; use 'upc_memset'
  upc_memset(p, 0, 4);  // expect-error: passing argument 1 of 'upc_memset' from 'int *' to 'shared void *': a pointer-to-local cannot become a pointer-to-shared; use 'memset'
  free(&a[1]);  // expect-error: passing argument 1 of 'free' from 'shared int *' to 'void *': a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread; use 'upc_free'
  upc_free(p);  // expect-error: passing argument 1 of 'upc_free' from 'int *' to 'shared void *': a pointer-to-local cannot become a pointer-to-shared; use 'free'
  upc_memcpy(a, a, 4);
  upc_memget(p, a, 4);
  upc_memput(a, p, 4);
}
