#!/usr/bin/python3
"""Two-sided messages measured, and by the model of simulated jobs: ping-pong, floods, exchanges and matching.

Measures weft-two-sided (Open MPI) and weft-two-sided-mpich on this host, or with --lab on two hosts of an emulated
cluster (docs/LAB.md; needs root). Of Open MPI's numbers a few make a platform: the half round trip of the smallest
messages gives the overheads, their flood the gap between messages, the flood of the largest ones the rates, the longest
lists the time of a look. The bucket of the lab's links is in their description. The model then predicts all of them on
that platform, and the table shows both. Prints it and writes JSON.
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

from measuring import Hosts, need_folder_of, need_programs, report_of, show_progress

TIME_LIMIT_S = 400
STUDIES = ("ping_pong", "flood", "exchange", "match_posted", "match_unexpected")
# Open MPI 4.1 and MPICH 4.0 in shared memory and over TCP.
EAGER = {"here": "4 KiB", "lab": "64 KiB"}


def command_line():
    """What the user asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="build folder (build)")
    parser.add_argument("--lab", metavar="RATE", help="on two hosts of an emulated cluster with links of this rate")
    parser.add_argument("--ranks", type=int, default=2, help="ranks of the exchange, on this host (2)")
    parser.add_argument("--max-size", type=int, default=131072, help="largest message in bytes (131072)")
    parser.add_argument("--repetitions", type=int, default=31,
                        help="blocks of each measurement, of which those that nobody disturbs count (31)")
    parser.add_argument("--out", default="two-sided.json", help="file to write (two-sided.json)")
    options = parser.parse_args()
    if options.ranks < 2:
        parser.error("--ranks: at least 2")
    if options.lab and not re.fullmatch(r"\d+(kbit|mbit|gbit)", options.lab):
        parser.error(f"--lab: '{options.lab}' is no rate; write 500mbit or 1gbit")
    return options


class Runner(Hosts):
    """Runs the programs here or in the lab."""

    def __init__(self, options):
        super().__init__(options.build, 2 if options.lab else 1, options.lab)
        self.options = options
        self.ranks = 2 if options.lab else options.ranks

    def run(self, launcher, program, study, effort):
        """A study's values in ns, by name and size."""
        report = report_of([*launcher, "-n", self.ranks, self.bin / program, study, "--max-size",
                            self.options.max_size, *effort], TIME_LIMIT_S, self.environment)
        return {(row["name"], row["size_bytes"]): row["value"] for row in report["results"]}

    def measured(self, mpi):
        """All studies by a real MPI."""
        here, there, program = {"Open MPI": ("mpirun.openmpi", "mpirun", "weft-two-sided"),
                                "MPICH": ("mpiexec.mpich", "mpiexec", "weft-two-sided-mpich")}[mpi]
        values = {}
        for study in STUDIES:
            show_progress(f"{mpi}, {study}")
            values.update(self.run(self.launcher(here, there), program, study,
                                   ["--repetitions", self.options.repetitions, "--block", 5, "--quantile", 0.1]))
        return values

    def simulated(self, platform):
        """The same on the platform, where one time is as the other."""
        values = {}
        for study in STUDIES:
            show_progress(f"model, {study}")
            values.update(self.run([self.bin / "weftrun", "--sim", platform], "weft-two-sided-sim", study,
                                   ["--repetitions", 5, "--block", 5]))
        return values


def burst_of(lab_rate):
    """Bytes that a link of the lab passes at once after a pause (docs/LAB.md)."""
    if not lab_rate:
        return 0
    number, unit = re.fullmatch(r"(\d+)(kbit|mbit|gbit)", lab_rate).groups()
    bytes_per_second = int(number) * {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}[unit] / 8
    return min(max(bytes_per_second / 500, 72 << 10), 256 << 10)


def fit(values, lab_rate, max_size):
    """A platform whose model has the overheads, gap and rates of these measurements."""
    where = "lab" if lab_rate else "here"
    small = min(size for name, size in values if name == "flood")
    large = max(size for name, size in values if name == "flood" and size <= max_size)
    depth = max(size for name, size in values if name == "match_posted")
    overhead = values["ping_pong", small] / 2
    per_byte = values["flood", large] / large
    look = max(0.0, values["match_posted", depth] - values["match_posted", 0]) / depth * 2
    rate, source = f"{1e9 / per_byte:.0f} B/s", "fitted to this table"

    def number(value):
        return {"value": value, "source": source}

    return {"format": "weft-platform 1", "name": f"two-sided-{where}", "title": "Fitted by bench/two_sided.py",
            "topology": {"kind": "crossbar", "nodes": 64, "source": "chosen"}, "mapping": "txyz",
            "processor": {"send_overhead": number(f"{overhead:.0f} ns"),
                          "receive_overhead": number(f"{overhead:.0f} ns")},
            "node": {"cores": number(1), "memory_rate": number("10 GB/s"), "memory_latency": number("100 ns")},
            "interface": {"latency": {"value": "0 ns", "source": "part of the overheads"},
                          "message_gap": number(f"{values['flood', small]:.0f} ns"),
                          "injection_rate": {"value": "5 GB/s", "source": "assumed: the link is the limit"},
                          "ejection_rate": {"value": "5 GB/s", "source": "as injection_rate"}, "slots": number(64)},
            "link": {"rate": number(rate), "latency": number("0 ns"),
                     "burst": {"value": f"{burst_of(lab_rate):.0f} B", "source": "docs/LAB.md"}},
            "two_sided": {"eager_limit": {"value": EAGER[where], "source": "Open MPI's"},
                          "match": number(f"{look:.1f} ns"),
                          "copy_rate": {"value": "10 GB/s", "source": "assumed"}}}


def table(measured, model):
    """Lines for people."""
    mpis = list(measured)
    lines = [f"{'':18}{'size':>9}" + "".join(f"{mpi + ', us':>16}" for mpi in mpis) + f"{'model, us':>14}{'ratio':>8}"]
    for key, value in model.items():
        real = [measured[mpi].get(key) for mpi in mpis]
        cells = "".join(f"{one / 1e3:16.2f}" if one else f"{'-':>16}" for one in real)
        lines.append(f"{key[0]:18}{key[1]:>9}{cells}{value / 1e3:14.2f}{value / real[0]:8.2f}")
    for study in STUDIES:
        errors = [abs(value / measured["Open MPI"][key] - 1) for key, value in model.items() if key[0] == study]
        lines.append(f"{study}: the model is off by {100 * sum(errors) / len(errors):.0f} % in the mean")
    return "\n".join(lines)


def main():
    """Measures, fits, predicts."""
    options = command_line()
    need_programs(options.build, "weft-two-sided", "weft-two-sided-mpich", "weft-two-sided-sim", "weftrun",
                  *(["lab"] if options.lab else []))
    need_folder_of(options.out)
    with Runner(options) as runner, tempfile.TemporaryDirectory() as folder:
        measured = {mpi: runner.measured(mpi) for mpi in ("Open MPI", "MPICH")}
        platform = fit(measured["Open MPI"], options.lab, options.max_size)
        path = pathlib.Path(folder, "platform.json")
        path.write_text(json.dumps(platform), encoding="utf-8")
        model = runner.simulated(str(path))
    print(table(measured, model))
    rows = [{"name": name, "size_bytes": size, "model_ns": value,
             **{f"{key}_ns": measured[mpi].get((name, size))
                for key, mpi in (("openmpi", "Open MPI"), ("mpich", "MPICH"))}}
            for (name, size), value in model.items()]
    report = {"benchmark": "two-sided", "ranks": runner.ranks, "lab_rate": options.lab, "platform": platform,
              "results": rows}
    pathlib.Path(options.out).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
