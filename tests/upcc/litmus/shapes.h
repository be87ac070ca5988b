/* The shapes of the literature, with one way to order accesses. Included once for each way, which defines
 *   NAME(f)   the function's name
 *   X, Y      the locations of instance i
 *   ENTER, MIDDLE, LEAVE   what stands before, between and after a role's accesses
 *   WARM(l)   a read of a location before anything else, which the run time may keep
 * The table of main.upc says which outcome each is about. */

static void NAME(idle)(int i) {
  (void)i;
  ENTER;
  MIDDLE;
  LEAVE;
}

/* MP, message passing. */
static void NAME(mp_0)(int i) {
  ENTER;
  X = 1;
  MIDDLE;
  Y = 1;
  LEAVE;
}
static void NAME(mp_1)(int i) {
  WARM(X);
  ENTER;
  registers[0][i] = Y;
  MIDDLE;
  registers[1][i] = X;
  LEAVE;
}

/* SB, store buffering. */
static void NAME(sb_0)(int i) {
  WARM(Y);
  ENTER;
  X = 1;
  MIDDLE;
  registers[0][i] = Y;
  LEAVE;
}
static void NAME(sb_1)(int i) {
  WARM(X);
  ENTER;
  Y = 1;
  MIDDLE;
  registers[1][i] = X;
  LEAVE;
}

/* LB, load buffering. */
static void NAME(lb_0)(int i) {
  ENTER;
  registers[0][i] = X;
  MIDDLE;
  Y = 1;
  LEAVE;
}
static void NAME(lb_1)(int i) {
  ENTER;
  registers[1][i] = Y;
  MIDDLE;
  X = 1;
  LEAVE;
}

/* 2+2W: two threads write both locations, in opposite order. */
static void NAME(ww_0)(int i) {
  ENTER;
  X = 1;
  MIDDLE;
  Y = 2;
  LEAVE;
}
static void NAME(ww_1)(int i) {
  ENTER;
  Y = 1;
  MIDDLE;
  X = 2;
  LEAVE;
}

/* WRC, write to read causality: what a thread has read before it writes is seen by who reads what it wrote. */
static void NAME(wrc_0)(int i) {
  ENTER;
  X = 1;
  MIDDLE;
  LEAVE;
}
static void NAME(wrc_1)(int i) {
  WARM(X);
  ENTER;
  registers[0][i] = X;
  MIDDLE;
  Y = 1;
  LEAVE;
}
static void NAME(wrc_2)(int i) {
  WARM(X);
  ENTER;
  registers[1][i] = Y;
  MIDDLE;
  registers[2][i] = X;
  LEAVE;
}

/* IRIW: independent reads of independent writes see them in one order. Its first writer is that of WRC. */
static void NAME(iriw_1)(int i) {
  ENTER;
  Y = 1;
  MIDDLE;
  LEAVE;
}
static void NAME(iriw_2)(int i) {
  WARM(Y);
  ENTER;
  registers[0][i] = X;
  MIDDLE;
  registers[1][i] = Y;
  LEAVE;
}
static void NAME(iriw_3)(int i) {
  WARM(X);
  ENTER;
  registers[2][i] = Y;
  MIDDLE;
  registers[3][i] = X;
  LEAVE;
}

/* Coherence: one location. CoRR is two reads beside the writer of WRC. */
static void NAME(corr_1)(int i) {
  WARM(X);
  ENTER;
  registers[0][i] = X;
  MIDDLE;
  registers[1][i] = X;
  LEAVE;
}
static void NAME(coww_0)(int i) {
  WARM(X);
  ENTER;
  X = 1;
  MIDDLE;
  X = 2;
  LEAVE;
}
static void NAME(cowr_0)(int i) {
  WARM(X);
  ENTER;
  X = 1;
  MIDDLE;
  registers[0][i] = X;
  LEAVE;
}
static void NAME(cowr_1)(int i) {
  ENTER;
  X = 2;
  MIDDLE;
  LEAVE;
}
static void NAME(corw_0)(int i) {
  ENTER;
  registers[0][i] = X;
  MIDDLE;
  X = 1;
  LEAVE;
}

#undef NAME
#undef X
#undef Y
#undef ENTER
#undef MIDDLE
#undef LEAVE
#undef WARM
