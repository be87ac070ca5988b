// Pointers with different block sizes have incompatible types.
shared [2] int *p;
shared [3] int *q;
shared int *r;
int f(void) {
  if (p == q) return 1;  // expect-error: comparison of pointers-to-shared with different block sizes (have 'shared [2] int *' and 'shared [3] int *'); cast one to the type of the other
  if (p < r) return 1;  // expect-error: comparison of pointers-to-shared with different block sizes (have 'shared [2] int *' and 'shared int *'); cast one to the type of the other
  return q - r;  // expect-error: difference of pointers-to-shared with different block sizes (have 'shared [3] int *' and 'shared int *'); cast one to the type of the other
}
shared [2] double *s;
long g(void) {
  return p - s;  // expect-error: invalid operands to binary - (have 'shared [2] int *' and 'shared [2] double *')
}
