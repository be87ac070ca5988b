// UPC_MAX_BLOCK_SIZE bounds the block size of [*], too.
shared [*] char a[1099511627775 * THREADS];
shared [*] char b[1099511627776 * THREADS];  // expect-error: layout '[*]' gives a block size larger than UPC_MAX_BLOCK_SIZE (1099511627775)
