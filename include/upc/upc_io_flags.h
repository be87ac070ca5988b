/* The constants of <upc_io.h>. Plain C. */
#ifndef UPC_IO_FLAGS_H
#define UPC_IO_FLAGS_H

/* Flags of upc_all_fopen: one of the first three, one of the next two, and any of the others. */
#define UPC_RDONLY 0x0001
#define UPC_WRONLY 0x0002
#define UPC_RDWR 0x0004
#define UPC_INDIVIDUAL_FP 0x0008
#define UPC_COMMON_FP 0x0010
#define UPC_APPEND 0x0020
#define UPC_CREATE 0x0040
#define UPC_EXCL 0x0080
#define UPC_STRONG_CA 0x0100
#define UPC_TRUNC 0x0200
#define UPC_DELETE_ON_CLOSE 0x0400

/* Origins of upc_all_fseek. */
#define UPC_SEEK_SET 0
#define UPC_SEEK_CUR 1
#define UPC_SEEK_END 2

/* Commands of upc_all_fcntl, and what `arg` is; NULL where nothing is said. */
#define UPC_GET_CA_SEMANTICS 1 /* returns UPC_STRONG_CA or 0 */
#define UPC_SET_WEAK_CA_SEMANTICS 2
#define UPC_SET_STRONG_CA_SEMANTICS 3
#define UPC_GET_FP 4 /* returns UPC_COMMON_FP or UPC_INDIVIDUAL_FP */
#define UPC_SET_COMMON_FP 5
#define UPC_SET_INDIVIDUAL_FP 6
#define UPC_GET_FL 7             /* returns the flags */
#define UPC_GET_FN 8             /* const char **: the name that this thread gave */
#define UPC_GET_HINTS 9          /* const upc_hint_t **: the hints; returns their number */
#define UPC_SET_HINT 10          /* const upc_hint_t *: one more, or another value */
#define UPC_ASYNC_OUTSTANDING 11 /* returns 1 or 0 */

#endif
