# Messages about what comes from macros: at the macro's name in the program, with the way through the definitions; about
# arguments: at the argument, once.
cat > macros.h <<'X1'
#define IN_HEADER(x) (SQUARE(x) + 1)
X1
cat > macros.upc <<'X1'
#include <assert.h>
#include "macros.h"
#define SQUARE(x) ((x) * (x))
#define MISSING 4
#undef MISSING
#define MISSING(x) (nowhere + (x))
#define TWO(a, b) \
  SQUARE(a) + \
  MISSING(b)
#define PASTE(a, b) a ## b
int *p;
int f(int n) {
  n = 1 + /* SQUARE */ SQUARE(p);
  n = IN_HEADER(p);
  n = TWO(1, 2);
  n = SQUARE(n) + TWO(n,
                      below) + SQUARE(p * p);
  assert(n == after);
  n = PASTE(not, there) + FROM_OPTION;
  return SQUARE(n) + /* comment */ last;
}
int g(int n) {
  return n + plain;
}
X1
cat > wanted <<'X1'
macros.upc:13:24: error: invalid operands to binary * (have 'int *' and 'int *')
   13 |   n = 1 + /* SQUARE */ SQUARE(p);
      |                        ^~~~~~
macros.upc:3:24: note: in expansion of macro 'SQUARE'
    3 | #define SQUARE(x) ((x) * (x))
      |                        ^
macros.upc:14:7: error: invalid operands to binary * (have 'int *' and 'int *')
   14 |   n = IN_HEADER(p);
      |       ^~~~~~~~~
macros.h:1:23: note: in expansion of macro 'IN_HEADER'
    1 | #define IN_HEADER(x) (SQUARE(x) + 1)
      |                       ^~~~~~
macros.upc:3:24: note: in expansion of macro 'SQUARE'
    3 | #define SQUARE(x) ((x) * (x))
      |                        ^
macros.upc:15:7: error: 'nowhere' undeclared (first use in this function)
   15 |   n = TWO(1, 2);
      |       ^~~
macros.upc:9:3: note: in expansion of macro 'TWO'
    9 |   MISSING(b)
      |   ^~~~~~~
macros.upc:6:21: note: in expansion of macro 'MISSING'
    6 | #define MISSING(x) (nowhere + (x))
      |                     ^~~~~~~
macros.upc:17:23: error: 'below' undeclared (first use in this function)
   17 |                       below) + SQUARE(p * p);
      |                       ^~~~~
macros.upc:17:41: error: invalid operands to binary * (have 'int *' and 'int *')
   17 |                       below) + SQUARE(p * p);
      |                                       ~ ^ ~
macros.upc:18:15: error: 'after' undeclared (first use in this function)
   18 |   assert(n == after);
      |               ^~~~~
macros.upc:20:36: error: 'last' undeclared (first use in this function)
   20 |   return SQUARE(n) + /* comment */ last;
      |                                    ^~~~
macros.upc:23:14: error: 'plain' undeclared (first use in this function)
   23 |   return n + plain;
      |              ^~~~~
X1
cat > sizes.upc <<'X1'
#define N 100
#define SUM 10 + 2
#define SIZE(x) (x)
#define BLOCK n
#define DECLARE(name) shared int name[10]
int n;
shared double a[N];
shared double b[ SUM ][ N ];
shared double c[SIZE(N)];
shared [2 * BLOCK] double d[N * THREADS];
DECLARE(e);
X1
for CC in gcc clang; do
  export CC
  fails "$UPCC" -c sizes.upc 2> err
  while read -r line name proposal; do
    grep -q "^sizes.upc:$line:.*shared array '$name' must contain THREADS exactly once; $proposal" err
  done <<'X1'
7 a write 'a\[N \* THREADS]', use -T
8 b write 'b\[(SUM) \* THREADS]\[ N ]', use -T
9 c write 'c\[SIZE(N) \* THREADS]', use -T
11 e use -T
X1
  grep -q "^sizes.upc:10:13: error: block size is not .* 'n' is a variable" err
  grep -q "^sizes.upc:4:15: note: in expansion of macro 'BLOCK'" err
  fails "$UPCC" -DFROM_OPTION=elsewhere -c macros.upc 2> err
  sed -i 's|^\./||' err
  grep -v "In function 'f'" err | python3 -c '
import sys
wanted, got = open("wanted").read(), sys.stdin.read()
missing = [m for m in wanted.split("\nmacros.upc:") if m.strip() not in got]
sys.exit("\n".join(["missing:"] + missing + ["of", got]) if missing else 0)'
  grep -q "^macros.upc:19:.*'notthere' undeclared" err
  grep -q "^macros.upc:19:27: error: 'elsewhere' undeclared" err
  grep -q "^<command.line>: note: in expansion of macro 'FROM_OPTION'$" err
  test "$(grep -c 'error:' err)" = 10
done
unset CC
# The preprocessor runs again for such a message only.
printf 'int f(void) { return 0; }\n' > none.upc
printf 'int f(void) { return unknown; }\n' > plain.upc
printf '#define MACRO unknown\nint f(void) { return MACRO; }\n' > macro.upc
for file in none:1 plain:1 macro:2; do
  "$UPCC" -v -fsyntax-only "${file%:*}.upc" 2> err || true
  test "$(grep -c -- ' -E ' err)" = "${file#*:}"
done
# Text that is preprocessed already has no definitions.
"$UPCC" -E macro.upc -o macro.upci
fails "$UPCC" -fsyntax-only macro.upci 2> err
grep -q "^macro.upc:2:22: error: 'unknown' undeclared" err
