/* Loops whose step moves another variable with the index: pointers-to-shared of each layout, private pointers and
 * integers, up and down, declared in the loop or before it. Also with WEFT_MAP_PEERS=0. */
#include "../check.h"
#define B 10
#define N (8 * B)
typedef struct {
  int column, value;
} entry;
shared int x[N * THREADS];
shared [B] int y[N * THREADS];
shared [] int z[N];
shared [B] entry entries[N * THREADS];
static int total; /* N * THREADS */

#define NOINLINE __attribute__((noinline)) static
NOINLINE long sum_of_entries(shared [B] entry *p, int n) {
  long sum = 0;
  for (int k = 0; k < n; k++, p++) sum += p->value + 3 * x[p->column];
  CHECK(p == entries + n);
  return sum;
}
NOINLINE void write_entries(shared [B] entry *p, int n, int add) {
  shared [B] entry *q = p;
  for (int k = 0; k < n; k++, p++) p->value = k + add, p->column += 1;
  for (int k = 0; k < n; k++) (q + k)->column -= 1;
}
NOINLINE long by_private_pointer(const entry *e, int n) {
  const entry *const begin = e;
  long sum = 0;
  for (int k = 0; k < n; k++, e++) sum += x[e->column];
  CHECK(e == begin + n);
  return sum;
}
NOINLINE long by_integer(int from, int n) {
  long sum = 0;
  for (int k = 0, e = from; k < n; k++, e++) sum += y[e];
  return sum;
}
NOINLINE long by_two(int n) {
  long sum = 0;
  int e;
  shared int *p;
  int k;
  for (k = 0, e = 3, p = x + (total - 1); k < n; e += 2, k++, p--) sum += *p * (long)(e - 2 * k);
  CHECK_EQUAL(k, n > 0 ? n : 0);
  CHECK_EQUAL(e, 3 + 2 * k);
  CHECK(k == total || p == x + (total - 1 - k));
  return sum;
}
NOINLINE long downwards(int n) {
  long sum = 0;
  size_t e = 0;
  for (int k = n - 1; k >= 0; k -= 2, e += 2) sum += (long)(x[k] - x[n - 1 - (int)e]) + y[e];
  CHECK_EQUAL(e, (size_t)(n + 1) / 2 * 2);
  return sum;
}
/* The second goes three for two of the index, and five for one. */
NOINLINE long at_other_speeds(int n) {
  long sum = 0;
  shared int *p = x, *q = x;
  for (int k = 0; k < n; k += 2, p += 3) sum += *p - y[k];
  for (int k = 0; k < n; k++, q = q + 5) sum += *q;
  return sum;
}
NOINLINE void write(shared [B] int *to, shared [] int *from, int n) {
  for (int k = 0; k < n; k++, to++, ++from) *to = *from + k;
}
NOINLINE void write_own(int add) {
  int e = 7;
  upc_forall (int i = 0; i < total; i++, e++; &y[i]) y[i] = e - 7 + add;
  CHECK_EQUAL(e, total + 7);
  upc_barrier;
  e = 0;
  upc_forall (int i = 0; i < total; i++, e++; &x[i]) x[e] = y[e] - add;
  upc_barrier;
  e = 0;
  upc_forall (int i = 0; i < total; i++, e++; &x[e]) x[e] += 1;
}
/* The body reads the second, and calls a function with it. */
NOINLINE int value_at(shared int *p) { return *p; }
NOINLINE long seen_in_the_body(int n) {
  long sum = 0;
  shared int *p = x;
  shared int *last = NULL;
  for (int k = 0; k < n; k++, p++) {
    if (k % 3 == 1) continue;
    sum += x[k] * 2 - *p;
    last = p;
  }
  for (int k = 0, e = 1; k < n - 1; k++, e++) sum += value_at(x + e) - x[e];
  CHECK(last == NULL ? n <= 0 : *last <= n);
  return sum;
}
/* What moves elsewhere, too, or unevenly, or ends the loop, is no second. */
NOINLINE long not_planned(int n) {
  long sum = 0;
  shared int *p = x;
  int e = 0, stop = n;
  for (int k = 0; k < n; k++, p++) {
    sum += *p;
    if (k % 4 == 0 && k + 1 < n) k++, p++;
  }
  for (int k = 0; k < n; k++, e += k) sum += x[e % total];
  for (int k = 0; k < stop; k++, stop--) sum += x[k];
  for (int k = 0, j = 0; k < n; k++, j++) {
    if (x[j] > 20) break;
    sum += x[j];
  }
  return sum;
}
NOINLINE long in_nests(int n) {
  long sum = 0;
  shared [B] int *row = y;
  for (int i = 0; i < n / B; i++, row += B) {
    shared [B] int *p = row;
    for (int j = 0; j < B; j++, p++) sum += *p - y[i * B + j] + row[j] * (long)j;
  }
  return sum;
}

static void fill(void) {
  upc_barrier;
  for (int i = MYTHREAD; i < total; i += THREADS) {
    x[i] = i + 1;
    y[i] = 2 * i;
    entries[i].column = (i * 7) % total;
    entries[i].value = i;
  }
  if (MYTHREAD == 0)
    for (int i = 0; i < N; i++) z[i] = 5 * i;
  upc_barrier;
}

static void check(int n) {
  long entries_sum = 0, columns = 0, integers = 0, two = 0, down = 0, speeds = 0, nests = 0, others = 0;
  entry mine[N * THREADS];
  for (int i = 0; i < n; i++) {
    mine[i].column = i * 3 % total;
    entries_sum += i + 3 * ((i * 7) % total + 1);
    columns += i * 3 % total + 1;
    integers += 2 * ((n > B ? 1 : 0) + i);
    two += 3 * (long)(total - i);
  }
  for (int k = n - 1, e = 0; k >= 0; k -= 2, e += 2) down += 2 * e;
  const int few = n / 5;
  for (int k = 0, p = 0; k < few; k += 2, p += 3) speeds += p + 1 - 2 * k;
  for (int k = 0; k < few; k++) speeds += 5 * k + 1;
  for (int i = 0; i < n / B * B; i++) nests += 2L * i * (i % B);
  CHECK_EQUAL(sum_of_entries(entries, n), entries_sum);
  CHECK_EQUAL(by_private_pointer(mine, n), columns);
  CHECK_EQUAL(by_integer(n > B ? 1 : 0, n == total ? n - 1 : n),
              integers - (n == total ? 2L * ((n > B ? 1 : 0) + n - 1) : 0));
  CHECK_EQUAL(by_two(n), two);
  CHECK_EQUAL(downwards(n), down);
  CHECK_EQUAL(at_other_speeds(few), speeds);
  upc_barrier;
  if (MYTHREAD == THREADS - 1) write_entries(entries, n, 5);
  upc_barrier;
  CHECK_EQUAL(sum_of_entries(entries, n), entries_sum + 5 * n);
  upc_barrier;
  if (MYTHREAD == 0) write_entries(entries, n, 0);
  upc_barrier;
  long seen = 0;
  for (int k = 0; k < n; k++)
    if (k % 3 != 1) seen += k + 1;
  CHECK_EQUAL(seen_in_the_body(n), seen);
  CHECK_EQUAL(in_nests(n), nests);
  for (int k = 0; k < n; k++) {
    others += k + 1;
    if (k % 4 == 0 && k + 1 < n) k++;
  }
  for (int k = 0, e = 0; k < n; k++, e += k) others += e % total + 1;
  for (int k = 0, stop = n; k < stop; k++, stop--) others += k + 1;
  for (int k = 0; k < n && k + 1 <= 20; k++) others += k + 1;
  CHECK_EQUAL(not_planned(n), others);
}

int main(void) {
  total = N * THREADS;
  fill();
  static const int counts[] = {0, 1, 2, B - 1, B, B + 1, 3 * B + 5, N};
  for (int i = 0; i < 8; i++) check(counts[i]);
  check(total);
  upc_barrier;
  write_own(4);
  upc_barrier;
  for (int i = 0; i < total; i++) {
    CHECK_EQUAL(y[i], i + 4);
    CHECK_EQUAL(x[i], i + 1);
  }
  upc_barrier;
  if (MYTHREAD == THREADS - 1) write(y + 3, z + 1, N - 3);
  upc_barrier;
  for (int i = 0; i < N; i++) CHECK_EQUAL(y[i], i < 3 ? i + 4 : 5 * (i - 2) + i - 3);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
