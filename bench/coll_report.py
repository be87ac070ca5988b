#!/usr/bin/python3
"""Collectives of Weft beside those of MPI: prints tables in Markdown; draws time against size if PLOTS is given."""

import argparse
import math
import pathlib
import re

from measuring import by_key, give_up, read_report

NAMES = ["broadcast", "reduce", "reduce_all", "gather_all", "exchange", "scatter", "gather", "broadcast_strict",
         "broadcast_in_flight", "exchange_nb", "scatter_v", "gather_v", "gather_all_v"]


def read(path):
    if not path.exists():
        return {}
    return {key: result["value"] for key, result in by_key(read_report(path, "weft-bench", "results")).items()}


def size_text(size):
    for unit, shift in (("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift:
            return f"{size >> shift} {unit}"
    return f"{size} B"


def time_text(ns):
    return f"{ns:.0f} ns" if ns < 1e4 else f"{ns / 1e3:.0f} us" if ns < 1e7 else f"{ns / 1e6:.0f} ms"


def report(folder, ranks):
    weft = read(folder / f"weft-{ranks}.json")
    peers = {name: read(folder / f"{name}-{ranks}.json") for name in ("ompi", "mpich")}
    sizes = sorted({size for name, size in weft if name == "broadcast"})
    print(f"\n### {ranks} ranks\n\nWeft's time, and in brackets how many times longer the better MPI takes.\n")
    print("| collective | " + " | ".join(size_text(size) for size in sizes) + " | geometric mean |")
    print("|" + "---|" * (len(sizes) + 2))
    for name in NAMES:
        cells, ratios = [], []
        for size in sizes:
            best = min((peer[name, size] for peer in peers.values() if (name, size) in peer), default=None)
            value = weft.get((name, size))
            if value is None or best is None:
                cells.append("")
                continue
            ratios.append(best / value)
            cells.append(f"{time_text(value)} ({best / value:.2f})")
        if ratios:
            print(f"| {name} | " + " | ".join(cells) + f" | {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f} |")
    return weft, peers


def plot(plots, ranks, weft, peers):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, grid = plt.subplots(2, 3, figsize=(15, 9))
    for axes, name in zip(grid.flat, NAMES[:5] + ["broadcast_in_flight"]):
        for label, results in (("Weft", weft), ("Open MPI", peers["ompi"]), ("MPICH", peers["mpich"])):
            points = sorted((size, value / 1e3) for (found, size), value in results.items() if found == name)
            if points:
                axes.plot(*zip(*points), marker=".", label=label)
        axes.set(xscale="log", yscale="log", title=name, xlabel="bytes", ylabel="us")
        axes.grid(alpha=0.3)
        axes.legend()
    figure.suptitle(f"{ranks} ranks")
    figure.tight_layout()
    plots.mkdir(parents=True, exist_ok=True)
    figure.savefig(plots / f"coll-{ranks}.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="has the JSON that weft-bench coll and its peers wrote, as "
                        "weft-N.json, ompi-N.json and mpich-N.json for N ranks")
    parser.add_argument("plots", type=pathlib.Path, nargs="?", help="a folder to draw into")
    options = parser.parse_args()
    counts = sorted(int(match[1]) for path in options.folder.glob("weft-*.json")
                    if (match := re.fullmatch(r"weft-(\d+)", path.stem)))
    if not counts:
        give_up(f"there is no weft-N.json in {options.folder}")
    for ranks in counts:
        weft, peers = report(options.folder, ranks)
        if options.plots:
            plot(options.plots, ranks, weft, peers)


if __name__ == "__main__":
    main()
