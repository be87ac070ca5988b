# Static shared objects cannot live in a shared library; the rest of UPC can.
printf '#include <upc.h>\nshared int x[THREADS];\nint get(int i) { return x[i]; }\n' > a.upc
fails "$UPCC" -shared -fPIC -o liba.so a.upc 2> err
grep -q 'a shared library cannot define static shared objects' err
test ! -e liba.so
fails "$UPCC" -shared -o liba.so a.upc 2> err
grep -q 'a shared library cannot define static shared objects' err
fails grep -q fPIC err
printf '#include <upc.h>\nint get(shared int *p, int i) { return p[i]; }\n' > b.upc
"$UPCC" -shared -fPIC -o libb.so b.upc
cat > m.upc <<'X'
#include <upc.h>
int get(shared int *, int);
shared int x[THREADS];
int main(void) { x[MYTHREAD] = 3; upc_barrier; return get(x, THREADS - 1) != 3; }
X
"$UPCC" -o m m.upc libb.so -Wl,-rpath,"$PWD"
"$LAUNCH" -n 2 ./m
# The units of a library are compiled for the same threads as the program's.
printf '#include <upc.h>\nint get(shared int *p, int i) { return p[i] + THREADS - 2; }\n' > b.upc
for how in '-T 3' --pthreads; do
  "$UPCC" $how -shared -fPIC -o libb.so b.upc
  fails "$LAUNCH" -n 2 ./m 2> err
  grep -q 'm.upc was compiled .*, b.upc .*; compile all units' err
done
