# Exit codes and messages.
printf 'shared int x;\nint main(void) { return y + x; }\n' > bad.upc
! "$UPCC" -c bad.upc 2> err
grep -q '^bad.upc:2:25: error:' err
test ! -e bad.o
! "$UPCC" 2> err && grep -q 'no input files' err
! "$UPCC" -c missing.upc 2> err && grep -q 'missing.upc: No such file' err
! "$UPCC" -T 0 -c bad.upc 2> err && grep -q "invalid number of threads '0'" err
! "$UPCC" -fno-upc-nonsense -c bad.upc 2> err && grep -q 'unrecognized command-line option' err
! "$UPCC" -o 2> err && grep -q "missing argument to '-o'" err
echo 'int main(void) { return 0; }' > ok.upc
! CC=/nonexistent/cc "$UPCC" -c ok.upc 2> err && grep -q 'cannot run the C compiler' err
# A back end that fails is upcc's fault, and upcc says so.
printf '#!/bin/sh\ncase " $* " in *" -E "*) exec gcc "$@";; esac\necho "x.c:1:1: error: no" >&2\nexit 1\n' > cc-fails
chmod +x cc-fails
! CC=./cc-fails "$UPCC" -c ok.upc 2> err
grep -q 'This is a bug in upcc' err
# Warnings: about the user's code, once; none about generated code.
printf '#include <upc.h>\nshared int a[THREADS];\nint main(void) { upc_forall (int i = 0; i < THREADS; i++; &a[i]) a[i]++; return a[0] == 2; }\n' > quiet.upc
"$UPCC" -Wall -Wextra -Werror -O2 -c quiet.upc 2> err
test ! -s err
printf 'int main(void) { int unused; return 0; }\n' > warn.upc
"$UPCC" -Wall -c warn.upc 2> err && grep -q 'unused' err
! "$UPCC" -Wall -Werror -c warn.upc 2> err
! grep -q 'bug in upcc' err
