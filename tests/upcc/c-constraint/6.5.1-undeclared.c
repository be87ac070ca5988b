int g = missing;  // expect-error: 'missing' undeclared here (not in a function)
int f(void) {
  unknown = 1;  // expect-error: 'unknown' undeclared (first use in this function)
  unknown = 2;
  implicit(3);  // expect-warning: implicit declaration of function 'implicit' [-Wimplicit-function-declaration]
  return other;  // expect-error: 'other' undeclared (first use in this function)
}
