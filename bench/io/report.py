#!/usr/bin/python3
"""Runs UPC-IO beside Open MPI's two implementations of MPI-IO in turns, on one host and on two hosts of an emulated
cluster, in memory (page cache) and to the disk (fsync; reads with an empty cache), and prints each rate with the ratio
to the better of the two. BUILD/bench/io.json holds it all.

A round runs the programs one after another, on a disk block size by block size and the first of them last in the next
round: many disks are slower after having been busy. A rate is the median of the rounds, a ratio the median of the
rounds' ratios. Each program takes the median of several turns itself, and compares what it reads with what it wrote.
"At best" is the ratio of the fastest turns of all rounds: on a machine that others use, too, it is the steadier one.

Between hosts bare system calls (files_posix.c) join the turns: they are the bound. Each host has its own processors,
where there are enough: a launcher binds the first rank of every host to the first processor that the host has."""
import argparse
import json
import os
import pathlib
import statistics
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from measuring import Hosts, by_key, give_up, need_folder_of, need_programs, report_of

LIMIT_S = 600
PEERS = ("ompio", "romio321")
BOUND = "posix"  # between hosts
BLOCKS = (64, 512, 4 << 10, 64 << 10, 1 << 20)  # of the programs, beside all of a rank's data
# Goals for the ratio to the better peer: blocks below 4 KiB, and others.
SMALL, AT_LEAST_SMALL, AT_LEAST = 4096, 5.0, 0.95
HIDDEN_AT_LEAST = 80.0


def size_text(size):
    return f"{size} B" if size < 1024 else f"{size >> 10} KiB" if size < 1 << 20 else f"{size >> 20} MiB"


class Place(Hosts):
    """Where the programs run, and how they are started there."""

    def __init__(self, options, hosts):
        super().__init__(options.build, hosts)
        self.ranks = options.ranks
        fits = self.processors // hosts * hosts >= options.ranks
        self.bound = ["--bind"] if fits else []

    def ours(self, arguments, ranks=None):
        return report_of([*self.launcher(self.bin / "upcrun", "run"), "-n", ranks or self.ranks, *self.bound,
                          self.bin / "upc-io", *arguments], LIMIT_S, self.environment)

    def rates(self, who, arguments):
        return self.ours(arguments) if who == "weft" else self.peer(who, arguments)

    def peers(self):
        return PEERS if self.hosts == 1 else (*PEERS, BOUND)

    def peer(self, name, arguments):
        component = [] if name == BOUND else ["--mca", "io", name]
        return report_of([*self.launcher("mpirun", "mpirun"), "-n", self.ranks, *component,
                          self.bin / ("posix-io" if name == BOUND else "mpi-io"), *arguments], LIMIT_S,
                         self.environment)


def measure(place, options, disk):
    """One row per (write or read, block size)."""
    arguments = ["--file", options.file, "--mib", options.mib, "--rounds", options.turns]
    programs = ["weft", *place.peers()]
    turns = [["--disk", "--block", size] for size in sorted({*BLOCKS, options.mib << 20})] if disk else [[]]
    rounds = []
    for number in range(1, options.rounds + 1):
        print(f"{'disk' if disk else 'memory'}, {place.hosts} host(s): round {number} of {options.rounds}",
              file=sys.stderr, flush=True)
        found = {who: {} for who in programs}
        for turn in turns:
            for who in programs:
                found[who].update(by_key(place.rates(who, arguments + turn)))
        programs.append(programs.pop(0))
        rounds.append(found)
    return [row_of(rounds, name, size) for name, size in rounds[0]["weft"]]


def row_of(rounds, name, size):
    def all_of(field):
        return {who: [one[who][(name, size)][field] for one in rounds] for who in rounds[0]}

    def ratio(ours, rates):
        return ours / max(rates[peer] for peer in PEERS)

    rates, best = all_of("value"), {who: max(values) for who, values in all_of("best").items()}
    ratios = sorted(ratio(ours, {peer: rates[peer][i] for peer in PEERS}) for i, ours in enumerate(rates["weft"]))
    return {"name": name, "size_bytes": size, "unit": "MB/s", "ratio": statistics.median(ratios), "ratios": ratios,
            "ratio_at_best": ratio(best["weft"], best), "best": best,
            **{who: statistics.median(values) for who, values in rates.items()}}


def hidden(place, options, disk, ranks):
    """How much of a computation the asynchronous forms hide, in percent."""
    arguments = ["--overlap", "--file", options.file, "--mib", options.mib, "--rounds", options.turns,
                 *(["--disk"] if disk else [])]
    rounds = [by_key(place.ours(arguments, ranks)) for _ in range(options.rounds)]
    return [{"name": name, "size_bytes": size, "unit": "%",
             "weft": statistics.median(one[(name, size)]["value"] for one in rounds)}
            for name, size in rounds[0]]


def goal(row):
    return AT_LEAST_SMALL if row["size_bytes"] < SMALL else AT_LEAST


def print_table(title, rows):
    peers = [who for who in (*PEERS, BOUND) if who in rows[0]]
    print(f"\n{title}")
    print(f"{'':6}{'block':>9}{'UPC-IO':>10}{''.join(f'{who:>10}' for who in peers)}  MB/s{'ratio':>8}{'worst':>8}"
          f"{'best':>8}{'at best':>9}{'goal':>7}")
    for row in rows:
        print(f"{row['name']:6}{size_text(row['size_bytes']):>9}{row['weft']:10.0f}"
              f"{''.join(f'{row[who]:10.0f}' for who in peers)}      {row['ratio']:8.2f}{row['ratios'][0]:8.2f}"
              f"{row['ratios'][-1]:8.2f}{row['ratio_at_best']:9.2f}{goal(row):7.2f}  "
              f"{'reached' if row['ratio'] >= goal(row) else 'NOT reached'}")
    print("fastest turns of all rounds")
    for row in rows:
        print(f"{row['name']:6}{size_text(row['size_bytes']):>9}"
              f"{''.join(f'{rate:10.0f}' for rate in row['best'].values())}  MB/s")


def print_hidden(title, rows):
    print(f"\n{title}")
    for row in rows:
        reached = "reached" if row["weft"] >= HIDDEN_AT_LEAST else "NOT reached"
        print(f"{row['name'].removeprefix('hidden_'):6} hides {row['weft']:5.0f} % of a computation as long as the "
              f"transfer; goal {HIDDEN_AT_LEAST:.0f} %: {reached}")


def options_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build folder")
    parser.add_argument("--file", default="weft-io-bench.data", type=os.path.abspath,
                        help="the file to use (default: one in this folder); its file system is what is measured")
    parser.add_argument("--ranks", type=int, default=2, help="default: 2")
    parser.add_argument("--mib", type=int, default=16, help="MiB of each rank (default: 16)")
    parser.add_argument("--rounds", type=int, default=5, help="of all programs (default: 5)")
    parser.add_argument("--turns", type=int, default=5, help="of each case in a program (default: 5)")
    parser.add_argument("--hosts", type=int, nargs="+", default=[1, 2], help="numbers of hosts (default: 1 2); more "
                        "than one needs root, for the lab")
    parser.add_argument("--storage", nargs="+", choices=("memory", "disk"), default=["memory", "disk"])
    options = parser.parse_args()
    if min(options.ranks, options.mib, options.rounds, options.turns, *options.hosts) < 1:
        parser.error("--ranks, --mib, --rounds, --turns and --hosts must be at least 1")
    return options


def main():
    options = options_of()
    need_programs(options.build, "upcrun", "upc-io", "mpi-io",
                  *(["lab", "posix-io"] if max(options.hosts) > 1 else []))
    need_folder_of(options.file)
    if max(options.hosts) > 1 and os.geteuid() != 0:
        give_up("several hosts need root; or give --hosts 1")
    cases = []
    for hosts in options.hosts:
        with Place(options, hosts) as place:
            where = "one host" if hosts == 1 else f"{hosts} lab hosts"
            for storage in options.storage:
                rows = measure(place, options, storage == "disk")
                print_table(f"{options.ranks} ranks x {options.mib} MiB, {where}, {storage}", rows)
                cases.append({"hosts": hosts, "storage": storage, "ranks": options.ranks, "results": rows})
                # In memory the copying needs a processor of its own beside the computation's; the disk needs none.
                ranks = options.ranks if storage == "disk" else len(os.sched_getaffinity(0)) // 2 // hosts * hosts
                if ranks == 0:
                    print(f"\nAsynchronous forms, {where}, {storage}: not measured; each thread computes and copies at "
                          f"once, which takes 2 processors per host")
                else:
                    rows = hidden(place, options, storage == "disk", ranks)
                    print_hidden(f"Asynchronous forms, {ranks} thread(s), {where}, {storage}", rows)
                    cases.append({"hosts": hosts, "storage": storage, "ranks": ranks, "results": rows})
    (options.build / "bench").mkdir(exist_ok=True)
    path = options.build / "bench" / "io.json"
    path.write_text(json.dumps({"benchmark": "io", "mib": options.mib, "rounds": options.rounds, "cases": cases},
                               indent=1) + "\n", encoding="utf-8")
    print(f"\nwrote {path}")


if __name__ == "__main__":
    main()
