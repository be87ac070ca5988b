// options: -Wall
// Warnings of C that the C compiler cannot give where shared objects are concerned.
shared int a[THREADS];
shared int *p;
# 6 "stdio.h" 1 3
int printf(const char *format, ...);
int sscanf(const char *text, const char *format, ...);
# 9 "shared-operands.upc" 2
int f(int x) {
  if (a[0] = 3) x++;  // expect-warning: suggest parentheses around assignment used as truth value [-Wparentheses]
  if ((a[0] = 3)) x++;
  while (p = 0) x++;
  printf("%p\n", p);  // expect-warning: no format stands for a pointer-to-shared: argument 2 of 'printf' has type 'shared int *'; its parts are what upc_threadof, upc_phaseof and upc_addrfield give [-Wformat]
  sscanf("1", "%d", &a[0]);  // expect-warning: no format stands for a pointer-to-shared: argument 3 of 'sscanf' has type 'shared int *'; its parts are what upc_threadof, upc_phaseof and upc_addrfield give [-Wformat]
  printf("%d\n", a[0]);
  a[0];  // expect-warning: statement with no effect [-Wunused-value]
  x += ({ a[0]; });
  return x + ({ x++; 3; });
}
