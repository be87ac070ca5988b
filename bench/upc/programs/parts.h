/* Memory of which every thread has a part of its own. */
#ifndef WEFT_BENCH_UPC_PROGRAMS_PARTS_H
#define WEFT_BENCH_UPC_PROGRAMS_PARTS_H
#include <upc.h>

/* Thread t's part of what upc_all_alloc(THREADS, bytes) has given. */
#define PART(type, memory, t) ((shared[] type*)((shared char*)(memory) + (t)))
#endif
