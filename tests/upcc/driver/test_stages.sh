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
"$UPCC" -MMD -MF deps -MT target -c a.upc && grep -q '^target:' deps && ! grep -q upc.h deps
"$UPCC" -Iinclude -DX=1 -UX -E a.upc > /dev/null
"$UPCC" --version | grep 'upcc [0-9]' > /dev/null
"$UPCC" --help | grep '^  locality ' > /dev/null
"$UPCC" -v -c a.upc 2>&1 | grep 'cpp-output' > /dev/null
