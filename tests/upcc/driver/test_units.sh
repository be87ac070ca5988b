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
fails "$UPCC" -c -o x.o a.upc b.upc 2> err
grep -q "cannot specify '-o'" err
# Units that disagree about a shared object: refused at the start, with both places.
cat > one.upc <<'X'
#include <upc.h>
shared [4] int x[4 * THREADS];
extern shared [] char s[];
shared double d;
int other(void);
int main(void) { return other() + x[0] + s[0] + (int)d; }
X
cat > two.upc <<'X'
#include <upc.h>
extern shared OTHER;
shared [] char s[3];
extern shared double d;
int other(void) { return x[0] + s[0] + (int)d; }
X
"$UPCC" '-DOTHER=[4] int x[]' one.upc two.upc -o agree
"$LAUNCH" -n 2 ./agree
for pair in 'int x[]:block size 1' '[] int x[10]:indefinite block size' "[4] double x[]:type 'shared .4. double.*'" \
    '[4] int x[8 * THREADS]:32 bytes per thread'; do
  "$UPCC" "-DOTHER=${pair%:*}" one.upc two.upc -o disagree
  fails "$LAUNCH" -n 2 ./disagree 2> err
  grep -q "one.upc:2: the shared object 'x' is declared here with .*, and at two.upc:2 with ${pair#*:};" err
done
# What the same type is: that which lies alike in memory and means the same.
cat > types.upc <<'X'
#include <upc.h>
#include <stdint.h>
typedef STRUCTURE pair_t;
struct list { struct list *(*next)[2][3]; int n; };
OTHER;
int other(void) { return sizeof(x); }
X
cat > uses.upc <<'X'
#include <upc.h>
typedef struct { int a; float b; } pair_t;
struct list { struct list *(*next)[2][3]; int n; };
enum kind { first, second };
OBJECT;
int other(void);
int main(void) { return other() == 0 || sizeof(x) == 0; }
X
pair='struct { int a; float b; }'
while IFS=: read -r object structure other; do
  "$UPCC" "-DOBJECT=$object" -c uses.upc
  "$UPCC" "-DSTRUCTURE=$structure" "-DOTHER=extern $other" -c types.upc
  "$UPCC" -o agree uses.o types.o
  "$LAUNCH" -n 2 ./agree
done << X
shared enum kind x:$pair:shared unsigned x
shared long x[THREADS]:$pair:shared long long x[THREADS]
shared pair_t x:struct pair { int a; float b; }:relaxed shared const pair_t x
shared struct list x:$pair:shared struct list x
shared int x[3][4 * THREADS]:$pair:shared int x[3][4 * THREADS]
int (*shared x)(int):$pair:int (*shared x)()
X
while IFS='|' read -r object structure other here there; do
  "$UPCC" "-DOBJECT=$object" -c uses.upc
  "$UPCC" "-DSTRUCTURE=$structure" "-DOTHER=extern $other" -c types.upc
  "$UPCC" -o disagree uses.o types.o
  fails "$LAUNCH" -n 2 ./disagree 2> err
  grep -qF "uses.upc:5: the shared object 'x' is declared here with $here, and at types.upc:5 with $there;" err
done << X
shared int x[THREADS]|$pair|shared float x[THREADS]|type 'shared int[THREADS]'|type 'shared float[THREADS]'
shared int x|$pair|shared unsigned x|type 'shared int'|type 'shared unsigned int'
shared int x|$pair|strict shared int x|type 'shared int'|type 'strict shared int'
shared pair_t x|struct { float b; int a; }|shared pair_t x|type 'shared pair_t'|another type of this name
shared [] int x[3][4]|$pair|shared [] int x[4][3]|type 'shared [] int[3][4]'|type 'shared [] int[4][3]'
shared int x|$pair|shared int x[THREADS]|type 'shared int'|type 'shared int[THREADS]'
X
# THREADS and --pthreads are properties of each unit: all agree, with each other and with the command that links.
printf '#include <upc.h>\nint g(void);\nint main(void) { return g() - THREADS; }\n' > m.upc
printf '#include <upc.h>\nint g(void) { return THREADS; }\n' > g.upc
"$UPCC" -c m.upc
"$UPCC" -c g.upc
"$UPCC" -T 4 -c -o g4.o g.upc
"$UPCC" --pthreads -c -o gp.o g.upc
ar rc libg4.a g4.o
for how in '' -no-pie -fuse-ld=gold; do
  for g in g4.o '-L. -lg4'; do
    fails "$UPCC" $how -o fixed m.o $g 2> err
    grep -q '^upcc: error: m.upc was compiled for any number of threads, and g.upc with -T 4; compile all units' err
    [ "$(wc -l < err)" = 1 ]
    test ! -e fixed
  done
done
fails "$UPCC" -T 4 -o fixed m.upc g.o 2> err
grep -q '^upcc: error: g.upc was compiled for any number of threads, and this command gives -T 4; compile g.upc' err
fails "$UPCC" -fupc-threads-3 -o fixed m.upc g4.o 2> err
grep -q '^upcc: error: g.upc was compiled with -T 4, and this command gives -T 3; compile g.upc with -T 3, too' err
"$UPCC" -fPIC -c -o pic.o g.upc
fails "$UPCC" -T 4 -shared -o libfixed.so pic.o 2> err
grep -q 'g.upc was compiled for any number of threads' err
fails "$UPCC" --pthreads -o fixed m.upc g.o 2> err
grep -q '^upcc: error: g.upc was compiled without --pthreads, which this command gives; compile g.upc with --pthr' err
fails "$UPCC" -o fixed m.o gp.o 2> err
grep -q '^upcc: error: m.upc was compiled without --pthreads, and g.upc with --pthreads; compile all units with' err
"$UPCC" -T 4 -c -o m4.o m.upc
"$UPCC" -o fixed m4.o g4.o
"$LAUNCH" -n 4 ./fixed
# Shared objects that no host has room for.
cat > room.upc <<'X'
#include <upc.h>
shared [] char small[3];
static shared [] char large[SIZE];
int main(void) { return large[0] + small[0]; }
X
"$UPCC" -DSIZE='3L << 30' room.upc -o room
WEFT_SEGMENT_SIZE=1G fails "$LAUNCH" -n 1 ./room 2> err
grep -q "room.upc:3: the static shared objects of this program take 322122[0-9]* bytes per thread (the largest is\
 'large' with 3221225472)" err
"$UPCC" -DSIZE='1L << 47' room.upc -o room
fails "$LAUNCH" -n 1 ./room 2> err
grep -q "^upcrun: the static shared objects of ./room take 140737488355[0-9]* bytes of each thread's memory, and this\
 host has" err
# Hidden symbols do not hide the program from the runtime; a program without main is none.
"$UPCC" -fvisibility=hidden -DSIZE=4 room.upc -o hidden
"$LAUNCH" -n 2 ./hidden
fails "$UPCC" -o nothing b.upc 2> err
grep -q '^upcc: error: the program has no main;' err
test ! -e nothing
# A main that lies in an archive, of UPC and of C.
printf '#include <upc.h>\nint helper(void);\nint main(void) { return helper() - 5; }\n' > main.upc
cat > cmain.c <<'X'
#include <weft/upcrt.h>
int helper(void);
int main(int argc, char **argv) {
  upcr_start(&argc, &argv);
  int v = helper();
  upcr_finish();
  return v - 5;
}
X
printf '#include <upc.h>\nshared int h;\nint helper(void) { return 5 + h; }\n' > helper.upc
"$UPCC" -c main.upc helper.upc cmain.c
ar rc libmain.a main.o && ar rc libcmain.a cmain.o
for main in libmain.a '-L. -lmain' libcmain.a; do
  "$UPCC" -o archived helper.o $main
  "$LAUNCH" -n 2 ./archived
  "$UPCC" -o archived $main helper.o
done
"$UPCC" -o archived cmain.o helper.o libmain.a
"$LAUNCH" -n 2 ./archived
# An object is not shared in one unit and private in another.
printf '#include <upc.h>\nshared int y[THREADS];\nvoid g(void);\nint main(void) { g(); return y[0]; }\n' > shared.upc
echo 'extern int y[2]; void g(void) { y[0] = 1; }' > private.c
fails "$UPCC" -o mixed shared.upc private.c 2> err
grep -q "undefined reference to .y'" err
grep -q "upcc: note: 'y' is shared in shared.upc" err
fails grep -q 'upcc-......' err
echo 'int y[2]; void g(void) { y[0] = 1; }' > private.c
fails "$UPCC" -o mixed shared.upc private.c 2> err
grep -q "^upcc: error: 'y' is private in private.c and shared in shared.upc;" err
printf '#include <upc.h>\nextern shared int z;\nint main(void) { return z; }\n' > undefined.upc
fails "$UPCC" -o undefined undefined.upc 2> err
grep -q "upcc: note: the shared object 'z' is declared but no UPC file defines it" err
grep -q 'undefined.upc' err
# One definition of each, and each file is named once.
printf '#include <upc.h>\nshared int y[THREADS];\nint f(void) { return y[0]; }\n' > first.upc
cp first.upc second.upc
for linker in bfd gold; do
  fails "$UPCC" -fuse-ld=$linker -o both first.upc second.upc 2> err
  grep -q "upcc: note: several UPC files define the shared object 'y': declare it 'extern' in all but one" err
  grep -q 'first.upc:' err
  fails grep -q 'first.upc:first.upc:' err
done
# A program has one main, in whatever language.
printf '#include <upc.h>\nint main(void) { return 0; }\n' > main1.upc
cp main1.upc main2.upc
echo 'int main(void) { return 0; }' > main3.c
for second in main2.upc main3.c; do
  fails "$UPCC" -o mains main1.upc $second 2> err
  grep -q "^upcc: error: main is defined in main1.upc and in $second; a program has one" err
  [ "$(wc -l < err)" = 1 ]
done
# Also if it comes from libraries.
for name in one two; do
  printf '#include <upc.h>\nint %s(void) { return 0; }\nint main(void) { return 0; }\n' $name > $name.upc
  "$UPCC" -c $name.upc
  ar rc libmain_$name.a $name.o
done
printf 'int three(void) { return 0; }\nint main(void) { return 0; }\n' > three.c
gcc -c three.c
ar rc libmain_three.a three.o
printf '#include <upc.h>\nint one(void), two(void);\nint f(void) { return one() + two(); }\n' > both.upc
fails "$UPCC" -o mains both.upc -L. -lmain_one -lmain_two 2> err
grep -q '^upcc: note: that is main, which several UPC files define, in libraries, too: a program has one' err
printf '#include <upc.h>\nint three(void);\nint main(void) { return three(); }\n' > uses_three.upc
fails "$UPCC" -o mains uses_three.upc libmain_three.a 2> err
grep -q '^upcc: error: main is defined in UPC and in another language, in uses_three.upc and in a library;' err
printf 'int one(void);\nint main(void) { return one(); }\n' > uses_one.c
fails "$UPCC" -o mains uses_one.c libmain_one.a 2> err
grep -q '^upcc: error: main is defined in UPC and in another language, in uses_one.c and in a library;' err
test ! -e mains
# C that includes UPC's headers through one of its own ends there, and says what to do.
printf '#include <upc.h>\nextern shared int x[THREADS];\n' > own.h
printf '#include "own.h"\nint f(void) { return x[0]; }\n' > includes_own.c
fails "$UPCC" -c includes_own.c 2> err
grep -q 'This header is for UPC: compile the file with upcc, with -x upc before it' err
[ "$(grep -c 'error:' err)" -le 2 ]
"$UPCC" -x upc -c includes_own.c
