// [*] is ceil(N / THREADS) on ultimate elements.
// options: -T4
shared [*] int a[10];
shared [*] char b[2][9];
shared [*] int c;
_Static_assert(upc_blocksizeof(a) == 3, "");
_Static_assert(upc_blocksizeof(b) == 5, "");
_Static_assert(upc_blocksizeof(c) == 1, "");
_Static_assert(upc_blocksizeof(shared [*] int [17]) == 5, "");
