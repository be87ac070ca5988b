# WEFT_STATS=1 says for each place how often it communicated, UPC_PLACES=FILE all of them as JSON.
cat > counts.upc <<'E2'
#include <upc.h>
#define N 100
shared [N] int a[N * THREADS];
static void __attribute__((noinline)) set(int i) { a[i] = i; }
int main(void) {
  int copy[N];
  if (MYTHREAD == 0) {
    for (int i = N; i < 2 * N; i++) set(i);
    for (int i = 0; i < N; i++) copy[i] = a[N + i];
    upc_memget(copy, &a[N], sizeof copy);
    for (int i = 0; i < N; i++) a[i] = copy[i];
  }
  upc_barrier;
  return a[N] != N;
}
E2
for flags in "" --pthreads; do
  "$UPCC" -O2 $flags -o counts counts.upc
  export WEFT_MAP_PEERS=0 WEFT_STATS=1
  UPC_CACHE=0 UPC_PLACES=places.json "$LAUNCH" -n 2 ./counts 2> said
  grep -q "^upc communication by place, all 2 threads" said
  # 100 writes of 4 bytes, a window, a copy, the last line's read on thread 0; nothing of thread 0's own memory.
  python3 - <<'E3'
import json
found = json.load(open("places.json"))
assert found["threads"] == 2, found
rows = [(r["line"], r["messages"], r["bytes"]) for r in found["places"]]
assert all(r["file"] == "counts.upc" for r in found["places"]), found
assert rows[0] == (4, 100, 400), rows
assert sorted(rows[1:]) == [(9, 1, 400), (10, 1, 400), (14, 1, 4)], rows
E3
  says "^ *100 *400 *4   counts.upc:4$" < said
  # Kept reads bring a line of 64 bytes.
  UPC_PLACES=places.json "$LAUNCH" -n 2 ./counts 2> said
  says '"line": 14, "messages": 1, "bytes": 64' < places.json
  unset WEFT_MAP_PEERS
  UPC_PLACES=places.json "$LAUNCH" -n 2 ./counts 2> said
  grep -q "^upc communication by place, all 2 threads: none, all memory is mapped; WEFT_MAP_PEERS=0 counts" said
  [ "$(tr -d '\n' < places.json)" = '{"threads": 2, "places": []}' ]
  # Mistakes.
  code=0; UPC_PLACES=none/places.json "$LAUNCH" -n 2 ./counts 2> said || code=$?
  [ $code -eq 134 ] && grep -q "UPC_PLACES: cannot write 'none/places.json': No such file or directory" said
  unset WEFT_STATS
  code=0; UPC_PLACES=places.json "$LAUNCH" -n 2 ./counts 2> said || code=$?
  [ $code -eq 134 ] && grep -q "UPC_PLACES is set, but nothing is counted without WEFT_STATS=1" said
  # Unasked nothing is said.
  "$LAUNCH" -n 2 ./counts 2> said
  [ ! -s said ]
done
# A thread that calls exit() has counted as well.
sed -i -e 's/return a.N. != N;/exit(a[N] != N);/' -e '1i #include <stdlib.h>' counts.upc
"$UPCC" -O2 -o counts counts.upc
WEFT_MAP_PEERS=0 WEFT_STATS=1 UPC_PLACES=places.json "$LAUNCH" -n 2 ./counts 2> said
says '"line": 15, "messages": 1, "bytes": 64' < places.json
# A page that the cache fetches whole is the place's that asked for its elements: ten of them, then the page.
cat > pages.upc <<'E2'
#include <upc.h>
shared [100] int a[100 * THREADS];
static int __attribute__((noinline)) sum(const int *at, int n) {
  int sum = 0;
  for (int k = 0; k < n; k++) sum += a[at[k]];
  return sum;
}
int main(void) {
  int at[10], all = 0;
  for (int k = 0; k < 10; k++) at[k] = 100 + k * k;
  if (MYTHREAD == 0)
    for (int turn = 0; turn < 5; turn++) all += sum(at, 10);
  upc_barrier;
  return all;
}
E2
"$UPCC" -O2 -o pages pages.upc
WEFT_MAP_PEERS=0 WEFT_STATS=1 UPC_PLACES=places.json "$LAUNCH" -n 2 ./pages 2> said
says '"line": 5, "messages": 2, "bytes": 4136}' < places.json
# Of many places the end names 20.
{ echo '#include <upc.h>'; echo 'shared int x[THREADS];'; echo 'int main(void) {'
  for i in $(seq 25); do echo "  if (MYTHREAD == 0) x[1] = $i;"; done; echo '}'; } > many.upc
"$UPCC" -o many many.upc
WEFT_MAP_PEERS=0 WEFT_STATS=1 UPC_PLACES=places.json "$LAUNCH" -n 2 ./many 2> said
[ "$(grep -c 'many.upc:' said)" -eq 20 ]
says "^ *5 *20  *5 other places (UPC_PLACES=FILE has all)" < said
[ "$(grep -c many.upc places.json)" -eq 25 ]
