#!/usr/bin/python3
"""Plots time against size for every candidate in a table of weft-tune: one picture per number of members, with a panel
per operation."""

import argparse
import collections
import pathlib
import sys

NAME = pathlib.Path(sys.argv[0]).stem


def read(path):
    """(operation, members) -> candidate -> [(bytes, ns)]"""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        sys.exit(f"{NAME}: cannot read {path}: {getattr(error, 'strerror', None) or 'it is no text'}")
    if len(lines) < 3 or not lines[0].startswith("weft-tune "):
        sys.exit(f"{NAME}: {path} is no table of weft-tune")
    if lines[0] != "weft-tune 1":
        sys.exit(f"{NAME}: {path} is a table of another version, '{lines[0]}'; this program reads 'weft-tune 1'")
    curves = collections.defaultdict(lambda: collections.defaultdict(list))
    if not lines[-1].startswith("end "):
        sys.exit(f"{NAME}: {path} was cut off: its last line is not 'end N'")
    for number, line in enumerate(lines[2:-1], 3):
        if not line or line.startswith("#"):
            continue
        try:
            operation, members, size, algorithm, radix, segment, ns = line.split()
            members, size, ns = int(members), int(size), float(ns)
        except ValueError:
            sys.exit(f"{NAME}: {path}, line {number}: not: operation members bytes algorithm radix segment ns")
        name = algorithm + (f":{radix}" if radix != "0" else "") + (f":{segment}" if segment != "0" else "")
        curves[operation, members][name].append((size, ns))
    return lines[1].removeprefix("machine "), curves


def draw(machine, curves, folder):
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"{NAME}: needs matplotlib (Debian: python3-matplotlib)")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    for members in sorted({members for _, members in curves}):
        operations = [operation for operation, n in curves if n == members]
        rows = -(-len(operations) // 3)
        figure, panels = plt.subplots(rows, 3, figsize=(18, 6 * rows), squeeze=False)
        for axes in panels.flat[len(operations):]:
            axes.set_axis_off()
        for axes, operation in zip(panels.flat, operations):
            for name, points in sorted(curves[operation, members].items()):
                axes.plot(*zip(*sorted(points)), marker=".", label=name)
            sized = any(size > 0 for points in curves[operation, members].values() for size, _ in points)
            axes.set(xscale="log" if sized else "linear", yscale="log", xlabel="bytes", ylabel="ns",
                     title=f"{operation}, {members} ranks, {machine}")
            axes.legend(fontsize="x-small")
            axes.grid(alpha=0.3)
        figure.tight_layout()
        picture = folder / f"tune-{members}.svg"
        try:
            figure.savefig(picture)
        except OSError as error:
            sys.exit(f"{NAME}: cannot write {picture}: {error.strerror}")
        print(f"{NAME}: wrote {picture}")
        plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", action="version", version=f"{NAME} (Weft) @WEFT_VERSION@",
                        help="print the version")
    parser.add_argument("table", type=pathlib.Path, help="a table of weft-tune")
    parser.add_argument("folder", type=pathlib.Path, help="where to draw; it is made if it is not there")
    options = parser.parse_args()
    machine, curves = read(options.table)
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.exit(f"{NAME}: cannot make the folder {options.folder}: {error.strerror}")
    draw(machine, curves, options.folder)


if __name__ == "__main__":
    main()
