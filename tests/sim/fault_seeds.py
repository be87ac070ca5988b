"""The contract, streams, collectives and teams on simulated networks with faults and random schedules: each seed is
another interleaving. Of some kinds each seed loses a host, at another moment.

  fault_seeds.py BIN_FOLDER KIND                        the seeds of this kind that make test runs
  fault_seeds.py --list                                 the kinds
  fault_seeds.py --minutes M [--seed FIRST] BIN_FOLDER  others, for so long

A failure ends it with a line that replays it; weft-sim-shrink makes that smaller.
"""

import argparse
import os
import random
import re
import shlex
import subprocess
import sys
import time
from typing import NamedTuple

LIMIT_S = 240  # of one process
SLICE_S = 5  # of a kind, times its weight, before it is another's turn (--minutes)
CONFORMANCE = ("conformance_test", "--gtest_brief=1")
# It takes longer than all other tests of collectives, and no mutant needs it.
TEN_THOUSAND = "Collective.TenThousandSynchronousCompletionsNeedNoStack"
COLLECTIVES = ("collective_test", "--gtest_brief=1", f"--gtest_filter=-{TEN_THOUSAND}")
# Without declined operations: who is declined by a fault is woken by it, and so hears of room that nobody told it of.
REQUESTS = ("capi_test", "--gtest_brief=1", "--gtest_filter=ShortMessage.*")
SEMAPHORES = ("capi_test", "--gtest_brief=1", "--gtest_filter=Semaphore.*")
STREAMS = ("streams",)
MESSAGES = {"WEFT_MAP_PEERS": "0"}
HOSTS = {"WEFT_SIM_RANKS_PER_HOST": "1"}


class Kind(NamedTuple):
    """A program under one kind of faults."""

    program: tuple[str, ...]
    seeds: int  # in one process, as make test runs it
    ranks: int
    faults: str
    settings: dict[str, str]
    lost: str = ""  # how each seed loses a host: dead or cut; such a seed takes a process of its own
    weight: int = 1  # its share of the time with --minutes


KINDS = {
    "conformance": Kind(CONFORMANCE, 16, 3, "delay=0.2:20us,retry=0.1,reorder=0.3,schedule", {}),
    "conformance_by_messages": Kind(CONFORMANCE, 16, 2, "delay=0.1:50us,drop=0.02,retry=0.3,schedule=1us", MESSAGES),
    "order_strict": Kind((*CONFORMANCE, "--gtest_filter=StrictOrder.*"), 40, 3,
                         "delay=0.3:50us,retry=0.2,reorder=0.3,schedule", {"WEFT_ORDER": "strict", **HOSTS}),
    "collectives": Kind(COLLECTIVES, 14, 4, "delay=0.2:30us,drop=0.01,retry=0.1,reorder=0.3,schedule", {}),
    # On hosts of their own, which the tests of teams do not expect.
    "collectives_by_messages": Kind((*COLLECTIVES, f"--gtest_filter=-Team*:{TEN_THOUSAND}"), 8, 3,
                                    "delay=0.1:100us,retry=0.2,reorder,slow=h1:8,schedule=2us",
                                    {**MESSAGES, **HOSTS}),
    "teams": Kind((*COLLECTIVES, "--gtest_filter=Team*"), 46, 5, "delay=0.3:50us,drop=0.05,reorder,schedule", {}),
    "requests": Kind(REQUESTS, 16, 3, "delay=0.2:20us,drop=0.01,reorder=0.3,schedule", {}),
    "semaphores": Kind(SEMAPHORES, 16, 4, "delay=0.3:20us,drop=0.02,retry=0.2,reorder=0.3,schedule", {}),
    "streams": Kind(STREAMS, 100, 3, "delay=0.2:20us,drop=0.02,retry=0.1,reorder,schedule", {}, weight=4),
    "streams_by_messages": Kind(STREAMS, 100, 4, "delay=0.3:50us,retry=0.2,reorder=0.3,slow=h0:4,schedule=500ns",
                                MESSAGES, weight=4),
    "dead_hosts": Kind(STREAMS, 40, 4, "delay=0.1:20us,reorder=0.2,schedule", HOSTS, lost="dead"),
    "dead_hosts_in_collectives": Kind(COLLECTIVES, 20, 4, "delay=0.1:20us,schedule", HOSTS, lost="dead"),
    "hosts_cut_off": Kind(STREAMS, 40, 4, "delay=0.1:20us,reorder=0.2,schedule", {**MESSAGES, **HOSTS}, lost="cut"),
}
# What the job says then (docs/SIMULATION.md, "Faults").
TOLD = {"dead": r"weft: error: host h{host} does not answer any more",
        "cut": r"error: lost contact with rank \d+: .*\(host h{host} is cut off\)"}
WRONG = r"FAILED|Failure|differs|deadlock"


def command_of(kind, folder, seeds, first):
    words = [os.path.join(folder, kind.program[0]), *kind.program[1:]]
    if kind.program == STREAMS:
        return [*words, "--operations", "300", "--seed", str(first), "--jobs", str(seeds)]
    return [*words, f"--gtest_repeat={seeds}"]


def settings_of(kind):
    return {"WEFT_CONDUIT": "sim", "WEFT_SEGMENT_SIZE": "64M", "WEFT_SIM_PLATFORM": "lab",
            "TEST_THREAD_RANKS": str(kind.ranks), **kind.settings}


def output_of(command, settings):
    """What it printed, and how it ended."""
    try:
        done = subprocess.run(command, env={**os.environ, **settings}, timeout=LIMIT_S, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout, f"exit status {done.returncode}"
    except subprocess.TimeoutExpired as expired:
        return (expired.stdout or b"").decode(errors="replace"), f"no end after {LIMIT_S} s"


def replay_line(settings, command):
    return "replay: " + shlex.join(["env", *(f"{name}={value}" for name, value in settings.items()), *command])


def run_without_a_host(kind, folder, seed):
    """Host and moment come from the seed. The job ends with 1 and names the host, or it had ended before."""
    chance = random.Random(seed)
    host = chance.randrange(kind.ranks)
    moment_ns = int(10 ** chance.uniform(3, 6.7))
    faults = f"{kind.faults},{kind.lost}=h{host}@{moment_ns}ns,seed={seed}"
    settings = {**settings_of(kind), "WEFT_SIM_FAULT": faults}
    command = command_of(kind, folder, 1, seed)
    output, why = output_of(command, settings)
    told = re.search(TOLD[kind.lost].format(host=host), output)
    ended = why == "exit status 0" if told is None else why == "exit status 1"
    if ended and not re.search(WRONG, output):
        return ""
    return f"{output[-6000:]}\n{why}\n{replay_line(settings, command)}"


def run(kind, folder, seeds, first):
    """Empty, or what went wrong and the line that repeats it."""
    if kind.lost:
        return next(filter(None, (run_without_a_host(kind, folder, first + i) for i in range(seeds))), "")
    settings = {**settings_of(kind), "TEST_SIM_FAULT": kind.faults, "TEST_SIM_FIRST_SEED": str(first)}
    output, why = output_of(command_of(kind, folder, seeds, first), settings)
    if why == "exit status 0":
        return ""
    begun = re.findall(r"^WEFT_SIM_FAULT=(\S*,seed=(\d+))$", output, re.MULTILINE)
    if not begun:
        return f"{output}\n{why}"
    # The program may have failed under one seed and gone on to others; then the last line of it says nothing.
    parts = re.split(r"^WEFT_SIM_FAULT=\S*\n", output, flags=re.MULTILINE)[1:]
    failed = next((i for i, part in enumerate(parts) if "FAILED" in part or "Failure" in part), len(begun) - 1)
    faults, seed = begun[failed]
    settings = {**settings_of(kind), "WEFT_SIM_FAULT": faults}
    return f"{parts[failed][-6000:]}\n{why}\n{replay_line(settings, command_of(kind, folder, 1, int(seed)))}"


def run_for(minutes, folder, first):
    """All kinds by turns, each for its share of the time: a kind whose seeds are short has more of them."""
    end = time.monotonic() + 60 * minutes
    done = 0
    seeds = {name: kind.seeds for name, kind in KINDS.items()}
    while time.monotonic() < end:
        for name, kind in KINDS.items():
            begun = time.monotonic()
            wrong = run(kind, folder, seeds[name], first + done)
            if wrong:
                print(f"{name}: {wrong}", file=sys.stderr)
                return 1
            done += seeds[name]
            took = time.monotonic() - begun
            seeds[name] = max(1, min(4 * seeds[name], int(seeds[name] * SLICE_S * kind.weight / took)))
            if time.monotonic() > end:
                break
    print(f"{done} seeds from {first} on passed")
    return 0


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(KINDS))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 40), help="the first")
    parser.add_argument("folder")
    parser.add_argument("kind", nargs="?", choices=KINDS)
    options = parser.parse_args()
    if options.minutes is not None:
        return run_for(options.minutes, options.folder, options.seed)
    if options.kind is None:
        parser.error("which kind? or --minutes")
    kind = KINDS[options.kind]
    wrong = run(kind, options.folder, kind.seeds, 1)
    if wrong:
        print(wrong, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
