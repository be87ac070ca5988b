// The block size is part of type compatibility: redeclarations agree.
extern shared [2] int a[10 * THREADS];
extern shared [3] int a[10 * THREADS];  // expect-error: conflicting types for 'a'; have 'shared [3] int[10*THREADS]' with another block size
void f(shared [2] int *);
void f(shared [3] int *);  // expect-error: conflicting types for 'f'; have 'void(shared [3] int *)'
shared int b[THREADS];
extern shared int b[];
extern shared int b[2 * THREADS];  // expect-error: conflicting types for 'b'; have 'shared int[2*THREADS]'
