/* Trap 8: a value read through `shared` loses the qualifier. */
shared int t8_x;
shared const double t8_d = 2.5;
static int t8_take(int v) { return v + 1; }

static void trap08_values(void) {
  if (MYTHREAD == 0) t8_x = 41;
  upc_barrier;
  CHECK_EQUAL(t8_take(t8_x), 42);
  __typeof__(t8_x + 0) private = t8_x;
  private = 3;
  CHECK_EQUAL(private, 3);
  CHECK_EQUAL((_Generic(t8_x, int: 1, default: 2)), 1);
  CHECK_EQUAL((_Generic(+t8_d, double: 1, default: 2)), 1);
  CHECK_EQUAL((MYTHREAD >= 0 ? t8_x : 0), 41);
  int copy = ({ t8_x; });
  CHECK_EQUAL(copy, 41);
  CHECK_EQUAL((0, t8_x), 41);
}
