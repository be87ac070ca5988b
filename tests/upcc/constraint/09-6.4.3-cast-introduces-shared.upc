// A cast cannot make a pointer-to-local a pointer-to-shared; only a null pointer constant may become one.
int *p;
long n;
int **pp;
void f(void) {
  shared int *q = (shared int *)p;  // expect-error: cast from 'int *' to 'shared int *' introduces 'shared': a pointer-to-local cannot become a pointer-to-shared
  q = (shared int *)n;  // expect-error: cast from 'long int' to 'shared int *' introduces 'shared': a pointer-to-local cannot become a pointer-to-shared
  q = (shared int *)5;  // expect-error: cast from 'int' to 'shared int *' introduces 'shared': a pointer-to-local cannot become a pointer-to-shared
  q = (shared int *)0;
  q = (shared int *)(void *)0;
  shared int **r = (shared int **)pp;  // expect-error: cast from 'int **' to 'shared int **' introduces 'shared': a pointer-to-local cannot become a pointer-to-shared
  r = (shared int **)(void *)pp;
}
