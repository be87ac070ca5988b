"""Tables and pictures of ft_sweep.py's measurements. As a program: prints and draws again what was measured."""

import argparse
import pathlib
import statistics
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from measuring import first_of, need_folder_of, read_report

COLOURS = {"Weft": "#0b6e99", "UPC": "#4aa3c7", "Open MPI": "#c8793a", "MPICH": "#e0a872",
           "FFTW's MPI transform": "#7a7a7a"}
STYLES = {"pencils": ":", "slabs": "-", "exchange": "--", "fftw": "-."}
PHASES = {"local_fft": ("local FFT", "#2d4a5c"), "other": ("evolve, set-up, checksum", "#8da2ad"),
          "communication": ("starting messages", "#c8793a"), "completion": ("completing messages", "#e8b98a"),
          "barrier": ("barrier", "#c9c9c9")}


def bound(point):
    return max(point["computation_s"], point["wire_s"])


def best(point, *groups, variants=None):
    """The fastest row of these groups."""
    rows = [row for row in point["results"] if row["group"] in groups and (not variants or row["variant"] in variants)]
    rows.sort(key=lambda row: row["seconds_per_transform"])
    return first_of(rows, place(point), f"result of {' or '.join(variants or groups)}")


def labelled(point, label):
    return first_of((row for row in point["results"] if row["label"] == label), place(point), f"result \"{label}\"")


def place(point):
    return f"class {point['class']} at {point['rate']}"


def print_table(point):
    print(f"\nNAS FT class {point['class']}, {point['hosts']} hosts, link {point['rate']} (raw TCP "
          f"{point['goodput_bytes_per_s'] * 8e-9:.2f} Gbit/s): computation alone "
          f"{1e3 * point['computation_s']:.1f} ms, wire alone {1e3 * point['wire_s']:.1f} ms")
    print(f"{'':24}{'transform':>12}{'over bound':>12}{'starting':>11}{'completing':>12}{'verified':>10}")
    for row in point["results"]:
        phases, total = row["phases"], row["seconds"]
        share = [f"{100 * phases[name] / total:.0f} %" if phases[name] is not None else "-"
                 for name in ("communication", "completion")]
        seconds, verified = row["seconds_per_transform"], {True: "yes", False: "NO", None: "no ref."}[row["verified"]]
        print(f"{row['label']:24}{1e3 * seconds:9.1f} ms{seconds / bound(point):11.2f}x{share[0]:>11}{share[1]:>12}"
              f"{verified:>10}")
    sys.stdout.flush()


def comparisons(point):
    """The ratios that the goals speak of."""
    one, two, fftw = best(point, "one-sided"), best(point, "two-sided"), best(point, "FFTW")
    exchange = best(point, "two-sided", variants=("exchange",))
    overlap = best(point, "one-sided", variants=("slabs", "pencils"))

    def seconds(row):
        return row["seconds_per_transform"]
    return {"best_one_sided": one["label"], "best_two_sided": two["label"], "over_bound": seconds(one) / bound(point),
            "fftw_over_one_sided": seconds(fftw) / seconds(one),
            "exchange_over_one_sided_overlap": seconds(exchange) / seconds(overlap),
            "two_sided_over_one_sided": seconds(two) / seconds(one)}


def print_summary(results):
    print(f"\n{'class, hosts, link':24}{'best one-sided':>18}{'over bound':>12}{'FFTW-MPI':>10}{'exchange':>10}"
          f"{'two-sided':>11}   (times of these over the best one-sided)")
    for point in results:
        c = comparisons(point)
        print(f"{point['class'] + ', ' + str(point['hosts']) + ', ' + point['rate']:24}{c['best_one_sided']:>18}"
              f"{c['over_bound']:11.2f}x{c['fftw_over_one_sided']:9.2f}x{c['exchange_over_one_sided_overlap']:9.2f}x"
              f"{c['two_sided_over_one_sided']:10.2f}x   two-sided: {c['best_two_sided']}")
    print("mean of best two-sided over best one-sided: "
          f"{statistics.mean(comparisons(p)['two_sided_over_one_sided'] for p in results):.2f}")


def draw(results, output):
    """One picture per class: time against rate with the bounds, and where the time goes at each rate."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    matplotlib.rcParams["svg.hashsalt"] = "weft"
    for class_name in dict.fromkeys(point["class"] for point in results):
        points = [point for point in results if point["class"] == class_name]
        figure, (left, right) = pyplot.subplots(1, 2, figsize=(12.5, 5.6), width_ratios=(1.25, 1), layout="constrained")
        draw_times(left, points)
        draw_phases(right, points)
        figure.savefig(f"{output}-{class_name}.svg", metadata={"Date": None})
        pyplot.close(figure)
        print(f"Written: {output}-{class_name}.svg")


def draw_times(axes, points):
    places = range(len(points))
    for label in [row["label"] for row in points[0]["results"]]:
        rows = [labelled(point, label) for point in points]
        library = label.split(",")[0]
        axes.plot(places, [1e3 * row["seconds_per_transform"] for row in rows], STYLES.get(rows[0]["variant"], "-"),
                  color=COLOURS.get(library, "black"), marker="o", markersize=3.5, linewidth=1.4, label=label)
    axes.plot(places, [1e3 * point["wire_s"] for point in points], color="black", linewidth=2.4, alpha=0.75,
              label="wire alone")
    axes.plot(places, [1e3 * point["computation_s"] for point in points], color="black", linewidth=2.4, alpha=0.3,
              label="computation alone")
    axes.set_yscale("log")
    axes.set_xticks(list(places), [point["rate"] for point in points])
    axes.set_ylabel("milliseconds per transform")
    axes.set_title(f"NAS FT class {points[0]['class']}, {points[0]['hosts']} hosts: one transform", loc="left",
                   fontsize=11)
    axes.legend(fontsize=7.5, ncols=2, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def draw_phases(axes, points):
    there = {row["label"] for row in points[0]["results"]}
    labels = [label for label in ("Weft, pencils", "Weft, slabs", "Weft, exchange", "Open MPI, slabs",
                                  "Open MPI, exchange") if label in there]
    names = []
    for i, point in enumerate(points):
        for j, label in enumerate(labels):
            row = labelled(point, label)
            place = i * (len(labels) + 1) + j
            names.append((place, f"{label}, {point['rate']}"))
            begin = 0.0
            for name, (_, colour) in PHASES.items():
                share = row["phases"].number(name) / row["seconds"]
                axes.barh(place, share, left=begin, color=colour, height=0.8, linewidth=0)
                begin += share
    axes.set_yticks([place for place, _ in names], [name for _, name in names], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the benchmark's time")
    axes.set_title("where the time goes", loc="left", fontsize=11)
    handles = [axes.barh(0, 0, color=colour, label=label) for label, colour in PHASES.values()]
    axes.legend(handles=handles, fontsize=7.5, ncols=3, frameon=False, loc="lower center", bbox_to_anchor=(0.4, -0.22))
    axes.spines[["top", "right"]].set_visible(False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="the JSON that ft_sweep.py has written")
    parser.add_argument("output", help="where to draw, without -CLASS.svg")
    options = parser.parse_args()
    report = read_report(options.file, "ft_sweep.py", "sweep")
    need_folder_of(options.output)
    results = report["sweep"]
    first_of(results, options.file, "measurements")
    for point in results:
        print_table(point)
    print_summary(results)
    draw(results, options.output)


if __name__ == "__main__":
    main()
