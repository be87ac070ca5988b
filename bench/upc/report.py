#!/usr/bin/python3
"""Runs the UPC benchmarks several times and shows them beside their limits and goals: a table here, JSON and a plot in
BUILD/bench. `make bench` calls it.

A value is the median of the runs, its ratio the median of ratios within one run: each program times the loop as a user
writes it and its limit in turns."""
import argparse
import json
import os
import pathlib
import statistics
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from measuring import need_programs, report_of

PROGRAMS = ("upc-triad", "upc-triad-static", "upc-triad-pthreads", "upc-kernels", "upc-random", "upc-chase")
LIMITS = {"triad": "C on private pointers", "matvec": "privatised by hand", "stencil": "privatised by hand",
          "random": "C, same index arithmetic", "pointer": "C pointers", "frontend": "gcc -fsyntax-only"}
# Goals for the ratio to the limit, by the first word of the name: at least, or (for times) at most.
AT_LEAST = {"triad": 0.9, "matvec": 0.9, "stencil": 0.9, "random": 0.7, "pointer": 0.9}
AT_MOST = {"frontend": 1.0}
RUN_LIMIT_S = 120


def measure(build, folder, runs, quick):
    """(name, size) -> its result of each run."""
    found = {}
    extra = ["--quick"] if quick else []
    bound = ["--bind"] if len(os.sched_getaffinity(0)) >= 2 else []
    commands = [(name, [build / "bin/upcrun", "-n", 2, *bound, build / "bin" / name]) for name in PROGRAMS]
    frontend = pathlib.Path(__file__).parent / "frontend.py"
    commands.append(("upc-frontend", [sys.executable, frontend, build / "bin/upcc"]))
    for number in range(1, runs + 1):
        for name, command in commands:
            print(f"run {number} of {runs}: {name}", file=sys.stderr, flush=True)
            path = folder / f"{name}-{number}.json"
            for result in report_of([*command, *extra], RUN_LIMIT_S, path=path)["results"]:
                found.setdefault((result["name"], result["size_bytes"]), []).append(result)
    return found


def merge(found):
    return [{**results[0], **{field: statistics.median(result.number(field) for result in results)
                              for field in ("value", "limit", "ratio_to_limit")},
             "ratios": sorted(result["ratio_to_limit"] for result in results)} for results in found.values()]


def first_word(result):
    return result["name"].split("_")[0]


def goal(result):
    """(text, reached)"""
    word, ratio = first_word(result), result["ratio_to_limit"]
    if word in AT_MOST:
        return f"at most {AT_MOST[word]}", ratio <= AT_MOST[word]
    return f"at least {AT_LEAST[word]}", ratio >= AT_LEAST[word]


def size_text(size):
    return "" if size == 0 else f"{size / 1024:.0f} KiB" if size < 1 << 20 else f"{size / (1 << 20):.1f} MiB"


def print_table(results, runs):
    print(f"\nCompiled UPC, 2 threads, median of {runs}")
    print(f"{'':24}{'size':>10}{'value':>10}{'':9}{'limit':>10}{'ratio':>8}{'worst':>8}{'best':>8}   {'goal':14}"
          f"reached   limit is")
    for result in results:
        text, reached = goal(result)
        worst, best = result["ratios"][0], result["ratios"][-1]
        if first_word(result) in AT_MOST:
            worst, best = best, worst
        print(f"{result['name']:24}{size_text(result['size_bytes']):>10}{result['value']:10.2f} {result['unit']:8}"
              f"{result['limit']:10.2f}{result['ratio_to_limit']:8.3f}{worst:8.3f}{best:8.3f}   {text:14}"
              f"{'yes' if reached else 'NO':7}   {LIMITS[first_word(result)]}")


def draw(results, path):
    """One bar per case: the ratio to its limit, with the goal as a mark and the span of the runs as a line."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8.6, 0.8 + 0.27 * len(results)), layout="constrained")
    for place, result in enumerate(results):
        word = first_word(result)
        mark = AT_MOST.get(word, AT_LEAST.get(word))
        axes.barh(place, result["ratio_to_limit"], 0.7, color="#d9822b" if word in AT_MOST else "#1f5fa8")
        axes.plot([result["ratios"][0], result["ratios"][-1]], [place, place], color="#222222", linewidth=1)
        axes.plot([mark, mark], [place - 0.42, place + 0.42], color="#c02020", linewidth=1.8)
        axes.text(0.02, place, f"{result['ratio_to_limit']:.2f}", color="white", va="center", fontsize=8.5)
    axes.axvline(1, color="#444444", linewidth=1, linestyle=":")
    axes.set_yticks(range(len(results)), [f"{result['name']}  {size_text(result['size_bytes'])}" for result in results],
                    fontsize=8.5)
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("ratio to the limit; red: goal (blue: more is better, orange: less)")
    axes.set_title("Compiled UPC beside C, 2 threads", loc="left", fontsize=11, fontweight="bold")
    for kind in ("svg", "png"):
        figure.savefig(f"{path}.{kind}", dpi=130, **({"metadata": {"Date": None}} if kind == "svg" else {}))
        print(f"wrote {path}.{kind}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build folder")
    parser.add_argument("--runs", type=int, default=5, help="of each program (default: 5)")
    parser.add_argument("--quick", action="store_true", help="short runs: shows that it works, measures nothing")
    parser.add_argument("--no-plots", action="store_true", help="table and JSON only")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    need_programs(options.build, "upcc", "upcrun", *PROGRAMS)
    folder = options.build / "bench"
    folder.mkdir(exist_ok=True)
    results = merge(measure(options.build, folder, options.runs, options.quick))
    print_table(results, options.runs)
    with open(folder / "upc.json", "w", encoding="utf-8") as file:
        json.dump({"benchmark": "upc", "ranks": 2, "conduit": "smp", "runs": options.runs, "results": results}, file,
                  indent=1)
        file.write("\n")
    print(f"\nwrote {folder / 'upc.json'}")
    if not options.no_plots:
        draw(results, folder / "upc")


if __name__ == "__main__":
    main()
