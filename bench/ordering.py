#!/usr/bin/python3
"""Runs weft-bench ordering in the three orders, with one and two pairs of ranks, and plots bandwidth against message
size: JSON and pictures in BUILD/bench. The test is that of Ibrahim, Hargrove, Iancu and Yelick (IPDPS 2014).

The job is started by weftrun on this host over libfabric; LAUNCHER="lab run" measures in a lab that is up."""
import argparse
import os
import pathlib
import shlex

from measuring import by_key, need_programs, report_of

ORDERS = ("strict", "default", "relaxed")
COLOURS = {"strict": "#b5472f", "default": "#1f5fa8", "relaxed": "#4f9d57"}
WINDOWS = (1, 4, 16, 64)
RUN_LIMIT_S = 120


def run(launcher, build, ranks, order, path, options):
    command = [*launcher, "-n", ranks, build / "bin" / "weft-bench", "ordering", "--repetitions", options.repetitions,
               "--max-size", options.max_size]
    environment = {"WEFT_ORDER": order, "WEFT_CONDUIT": os.environ.get("WEFT_CONDUIT", "ofi")}
    report = report_of(command, RUN_LIMIT_S, environment, path=path)
    return {key: result["value"] for key, result in by_key(report).items()}


def table(found):
    sizes = sorted({size for values in found.values() for _, size in values})
    for ranks in sorted({key[0] for key in found}):
        for way in ("put", "get"):
            print(f"\n{way}, {ranks // 2} pair{'s' if ranks > 2 else ''}: "
                  "GB/s of a pair, both directions, by order and window")
            print(f"{'size':>10}" + "".join(f"{order + ' w' + str(window):>14}"
                                            for window in WINDOWS for order in ORDERS))
            for size in sizes:
                cells = (found[(ranks, order)].get((f"ordering_{way}_w{window}", size)) for window in WINDOWS
                         for order in ORDERS)
                print(f"{size:>10}" + "".join(f"{'-' if value is None else format(value, '.3f'):>14}"
                                              for value in cells))


def plot(found, folder):
    import matplotlib
    matplotlib.use("Agg")  # no display needed
    import matplotlib.pyplot as plt
    matplotlib.rcParams["svg.hashsalt"] = "weft"

    for ranks in sorted({key[0] for key in found}):
        figure, panels = plt.subplots(2, len(WINDOWS), figsize=(13, 6), sharex=True, sharey=True)
        for row, way in enumerate(("put", "get")):
            for column, window in enumerate(WINDOWS):
                axes = panels[row][column]
                for order in ORDERS:
                    name = f"ordering_{way}_w{window}"
                    points = sorted((size, value) for (result, size), value in found[(ranks, order)].items()
                                    if result == name)
                    axes.plot([size for size, _ in points], [value for _, value in points], "o-",
                              color=COLOURS[order], label=order, markersize=3)
                axes.set_xscale("log", base=2)
                axes.set_yscale("log")
                axes.set_title(f"{way}, window {window}", loc="left")
                axes.grid(True, color="#e4e4e4")
        panels[0][0].legend(frameon=False)
        figure.supxlabel("message size, bytes")
        figure.supylabel("GB/s of a pair, both directions")
        figure.tight_layout()
        for suffix in ("svg", "png"):
            path = folder / f"ordering-{ranks}.{suffix}"
            figure.savefig(path, metadata={"Date": None} if suffix == "svg" else None)
            print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build folder")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4], help="ranks of the jobs (default: 2 4)")
    parser.add_argument("--repetitions", type=int, default=5, help="blocks of each measurement")
    parser.add_argument("--max-size", type=int, default=1 << 18, help="largest message in bytes")
    parser.add_argument("--no-plots", action="store_true", help="tables and JSON only")
    options = parser.parse_args()
    need_programs(options.build, "weft-bench", "weftrun")
    build = options.build.absolute()
    launcher = shlex.split(os.environ.get("LAUNCHER", str(build / "bin" / "weftrun")))
    folder = build / "bench"
    folder.mkdir(exist_ok=True)
    found = {(ranks, order): run(launcher, build, ranks, order, folder / f"ordering-{ranks}-{order}.json", options)
             for ranks in options.ranks for order in ORDERS}
    table(found)
    if not options.no_plots:
        plot(found, folder)


if __name__ == "__main__":
    main()
