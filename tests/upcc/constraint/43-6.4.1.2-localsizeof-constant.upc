// Sizes of shared types: constants, except sizeof with dynamic THREADS.
shared [3] int a[10 * THREADS];
shared [] double b[7];
shared int c;
_Static_assert(upc_localsizeof(a) == 12 * sizeof(int), "");
_Static_assert(upc_blocksizeof(a) == 3, "");
_Static_assert(upc_elemsizeof(a) == sizeof(int), "");
_Static_assert(upc_localsizeof(b) == 7 * sizeof(double), "");
_Static_assert(upc_blocksizeof(b) == 0, "");
_Static_assert(upc_localsizeof c == 4, "");
_Static_assert(upc_blocksizeof(c) == 1, "");
_Static_assert(upc_elemsizeof(shared char [5 * THREADS]) == 1, "");
_Static_assert(sizeof(a[0]) == 4, "");
_Static_assert(sizeof(a) == 40, "");  // expect-error: expression in static assertion is not constant
