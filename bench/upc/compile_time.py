#!/usr/bin/env python3
"""What upcc itself costs: the time of whole compilations (upcc -O2 -c, the C compiler included) with its optimiser and
without (-fno-upc-optimise), and its own share of them (--print-c, the preprocessor included); and how long the C of the
user's own lines is with it and without. Of examples/upc, tests/upcc/run and FT in UPC. Times are processor time, the
best of N runs, by turns. Goals: upcc's own time at most a tenth of the whole; the C at most twice as long."""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from measuring import need_folder_of, need_programs, run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("examples/upc", "tests/upcc/run", "apps/ft/upc")
RUN_LIMIT_S = 300
WITHOUT = "-fno-upc-optimise"
GOAL_SHARE, GOAL_SIZE = 0.1, 2.0


def processor_ms(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, RUN_LIMIT_S)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def own_c(upcc, source, *flags):
    """Characters of the C that the file's own lines become: headers and what upcc puts in front are left out."""
    text = subprocess.run([upcc, "-w", "-O2", *flags, "--print-c", source], capture_output=True, text=True, check=True,
                          timeout=RUN_LIMIT_S).stdout
    size, ours = 0, False
    for line in text.splitlines():
        if marker := re.match(r'# \d+ "([^"]*)"', line):
            ours = marker.group(1) == str(source)
        elif ours:
            size += len(line.strip())
    return size


def measure(upcc, source, runs):
    """A row of the table: milliseconds, characters."""
    commands = {"whole": ["-c", "-o", os.devnull], "whole_without": ["-c", "-o", os.devnull, WITHOUT],
                "own": ["--print-c"], "own_without": ["--print-c", WITHOUT]}
    times = {name: [] for name in commands}
    for _ in range(runs):
        for name, flags in commands.items():
            times[name].append(processor_ms([upcc, "-w", "-O2", *flags, source]))
    return {"name": str(source.relative_to(ROOT)), **{name: min(all_of) for name, all_of in times.items()},
            "size": own_c(upcc, source), "size_without": own_c(upcc, source, WITHOUT)}


def ratios(row):
    return {"time_ratio": row["whole"] / row["whole_without"], "own_share": row["own"] / row["whole"],
            "optimiser_share": (row["own"] - row["own_without"]) / row["whole_without"],
            "size_ratio": row["size"] / row["size_without"]}


def show(row):
    print(f"{row['name']:44}{row['whole_without']:10.0f}{row['whole']:8.0f}{row['time_ratio']:7.2f}{row['own']:8.0f}"
          f"{row['own_share']:7.2f}{row['optimiser_share']:+8.3f}{row['size_without']:9}{row['size']:8}"
          f"{row['size_ratio']:7.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build folder")
    parser.add_argument("--runs", type=int, default=3, help="default: 3")
    parser.add_argument("-k", default="", metavar="WORD", help="only files with this in their names")
    parser.add_argument("--json", help="write the results to this file (docs/FORMATS.md)")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    need_programs(options.build, "upcc")
    if options.json:
        need_folder_of(options.json)
    sources = [source for folder in FOLDERS for source in sorted((ROOT / folder).glob("*.upc"))
               if options.k in source.name]
    if not sources:
        parser.error(f"-k {options.k}: no program has that in its name")
    print(f"{'processor ms; characters of C':44}{'no passes':>10}{'all':>8}{'ratio':>7}{'upcc':>8}{'share':>7}"
          f"{'passes':>8}{'C, none':>9}{'all':>8}{'ratio':>7}")
    rows = []
    for source in sources:
        row = measure(options.build.absolute() / "bin/upcc", source, options.runs)
        rows.append({**row, **ratios(row)})
        show(rows[-1])
    total = {"name": "all", **{key: sum(row[key] for row in rows) for key in
                               ("whole", "whole_without", "own", "own_without", "size", "size_without")}}
    total.update(ratios(total))
    show(total)
    met = {True: "met", False: "not met"}
    print(f"goals: share {GOAL_SHARE} {met[total['own_share'] <= GOAL_SHARE]}, "
          f"C {GOAL_SIZE} {met[total['size_ratio'] <= GOAL_SIZE]}")
    if options.json:
        report = {"benchmark": "upc_compile_time", "runs": options.runs, "results": [*rows, total]}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
