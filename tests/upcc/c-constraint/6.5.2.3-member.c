struct s { int a; } v, *p;
struct incomplete *q;
int i;
void f(void) {
  v.b;  // expect-error: 'struct s' has no member named 'b'
  p->b;  // expect-error: 'struct s' has no member named 'b'
  p.a;  // expect-error: 'struct s *' is a pointer; did you mean to use '->'?
  v->a;  // expect-error: invalid type argument of '->' (have 'struct s'); did you mean to use '.'?
  i.a;  // expect-error: request for member 'a' in something not a structure or union
  q->a;  // expect-error: invalid use of undefined type 'struct incomplete'
}
