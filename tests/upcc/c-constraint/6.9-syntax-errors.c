int a = ;  // expect-error: expected expression before ';' token
int b
int c;  // expect-error@-1: expected ';' before 'int'
int f(void) {
  int x = 1
  x = 2;  // expect-error@-1: expected ';' before 'x'
  if (x {  // expect-error: expected ')' before '{' token
  }
  x = (1 + 2;  // expect-error: expected ')' before ';' token
  return x;
}
struct { int m } s;  // expect-warning: no semicolon at end of struct or union
int good(void) { return c; }  // parsing goes on where only a semicolon is missing
}  // expect-error: expected identifier or '(' before '}' token
