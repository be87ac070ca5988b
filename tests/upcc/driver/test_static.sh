# Programs without shared libraries; not where the archives are not built.
if test -e "$(dirname "$UPCC")/../lib/libweft-upcrt.a" -a -e "$(dirname "$UPCC")/../lib/libweft.a"; then
printf '#include <upc.h>\n#include <stdio.h>\nshared int x[THREADS];\nint main(void) {\n  x[MYTHREAD] = 3;\n  upc_barrier;\n  if (MYTHREAD == 0) printf("%%d\\n", x[THREADS - 1]);\n  return 0;\n}\n' > s.upc
"$UPCC" -static -o s s.upc 2> err
test "$("$LAUNCH" -n 2 ./s)" = 3
# A main that is missing, and one of C, which joins by itself.
printf '#include <upc.h>\nshared int y;\nint twice(int v) { return 2 * v + y; }\n' > n.upc
! "$UPCC" -static -o nothing n.upc 2> err
grep -q '^upcc: error: the program has no main;' err
test ! -e nothing
printf '#include <weft/upcrt.h>\nint twice(int);\nint main(int argc, char **argv) {\n  upcr_start(&argc, &argv);\n  int v = twice(21);\n  upcr_finish();\n  return v != 42;\n}\n' > joins.c
"$UPCC" -static -o joins joins.c n.upc
"$LAUNCH" -n 2 ./joins
# A main in an archive.
"$UPCC" -c s.upc && ar rc libmain.a s.o
"$UPCC" -static -o archived n.upc libmain.a
test "$("$LAUNCH" -n 2 ./archived)" = 3
if command -v ldd > /dev/null; then ! ldd ./s > out 2>&1; fi
fi
