#!/usr/bin/python3
"""Runs each kernel as the obvious UPC program, as one rewritten by hand, and in MPI (plain C where a loop stays in its
thread's own memory), on one host and on two hosts of an emulated cluster, and shows the ratios beside their goals: a
table here, JSON and a plot in BUILD/bench. Hosts need root (docs/LAB.md). --programs: whole programs, those of
examples/upc, in the place of kernels.

A round runs all programs in turns in each place. A time is the median of the rounds, in ns per element; a ratio is the
median of the rounds' ratios. Within a program the obvious version and the one by hand take turns, too, and the fastest
counts. All versions must leave the same checksum: if not, the run ends with exit status 1 and the word "wrong"."""
import argparse
import collections
import json
import pathlib
import re
import statistics
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent.parent))
# pylint: disable=wrong-import-position
from measuring import Hosts, give_up, need_folder_of, need_programs, read_report, report_of

Suite = collections.namedtuple("Suite", "benchmark programs cached twin output title")
KERNELS = Suite(
    "upc_hosts",
    tuple(f"upc-hosts-{group}" for group in ("own-memory", "blocks", "stencils", "layouts", "irregular", "reads")),
    "upc-hosts-reads",  # runs without the cache of reads, too
    "upc-hosts-mpi", "upc-hosts", "UPC kernels, 2 threads")
PROGRAMS = Suite(
    "upc_programs",
    tuple(f"upc-programs-{name}" for name in ("gups", "heat", "histogram", "matvec", "cg-s", "cg-w", "is-s", "is-w")),
    None, "upc-programs-mpi", "upc-programs", "UPC programs, 2 threads")
RANKS = 2
LIMIT_S = 300
REFERENCES = {"hand": "by hand", "mpi": "MPI", "c": "C", "one_host": "one host", "before": "before",
              "uncached": "UPC_CACHE=0"}
# Goals: pattern of names, number of hosts, what a time is at most, as factors of references or ("ns") in nanoseconds.
PROGRAM_GOALS = ((r"", 1, {"hand": 1.3}), (r"", 2, {"hand": 1.3}), (r"", 1, {"before": 1.02}))
GOALS = (
    (r"own_\D*(_16384)?$", 2, {"one_host": 1.1, "c": 1.2}),
    (r"block_|stencil_|cyclic_sum|copy_", 2, {"hand": 1.2, "mpi": 2.0}),
    (r"transpose|matvec|column", 2, {"hand": 1.5}),
    (r"gather|scatter", 2, {"hand": 2.0, "hand_ns": 20}),
    (r"update|histogram", 2, {"ns": 150}),
    (r"members|list", 2, {"hand": 1.2}),
    (r"own_.*_(quotient|continue|threadof)(_16384)?$", 1, {"c": 1.2}),
    (r"reads_random", 2, {"uncached": 1.15}),
    (r"reads_(in_order|again)", 2, {"uncached": 0.05}),
    (r"", 1, {"before": 1.02}),
)


def twin_of(name):
    """The result of the twin that stands for this kernel: some kernels are one loop, or one message, there."""
    return re.sub(r"^(own|copy)_\D*?(_\d+)?$", r"\1\2", name)


class Place(Hosts):
    """Where the programs run, and how they are started there."""

    def __init__(self, suite, build, rate, quick):
        """`rate`: of the links between two hosts, or None for one host."""
        super().__init__(build, 1 if rate is None else 2, None if rate == "unlimited" else rate)
        self.title = "one host" if rate is None else f"two hosts, {rate}"
        self.suite, self.link = suite, rate
        self.arguments = ["--quick"] if quick else []
        self.bound = self.processors >= RANKS

    def results(self):
        """name -> result, of one round: those of the UPC programs, and those of the twin."""
        bind = ["--bind"] if self.bound else []
        upcrun = [*self.launcher(self.bin / "upcrun", "run"), "-n", RANKS, *bind]
        found = [self.run(upcrun, name) for name in self.suite.programs]
        bind = ["--oversubscribe", "--bind-to", "core" if self.bound else "none"] if self.hosts == 1 else []
        twins = self.run([*self.launcher("mpirun.openmpi", "mpirun"), "-n", RANKS, *bind], self.suite.twin)
        cached = self.suite.cached if self.hosts > 1 else None
        uncached = self.run(upcrun, cached, UPC_CACHE="0") if cached else {}
        upc = {name: result for part in found for name, result in part.items()}
        for name, result in uncached.items():
            upc[name]["uncached"] = result["value"]
        return upc, twins

    def run(self, launcher, program, **environment):
        report = report_of([*launcher, self.bin / program, *self.arguments], LIMIT_S,
                           {**(self.environment or {}), **environment})
        return {result["name"]: result for result in report["results"]}


def measure(place, rounds):
    """One round after the other: the results of each."""
    found = []
    with place:
        for number in range(1, rounds + 1):
            print(f"{place.title}: round {number} of {rounds}", file=sys.stderr, flush=True)
            upc, twins = place.results()
            check(upc, twins, place)
            found.append((upc, twins))
    return found


def check(upc, twins, place):
    """Gives up unless all versions of each kernel have computed the same."""
    for name, result in upc.items():
        if twin_of(name) not in twins:
            give_up(f"{place.suite.twin} reports nothing of {name} (as {twin_of(name)})")
        if result["checksum"] != twins[twin_of(name)]["checksum"]:
            give_up(f"{name} on {place.title}: wrong: UPC leaves checksum {result['checksum']}, MPI or C "
                    f"{twins[twin_of(name)]['checksum']}")


def rows_of(rounds, place, references):
    """One row per kernel. `references`: further times of the rows, by what they are, by name."""
    rows = []
    for name in rounds[0][0]:
        naive = [upc[name]["value"] for upc, _ in rounds]
        versions = {"hand": [upc[name].number("limit") for upc, _ in rounds],
                    "c" if name.startswith("own_") else "mpi": [twins[twin_of(name)]["value"] for _, twins in rounds]}
        if "uncached" in rounds[0][0][name]:
            versions["uncached"] = [upc[name]["uncached"] for upc, _ in rounds]
        row = {"name": name, "elements": rounds[0][0][name]["size_bytes"] // 8, "unit": "ns",
               "naive": statistics.median(naive),
               **{what: statistics.median(all_of) for what, all_of in versions.items()},
               "ratios": {what: statistics.median(a / b for a, b in zip(naive, all_of))
                          for what, all_of in versions.items()}}
        for what, times in references.items():
            if name in times:
                row["ratios"][what] = row["naive"] / times[name]
        row["goals"] = goals_of(row, place)
        rows.append(row)
    return rows


def goals_of(row, place):
    reached = {**row["ratios"], "ns": row["naive"], "hand_ns": row["hand"]}
    return [{"to": what, "at_most": at_most, "value": reached[what], "met": reached[what] <= at_most}
            for pattern, hosts, goals in (GOALS if place.suite is KERNELS else PROGRAM_GOALS)
            if hosts == place.hosts and re.match(pattern, row["name"])
            for what, at_most in goals.items() if what in reached]


def goal_text(goal):
    value = f"{goal['value']:.2f}" if goal["value"] < 100 else f"{goal['value']:,.0f}"
    if goal["to"].endswith("ns"):
        return f"{'by hand ' if goal['to'] == 'hand_ns' else ''}{value} of {goal['at_most']} ns"
    return f"{REFERENCES[goal['to']]} {value} of {goal['at_most']}"


def print_table(title, rows, rounds):
    print(f"\n{title}: ns per element, median of {rounds}")
    print(f"{'':22}{'elements':>9}{'naive':>11}{'by hand':>10}{'MPI or C':>10}{'naive/hand':>12}{'naive/MPI':>11}"
          f"   met   goals: value of at most")
    for row in rows:
        peer = "c" if "c" in row else "mpi"
        met = "" if not row["goals"] else "yes" if all(goal["met"] for goal in row["goals"]) else "NO"
        print(f"{row['name']:22}{row['elements']:9}{row['naive']:11.2f}{row['hand']:10.2f}{row[peer]:10.2f}"
              f"{row['ratios']['hand']:12.2f}{row['ratios'][peer]:11.2f}   {met:5} "
              f"{', '.join(goal_text(goal) for goal in row['goals'])}")


def print_starts(title, rows):
    """What loops over a thread's own elements take to start, and for an element then."""
    times = {row["name"]: row for row in rows}
    versions = ("naive", "hand", "c")
    print(f"\n{title}: ns of a call with 64 elements, which is its start, and of an element of 16,384")
    print(f"{'':22}" + "".join(f"{REFERENCES.get(version, version):>10}" for version in versions * 2))
    for name in times:
        if f"{name}_64" not in times:
            continue
        few, many = times[f"{name}_64"], times[f"{name}_16384"]
        print(f"{name:22}" + "".join(f"{few[version] * few['elements']:10.1f}" for version in versions)
              + "".join(f"{many[version]:10.3f}" for version in versions))


def draw(cases, title, path):
    """For each place the three times of each kernel on a logarithmic axis."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    versions = (("naive", ("naive",), "o", "#c02020"), ("by hand", ("hand",), "s", "#1f5fa8"),
                ("MPI, or C for own memory", ("mpi", "c"), "D", "#d9822b"))
    names = [row["name"] for row in cases[0]["results"]]
    figure, panels = pyplot.subplots(1, len(cases), figsize=(2.2 + 4 * len(cases), 1.6 + 0.24 * len(names)),
                                     sharey=True, layout="constrained", squeeze=False)
    for axes, case in zip(panels[0], cases):
        rows = case["results"]
        for place, row in enumerate(rows):
            axes.plot([row["naive"], row["hand"]], [place, place], color="#c9c9c9", linewidth=2, zorder=1)
        for label, keys, mark, colour in versions:
            times = [next(row[key] for key in keys if key in row) for row in rows]
            axes.scatter(times, range(len(rows)), 26, color=colour, marker=mark, label=label, zorder=2)
        goals = [(min(wanted), place) for place, row in enumerate(rows) if (wanted := [
            row["naive"] * goal["at_most"] / goal["value"] for goal in row["goals"] if goal["to"] != "hand_ns"])]
        axes.scatter(*zip(*goals), 90, color="#2a7d2a", marker="|", label="goal of the naive version", zorder=3)
        axes.set_xscale("log")
        axes.grid(axis="x", color="#e4e4e4", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.set_title(case["title"], loc="left", fontsize=10)
        axes.set_xlabel("ns per element")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0][0].set_yticks(range(len(names)), names, fontsize=8.5)
    panels[0][0].invert_yaxis()
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="upper right", ncol=4, frameon=False, fontsize=9)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    for kind in ("svg", "png"):
        figure.savefig(f"{path}.{kind}", dpi=130, **({"metadata": {"Date": None}} if kind == "svg" else {}))
        print(f"wrote {path}.{kind}")


def options_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build folder")
    parser.add_argument("--programs", action="store_true", help="programs of examples/upc, not kernels")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    parser.add_argument("--link", nargs="*", default=["unlimited", "1gbit"], metavar="RATE",
                        help="rates of the link between two hosts (default: unlimited 1gbit); none: one host only")
    parser.add_argument("--before", type=pathlib.Path, metavar="JSON",
                        help="an earlier report of this script: the goal on one host is not to be slower than it")
    parser.add_argument("--quick", action="store_true", help="short runs: shows that it works, measures nothing")
    parser.add_argument("--no-plots", action="store_true", help="table and JSON only")
    parser.add_argument("--output", help="where to write: with .json, .svg and .png added (default: "
                        "BUILD/bench/upc-hosts, or upc-programs)")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    return options


def times_before(path):
    """Times of the obvious programs on one host in an earlier report, by name."""
    cases = read_report(path, "bench/upc/hosts/report.py", "cases")["cases"]
    return {row["name"]: row.number("naive") for case in cases if case["hosts"] == 1 for row in case["results"]}


def main():
    options = options_of()
    suite = PROGRAMS if options.programs else KERNELS
    need_programs(options.build, "upcrun", *suite.programs, suite.twin, *(["lab"] if options.link else []))
    if options.output is None:
        (options.build / "bench").mkdir(exist_ok=True)
    output = options.output or options.build / "bench" / suite.output
    need_folder_of(output)
    references = {"before": times_before(options.before)} if options.before else {}
    cases = []
    for rate in (None, *options.link):
        place = Place(suite, options.build, rate, options.quick)
        rows = rows_of(measure(place, options.rounds), place, references)
        if rate is None:
            references = {"one_host": {row["name"]: row["naive"] for row in rows}}
        print_table(place.title, rows, options.rounds)
        if suite is KERNELS:
            print_starts(place.title, rows)
        cases.append({"title": place.title, "hosts": place.hosts, "link": rate, "ranks": RANKS, "results": rows})
    path = f"{output}.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"benchmark": suite.benchmark, "rounds": options.rounds, "cases": cases}, file, indent=1)
        file.write("\n")
    print(f"\nwrote {path}")
    if not options.no_plots:
        draw(cases, suite.title, output)


if __name__ == "__main__":
    main()
