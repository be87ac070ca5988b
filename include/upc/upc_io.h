/* <upc_io.h>: parallel files (UPC-IO 1.0). docs/UPC-IO.md says what files are, which flags and hints have an effect,
 * and what each error means.
 *
 * All functions are collective. Unless it says so, an argument is the same on all threads. An error is reported to all
 * threads at once, with the same errno. Sizes and offsets are in bytes, those named nmemb and blocksize of the
 * functions without lists in elements of `size` bytes. */
#ifndef UPC_IO_H
#define UPC_IO_H

#ifndef __UPC__
#error "This header is for UPC: compile the file with upcc, with -x upc before it if its name ends with .c."
#include "upc: C ends here" /* not there: the rest would be errors only */
#endif

#include <stddef.h>
#include <upc_io_flags.h>
#include <upc_types.h>

typedef long upc_off_t;
typedef shared struct upcr_file upc_file_t;

typedef struct upc_hint {
  const char *key;
  const char *value;
} upc_hint_t;

/* Parts of private memory, of shared memory (block size in bytes; 0: all on one thread), of a file. */
struct upc_local_memvec {
  void *baseaddr;
  size_t len;
};
struct upc_shared_memvec {
  shared void *baseaddr;
  size_t blocksize;
  size_t len;
};
struct upc_filevec {
  upc_off_t offset;
  size_t len;
};

/* ---- Files ---- */
/* Each thread gives the name by which it reaches the file. NULL on all threads if that fails on one. */
upc_file_t *upc_all_fopen(const char *fname, int flags, size_t numhints, struct upc_hint const *hints);
int upc_all_fclose(upc_file_t *fd);
int upc_all_fsync(upc_file_t *fd);
/* With individual file pointers each thread gives its own offset and origin. */
upc_off_t upc_all_fseek(upc_file_t *fd, upc_off_t offset, int origin);
int upc_all_fset_size(upc_file_t *fd, upc_off_t size);
upc_off_t upc_all_fget_size(upc_file_t *fd);
int upc_all_fpreallocate(upc_file_t *fd, upc_off_t size);
int upc_all_fcntl(upc_file_t *fd, int cmd, void *arg);

/* ---- Reading and writing at file pointers ----
 * With individual file pointers each thread gives arguments of its own and gets the bytes it moved; with a common one
 * all give the same and get the bytes that all moved. Local buffers need individual ones. */
upc_off_t upc_all_fread_local(upc_file_t *fd, void *buffer, size_t size, size_t nmemb, upc_flag_t flags);
upc_off_t upc_all_fread_shared(upc_file_t *fd, shared void *buffer, size_t blocksize, size_t size, size_t nmemb,
                               upc_flag_t flags);
upc_off_t upc_all_fwrite_local(upc_file_t *fd, void *buffer, size_t size, size_t nmemb, upc_flag_t flags);
upc_off_t upc_all_fwrite_shared(upc_file_t *fd, shared void *buffer, size_t blocksize, size_t size, size_t nmemb,
                                upc_flag_t flags);

/* ---- Lists: each thread gives its own; offsets do not decrease; file pointers stay where they are ---- */
upc_off_t upc_all_fread_list_local(upc_file_t *fd, size_t memvec_entries, struct upc_local_memvec const *memvec,
                                   size_t filevec_entries, struct upc_filevec const *filevec, upc_flag_t flags);
upc_off_t upc_all_fread_list_shared(upc_file_t *fd, size_t memvec_entries, struct upc_shared_memvec const *memvec,
                                    size_t filevec_entries, struct upc_filevec const *filevec, upc_flag_t flags);
upc_off_t upc_all_fwrite_list_local(upc_file_t *fd, size_t memvec_entries, struct upc_local_memvec const *memvec,
                                    size_t filevec_entries, struct upc_filevec const *filevec, upc_flag_t flags);
upc_off_t upc_all_fwrite_list_shared(upc_file_t *fd, size_t memvec_entries, struct upc_shared_memvec const *memvec,
                                     size_t filevec_entries, struct upc_filevec const *filevec, upc_flag_t flags);

/* ---- Asynchronous forms: one may be outstanding per file; lists may be reused at once, buffers when it is complete.
 * What the blocking form would have returned comes from the two functions at the end. ---- */
void upc_all_fread_local_async(upc_file_t *fd, void *buffer, size_t size, size_t nmemb, upc_flag_t flags);
void upc_all_fread_shared_async(upc_file_t *fd, shared void *buffer, size_t blocksize, size_t size, size_t nmemb,
                                upc_flag_t flags);
void upc_all_fwrite_local_async(upc_file_t *fd, void *buffer, size_t size, size_t nmemb, upc_flag_t flags);
void upc_all_fwrite_shared_async(upc_file_t *fd, shared void *buffer, size_t blocksize, size_t size, size_t nmemb,
                                 upc_flag_t flags);
void upc_all_fread_list_local_async(upc_file_t *fd, size_t memvec_entries, struct upc_local_memvec const *memvec,
                                    size_t filevec_entries, struct upc_filevec const *filevec, upc_flag_t flags);
void upc_all_fread_list_shared_async(upc_file_t *fd, size_t memvec_entries, struct upc_shared_memvec const *memvec,
                                     size_t filevec_entries, struct upc_filevec const *filevec, upc_flag_t flags);
void upc_all_fwrite_list_local_async(upc_file_t *fd, size_t memvec_entries, struct upc_local_memvec const *memvec,
                                     size_t filevec_entries, struct upc_filevec const *filevec, upc_flag_t flags);
void upc_all_fwrite_list_shared_async(upc_file_t *fd, size_t memvec_entries, struct upc_shared_memvec const *memvec,
                                      size_t filevec_entries, struct upc_filevec const *filevec, upc_flag_t flags);
upc_off_t upc_all_fwait_async(upc_file_t *fd);
/* *flag becomes 1, on all threads, if the operation is complete; else it becomes 0 and the result says nothing. */
upc_off_t upc_all_ftest_async(upc_file_t *fd, int *flag);

#endif
