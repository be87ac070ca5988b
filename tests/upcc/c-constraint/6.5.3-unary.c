struct s { int b : 3; } v;
register int file_scope;  // expect-error: file-scope declaration of 'file_scope' specifies 'register'
void f(void) {
  register int r;
  int *p, i;
  &v.b;  // expect-error: cannot take address of bit-field 'b'
  &r;  // expect-error: address of register variable 'r' requested
  &1;  // expect-error: lvalue required as unary '&' operand
  *i;  // expect-error: invalid type argument of unary '*' (have 'int')
  -v;  // expect-error: wrong type argument to unary minus
  ~p;  // expect-error: wrong type argument to bit-complement
  !v;  // expect-error: wrong type argument to unary exclamation mark
  ++5;  // expect-error: lvalue required as increment operand
  v--;  // expect-error: wrong type argument to decrement
  sizeof(struct nowhere);  // expect-error: invalid application of 'sizeof' to incomplete type 'struct nowhere'
  sizeof v.b;  // expect-error: 'sizeof' applied to a bit-field
}
