# -fupc-shadow: a program runs as without it, and a wrong plan of a loop is said with place, object and both values.
cat > right.upc <<'E2'
#include <upc.h>
#define N 100
shared [N] int a[N * THREADS], b[N * THREADS];
int main(void) {
  for (int i = 0; i < N; i++) a[N * MYTHREAD + i] = 1000 * MYTHREAD + i;
  upc_barrier;
  if (MYTHREAD == 0)
    for (int i = 0; i < N; i++) b[N + i] = a[N + i] + 5;
  upc_barrier;
  return b[N + N - 1] != 1000 + N - 1 + 5;
}
E2
"$UPCC" -O2 -fupc-shadow -save-temps -o right right.upc
for mapped in 0 1; do WEFT_MAP_PEERS=$mapped "$LAUNCH" -n 2 ./right; done
# Without the option nothing of it is in the program.
"$UPCC" -O2 --print-c right.upc > plain.c
fails grep -q "upcr_shadow_at((void" plain.c
grep -q "upcr_shadow_at((void" right.upc.c

# wrong MAPPED LINE EDIT MESSAGE: the plan of the loop in that line, as sed changes it, ends the program with the
# message.
wrong() {
  sed "/upcr_shadow_.*right.upc\", $2/$3" right.upc.c > wrong.c
  if cmp -s right.upc.c wrong.c; then echo "nothing to change: $3"; exit 1; fi
  cc -w -c -x cpp-output -o wrong.o wrong.c
  "$UPCC" -o wrong wrong.o
  code=0
  WEFT_MAP_PEERS=$1 "$LAUNCH" -n 2 ./wrong > said 2>&1 || code=$?
  if [ $code -ne 134 ] || ! grep -q "right.upc:$2: shadow: $4" said; then
    echo "$3, mapped $1: exit code $code"; cat said; exit 1
  fi
}
# Pointers that are an element ahead.
ahead='s/\[__upcc_n\([0-9]*\)\]/[__upcc_n\1 + 1]/g'
wrong 0 8 "$ahead" \
  "'a\[100 + i\]' (thread 1, offset 0x[0-9a-f]*) is 1001 in the loop as it was planned, and 1000 element by element"
wrong 1 8 "$ahead" "'[ab]\[100 + i\]' is 4 bytes from where it is element by element (thread 1, offset 0x[0-9a-f]*): "
wrong 0 5 "$ahead" "'a\[100 \* MYTHREAD + i\]' is 4 bytes from where it is element by element"
# One iteration less.
fewer='s/= upcc_iterations(/= -1 + upcc_iterations(/g'
for mapped in 0 1; do
  wrong $mapped 8 "$fewer" "this thread has 99 iterations of the loop as it was planned, and 100 element by element"
done
# A window whose writes are not put back, and one that puts back what was only read.
wrong 0 8 's/0 | UPCR_WINDOW_WRITTEN/0/g' \
  "'b\[100 + i\]' (thread 1, offset 0x[0-9a-f]*) is 0 after the loop as it was planned, and 1005 element by element"
wrong 0 8 's/UPCR_WINDOW_READ | UPCR_WINDOW_CERTAIN/UPCR_WINDOW_READ | UPCR_WINDOW_WRITTEN | UPCR_WINDOW_CERTAIN/g' \
  "as the loop was planned this access writes thread 1, offset 0x[0-9a-f]*, and element by element nothing does"

# A single read that a race makes another value: the line names it, and says that it may be a race.
cat > race.upc <<'E2'
#include <upc.h>
#define N 100
shared [N] int a[N * THREADS], b[N * THREADS];
static int at[N];
int main(void) {
  long sum = 0;
  if (MYTHREAD == 1) {
    volatile int *own = (int *)&b[N];
    for (;; upc_poll()) own[0]++;
  }
  for (int round = 0; round < 100000; round++) {
    for (int i = 0; i < N; i++) {
      int w = N + at[i];
      a[N + i] = i;
      sum += b[w];
    }
  }
  return sum == 0;
}
E2
"$UPCC" -O2 -fupc-shadow -o race race.upc
code=0
WEFT_MAP_PEERS=0 "$LAUNCH" -n 2 ./race > said 2>&1 || code=$?
[ $code -eq 134 ]
says "race.upc:15: shadow: 'b\[w\]' (thread 1, offset 0x[0-9a-f]*) is -*[0-9]* in the loop as it was planned, \
and -*[0-9]* element by element; or another thread writes it meanwhile, which is a race of the program" < said

# Loops of every form of condition that is counted.
"$UPCC" -w -O1 -fupc-shadow -o conditions "$HERE/../regressions/loop_conditions.upc"
for mapped in 0 1; do WEFT_MAP_PEERS=$mapped "$LAUNCH" -n 3 ./conditions | says PASS; done

# A loop inside of one with windows of its own writes an object that it had written in an iteration before. What is only
# written is not fetched, so the new window shows something else until then.
cat > twice.upc <<'END'
#include <upc.h>
#include <stdio.h>
static shared [12] int d[4 * THREADS];
int main(void) {
  shared [1] long long *a = (shared [1] long long *)upc_all_alloc(16 * THREADS, sizeof(long long));
  unsigned u = 1;
  upc_barrier;
  for (int r = 0; r < 14; r++) {
    if (u != 0) {
      for (size_t j = 1; j <= 16 * THREADS - 1; j++) {
        u = u * 5u + (unsigned)a[j] + 1;
        d[MYTHREAD * 4 + 1] = r;
      }
    }
  }
  upc_barrier;
  if (MYTHREAD == 0 && d[5] == 13 && d[13] == 13) printf("PASS\n");
  return 0;
}
END
"$UPCC" -w -O1 -fupc-shadow -o twice twice.upc
WEFT_MAP_PEERS=0 "$LAUNCH" -n 4 ./twice | says PASS

# A test shares out the iterations, in loops of each kind.
{
  echo '#include <upc.h>'
  echo 'shared int x[8 * THREADS];'
  echo 'int main(void) {'
  for loop in 'for (int i = 0; i < 8 * THREADS; i++)' 'upc_forall (int i = 0; i < 8 * THREADS; i++; continue)' \
    'upc_forall (int i = 0; i < 8 * THREADS; i++; )'; do
    for thread in 'upc_threadof(&x[i])' 'i % THREADS'; do
      echo "  $loop if ($thread == MYTHREAD) x[i] += 1;"
      echo "  $loop if (MYTHREAD == $thread) x[i] += 1;"
      echo "  $loop { if ($thread != MYTHREAD) continue; x[i] += 1; }"
      echo "  { int i; $loop if ($thread == MYTHREAD) x[i] += 1; }" | sed 's/(int i = 0/(i = 0/'
    done
  done
  echo '  upc_forall (int i = 0; i < 8 * THREADS; i++; &x[i]) if (x[i] != 24) return 1;'
  echo '  return 0;'
  echo '}'
} > tested.upc
for threads in '' -T3; do
  "$UPCC" -O2 -fupc-shadow $threads -o tested tested.upc
  for mapped in 0 1; do WEFT_MAP_PEERS=$mapped "$LAUNCH" -n 3 ./tested; done
done
