# Programs without shared libraries; not where the archives are not built.
if test -e "$(dirname "$UPCC")/../lib/libweft-upcrt.a" -a -e "$(dirname "$UPCC")/../lib/libweft.a"; then
printf '#include <upc.h>\n#include <stdio.h>\nshared int x[THREADS];\nint main(void) {\n  x[MYTHREAD] = 3;\n  upc_barrier;\n  if (MYTHREAD == 0) printf("%%d\\n", x[THREADS - 1]);\n  return 0;\n}\n' > s.upc
"$UPCC" -static -o s s.upc 2> err
test "$("$LAUNCH" -n 2 ./s)" = 3
if command -v ldd > /dev/null; then ! ldd ./s > out 2>&1; fi
fi
