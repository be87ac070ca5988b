// Affinity is an integer or a pointer-to-shared.
int *p;
shared int *q;
struct s { int a; } s;
void f(void) {
  int i;
  upc_forall (i = 0; i < 4; i++; p) ;  // expect-error: upc_forall affinity has type 'int *', which is neither an integer nor a pointer-to-shared
  upc_forall (i = 0; i < 4; i++; 1.0) ;  // expect-error: upc_forall affinity has type 'double', which is neither an integer nor a pointer-to-shared
  upc_forall (i = 0; i < 4; i++; s) ;  // expect-error: upc_forall affinity has type 'struct s', which is neither an integer nor a pointer-to-shared
  upc_forall (i = 0; i < 4; i++; q) ;
  upc_forall (i = 0; i < 4; i++; i) ;
  upc_forall (i = 0; i < 4; i++; continue) ;
  upc_forall (i = 0; i < 4; i++;) ;
  upc_forall (int k = 0; k < 4; k++; &q[k]) ;
  upc_forall (i = 0; i < 4; i++) ;  // expect-error: expected ';' and the affinity (fourth clause of upc_forall: an integer, an address in shared memory, or nothing) before ')' token
}
