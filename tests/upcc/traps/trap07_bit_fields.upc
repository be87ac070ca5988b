/* Trap 7: bit-fields in shared structs. */
struct t7 {
  unsigned a : 3;
  int b : 5;
  unsigned long long c : 40;
  _Bool d : 1;
  struct { unsigned e : 7, f : 2; };
};
shared struct t7 t7_s[THREADS];
strict shared struct t7 t7_strict;

static void trap07_bit_fields(void) {
  shared struct t7 *p = &t7_s[(MYTHREAD + 1) % THREADS];
  p->a = 13;
  CHECK_EQUAL(p->a, 5);
  CHECK_EQUAL(p->b = 31, -1);
  p->c = 0xffffffffffffULL;
  CHECK_EQUAL(p->c, 0xffffffffffULL);
  p->d = 17;
  CHECK_EQUAL(p->d, 1);
  p->e = 0;
  p->f = 3;
  CHECK_EQUAL(p->b++, -1);
  CHECK_EQUAL(p->b, 0);
  CHECK_EQUAL(++p->a, 6);
  CHECK_EQUAL(p->a += 3, 1);
  CHECK_EQUAL(p->e -= 1, 127);
  CHECK_EQUAL(p->f, 3);
  CHECK_EQUAL(p->c, 0xffffffffffULL);
  upc_barrier;
  if (MYTHREAD == 0) {
    t7_strict.a = 6;
    t7_strict.b = -3;
    CHECK_EQUAL(t7_strict.a + t7_strict.b, 3);
  }
}
