# What is said of names that nothing declares, and of options of other compilers.
cat > names.upc <<'X'
#include <upc.h>
#include <upc_atomic.h>
sharde int x;
shared int counter[THREADS];
upc_lock_tt *lock;
upc_thread_info_t info;
upc_team_t other;
upc_tick_t tick;
int main(void) {
  upc_barier;
  upc_lok(0);
  conter[0] = 1;
  upc_all_brodcast(0, 0, 0, 0);
  int hint = UPC_ATOMIC_LATENCY;
  upc_atomic_relxed(0, 0, 0, 0, 0, 0);
  entirely_unknown = 1;
  return MYTHRED + (upc_all_allocate(1, 1) == 0);
}
X
fails "$UPCC" -c names.upc 2> err
while read -r line message; do grep -qF "names.upc:$line: $message" <(sed 's/:[0-9]*: error//' err); done <<'X'
3 unknown type name 'sharde'; did you mean 'shared'?
5 unknown type name 'upc_lock_tt'; did you mean 'upc_lock_t'?
6 unknown type name 'upc_thread_info_t': is '#include <upc_castable.h>' missing?
7 unknown type name 'upc_team_t': is '#include <upc_team.h>' missing?
8 unknown type name 'upc_tick_t': is '#include <upc_tick.h>' missing?
10 'upc_barier' undeclared (first use in this function); did you mean 'upc_barrier'?
11 function 'upc_lok' is not declared; did you mean 'upc_lock'?
12 'conter' undeclared (first use in this function); did you mean 'counter'?
13 function 'upc_all_brodcast' is not declared: is '#include <upc_collective.h>' missing?
14 'UPC_ATOMIC_LATENCY' undeclared (first use in this function); did you mean 'UPC_ATOMIC_HINT_LATENCY'?
15 function 'upc_atomic_relxed' is not declared; did you mean 'upc_atomic_relaxed'?
17 function 'upc_all_allocate' is not declared; did you mean 'upc_all_alloc'?
17 'MYTHRED' undeclared (first use in this function); did you mean 'MYTHREAD'?
X
grep -q "'entirely_unknown' undeclared (first use in this function)$" err
cat > others.upc <<'X'
#include <upc.h>
#include <upc_collective.h>
int f(void) {
  upc_file_t *file = 0;
  int *p = upc_threads() + upc_mythread() + mythread;
  UPC_BARRIER;
  upc_exit(EXIT_FAILURE);
  upc_init();
  upc_all_reduce(file, p, UPC_PTS_TYPE);
  counts *unknown;
  struct point { int x; } origin;
  enum colour { red };
  point *to = &origin;
  colour paint = red;
  return file[0] + unknown[0] + (true == UPC_SEEK_CUR) + errno;
}
X
fails "$UPCC" -c others.upc 2> err
while read -r line message; do grep -qxF "others.upc:$line: $message" <(sed 's/:[0-9]*: error//' err); done <<'X'
4 unknown type name 'upc_file_t': is '#include <upc_io.h>' missing?
5 function 'upc_threads' is not declared; did you mean 'THREADS'?
5 function 'upc_mythread' is not declared; did you mean 'MYTHREAD'?
5 'mythread' undeclared (first use in this function); did you mean 'MYTHREAD'?
6 'UPC_BARRIER' undeclared (first use in this function); did you mean 'upc_barrier'?
7 function 'upc_exit' is not declared; did you mean 'upc_global_exit'?
7 'EXIT_FAILURE' undeclared (first use in this function): is '#include <stdlib.h>' missing?
8 function 'upc_init' is not declared
9 function 'upc_all_reduce' is not declared; a letter for the type ends its name, as in 'upc_all_reduceI' for int
10 unknown type name 'counts'
13 unknown type name 'point'; did you mean 'struct point'?
14 unknown type name 'colour'; did you mean 'enum colour'?
15 'true' undeclared (first use in this function): is '#include <stdbool.h>' missing?
15 'UPC_SEEK_CUR' undeclared (first use in this function): is '#include <upc_io.h>' missing?
15 'errno' undeclared (first use in this function): is '#include <errno.h>' missing?
X
test "$(grep -c 'error:' err)" = 16
cat > libraries.upc <<'X'
#include <upc.h>
#include <omp.h>
int f(int i) {
  share int x;
  strct shared int y;
  MPI_Barrier(0);
  omp_get_thread_nam();
  omp_frobnicate(0);
  upc_all_sync();
  upc_put(UPC_THREADS_SAME);
  return UPC_THREADS + upc_my_thread();
}
X
fails "$UPCC" -c libraries.upc 2> err
sed -i 's/:[0-9]*: [a-z]*: /: /; s/ \[-Wimplicit-function-declaration\]$//' err
while read -r line message; do grep -qxF "libraries.upc:$line: $message" err; done <<'X'
4 unknown type name 'share'; did you mean 'shared'?
5 unknown type name 'strct'; did you mean 'strict'?
6 implicit declaration of function 'MPI_Barrier': is '#include <mpi.h>' missing?
7 implicit declaration of function 'omp_get_thread_nam'; did you mean 'omp_get_thread_num'?
8 implicit declaration of function 'omp_frobnicate'
9 function 'upc_all_sync' is not declared: is '#include <upc_collective.h>' missing?
10 function 'upc_put' is not declared
10 'UPC_THREADS_SAME' undeclared (first use in this function)
11 'UPC_THREADS' undeclared (first use in this function); did you mean 'THREADS'?
11 function 'upc_my_thread' is not declared; did you mean 'MYTHREAD'?
X
printf 'int main(void) { return NULL == 0 || sizeof(int64_t); }\n' > null.upc
fails "$UPCC" -fsyntax-only null.upc 2> err
grep -q "'NULL' undeclared .*: is '#include <stddef.h>' missing?" err
grep -q "'int64_t' undeclared .*: is '#include <stdint.h>' missing?" err
printf 'int main(void) { upc_forall (int i = 0; i < 3; i++) ; return UPC_ADD; }\n' > clause.upc
fails "$UPCC" -c clause.upc 2> err
grep -q "expected ';' and the affinity (fourth clause of upc_forall: " err
grep -q "'UPC_ADD' undeclared .*: is '#include <upc_types.h>' missing?" err
printf 'int f(int i) { for (i = 0; i < 3; i++; i) ; upcforall (; i; ; i) ; }\n' > loop.upc
fails "$UPCC" -c loop.upc 2> err
grep -qx ' *| \{16\}upc_forall' err
grep -qx ' *| \{45\}upc_forall' err
# Functions without a call.
cat > call.upc <<'X'
#include <upc.h>
int f(void) { upc_unlock; upc_threadof(*(shared int *)0); }
X
fails "$UPCC" -Wall -c call.upc 2> err
grep -q "statement with no effect; 'upc_unlock' is a function: call it, as 'upc_unlock(...)' " err
grep -qx ' *| \{40\}&' err
# Mistakes with a usual cure.
cat > cures.upc <<'X'
#include <upc.h>
#include <upc_types.h>
#include <upc_collective.h>
shared int a[THREADS], r;
int main(void) {
  int mine = 0;
  upc_all_reduceI(&r, a, UPC_SUM, THREADS, 1, 0, 0);
  upc_threadof(&mine);
  if (MYTHREAD = 0) return 0;
  if (MYTHREAD == 0) upc_barrier;
  return 0;
}
X
fails "$UPCC" -c cures.upc 2> err
grep -q "^cures.upc:7:.*'UPC_SUM' undeclared .*; did you mean 'UPC_ADD'?" err
grep -q "^cures.upc:8:.*pointer-to-shared; private memory is of the thread itself, MYTHREAD" err
grep -q "^cures.upc:9:16: note: did you mean '=='?" err
sed -i '7,9d' cures.upc
"$UPCC" -c cures.upc 2> err
grep -q "not the same on all threads; move 'upc_barrier' behind the statement, or to all branches" err
# Options.
printf '#include <upc.h>\nint main(void) { return 0; }\n' > ok.upc
for option in -opt -network=smp -shared-heap=64M -stats; do
  "$UPCC" "$option" -o ok ok.upc 2> err
  grep -q "^upcc: note: $option is ignored: " err
  test ! -e pt
done
"$UPCC" -nopthreads -o ok ok.upc
for option in thread=4:threads pthread:pthreads report-vew:report-view; do
  fails "$UPCC" "--${option%:*}" ok.upc 2> err
  grep -qxF "upcc: error: unrecognized command-line option '--${option%:*}'; did you mean '--${option#*:}'?" err
done
fails "$UPCC" -fupc-raport ok.upc 2> err
grep -q "option '-fupc-raport'; did you mean '-fupc-report'?$" err
fails "$UPCC" -fno-upc-loop-window ok.upc 2> err
grep -q "option '-fno-upc-loop-window'; did you mean '-fno-upc-loop-windows'?$" err
for option in --static --sysroot=/ -DTHREADSX; do "$UPCC" $option -c ok.upc 2> err; test ! -s err; done
for option in -n -np; do
  fails "$UPCC" $option 4 ok.upc 2> err
  grep -qx "upcc: error: $option 4: upcrun takes the number of threads so; upcc fixes it with -T 4" err
done
for option in -DTHREADS=4 '-D THREADS=4'; do
  "$UPCC" $option -c ok.upc 2> err
  grep -qx "upcc: warning: -DTHREADS=4 hides THREADS of UPC; -T N fixes the number of threads" err
done
fails "$UPCC" -trans ok.upc 2> err
grep -q 'unknown option -trans; what it does is here: --print-c' err
"$UPCC" -V | says '^upcc [0-9]'
test "$("$UPCC" -dumpmachine)" = "$(cc -dumpmachine)"
test "$("$UPCC" -print-file-name=libc.so)" = "$(cc -print-file-name=libc.so)"
"$UPCC" '-###' -c ok.upc 2> err
grep -q 'cpp-output.* -c .* -o ok.o' err
# Files beside the object; output that cannot be written is nobody's bug; UPC in a file named C gets one error.
mkdir objects
"$UPCC" -save-temps=obj -c ok.upc -o objects/ok.o
test -s objects/ok.upc.c -a -s objects/ok.s -a ! -e ok.s
fails "$UPCC" -c -o /dev/full ok.upc 2> err
fails grep -q 'bug in upcc' err
printf '#include <upc.h>\nshared int q[THREADS];\nint main(void) { upc_barrier; return q[0]; }\n' > named.c
fails "$UPCC" -c named.c 2> err
test "$(grep -c 'error:' err)" = 1
# The type that typeof gives of a shared object is shared.
printf 'shared int a;\nint main(void) {\n  typeof(a) x;\n  shared int y;\n  return 0;\n}\n' > typeof.upc
fails "$UPCC" -c typeof.upc 2> err
test "$(grep -c "note: the type that 'typeof' gives of a shared object is shared, too" err)" = 1
# An inline function of C99 without an external definition.
cat > inline.upc <<'X'
#include <upc.h>
inline int twice(int i) { return 2 * i; }
int main(void) { return twice(MYTHREAD) < 0; }
X
for linker in bfd gold; do
  fails "$UPCC" -fuse-ld=$linker -o inline inline.upc 2> err
  test "$(grep -c "note: 'twice' is an inline function without an external definition" err)" = 1
done
"$UPCC" -fgnu89-inline -o inline inline.upc
"$UPCC" -O2 -o inline inline.upc
