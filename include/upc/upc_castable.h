/* <upc_castable.h>: local addresses of other threads' shared memory (UPC optional libraries). */
#ifndef UPC_CASTABLE_H
#define UPC_CASTABLE_H

#include <upc.h>

#define UPC_CASTABLE_ALL_ALLOC 0x1
#define UPC_CASTABLE_GLOBAL_ALLOC 0x2
#define UPC_CASTABLE_ALLOC 0x4
#define UPC_CASTABLE_STATIC 0x8
#define UPC_CASTABLE_ALL 0xf

typedef struct upc_thread_info_t {
  int guaranteedCastable;
  int probablyCastable;
} upc_thread_info_t;

void *upc_cast(const shared void *ptr);
upc_thread_info_t upc_thread_info(size_t threadId);

#endif
