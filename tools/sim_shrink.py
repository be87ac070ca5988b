#!/usr/bin/python3
"""Makes the faults under which a simulated job fails fewer, as long as it fails in the same way.

  weft-sim-shrink -- weftrun --sim flat -n 4 --sim-fault delay=0.3:20us,retry=0.2,schedule,seed=17 ./program
  WEFT_CONDUIT=sim WEFT_SIM_FAULT=delay=0.3:20us,seed=17 weft-sim-shrink -- ./test --gtest_filter=A.B

Kinds of faults are left out one by one, then probabilities and times are halved, then the messages' numbers that faults
may meet are narrowed down (only=FIRST-LAST). What a fault decides depends on its own dice alone, so the others stay.
"""

import argparse
import math
import os
import re
import shlex
import subprocess
import sys
import time

NAME = "weft-sim-shrink"
VARIABLE = "WEFT_SIM_FAULT"
LAST_NUMBER = 1 << 24  # where the search for the last message begins
SMALLEST = 0.001       # probability
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
HANGS = "it does not end"
SURELY_HANGS = 10      # times as long as without faults
LONGEST_LIMIT = 1e6    # seconds
WRONG_SETTING = re.compile(r"^weft: .*error: setting WEFT_.*", re.M)


def give_up(text, code=2):
    print(f"{NAME}: {text}", file=sys.stderr)
    sys.exit(code)


class Command:
    """What is run, with any faults."""

    def __init__(self, words, limit, pattern):
        self.words, self.limit, self.pattern = words, limit, pattern
        self.place = next((i + 1 for i, word in enumerate(words[:-1]) if word == "--sim-fault"), None)
        self.joined = next((i for i, word in enumerate(words) if word.startswith("--sim-fault=")), None)
        self.runs = 0

    def faults(self):
        if self.place is not None:
            return self.words[self.place]
        if self.joined is not None:
            return self.words[self.joined].partition("=")[2]
        return os.environ.get(VARIABLE, "")

    def with_faults(self, faults):
        """The words of the command, and the environment."""
        words, variables = list(self.words), dict(os.environ)
        if self.place is not None:
            words[self.place - 1:self.place + 1] = ["--sim-fault", faults] if faults else []
        elif self.joined is not None:
            words[self.joined:self.joined + 1] = [f"--sim-fault={faults}"] if faults else []
        elif faults:
            variables[VARIABLE] = faults
        if not faults:
            variables.pop(VARIABLE, None)
        return words, variables

    def line(self, faults):
        words, variables = self.with_faults(faults)
        settings = {name: value for name, value in variables.items() if name.startswith(("WEFT_", "TEST_", "COLL_"))}
        assignments = [f"{name}={value}" for name, value in sorted(settings.items())]
        return shlex.join(["env", *assignments, *words] if assignments else words)

    def run(self, faults):
        """The process when it has ended, or None if it did not within the limit."""
        self.runs += 1
        words, variables = self.with_faults(faults)
        try:
            return subprocess.run(words, env=variables, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=self.limit, check=False, errors="replace")
        except subprocess.TimeoutExpired:
            return None
        except OSError as error:
            return give_up(f"cannot run {words[0]}: {error.strerror}")

    def failure(self, faults):
        """How the command fails with these faults: its exit code, HANGS, or None if it does not (as it should)."""
        done = self.run(faults)
        if done is None:
            return HANGS
        if self.runs == 1:
            self.refuse_wrong_line(done)
        if done.returncode == 0 or (self.pattern and not re.search(self.pattern, done.stdout + done.stderr)):
            return None
        return done.returncode

    def refuse_what_may_be_slow(self):
        """A run that reaches the limit hangs only if the limit is far more than a run takes."""
        said = f"the command did not end within {self.limit:g} s"
        start = time.monotonic()
        done = self.run("")
        seconds = time.monotonic() - start
        if done is None:
            give_up(f"{said}, nor does it without faults; raise --limit if it is only slow", 1)
        if done.returncode != 0:
            give_up(f"{said}, and without faults it ends with {done.returncode}: that is to be mended first", 1)
        if self.limit < SURELY_HANGS * seconds:
            give_up(f"{said}, and without faults it takes {seconds:.1f} s: it may only be slow; "
                    f"give --limit {math.ceil(SURELY_HANGS * seconds)} or more", 1)

    def refuse_wrong_line(self, done):
        """A mistake in the command or its settings is no failure of the job. weftrun ends with 2 then, and prints no
        way to replay it; of another program the line tells."""
        launched = any(os.path.basename(word) in ("weftrun", "upcrun") for word in self.words)
        refused = launched and done.returncode == 2 and "run: replay: " not in done.stderr
        setting = WRONG_SETTING.search(done.stderr)  # a program that goes on without Weft says more behind it
        if refused or setting:
            lines = done.stderr.strip().splitlines() or ["exit code 2"]
            give_up(f"the command is wrong: {setting[0] if setting else lines[-1]}")


def text_of(entries):
    return ",".join(entries)


def is_fault(entry):
    return not entry.startswith(("seed=", "only="))


def halved(entry):
    """The entry with half its probability, and with half its time, where it has these and they are not small yet."""
    key, _, value = entry.partition("=")
    if key == "reorder" and not value:
        value = "0.5"
    if key in ("delay", "drop", "retry", "reorder"):
        probability, colon, span = value.partition(":")
        if float(probability) / 2 >= SMALLEST:
            yield f"{key}={float(probability) / 2:g}{colon}{span}"
    if key in ("delay", "schedule") and value:
        probability, colon, span = value.rpartition(":")
        number, unit = re.fullmatch(r"([\d.e+-]+) *(\w+)", span).groups()
        if (time_ns := int(float(number) * UNITS[unit]) // 2) > 0:
            yield f"{key}={probability}{colon}{time_ns}ns"


class Shrinker:
    def __init__(self, command):
        self.command = command
        self.entries = [entry for entry in command.faults().split(",") if entry]
        self.failure = None

    def look_how_it_fails(self):
        self.failure = self.command.failure(text_of(self.entries))
        if self.failure is None:
            give_up("the command does not fail" + (" in the way that --match says" if self.command.pattern else ""), 1)
        if self.failure == HANGS:
            self.command.refuse_what_may_be_slow()

    def try_entries(self, entries, quietly=False):
        if self.command.failure(text_of(entries)) != self.failure:
            return False
        self.entries = entries
        if not quietly:
            self.tell()
        return True

    def tell(self):
        print(f"{NAME}: fails with {text_of(self.entries) or 'no faults'}", flush=True)

    def leave_out(self):
        again = True
        while again:
            again = any(self.try_entries([other for other in self.entries if other is not entry])
                        for entry in list(self.entries) if is_fault(entry))
        if self.entries and not any(map(is_fault, self.entries)):
            self.try_entries([])

    def halve(self):
        for place in range(len(self.entries)):
            while any(self.try_entries([*self.entries[:place], smaller, *self.entries[place + 1:]])
                      for smaller in halved(self.entries[place])):
                pass

    def narrow(self):
        """The last number first, then the first: with fewer messages the job mostly fails as it did, or not at all."""
        window = next((entry for entry in self.entries if entry.startswith("only=")), f"only=0-{LAST_NUMBER}")
        first, last = map(int, window.partition("=")[2].split("-"))
        others = [entry for entry in self.entries if not entry.startswith("only=")]
        if not any(entry.startswith(("delay", "drop", "retry", "reorder")) for entry in others):
            return
        low, high = first, last
        while low < high:
            middle = (low + high) // 2
            if self.try_entries([*others, f"only={first}-{middle}"], quietly=True):
                high = middle
            else:
                low = middle + 1
        last, low = high, first
        while low < last:
            middle = (low + last + 1) // 2
            if not self.try_entries([*others, f"only={middle}-{high}"], quietly=True):
                last = middle - 1
            else:
                low = middle
        self.tell()

    def run(self):
        self.look_how_it_fails()
        self.leave_out()
        self.halve()
        self.narrow()
        self.leave_out()
        return text_of(self.entries)


def limit_of(text):
    try:
        limit = float(text)
    except ValueError:
        limit = 0
    if not 0 < limit <= LONGEST_LIMIT:
        give_up(f"--limit '{text}': expected seconds, more than 0 and at most {LONGEST_LIMIT:.0f}")
    return limit


def main():
    parser = argparse.ArgumentParser(prog=NAME, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"{NAME} (Weft) @WEFT_VERSION@",
                        help="print the version")
    parser.add_argument("--match", metavar="REGEX", default="", help="what the failing job prints")
    parser.add_argument("--limit", metavar="SECONDS", default="60",
                        help=f"a run that takes longer hangs; {SURELY_HANGS} times what it takes without faults (60)")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the job that fails, behind --")
    options = parser.parse_args()
    try:
        re.compile(options.match)
    except re.error as error:
        give_up(f"--match '{options.match}': {error}")
    command = Command(options.command, limit_of(options.limit), options.match)
    if not command.faults():
        give_up(f"there are no faults to shrink: give --sim-fault, or set {VARIABLE}")
    shrinker = Shrinker(command)
    try:
        faults = shrinker.run()
    except KeyboardInterrupt:
        print(f"{NAME}: interrupted; so far\nreplay: {command.line(text_of(shrinker.entries))}", flush=True)
        sys.exit(130)
    if not faults:
        print(f"{NAME}: faults have nothing to do with it")
    print(f"{NAME}: {command.runs} runs\nreplay: {command.line(faults)}")


if __name__ == "__main__":
    main()
