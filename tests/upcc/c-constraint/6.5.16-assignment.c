const int c = 1;
struct k { const int x; } k, k2;
struct s { int a; } v;
struct t { int a; } w;
int a[2], *p, i;
const int *cp;
char *s;
void f(void) {
  c = 2;  // expect-error: assignment of read-only variable 'c'
  c++;  // expect-error: increment of read-only variable 'c'
  *cp = 1;  // expect-error: assignment of read-only location
  k.x = 1;  // expect-error: assignment of read-only member 'x'
  k = k2;  // expect-error: assignment of read-only variable 'k'
  a = a;  // expect-error: assignment to expression with array type
  1 = i;  // expect-error: lvalue required as left operand of assignment
  i + 1 = 2;  // expect-error: lvalue required as left operand of assignment
  v = w;  // expect-error: incompatible types when assigning to type 'struct s' from type 'struct t'
  i = v;  // expect-error: incompatible types when assigning to type 'int' from type 'struct s'
  p = cp;  // expect-warning: assignment discards 'const' qualifier from pointer target type [-Wdiscarded-qualifiers]
  p = s;  // expect-warning: assignment to 'int *' from incompatible pointer type 'char *' [-Wincompatible-pointer-types]
  p = i;  // expect-warning: assignment to 'int *' from 'int' makes pointer from integer without a cast; did you mean its address, with '&'? [-Wint-conversion]
  p = 0;
  v += 1;  // expect-error: invalid operands to binary + (have 'struct s' and 'int')
}
