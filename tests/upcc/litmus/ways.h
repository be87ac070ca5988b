/* Message passing and coherence of BLOCK elements, written and read in each way that the optimiser and the run time have
 * for such loops: windows, scattered and gathered elements, updates, copies of the library, and one by one in functions
 * that the compiler does not see into. */

enum { SINGLE, LOOP, SCATTERED, COPY, UPDATE, WAYS };

static long first_of(int i) { return (long)place[0][i] * SPACE; }
static int any_way(void) { return (int)(dice() % WAYS); }

/* An instance's elements in some order. */
static void choose_order(int i, long order[BLOCK]) {
  const int factor = 2 * (int)(dice() % (BLOCK / 2)) + 1;
  for (int k = 0; k < BLOCK; ++k) order[k] = first_of(i) + k * factor % BLOCK;
}

static void __attribute__((noinline)) write_one(shared int* to, int value) { *to = value; }
static int __attribute__((noinline)) read_one(shared int* from) { return *from; }

/* Writes the value to each element, or adds it. */
static void write_block(int way, int i, int value) {
  const long first = first_of(i);
  long order[BLOCK];
  int values[BLOCK];
  choose_order(i, order);
  switch (way) {
    case SINGLE:
      for (int k = 0; k < BLOCK; ++k) write_one((shared int*)&blocks[first + k], value);
      break;
    case LOOP:
      for (int k = 0; k < BLOCK; ++k) blocks[first + k] = value;
      break;
    case SCATTERED:
      for (int k = 0; k < BLOCK; ++k) blocks[order[k]] = value;
      break;
    case COPY:
      for (int k = 0; k < BLOCK; ++k) values[k] = value;
      upc_memput(&blocks[first], values, sizeof values);
      break;
    default:
      for (int k = 0; k < BLOCK; ++k) blocks[order[k]] += value;
  }
}

/* How many elements have the value. */
static int read_block(int way, int i, int value) {
  const long first = first_of(i);
  long order[BLOCK];
  int values[BLOCK];
  int found = 0;
  choose_order(i, order);
  switch (way) {
    case SINGLE:
      for (int k = 0; k < BLOCK; ++k) found += read_one((shared int*)&blocks[first + k]) == value;
      break;
    case SCATTERED:
      for (int k = 0; k < BLOCK; ++k) found += blocks[order[k]] == value;
      break;
    case COPY:
      upc_memget(values, &blocks[first], sizeof values);
      for (int k = 0; k < BLOCK; ++k) found += values[k] == value;
      break;
    default:
      for (int k = 0; k < BLOCK; ++k) found += blocks[first + k] == value;
  }
  return found;
}

/* MP with elements for x. The reader waits a while for the flag: so it reads them as soon as it may. */
static int way; /* of the test */
static uint64_t patience(void) { return upc_ticks_now() + 4 * period; }
static void pass_strict_0(int i) {
  write_block(way, i, 1);
  wobble();
  y_strict[place[1][i]] = 1;
}
static void pass_strict_1(int i) {
  (void)read_block(any_way(), i, 1);
  const uint64_t end = patience();
  do registers[0][i] = y_strict[place[1][i]];
  while (registers[0][i] == 0 && upc_ticks_now() < end);
  wobble();
  registers[1][i] = read_block(any_way(), i, 1);
}
static void pass_fence_0(int i) {
  write_block(way, i, 1);
  wobble();
  upc_fence;
  y_relaxed[place[1][i]] = 1;
}
static void pass_fence_1(int i) {
  (void)read_block(any_way(), i, 1);
  const uint64_t end = patience();
  do {
    registers[0][i] = y_relaxed[place[1][i]];
    upc_fence;
  } while (registers[0][i] == 0 && upc_ticks_now() < end);
  wobble();
  registers[1][i] = read_block(any_way(), i, 1);
}
static void pass_relaxed_0(int i) {
  write_block(way, i, 1);
  wobble();
  y_relaxed[place[1][i]] = 1;
}
static void pass_relaxed_1(int i) {
  (void)read_block(SINGLE, i, 1);
  registers[0][i] = y_relaxed[place[1][i]];
  wobble();
  registers[1][i] = read_block(SINGLE, i, 1);
}

/* CoRR: what was kept, a window, and what was kept again. */
static void reread_relaxed_1(int i) {
  (void)read_block(SINGLE, i, 1);
  registers[0][i] = read_block(way, i, 1);
  wobble();
  registers[1][i] = read_block(SINGLE, i, 1);
}
static void reread_fence_1(int i) {
  (void)read_block(SINGLE, i, 1);
  registers[0][i] = read_block(way, i, 1);
  upc_fence;
  wobble();
  registers[1][i] = read_block(SINGLE, i, 1);
}

/* A thread sees its own writes, whichever way it wrote and reads them. */
static void own_0(int i) {
  (void)read_block(any_way(), i, 0);
  write_block(way, i, 3);
  registers[0][i] = read_block(any_way(), i, 3);
  write_block(UPDATE, i, 2);
  registers[1][i] = read_block(any_way(), i, 5);
  write_block((int)(dice() % UPDATE), i, 7);
  registers[2][i] = read_block(any_way(), i, 7);
}
/* Nobody else writes what lies beside them. */
static void own_1(int i) {
  blocks[first_of(i) + BLOCK] = 9;
  wobble();
  registers[3][i] = blocks[first_of(i) + BLOCK];
}
static void nothing(int i) { (void)i; }
