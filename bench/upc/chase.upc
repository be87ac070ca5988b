/* Pointer chasing through `shared []` nodes in random order, millions per second and thread; the limit is C on nodes of
 * the same size, linked by private pointers, in the same kind of memory (pages decide much here: the heap of malloc may
 * get larger ones). */
#include "bench.h"

#define NODES (1 << 16)
struct node {
  shared [] struct node *next;
  long value;
  long pad[5];
};
struct private_node {
  struct private_node *next;
  long value;
  long pad[6];
};
static shared [] struct node *head;
static struct private_node *private_head;
static long sink;

static void chase(void) {
  long sum = 0;
  for (shared [] struct node *p = head; p; p = p->next) sum += p->value;
  sink += sum;
}
static void chase_private(void) {
  long sum = 0;
  for (struct private_node *p = private_head; p; p = p->next) sum += p->value;
  sink += sum;
}

int main(int argc, char **argv) {
  bench_start(argc, argv);
  shared [] struct node *nodes = upc_alloc(NODES * sizeof(struct node));
  struct private_node *private_nodes = (struct private_node *)upc_alloc(NODES * sizeof(struct private_node));
  int *order = malloc(NODES * sizeof(int));
  for (int i = 0; i < NODES; i++) order[i] = i;
  srand(1);
  for (int i = NODES - 1; i > 0; i--) {
    int j = rand() % (i + 1), t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
  for (int i = 0; i < NODES; i++) {
    nodes[order[i]].value = private_nodes[order[i]].value = i;
    nodes[order[i]].next = i + 1 < NODES ? &nodes[order[i + 1]] : NULL;
    private_nodes[order[i]].next = i + 1 < NODES ? &private_nodes[order[i + 1]] : NULL;
  }
  head = &nodes[order[0]];
  private_head = &private_nodes[order[0]];
  bench_case("pointer_chase", NODES * sizeof(struct node), 1e-6 * NODES, "M/s", chase, chase_private);
  return bench_finish("upc_chase");
}
