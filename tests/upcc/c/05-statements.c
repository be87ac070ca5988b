// Control flow in all forms.
int f(int n) {
  int i = 0;
  if (n) i = 1; else if (n > 2) i = 2; else { i = 3; }
  while (n--) { if (n == 3) continue; if (n == 1) break; }
  do i++; while (i < 5);
  for (;;) { break; }
  for (i = 0; i < 3; i++) ;
  for (int k = 0, m = 3; k < m; k++, m--) { int k = 2; i += k; }
  switch (n) {
    int hidden;
    case 1: case 2: hidden = 1; i += hidden; __attribute__((fallthrough));
    case 3: { i++; break; }
    case 4 ... 6: i--; break;
    default: i = 0;
  }
  switch ((char)n) while (i) { case 0: i--; case 1: continue; }
  { __label__ inner; inner: if (i++ < 2) goto inner; }
  { __label__ inner; inner: if (i++ < 2) goto inner; }
  goto done;
  { int skipped = 1; done: i += 1; (void)skipped; }
  __asm__ volatile("" ::: "memory");
  __asm__("nop");
  asm("" : "+r"(i) : "r"(n), [named] "i"(3) : "cc");
  asm volatile("lock; addl $0,0(%%rsp)" : : : "memory", "cc");
  asm goto("" : : : : out);
  { int r; asm("movl %1, %0" : "=r"(r) : "m"(n)); i += r; }
out:
  return i;
  ;
}
asm(".globl file_scope_asm\nfile_scope_asm:");
void g(void) { return; }
void h(void) { return g(); }
int main() { }
