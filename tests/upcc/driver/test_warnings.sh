# Warnings about UPC: on by default, off and errors by name, once each, in what comes from macros, too. The C compiler
# does not hear of them.
cat > each.upc <<'X1'
#include <upc_relaxed.h>
shared int flag, count, table[THREADS];
#define WAIT(object) while (!(object))
int main(void) {
  if (MYTHREAD == 0) upc_barrier;
  upc_forall (int i = 0; i < 9; i++; i) upc_barrier;
  upc_forall (int i = 0; i < 9; i++; i) count += i;
  WAIT(flag) ;
  upc_free(table);
  return 0;
}
X1
names='upc-barrier upc-forall-barrier upc-forall-race upc-spin free-nonheap-object'
for CC in gcc clang; do
  export CC
  for flags in '' '-Wall -Wextra'; do
    "$UPCC" $flags -c each.upc 2> err
    line=5
    for name in $names; do
      test "$(grep -c "^each.upc:$line:.*warning:.*\[-W$name\]$" err)" = 1
      line=$((line + 1))
    done
    test "$(grep -c 'warning:' err)" = 5
  done
  for name in $names; do
    "$UPCC" "-Wno-$name" -Wall -c each.upc 2> err
    test "$(grep -c 'warning:' err)" = 4
    ! grep -q "$name" err
    fails "$UPCC" "-Werror=$name" -c each.upc 2> err
    grep -q "error:.*\[-Werror=$name\]$" err
    test "$(grep -c 'error:' err)" = 1
    "$UPCC" -Werror "-Wno-error=$name" -Wno-error -c each.upc
  done
  "$UPCC" -w -c each.upc 2> err
  test ! -s err
done
unset CC
for option in -Wupc-nonsense -Werror=upc-nonsense; do
  fails "$UPCC" "$option" -c each.upc 2> err
  grep -q "unrecognized command-line option '$option'" err
done
"$UPCC" -Wno-upc-nonsense -w -c each.upc
