/* Trap 9: ++, op=, casts: the address of a shared lvalue is evaluated once; compute in the promoted type. */
shared unsigned char t9_c[THREADS];
shared short t9_s[THREADS];
shared float t9_f[THREADS];
shared int t9_i[4 * THREADS];
shared [] int *shared t9_p[THREADS];
shared [] int t9_target[16];
static int t9_calls;
static int t9_index(void) { return t9_calls++, MYTHREAD; }

static void trap09_once(void) {
  t9_calls = 0;
  t9_c[t9_index()] = 250;
  CHECK_EQUAL(t9_c[t9_index()] += 10, 4);
  CHECK_EQUAL(t9_c[t9_index()]--, 4);
  CHECK_EQUAL(t9_calls, 3);
  t9_c[MYTHREAD] = 200;
  t9_c[MYTHREAD] = t9_c[MYTHREAD] * 2 / 4;  /* 400 / 4 in int */
  CHECK_EQUAL(t9_c[MYTHREAD], 100);
  t9_c[MYTHREAD] *= 0.041;
  CHECK_EQUAL(t9_c[MYTHREAD], 4);
  t9_c[MYTHREAD] = 255;
  CHECK_EQUAL(t9_c[MYTHREAD]++ + 1, 256);
  CHECK_EQUAL(t9_c[MYTHREAD], 0);
  t9_c[MYTHREAD] = ~t9_c[MYTHREAD] >> 1;
  CHECK_EQUAL(t9_c[MYTHREAD], 255);
  t9_s[MYTHREAD] = 1;
  CHECK_EQUAL(t9_s[MYTHREAD] <<= 15, -32768);
  t9_s[MYTHREAD] /= -1;
  CHECK_EQUAL(t9_s[MYTHREAD], -32768);
  t9_f[MYTHREAD] = 0.5f;
  t9_f[MYTHREAD] += 1;
  CHECK(t9_f[MYTHREAD]-- == 1.5f && t9_f[MYTHREAD] == 0.5f);
  shared int *p = &t9_i[MYTHREAD];
  *p = 1;
  *p++ = 5;
  CHECK_EQUAL(p - &t9_i[MYTHREAD], 1);
  CHECK_EQUAL(*--p, 5);
  CHECK_EQUAL(-*p, -5);
  CHECK_EQUAL((*p)++ + ++*p, 5 + 7);
  t9_p[MYTHREAD] = t9_target;
  t9_p[MYTHREAD] += 3;
  CHECK(t9_p[MYTHREAD]++ == &t9_target[3]);
  CHECK_EQUAL(t9_p[MYTHREAD] - t9_target, 4);
  shared [] int *list[2] = {t9_target, t9_target};
  int i = 0;
  list[i++] += 5;
  list[i--]++;
  CHECK(i == 0 && list[0] == t9_target + 5 && list[1] == t9_target + 1);
}
