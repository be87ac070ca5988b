/* The twins of irregular.upc. The worker sends what is to be done, and the owner does it; the worker asks for the nodes
 * of the list one by one, because only a node tells which one is next. */
#include "twins_hosts.h"

typedef struct update_of {
  long place;
  unsigned long value;
} update_of;
struct node {
  double value;
  long next; /* -1: none */
};

static double far[FAR], table[N], source[N], mine[N], list_sum;
static unsigned long words[N];
static long bins[BINS], head;
static struct body bodies[BODIES];
static int index_of[N], permutation[N], bin_of[N], far_index[READS];
static struct node nodes[NODES];

static void prepare(void) {
  for (int i = 0; i < N; i++) {
    table[i] = input(me * N + i);
    words[i] = (unsigned long)(me * N + i);
    source[i] = input(i + 2);
    mine[i] = 0;
  }
  memset(bins, 0, sizeof bins);
  list_sum = 0;
}

static void fill(void) {
  int order[NODES];
  random_indices(index_of, N, N);
  random_permutation(permutation, N);
  random_indices(bin_of, N, BINS * RANKS);
  random_indices(far_index, READS, FAR);
  for (int i = 0; i < FAR; i++) far[i] = input((long)me * FAR + i);
  for (int i = 0; i < BODIES; i++) bodies[i] = body_of(me * BODIES + i);
  random_permutation(order, NODES);
  head = order[0];
  for (int i = 0; i < NODES; i++) nodes[order[i]] = (struct node){input(i), i + 1 < NODES ? order[i + 1] : -1};
}

static void gather(void) {
  static int places[N];
  static double values[N];
  if (me == WORKER) {
    MPI_Send(index_of, N, MPI_INT, OWNER, 0, MPI_COMM_WORLD);
    MPI_Recv(mine, N, MPI_DOUBLE, OWNER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Recv(places, N, MPI_INT, WORKER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++) values[i] = table[places[i]];
  MPI_Send(values, N, MPI_DOUBLE, WORKER, 0, MPI_COMM_WORLD);
}

static void scatter(void) {
  static int places[N];
  static double values[N];
  if (me == WORKER) {
    MPI_Send(permutation, N, MPI_INT, OWNER, 0, MPI_COMM_WORLD);
    MPI_Send(source, N, MPI_DOUBLE, OWNER, 0, MPI_COMM_WORLD);
    return;
  }
  MPI_Recv(places, N, MPI_INT, WORKER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(values, N, MPI_DOUBLE, WORKER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++) table[places[i]] = values[i];
}

static void update(void) {
  static update_of updates[N];
  if (me == WORKER) {
    for (int i = 0; i < N; i++) updates[i] = (update_of){index_of[i], (unsigned long)i << 32};
    MPI_Send(updates, sizeof updates, MPI_BYTE, OWNER, 0, MPI_COMM_WORLD);
    return;
  }
  MPI_Recv(updates, sizeof updates, MPI_BYTE, WORKER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++) words[updates[i].place] ^= updates[i].value;
}

static void histogram(void) {
  long counts[RANKS][BINS] = {{0}};
  if (me == WORKER) {
    for (int i = 0; i < N; i++) counts[bin_of[i] % RANKS][bin_of[i] / RANKS]++;
    MPI_Send(counts[OWNER], BINS, MPI_LONG, OWNER, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(counts[OWNER], BINS, MPI_LONG, WORKER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < BINS; i++) bins[i] += counts[me][i];
}

static void members(void) {
  static struct body received[BODIES];
  if (me == OWNER) {
    MPI_Send(bodies, sizeof bodies, MPI_BYTE, WORKER, 0, MPI_COMM_WORLD);
    return;
  }
  MPI_Recv(received, sizeof received, MPI_BYTE, OWNER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < BODIES; i++) {
    const struct body* b = &received[i];
    mine[i] = b->x + b->y + b->z + b->mass * (b->vx + b->vy + b->vz);
  }
}

static void walk(void) {
  long at = head;
  if (me == OWNER) {
    while (MPI_Recv(&at, 1, MPI_LONG, WORKER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS && at >= 0)
      MPI_Send(&nodes[at], sizeof nodes[at], MPI_BYTE, WORKER, 0, MPI_COMM_WORLD);
    return;
  }
  double sum = 0;
  while (at >= 0) {
    struct node node;
    MPI_Send(&at, 1, MPI_LONG, OWNER, 0, MPI_COMM_WORLD);
    MPI_Recv(&node, sizeof node, MPI_BYTE, OWNER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += node.value;
    at = node.next;
  }
  MPI_Send(&at, 1, MPI_LONG, OWNER, 0, MPI_COMM_WORLD); /* the end */
  list_sum = sum;
}

static void prepare_reads(void) { memset(mine, 0, sizeof mine); }

static void read_at_random(void) {
  static int places[READS];
  static double values[READS];
  if (me == WORKER) {
    MPI_Send(far_index, READS, MPI_INT, OWNER, 0, MPI_COMM_WORLD);
    MPI_Recv(mine, READS, MPI_DOUBLE, OWNER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Recv(places, READS, MPI_INT, WORKER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < READS; i++) values[i] = far[places[i]];
  MPI_Send(values, READS, MPI_DOUBLE, WORKER, 0, MPI_COMM_WORLD);
}

static void read_in_order(void) {
  if (me == OWNER)
    MPI_Send(far, N, MPI_DOUBLE, WORKER, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(mine, N, MPI_DOUBLE, OWNER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void read_again(void) {
  double values[NEAR], sum = 0;
  for (int i = 0; i < NEAR; i++) values[i] = far[far_index[i]];
  if (me == OWNER) {
    MPI_Send(values, NEAR, MPI_DOUBLE, WORKER, 0, MPI_COMM_WORLD);
    return;
  }
  MPI_Recv(values, NEAR, MPI_DOUBLE, OWNER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++) sum += values[i % NEAR];
  mine[0] = sum;
}

static const twin twins[] = {
    {"gather", N, 1, prepare, gather, mine, N, NULL},
    {"scatter", N, 1, prepare, scatter, table, N, NULL},
    {"update", N, 1, prepare, update, words, N, NULL},
    {"histogram", N, 1, prepare, histogram, bins, BINS, NULL},
    {"members", BODIES, 1, prepare, members, mine, BODIES, NULL},
    {"list", NODES, 1, prepare, walk, &list_sum, 1, NULL},
    {"reads_random", READS, 1, prepare_reads, read_at_random, mine, N, NULL},
    {"reads_in_order", N, 1, prepare_reads, read_in_order, mine, N, NULL},
    {"reads_again", N, 1, prepare_reads, read_again, mine, N, NULL},
};

void run_irregular_twins(void) {
  fill();
  measure_twins(twins, sizeof twins / sizeof *twins);
}
