// Jumps into or out of upc_forall are undefined: a warning.
int f(void) {
  int i;
  goto in;  // expect-warning: 'goto' jumps into the body of a upc_forall statement [-Wupc-forall-jump]
  upc_forall (i = 0; i < 4; i++; i) {
    if (i == 1) break;  // expect-warning: 'break' leaves the body of a upc_forall statement [-Wupc-forall-jump]
    if (i == 2) return 1;  // expect-warning: 'return' leaves the body of a upc_forall statement [-Wupc-forall-jump]
    if (i == 3) goto out;  // expect-warning: 'goto' leaves the body of a upc_forall statement [-Wupc-forall-jump]
    if (i == 4) continue;
    for (;;) break;
  in:;
  }
out:
  return 0;
}
