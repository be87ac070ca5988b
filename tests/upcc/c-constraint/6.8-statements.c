struct s { int a; } v;
int f(int n) {
  break;  // expect-error: break statement not within loop or switch
  continue;  // expect-error: continue statement not within a loop
  case 1:;  // expect-error: case label not within a switch statement
  default:;  // expect-error: 'default' label not within a switch statement
  switch (n) {
    case 1: case 1:;  // expect-error: duplicate case value
    case 2 ... 5: case 4:;  // expect-error: duplicate case value
    case n:;  // expect-error: case label does not reduce to an integer constant
    default: default:;  // expect-error: multiple default labels in one switch
  }
  switch (v) {}  // expect-error: switch quantity not an integer
  if (v) ;  // expect-error: used struct type value where scalar is required
  while (f(1), v) ;  // expect-error: used struct type value where scalar is required
  goto nowhere;  // expect-error: label 'nowhere' used but not defined
  twice:; twice:;  // expect-error: duplicate label 'twice'
  goto vla;  // expect-error: jump into scope of identifier with variably modified type
  { int a[n]; vla:; }
  else ;  // expect-error: 'else' without a previous 'if'
  int inner(void) { return 1; }  // expect-error: nested functions are not supported: define 'inner' at file scope; is a '}' missing before it?
  static int last(int i) { return i; }  // expect-error: nested functions are not supported: define 'last' at file scope; is a '}' missing before it?
  if (inner() == last(1)) ;
  return v;  // expect-error: incompatible types when returning type 'struct s' but 'int' was expected
}
void g(void) { return 1; }  // expect-warning: 'return' with a value, in function returning void [-Wreturn-type]
int h(void) { return; }  // expect-warning: 'return' with no value, in function returning non-void [-Wreturn-type]
