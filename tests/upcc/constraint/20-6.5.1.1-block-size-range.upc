// A block size is a constant from 0 to UPC_MAX_BLOCK_SIZE.
// options: -T2
int n;
shared [-1] int a[4];  // expect-error: block size is negative
shared [1099511627776] char b[4];  // expect-error: block size is larger than UPC_MAX_BLOCK_SIZE (1099511627775)
shared [n] int c[4];  // expect-error: block size is not an integer constant expression: 'n' is a variable; make it a macro or an enumeration constant
shared [1.5] int d[4];  // expect-error: block size is not an integer
shared [*] char e[2199023255554];  // expect-error: layout '[*]' gives a block size larger than UPC_MAX_BLOCK_SIZE (1099511627775)
shared [1099511627775] char ok[4];
