// Arithmetic needs a complete referenced type.
struct s;
shared struct s *p;
void f(void) {
  p + 1;  // expect-error: arithmetic on a pointer to an incomplete type 'shared struct s'
  p++;  // expect-error: arithmetic on a pointer to an incomplete type 'shared struct s'
}
