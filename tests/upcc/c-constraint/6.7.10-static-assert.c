_Static_assert(0, "no");  // expect-error: static assertion failed: "no"
int n;
_Static_assert(n, "");  // expect-error: expression in static assertion is not constant
_Static_assert(1.0, "");  // expect-error: expression in static assertion is not an integer
