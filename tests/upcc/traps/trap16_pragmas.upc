/* Trap 16: unknown pragmas do not reset strictness. (That accesses become strict is seen in golden/strict.upc.) */
#pragma upc strict
#pragma GCC diagnostic push
shared int t16_x;
#pragma GCC diagnostic pop

static void trap16_pragmas(void) {
  t16_x = 1;
  {
#pragma upc relaxed
    t16_x = 1;
  }
  upc_barrier;
  CHECK_EQUAL(t16_x, 1);
}
#pragma upc relaxed
