/* Another thread's memory at places that the data decide: gather and scatter by an index, updates, a histogram, members
 * of structs, a linked list. */
#include "measure.h"

shared [N] double table[N * THREADS];
shared [N] unsigned long words[N * THREADS];
shared long bins[BINS * THREADS];
shared [BODIES] struct body bodies[BODIES * THREADS];
struct node {
  double value;
  shared [] struct node *next;
};
shared [] struct node nodes[NODES];
static shared [] struct node *head;
static int index_of[N], permutation[N], bin_of[N];
static double source[N], mine[N], list_sum;

static void prepare(void) {
  double *own = (double *)&table[MYTHREAD * N];
  unsigned long *own_words = (unsigned long *)&words[MYTHREAD * N];
  long *own_bins = (long *)&bins[MYTHREAD];
  for (int i = 0; i < N; i++) {
    own[i] = input(MYTHREAD * N + i);
    own_words[i] = (unsigned long)(MYTHREAD * N + i);
    source[i] = input(i + 2);
    mine[i] = 0;
  }
  for (int i = 0; i < BINS; i++) own_bins[i] = 0;
  list_sum = 0;
}

static void prepare_once(void) {
  random_indices(index_of, N, N);
  random_permutation(permutation, N);
  random_indices(bin_of, N, BINS * RANKS);
  struct body *own = (struct body *)&bodies[MYTHREAD * BODIES];
  for (int i = 0; i < BODIES; i++) own[i] = body_of(MYTHREAD * BODIES + i);
  int order[NODES];
  random_permutation(order, NODES);
  head = &nodes[order[0]];
  if (MYTHREAD != OWNER) return;
  for (int i = 0; i < NODES; i++) {
    nodes[order[i]].value = input(i);
    nodes[order[i]].next = i + 1 < NODES ? &nodes[order[i + 1]] : NULL;
  }
}

static void gather(void) {
  for (int i = 0; i < N; i++) mine[i] = table[index_of[i]];
}
static void gather_hand(void) {
  static shared const void *from[N];
  void *const to[1] = {mine};
  for (int i = 0; i < N; i++) from[i] = &table[index_of[i]];
  bupc_memget_ilist(1, to, sizeof mine, N, from, sizeof(double));
}

static void scatter(void) {
  for (int i = 0; i < N; i++) table[permutation[i]] = source[i];
}
static void scatter_hand(void) {
  static shared void *to[N];
  const void *const from[1] = {source};
  for (int i = 0; i < N; i++) to[i] = &table[permutation[i]];
  bupc_memput_ilist(N, to, sizeof(double), 1, from, sizeof source);
}

static void update(void) {
  for (int i = 0; i < N; i++) words[index_of[i]] ^= (unsigned long)i << 32;
}
static void update_hand(void) {
  static unsigned long copy[N];
  upc_memget(copy, &words[0], sizeof copy);
  for (int i = 0; i < N; i++) copy[index_of[i]] ^= (unsigned long)i << 32;
  upc_memput(&words[0], copy, sizeof copy);
}

static void histogram(void) {
  for (int i = 0; i < N; i++) bins[bin_of[i]]++;
}
static void histogram_hand(void) {
  long counts[BINS * RANKS] = {0}, part[BINS];
  for (int i = 0; i < N; i++) counts[bin_of[i]]++;
  for (int t = 0; t < THREADS; t++) {
    upc_memget(part, &bins[t], sizeof part);
    for (int i = 0; i < BINS; i++) part[i] += counts[i * THREADS + t];
    upc_memput(&bins[t], part, sizeof part);
  }
}

static void members(void) {
  for (int i = 0; i < BODIES; i++)
    mine[i] = bodies[i].x + bodies[i].y + bodies[i].z + bodies[i].mass * (bodies[i].vx + bodies[i].vy + bodies[i].vz);
}
static void members_hand(void) {
  for (int i = 0; i < BODIES; i++) {
    const struct body b = bodies[i];
    mine[i] = b.x + b.y + b.z + b.mass * (b.vx + b.vy + b.vz);
  }
}

static void walk(void) {
  double sum = 0;
  for (shared [] struct node *p = head; p != NULL; p = p->next) sum += p->value;
  list_sum = sum;
}
static void walk_hand(void) {
  double sum = 0;
  for (shared [] struct node *p = head; p != NULL;) {
    const struct node n = *p;
    sum += n.value;
    p = n.next;
  }
  list_sum = sum;
}

int main(int argc, char **argv) {
  bench_start_hosts(argc, argv);
  prepare_once();
  const void *own = (const void *)&table[MYTHREAD * N], *own_words = (const void *)&words[MYTHREAD * N];
  const void *own_bins = (const void *)&bins[MYTHREAD];
  bench_kernel((kernel){"gather", N, 0, 0, gather, gather_hand, mine, N}, prepare);
  bench_kernel((kernel){"scatter", N, 0, 0, scatter, scatter_hand, own, N}, prepare);
  bench_kernel((kernel){"update", N, 0, 0, update, update_hand, own_words, N}, prepare);
  bench_kernel((kernel){"histogram", N, 0, 0, histogram, histogram_hand, own_bins, BINS}, prepare);
  bench_kernel((kernel){"members", BODIES, 0, 0, members, members_hand, mine, BODIES}, prepare);
  bench_kernel((kernel){"list", NODES, 0, 0, walk, walk_hand, &list_sum, 1}, prepare);
  return bench_finish_hosts();
}
