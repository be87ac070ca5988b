# Exit codes and messages.
printf 'shared int x;\nint main(void) { return y + x; }\n' > bad.upc
fails "$UPCC" -c bad.upc 2> err
grep -q '^bad.upc:2:25: error:' err
test ! -e bad.o
fails "$UPCC" 2> err
grep -q 'no input files' err
fails "$UPCC" -c missing.upc 2> err
grep -q 'missing.upc: No such file' err
fails "$UPCC" -T 0 -c bad.upc 2> err
grep -q "invalid number of threads '0'" err
fails "$UPCC" -fno-upc-nonsense -c bad.upc 2> err
grep -q 'unrecognized command-line option' err
fails "$UPCC" -o 2> err
grep -q "missing argument to '-o'" err
echo 'int main(void) { return 0; }' > ok.upc
CC=/nonexistent/cc fails "$UPCC" -c ok.upc 2> err
grep -q 'cannot run the C compiler' err
# A back end that fails is upcc's fault, and upcc says so.
printf '#!/bin/sh\ncase " $* " in *" -E "*) exec gcc "$@";; esac\necho "x.c:1:1: error: no" >&2\nexit 1\n' > cc-fails
chmod +x cc-fails
CC=./cc-fails fails "$UPCC" -c ok.upc 2> err
grep -q 'This is a bug in upcc' err
# Warnings: about the user's code, once; none about generated code.
cat > quiet.upc <<'X'
#include <upc.h>
shared int a[THREADS];
int main(void) { upc_forall (int i = 0; i < THREADS; i++; &a[i]) a[i]++; return a[0] == 2; }
X
"$UPCC" -Wall -Wextra -Werror -O2 -c quiet.upc 2> err
test ! -s err
printf 'int main(void) { int unused; return 0; }\n' > warn.upc
"$UPCC" -Wall -c warn.upc 2> err && grep -q 'unused' err
fails "$UPCC" -Wall -Werror -c warn.upc 2> err
fails grep -q 'bug in upcc' err
# Messages about arguments of the library's functions speak of these functions and point at the arguments.
cat > arguments.upc <<'X'
#include <upc.h>
shared int a[THREADS];
int main(void) {
  int l; upc_memget(&l, &a[0], 4); upc_memput(&a[0], &a[1], 4);
  upc_unlock(3);
  return 0;
}
X
fails "$UPCC" -c arguments.upc 2> err
what="passing argument 2 of 'upc_memput' from 'shared int \*' to 'const void \*'"
grep -q "^arguments.upc:4:54: error: $what.*; use 'upc_memcpy'$" err
grep -q "^arguments.upc:5:14: error: passing argument 1 of 'upc_unlock' makes" err
# The user's options are not upcc's fault, and a bad one does not make others.
for option in -Wx,-O3 -mno-such-machine; do
  fails "$UPCC" "$option" -c ok.upc 2> err
  fails grep -q 'bug in upcc' err
done
for option in '-T x' '-fno-upc-blah'; do
  fails "$UPCC" $option -o o1 ok.upc 2> err
  test "$(grep -c 'error:' err)" = 1
done
"$UPCC" -fupc-threads-4 -c ok.upc
# UPC under a name of C.
printf '#include <upc.h>\nint main(void) { upc_barrier; return MYTHREAD; }\n' > named.c
fails "$UPCC" -c named.c 2> err
grep -q "upcc: note: named.c was compiled as C.*'-x upc'" err
"$UPCC" -x upc -c named.c
# Temporary files: no room for them; gone after a signal.
TMPDIR=/nonexistent fails "$UPCC" -o ok ok.upc 2> err
grep -q 'cannot make a temporary folder in /nonexistent: No such file' err
printf '#!/bin/sh\ncase " $* " in *" -E "*) exec gcc "$@";; esac\ntouch started\nexec sleep 30\n' > cc-sleeps
chmod +x cc-sleeps
mkdir temporary
CC=./cc-sleeps TMPDIR=$PWD/temporary "$UPCC" -o ok ok.upc & upcc=$!
until test -e started; do sleep 0.05; done
test -n "$(ls temporary)"
kill "$upcc"
fails wait "$upcc"
test -z "$(ls temporary)"
# Warnings about statements: once each, and none about the value of a statement expression.
cat > value.upc <<'X'
#include <upc.h>
shared int a[THREADS];
int g(int);
int main(void) {
  int x = ({ int t = 3; t + 1; });
  x += ({ g(x); a[0]; });
  return x;
}
X
"$UPCC" -Wall -Wextra -Werror -c value.upc
cat > once.upc <<'X1'
#include <stdio.h>
#include <upc.h>
shared int a[THREADS];
int main(void) {
  int x = 1;
  x + 1;
  a[0];
  undeclared(x);
  if (a[0] = 3) x++;
  if ((a[0] = 3)) x++;
  while (x = 0) x++;
  printf("%p\n", &a[0]);
  return x + ({ 3; });
}
X1
"$UPCC" -Wall -c once.upc 2> err
for place in 6: 7: 8: 9: 11: 12:; do test "$(grep -c "once.upc:$place.*warning:" err)" = 1; done
test "$(grep -c 'warning:' err)" = 6
cat > twice.upc <<'X'
const int *c;
int main(void) {
  int *p = 5;
  p = c;
  double *d = p;
  return p[0] + (p == 3) + (d == p);
}
int f(int x) { if (x) return 3; }
X
"$UPCC" -Wall -c twice.upc 2> err
for line in 3 4 5 8; do test "$(grep -c "twice.upc:$line:.*warning:" err)" = 1; done
test "$(grep -c "twice.upc:6:.*warning:" err)" = 2
test "$(grep -c "In function 'main'" err)" = 1
grep -q 'In function .f.:' err
# What has no format is said once, also where gcc would say that it has another.
printf '#include <stdio.h>\nshared int *p;\nint main(void) {\n  printf("%%d\\n", p);\n  return 0;\n}\n' > format.upc
"$UPCC" -Wall -c format.upc 2> err
test "$(grep -c 'format.upc:4:.*warning:' err)" = 1
printf 'int x;\nint main(void) {\n  x == 3;\n  return 1 / 0;\n}\n' > unused.upc
for CC in gcc clang; do
  CC=$CC "$UPCC" -Wall -c unused.upc 2> err
  for line in 3 4; do test "$(grep -c "unused.upc:$line:.*warning:" err)" = 1; done
done
# So are pragmas that are upcc's, but unknown.
printf 'int main(void) {\n#pragma upc\n#pragma upc stric\n  return 0;\n}\n' > pragma.upc
"$UPCC" -Wall -c pragma.upc 2> err
test "$(grep -c 'warning:' err)" = 2
# With -Werror the messages of both compilers are seen.
fails "$UPCC" -Wall -Werror -c once.upc 2> err
grep -q 'once.upc:7:.*error: .*Werror=unused-value' err
printf '#include <upc.h>\nshared int a[THREADS];\nint main(void) {\n  int unused = a[0];\n  a[0];\n}\n' > both.upc
fails "$UPCC" -Wall -Werror -c both.upc 2> err
test "$(grep -c 'both.upc:5:.*error: .*Werror=unused-value' err)" = 1
grep -q 'both.upc:4:.*error: .*Werror=unused-variable' err
test ! -e both.o
# What the C compiler finds in functions of the runtime after inlining is not said of their header, and what gcc says of
# a function where it stands and where it is inlined is said once.
cat > inlined.upc <<'X2'
#include <upc.h>
shared [] char block[100];
void fill(int *, unsigned long) __attribute__((access(write_only, 1, 2)));
static void fetch(int *to, unsigned long size) {
  upc_memget(to, block, size);
  fill(to, size);
}
int main(void) {
  int x;
  fetch(&x, sizeof block);
  return x;
}
X2
CC=gcc "$UPCC" -O2 -c inlined.upc 2> err
fails grep -q 'weft/' err
CC=gcc "$UPCC" -O2 -Wall -c inlined.upc 2> err
fails grep -q 'weft/' err
test "$(grep -c '^inlined.upc:6:.*warning: .*Wstringop-overflow' err)" = 1
test "$(grep -c "In function 'main'" err)" = 1
# A #line may name what is no file, or has no end.
mkfifo fifo
for name in /tmp /dev/zero /dev/null ./fifo /no/such/file; do
  printf '#include <upc.h>\n#line 3 "%s"\nint main(void) { return missing; }\n' "$name" > lines.upc
  timeout 60 "$UPCC" -c lines.upc 2> err || test $? = 1
  grep -q "^$name:3:25: error: 'missing' undeclared" err
done
# Line markers that upcc reads do not make the C compiler reject the translation.
cat > markers.upci <<'X'
# 1 "m.c"
# 1 "h.h" 1 3
int a1;
 # 3 "h.h" 3
int a2;
# 4 "h.h
int a3;
#5 "h.h" 9 9
int a4;
# 99999999999999 "h.h" 3
int a5;
#line 7
int a6;
# 5 "m.c" 2
int main(void) { return a1 + a2 + a3 + a4 + a5 + a6; }
X
"$UPCC" -c markers.upci
# What upcc passes on unread is the program's, and so are the C compiler's errors about it.
printf 'int f(const char*) __attribute__((format(printf, 1, 2)));\nint main(void) { return 0; }\n' > format.upc
printf 'double s(double); float t(float);\nint main(void) { return __builtin_tgmath(t, s); }\n' > tgmath.upc
for name in format tgmath; do
  fails "$UPCC" -c $name.upc 2> err
  grep -q "^$name.upc:[12]:.*error: " err
  fails grep -q 'bug in upcc' err
done
