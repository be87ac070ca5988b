# --pthreads and plain C: a source given to upcc gets thread-local variables, an object cannot, and c_code says which is
# meant.
cat > c.c <<'X'
#include "c.h"
int c_global;
int get(void) { static int calls; calls++; return c_global * 10 + calls; }
X
printf 'extern int c_global;\nint get(void);\n' > c.h
cat > u.upc <<'X'
#include <upc.h>
#include "c.h"
int main(void) {
  c_global = MYTHREAD;
  upc_barrier;
  return get() != MYTHREAD * 10 + 1;
}
X
"$UPCC" --pthreads -o u u.upc c.c
"$LAUNCH" -n 3 ./u
gcc -c c.c
fails "$UPCC" --pthreads -o u u.upc c.o 2> err
grep -q "upcc: note: with --pthreads private variables are thread-local" err
printf '#pragma upc c_code\n#include "d.h"\nextern int relaxed;\n' > c.h
printf 'extern int c_global, shared;\nint get(void);\n' > d.h
cat > v.upc <<'X'
#include <upc.h>
#include "c.h"
shared int x;
int main(void) {
  if (MYTHREAD == 0) c_global = 4;
  upc_barrier;
  return c_global != 4;
}
X
"$UPCC" --pthreads -o v v.upc c.o
"$LAUNCH" -n 2 ./v
# What is declared or defined after c_code is one object for all threads, wherever else it is declared or defined.
cat > once.upc <<'X1'
#include <upc.h>
#include <stdio.h>
#pragma upc c_code
int once = 5;
extern int declared;
static int internal = 1;
int calls(void) { static int n; return ++n; }
#pragma upc upc_code
int declared = 5;
int own = 5;
int main(void) {
  if (MYTHREAD == 0) { once = 6; declared = 7; internal = 8; own = 9; calls(); }
  upc_barrier;
  if (once != 6 || declared != 7 || internal != 8 || own != (MYTHREAD == 0 ? 9 : 5)) printf("wrong\n");
  if (MYTHREAD == THREADS - 1) printf("%d\n", calls());
  return 0;
}
X1
"$UPCC" --pthreads -o once once.upc
test "$("$LAUNCH" -n 3 ./once)" = 2
# Variables of objects that upcc --pthreads did not make are one for all threads: a warning names them, but not those
# that UPC code declares after c_code.
cat > data.c <<'X'
extern int c_global;
static int counter;
int initialised[3] = {1}, *address = &counter;
const char *const names[] = {"a", "b"};
__thread int own;
int c_global;
int count(void) { static int calls; own++; return ++calls + counter + (names[0] == 0); }
X
printf '#include "d.h"\n#pragma upc c_code\nextern int c_global;\nint f(void) { return c_global; }\n' > declares.c
printf '#include <upc.h>\nint count(void), f(void);\nint main(void) { return count() * f(); }\n' > w.upc
gcc -fPIC -c data.c
"$UPCC" --pthreads -o w w.upc declares.c data.o 2> err
grep -qx "upcc: warning: data.o was not compiled by upcc --pthreads, so its variables are one for all threads of a\
 process: '[a-z]*', '[a-z]*', '[a-z]*' and 1 more \[-Wupc-object-data\]" err
[ "$(wc -l < err)" = 1 ]
grep -q "'calls'" err
fails "$UPCC" --pthreads -Werror -o w w.upc declares.c data.o 2> err
grep -q "^upcc: error: data.o .* \[-Werror=upc-object-data\]" err
test ! -e w
"$UPCC" --pthreads -Wno-upc-object-data -o w w.upc declares.c data.o 2> err
test ! -s err
sed -i '1i #pragma upc c_code' data.c
"$UPCC" --pthreads -c declares.c data.c
"$UPCC" --pthreads -o w w.upc declares.o data.o 2> err
test ! -s err
printf '#include <iostream>\nextern "C" int f() { return 0; }\n' > stream.cpp
printf 'namespace n { int count; }\nextern "C" int count() { return n::count; }\n' > namespace.cpp
"$UPCC" --pthreads -o w w.upc stream.cpp namespace.cpp -lstdc++ 2> err
[ "$(grep -c "warning: namespace.cpp was not compiled .* process: 'n::count' \[" err)" = "$(wc -l < err)" ]
# What asks the runtime who it is must ask for the thread.
printf '#include <weft/upcrt.h>\nint who(void) { return upcr_mythread() * 100 + upcr_threads(); }\n' > who.c
cp who.c whopp.cc
sed -i 's/int who/extern "C" int whopp/' whopp.cc
printf '#include <upc.h>\nint who(void);\nint main(void) { return who() != MYTHREAD * 100 + THREADS; }\n' > asks.upc
"$UPCC" --pthreads -o asks asks.upc who.c whopp.cc -lstdc++
"$LAUNCH" -n 3 ./asks
nm asks | says ' U upcr_thread_view'
nm asks | fails says upcr_process_view
"$UPCC" -c who.c
ar rc libwho.a who.o
for object in who.o libwho.a; do
  fails "$UPCC" --pthreads -o asks asks.upc $object 2> err
  grep -q '^upcc: error: .* was compiled without --pthreads and asks the runtime for MYTHREAD' err
done
# exit(0) ends the calling thread as its return from main would, whoever compiled the call; the others go on, and what
# one of them returns is the job's code. exit() with another code ends the job.
cat > exits.upc <<'X'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <upc.h>
shared int arrived;
void leave(int code);
int main(int argc, char **argv) {
  const int who = atoi(argv[1]);
  if (who == THREADS || MYTHREAD == who) leave(atoi(argv[2]));
  usleep(100000);
  printf("work of %d\n", MYTHREAD);
  return argc > 3 ? atoi(argv[3]) : 0;
}
X
printf '#include <stdlib.h>\nvoid leave(int code) { exit(code); }\n' > leave.c
gcc -c leave.c
"$UPCC" --pthreads -o exits exits.upc leave.c
"$UPCC" --pthreads -o exits_object exits.upc leave.o
"$UPCC" -o exits_processes exits.upc leave.c
for program in exits exits_object exits_processes; do
  for who in 0 2; do
    test "$("$LAUNCH" -n 3 "./$program" $who 0 | grep -c 'work of')" = 2
    code=0
    "$LAUNCH" -n 3 "./$program" $who 0 5 > out 2> err || code=$?
    test $code = 5 -a "$(grep -c 'work of' out)" = 2
    "$LAUNCH" -n 3 "./$program" $who 7 2> err && exit 1 || test $? = 7
  done
  "$LAUNCH" -n 3 "./$program" 3 0
done
# A function of the program that is named exit is no other.
cat > named_exit.c <<'X'
#include <unistd.h>
int exit(int code) { _exit(code + 1); }
X
"$UPCC" --pthreads -c named_exit.c
nm named_exit.o | says ' T exit$'
# A program that hangs: each thread tells where, the one that computes and those that wait.
cat > hangs.upc <<'E'
#include <stdio.h>
#include <upc.h>
shared int here;
static volatile int forever = 1;
int main(void) {
  upc_barrier;
  if (MYTHREAD == 1) {
    puts("ready");
    fflush(stdout);
    while (forever) {}
  }
  upc_barrier;
  return 0;
}
E
"$UPCC" -g --pthreads -o hangs hangs.upc
WEFT_BACKTRACE=1 "$LAUNCH" -n 3 ./hangs > hangs.out 2> hangs.err & hanging=$!
until grep -q ready hangs.out; do sleep 0.05; done
kill "$hanging"
fails wait "$hanging"
grep -q '^weft: thread 1: error: SIGTERM while not waiting in Weft' hangs.err
grep -q 'thread [02]: error: SIGTERM \(after waiting in upc_barrier (hangs.upc:12)\|while not waiting\)' hangs.err
# A literal with THREADS in it.
cat > literal.upc <<'X'
#include <upc.h>
int *p = (int[]){THREADS, 2};
int main(void) {
  p[1] += MYTHREAD;
  upc_barrier;
  return p[0] != THREADS || p[1] != 2 + MYTHREAD;
}
X
"$UPCC" --pthreads -T 3 -o literal literal.upc
"$LAUNCH" -n 3 ./literal
# Pragmas stand once, before a variable that becomes thread-local.
cat > pragmas.upc <<'X2'
#include <upc.h>
#include <immintrin.h>
#pragma pack(push, 1)
static struct { char c; int i; } packed;
#pragma pack(pop)
void f(void) {}
struct natural { char c; int i; };
#pragma GCC push_options
#pragma GCC optimize("O2")
static int twice(int x) { return 2 * x; }
#pragma GCC pop_options
#pragma pack(push, 1)
struct tight { char c; int i; };
static struct tight *pointer = &(struct tight){1, 2};
#pragma pack(pop)
static int counter;
int main(void) {
#pragma pack(push, 1)
  static int n = sizeof(struct { char c; int i; });
#pragma pack(pop)
  struct last { char c; int i; };
  counter += twice(1);
  return sizeof packed != 5 || sizeof(struct natural) != 8 || sizeof *pointer != 5 || pointer->i != 2 || n != 5 ||
         sizeof(struct last) != 8 || counter != 2;
}
X2
for cc in gcc clang; do
  CC=$cc "$UPCC" -Wno-unknown-pragmas --pthreads -o pragmas pragmas.upc
  "$LAUNCH" -n 2 ./pragmas
done
# A thread that the program makes acts for its process's UPC thread; where that is a thread, too, it is refused.
cat > own.upc <<'X'
#include <upc.h>
#include <pthread.h>
shared int a[THREADS];
static void *own(void *unused) { a[MYTHREAD] = 5; return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, own, 0);
  pthread_join(thread, 0);
  upc_barrier;
  return a[0] != 5;
}
X
"$UPCC" -o own own.upc
"$LAUNCH" -n 2 ./own
"$UPCC" --pthreads -o own own.upc
fails "$LAUNCH" -n 2 ./own 2> err
grep -q "a thread that is no UPC thread .* accessed shared memory or called a UPC function; with --pthreads only" err
# Barriers, locks and collective functions are for the thread that runs main.
cat > main_only.upc <<'X'
#include <upc.h>
#include <pthread.h>
#include <stdlib.h>
static upc_lock_t *lock;
static int what;
static void *own(void *unused) {
  if (what == 0) upc_lock(lock);
  if (what == 1) upc_barrier;
  if (what == 2) upc_all_alloc(THREADS, 4);
  if (what == 3) upc_free(upc_alloc(8));
  return unused;
}
int main(int argc, char **argv) {
  pthread_t thread;
  what = atoi(argv[1]);
  lock = upc_all_lock_alloc();
  pthread_create(&thread, 0, own, 0);
  pthread_join(thread, 0);
  upc_barrier;
  return 0;
}
X
"$UPCC" -o main_only main_only.upc
"$LAUNCH" -n 2 ./main_only 1
WEFT_CHECK=1 "$LAUNCH" -n 2 ./main_only 3
for said in '0 main_only.upc:7: upc_lock' '1 main_only.upc:8: upc_barrier' '2 main_only.upc:9: upc_all_alloc'; do
  WEFT_CHECK=1 fails "$LAUNCH" -n 2 ./main_only ${said%% *} 2> err
  grep -q "${said#* } was called by a thread that is no UPC thread (of OpenMP, .* for the thread that runs main" err
done
# ThreadSanitizer, where it works, sees what orders accesses and reports a race only where there is one.
cat > ordered.upc <<'X'
#include <upc.h>
#include <upc_collective.h>
#include <upc_team.h>
#include <bupc.h>
shared int box[THREADS], letter[THREADS], total, ones[THREADS];
shared [] int sum;
int main(int argc, char **argv) {
  upc_lock_t *lock = upc_all_lock_alloc();
  static bupc_sem_t *shared posts[THREADS];
  posts[MYTHREAD] = bupc_sem_alloc(0);
  upc_barrier;
  box[(MYTHREAD + 1) % THREADS] = MYTHREAD;
  bupc_sem_post(posts[(MYTHREAD + 1) % THREADS]);
  bupc_sem_wait(posts[MYTHREAD]);
  ones[MYTHREAD] = box[MYTHREAD] * 0 + 1;
  shared int *gathered = upc_all_alloc(THREADS, THREADS * sizeof(int));
  letter[(MYTHREAD + 1) % THREADS] = 1;
  bupc_waitsync(upc_team_gather_all_nb(UPC_TEAM_ALL, gathered, ones, sizeof(int), 0));
  ones[MYTHREAD] = letter[MYTHREAD];
  letter[MYTHREAD] = 2;
  bupc_handle_t handle = upc_team_gather_all_nb(UPC_TEAM_ALL, gathered, ones, sizeof(int), 0);
  while (!bupc_trysync(handle)) ;
  ones[MYTHREAD] = letter[(MYTHREAD + 1) % THREADS] - 1;
  upc_lock(lock);
  total += 1;
  upc_unlock(lock);
  upc_all_reduceI(&sum, ones, UPC_ADD, THREADS, 1, NULL, 0);
  if (argc > 1) total = MYTHREAD;
  return sum != THREADS;
}
X
# Private arrays do not take room from the stack that ulimit -s allows.
cat > stack.upc <<'X'
#include <string.h>
#include <upc.h>
static char large[12 << 20];
int main(void) {
  volatile char local[5 << 20];
  memset((char *)local, 1, sizeof local);
  memset(large, 1, sizeof large);
  return local[MYTHREAD] - large[MYTHREAD];
}
X
"$UPCC" --pthreads -o stack stack.upc
(ulimit -s 8192 && "$LAUNCH" -n 3 ./stack)
printf 'int main(void) { return 0; }\n' > empty.c
if gcc -fsanitize=thread -o empty empty.c 2> /dev/null && ./empty 2> /dev/null; then
  CC=gcc "$UPCC" --pthreads -O1 -g -fsanitize=thread -o ordered ordered.upc
  case $LAUNCH in *weftrun) LAUNCH="$LAUNCH --ranks-as=threads";; esac
  $LAUNCH -n 3 ./ordered > out 2>&1
  fails grep -q "data race" out
  fails $LAUNCH -n 3 ./ordered racy > out 2>&1
  grep -q "data race" out
fi
