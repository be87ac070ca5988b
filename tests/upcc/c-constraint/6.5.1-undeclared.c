int g = missing;  // expect-error: 'missing' undeclared here (not in a function)
int f(void) {
  unknown = 1;  // expect-error: 'unknown' undeclared (first use in this function)
  unknown = 2;
  implicit(3);  // expect-warning: implicit declaration of function 'implicit' [-Wimplicit-function-declaration]
  return other;  // expect-error: 'other' undeclared (first use in this function)
}
// A call that declares its function does so in the innermost block, and with linkage.
int same_block(void) {
  later_a(1);  // expect-warning: implicit declaration of function 'later_a' [-Wimplicit-function-declaration]
  int later_a = 3;  // expect-error: 'later_a' redeclared as different kind of symbol
  return later_a;
}
int inner_block(void) {
  later_b(1);  // expect-warning: implicit declaration of function 'later_b' [-Wimplicit-function-declaration]
  {
    int later_b = 3;
    return later_b;
  }
}
int again(int later_b) { return later_b; }
int third(void) { return later_b(2); }
int linked(void) {
  later_c(1);  // expect-warning: implicit declaration of function 'later_c' [-Wimplicit-function-declaration]
  {
    extern int later_c;  // expect-error: 'later_c' redeclared as different kind of symbol
    return later_c;
  }
}
int used_at_file_scope(void) { return later_d(1); }  // expect-warning: implicit declaration of function 'later_d' [-Wimplicit-function-declaration]
int later_d;  // expect-error: 'later_d' redeclared as different kind of symbol
void upc_memcpy(void);
void headers(void) {
  memcpy(0, 0, 1);  // expect-warning: implicit declaration of function 'memcpy': is '#include <string.h>' missing, or should it be 'upc_memcpy'? [-Wimplicit-function-declaration]
  qsort(0, 0, 0, 0);  // expect-warning: implicit declaration of function 'qsort': is '#include <stdlib.h>' missing? [-Wimplicit-function-declaration]
}
