// The expression of a barrier statement is assignable to int.
struct s { int a; } s;
shared int *p;
int *q;
void f(void) {
  upc_barrier s;  // expect-error: barrier expression has type 'struct s', which is not convertible to 'int'
  upc_notify p;  // expect-error: barrier expression has type 'shared int *', which is not convertible to 'int'
  upc_wait q;  // expect-error: barrier expression has type 'int *', which is not convertible to 'int'
  upc_barrier 1.5;
  upc_barrier 'a' + 3;
  upc_fence 3;  // expect-error: expected ';' after 'upc_fence'
  upc_barrier upc_fence;  // expect-error: expected ';' or an expression after 'upc_barrier'
  upc_notify
  upc_wait;  // expect-error@-1: expected ';' or an expression after 'upc_notify'
  upc_barrier return;  // expect-error: expected ';' or an expression after 'upc_barrier'
}
// Not functions, and no value from the next line by mistake.
void nothing(void);
int calls(int x) {
  upc_barrier();  // expect-error: 'upc_barrier' is a statement and no function; leave out '()'
  upc_notify();  // expect-error: 'upc_notify' is a statement and no function; leave out '()'
  upc_wait ();  // expect-error: 'upc_wait' is a statement and no function; leave out '()'
  upc_fence();  // expect-error: 'upc_fence' is a statement and no function; leave out '()'
  upc_barrier (1);
  upc_barrier
  x = 2;  // expect-warning@-1: the next line is taken as the value of 'upc_barrier'; is ';' missing? [-Wupc-barrier-value]
  upc_notify  // expect-warning: the next line is taken as the value of 'upc_notify'; is ';' missing? [-Wupc-barrier-value]
  nothing();  // expect-error: barrier expression has type 'void', which is not convertible to 'int'
  upc_wait x +
    1;
  upc_fence
  x++;  // expect-error@-1: expected ';' after 'upc_fence'
  return x;
}
