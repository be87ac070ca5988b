# Programs without shared libraries; not where the archives are not built.
if test -e "$(dirname "$UPCC")/../lib/libweft-upcrt.a" -a -e "$(dirname "$UPCC")/../lib/libweft.a"; then
cat > s.upc <<'X'
#include <upc.h>
#include <stdio.h>
shared int x[THREADS];
int main(void) {
  x[MYTHREAD] = 3;
  upc_barrier;
  if (MYTHREAD == 0) printf("%d\n", x[THREADS - 1]);
  return 0;
}
X
"$UPCC" -static -o s s.upc 2> err
test "$("$LAUNCH" -n 2 ./s)" = 3
# A main that is missing, and one of C, which joins by itself.
printf '#include <upc.h>\nshared int y;\nint twice(int v) { return 2 * v + y; }\n' > n.upc
fails "$UPCC" -static -o nothing n.upc 2> err
grep -q '^upcc: error: the program has no main;' err
test ! -e nothing
cat > joins.c <<'X'
#include <weft/upcrt.h>
int twice(int);
int main(int argc, char **argv) {
  upcr_start(&argc, &argv);
  int v = twice(21);
  upcr_finish();
  return v != 42;
}
X
"$UPCC" -static -o joins joins.c n.upc
"$LAUNCH" -n 2 ./joins
# A main in an archive.
"$UPCC" -c s.upc && ar rc libmain.a s.o
"$UPCC" -static -o archived n.upc libmain.a
test "$("$LAUNCH" -n 2 ./archived)" = 3
if command -v ldd > /dev/null; then ! ldd ./s > out 2>&1; fi
fi
