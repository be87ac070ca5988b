#!/usr/bin/python3
"""Runs gemm, cholesky and lu, and their forms in UPC, beside ScaLAPACK on Open MPI and OpenBLAS with its own threads,
on one host and between hosts of an emulated cluster, and prints each rate with its ratios. BUILD/bench/linalg.json has
it all.

A round runs all programs one after another. Weft's and ScaLAPACK's run on every grid of ranks that is not longer than
twice its width, ScaLAPACK's with every block size of --scalapack-nb, too. A rate is the median of the rounds, that of
the best grid and block size; a ratio is the median of the rounds' ratios of the best of each. OpenBLAS uses all
processors of this machine, also beside hosts: there it shows what the computation alone would reach.

All programs fill, time, count and verify alike; one that does not verify ends the run."""
import argparse
import collections
import json
import os
import pathlib
import statistics
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from measuring import NUMBER, Hosts, give_up, need_kind, need_programs, report_of, show_progress

LIMIT_S = 900
# The variants of Weft's programs; the first is what users get.
VARIANTS = {"gemm": {1: ("auto", "broadcast", "blocking", "flat"), 2: ("auto", "pull", "blocking", "flat")},
            "cholesky": {1: ("lower",), 2: ("lower",)}, "lu": {1: ("hpl",), 2: ("hpl",)}}
UPC_PROGRAMS = {"gemm": "matmul-upc", "cholesky": "cholesky-upc"}
UPC_VARIANTS = ("broadcast", "library")
Run = collections.namedtuple("Run", "label command environment")


def grids(ranks):
    """(rows, columns) for so many ranks."""
    return [(rows, ranks // rows) for rows in range(1, ranks + 1)
            if ranks % rows == 0 and max(rows, ranks // rows) <= 2 * min(rows, ranks // rows)]


class Place(Hosts):
    """Where the programs run."""

    def __init__(self, options, ranks, hosts, rate):
        super().__init__(options.build, hosts, rate)
        self.options, self.ranks = options, ranks

    def title(self):
        where = "one host" if self.hosts == 1 else f"{self.hosts} hosts, {self.rate or 'unlimited'}"
        return f"{self.ranks} ranks, {where}"

    def runs(self, problem, n):
        """All programs of a round."""
        options, ranks = self.options, self.ranks
        size = ["--n", n, "--repeat", options.repeat]
        fits = ranks <= self.processors
        ours = self.launcher(self.bin / "weftrun", "run")
        bound = ["--bind"] if fits and self.hosts == 1 else []
        threads = {"OPENBLAS_NUM_THREADS": str(max(1, self.processors // ranks))}
        theirs = (["mpirun.openmpi", "--oversubscribe", "--bind-to", "core" if fits else "none"]
                  if self.hosts == 1 else [self.bin / "lab", "mpirun"])
        for rows, columns in grids(ranks):
            grid = ["--grid", f"{rows}x{columns}"]
            for variant in VARIANTS[problem][min(self.hosts, 2)]:
                yield Run(f"Weft, {variant}", [*ours, "-n", ranks, *bound, self.bin / problem, *size, *grid, "--nb",
                                               options.nb, "--variant", variant], self.environment)
            for variant in UPC_VARIANTS if problem in UPC_PROGRAMS else ():
                yield Run(f"UPC, {variant}", [*ours, "-n", ranks, *bound, self.bin / UPC_PROGRAMS[problem], *size,
                                              *grid, "--nb", options.nb, "--variant", variant], self.environment)
            for nb in options.scalapack_nb:
                yield Run("ScaLAPACK", [*theirs, "-n", ranks, "-x", "OPENBLAS_NUM_THREADS",
                                        self.bin / "linalg-scalapack", *size, *grid, "--nb", nb, "--variant", problem],
                          {**self.environment, **threads})
        yield Run("OpenBLAS", [self.bin / "linalg-openblas", *size, "--variant", problem], {})


def measure(place, problem, n):
    """One case of the report."""
    rounds = []
    for number in range(1, place.options.rounds + 1):
        reports = collections.defaultdict(list)
        for one in place.runs(problem, n):
            show_progress(f"{place.title()}: {problem} {n}, round {number}, {one.label}")
            report = report_of(one.command, LIMIT_S, one.environment)
            need_kind(NUMBER, report["gflops"], f"{report.where} has \"gflops\":")
            reports[one.label].append(report)
        rounds.append({label: max(found, key=lambda report: report["gflops"]) for label, found in reports.items()})
    rows = [row_of(label, [one[label] for one in rounds]) for label in rounds[0]]
    default = rows[0]["label"]
    ratios = {row["label"]: statistics.median(one[default]["gflops"] / one[row["label"]]["gflops"] for one in rounds)
              for row in rows[1:]}
    return {"problem": problem, "n": n, "ranks": place.ranks, "hosts": place.hosts, "rate": place.rate,
            "results": rows, "ratios": ratios}


def row_of(label, reports):
    """The median of a program's best runs of each round."""
    middle = sorted(reports, key=lambda report: report["gflops"])[(len(reports) - 1) // 2]
    return {"label": label, "grid": middle["grid"], "nb": middle["nb"],
            "gflops": statistics.median(report["gflops"] for report in reports),
            "gflops_all": sorted(report["gflops"] for report in reports),
            "residual": max(report.number("residual") for report in reports)}


def print_case(place, case):
    show_progress("")
    print(f"\n{case['problem']}, n {case['n']}, {place.title()}")
    ours = case["results"][0]["label"]
    print(f"{'':18}{'grid':>6}{'nb':>5}{'Gflop/s':>9}{'lowest':>9}{'highest':>9}   {ours} over it")
    for row in case["results"]:
        ratio = case["ratios"].get(row["label"])
        print(f"{row['label']:18}{row['grid']:>6}{row['nb']:5}{row['gflops']:9.1f}{row['gflops_all'][0]:9.1f}"
              f"{row['gflops_all'][-1]:9.1f}{'' if ratio is None else f'{ratio:9.2f}'}", flush=True)


def options_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build folder")
    parser.add_argument("--problems", nargs="+", choices=sorted(VARIANTS), default=sorted(VARIANTS))
    parser.add_argument("--n", type=int, nargs="+", default=[1024], help="rows of the matrices (default: 1024)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4], help="numbers of ranks on one host; 0: none "
                        "(default: 2 4)")
    parser.add_argument("--hosts", type=int, default=2, help="of the lab, one rank each (default: 2); 1: no lab")
    parser.add_argument("--rates", nargs="+", default=["1gbit", "4gbit"], help="of the lab's links, or unlimited "
                        "(default: 1gbit 4gbit); needs root")
    parser.add_argument("--nb", type=int, default=96, help="Weft's block size (default: 96)")
    parser.add_argument("--scalapack-nb", type=int, nargs="+", default=[64, 128], help="default: 64 128")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    parser.add_argument("--repeat", type=int, default=2, help="repetitions in a program, the fastest of which counts "
                        "(default: 2)")
    options = parser.parse_args()
    if min(options.hosts, options.rounds, options.repeat, options.nb, *options.scalapack_nb, *options.n) < 1:
        parser.error("--n, --nb, --scalapack-nb, --hosts, --rounds and --repeat must be at least 1")
    if min(options.ranks) < 0:
        parser.error("--ranks must be at least 0")
    return options


def main():
    options = options_of()
    need_programs(options.build, "weftrun", *options.problems,
                  *(UPC_PROGRAMS[problem] for problem in options.problems if problem in UPC_PROGRAMS),
                  "linalg-scalapack", "linalg-openblas", *(["lab"] if options.hosts > 1 else []))
    if options.hosts > 1 and os.geteuid() != 0:
        give_up("several hosts need root; or give --hosts 1")
    places = [Place(options, ranks, 1, None) for ranks in options.ranks if ranks != 0]
    if options.hosts > 1:
        places += [Place(options, options.hosts, options.hosts, None if rate == "unlimited" else rate)
                   for rate in options.rates]
    cases = []
    for description in places:
        with description as place:
            for problem in options.problems:
                for n in options.n:
                    cases.append(measure(place, problem, n))
                    print_case(place, cases[-1])
    (options.build / "bench").mkdir(exist_ok=True)
    path = options.build / "bench" / "linalg.json"
    path.write_text(json.dumps({"benchmark": "linalg", "rounds": options.rounds, "cases": cases}, indent=1) + "\n",
                    encoding="utf-8")
    print(f"\nwrote {path}")


if __name__ == "__main__":
    main()
