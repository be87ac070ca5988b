// No binary operator mixes a pointer-to-shared with a pointer-to-local.
shared int *p;
int *q;
int f(void) {
  if (p == q) return 1;  // expect-error: operator '==' mixes a pointer-to-shared and a pointer-to-local (have 'shared int *' and 'int *')
  if (p < q) return 1;  // expect-error: operator '<' mixes a pointer-to-shared and a pointer-to-local (have 'shared int *' and 'int *')
  if (p && q) return 1;  // expect-error: operator '&&' mixes a pointer-to-shared and a pointer-to-local (have 'shared int *' and 'int *')
  return p - q;  // expect-error: operator '-' mixes a pointer-to-shared and a pointer-to-local (have 'shared int *' and 'int *')
}
