// No implicit conversion between pointers-to-shared and pointers-to-local, or integers.
shared int *p;
int *q;
void *v;
shared void *g;
int i;
void take(int *), take_shared(shared int *);
void f(void) {
  q = p;  // expect-error: assignment of 'shared int *' to 'int *': a pointer-to-shared becomes a pointer-to-local only with a cast
  p = q;  // expect-error: assignment of 'int *' to 'shared int *': a pointer-to-local cannot become a pointer-to-shared
  v = p;  // expect-error: assignment of 'shared int *' to 'void *': a pointer-to-shared becomes a pointer-to-local only with a cast
  g = v;  // expect-error: assignment of 'void *' to 'shared void *': a pointer-to-local cannot become a pointer-to-shared
  take(p);  // expect-error: passing argument 1 of 'take' from 'shared int *' to 'int *': a pointer-to-shared becomes a pointer-to-local only with a cast
  take_shared(q);  // expect-error: passing argument 1 of 'take_shared' from 'int *' to 'shared int *': a pointer-to-local cannot become a pointer-to-shared
  p = 5;  // expect-error: assignment to 'shared int *' from 'int' makes pointer from integer without a cast
  i = p;  // expect-error: assignment to 'int' from 'shared int *' makes integer from pointer without a cast
  q = (int *)p;
  p = 0;
  p = (void *)0;
}
