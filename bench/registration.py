#!/usr/bin/python3
"""Runs weft-bench registration with and without the cache of registrations, and plots what a put from memory outside
the segment takes over one from the segment, in the same run, by size and number of puts under way: JSON and pictures in
BUILD/bench.

The job is started by weftrun on this host over libfabric, which registers memory with the network for the purpose."""
import argparse
import os
import pathlib
import shlex

from measuring import by_key, need_programs, report_of

CASES = {"cached": {}, "registered each time": {"WEFT_PIN_LIMIT": "0"}}
COLOURS = dict(zip(CASES, ("#1f5fa8", "#b5472f")))
WINDOWS = (1, 4, 16)
RUN_LIMIT_S = 120


def run(launcher, build, settings, path, options):
    """Results by (name, size): a put from outside, and as its limit one from the segment."""
    command = [*launcher, "-n", 2, build / "bin" / "weft-bench", "registration", "--repetitions", options.repetitions,
               "--max-size", options.max_size]
    environment = {"WEFT_REGISTER_LOCAL": "1", "WEFT_CONDUIT": os.environ.get("WEFT_CONDUIT", "ofi"), **settings}
    return by_key(report_of(command, RUN_LIMIT_S, environment, path=path))


def ratio(result):
    return result["value"] / result.number("limit")


def table(found):
    for window in WINDOWS:
        print(f"\n{window} put{'s' if window > 1 else ''} at a time: "
              "microseconds of one from outside, times one from the segment")
        print(f"{'size':>10}" + "".join(f"{case:>26}" for case in CASES))
        name = f"outside_w{window}"
        for size in sorted(size for found_name, size in next(iter(found.values())) if found_name == name):
            results = [found[case][(name, size)] for case in CASES]
            print(f"{size:>10}" + "".join(f"{result['value'] / 1e3:>18.1f} ({ratio(result):.2f})"
                                          for result in results))


def plot(found, folder):
    import matplotlib
    matplotlib.use("Agg")  # no display needed
    import matplotlib.pyplot as plt
    matplotlib.rcParams["svg.hashsalt"] = "weft"

    figure, panels = plt.subplots(1, len(WINDOWS), figsize=(13, 4), sharey=True)
    for axes, window in zip(panels, WINDOWS):
        for case in CASES:
            points = sorted((size, ratio(result))
                            for (name, size), result in found[case].items() if name == f"outside_w{window}")
            axes.plot([size for size, _ in points], [value for _, value in points], "o-", color=COLOURS[case],
                      label=case, markersize=3)
        axes.set_xscale("log", base=2)
        axes.axhline(1, color="#7a7a7a")
        axes.set_title(f"{window} at a time", loc="left")
        axes.grid(True, color="#e4e4e4")
    panels[0].legend(frameon=False)
    panels[0].set_ylabel("times a put from the segment")
    figure.supxlabel("size of a put, bytes")
    figure.tight_layout()
    figure.savefig(folder / "registration.svg", metadata={"Date": None})
    print(f"wrote {folder / 'registration.svg'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build folder")
    parser.add_argument("--repetitions", type=int, default=9, help="blocks of each measurement")
    parser.add_argument("--max-size", type=int, default=1 << 20, help="largest put in bytes")
    options = parser.parse_args()
    need_programs(options.build, "weft-bench", "weftrun")
    build = options.build.absolute()
    launcher = shlex.split(os.environ.get("LAUNCHER", f"{build}/bin/weftrun --bind"))
    folder = build / "bench"
    folder.mkdir(exist_ok=True)
    found = {case: run(launcher, build, settings, folder / f"registration-{i}.json", options)
             for i, (case, settings) in enumerate(CASES.items())}
    table(found)
    plot(found, folder)


if __name__ == "__main__":
    main()
