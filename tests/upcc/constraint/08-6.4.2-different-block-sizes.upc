// Pointers with different block sizes have incompatible types.
shared [2] int *p;
shared [3] int *q;
shared int *r;
int f(void) {
  if (p == q) return 1;  // expect-error: comparison of pointers-to-shared with different block sizes (have 'shared [2] int *' and 'shared [3] int *')
  if (p < r) return 1;  // expect-error: comparison of pointers-to-shared with different block sizes (have 'shared [2] int *' and 'shared int *')
  return q - r;  // expect-error: invalid operands to binary - (have 'shared [3] int *' and 'shared int *')
}
