#!/usr/bin/python3
"""Plots time against size for every candidate in a table of weft-tune: plot.py TABLE FOLDER. One picture per number of members,
with a panel per operation."""

import collections
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def read(path):
    """(operation, members) -> candidate -> [(bytes, ns)]"""
    lines = pathlib.Path(path).read_text().splitlines()
    if not lines or lines[0] != "weft-tune 1":
        sys.exit(f"{path} is no table of weft-tune")
    curves = collections.defaultdict(lambda: collections.defaultdict(list))
    if not lines[-1].startswith("end "):
        sys.exit(f"{path} was cut off: its last line is not 'end N'")
    for line in lines[2:-1]:
        if not line or line.startswith("#"):
            continue
        operation, members, size, algorithm, radix, segment, ns = line.split()
        name = algorithm + (f":{radix}" if radix != "0" else "") + (f":{segment}" if segment != "0" else "")
        curves[operation, int(members)][name].append((int(size), float(ns)))
    return lines[1].removeprefix("machine "), curves


def main():
    table, folder = sys.argv[1:]
    machine, curves = read(table)
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for members in sorted({members for _, members in curves}):
        operations = [operation for operation, n in curves if n == members]
        rows = -(-len(operations) // 3)
        figure, panels = plt.subplots(rows, 3, figsize=(18, 6 * rows), squeeze=False)
        for axes in panels.flat[len(operations):]:
            axes.set_axis_off()
        for axes, operation in zip(panels.flat, operations):
            for name, points in sorted(curves[operation, members].items()):
                axes.plot(*zip(*sorted(points)), marker=".", label=name)
            axes.set(xscale="log", yscale="log", xlabel="bytes", ylabel="ns", title=f"{operation}, {members} ranks, {machine}")
            axes.legend(fontsize="x-small")
            axes.grid(alpha=0.3)
        figure.tight_layout()
        figure.savefig(out / f"tune-{members}.svg")
        plt.close(figure)

main()
