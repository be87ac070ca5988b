/* flags: -O0 */
#pragma upc strict
shared int x;
relaxed shared int y;
void f(void) {
  x = 1;
  y = 1;
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++) x = i;
  {
#pragma upc relaxed
    x = 2;
  }
  x = 3;
  upc_fence;
  upc_notify 1;
  upc_wait 1;
}
