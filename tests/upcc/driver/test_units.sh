# Several units, plain C beside UPC, objects, libraries, and the order of a static library.
cat > a.upc <<'E'
#include <stdio.h>
#include <upc.h>
extern shared int x[10 * THREADS];
int from_c(int);
int from_library(void);
int main(void) {
  upc_forall (int i = 0; i < 10 * THREADS; i++; &x[i]) x[i] = i;
  upc_barrier;
  if (MYTHREAD == 0) printf("%d %d\n", from_c(x[9]), from_library());
  return 0;
}
E
printf '#include <upc.h>\nshared int x[10 * THREADS];\n' > b.upc
echo 'int from_c(int v) { return v + 1; }' > c.c
echo 'int from_library(void) { return 7; }' > l.c
gcc -c l.c && ar rc libl.a l.o
"$UPCC" -O2 -g -c a.upc
test -f a.o
"$UPCC" -c -o other.o b.upc
"$UPCC" -o prog a.o other.o c.c -L. -ll -lm
test "$("$LAUNCH" -n 3 ./prog)" = "10 7"
"$UPCC" -o prog2 a.upc b.upc c.c libl.a
test "$("$LAUNCH" -n 2 ./prog2)" = "10 7"
! "$UPCC" -c -o x.o a.upc b.upc 2> err
grep -q "cannot specify '-o'" err
