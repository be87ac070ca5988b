#!/usr/bin/python3
"""Runs weft-bench and its MPI peers in turn, several times, and shows them side by side: tables here, JSON and plots in
BUILD/bench. `make bench` calls it.

Values are medians of the runs; a ratio is the median of ratios within one run. The programs take turns after every
benchmark. What crosses between two cores depends on which cores they are, and the host of a virtual machine moves those
at will: of such benchmarks only the runs count in which one cache line took about the same time there and back."""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import time

from measuring import OPEN_MPI_AS_ROOT, Record, by_key, first_of, need_programs, report_of

BENCHMARKS = ("latency", "bandwidth", "rate", "am", "barrier", "atomic", "signal")
CROSSING = ("am", "barrier", "signal")
SAME_CORES = 1.4                # round trips that differ by less than this factor come from the same kind of cores
OVERSUBSCRIBED = (3, 4, 8)      # ranks of the barrier on whatever processors there are
REPETITIONS = 11                # blocks of each loop in one run; there are several runs
RUN_LIMIT_S = 120


class Program:
    """One of the programs that are compared, and how its launcher serves it best on one host."""

    def __init__(self, key, title, binary, launcher, bound, crowded=()):
        self.key = key
        self.title = title
        self.binary = binary
        self.launcher = launcher
        self.bound = bound      # options for a core per rank
        self.crowded = crowded  # options for more ranks than cores
        self.reports = {}   # benchmark -> its report of each run
        self.merged = Record({}, f"what {title} reported")  # (name, size) -> result
        self.round_trips = {}  # benchmark -> median of those that count, in ns
        self.barriers = {}  # ranks -> median ns

    def available(self):
        return self.binary.exists() and shutil.which(self.launcher) is not None

    def run(self, benchmark, ranks, path, quick):
        placement = self.bound if ranks <= len(os.sched_getaffinity(0)) else self.crowded
        command = [self.launcher, *placement, "-n", ranks, self.binary, benchmark, "--repetitions", REPETITIONS,
                   *(["--quick"] if quick else [])]
        return report_of(command, RUN_LIMIT_S, OPEN_MPI_AS_ROOT, path=path)


def programs_of(build):
    binaries = build / "bin"
    return [
        Program("weft", "Weft", binaries / "weft-bench", str(binaries / "weftrun"), ["--bind"]),
        Program("openmpi", "Open MPI", binaries / "weft-bench-mpi", "mpirun.openmpi", ["--bind-to", "core"],
                ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]),
        Program("mpich", "MPICH", binaries / "weft-bench-mpich", "mpiexec.mpich", ["-bind-to", "core"]),
    ]


def measure(programs, folder, runs, quick):
    for run in range(1, runs + 1):
        for benchmark in BENCHMARKS:
            print(f"run {run} of {runs}: {benchmark}", file=sys.stderr, flush=True)
            for program in programs:
                path = folder / f"{program.key}-{benchmark}-{run}.json"
                program.reports.setdefault(benchmark, []).append(program.run(benchmark, 2, path, quick))
    for program in programs:
        print(f"barrier of {', '.join(map(str, OVERSUBSCRIBED))} ranks: {program.title}", file=sys.stderr, flush=True)
        for ranks in OVERSUBSCRIBED:
            path = folder / f"{program.key}-barrier{ranks}.json"
            values = [by_key(program.run("barrier", ranks, path, quick))[("barrier", 0)]["value"] for _ in range(runs)]
            program.barriers[ranks] = statistics.median(values)


def round_trip(report):
    """One cache line there and back, in ns, as this run measured it beside its smallest messages."""
    results = sorted(report["results"], key=lambda result: result["size_bytes"])
    return first_of(results, report.where, "results")["limit"]


def merge(programs):
    """The medians over the runs that count."""
    for benchmark in BENCHMARKS:
        usual = None
        if benchmark in CROSSING:
            found = [round_trip(report) for program in programs for report in program.reports[benchmark]]
            usual = None if None in found else statistics.median_low(found)
        for program in programs:
            reports = program.reports[benchmark]
            if usual:
                alike = [report for report in reports if 1 / SAME_CORES < round_trip(report) / usual < SAME_CORES]
                if not alike:
                    print(f"report: {program.title} ran {benchmark} on other cores than the rest each time; "
                          "compare its round trips with care", file=sys.stderr)
                reports = alike or reports
                program.round_trips[benchmark] = statistics.median(map(round_trip, reports))
            program.merged.update(medians([by_key(report) for report in reports]))


def medians(tables):
    merged = {}
    for key, first in tables[0].items():
        merged[key] = first.copy()
        for field in ("value", "limit", "ratio_to_limit"):
            values = [table_[key][field] for table_ in tables]
            merged[key][field] = None if None in values else statistics.median(values)
    return merged


def write_json(programs, folder):
    for program in programs:
        whole = {**program.reports["latency"][0], "benchmark": "all", "results": list(program.merged.values())}
        (folder / f"{program.key}.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


# ---- Tables ----

def size_text(size):
    for unit, shift in (("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return f"{size >> shift} {unit}"
    return f"{size} B"


def number(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 100 else f"{value:.2f}"


def table(title, head, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    print(f"\n{title}")
    for row in [head, ["-" * width for width in widths], *rows]:
        print("  " + "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                               for column, (cell, width) in enumerate(zip(row, widths))))


def value_of(programs, key, name, size, field="value"):
    for program in programs:
        if program.key == key:
            return program.merged.get((name, size), {}).get(field)
    return None


def columns_table(programs, title, unit, columns):
    """A row per size. `columns`: (heading, program key, result name, field)."""
    columns = [column for column in columns if any(program.key == column[1] for program in programs)]
    sizes = sorted({size for program in programs for name, size in program.merged
                    if any(program.key == column[1] and name == column[2] for column in columns)})
    rows = [[size_text(size)] + [number(value_of(programs, *column[1:3], size, column[3])) for column in columns]
            for size in sizes]
    table(f"{title} ({unit})", ["size"] + [column[0] for column in columns], rows)


def print_tables(programs):
    columns_table(programs,
                  "Blocking put and get, beside memcpy; MPI's message with 0-byte acknowledgement and its puts", "ns", [
                      ("put", "weft", "put", "value"), ("memcpy", "weft", "put", "limit"),
                      ("ratio", "weft", "put", "ratio_to_limit"), ("get", "weft", "get", "value"),
                      ("ratio", "weft", "get", "ratio_to_limit"),
                      ("Open MPI send", "openmpi", "send_ack", "value"), ("isend", "openmpi", "isend_ack", "value"),
                      ("put", "openmpi", "put", "value"), ("MPICH send", "mpich", "send_ack", "value"),
                      ("isend", "mpich", "isend_ack", "value"), ("put", "mpich", "put", "value")])
    columns_table(programs, "Flood bandwidth, windows of 16", "GB/s", [
        ("put", "weft", "put_flood", "value"), ("memcpy", "weft", "put_flood", "limit"),
        ("ratio", "weft", "put_flood", "ratio_to_limit"), ("get", "weft", "get_flood", "value"),
        ("ratio", "weft", "get_flood", "ratio_to_limit"), ("streamed put", "weft", "put_stream_flood", "value"),
        ("Open MPI isend", "openmpi", "isend_flood", "value"), ("put", "openmpi", "put_flood", "value"),
        ("MPICH isend", "mpich", "isend_flood", "value"), ("put", "mpich", "put_flood", "value")])
    for title, names in (("Message rate, 8 bytes", ["put_rate", "put_nb_rate", "put_nbi_rate", "get_rate",
                                                    "get_nb_rate", "get_nbi_rate", "isend_rate"]),
                         ("Put and get of constant size, and dependent chains",
                          ["put_fixed", "get_fixed", "get_chain", "get_value_chain", "put_get_chain"]),
                         ("Active messages", ["am_short_round_trip", "bare_two_lines", "am_short_flood",
                                              "am_medium_round_trip", "am_medium_flood", "am_long_round_trip",
                                              "am_long_flood", "message_round_trip"]),
                         ("Barrier, 2 ranks", ["barrier", "barrier_split", "bare_barrier"]),
                         ("Signals, one way", ["put_signal_line", "put_signal_add_line", "put_signal_apart",
                                               "semaphore", "bare_signal", "message_one_way"]),
                         ("Atomics", [operation + where for operation in ("fetch_add_", "compare_swap_", "add_call_")
                                      for where in ("own", "peer", "contended")] +
                                     ["list_1024_own", "list_1024_peer"])):
        result_table(programs, title, names)
    table("Barrier, more ranks than cores (us)", ["ranks"] + [program.title for program in programs],
          [[str(ranks)] + [number(program.barriers[ranks] / 1e3) for program in programs] for ranks in OVERSUBSCRIBED])


def result_table(programs, title, names):
    rows = []
    for name in names:
        for size in sorted({key[1] for program in programs for key in program.merged if key[0] == name}):
            entries = [program.merged.get((name, size)) for program in programs]
            first = next(entry for entry in entries if entry)
            row = [f"{name}, {size_text(size)}", first["unit"]]
            for entry in entries:
                row += [number(entry["value"]), number(entry["ratio_to_limit"])] if entry else ["-", "-"]
            rows.append(row)
    table(title, ["what", "unit"] + [text for program in programs for text in (program.title, "to limit")], rows)


def goals(programs):
    """(what, goal, measured, reached, beside it) for the numbers that Weft sets itself, on these cores."""
    weft = programs[0].merged
    rows = []

    def at_most(what, key, field, goal, unit, beside=""):
        value = weft[key].number(field)
        rows.append((what, f"at most {goal}{unit}", f"{number(value)}{unit}", value <= goal, beside))

    def at_least(what, value, goal, unit, beside=""):
        rows.append((what, f"at least {goal}{unit}", f"{number(value)}{unit}", value >= goal, beside))

    def bare(key):
        return f"bare form: {number(weft[key]['ratio_to_limit'])}"

    for name in ("put", "get"):
        at_most(f"8-byte blocking {name}", (name, 8), "ratio_to_limit", 1.25, " memcpys")
        at_most(f"8-byte blocking {name}", (name, 8), "value", 5, " ns")
    large = [result for (name, size), result in weft.items() if name == "put_flood" and size >= 65536]
    if large:
        worst = min(large, key=lambda result: result.number("ratio_to_limit"))
        at_least("flood put, 64 KiB and up, worst", worst["ratio_to_limit"], 0.95, " of memcpy",
                 size_text(worst["size_bytes"]))
    at_most("barrier", ("barrier", 0), "ratio_to_limit", 0.8, " round trips", bare(("bare_barrier", 0)))
    at_most("short request and reply", ("am_short_round_trip", 8), "ratio_to_limit", 1.5, " round trips",
            bare(("bare_two_lines", 0)))
    at_least("short message flood", weft[("am_short_flood", 8)]["value"], 25, " M/s")
    at_most("put with signal, 8 B, one way", ("put_signal_line", 8), "ratio_to_limit", 0.7, " round trips",
            bare(("bare_signal", 0)))
    barrier_us = programs[0].barriers[8] / 1e3
    rows.append((f"barrier of 8 ranks on {os.cpu_count()} cores", "below 50 us", f"{number(barrier_us)} us",
                 barrier_us < 50, ""))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build folder")
    parser.add_argument("--runs", type=int, default=3, help="how often each program runs (default: 3)")
    parser.add_argument("--quick", action="store_true", help="short runs: shows that it works, measures nothing")
    parser.add_argument("--no-plots", action="store_true", help="tables and JSON only")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")

    need_programs(options.build, "weft-bench", "weftrun")
    programs = [program for program in programs_of(options.build.absolute()) if program.available()]
    folder = options.build / "bench"
    folder.mkdir(exist_ok=True)
    start = time.monotonic()
    measure(programs, folder, options.runs, options.quick)
    merge(programs)
    write_json(programs, folder)

    print_tables(programs)
    if all(program.round_trips for program in programs):
        table("One cache line there and back in the runs that count (ns)", ["beside"] + [p.title for p in programs],
              [[benchmark] + [number(program.round_trips[benchmark]) for program in programs]
               for benchmark in CROSSING])
    if programs[0].round_trips:
        table("Goals", ["what", "goal", "measured", "reached", "beside it"],
              [[what, goal, value, "yes" if reached else "no", beside]
               for what, goal, value, reached, beside in goals(programs)])
    print()
    if not options.no_plots:
        import plots  # needs matplotlib, the tables do not
        for path in plots.draw(programs, folder):
            print(f"wrote {path}")
    print(f"JSON in {folder}; {time.monotonic() - start:.0f} s in all")


if __name__ == "__main__":
    main()
