# C++ objects; a static program started with the wrong number of threads; debug lines.
printf 'extern "C" int twice(int v) { static int calls; return ++calls * 2 * v; }\n' > d.cpp
cat > m.upc <<'X'
#include <stdio.h>
#include <upc.h>
int twice(int);
int main(void) {
  if (MYTHREAD == 0) printf("%d\n", twice(21));
  return 0;
}
X
g++ -c d.cpp
"$UPCC" -g -o m m.upc d.o -lstdc++
test "$("$LAUNCH" -n 2 ./m)" = 42
"$UPCC" -o m2 m.upc d.cpp -lstdc++
"$UPCC" -T 4 -o s m.upc d.o
test "$("$LAUNCH" -n 4 ./s)" = 42
fails "$LAUNCH" -n 3 ./s > out 2>&1
grep -q 4 out
# Line numbers are those of the UPC source.
if command -v objdump > /dev/null; then objdump --dwarf=decodedline m | grep 'm.upc *5' > /dev/null; fi
if command -v gdb > /dev/null; then
  gdb -q -batch -ex 'info line m.upc:5' m 2>&1 | grep 'Line 5 of ".*m.upc"' > /dev/null
fi
