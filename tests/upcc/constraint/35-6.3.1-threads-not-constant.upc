// With dynamic THREADS, THREADS is no constant expression.
int a[THREADS];  // expect-error: variably modified 'a' at file scope; use -T for a fixed number of threads
enum { n = THREADS };  // expect-error: enumerator value for 'n' is not an integer constant; use -T for a fixed number of threads
int x = THREADS;  // expect-error: initializer element is not constant; use -T for a fixed number of threads
struct s { int b : THREADS; };  // expect-error: bit-field 'b' width not an integer constant; use -T for a fixed number of threads
int f(int i) {
  int vla[THREADS];
  switch (i) {
    case THREADS - 1: return 1;  // expect-error: case label does not reduce to an integer constant; use -T for a fixed number of threads
  }
  return vla[0];
}
enum { size = 24 };
shared [size * size / THREADS] int b[size][size * THREADS];  // expect-error: block size is not an integer constant expression; use -T for a fixed number of threads
struct t { int c[THREADS]; };  // expect-error: a member of a structure or union cannot have a variably modified type; use -T for a fixed number of threads
int n_of(int i) {
  switch (i) {
    case i: return 1;  // expect-error: case label does not reduce to an integer constant
  }
  return 0;
}
int size_of_box;
const int side = 3;
int box[2 * size_of_box];  // expect-error: variably modified 'box' at file scope: 'size_of_box' is a variable; make it a macro or an enumeration constant
shared [side + 1] int blocks[THREADS];  // expect-error: block size is not an integer constant expression: 'side' is a variable, though const; make it a macro or an enumeration constant
shared [n_of(1)] int calls[THREADS];  // expect-error: block size is not an integer constant expression
int static_size(int i) {
  static int values[size_of_box];  // expect-error: storage size of 'values' isn't constant: 'size_of_box' is a variable; make it a macro or an enumeration constant
  switch (i) {
    case size_of_box: return 1;  // expect-error: case label does not reduce to an integer constant: 'size_of_box' is a variable; make it a macro or an enumeration constant
  }
  return values[0];
}
int by_thread = 2 * MYTHREAD;  // expect-error: initializer element is not constant: MYTHREAD differs from thread to thread
shared int one_each[MYTHREAD];  // expect-error: variably modified 'one_each' at file scope: MYTHREAD differs from thread to thread
double ratio = 1.5 * size_of_box;  // expect-error: initializer element is not constant: 'size_of_box' is a variable; make it a macro or an enumeration constant
void vla_with_values(void) {
  int values[THREADS] = {0};  // expect-error: variable-sized object may not be initialized; use -T for a fixed number of threads
}
