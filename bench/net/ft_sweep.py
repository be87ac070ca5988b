#!/usr/bin/python3
"""NAS FT across the hosts of an emulated cluster: all variants over a range of link rates.

For each class and rate every variant runs, interleaved; the median of the repetitions counts. Beside the times stand
two bounds, measured in the same run: computation alone (the fastest variant with as many ranks in shared memory on the
same processors) and wire time alone (the bytes that one rank sends to others in one transform, divided by the goodput
of one raw TCP stream on that link). Prints tables, writes JSON and draws. Needs root (docs/LAB.md).
"""

import argparse
import collections
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[1:1] = [str(ROOT / "bench"), str(ROOT / "lab")]
# pylint: disable=wrong-import-position
import sweep_report
from cluster import LabError, parse_rate
from measuring import (NUMBER, OBJECT, Contender, give_up, median_report, need_folder_of, need_kind, need_programs,
                       records, report_of, show_progress)

CONTENDERS = tuple(
    Contender(f"{library}, {variant}", group, program, variant)
    for library, group, program in (("Weft", "one-sided", "ft"), ("UPC", "one-sided", "ft-upc"),
                                    ("Open MPI", "two-sided", "ft-mpi"), ("MPICH", "two-sided", "ft-mpi-mpich"))
    for variant in ("pencils", "slabs", "exchange")) + (Contender("FFTW's MPI transform", "FFTW", "ft-fftw-mpi",
                                                                  "fftw"),)
# What a sweep cannot do without.
COMPARED = (("one-sided", ("pencils", "slabs"), "pencils and slabs of Weft and UPC"),
            ("two-sided", ("exchange",), "the exchange of both MPI libraries"),
            ("FFTW", ("fftw",), "FFTW's MPI transform"))
# One measurement. Computation alone has no rate.
Key = collections.namedtuple("Key", "class_name hosts rate what repetition")
GOODPUT = "raw TCP stream"
COMPUTATION = {"computation, pencils": "pencils", "computation, slabs": "slabs"}
LAB_NAME = f"bench{os.getpid()}"
STREAM_SECONDS = 1.0
TIME_LIMIT_S = 300

RECEIVE = """
import socket, time
server = socket.create_server(("0.0.0.0", 5001)); print("listening", flush=True)
peer = server.accept()[0]; room = bytearray(1 << 20)
peer.recv_into(room); begin = time.monotonic(); total = 0
while count := peer.recv_into(room): total += count
print(total / (time.monotonic() - begin))
"""
SEND = f"""
import socket, sys, time
peer = socket.create_connection((sys.argv[1], 5001)); piece = bytes(1 << 18); end = time.monotonic() + {STREAM_SECONDS}
while time.monotonic() < end: peer.sendall(piece)
"""


class Lab:
    """The cluster that the programs run on."""

    def __init__(self, options):
        self.program = os.path.abspath(os.path.join(options.build, "bin", "lab"))
        self.bin = os.path.dirname(self.program)
        self.hosts = options.hosts
        self.wrap = options.wrap.split()
        # One processor for each host if there are enough; else the kernel shares them out.
        self.own_processors = self.hosts <= len(os.sched_getaffinity(0))
        self.environment = dict(os.environ, LAB_NAME=LAB_NAME)  # for what is not measured

    def call(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, check=False,
                              env=self.environment)
        if done.returncode != 0:
            give_up(f"lab {arguments[0]}: {done.stderr.strip()}")

    def __enter__(self):
        self.call("up", self.hosts, *(["--own-processors"] if self.own_processors else []))
        return self

    def __exit__(self, *_):
        self.call("down")

    def run(self, command):
        """Runs one measured command; its JSON report."""
        return report_of([*self.wrap, *command], TIME_LIMIT_S, {"LAB_NAME": LAB_NAME})

    def launch(self, contender, class_name):
        launcher = {"ft-mpi-mpich": "mpiexec", "ft-mpi": "mpirun", "ft-fftw-mpi": "mpirun"}.get(contender.program,
                                                                                                "run")
        bind = ["--bind"] if launcher == "run" and self.own_processors else []
        return [self.program, launcher, "-n", str(self.hosts), *bind, os.path.join(self.bin, contender.program),
                "--class", class_name, "--variant", contender.variant]

    def computation_alone(self, class_name, variant):
        """Seconds per transform in shared memory."""
        command = [os.path.join(self.bin, "weftrun"), "-n", str(self.hosts),
                   *(["--bind"] if self.own_processors else []),
                   os.path.join(self.bin, "ft"), "--class", class_name, "--variant", variant]
        return self.run(command)["seconds_per_transform"]

    def goodput(self):
        """Bytes per second of one raw TCP stream from the first host to the second."""
        with subprocess.Popen([*self.wrap, self.program, "exec", "h2", sys.executable, "-c", RECEIVE], text=True,
                              stdout=subprocess.PIPE, env=self.environment) as receiver:
            receiver.stdout.readline()
            self.call("exec", "h1", sys.executable, "-c", SEND, "10.144.0.2")
            return float(receiver.stdout.readline())

    def measure(self, key):
        """Whatever a Key stands for."""
        if key.what == GOODPUT:
            return self.goodput()
        if key.what in COMPUTATION:
            return self.computation_alone(key.class_name, COMPUTATION[key.what])
        return self.run(self.launch(next(each for each in CONTENDERS if each.label == key.what), key.class_name))


def summarise(contender, reports):
    """One row of the table."""
    row = median_report(reports, "seconds_per_transform")
    row.update(label=contender.label, group=contender.group,
               seconds_per_transform_all=sorted(report["seconds_per_transform"] for report in reports))
    return row


class Measured:
    """All measurements so far, by Key; with --raw they are kept in a file, to which several calls add."""

    def __init__(self, path):
        self.path = path
        self.values = {}
        if path:
            self.read()

    def read(self):
        number = 0
        try:
            with open(self.path, "a+", encoding="utf-8") as file:
                file.seek(0)
                for number, line in enumerate(file, 1):
                    *words, value = json.loads(line)
                    key, where = Key(*words), f"--raw {self.path}, line {number}"
                    kind = NUMBER if key.what == GOODPUT or key.what in COMPUTATION else OBJECT
                    need_kind(kind, value, f"{where} measured as {key.what}:")
                    self.values[key] = records(value, where)
        except OSError as error:
            give_up(f"--raw {self.path}: {error.strerror}")
        except (ValueError, TypeError):
            give_up(f"--raw {self.path}, line {number}: no measurement of this script")

    def add(self, key, value):
        self.values[key] = value
        if self.path:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps([*key, value]) + "\n")


def chosen(options):
    return [each for each in CONTENDERS if any(word in each.label for word in options.only)]


def plan(options):
    """All that is to be measured, in order: the variants take turns, and so do the bounds with them."""
    contenders = [each.label for each in chosen(options)]
    for class_name in options.classes:
        for repetition in range(options.repetitions):
            for what in COMPUTATION:
                yield Key(class_name, options.hosts, "-", what, repetition)
        for rate in options.rates:
            for repetition in range(options.repetitions):
                for what in (GOODPUT, *contenders):
                    yield Key(class_name, options.hosts, rate, what, repetition)


def measure(options, measured):
    """Measures what is missing, as long as there is time. True if nothing is missing any more."""
    missing = [key for key in plan(options) if key not in measured.values]
    end = time.monotonic() + options.seconds
    with Lab(options) as lab:
        rate = None
        for key in missing:
            if time.monotonic() > end:
                return False
            if key.rate not in ("-", rate):
                rate = key.rate
                lab.call("rate", rate)
            show_progress(f"class {key.class_name}, {key.rate}, run {key.repetition + 1}: {key.what}")
            measured.add(key, lab.measure(key))
    show_progress("")
    return True


def summaries(options, measured):
    """One point per class and rate, made from the measurements."""
    def values(class_name, rate, what):
        return [measured.values[Key(class_name, options.hosts, rate, what, repetition)]
                for repetition in range(options.repetitions)]
    for class_name in options.classes:
        computation = min(statistics.median(values(class_name, "-", what)) for what in COMPUTATION)
        for rate in options.rates:
            goodput = statistics.median(values(class_name, rate, GOODPUT))
            rows = [summarise(each, values(class_name, rate, each.label)) for each in chosen(options)]
            # An exchange message carries padding along; slabs send exactly the data.
            data = min(row.number("bytes_per_rank") for row in rows if row["variant"] != "fftw")
            wire = data * (options.hosts - 1) / options.hosts / goodput
            yield {"class": class_name, "hosts": options.hosts, "rate": rate, "goodput_bytes_per_s": goodput,
                   "computation_s": computation, "wire_s": wire, "results": rows}


def link_rate(text):
    """As lab rate takes it."""
    try:
        parse_rate(text)
    except LabError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="folder of the build")
    parser.add_argument("--hosts", type=int, default=2, help="hosts, with one rank each")
    parser.add_argument("--classes", nargs="+", default=["A", "W"])
    parser.add_argument("--rates", nargs="+", type=link_rate,
                        default=["500mbit", "1gbit", "2gbit", "4gbit", "unlimited"])
    parser.add_argument("--repetitions", type=int, default=3, help="of each variant")
    parser.add_argument("--only", nargs="+", default=[""],
                        help="only variants with one of these words in their name, as in 'Weft' 'exchange' 'FFTW'")
    parser.add_argument("--wrap", default="", help="a command to put before each measured one, as in 'nice -n -5'")
    parser.add_argument("--raw",
                        help="a file to which each measurement is added, and that says which there are already")
    parser.add_argument("--seconds", type=float, default=math.inf,
                        help="begin no measurement after this time, and exit with status 75; --raw keeps what there is")
    parser.add_argument("--output", help="where to write, without .json and .svg; BUILD/net-ft-HOSTS if not given")
    options = parser.parse_args()
    if options.hosts < 2 or options.repetitions < 1:
        parser.error("--hosts must be at least 2 and --repetitions at least 1")
    if options.seconds != math.inf and not options.raw:
        parser.error("--seconds needs --raw FILE")
    for group, variants, name in COMPARED:
        if not any(each.group == group and each.variant in variants for each in chosen(options)):
            parser.error(f"--only leaves out {name}, which the others are compared with")
    output = options.output or os.path.join(options.build, f"net-ft-{options.hosts}")
    need_programs(options.build, "lab", "weftrun",
                  *dict.fromkeys(each.program for each in (*chosen(options), CONTENDERS[0])))
    need_folder_of(output)

    measured = Measured(options.raw)
    if not measure(options, measured):
        print(f"ft_sweep: {len(measured.values)} of {len(list(plan(options)))} measurements are in {options.raw}; "
              "call it again for the others", file=sys.stderr)
        return 75
    results = list(summaries(options, measured))
    for point in results:
        sweep_report.print_table(point)
    sweep_report.print_summary(results)
    with open(output + ".json", "w", encoding="utf-8") as file:
        json.dump({"benchmark": "ft across hosts", "repetitions": options.repetitions, "sweep": results}, file,
                  indent=1)
        file.write("\n")
    sweep_report.draw(results, output)
    return 1 if any(row["verified"] is False for point in results for row in point["results"]) else 0


if __name__ == "__main__":
    sys.exit(main())
