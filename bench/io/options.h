/* The command line of upc-io, mpi-io and posix-io, and the blocks that they measure. */
#ifndef WEFT_BENCH_IO_OPTIONS_H
#define WEFT_BENCH_IO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 6, MIB = 1 << 20 };
static const char *path, *json; /* the file that is measured; where the results go, NULL if nowhere */
static size_t each = 16 * MIB;  /* bytes of each rank */
static size_t only;             /* block size; 0: all of them */
static int disk, rounds = 5, overlap;
static size_t blocks[BLOCKS] = {64, 512, 4096, 65536, MIB}; /* and all of a rank's data */

static const char usage[] = "[--disk] [--file PATH] [--mib EACH] [--rounds N] [--block BYTES] [--json FILE]";

/* A whole number from 1 to `most`; 0 if the text is none. */
static size_t number_of(const char* text, size_t most) {
  char* rest = NULL;
  const unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &rest, 10) : 0;
  return rest != NULL && *rest == '\0' && value <= most ? value : 0;
}

/* False if an option is unknown or its value cannot be used. --overlap is for those that `can_overlap`. */
static bool read_options(int argc, char** argv, const char* usual_path, bool can_overlap) {
  path = usual_path;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--disk") == 0) {
      disk = 1;
      continue;
    }
    if (can_overlap && strcmp(argv[i], "--overlap") == 0) {
      overlap = 1;
      continue;
    }
    const char* const option = argv[i];
    const char* const value = argv[++i]; /* NULL behind the last */
    if (value == NULL) return false;
    if (strcmp(option, "--file") == 0) {
      path = value;
    } else if (strcmp(option, "--json") == 0) {
      json = value;
    } else if (strcmp(option, "--mib") == 0) {
      if ((each = number_of(value, 1 << 20) * MIB) == 0) return false;
    } else if (strcmp(option, "--rounds") == 0) {
      if ((rounds = (int)number_of(value, 1000)) == 0) return false;
    } else if (strcmp(option, "--block") == 0) {
      if ((only = number_of(value, (size_t)-1)) == 0) return false;
    } else {
      return false;
    }
  }
  blocks[BLOCKS - 1] = each;
  for (int i = 0; i < BLOCKS; i++)
    if (only == 0 || only == blocks[i]) return true;
  return false;
}

#endif
