// Affinity is an integer or a pointer-to-shared.
int *p;
shared int *q;
shared double d[4 * THREADS];
struct s { int a; } s;
void f(void) {
  int i;
  upc_forall (i = 0; i < 4; i++; p) ;  // expect-error: upc_forall affinity has type 'int *', which is neither an integer nor a pointer-to-shared
  upc_forall (i = 0; i < 4; i++; 1.0) ;  // expect-error: upc_forall affinity has type 'double', which is neither an integer nor a pointer-to-shared
  upc_forall (i = 0; i < 4; i++; s) ;  // expect-error: upc_forall affinity has type 'struct s', which is neither an integer nor a pointer-to-shared
  upc_forall (i = 0; i < 4; i++; d[i]) ;  // expect-error: upc_forall affinity has type 'double', which is neither an integer nor a pointer-to-shared; did you mean its address, with '&'?
  upc_forall (i = 0; i < 4; i++; &i) ;  // expect-error: upc_forall affinity has type 'int *', which is neither an integer nor a pointer-to-shared; leave out the '&'
  upc_forall (i = 0; i < 4; i++; q) ;
  upc_forall (i = 0; i < 4; i++; i) ;
  upc_forall (i = 0; i < 4; i++; continue) ;
  upc_forall (i = 0; i < 4; i++;) ;
  upc_forall (int k = 0; k < 4; k++; &q[k]) ;
  upc_forall (i = 0; i < 4; i++) ;  // expect-error: expected ';' and the affinity (fourth clause of upc_forall: an integer, an address in shared memory, or nothing) before ')' token
}
// Loops that are meant to be upc_forall are read as such.
shared int x[10 * THREADS];
int plain(int);
void g(int i) {
  upc_fral (i = 0; i < 4; i++; &x[i]) undeclared_1 = 1;  // expect-error: unknown loop 'upc_fral'; did you mean 'upc_forall'?  // expect-error: 'undeclared_1' undeclared (first use in this function)
  upc_foral (int k = 0; k < 4; k++; k) x[k] = 1;  // expect-error: unknown loop 'upc_foral'; did you mean 'upc_forall'?
  upcforall (i = 0; i < 4; i++; continue) { x[i] = 1; }  // expect-error: unknown loop 'upcforall'; did you mean 'upc_forall'?
  for_all (i = 0; i < 4; i++; ) x[i] = 1;  // expect-error: unknown loop 'for_all'; did you mean 'upc_forall'?
  for (i = 0; i < 4; i++; &x[i]) undeclared_2 = 1;  // expect-error: 'for' has three clauses; the loop with an affinity is 'upc_forall'  // expect-error: 'undeclared_2' undeclared (first use in this function)
  for (int k = 0; k < 4; k++;) x[k] = 1;  // expect-error: 'for' has three clauses; the loop with an affinity is 'upc_forall'
  upc_forall (int k = 0; k < 4; k++) undeclared_3 = k;  // expect-error: expected ';' and the affinity (fourth clause of upc_forall: an integer, an address in shared memory, or nothing) before ')' token  // expect-error: 'undeclared_3' undeclared (first use in this function)
  other (i);  // expect-warning: implicit declaration of function 'other' [-Wimplicit-function-declaration]
  plain (i; i);  // expect-error: expected ')' before ';' token  // expect-error: expected ';' before ')' token
}
// One message about a header. A header that does not end takes only its own statement.
void h(int n) {
  upc_forall (int k = 0; k < 4; k++; k; k) x[k] = 1;  // expect-error: expected ')' before ';' token
  for (int k = 0; k < 4) x[k] = 1;  // expect-error: expected ';' before ')' token
  for (n = 0; n < 4; n++ { n++; }  // expect-error: expected ')' before '{' token
  for (n = 0; n < 4; n++ n--;  // expect-error: expected ')' before 'n'
  undeclared_4 = 1;  // expect-error: 'undeclared_4' undeclared (first use in this function)
}
