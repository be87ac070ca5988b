# -E, preprocessed input, -fsyntax-only, --print-c, -S, -save-temps, -M and friends.
printf '#include <upc.h>\n#include "h.h"\nshared int x;\nint main(void) { x = VALUE; return x - 3; }\n' > a.upc
echo '#define VALUE 3' > h.h
"$UPCC" -E a.upc > a.upci
grep -q 'x = 3' a.upci
"$UPCC" -o p a.upci && "$LAUNCH" -n 1 ./p
cp a.upci b.i && "$UPCC" -x upc -o p2 b.i && "$LAUNCH" -n 1 ./p2
cp a.upc a.c && "$UPCC" -x upc -o p3 a.c && "$LAUNCH" -n 1 ./p3
"$UPCC" -x upc - -o p4 < a.upc && "$LAUNCH" -n 1 ./p4
"$UPCC" -fsyntax-only a.upc
test ! -e a.o
"$UPCC" --print-c a.upc | grep upcc_put_int > /dev/null
"$UPCC" -S a.upc && grep -q upcr_user_main a.s
rm -f a.s && "$UPCC" -save-temps -c a.upc && test -s a.upc.c -a -s a.upci -a -s a.s -a -s a.o
"$UPCC" -M a.upc | grep 'h\.h' > /dev/null
rm -f a.d && "$UPCC" -MD -c a.upc && grep -q '^a.o:.*' a.d && grep -q 'h\.h' a.d
"$UPCC" -MMD -MF deps -MT target -c a.upc && grep -q '^target:' deps
fails grep -q 'upc[.]h' deps
"$UPCC" -Iinclude -DX=1 -UX -E a.upc > /dev/null
"$UPCC" --version | grep 'upcc [0-9]' > /dev/null
"$UPCC" --help | grep '^  locality ' > /dev/null
"$UPCC" -v -c a.upc 2>&1 | grep 'cpp-output' > /dev/null
# Options in a file.
printf '%s\n' "-DTEXT='\"a b\"'" '-o "p x"' > words
printf '#include <string.h>\nint main(void) { return strcmp(TEXT, "a b"); }\n' > words.upc
"$UPCC" @words words.upc && "$LAUNCH" -n 1 './p x'
# Definitions of macros in preprocessed text.
for option in -g3 -ggdb3 -dD -fdirectives-only; do "$UPCC" "$option" -o p5 a.upc && "$LAUNCH" -n 1 ./p5; done
CC=clang "$UPCC" -dD -o p6 a.upc && "$LAUNCH" -n 1 ./p6
# From sources to the program in one step: dependencies of every file, and what the C compiler writes beside objects,
# stay.
mkdir temporary
export TMPDIR=$PWD/temporary
echo 'int other(void) { return 0; }' > other.c
rm -f a.d && "$UPCC" -MD -o p7 a.upc other.c && grep -q '^a.o:' a.d && grep -q '^other.o: other.c' other.d
"$UPCC" -g -gsplit-dwarf -o p8 a.upc other.c && test -s p8-a.dwo -a -s p8-other.dwo
"$UPCC" --coverage -o p9 a.upc && "$LAUNCH" -n 1 ./p9 && test -s p9-a.gcno -a -s p9-a.gcda
test -z "$(find temporary . -path "temporary/*" -o -name "p?-*.o")"
touch p9-a.o
fails "$UPCC" --coverage -o p9 a.upc 2> err
grep -q 'p9-a.o is in the way' err
test -e p9-a.o
unset TMPDIR
# clang is not heard about options that upcc has used before, nor about the functions of its <stdatomic.h>.
cat > atomic.upc <<'X'
#include <upc.h>
#include <stdatomic.h>
int main(void) {
  atomic_int b = ATOMIC_VAR_INIT(2);
  int x = 2;
  atomic_fetch_add(&b, 1);
  return !atomic_compare_exchange_strong(&b, &x, 9) + !atomic_is_lock_free(&b) + atomic_load(&b) - 4;
}
X
for cc in 'gcc' 'clang -I.' ; do CC=$cc "$UPCC" -Wall -Werror -o p10 atomic.upc && "$LAUNCH" -n 1 ./p10; done
# Loops over a thread's own elements are vector loops at -O2, unless the user says otherwise.
if [ "$(uname -m)" = x86_64 ]; then
  cat > v.upc <<'X'
shared double x[9*THREADS], y[9*THREADS];
void f(void) { upc_forall (int i = 0; i < 9*THREADS; i++; i) y[i] += 2*x[i]; }
X
  "$UPCC" -O2 -S -o - v.upc | grep addpd > /dev/null
  "$UPCC" -O2 -fvect-cost-model=very-cheap -S -o v.s v.upc && fails grep addpd v.s
  "$UPCC" -O1 -S -o v.s v.upc && fails grep addpd v.s
fi
