command -v gdb > /dev/null || { echo "gdb is missing: tools/setup.sh test installs it"; exit 1; }
# `break main` stops in the program's main, once, with its UPC line.
cat > d.upc <<'X'
#include <upc.h>
shared int x;
int main(void) {
  x = 5;
  return 0;
}
X
for level in -O0 -O2; do
  "$UPCC" -g $level -o d d.upc
  gdb -nx -q -batch -ex 'break main' -ex run -ex backtrace -ex continue ./d > out 2>&1
  grep -q '^#0  main () at .*d.upc:[45]' out
  test "$(grep -cE '^Breakpoint 1(\.[0-9])?, ' out)" = 1
  grep -q 'exited normally' out
done
# `next` goes through a loop in the order of its lines.
cat > loop.upc <<'X'
#include <upc.h>
shared double a[THREADS];
int main(void) {
  shared double *p = &a[MYTHREAD];
  *p = 2.5;

  for (int i = 0; i < 2; i++)
    a[MYTHREAD] += 1;
  return 0;
}
X
"$UPCC" -g -O0 -o loop loop.upc
gdb -nx -q -batch -ex 'break main' -ex run -ex next -ex next -ex next -ex kill ./loop > out 2>&1
test "$(sed -n 's/^\([0-9]\+\)\t.*/\1/p' out | tr '\n' ' ')" = '4 5 7 8 '
# Pointers-to-shared are shown without a call of the program's functions, which gdb cannot make on every processor.
cat > pointers.upc <<'X'
#include <upc.h>
shared [3] double a[3 * THREADS];
struct node { int key; shared struct node *next; };
int main(void) {
  shared [3] double *p = &a[3 * MYTHREAD + 1];
  shared [] int *null = 0;
  struct node node = { 7, 0 };
  *p = 2.5;
  upc_barrier;
  return node.key + (null != 0) - 7;
}
X
script=$(dirname "$UPCC")/../share/weft/upc-gdb.py
for mode in "" --pthreads; do
  "$UPCC" -g -O0 $mode -o pointers pointers.upc
  gdb -nx -q -batch -x "$script" -ex 'print $upc_threads()' -ex 'break pointers.upc:9' -ex run -ex 'info locals' \
    -ex 'print $upc_element(p, "double")' -ex 'print *(double *)$upc_addressof(p)' -ex 'print $upc_threadof(p)' \
    -ex 'print $upc_phaseof(p)' -ex 'print $upc_mythread()' -ex 'print $upc_threads()' \
    -ex 'print $upc_element(null, "int")' -ex kill ./pointers > out 2>&1
  grep -qE '^p = \(shared\) thread 0, phase 1, offset 0x[0-9a-f]+, at 0x[0-9a-f]+$' out
  grep -q '^null = NULL (shared)$' out
  grep -q '^node = {key = 7, next = NULL (shared)}$' out
  test "$(sed -n 's/^\$[0-9]* = //p' out | tr '\n' ' ')" = '2.5 2.5 0 1 0 1 '
  grep -q '^the pointer-to-shared is null$' out
  grep -q '^the program has not started' out
done
# An element that is not mapped here is told as that; one's own is shown all the same.
WEFT_CHECK=1 gdb -nx -q -batch -x "$script" -ex 'break pointers.upc:9' -ex run -ex 'print $upc_element(p, "double")' \
  -ex 'set var p.where = 5' -ex 'print p' -ex 'print $upc_element(p, "double")' -ex kill ./pointers > out 2>&1
grep -q '^\$1 = 2.5$' out
grep -q '^\$2 = (shared) thread 5, phase 0, offset .*, not mapped here$' out
grep -q '^the memory of thread 5 is not mapped here' out
