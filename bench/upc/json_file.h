/* The file of --json, of the UPC benchmarks and of their twins. Each failure prints one line. */
#ifndef WEFT_BENCH_UPC_JSON_FILE_H
#define WEFT_BENCH_UPC_JSON_FILE_H
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void json_failed(const char *path) { fprintf(stderr, "cannot write %s: %s\n", path, strerror(errno)); }

/* NULL if it cannot be written. */
static FILE *json_open(const char *path) {
  FILE *file = fopen(path, "w");
  if (file == NULL) json_failed(path);
  return file;
}

/* The exit status: 1 if something has not been written. */
static int json_close(FILE *file, const char *path) {
  const int failed = fflush(file) != 0 || ferror(file);
  if (failed) json_failed(path);
  return fclose(file) != 0 || failed;
}
#endif
