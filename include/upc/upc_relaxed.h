/* <upc_relaxed.h>: <upc.h>, and accesses from here on are relaxed unless their type says otherwise (UPC 7.1). Has no
 * guard: every inclusion asserts the pragma again. */
#include <upc.h>
#pragma upc relaxed
