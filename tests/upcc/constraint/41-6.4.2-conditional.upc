// Both operands of ?: are pointers-to-shared of one layout, or one is null or generic.
shared int *p;
shared [2] int *q;
int *l;
shared void *g;
void f(int c) {
  c ? p : l;  // expect-error: conditional expression mixes a pointer-to-shared and a pointer-to-local (have 'shared int *' and 'int *')
  c ? p : q;  // expect-error: pointer-to-shared type mismatch in conditional expression (have 'shared int *' and 'shared [2] int *')
  c ? p : 1;  // expect-error: type mismatch in conditional expression (have 'shared int *' and 'int')
  g = c ? p : 0;
  g = c ? g : p;
  g = c ? p : (void *)0;
}
