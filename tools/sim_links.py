#!/usr/bin/python3
"""Draws how busy the links of a simulated network were: a heat map per group of links (a direction of a torus, a level
of a tree) and one of the nodes' interfaces.

  weft-sim exchange bgp -n 1024 --bytes 4K --links links.json
  weft-sim-links links.json links.png
"""

import argparse
import json
import math
import pathlib
import sys

NAME = pathlib.Path(sys.argv[0]).stem


def give_up(text):
    sys.exit(f"{NAME}: {text}")


def there(used):
    """Past the edges of a mesh there are no links."""
    return [value for value in used if value is not None]


def checked_group(path, place, group):
    """The group's name, shape and utilisation, if they are what they should be."""
    try:
        name, shape, used = group["name"], group["shape"], group["utilisation"]
        fits = isinstance(name, str) and math.prod(shape) == len(used) and all(0 <= value <= 1.001
                                                                               for value in there(used))
    except (KeyError, TypeError):
        fits = False
    if not fits or not shape:
        give_up(f"{path}: {place}: a group needs a name, a shape, and a utilisation from 0 to 1 for each of its links "
                "(null: there is none)")
    return name, shape, used


def read(path):
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        give_up(f"cannot read {path}: {getattr(error, 'strerror', None) or f'it is no JSON: {error}'}")
    if not isinstance(data, dict) or not all(isinstance(data.get(key), list) for key in ("links", "interfaces")):
        give_up(f"{path}: there are no links and interfaces; is it what --links wrote?")
    groups = [checked_group(path, key, group) for key in ("links", "interfaces") for group in data[key]]
    groups = [group for group in groups if there(group[2])]
    return str(data.get("network", "")), float(data.get("seconds", 0)), groups


def beside_each_other(blocks, across):
    """One image of the blocks, so many in a row, and how many rows and columns a block has."""
    import numpy
    _, rows, columns = blocks.shape
    missing = numpy.full((-len(blocks) % across, rows, columns), numpy.nan)
    blocks = numpy.concatenate([blocks, missing])
    image_rows = [numpy.hstack(list(blocks[i:i + across])) for i in range(0, len(blocks), across)]
    return numpy.vstack(image_rows), (rows, columns)


def as_image(shape, used):
    """An image and the size of its blocks. Of a torus the last dimension runs to the right, the one before down, and
    the others number the blocks; of many links in a row, and of many switches with few links each, a block is a part of
    them."""
    import numpy
    values = numpy.array(used, dtype=float)
    if shape[1:] in ([], [1]):
        across = math.ceil(math.sqrt(len(used)))
        filled = numpy.append(values, numpy.full(-len(used) % across, numpy.nan))
        return beside_each_other(filled.reshape(1, -1, across), 1)
    if len(shape) == 2:
        across = max(1, math.ceil(math.sqrt(shape[0] / shape[1] / 2)))
        values = numpy.append(values.reshape(shape), numpy.full((-shape[0] % across, shape[1]), numpy.nan), axis=0)
        return beside_each_other(values.reshape(across, -1, shape[1]), across)
    return beside_each_other(values.reshape(-1, *shape[-2:]), math.ceil(math.sqrt(math.prod(shape[:-1]) / shape[-1])))


def draw(network, seconds, groups, output):
    try:
        import matplotlib
    except ImportError:
        give_up("needs matplotlib (Debian: python3-matplotlib)")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib import ticker
    across = 3 if len(groups) > 4 else 2
    down = -(-len(groups) // across)
    figure, panels = plt.subplots(down, across, figsize=(4.6 * across, 4.1 * down), squeeze=False, layout="constrained")
    for axes in panels.flat:
        axes.set_axis_off()
    colours = matplotlib.colormaps["inferno"].with_extremes(bad="#e8e8e8")
    most = max((max(there(used)) for _, _, used in groups), default=0) or 1
    for axes, (name, shape, used) in zip(panels.flat, groups):
        image, block = as_image(shape, used)
        shown = axes.imshow(image, cmap=colours, vmin=0, vmax=most, aspect="auto", interpolation="nearest")
        for at in range(block[0], image.shape[0], block[0]):
            axes.axhline(at - 0.5, color="white", linewidth=0.8)
        for at in range(block[1], image.shape[1], block[1]):
            axes.axvline(at - 0.5, color="white", linewidth=0.8)
        sizes = " x ".join(str(size) for size in shape)
        links = there(used)
        mean, highest = 100 * sum(links) / len(links), 100 * max(links)
        axes.set_title(f"{name}: {sizes}, mean {mean:.3g} %, most {highest:.3g} %", fontsize=9)
    figure.colorbar(shown, ax=panels, label="part of the time that a link was taken", shrink=0.6,
                    format=ticker.PercentFormatter(1))
    figure.suptitle(f"{network}\nsimulated: {seconds:.4g} s", fontsize=10)
    try:
        figure.savefig(output, dpi=110)
    except (OSError, ValueError) as error:
        give_up(f"cannot write {output}: {getattr(error, 'strerror', None) or error}")


def main():
    parser = argparse.ArgumentParser(prog=NAME, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"{NAME} (Weft) @WEFT_VERSION@",
                        help="print the version")
    parser.add_argument("links", type=pathlib.Path, help="what --links wrote")
    parser.add_argument("picture", type=pathlib.Path, help="the picture to write, *.png or *.svg")
    arguments = parser.parse_args()
    if not arguments.picture.suffix:  # matplotlib would write another file
        give_up(f"{arguments.picture}: the name of a picture ends in .png, .svg or .pdf")
    network, seconds, groups = read(arguments.links)
    draw(network, seconds, groups, arguments.picture)


if __name__ == "__main__":
    main()
