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
