// Relational operators need a complete referenced type.
struct s;
shared void *p, *q;
shared struct s *r, *t;
int f(void) {
  if (p < q) return 1;  // expect-error: operator '<' on a pointer-to-shared with incomplete type (have 'shared void *' and 'shared void *')
  if (r >= t) return 1;  // expect-error: operator '>=' on a pointer-to-shared with incomplete type (have 'shared struct s *' and 'shared struct s *')
  if (r == t) return 1;
  return p != q;
}
