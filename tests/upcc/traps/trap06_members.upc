/* Trap 6: &s.first is indefinite even at offset 0; pointers-to-shared inside shared structs keep their block size. */
struct t6 {
  int first;
  double second;
  int many[4];
  shared [3] int *blocked;
  struct { short deep; } inner;
  struct { int unnamed_a, unnamed_b; };
};
shared struct t6 t6_s[2 * THREADS];
shared [3] int t6_target[9 * THREADS];

static void trap06_members(void) {
  struct t6 private = {1, 2.5, {1, 2, 3, 4}, &t6_target[4], {7}, {8, 9}};
  upc_forall (int i = 0; i < 2 * THREADS; i++; &t6_s[i]) {
    t6_s[i] = private;
    t6_s[i].first = i;
    t6_s[i].inner.deep++;
    t6_s[i].unnamed_b *= 2;
  }
  upc_forall (int i = 0; i < 9 * THREADS; i++; &t6_target[i]) t6_target[i] = i;
  upc_barrier;
  for (int i = 0; i < 2 * THREADS; i++) {
    shared [] int *p = &t6_s[i].first;
    CHECK_EQUAL(upc_phaseof(p), 0);
    CHECK_EQUAL(*p, i);
    CHECK_EQUAL(upc_threadof(p + 1), upc_threadof(p));
    shared [] int *many = t6_s[i].many;
    CHECK_EQUAL(many[3], 4);
    CHECK_EQUAL(t6_s[i].many[2], 3);
    CHECK_EQUAL(*(&t6_s[i].many[0] + 1), 2);
    CHECK_EQUAL(t6_s[i].blocked[3], 7);
    CHECK_EQUAL(upc_phaseof(t6_s[i].blocked + 3), 1);
    CHECK_EQUAL(t6_s[i].inner.deep, 8);
    CHECK_EQUAL(t6_s[i].unnamed_b, 18);
    shared struct t6 *whole = &t6_s[i];
    CHECK_EQUAL(whole->second, 2);
    CHECK_EQUAL((&whole->unnamed_a)[1], 18);
    struct t6 copy = *whole;
    CHECK(copy.blocked == &t6_target[4]);
  }
}
