/* All of Weft. Each header also compiles alone; large programs include the ones they use. */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <weft/am.h>
#include <weft/atomic.h>
#include <weft/barrier.h>
#include <weft/coll.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/segment.h>
#include <weft/signal.h>
#include <weft/sim.h>
#include <weft/team.h>
#include <weft/types.h>
#include <weft/version.h>
#include <weft/vis.h>
#include <weft/watch.h>

#endif
