struct s { int a; } v;
int *p, i;
double d;
void f(void) {
  v + 1;  // expect-error: invalid operands to binary + (have 'struct s' and 'int')
  p + p;  // expect-error: invalid operands to binary + (have 'int *' and 'int *')
  d % 2;  // expect-error: invalid operands to binary % (have 'double' and 'int')
  p * 2;  // expect-error: invalid operands to binary * (have 'int *' and 'int')
  d << 1;  // expect-error: invalid operands to binary << (have 'double' and 'int')
  v == v;  // expect-error: invalid operands to binary == (have 'struct s' and 'struct s')
  v && 1;  // expect-error: invalid operands to binary && (have 'struct s' and 'int')
  p == 5;  // expect-warning: comparison between pointer and integer
  p == &d;  // expect-warning: comparison of distinct pointer types lacks a cast
  p - &d;  // expect-error: invalid operands to binary - (have 'int *' and 'double *')
  i / 0;  // expect-warning: division by zero [-Wdiv-by-zero]
  1 ? i / 0 : 2;  // expect-warning: division by zero [-Wdiv-by-zero]
  0 || i % 0;  // expect-warning: division by zero [-Wdiv-by-zero]
  i ? 1 : i / 0;  // expect-warning: division by zero [-Wdiv-by-zero]
  i = 0 ? i / 0 : 1 ? 2 : i % 0;
  i = (0 && i / 0) + (1 || i / 0) + (int)sizeof(i / 0) + (__typeof__(i / 0))1;
  v ? 1 : 2;  // expect-error: used struct type value where scalar is required
  i ? v : 1;  // expect-error: type mismatch in conditional expression (have 'struct s' and 'int')
  i ? p : 3;  // expect-warning: pointer/integer type mismatch in conditional expression
}
