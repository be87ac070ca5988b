/* <bupc_extensions.h>: the name programs written for Berkeley UPC include. */
#include <bupc.h>
