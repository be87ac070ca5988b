#!/usr/bin/env python3
"""Compiles and runs random UPC programs (generate.py) in many ways; what each prints must not depend on the way.

  run_differential.py --bin BUILD/bin                            300 programs, each in some ways, by turns
  run_differential.py --bin BUILD/bin --programs 50000 --every   50,000 programs, each in every way
  run_differential.py --bin BUILD/bin --seed 7 --case 12 --every one program again
  run_differential.py --bin BUILD/bin --seed 7 --case 12 --reduce DIRECTORY
                                                                 and the smallest part of it that still differs

The ways: -O0, -O1, -O2, -O3, and shadow mode (-fupc-shadow); THREADS chosen at start, fixed (-T) or with --pthreads; on
1 to 4 threads; memory mapped or reached by messages (WEFT_MAP_PEERS=0). Right is what -O0 prints with THREADS chosen at
start and memory mapped. Without --every the passes are on in three builds, and the C compiler optimises in one of them,
by turns. Three files in four are compiled with accessors out of line (-DUPCR_OUT_OF_LINE), which takes half the time;
the passes are the same.
`--without FEATURE` leaves something out of the programs (generate.py --features)."""
import argparse
import concurrent.futures
import functools
import os
import pathlib
import re
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from case import FEATURES, Case  # noqa: E402
from generate import program  # noqa: E402
from reduce import Reduction  # noqa: E402
from run_programs import PASSES, run  # noqa: E402

LEVELS = (["-O1"], ["-O2"], ["-O3"])
MODES = ("dynamic", "static", "pthreads")


class Build:
    """One way to compile, with the ways to run what comes out: (threads, mapped)."""

    def __init__(self, level, mode, runs, cc="gcc", shadow=False, out_of_line=False):
        self.cc = cc
        self.runs = [(t, mapped) for t, mapped in runs if mode != "static" or t == runs[0][0]]
        self.flags = level + {"dynamic": [], "static": ["-T", str(runs[0][0])], "pthreads": ["--pthreads"]}[mode]
        self.flags += ["-fupc-shadow"] * shadow + ["-DUPCR_OUT_OF_LINE"] * out_of_line + ["-DUPCR_FEWEST_READS=1"]

    def name(self, threads, mapped):
        command = [self.cc] * (self.cc != "gcc") + self.flags
        return " ".join(command) + f" on {threads}" + ("" if mapped else " unmapped")


def ways(turn, every, threads=None):
    """The builds of file number `turn`. The first is the reference."""
    counts = [threads] if threads else [(3, 2), (4, 1), (2, 3), (3, 4)][turn % 4]
    both = [(t, mapped) for t in counts for mapped in (True, False)]
    some = [(t, True) for t in counts] + [(counts[0], False)]
    make = functools.partial(Build, out_of_line=turn // 4 % 4 != 1)  # not in step with the counts
    reference = make(["-O0"], "dynamic", both if every else some)
    if every:
        return [reference, *(make(level, mode, both) for level in (["-O0"], *LEVELS) for mode in MODES
                             if (level, mode) != (["-O0"], "dynamic")), make(["-O2"], "dynamic", both, "clang"),
                make(["-O1"], "dynamic", some, shadow=True)]
    optimised = turn // 3 % 3
    builds = [make(level if k == optimised else PASSES, MODES[(turn + k) % 3], some) for k, level in enumerate(LEVELS)]
    if turn % 5 == 0:
        builds[(optimised + 1) % 3] = make(PASSES, "dynamic", some, shadow=True)
    return [reference, *builds]


class Tester:
    def __init__(self, options, directory):
        self.bin = pathlib.Path(options.bin).resolve()
        self.directory = pathlib.Path(directory)
        self.seconds = options.timeout

    def compile(self, source, build):
        """(program or None, what was said)."""
        out = str(source.with_suffix("")) + f".{build.cc}" + "".join(build.flags).replace(" ", "")
        code, stdout, stderr = run([str(self.bin / "upcc"), "-w", *build.flags, "-o", out, str(source)],
                                   max(300, self.seconds), dict(os.environ, CC=build.cc, LC_ALL="C"))
        return (out, "") if code == 0 else (None, stdout + stderr)

    def launch(self, binary, threads, mapped, case=None):
        environment = dict(os.environ, WEFT_MAP_PEERS="1" if mapped else "0", WEFT_BACKTRACE="0")
        environment["WEFT_SEGMENT_SIZE"] = "64M"
        arguments = [str(case)] if case is not None else []
        return run([str(self.bin / "upcrun"), "-n", str(threads), binary, *arguments], self.seconds, environment)

    def results(self, binary, threads, mapped, numbers):
        """What each case printed, or how it ended."""
        code, out, err = self.launch(binary, threads, mapped)
        found = dict(line.split(": ", 1) for line in out.splitlines() if line.startswith("case ") and ": " in line)
        if code == 0 and len(found) == len(numbers):
            return {n: found.get(f"case {n}", "nothing") for n in numbers}
        out = {}
        for n in numbers:
            if f"case {n}" in found:
                out[n] = found[f"case {n}"]
                continue
            code, text, err = self.launch(binary, threads, mapped, n)
            lines = [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith(f"case {n}: ")]
            out[n] = lines[0] if code == 0 and lines else f"exit code {code}: {err.strip()[:300]}"
        return out


def check(tester, seed, numbers, builds, without):
    """Differences: (case, way, what was printed, what is right)."""
    source = tester.directory / f"p{seed}_{numbers[0]}.upc"
    source.write_text(program(seed, numbers, without))
    reference, differences, made = {}, [], []
    for build in builds:
        binary, said = tester.compile(source, build)
        if binary is None:
            if len(numbers) == 1:
                differences.append((numbers[0], " ".join([build.cc, *build.flags]), said.strip()[:600], "it compiles"))
                if build is builds[0]:
                    break
                continue
            # Which of them it is: one by one, and the others together.
            bad = [n for n in numbers if any(not d[3].startswith("right: ") for d in
                                             check(tester, seed, [n], [build], without))]
            for n in bad:
                differences += check(tester, seed, [n], builds, without)
            rest = [n for n in numbers if n not in bad]
            if not bad:
                # What one case declares matters to another: the message names the function.
                named = re.search(r"'[a-z]+\d*_(\d+)'", said)
                number = int(named[1]) if named else numbers[0]
                differences.append((number, " ".join(build.flags) + ", with the seed's others", said.strip()[:600],
                                    "it compiles alone"))
            elif rest:
                differences += check(tester, seed, rest, builds, without)
            break
        made.append(binary)
        for threads, mapped in build.runs:
            got = tester.results(binary, threads, mapped, numbers)
            right = reference.setdefault(threads, got)
            differences += [(n, build.name(threads, mapped), got[n], right[n]) for n in numbers
                            if got[n] != right[n] or not got[n][0].isalnum() or got[n].startswith("exit")]
    for path in [*made, source]:
        if os.path.exists(path):
            os.unlink(path)
    return differences


def report(seed, differences, without):
    by_case = {}
    for n, way, got, right in differences:
        by_case.setdefault(n, []).append((way, got, right))
    left_out = "".join(f" --without {f}" for f in without)
    for n, found in sorted(by_case.items()):
        print(f"FAIL seed {seed} case {n}: generate.py --seed {seed} --case {n}{left_out}")
        for way, got, right in found[:6]:
            print(f"  {way}: {got}\n    instead of {right}")
        if len(found) > 6:
            print(f"  and in {len(found) - 6} more ways")
    sys.stdout.flush()


def one_file(arguments):
    options, directory, seed, numbers, turn = arguments
    return seed, check(Tester(options, directory), seed, numbers, ways(turn, options.every, options.threads),
                       options.without)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seed", type=int, default=1, help="of the first file; the next has the next")
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--per-file", type=int, default=30)
    parser.add_argument("--case", type=int, help="only this one of the first file")
    parser.add_argument("--every", action="store_true", help="every way, not some by turns")
    parser.add_argument("--threads", type=int, help="only this many")
    parser.add_argument("--without", action="append", default=[], choices=FEATURES, metavar="FEATURE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, help="begin no more files after so many")
    parser.add_argument("--timeout", type=int, default=60,
                        help="seconds for a run, and for the compiler if more than 300")
    parser.add_argument("--directory", help="where programs are written; a temporary one")
    parser.add_argument("--reduce", metavar="DIRECTORY", help="write the smallest part of --case that differs there")
    options = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="upcc-differential-") as temporary:
        directory = options.directory or temporary
        if options.case is not None:
            seed, differences = one_file((options, directory, options.seed, [options.case], options.seed))
            report(seed, differences, options.without)
            if differences and options.reduce:
                Reduction(Tester(options, directory), Case(options.seed, options.case, options.without), options.seed,
                          ways(options.seed, options.every, options.threads)).write(options.reduce)
            return 1 if differences else 0
        files = [(options, directory, options.seed + k, range(options.per_file), options.seed + k)
                 for k in range(-(-options.programs // options.per_file))]
        failed = programs = 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            waiting = iter(files)
            running = {pool.submit(one_file, f) for _, f in zip(range(options.jobs), waiting)}
            while running:
                done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    seed, differences = future.result()
                    programs += options.per_file
                    failed += len({d[0] for d in differences})
                    report(seed, differences, options.without)
                    late = options.minutes and time.monotonic() - begun > options.minutes * 60
                    following = None if late else next(waiting, None)
                    if following:
                        running.add(pool.submit(one_file, following))
    seconds = time.monotonic() - begun
    print(f"{programs} programs from seed {options.seed} on: {failed or 'none'} differ ({seconds:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
