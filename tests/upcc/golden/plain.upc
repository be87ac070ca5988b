/* flags: -O2 */
struct { int a; } unnamed = {1};
static double f(double x) { return x * 0x1p-3 + 1e-9; }
int g(void) { return (int)f(unnamed.a) + THREADS; }
