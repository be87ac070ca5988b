/* What the litmus tests share: locations, when the threads run an instance, and delays.
 *
 * A test is some instances of one small program with a role for each of some threads. Instances lie beside each other
 * in arrays, BATCH of them between two barriers, and each starts at a moment that all threads know; so the roles of one
 * run at about the same time, and no thread waits for another. Threads take the roles by turns. */
#ifndef LITMUS_H
#define LITMUS_H

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <upc.h>
#include <upc_tick.h>

#define BATCH 64
#define REGISTERS 4
#define MOST_ROLES 4
#define BLOCK 16          /* elements of an instance that is more than one integer */
#define SPACE (BLOCK + 1) /* with one that is another thread's */

/* The locations: that of instance i is element place[v][i], which any thread may own. */
shared int x_relaxed[BATCH * THREADS], y_relaxed[BATCH * THREADS];
strict shared int x_strict[BATCH * THREADS], y_strict[BATCH * THREADS];
shared[SPACE] int blocks[BATCH * SPACE * THREADS];
static int place[2][BATCH];

/* What this thread has read, and all threads' after the batch. */
static int registers[REGISTERS][BATCH];
shared[REGISTERS * BATCH] int all_registers[REGISTERS * BATCH * THREADS];
static upc_lock_t* mutex;

typedef void (*role_t)(int instance);
/* Whether registers and final values are the outcome that a test is about. */
typedef int (*outcome_t)(const int* r, int x, int y);

static uint64_t dice_state;
static uint32_t dice(void) {
  dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(dice_state >> 33);
}

static uint64_t period; /* nanoseconds from one instance to the next */
static int mean_delay;  /* turns of a busy loop */

/* A delay between two accesses: often none, now and then a turn of another thread. */
static void wobble(void) {
  const uint32_t chosen = dice();
  if (chosen % 64 == 0) sched_yield();
  if (chosen % 2 == 0) return;
  const int turns = (int)(dice() % (uint32_t)(2 * mean_delay));
  for (volatile int k = 0; k < turns; ++k) continue;
}

#endif
