/* Trap 10: a pointer-to-shared in !, &&, ?:, if, compared with or assigned NULL, returned. */
struct t10_node { int value; shared [] struct t10_node *next; };
shared int t10_x;
static shared int *t10_find(int want) { return want ? &t10_x : NULL; }
static int t10_loops(shared [] struct t10_node *p) {
  int n = 0;
  for (; p; p = p->next) n += p->value;
  while (p) n = -1;
  do n++; while (p && n < 100);
  return n;
}
/* Nothing in these says shared. */
typedef shared [] struct t10_node *t10_link;
typedef struct t10_pair { t10_link first; int second; } t10_pair;
static t10_link t10_kept, t10_null = NULL;
static t10_pair t10_pairs[2] = {{0, 1}, {.second = 2}};
static t10_link t10_return_null(void) { return NULL; }
static t10_link t10_return_zero(void) { return 0; }
static t10_link t10_return_either(int x) { return x ? t10_kept : NULL; }
static t10_pair t10_return_pair(void) { return (t10_pair){0, 3}; }
static int t10_is_null(t10_link p) { return p == NULL; }
static int t10_not(t10_link p) { return !p; }
static _Bool t10_test(t10_link p) { return p; }
static void t10_clear(t10_pair *pair) { pair->first = NULL; }
static void t10_clear_all(t10_pair *pair) { *pair = (t10_pair){0}; }
static t10_link t10_through_array(t10_link p) { t10_link a[3] = {0}, *b = a; a[1] = p; return *++b; }
static t10_link t10_old_style(p) t10_link p; { for (t10_link q = p; q; q = NULL) return q; return p; }
static upc_lock_t *t10_no_lock(void) { return NULL; }

static void trap10_typedefs(shared [] struct t10_node *node) {
  t10_pair pair = {node, 5};
  CHECK(!t10_return_null() && !t10_return_zero() && !t10_return_either(0) && !t10_return_either(1) && !t10_no_lock());
  CHECK(!t10_return_pair().first && t10_return_pair().second == 3 && !t10_null && !t10_pairs[1].first);
  CHECK(!t10_is_null(node) && !t10_not(node) && t10_test(node) && t10_through_array(node) == node);
  CHECK(t10_old_style(node) == node);
  t10_clear(&pair);
  CHECK(!pair.first && pair.second == 5);
  t10_clear_all(&pair);
  CHECK(pair.second == 0);
}

static void trap10_truth(void) {
  shared int *p = NULL, *q = &t10_x;
  CHECK(!p && q && !!q);
  CHECK(p == NULL && NULL == p && q != 0 && (p || q) && !(p && q));
  CHECK((q ? 1 : 2) == 1 && (p ? 1 : 2) == 2);
  CHECK((p ?: q) == q && (q ?: p) == q);
  CHECK((MYTHREAD < 0 ? q : NULL) == NULL);
  CHECK((MYTHREAD >= 0 ? q : 0) == q);
  if (p) CHECK(0);
  if (!q) CHECK(0);
  CHECK(t10_find(1) == q && !t10_find(0));
  _Bool b = p;
  CHECK(!b);
  b = q;
  CHECK(b);
  q = 0;
  CHECK(q == p);
  shared void *v = 0;
  CHECK(!v && v == p);
  if (MYTHREAD == 0) {
    shared [] struct t10_node *head = NULL;
    for (int i = 1; i <= 4; i++) {
      shared [] struct t10_node *node = upc_alloc(sizeof(struct t10_node));
      node->value = i;
      node->next = head;
      head = node;
    }
    CHECK_EQUAL(t10_loops(head), 11);
    trap10_typedefs(head);
  }
}
