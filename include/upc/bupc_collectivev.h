/* <bupc_collectivev.h>: the name under which programs written for Berkeley UPC include the value-based collectives. */
#include <bupc.h>
