#!/usr/bin/env python3
"""Writes random UPC programs: free of races, without undefined behaviour, so that each prints the same however it is
compiled and run with a given number of threads (at most 4).

  generate.py --seed 7                   a file of 30 programs (cases)
  generate.py --seed 7 --case 12         the same case 12, alone
  generate.py --seed 7 --without goto    without a feature; --features lists them

Each case is a function; `main` runs them all, or the one that its argument names; thread 0 prints a line for each."""
import argparse
import sys

from case import FEATURES, Case

PRELUDE = """/* Made by tests/upcc/differential/generate.py %(arguments)s */
#include <upc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int index_t;
#define HELPER __attribute__((noinline, unused)) static
/* A number's bits. */
HELPER unsigned bits(double x) {
  unsigned long long b;
  memcpy(&b, &x, sizeof b);
  return (unsigned)(b >> 32) * 31u + (unsigned)(b >> 7);
}
HELPER unsigned step(int *at, int n) {
  *at = (*at + 1) %% n;
  return (unsigned)*at * 5u;
}
__attribute__((unused)) static unsigned (*volatile indirect_step)(int *, int) = step;

/* The part of an array that lies in this thread's memory, whatever its layout. */
static unsigned char *part(shared void *array, int thread) { return (unsigned char *)((shared char *)array + thread); }
HELPER void fill_part(shared void *array, size_t bytes, unsigned salt) {
  unsigned char *at = bytes ? part(array, MYTHREAD) : 0;
  for (size_t j = 0; j < bytes; j++) at[j] = (unsigned char)((j * 37 + j / 8 + salt + (unsigned)MYTHREAD * 11) & 63);
}
HELPER void fill(shared char *to, size_t bytes, unsigned salt) {
  unsigned char buffer[65536];
  if (bytes > sizeof buffer) upc_global_exit(2);
  for (size_t j = 0; j < bytes; j++) buffer[j] = (unsigned char)((j * 37 + j / 8 + salt) & 63);
  upc_memput(to, buffer, bytes);
}
/* Memory of one thread's own: on all threads, or on this one. */
HELPER shared void *make_spread(size_t bytes, unsigned salt) {
  shared void *out = upc_global_alloc(THREADS, bytes);
  for (int t = 0; t < THREADS; t++) fill((shared char *)out + t, bytes, salt + 7 * (unsigned)t + (unsigned)MYTHREAD);
  return out;
}
HELPER shared void *make_own(size_t bytes, unsigned salt) {
  shared void *out = upc_alloc(bytes);
  fill((shared char *)out, bytes, salt + (unsigned)MYTHREAD);
  return out;
}
/* Of those bytes of each element that the mask names. */
HELPER unsigned hash(unsigned u, const unsigned char *at, size_t bytes, const char *mask, size_t size) {
  size_t length = strlen(mask);
  for (size_t i = 0; i + size <= bytes; i += size)
    for (size_t j = 0; j < length; j++)
      if (mask[j] == '1') u = u * 33u + at[i + j];
  return u;
}
HELPER unsigned hash_part(unsigned u, shared void *array, size_t bytes, const char *mask, size_t size) {
  return bytes ? hash(u, part(array, MYTHREAD), bytes, mask, size) : u;
}
HELPER unsigned hash_thread(unsigned u, shared char *at, size_t bytes, const char *mask, size_t size) {
  unsigned char buffer[65536];
  upc_memget(buffer, at, bytes);
  return hash(u, buffer, bytes, mask, size);
}
HELPER unsigned hash_own(unsigned u, shared void *at, size_t bytes, const char *mask, size_t size) {
  return hash_thread(u, (shared char *)at, bytes, mask, size);
}
HELPER unsigned hash_spread(unsigned u, shared void *at, size_t bytes, const char *mask, size_t size) {
  for (int t = 0; t < THREADS; t++) u = hash_thread(u, (shared char *)at + t, bytes, mask, size);
  return u;
}

"""

MAIN = """
static shared unsigned results[THREADS];
static void report(int number, unsigned result) {
  results[MYTHREAD] = result;
  upc_barrier;
  if (MYTHREAD == 0) {
    printf("case %%d:", number);
    for (int t = 0; t < THREADS; t++) printf(" %%08x", results[t]);
    printf("\\n");
    fflush(stdout);
  }
  upc_barrier;
}

int main(int argc, char **argv) {
  int only = argc > 1 ? atoi(argv[1]) : -1;
%(calls)s
  return 0;
}
"""


def program(seed, numbers, without=(), cases=None):
    """The text of a program with these cases."""
    cases = cases or [Case(seed, n, without) for n in numbers]
    arguments = f"--seed {seed}" + (f" --case {cases[0].id}" if len(cases) == 1 else f" --cases {len(cases)}")
    arguments += "".join(f" --without {f}" for f in without)
    calls = "\n".join(f"  if (only < 0 || only == {c.id}) report({c.id}, case_{c.id}());" for c in cases)
    return PRELUDE % {"arguments": arguments} + "\n".join(c.text() for c in cases) + MAIN % {"calls": calls}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--case", type=int, action="append", help="only this one; may be repeated")
    parser.add_argument("--without", action="append", default=[], choices=FEATURES, metavar="FEATURE")
    parser.add_argument("--features", action="store_true", help="list the features")
    options = parser.parse_args()
    if options.features:
        print("\n".join(FEATURES))
        return
    sys.stdout.write(program(options.seed, options.case or range(options.cases), options.without))


if __name__ == "__main__":
    main()
