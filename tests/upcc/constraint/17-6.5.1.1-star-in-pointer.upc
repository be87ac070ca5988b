// The layout [*] does not appear in the declaration of a pointer.
shared [*] int *p;  // expect-error: layout '[*]' in the declaration of a pointer; write a number instead of '*', or 'upc_blocksizeof(ARRAY)' to point into ARRAY
void f(shared [*] int *q);  // expect-error: layout '[*]' in the declaration of a pointer; write a number instead of '*', or 'upc_blocksizeof(ARRAY)' to point into ARRAY
void *g(void) {
  return (void *)(shared [*] int *)0;  // expect-error: layout '[*]' in the declaration of a pointer; write a number instead of '*', or 'upc_blocksizeof(ARRAY)' to point into ARRAY
}
shared [*] int array[4 * THREADS];
shared [upc_blocksizeof(array)] int *into_array = array;
