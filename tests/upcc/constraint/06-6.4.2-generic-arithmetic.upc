// A generic pointer-to-shared does not move.
shared void *p, *q;
int i;
void f(void) {
  p + 1;  // expect-error: arithmetic on a pointer of type 'shared void *'
  p - i;  // expect-error: arithmetic on a pointer of type 'shared void *'
  p++;  // expect-error: arithmetic on a pointer of type 'shared void *'
  --p;  // expect-error: arithmetic on a pointer of type 'shared void *'
  p += 2;  // expect-error: arithmetic on a pointer of type 'shared void *'
  p[1];  // expect-error: arithmetic on a pointer of type 'shared void *'
  p - q;  // expect-error: arithmetic on a pointer of type 'shared void *'
  *p;  // expect-error: dereferencing a pointer to 'shared void'
}
