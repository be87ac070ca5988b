# The example of a C program with its own main (docs/UPC.md), and one that forgets to start.
folder=$HERE/../../../examples/interop
for flags in '' --pthreads '-T 3'; do
  "$UPCC" -O2 -Wall -Wextra $flags -o c_main "$folder/c_main.c" "$folder/sums.upc" 2> err
  test ! -s err
  test "$(WEFT_CHECK=1 "$LAUNCH" -n 3 ./c_main 1000)" = '3 threads: squares below 1000 add up to 332833500'
done
gcc -I"$(dirname "$UPCC")/../include" -c "$folder/c_main.c"
"$UPCC" -c "$folder/sums.upc"
"$UPCC" -o c_main c_main.o sums.o
test "$("$LAUNCH" -n 2 ./c_main 4)" = '2 threads: squares below 4 add up to 14'
printf '#include <upc.h>\nint twice(int x) { upc_barrier; return 2 * x; }\n' > twice.upc
printf 'int twice(int);\nint main(void) { return twice(0); }\n' > forgets.c
"$UPCC" -o forgets forgets.c twice.upc
fails "$LAUNCH" -n 2 ./forgets 2> err
grep -q "a UPC function was called before the program's start .* main is C calls upcr_start() first" err
