#!/usr/bin/python3
"""Collectives of Weft beside those of MPI: coll_report.py FOLDER [PLOTS]. FOLDER has the JSON that weft-bench coll and its peers
wrote, as weft-N.json, ompi-N.json and mpich-N.json for N ranks. Prints tables in Markdown; draws time against size if PLOTS is
given."""

import json
import math
import pathlib
import re
import sys

NAMES = ["broadcast", "reduce", "reduce_all", "gather_all", "exchange", "scatter", "gather", "broadcast_strict",
         "broadcast_in_flight", "exchange_nb"]


def read(path):
    if not path.exists():
        return {}
    return {(result["name"], result["size_bytes"]): result["value"] for result in json.loads(path.read_text())["results"]}


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
    folder = pathlib.Path(sys.argv[1])
    counts = sorted(int(re.search(r"\d+", path.stem)[0]) for path in folder.glob("weft-*.json"))
    for ranks in counts:
        weft, peers = report(folder, ranks)
        if len(sys.argv) > 2:
            plot(pathlib.Path(sys.argv[2]), ranks, weft, peers)


main()
