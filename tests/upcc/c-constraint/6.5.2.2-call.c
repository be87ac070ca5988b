struct s { int a; } v;
int one(int), none(void), many(int, ...);
int i;
void f(void) {
  i(1);  // expect-error: called object 'i' is not a function or function pointer
  one();  // expect-error: too few arguments to function 'one': expected 1, have 0
  one(1, 2);  // expect-error: too many arguments to function 'one': expected 1, have 2
  none(1);  // expect-error: too many arguments to function 'none': expected 0, have 1
  many();  // expect-error: too few arguments to function 'many': expected at least 1, have 0
  many(1, 2, 3);
  one(v);  // expect-error: incompatible type for argument 1 of 'one': expected 'int' but argument is of type 'struct s'
  one(&i);  // expect-warning: passing argument 1 of 'one' makes integer from pointer without a cast: expected 'int' but argument is of type 'int *'; leave out the '&' [-Wint-conversion]
  i = f();  // expect-error: void value not ignored as it ought to be
}
