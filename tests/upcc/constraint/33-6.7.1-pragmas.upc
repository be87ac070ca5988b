// Unknown, extra and misplaced upc pragmas get a warning.
#pragma upc strict
#pragma upc relaxed
#pragma upc unknown  // expect-warning: unknown '#pragma upc unknown' ignored [-Wunknown-pragmas]
#pragma upc strict extra  // expect-warning: extra text after '#pragma upc strict' [-Wunknown-pragmas]
#pragma upc
// expect-warning@-1: unknown '#pragma upc' ignored [-Wunknown-pragmas]
#pragma omp parallel
int f(void) {
#pragma upc relaxed
  int x;
#pragma upc strict
// expect-warning@-1: '#pragma upc strict' is allowed only outside declarations or at the start of a block; ignored [-Wunknown-pragmas]
  return 0;
}
