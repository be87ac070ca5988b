"""The pictures: one SVG and one PNG of each figure."""

import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from plots import STYLE, bars, size_axis, size_text
import matplotlib.pyplot as plt  # after plots, which says that there is no display
from matplotlib.ticker import LogLocator, NullFormatter

# Colour-blind people tell these apart. The paper's points are hollow and dashed, what is measured here is dotted.
COLOURS = ("#1f5fa8", "#d9822b", "#4f9d57", "#a23b72", "#6b6b6b", "#c8b400", "#17a2b8", "#8c5a3c", "#333333", "#e377c2")
LOOKS = {"simulated": {"linestyle": "-", "marker": "o"},
         "measured": {"linestyle": ":", "marker": "s"},
         "paper": {"linestyle": "--", "marker": "D", "markerfacecolor": "none", "markersize": 8, "zorder": 5}}


def colours_of(series):
    """A colour for each; what differs only in its origin, after the last comma of its label, has the same one."""
    names = [each.label.rpartition(", ")[0] for each in series]
    known = list(dict.fromkeys(names))
    return {each.label: COLOURS[known.index(name) % len(COLOURS)] for each, name in zip(series, names)}


def draw_lines(axes, figure, series, data):
    colours = colours_of(series)
    for each in series:
        points = sorted(dict.items(data[each.label]))
        axes.plot([x for x, _ in points], [y for _, y in points], color=colours[each.label], label=each.label,
                  **{"markersize": 4.5, "linewidth": 1.6, **LOOKS[each.kind]})
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    if figure.x == "bytes":
        size_axis(axes, 1)
    else:
        axes.set_xscale("log", base=2)
        ticks = sorted({x for each in series for x in data[each.label]})
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()


def draw_bars(axes, figure, series, data):
    groups = list(dict.fromkeys(x for each in series for x in data[each.label]))
    colours = colours_of(series)
    bars(axes, [size_text(group) if figure.x == "bytes" else str(group) for group in groups],
         [(each.label, colours[each.label], [data[each.label].get(group) for group in groups]) for each in series],
         lambda value: f"{value:.3g}")


def draw(figure, data, folder):
    """Draws what there is of the figure's series, into files of its name; False if there is nothing."""
    series = [each for each in figure.series if each.label in data]
    if figure.chart == "none" or not series:
        return False
    with plt.rc_context(STYLE):
        picture, axes = plt.subplots(figsize=(8.6, 4.8), layout="constrained")
        {"lines": draw_lines, "bars": draw_bars}[figure.chart](axes, figure, series, data)
        axes.set_xlabel("message size" if figure.x == "bytes" else figure.x)
        axes.set_ylabel(figure.y)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.02), ncols=2, fontsize=8.5)
        for kind in ("svg", "png"):
            picture.savefig(folder / f"{figure.name}.{kind}", dpi=120)
        plt.close(picture)
    return True
