// A parameter is automatic, so it is not shared; arrays adjust to pointers first.
void f(shared int x);  // expect-error: parameter 'x' has shared type 'shared int'; a parameter is automatic
void g(int *shared p) {}  // expect-error: parameter 'p' has shared type 'int * shared'; a parameter is automatic
void h(shared int a[], shared [4] int b[10], shared int *c);
