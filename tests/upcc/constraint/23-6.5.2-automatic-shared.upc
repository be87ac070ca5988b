// No object with automatic storage duration is shared.
void f(void) {
  shared int x;  // expect-error: shared object 'x' has automatic storage duration; make it static or declare it outside the function
  shared int *y;
  int *shared z;  // expect-error: shared object 'z' has automatic storage duration; make it static or declare it outside the function
  shared int a[10 * THREADS];  // expect-error: shared object 'a' has automatic storage duration; make it static or declare it outside the function
  register shared int r;  // expect-error: shared object 'r' has automatic storage duration; make it static or declare it outside the function
  static shared int s;
  extern shared int e;
  for (shared int i; ;) break;  // expect-error: shared object 'i' has automatic storage duration; make it static or declare it outside the function
}
