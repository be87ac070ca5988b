// No implicit conversion changes the block size; generic pointers convert either way.
shared [2] int *p;
shared [] int *q;
shared void *g;
void take(shared int *);
shared int *give(void) {
  p = q;  // expect-error: assignment of 'shared [] int *' to 'shared [2] int *': block sizes [] (indefinite) and 2 differ; use a 'shared [] int *', or a cast, which changes where the pointer moves
  shared int *r = p;  // expect-error: initialization of 'shared [2] int *' to 'shared int *': block sizes 2 and 1 differ; use a 'shared [2] int *', or a cast, which changes where the pointer moves
  take(q);  // expect-error: passing argument 1 of 'take' from 'shared [] int *' to 'shared int *': block sizes [] (indefinite) and 1 differ; use a 'shared [] int *', or a cast, which changes where the pointer moves
  g = p;
  q = g;
  p = (shared [2] int *)q;
  return p;  // expect-error: return of 'shared [2] int *' to 'shared int *': block sizes 2 and 1 differ; use a 'shared [2] int *', or a cast, which changes where the pointer moves
}
