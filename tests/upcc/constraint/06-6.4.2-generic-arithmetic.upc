// A generic pointer-to-shared does not move.
shared void *p, *q;
int i;
void f(void) {
  p + 1;  // expect-error: arithmetic on a pointer of type 'shared void *'; cast it to a pointer to the type of the elements
  p - i;  // expect-error: arithmetic on a pointer of type 'shared void *'; cast it to a pointer to the type of the elements
  p++;  // expect-error: arithmetic on a pointer of type 'shared void *'; cast it to a pointer to the type of the elements
  --p;  // expect-error: arithmetic on a pointer of type 'shared void *'; cast it to a pointer to the type of the elements
  p += 2;  // expect-error: arithmetic on a pointer of type 'shared void *'; cast it to a pointer to the type of the elements
  p[1];  // expect-error: arithmetic on a pointer of type 'shared void *'; cast it to a pointer to the type of the elements
  p - q;  // expect-error: arithmetic on a pointer of type 'shared void *'; cast it to a pointer to the type of the elements
  *p;  // expect-error: dereferencing a pointer to 'shared void'
}
