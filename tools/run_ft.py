#!/usr/bin/python3
"""Runs NAS FT in all variants side by side: one-sided in C++ and in UPC, two-sided with two MPI libraries, and FFTW's
own MPI transform.

Prints one table, writes it as JSON and as a bar chart. The repetitions are interleaved, so that a disturbance of the
machine meets all variants alike, and the median of each variant's repetitions counts.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
# pylint: disable=wrong-import-position
from measuring import (OPEN_MPI_AS_ROOT, Contender, median_report, need_folder_of, need_programs, report_of,
                       show_progress)

CONTENDERS = (
    Contender("Weft, pencils", "one-sided", "ft", "pencils"),
    Contender("Weft, slabs", "one-sided", "ft", "slabs"),
    Contender("Weft, exchange", "one-sided", "ft", "exchange"),
    Contender("UPC, pencils", "one-sided", "ft-upc", "pencils"),
    Contender("UPC, slabs", "one-sided", "ft-upc", "slabs"),
    Contender("UPC, exchange", "one-sided", "ft-upc", "exchange"),
    Contender("Open MPI, pencils", "two-sided", "ft-mpi", "pencils"),
    Contender("Open MPI, slabs", "two-sided", "ft-mpi", "slabs"),
    Contender("Open MPI, exchange", "two-sided", "ft-mpi", "exchange"),
    Contender("MPICH, pencils", "two-sided", "ft-mpi-mpich", "pencils"),
    Contender("MPICH, slabs", "two-sided", "ft-mpi-mpich", "slabs"),
    Contender("MPICH, exchange", "two-sided", "ft-mpi-mpich", "exchange"),
    Contender("FFTW's MPI transform", "FFTW", "ft-fftw-mpi", "fftw"),
)
# On a grid of ranks, and what they are compared with.
GRID_CONTENDERS = (
    Contender("Weft, pencils", "one-sided", "ft", "pencils"),
    Contender("Weft, slabs 2-D", "one-sided", "ft", "slabs-2d"),
    Contender("Weft, packed slabs 2-D", "one-sided", "ft", "packed-slabs-2d"),
    Contender("UPC, slabs 2-D", "one-sided", "ft-upc", "slabs-2d"),
    Contender("UPC, packed slabs 2-D", "one-sided", "ft-upc", "packed-slabs-2d"),
    *(Contender(f"{library}, {label}", "two-sided", program, variant)
      for library, program in (("Open MPI", "ft-mpi"), ("MPICH", "ft-mpi-mpich"))
      for label, variant in (("slabs 2-D", "slabs-2d"), ("slabs by Ialltoall", "slabs-2d-ialltoall"),
                             ("packed slabs 2-D", "packed-slabs-2d"))),
    Contender("FFTW's MPI transform", "FFTW", "ft-fftw-mpi", "fftw"),
)
EXCHANGES = ("exchange", "packed-slabs-2d")  # by one collective after all else
COLOURS = {"one-sided": "#0b6e99", "two-sided": "#c8793a", "FFTW": "#7a7a7a"}
# A row of class A and B is a message of 4 KiB, which by default just misses the limit of what is sent at once.
OPEN_MPI_SETTINGS = ("--mca", "btl_vader_eager_limit", "16384")
TIME_LIMIT_S = 900  # of one run
UNEQUAL = 1.3  # longest over shortest repetition, from which on a table deserves a warning


def launch(contender, options):
    """The command of one run, with the best settings of each library: ranks bound to cores where there are enough."""
    bound = options.ranks <= len(os.sched_getaffinity(0))
    n = str(options.ranks)
    if contender.program == "ft":
        command = [os.path.join(options.build, "bin", "weftrun"), "-n", n, *(["--bind"] if bound else [])]
    elif contender.program == "ft-upc":
        command = [os.path.join(options.build, "bin", "upcrun"), "-n", n, *(["--bind"] if bound else [])]
    elif contender.program == "ft-mpi-mpich":
        command = ["mpiexec.mpich", *(["-bind-to", "core"] if bound else []), "-n", n]
    else:
        command = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "core" if bound else "none", *OPEN_MPI_SETTINGS,
                   "-n", n]
    return [*command, os.path.join(options.build, "bin", contender.program), "--class", options.class_name,
            "--variant", contender.variant,
            *(["--grid", options.grid] if options.grid and "-2d" in contender.variant else [])]


def measure(contender, options):
    """Runs one variant once; returns its JSON report, also if the verification failed."""
    return report_of(launch(contender, options), TIME_LIMIT_S, OPEN_MPI_AS_ROOT, codes=(0, 1))


def summarise(contender, reports):
    """One row of the table: the report of the median repetition, and how far the others were."""
    row = median_report(reports, "seconds")
    row["label"] = contender.label
    row["communication"] = contender.group
    row["seconds_per_transform"] = statistics.median(report["seconds_per_transform"] for report in reports)
    row["seconds_all"] = sorted(report["seconds"] for report in reports)
    return row


def add_speedups(rows):
    """Against the fastest two-sided exchange, and FFTW's MPI transform; whole benchmark and one transform."""
    exchange = [r for r in rows if r["communication"] == "two-sided" and r["variant"] in EXCHANGES]
    fftw = [r for r in rows if r["communication"] == "FFTW"]
    for row in rows:
        for name, others in (("two_sided_exchange", exchange), ("fftw", fftw)):
            for key in ("seconds", "seconds_per_transform"):
                row[f"{key}_speedup_over_{name}"] = min(o[key] for o in others) / row[key]


def print_table(rows, options):
    first = rows[0]
    grid = next((f" as {row['grid']}" for row in rows if row["grid"]), "")
    print(f"\nNAS FT class {first['class']}, {first['ranks']} ranks{grid} on {first['hosts']} host, "
          f"median of {options.repetitions}")
    print(f"{'':24}{'benchmark':>11}{'speed-up':>12}{'one 3-D':>14}{'speed-up':>12}{'':10}{'result':>10}")
    print(f"{'':24}{'takes':>11}{'over MPI':>12}{'FFT takes':>14}{'over FFTW':>12}{'Mop/s':>10}{'right':>10}")
    for row in rows:
        verified = {True: "yes", False: "NO", None: "no ref."}[row["verified"]]
        print(f"{row['label']:24}{row['seconds']:9.4f} s{row['seconds_speedup_over_two_sided_exchange']:11.2f}x"
              f"{1e3 * row['seconds_per_transform']:11.2f} ms{row['seconds_per_transform_speedup_over_fftw']:11.2f}x"
              f"{row['mops']:10.0f}{verified:>10}")


def explain(rows):
    """What the columns compare, and a warning where the repetitions were too unequal to compare at all."""
    peer = min((r for r in rows if r["communication"] == "two-sided" and r["variant"] in EXCHANGES),
               key=lambda row: row["seconds"])
    print(f"\nSpeed-up over MPI: the benchmark's time against that of {peer['label']}, the faster MPI library's.\n"
          "Speed-up over FFTW: the time of one 3-D FFT against that of FFTW's own MPI interface.\n"
          "Mop/s: the benchmark's million operations per second. Result right: its checksums are the official ones.")
    spread = {row["label"]: max(row["seconds_all"]) / min(row["seconds_all"]) for row in rows}
    label = max(spread, key=spread.get)
    if spread[label] > UNEQUAL:
        print(f"The machine was disturbed: the runs of {label} differ by {spread[label]:.1f} times, the load is "
              f"{os.getloadavg()[0]:.1f}.\nNothing else should run meanwhile.")


def draw(rows, path):
    """Bars of the whole benchmark's time, cut into phases where they are known, and the time of one transform."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    phases = {"local_fft": ("local FFT", 1.0), "other": ("evolve, set-up, checksum", 0.72),
              "movement": ("data movement", 0.6), "communication": ("starting messages", 0.5),
              "completion": ("completing them", 0.36), "barrier": ("barrier", 0.2)}
    matplotlib.rcParams["svg.hashsalt"] = "weft"
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 5.5), sharey=True, width_ratios=(1.35, 1),
                                            layout="constrained")
    figure.get_layout_engine().set(rect=(0, 0.07, 1, 0.93))
    places = range(len(rows))
    for place, row in zip(places, rows):
        colour = COLOURS[row["communication"]]
        start = 0.0
        known = {name: seconds for name, seconds in row["phases"].items() if seconds is not None}
        for name in phases if known else ():
            left.barh(place, known[name], left=start, color=colour, alpha=phases[name][1], height=0.72, linewidth=0)
            start += known[name]
        if not known:
            left.barh(place, row["seconds"], color=colour, height=0.72, linewidth=0)
        left.hlines(place, min(row["seconds_all"]), max(row["seconds_all"]), color="black", linewidth=0.8)
        left.text(max(start, *row["seconds_all"]), place, f" {row['seconds']:.3f} s", va="center", fontsize=9)
        right.barh(place, 1e3 * row["seconds_per_transform"], color=colour, height=0.72, linewidth=0)
        right.text(1e3 * row["seconds_per_transform"], place,
                   f" {1e3 * row['seconds_per_transform']:.1f} ms, "
                   f"{row['seconds_per_transform_speedup_over_fftw']:.1f}x", va="center", fontsize=9)
    left.set_yticks(list(places), [row["label"] for row in rows])
    left.invert_yaxis()
    left.set_title(f"NAS FT class {rows[0]['class']}, {rows[0]['ranks']} ranks: whole benchmark", fontsize=11,
                   loc="left")
    left.set_xlabel("seconds")
    left.set_xlim(0, 1.17 * max(max(row["seconds_all"]) for row in rows))
    right.set_title("one transform, and speedup over FFTW's", fontsize=11, loc="left")
    right.set_xlabel("milliseconds")
    right.set_xlim(0, 1.35e3 * max(row["seconds_per_transform"] for row in rows))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
    handles = [Patch(color="#333333", alpha=alpha, linewidth=0, label=label) for label, alpha in phases.values()
               if label != "data movement"]
    handles += [Patch(color=colour, label=group) for group, colour in COLOURS.items()]
    handles += [Line2D([], [], color="black", linewidth=0.8, label="all repetitions")]
    figure.legend(handles=handles, loc="lower center", ncols=10, fontsize=7.5, frameon=False)
    figure.savefig(path + ".svg", metadata={"Date": None})
    figure.savefig(path + ".png", dpi=130)
    pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="folder of the build")
    parser.add_argument("--class", dest="class_name", default="A", help="problem class")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3, help="of each variant")
    parser.add_argument("--2d", dest="on_grid", action="store_true", help="the variants on a grid of ranks instead")
    parser.add_argument("--grid", help="TYxTZ, as 2x4; with --2d")
    parser.add_argument("--output", help="where to write, without .json, .svg and .png; BUILD/ft-run if not given")
    options = parser.parse_args()
    if options.ranks < 1 or options.repetitions < 1:
        parser.error("--ranks and --repetitions must be at least 1")
    if options.grid and not options.on_grid:
        parser.error("--grid is for --2d")
    output = options.output or os.path.join(options.build, "ft-run-2d" if options.on_grid else "ft-run")
    contenders = GRID_CONTENDERS if options.on_grid else CONTENDERS
    need_programs(options.build, "weftrun", "upcrun", *dict.fromkeys(each.program for each in contenders))
    need_folder_of(output)

    print(f"NAS FT class {options.class_name}: {len(contenders)} variants, {options.repetitions} runs of each",
          flush=True)
    reports = collections.defaultdict(list)
    for repetition in range(options.repetitions):
        for contender in contenders:
            show_progress(f"run {repetition + 1} of {options.repetitions}: {contender.label}")
            reports[contender].append(measure(contender, options))
    show_progress("")
    rows = [summarise(contender, reports[contender]) for contender in contenders]
    add_speedups(rows)
    print_table(rows, options)
    explain(rows)
    with open(output + ".json", "w", encoding="utf-8") as file:
        json.dump({"benchmark": "ft", "class": options.class_name, "ranks": options.ranks,
                   "repetitions": options.repetitions, "results": rows}, file, indent=2)
        file.write("\n")
    draw(rows, output)
    print(f"\nWritten: {output}.json, {output}.svg, {output}.png")
    return 1 if any(row["verified"] is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
