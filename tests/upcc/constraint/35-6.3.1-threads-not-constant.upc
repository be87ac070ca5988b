// With dynamic THREADS, THREADS is no constant expression.
int a[THREADS];  // expect-error: variably modified 'a' at file scope
enum { n = THREADS };  // expect-error: enumerator value for 'n' is not an integer constant
int x = THREADS;  // expect-error: initializer element is not constant
struct s { int b : THREADS; };  // expect-error: bit-field 'b' width not an integer constant
int f(int i) {
  int vla[THREADS];
  switch (i) {
    case THREADS: return 1;  // expect-error: case label does not reduce to an integer constant
  }
  return vla[0];
}
