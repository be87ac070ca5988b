# 1 "plain.upc"
# 1 "plain.upc"
# 2 "plain.upc"
struct { int a; } unnamed = {1};
static double f(double x) { return x * 0x1p-3 + 1e-9; }
# 4 "plain.upc" 3
int g(void) { return (int)f(unnamed . a) +upcr_threads(); }
