# Makefiles of programs for other UPC compilers: UPC in .c files, CC=upcc, headers that are found beside the source.
mkdir beside headers
cat > program.c <<'E'
#include <upc.h>
#include <own.h>
int help(int);
shared int x[OWN * THREADS];
int main(void) {
  x[MYTHREAD] = help(1);
  return x[MYTHREAD] - 1;
}
E
cp program.c beside/program.c
echo '#define OWN 3' > beside/own.h
cp beside/own.h headers
# C, in which UPC's keywords are names: helpers stay C unless they are said to be UPC.
echo 'int help(int strict) { return strict; }' > help.c
echo 'int from_cpp(void) { return 0; }' > more.cpp
"$UPCC" -c help.c
fails "$UPCC" -Iheaders -c program.c 2> err
grep -q "use gupc instead of upcc" err
# -x upc stands for sources that may be C only: objects, archives and other languages keep theirs, in every order.
"$UPCC" -x upc -Iheaders -c program.c
"$UPCC" -x upc -o a program.o help.o -lm && "$LAUNCH" -n 2 ./a
ar rc libhelp.a help.o && cp help.o object_without_suffix
"$UPCC" -x upc -Iheaders -o b program.c libhelp.a && "$LAUNCH" -n 2 ./b
"$UPCC" -x upc -Iheaders -o c object_without_suffix program.c more.cpp && "$LAUNCH" -n 2 ./c
"$UPCC" -x upc -Iheaders -o d program.c -x none help.c && "$LAUNCH" -n 2 ./d
# As -x upc: a name that ends in upc, and UPCC_FLAGS, which come before the other options.
ln -s "$UPCC" ./gupc
./gupc -Iheaders -o e program.c help.o && "$LAUNCH" -n 2 ./e
test "$(./gupc -dumpversion)" = "$("$UPCC" -dumpversion)"
UPCC_FLAGS="-x upc '-Iheaders'" "$UPCC" -o f program.c help.o && "$LAUNCH" -n 2 ./f
# The name that comes with upcc.
"$(dirname "$UPCC")/gupc" -Iheaders -c program.c
# `make CC=upcc` puts upcc where upcc looks for its C compiler.
for variable in "$UPCC" "$PWD/gupc"; do CC=$variable "$UPCC" -x upc -Iheaders -c program.c; done
CC=$UPCC UPCC_CC=clang "$UPCC" -### -x upc -Iheaders -c program.c 2>&1 | says '^ *"*clang'
printf '#!/bin/sh\nexec "%s" "$@"\n' "$UPCC" > wrapper && chmod +x wrapper
CC=./wrapper fails "$UPCC" -c help.c 2> err
grep -q "'./wrapper' that upcc was to use is upcc; name another" err
# <> finds a header beside the source where nothing else has it.
for cc in gcc clang; do CC=$cc "$UPCC" -x upc -MD -c beside/program.c && grep -q 'beside/own.h' program.d; done
for cc in gcc clang; do
  for option in -M -MM; do CC=$cc "$UPCC" -x upc $option beside/program.c | says 'beside/own.h'; done
done
fails "$UPCC" -x upc -c program.c 2> err
grep -q 'own.h' err
echo '#error "not the one of the system"' > beside/stdio.h
printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' > beside/system.upc
"$UPCC" -c beside/system.upc
# Headers before the source, and THREADS for the preprocessor.
printf 'int main(void) { bupc_poll(); return upc_threadof(upc_alloc(8)) != MYTHREAD; }\n' > forced.upc
for cc in gcc clang; do CC=$cc "$UPCC" -include upc.h -o g forced.upc && "$LAUNCH" -n 2 ./g; done
printf '#if THREADS == 4\nint main(void) { return 0; }\n#endif\n' > four.upc
"$UPCC" -T 4 -o h four.upc && "$LAUNCH" -n 4 ./h
# Messages are text.
fails "$UPCC" -fdiagnostics-format=json -c forced.upc 2> err
grep -q 'is not supported: messages of upcc are text' err
"$UPCC" -fdiagnostics-format=text -include upc.h -c forced.upc
# Options of other UPC compilers. What makes no difference here gets one note, however often it stands there.
for option in -norc -conf=own.conf '-conf own.conf' -inst -size-warn -nosize-warn -nolines -uses-mpi -extern-main \
  -Wu,-X -Ww,-X -fupc-debug -fupc-instrument '-network smp' -shared-heap=64M; do
  "$UPCC" $option $option -include upc.h -c forced.upc 2> err
  if [ "$(grep -c '^upcc: note: .* is ignored: ' err)" -ne 1 ] || [ "$(wc -l < err)" -ne 1 ]; then cat err; exit 1; fi
done
"$UPCC" -lang=upc -save-all-temps -Iheaders -c program.c 2> err
test -s program.upc.c -a ! -s err
"$UPCC" -### -fupc-pthreads-model-tls -c forced.upc 2>&1 | says -- '-DUPCR_PTHREADS=1'
"$UPCC" -### --pthreads -fupc-pthreads-model-none -c forced.upc 2> commands
fails grep -q -- '-DUPCR_PTHREADS=1' commands
# Options for one phase: blanks separate them, commas belong to them.
"$UPCC" -### -Wc,"-O3 -fsanitize=address,undefined" -Wc,-DA=1 -include upc.h -o i forced.upc 2> commands
test "$(grep -c -- '-O3 .*-fsanitize=address,undefined' commands)" -ge 2
says -- '-E .*-DA=1' < commands
"$UPCC" -### -Wl,"-L/x -ly" -Wl,-Wl,-z,now -Wl,-O1 -Wp,"-DB=1 -DC=1" -Wp,-DE=1 -o i forced.upc 2> commands
tail -1 commands | says -- '-L/x -ly -Wl,-z,now -Wl,-O1'
says -- '-E .*-DB=1 -DC=1 -Wp,-DE=1' < commands
# Another command may link.
printf '#!/bin/sh\necho linked > by\nexec gcc "$@"\n' > linker && chmod +x linker
for form in '-link-with=./linker' '-link-with ./linker'; do
  rm -f by && "$UPCC" $form -include upc.h -o j forced.upc && test -s by && "$LAUNCH" -n 2 ./j
done
fails "$UPCC" -link-with=./no-linker -include upc.h -o j forced.upc 2> err
grep -q "cannot link with './no-linker': .*; give -link-with a command" err
fails "$UPCC" -link-with= -include upc.h -o j forced.upc 2> err
grep -q "needs the command that links" err
