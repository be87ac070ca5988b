# `break main` stops in the program's main, once, with its UPC line.
cat > d.upc <<'X'
#include <upc.h>
shared int x;
int main(void) {
  x = 5;
  return 0;
}
X
if command -v gdb > /dev/null; then
  for level in -O0 -O2; do
    "$UPCC" -g $level -o d d.upc
    gdb -q -batch -ex 'break main' -ex run -ex backtrace -ex continue ./d > out 2>&1
    grep -q '^#0  main () at .*d.upc:[45]' out
    test "$(grep -cE '^Breakpoint 1(\.[0-9])?, ' out)" = 1
    grep -q 'exited normally' out
  done
fi
# `next` goes through a loop in the order of its lines, and an element is printed through its pointer.
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
if command -v gdb > /dev/null; then
  "$UPCC" -g -O0 -o loop loop.upc
  gdb -q -batch -ex 'break main' -ex run -ex next -ex next -ex 'print *(double *)upc_cast(p)' -ex next -ex kill \
    ./loop > out 2>&1
  test "$(sed -n 's/^\([0-9]\+\)\t.*/\1/p' out | tr '\n' ' ')" = '4 5 7 8 '
  grep -q '^\$1 = 2.5$' out
fi
