// A typedef of a private array whose size has THREADS, with dynamic THREADS: good for shared arrays only.
typedef int row[THREADS];
typedef row also_row, rows[10];
shared row a;
shared [4] rows b;
shared row *p;
row c;  // expect-error: with dynamic THREADS an array whose size has THREADS, from a typedef, must be shared
row *q;  // expect-error: with dynamic THREADS an array whose size has THREADS, from a typedef, must be shared
typedef row *pointer;  // expect-error: with dynamic THREADS an array whose size has THREADS, from a typedef, must be shared
struct s {
  also_row member;  // expect-error: with dynamic THREADS an array whose size has THREADS, from a typedef, must be shared
};
int f(row parameter) {  // expect-error: with dynamic THREADS an array whose size has THREADS, from a typedef, must be shared
  row local;  // expect-error: with dynamic THREADS an array whose size has THREADS, from a typedef, must be shared
  return sizeof(row);  // expect-error: with dynamic THREADS an array whose size has THREADS, from a typedef, must be shared
}
shared [] row d;  // expect-error: with dynamic THREADS, THREADS cannot size array 'd' with indefinite block size
shared row e[THREADS];  // expect-error: with dynamic THREADS, THREADS may appear only once in the type of shared array 'e'
typedef int square[THREADS][THREADS];  // expect-error: with dynamic THREADS, THREADS may appear only once in the type of shared array 'square'
