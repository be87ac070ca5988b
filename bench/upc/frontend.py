#!/usr/bin/env python3
"""Front-end time: `upcc -fsyntax-only` on a 5,000-line file with system headers, which includes running `cc -E`,
beside `gcc -fsyntax-only` on the preprocessed C equivalent. Prints processor time and wall time, best of N runs."""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from measuring import need_folder_of, run

RUN_LIMIT_S = 120
HEADERS = ["stdio.h", "stdlib.h", "string.h", "math.h", "pthread.h", "unistd.h", "sys/types.h"]
UNIT = """struct rec%(i)d { int id; double w[4]; struct rec%(i)d *next; unsigned flags : 3; };
static double work%(i)d(const double *a, int n, struct rec%(i)d *r) {
  double sum = 0.0;
  for (int k = 0; k < n; k++) {
    switch (k %% 3) {
      case 0: sum += a[k] * r->w[k & 3]; break;
      case 1: sum -= sqrt(fabs(a[k])) / (1.0 + r->id); break;
      default: sum = sum > 1e6 ? sum * 0.5 : sum + k; break;
    }
    if (r->next && r->flags == 2u) { r = r->next; continue; }
  }
  printf("%%d %%f %%s\\n", r->id, sum, strlen("abc") > 2 ? "long" : "short");
  return sum;
}
int caller%(i)d(int argc, char **argv) {
  struct rec%(i)d r = { .id = argc, .w = {1, 2, 3, 4}, .flags = 1 }, *p = malloc(sizeof *p);
  double v[8] = { 1, 2, 3 };
  memset(p, 0, sizeof *p); *p = r; p->next = &r;
  int res = (int)work%(i)d(v, 8, p) + (argv[0][0] == 'x');
  free(p);
  return res;
}
"""


def program(lines):
    out = "".join("#include <%s>\n" % h for h in HEADERS)
    unit = 0
    while out.count("\n") < lines:
        out += UNIT % {"i": unit}
        unit += 1
    return out


def best(command, runs):
    cpu, wall = [], []
    for _ in range(runs):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True)
        wall.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(cpu) * 1e3, min(wall) * 1e3


def measure(upcc, runs):
    """(processor ms, wall ms) of upcc and of gcc."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "big.upc")
        preprocessed = os.path.join(folder, "big.i")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program(5000))
        run(["gcc", "-E", "-x", "c", source, "-o", preprocessed], RUN_LIMIT_S)
        run([upcc, "-fsyntax-only", source], RUN_LIMIT_S)  # it can
        return best([upcc, "-fsyntax-only", source], runs), best(["gcc", "-fsyntax-only", preprocessed], runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("upcc")
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--quick", action="store_true", help="one run: shows that it works, measures nothing")
    parser.add_argument("--json", help="write the results to this file (docs/FORMATS.md)")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    if options.json:
        need_folder_of(options.json)
    ours, gcc = measure(options.upcc, 1 if options.quick else options.runs)
    print("upcc -fsyntax-only, preprocessing included: %6.1f ms processor  %6.1f ms wall" % ours)
    print("gcc  -fsyntax-only, already preprocessed:   %6.1f ms processor  %6.1f ms wall" % gcc)
    ratios = (ours[0] / gcc[0], ours[1] / gcc[1])
    print("ratio (at most 1 wanted):                   %6.2f               %6.2f" % ratios)
    if options.json:
        results = [{"name": name, "size_bytes": 0, "value": a, "unit": "ms", "limit": b, "ratio_to_limit": a / b}
                   for name, a, b in zip(("frontend_processor", "frontend_wall"), ours, gcc)]
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"benchmark": "upc_frontend", "ranks": 1, "conduit": "none", "results": results}, file)


if __name__ == "__main__":
    main()
