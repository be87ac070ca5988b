// The layout [*] does not appear in the declaration of a pointer.
shared [*] int *p;  // expect-error: layout '[*]' in the declaration of a pointer
void f(shared [*] int *q);  // expect-error: layout '[*]' in the declaration of a pointer
void *g(void) {
  return (void *)(shared [*] int *)0;  // expect-error: layout '[*]' in the declaration of a pointer
}
