// Functions of the libraries without their header, and undeclared functions that get pointers-to-shared: C would take
// their results for int, and their arguments for something else.
shared int a[THREADS];
shared int *p;
int f(void) {
  bupc_poll();  // expect-error: function 'bupc_poll' is not declared: is '#include <upc.h>' missing?
  upc_all_broadcast(a, p, 8, 0);  // expect-error: function 'upc_all_broadcast' is not declared: is '#include <upc_collective.h>' missing?
  upc_free(p);  // expect-error: function 'upc_free' is not declared: is '#include <upc.h>' missing?
  upc_atomic_relaxed(0, 0, 0, p, 0, 0);  // expect-error: function 'upc_atomic_relaxed' is not declared: is '#include <upc_atomic.h>' missing?
  other(p);  // expect-warning: implicit declaration of function 'other' [-Wimplicit-function-declaration] // expect-error: argument 1 of 'other' is a pointer-to-shared 'shared int *', and 'other' is not declared: declare it before the call
  return other(1, a);  // expect-error: argument 2 of 'other' is a pointer-to-shared 'shared int *', and 'other' is not declared: declare it before the call
}
int g(int n, ...);
int h(void) { return g(1, p); }
