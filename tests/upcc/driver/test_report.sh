# -fupc-report: one line for each shared access in a loop, at its place, and what the user can change.
cat > cg.upc <<'E2'
#include <upc.h>
#define N 1000
shared [N] double a[THREADS][N], x[THREADS * N], r[THREADS * N];
shared double y[THREADS * N];
shared [4] double small[THREADS * N];
shared struct { int id; double mass; } body[THREADS * N];
strict shared int flag;
int column[N];
double work(double);
double square(double v) { return v * v; }
int owner(int i);
int depth(int i) { return i < THREADS ? MYTHREAD : 1 + depth(owner(i)); }
int owner(int i) { return i / THREADS; }
double first_of(int i) { return i < 1 ? y[0] : first_of(i - 1); }
void loops(int n, shared double *p) {
  upc_forall (int i = 0; i < THREADS; i++; &y[i]) {
    double sum = 0;
    for (int j = 0; j < N; j++) sum += square(a[i][j]) * x[j];
    y[i] = sum;
  }
  for (int k = 0; k < n; k++) r[k] = x[column[k]];
  int next = 0; for (int k = 0; k < n; k++) r[next] = 1, next = next * 5 % N;
  for (int k = 0; k < n; k++) {
    if (k % 3) r[k] = 0;
    body[k].mass = small[k];
  }
  for (int k = 0; k < n; k++) r[k] = work(1);
  for (int k = 0; k < n; k++) {
    y[k] = 1;
    upc_fence;
  }
  for (int k = 0; k < n; k++) y[k] = flag;
  for (int k = 0; k < n; k++)
    if (y[k] > 1) break;
  while (n > 0) y[--n] = 0;
  for (int k = 0; k < n; k++) {
    a[MYTHREAD][column[k]] += 1;
    r[column[k]] += 1;
  }
  for (int k = 0; k < n; k++) r[k] = depth(k);
  for (int k = 0; k < n; k++) r[k] = first_of(k);
}
E2
"$UPCC" -O2 -fupc-report -c cg.upc 2> said
expect() { grep -qF "cg.upc:$1" said || { cat said; echo "missing: $1"; exit 1; }; }
expect "18:51: remark: read of 'a[i][j]' fetched in bulk before iterations of the loop of line 16 [loop-windows]"
expect "18:59: remark: read of 'x[j]' fetched in bulk before iterations of the loop of line 16 [loop-windows]"
expect "19:6: remark: write of 'y[i]' is of this thread's own memory [locality]"
expect "21:32: remark: write of 'r[k]' written back in bulk after iterations [loop-windows]"
expect "21:39: remark: read of 'x[column[k]]' fetched in bulk before iterations [gather]"
by_element="goes element by element"
expect "22:46: missed: write of 'r[next]' $by_element: it does not move by equal steps with 'k', and where it lies is \
not known before the iterations: compute the places first, in a loop of its own, into a private array"
expect "24:17: missed: write of 'r[k]' goes element by element: some iterations may not write it"
expect "25:13: missed: write of 'body[k].mass' goes element by element: only a part of the element is written"
expect "25:25: remark: read of 'small[k]' fetched in bulk before iterations [gather]"
expect "27:32: missed: write of 'r[k]' $by_element: 'work' in the loop may access shared memory: it is not defined"
expect "29:6: missed: write of 'y[k]' goes element by element: upc_fence in the loop orders accesses"
expect "32:38: missed: read of 'flag' stays where it is: it is strict"
expect "32:32: missed: write of 'y[k]' goes element by element: a strict access in the loop orders the others"
expect "34:10: missed: read of 'y[k]' goes element by element: break, goto or return may end the loop early"
expect "35:18: missed: write of 'y[--n]' goes element by element: the loop has no count"
expect "37:16: remark: update of 'a[MYTHREAD][column[k]]' is of this thread's own memory [updates]"
expect "38:6: remark: update of 'r[column[k]]' sent to its owner with others, in place after the loop of line 36"
expect "40:32: remark: write of 'r[k]' written back in bulk after iterations [loop-windows]"
expect "41:32: missed: write of 'r[k]' $by_element: 'first_of' in the loop accesses shared memory, or calls what may"
[ "$(grep -c ': remark: \|: missed: ' said)" = "$(wc -l < said)" ]
# The same as JSON, which says nothing else on standard output; nothing is said unasked.
"$UPCC" -O2 -fupc-report=json -c cg.upc > json 2> errors
[ ! -s errors ] && [ "$(wc -l < json)" = "$(wc -l < said)" ]
python3 -c 'import json; rows = [json.loads(l) for l in open("json")]
assert all(set(r) == {"file", "line", "column", "missed", "text", "pass"} for r in rows), rows
assert any(r["line"] == 19 and not r["missed"] and r["pass"] == "locality" for r in rows)'
"$UPCC" -O2 -c cg.upc 2> errors
[ ! -s errors ]
# What is off says so, and -fsyntax-only reports, too.
"$UPCC" -O2 -fno-upc-loop-windows -fupc-report -fsyntax-only cg.upc 2>&1 | says \
  "18:59: missed: .*: the pass is off; -O1 or -fupc-loop-windows switches it on"
fails "$UPCC" -fupc-report=xml -c cg.upc 2> errors
grep -q "unrecognized command-line option '-fupc-report=xml'" errors
# Without optimisation one line says it for all.
"$UPCC" -fupc-report -c cg.upc 2> said
says -F "shared accesses in loops, here and below, go element by element: all passes are off; -O1" < said
[ "$(wc -l < said)" = 1 ]
# Why accesses at places that are known before the iterations are not moved together.
cat > places.upc <<'E2'
#include <upc.h>
#define N 100
struct record { int value, other; };
shared int x[8 * N * THREADS], y[N * THREADS];
shared [] struct record *rows[N];
long place[N];
int places(int n, shared int *p) {
  int s = 0;
  for (int j = 0; j < n; j++) if (x[j * 8 * THREADS + 3] != j) s++;
  for (int j = 0; j < n; j++) if (x[place[j]] != j && s > 3) s++;
  for (int j = 0; j < n; j++) s += x[place[j]] ? 3 : 4;
  for (int j = 0; j < n; j++) if (s > 3 && x[place[j]] != j) s++;
  for (int j = 0; j < n; j++) s += s % 2 ? 3 : x[place[j]];
  for (int j = 0; j < n; j++) if (s > j) s += j; else s += x[place[j]];
  for (int j = 0; j < n; j++) x[place[j]] = x[place[j]] * 3 + 1;
  for (int j = 0; j < n; j++) y[place[j]] = y[place[j] / 2];
  for (int j = 0; j < n; j++) s += rows[j]->value;
  for (int j = 0; j < n; j++) s += (*rows[j]).value;
  for (int j = 0; j < n; j++) (*rows[j]).value = j;
  for (int j = 0; j < n; j++) *p++ = x[s++];
  for (int j = 0; j < n; j++, p++, s++) *p = x[s];
  for (int j = 0; j < n; j++) if (s > 3) *p++ = j;
  for (int j = 0; j < n; j++) *p++ = x[j + (p == 0)];
  for (int j = 0; j < n; j++) y[place[j]++] = j;
  return s;
}
E2
"$UPCC" -O2 -fupc-report -c places.upc 2> said
expect_place() { grep -qF "places.upc:$1" said || { cat said; echo "missing: $1"; exit 1; }; }
together="fetched in bulk before iterations [gather]"
apart="goes element by element: it does not move by equal steps with 'j', and"
expect_place "9:36: remark: read of 'x[j * 8 * THREADS + 3]' $together"
expect_place "10:36: remark: read of 'x[place[j]]' $together"
expect_place "11:37: remark: read of 'x[place[j]]' $together"
expect_place "12:45: missed: read of 'x[place[j]]' $apart some iterations may not access it [loop-windows]"
expect_place "13:49: missed: read of 'x[place[j]]' $apart some iterations may not access it [loop-windows]"
expect_place "14:61: missed: read of 'x[place[j]]' $apart some iterations may not access it [loop-windows]"
expect_place "15:32: missed: write of 'x[place[j]]' $apart one iteration reads it and writes it [loop-windows]"
expect_place "16:32: missed: write of 'y[place[j]]' $apart 'y[place[j] / 2]' in the loop may be the same element"
expect_place "17:45: missed: read of 'rows[j]->value' $apart it is no element of an array: write (*p).m instead of p->m"
expect_place "18:47: remark: read of '(*rows[j]).value' $together"
expect_place "19:42: missed: write of '(*rows[j]).value' $apart only a part of the element is written [loop-windows]"
expect_place "20:31: missed: write of '*p++' $by_element: move its step, 'p++', into the loop's third clause"
expect_place "20:39: missed: read of 'x[s++]' $by_element: move its step, 's++', into the loop's third clause"
expect_place "21:41: remark: write of '*p' written back in bulk"
first="compute the places first"
expect_place "22:42: missed: write of '*p++' $apart where it lies is not known before the iterations: $first"
expect_place "23:31: missed: write of '*p++' $apart where it lies is not known before the iterations: $first"
expect_place "24:32: missed: write of 'y[place[j]++]' $apart where it lies is not known before the iterations: $first"
"$UPCC" -O2 -fno-upc-gather -fupc-report -c places.upc 2> said
expect_place "9:36: missed: read of 'x[j * 8 * THREADS + 3]' $apart the pass gather is off"
# Why a loop has no count, and what that means for the loop around it.
cat > count.upc <<'E2'
#include <upc.h>
#define N 1000
typedef struct { int column; double value; } entry;
typedef struct { int n; int first; } row;
shared double x[THREADS * N], y[THREADS * N], *z;
shared row rows[THREADS * N], own[THREADS];
shared [4] row fours[THREADS * N];
shared entry *all;
shared int limit;
double out[N];
entry *mine;
void loops(int n, entry *p, shared entry *q) {
  double sum = 0;
  for (int k = 0; k < n; k++, p++) sum += x[p->column];
  for (int k = 0; k < n; q++, k++) sum += q->value;
  for (int k = 0, m = n / 2; k < m; k++) out[k] = x[k];
  for (int k = 0, j = 0; k < n; j += 2, k++) out[k] = x[j];
  for (; p < mine + n; p++) p->value = x[p->column];
  upc_forall (int r = 0; r < n; r++; &y[r]) {
    int m = rows[r].n;
    entry *e = mine + fours[r].first;
    for (int k = 0; k < m; k++, e++) sum += x[e->column];
    y[r] = sum + own[MYTHREAD].n;
  }
  upc_forall (int r = 0; r < n; r++; &z[r]) z[r] = rows[r].n + own[MYTHREAD].n;
  upc_forall (int r = 0; r < n; r++; &y[r]) y[r] = z[r];
  for (int r = 0; r < n; r++) {
    for (int k = rows[r].first; k < rows[r].n; k++) out[k] = x[k];
    for (int k = 0; k < n; k += rows[r].n) out[k] = x[k];
    while (limit > 3) out[r] = x[r];
  }
  for (int k = 0; k < limit; k++) x[k] = 0;
  upc_forall (int k = 0; k < n; k++; rows[k].n) x[k] = 0;
  upc_forall (int r = 0; r < n; r++; &y[r]) y[r] = z[r] + x[0];
  for (int k = 0; k < n; k++, p += k) sum += x[k];
  for (int r = 0; r < n; r++) {
    for (int k = 0, w = 1; k < n; w *= 3, k++) sum += w;
    sum += own[MYTHREAD].n;
  }
  for (int k = 0, n2 = 0; k < n; k++, n2++) sum += x[n2++];
  for (int k = 0, j = 0; k < n; k++, j++) if ((sum += x[j]) > 9) break;
}
E2
"$UPCC" -O2 -fupc-report -c count.upc 2> said
expect_count() { grep -F "count.upc:$1: " said | grep -qF "$2" || { cat said; echo "missing: $1 $2"; exit 1; }; }
expect_count 14:44 "remark: read of 'x[p->column]' fetched in bulk before iterations [gather]"
expect_count 15:46 "remark: read of 'q->value' fetched in bulk before iterations [loop-windows]"
expect_count 16:52 "the loop's first clause is not one assignment to 'k': put the rest before the loop"
expect_count 17:56 "remark: read of 'x[j]' fetched in bulk before iterations [loop-windows]"
expect_count 18:41 "the loop counts with a pointer: count with an integer, 'k++, p++'"
foreign="; not known to be this thread's own: its blocks are not those of the affinity's array"
expect_count 20:21 "remark: read of 'rows[r].n' is of this thread's own memory"
expect_count 21:32 "remark: read of 'fours[r].first' fetched in bulk before iterations$foreign"
expect_count 23:32 "remark: read of 'own[MYTHREAD].n' is of this thread's own memory"
more="the loop's step does more than move variables by constants"
expect_count 35:47 "missed: read of 'x[k]' goes element by element: $more: leave 'p += k' out and compute it from 'k'"
inside="the loop of line 37, inside, is in the way: $more"
expect_count 38:26 "missed: read of 'own[MYTHREAD].n' goes element by element, in this thread's own memory: $inside"
expect_count 40:53 "what 'n2++' moves may change elsewhere in the loop, too"
expect_count 41:56 "break, goto or return may end the loop early, whose step is more than that of 'k'"
expect_count 25:60 "read of 'rows[r].n' fetched in bulk before iterations; not known to be this thread's own: the"
expect_count 25:78 "remark: read of 'own[MYTHREAD].n' is of this thread's own memory"
expect_count 26:53 "before iterations; plain if it begins on the affinity's thread, in the same phase, which is asked"
expect_count 34:53 "; not known to be this thread's own: the array may start on any thread, as it is not declared"
# What the clauses of a loop access.
expect_count 28:26 "read of 'rows[r].first' goes element by element: the loop of line 29, inside, is in the way: 'rows"
expect_count 28:45 "remark: read of 'rows[r].n' once, before the iterations"
expect_count 29:41 "missed: read of 'rows[r].n' goes element by element: a clause of the loop reads it in each"
expect_count 30:12 "missed: read of 'limit' goes element by element: the loop looks at it until another thread has"
expect_count 32:23 "remark: read of 'limit' once, before the iterations"
expect_count 33:46 "missed: read of 'rows[k].n' goes element by element: a clause of the loop reads another object"
expect_count 33:50 "the affinity 'rows[k].n' does not move by equal steps with the loop's index"
# Conditions that tell the count, and what others need.
cat > forms.upc <<'E2'
#include <upc.h>
#define N 100
shared [N] int a[N * THREADS], b[N * THREADS];
shared int degree[N * THREADS], head[N * THREADS];
shared [7] short sevens[7 * N * THREADS];
shared [8] short eights[8 * N * THREADS];
shared [N] struct { int key, next; } pool[N * THREADS];
static int turns;
void forms(int n, int m, unsigned u) {
  for (int i = 0; i + 1 < n; i += 2) a[i] = 1;
  for (int i = n; i; i--) a[i] = 1;
  for (int i = n; i-- > 0;) a[i] = 1;
  for (unsigned i = u; i != 9; i++) a[i] = 1;
  for (int i = 0; i * i < n; i++) a[i] = 1;
  for (int i = 1; i < n; i *= 2) a[i] = 1;
  for (int i = 0; i < n;) a[i++] = 1;
  for (int i = 0; i < n; i++) a[i] = 1, i += m;
  for (int i = 0; i < n; i++) a[i] = 1, n -= m;
  for (turns = 0; turns < n; turns++) a[0] = 1;
  for (unsigned char i = 0; i < n; i++) a[i] = 1;
  for (int k = 0; k < degree[m]; k++) a[k] = 1;
  int p = head[m];
  while (p >= 0 && pool[p].key != m) p = pool[p].next;
  for (p = head[m]; p >= 0; p = pool[p].next) u++;
  for (int i = 0; i < n; i++) {
    for (p = head[m]; p >= 0; p = pool[p].next) u++;
    a[i] = b[i];
  }
  for (int i = 0; i < n; i++) sevens[i]++, eights[i]++;
}
E2
"$UPCC" -O2 -fupc-report -c forms.upc 2> said
expect_form() { grep -F "forms.upc:$1: " said | grep -qF "$2" || { cat said; echo "missing: $1 $2"; exit 1; }; }
for line in 10:39 11:28 12:30; do expect_form $line "remark: write of 'a[i]' written back in bulk after"; done
untold="does not tell the count. These do: i < n, i <= n, i + 1 < n, i != n with a step of 1, i, i-- > 0 without"
expect_form 13:38 "the condition 'i != 9' $untold another step; an unsigned index must not pass the end of its type"
expect_form 14:36 "the condition 'i * i < n' $untold another step ["
expect_form 15:35 "the step 'i *= 2' does not move an int, long, or unsigned one of them, by an amount that is known to"
expect_form 16:28 "the loop has no third clause that counts: write its step there, i++, i--, i += c or i -= c"
expect_form 17:32 "the loop's body may change its index, 'i'"
expect_form 18:32 "'n' may change in the loop: if it does not, copy it to a local variable before the loop"
expect_form 19:40 "the loop's index, 'turns', is no local variable"
expect_form 20:42 "the step 'i++' does not move an int, long, or unsigned one of them"
copied="if it does not, copy it to a local variable before the loop"
expect_form 21:40 "missed: write of 'a[k]' goes element by element: 'degree[m]' may change in the loop: $copied"
expect_form 21:29 "a clause of the loop reads it in each iteration; if it does not change, copy it to a local variable"
another="a clause of the loop reads another object in each iteration"
expect_form 23:28 "missed: read of 'pool[p].key' goes element by element: $another"
expect_form 24:41 "missed: read of 'pool[p].next' goes element by element: $another"
expect_form 27:13 "the loop of line 26, inside, is in the way: the step 'p = pool[p].next' does not move an int"
expect_form 29:37 "missed: write of 'sevens[i]' goes element by element: a block of 7 lasts for less than 8 iterations"
expect_form 29:50 "remark: write of 'eights[i]' written back in bulk"
# Arrays that a loop inside another one reads again and again: copied, or why not.
cat > again.upc <<'E2'
#include <upc.h>
#define N 400
shared double x[N * THREADS], y[N * THREADS], *moves;
int column[N];
void products(int n, double *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) y[i] = x[column[j]];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) y[i] = y[column[j]];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) out[j] = moves[column[j]];
    moves = &x[i];
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) column[j] = x[column[j]];
    upc_fence;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[j] = x[column[j]];
  while (n-- > 0)
    for (int j = 0; j < n; j++) column[j] = x[column[j]];
}
E2
"$UPCC" -O2 -fupc-report -c again.upc 2> said
expect_again() { grep -F "again.upc:$1" said | grep -qF "$2" || { cat said; echo "missing: $1 $2"; exit 1; }; }
expect_again "7:41: remark: read of 'x[column[j]]' is of a private copy of the array, once" replication
no_copy() { expect_again "$1" "; the loop of line $2 keeps no copy of the array: $3"; }
no_copy 9:41 8 "the loop writes to the array"
no_copy 11:47 10 "the pointer to the array may change in the loop"
no_copy 15:46 14 "upc_fence in the loop orders accesses"
no_copy 19:43 18 "a store through a private pointer in the loop may change an element"
no_copy 21:46 20 "the loop has no count"
"$UPCC" -O2 -fno-upc-replication -fupc-report -c again.upc 2> said
fails grep -q 'copy of the array' said
