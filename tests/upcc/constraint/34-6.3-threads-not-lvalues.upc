// MYTHREAD and THREADS are values, not objects.
void f(void) {
  MYTHREAD = 1;  // expect-error: lvalue required as left operand of assignment
  THREADS++;  // expect-error: lvalue required as increment operand
  &MYTHREAD;  // expect-error: lvalue required as unary '&' operand
  int x = MYTHREAD + THREADS;
}
