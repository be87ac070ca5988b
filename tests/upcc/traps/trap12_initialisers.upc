/* Trap 12: all shared statics have memory before any initialiser runs; private pointers with shared addresses;
 * block-scope statics. */
extern shared int t12_later[4 * THREADS];
shared int *t12_into_later = &t12_later[3];
shared [] int *t12_null = NULL;
struct t12 { shared int *p; int n; shared [2] int *q; };
shared int t12_later[4 * THREADS];
shared [2] int t12_blocked[6 * THREADS];
static struct t12 t12_table[2] = {{&t12_later[1], 5, t12_blocked + 3}, {.q = &t12_blocked[1]}};
shared int t12_scalar = 17;
shared [] int t12_values[5] = {1, 2, 3, [4] = 9};
shared [] struct { int a; double b; } t12_records[2] = {{1, 1.5}, {2, 2.5}};
shared [] char t12_text[] = "upc\0shared";
shared int *const t12_constant = &t12_later[2];
shared int *shared t12_shared_pointer = &t12_later[1];

static int t12_block(void) {
  static shared int counter = 5;
  static shared [] int table[3] = {7, 8, 9};
  static shared int *where = &t12_later[3];
  static int calls;
  calls++;
  CHECK(where == t12_into_later);
  CHECK_EQUAL(table[2], 9);
  return counter + calls;
}

static void trap12_initialisers(void) {
  CHECK(t12_into_later == &t12_later[3] && !t12_null);
  CHECK(t12_table[0].p == &t12_later[1] && t12_table[0].n == 5 && t12_table[0].q == &t12_blocked[3]);
  CHECK(!t12_table[1].p && upc_phaseof(t12_table[1].q) == 1);
  CHECK_EQUAL(t12_scalar, 17);
  CHECK(t12_values[2] == 3 && t12_values[3] == 0 && t12_values[4] == 9);
  CHECK(t12_records[1].a == 2 && t12_records[1].b == 2.5);
  CHECK(t12_text[4] == 's' && t12_text[3] == 0 && sizeof t12_text == 11);
  CHECK(t12_constant == &t12_later[2] && t12_shared_pointer == &t12_later[1]);
  CHECK_EQUAL(t12_block() + t12_block(), 6 + 7);
}
