// With dynamic THREADS the factor THREADS cancels.
shared [*] int a[10 * THREADS];
shared [*] int b[2][THREADS][3];
_Static_assert(upc_blocksizeof(a) == 10, "");
_Static_assert(upc_blocksizeof(b) == 6, "");
_Static_assert(upc_localsizeof(b) == 24, "");
