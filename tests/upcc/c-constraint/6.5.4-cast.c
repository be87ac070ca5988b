struct s { int a; } v;
int *p;
double d;
void f(void) {
  (struct s)1;  // expect-error: conversion to non-scalar type requested
  (int)v;  // expect-error: aggregate value used where an integer was expected
  (int *)d;  // expect-error: cannot convert to a pointer type
  (double)p;  // expect-error: pointer value used where a floating-point was expected
  (int[3])p;  // expect-error: cast specifies array type
  (int)f();  // expect-error: void value not ignored as it ought to be
  (void)v;
}
