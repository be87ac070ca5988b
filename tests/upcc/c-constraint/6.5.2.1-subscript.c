int a[3], i;
double d;
void f(void) {
  i[i];  // expect-error: subscripted value is neither array nor pointer nor vector
  a[d];  // expect-error: array subscript is not an integer
  f[0];  // expect-error: subscripted value is pointer to function
}
