// MYTHREAD and THREADS are values, not objects.
void f(void) {
  MYTHREAD = 1;  // expect-error: lvalue required as left operand of assignment; 'MYTHREAD' is a value that cannot be changed
  THREADS++;  // expect-error: lvalue required as increment operand; 'THREADS' is a value that cannot be changed
  &MYTHREAD;  // expect-error: lvalue required as unary '&' operand
  int x = MYTHREAD + THREADS;
}
int g(void) {
  return MYTHREAD() +  // expect-error: 'MYTHREAD' is a value and no function; leave out '()'
         THREADS();  // expect-error: 'THREADS' is a value and no function; leave out '()'
}
