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
  }
}
