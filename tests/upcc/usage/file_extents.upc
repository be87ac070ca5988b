// Transfers of UPC-IO of more bytes than a variable has.
# 1 "upc_io.h" 1 3
typedef struct upc_file upc_file_t;
long upc_all_fwrite_shared(upc_file_t *fd, shared void *buffer, unsigned long block, unsigned long size, unsigned long n, int flags);
void upc_all_fread_shared_async(upc_file_t *fd, shared void *buffer, unsigned long block, unsigned long size, unsigned long n, int flags);
long upc_all_fread_local(upc_file_t *fd, void *buffer, unsigned long size, unsigned long n, int flags);
long upc_all_fwrite_local(upc_file_t *fd, void *buffer, unsigned long size, unsigned long n, int flags);
# 9 "file_extents.upc" 2
shared int a[64 * THREADS];
shared [] int whole[64];
extern shared [] int unknown[];
void f(upc_file_t *fd, unsigned long n, shared int *p) {
  int local[10];
  struct { int count; char text[8]; } record;
  upc_all_fwrite_shared(fd, a, 1, sizeof(int), 65 * THREADS, 0);  // expect-warning: 'upc_all_fwrite_shared' reads 260 * THREADS bytes of 'a', which has 256 * THREADS [-Wstringop-overread]
  upc_all_fread_shared_async(fd, whole, 0, sizeof(int), 65, 0);  // expect-warning: 'upc_all_fread_shared_async' writes 260 bytes of 'whole', which has 256 [-Wstringop-overflow]
  upc_all_fwrite_shared(fd, whole, 0, sizeof(int), 65 * THREADS, 0);  // expect-warning: 'upc_all_fwrite_shared' reads 260 * THREADS bytes of 'whole', which has 256 [-Wstringop-overread]
  upc_all_fread_local(fd, local, sizeof local, 2, 0);  // expect-warning: 'upc_all_fread_local' writes 80 bytes of 'local', which has 40 [-Wstringop-overflow]
  upc_all_fwrite_local(fd, &record.text, 1, 13, 0);  // expect-warning: 'upc_all_fwrite_local' reads 13 bytes of 'record', which has 12 [-Wstringop-overread]
  upc_all_fwrite_shared(fd, a, 1, sizeof(int), 64 * THREADS, 0);
  upc_all_fwrite_shared(fd, a, 1, sizeof(int), 65, 0);
  upc_all_fwrite_shared(fd, a, 1, sizeof(int), n, 0);
  upc_all_fwrite_shared(fd, whole, 0, sizeof(int), 64, 0);
  upc_all_fwrite_shared(fd, unknown, 0, sizeof(int), 1000, 0);
  upc_all_fwrite_shared(fd, p, 1, sizeof(int), 1000, 0);
  upc_all_fread_local(fd, local, 1, sizeof local, 0);
  upc_all_fwrite_local(fd, record.text, 1, 12, 0);
}
