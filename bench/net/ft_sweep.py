#!/usr/bin/python3
"""NAS FT across the hosts of an emulated cluster: all variants over a range of link rates.

For each class and rate every variant runs,
interleaved; the median of the repetitions counts. Beside the times stand two
bounds, measured in the same run: computation alone (the fastest variant with as many ranks in shared memory on the same
processors) and wire time alone (the bytes that one rank sends to others in one transform, divided by the goodput of
one raw TCP stream on that link). Prints tables, writes JSON and draws. Needs root (docs/LAB.md).
"""

import argparse
import collections
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile

import sweep_report

Contender = collections.namedtuple("Contender", "label group program variant")

CONTENDERS = tuple(
    Contender(f"{library}, {variant}", group, program, variant)
    for library, group, program in (("Weft", "one-sided", "ft"), ("UPC", "one-sided", "ft-upc"),
                                    ("Open MPI", "two-sided", "ft-mpi"), ("MPICH", "two-sided", "ft-mpi-mpich"))
    for variant in ("pencils", "slabs", "exchange")) + (Contender("FFTW's MPI transform", "FFTW", "ft-fftw-mpi",
                                                                  "fftw"),)
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
        self.environment = dict(os.environ, LAB_NAME=LAB_NAME)

    def call(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, check=False,
                              env=self.environment)
        if done.returncode != 0:
            sys.exit(f"ft_sweep: lab {arguments[0]}: {done.stderr.strip()}")

    def __enter__(self):
        self.call("up", self.hosts, *(["--own-processors"] if self.own_processors else []))
        return self

    def __exit__(self, *_):
        self.call("down")

    def run(self, command):
        """Runs one measured command; its JSON report."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            try:
                done = subprocess.run([*self.wrap, *command, "--json", path], capture_output=True, text=True,
                                      check=False,
                                      env=self.environment, timeout=TIME_LIMIT_S)
            except subprocess.TimeoutExpired:
                sys.exit(f"ft_sweep: {' '.join(command)} did not end within {TIME_LIMIT_S} s")
            if done.returncode != 0:
                sys.exit(f"ft_sweep: {' '.join(command)} failed with exit status {done.returncode}:\n{done.stderr}")
            with open(path, encoding="utf-8") as file:
                return json.load(file)

    def launch(self, contender, class_name):
        launcher = {"ft-mpi-mpich": "mpiexec", "ft-mpi": "mpirun", "ft-fftw-mpi": "mpirun"}.get(contender.program,
                                                                                                "run")
        bind = ["--bind"] if launcher == "run" and self.own_processors else []
        return [self.program, launcher, "-n", str(self.hosts), *bind, os.path.join(self.bin, contender.program),
                "--class", class_name, "--variant", contender.variant]

    def computation_alone(self, class_name, repetitions):
        """Seconds per transform in shared memory, of the fastest variant."""
        best = []
        for variant in ("pencils", "slabs"):
            command = [os.path.join(self.bin, "weftrun"), "-n", str(self.hosts),
                       *(["--bind"] if self.own_processors else []),
                       os.path.join(self.bin, "ft"), "--class", class_name, "--variant", variant]
            best.append(statistics.median(self.run(command)["seconds_per_transform"] for _ in range(repetitions)))
        return min(best)

    def goodput(self, repetitions):
        """Bytes per second of one raw TCP stream from the first host to the second."""
        found = []
        for _ in range(repetitions):
            with subprocess.Popen([*self.wrap, self.program, "exec", "h2", sys.executable, "-c", RECEIVE], text=True,
                                  stdout=subprocess.PIPE, env=self.environment) as receiver:
                receiver.stdout.readline()
                self.call("exec", "h1", sys.executable, "-c", SEND, "10.144.0.2")
                found.append(float(receiver.stdout.readline()))
        return statistics.median(found)


def show_progress(text):
    """Rewrites one line of the terminal, if there is one."""
    if sys.stderr.isatty():
        print(f"\r{text:60}\r", end="", file=sys.stderr, flush=True)


def summarise(contender, reports):
    """The report of the median repetition, without what is long."""
    reports = sorted(reports, key=lambda report: report["seconds_per_transform"])
    row = dict(reports[(len(reports) - 1) // 2])
    row.update(label=contender.label, group=contender.group,
               seconds_per_transform_all=[report["seconds_per_transform"] for report in reports],
               verified=all(report["verified"] for report in reports))
    row.pop("checksums")
    return row


def sweep(lab, class_name, options):
    contenders = [each for each in CONTENDERS if any(word in each.label for word in options.only)]
    results = []
    computation = lab.computation_alone(class_name, options.repetitions)
    for rate in options.rates:
        lab.call("rate", rate)
        goodput = lab.goodput(options.repetitions)
        reports = collections.defaultdict(list)
        for repetition in range(options.repetitions):
            for contender in contenders:
                show_progress(f"class {class_name}, {rate}, run {repetition + 1}: {contender.label}")
                reports[contender].append(lab.run(lab.launch(contender, class_name)))
        rows = [summarise(contender, reports[contender]) for contender in contenders]
        # An exchange message carries padding along; slabs send exactly the data.
        data = min(row["bytes_per_rank"] for row in rows if row["bytes_per_rank"])
        wire = data * (lab.hosts - 1) / lab.hosts / goodput
        results.append({"class": class_name, "hosts": lab.hosts, "rate": rate, "goodput_bytes_per_s": goodput,
                        "computation_s": computation, "wire_s": wire, "results": rows})
        show_progress("")
        sweep_report.print_table(results[-1])
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="folder of the build")
    parser.add_argument("--hosts", type=int, default=2, help="hosts, with one rank each")
    parser.add_argument("--classes", nargs="+", default=["A", "W"])
    parser.add_argument("--rates", nargs="+", default=["500mbit", "1gbit", "2gbit", "4gbit", "unlimited"])
    parser.add_argument("--repetitions", type=int, default=3, help="of each variant")
    parser.add_argument("--only", nargs="+", default=[""],
                        help="only variants with one of these words in their name, as in 'Weft' 'exchange' 'FFTW'")
    parser.add_argument("--wrap", default="", help="a command to put before each measured one, as in 'nice -n -5'")
    parser.add_argument("--output", help="where to write, without .json and .svg; BUILD/net-ft-HOSTS if not given")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the lab is taken down
    if options.hosts < 2 or options.repetitions < 1:
        parser.error("--hosts must be at least 2 and --repetitions at least 1")
    output = options.output or os.path.join(options.build, f"net-ft-{options.hosts}")

    results = []
    with Lab(options) as lab:
        for class_name in options.classes:
            results += sweep(lab, class_name, options)
    sweep_report.print_summary(results)
    with open(output + ".json", "w", encoding="utf-8") as file:
        json.dump({"benchmark": "ft across hosts", "repetitions": options.repetitions, "sweep": results}, file,
                  indent=1)
        file.write("\n")
    sweep_report.draw(results, output)
    return 0 if all(row["verified"] for point in results for row in point["results"]) else 1


if __name__ == "__main__":
    sys.exit(main())
