// Shared objects are no operands of asm or of the compiler's atomics.
shared int x;
void f(void) {
  __sync_fetch_and_add(&x, 1);  // expect-error: atomic builtin '__sync_fetch_and_add' on a pointer-to-shared; use <upc_atomic.h>
  __asm__("" : "=m"(x));  // expect-error: a shared object cannot be an asm operand
}
