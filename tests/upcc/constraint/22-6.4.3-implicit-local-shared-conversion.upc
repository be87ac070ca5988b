// No implicit conversion between pointers-to-shared and pointers-to-local, or integers.
shared int *p;
int *q;
void *v;
shared void *g;
int i;
void take(int *), take_shared(shared int *);
void f(void) {
  q = p;  // expect-error: assignment of 'shared int *' to 'int *': a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread
  p = q;  // expect-error: assignment of 'int *' to 'shared int *': a pointer-to-local cannot become a pointer-to-shared
  v = p;  // expect-error: assignment of 'shared int *' to 'void *': a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread
  g = v;  // expect-error: assignment of 'void *' to 'shared void *': a pointer-to-local cannot become a pointer-to-shared
  take(p);  // expect-error: passing argument 1 of 'take' from 'shared int *' to 'int *': a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread
  take_shared(q);  // expect-error: passing argument 1 of 'take_shared' from 'int *' to 'shared int *': a pointer-to-local cannot become a pointer-to-shared
  p = 5;  // expect-error: assignment to 'shared int *' from 'int' makes pointer from integer without a cast
  i = p;  // expect-error: assignment to 'int' from 'shared int *' makes integer from pointer without a cast
  q = (int *)p;
  p = 0;
  p = (void *)0;
}
// What may have been meant.
typedef unsigned long size_t;
void *malloc(size_t);
shared void *upc_alloc(size_t);
size_t upc_threadof(shared const void *);
struct s { int i; } one;
shared int elements[THREADS];
void meant(void) {
  shared int *q = upc_alloc;  // expect-error: initialization of 'shared void * (*)(long unsigned int)' to 'shared int *': a pointer-to-local cannot become a pointer-to-shared; 'upc_alloc' is a function: call it, as 'upc_alloc(...)'
  q = malloc(4);  // expect-error: assignment of 'void *' to 'shared int *': a pointer-to-local cannot become a pointer-to-shared; use 'upc_alloc' for shared memory
  int i = upc_threadof;  // expect-warning: initialization of 'int' from 'long unsigned int (*)(shared const void *)' makes integer from pointer without a cast; 'upc_threadof' is a function: call it, as 'upc_threadof(...)' [-Wint-conversion]
  upc_threadof(elements[0]);  // expect-error: passing argument 1 of 'upc_threadof' makes pointer from integer without a cast: expected 'shared const void *' but argument is of type 'int'; did you mean its address, with '&'?
  upc_threadof(i);  // expect-error: passing argument 1 of 'upc_threadof' makes pointer from integer without a cast: expected 'shared const void *' but argument is of type 'int'
  upc_threadof(elements[0] + 1);  // expect-error: passing argument 1 of 'upc_threadof' makes pointer from integer without a cast: expected 'shared const void *' but argument is of type 'int'
}
