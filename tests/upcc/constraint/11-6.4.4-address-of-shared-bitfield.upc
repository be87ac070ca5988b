// The address of a bit-field, shared or not, cannot be taken.
struct s { int a : 4; int b; };
shared struct s x;
void f(void) {
  &x.a;  // expect-error: cannot take address of shared bit-field 'a'
  shared [] int *p = &x.b;
}
