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
