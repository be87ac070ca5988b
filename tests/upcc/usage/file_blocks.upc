// Block sizes that functions of UPC-IO are given, and those of the arrays.
# 1 "upc_io.h" 1 3
typedef struct upc_file upc_file_t;
long upc_all_fwrite_shared(upc_file_t *fd, shared void *buffer, unsigned long block, unsigned long size, unsigned long n, int flags);
long upc_all_fread_shared(upc_file_t *fd, shared void *buffer, unsigned long block, unsigned long size, unsigned long n, int flags);
# 7 "file_blocks.upc" 2
shared [4] int a[64 * THREADS];
shared [] int whole[64];
void f(upc_file_t *fd, unsigned long n, shared [4] int *p) {
  upc_all_fwrite_shared(fd, a, 3, sizeof(int), 64, 0);  // expect-warning: 'upc_all_fwrite_shared' is given blocks of 12 bytes, and 'a' has blocks of 16; upc_blocksizeof gives the block size of an array [-Wupc-file-blocks]
  upc_all_fread_shared(fd, &a[4], 8, sizeof(int), n, 0);  // expect-warning: 'upc_all_fread_shared' is given blocks of 32 bytes, and 'a' has blocks of 16; upc_blocksizeof gives the block size of an array [-Wupc-file-blocks]
  upc_all_fwrite_shared(fd, a, 4, sizeof(int), 64, 0);
  upc_all_fwrite_shared(fd, a, 16, 1, n, 0);
  upc_all_fwrite_shared(fd, a, 8, sizeof(int), 4, 0);
  upc_all_fwrite_shared(fd, a, n, sizeof(int), 64, 0);
  upc_all_fwrite_shared(fd, (shared [8] int *)a, 8, sizeof(int), 64, 0);
  upc_all_fwrite_shared(fd, whole, 64, sizeof(int), 64, 0);
  upc_all_fwrite_shared(fd, p, 8, sizeof(int), 64, 0);
}
