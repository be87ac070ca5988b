// An error keeps only warnings about its own function back.
shared int flag;
extern shared nonsense unknown;  // expect-error: unknown type name 'nonsense'
void before(void) {
  while (!flag) ;  // expect-warning: loop waits for the relaxed 'flag', which orders nothing: what was written before it may be seen later; declare it strict, or use upc_fence after the loop [-Wupc-spin]
}
void wrong(void) {
  while (!flag) ;
  undeclared++;  // expect-error: 'undeclared' undeclared (first use in this function)
}
void after(void) {
  if (MYTHREAD == 0) upc_barrier;  // expect-warning: not all threads reach 'upc_barrier' [-Wupc-barrier]
}
void of_unknown_type(void) {
  while (!unknown) ;
  upc_forall (int i = 0; i < 10; i++; unknown) unknown++;
}
