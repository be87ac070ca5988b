#!/usr/bin/env python3
"""Hours of random operations over networks, with faults, and a look for leaks after each round.

    soak.py --build build --minutes 60 [--seed N]

Rounds of several kinds take turns, each with settings drawn from the seed: random operation streams (with injected
faults, over tcp, udp, shared memory and both, in all orders, with and without a progress thread) on this machine and
between hosts of an emulated cluster whose links change their rate; one long stream whose ranks' memory and descriptors
are watched; NAS FT, verified; both over a cable that loses, damages, doubles and delays packets; jobs that lose a rank,
a host, a cable or the network of the ranks and must end as documented.

After each round nothing of it may be left: processes, files in /dev/shm, sockets of the hosts, descriptors of
the lab's own processes. The first round that fails is printed with the command that repeats it, and ends the soak.
Without root there is no cluster and the rounds that need one are left out.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lab"))
from bad_cable import FAULTS as CABLE_FAULTS  # pylint: disable=wrong-import-position
from bad_cable import TAP_DEVICE, BadCable  # pylint: disable=wrong-import-position

ROUND_LIMIT_S = 300
SETTLE_S = 8  # within which all traces of a round must be gone
HOSTS = 3
SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../sim/fault_seeds.py")
FAULTS = "refuse=0.1,delay=0.3,reorder=0.5,seed={}"
RATES = ("100mbit", "1gbit", "4gbit", "unlimited")
# Files in /dev/shm of Open MPI's and MPICH's jobs, of which the soak runs none: somebody else on this machine does.
OTHERS_FILES = ("vader_segment", "mpich_shar_tmp")
# After 20 s a connection is given up (docs/IP-PROTOCOL.md, "Loss"); the launcher then has 3 s, and the machine is busy.
NETWORK_LOST_S = 15, 45
MEMORY_GROWTH_KB = 64 << 10  # of a rank, from the middle of the long stream to its end


class RoundFailed(Exception):
    """What went wrong in a round."""


def shared_files():
    return {name for name in os.listdir("/dev/shm") if not name.startswith(OTHERS_FILES)}


class Soak:
    def __init__(self, options):
        self.bin = os.path.abspath(os.path.join(options.build, "bin"))
        self.random = random.Random(options.seed)
        self.name = f"soak{uuid.uuid4().hex[:6]}"
        self.mark = f"SOAK_MARK={uuid.uuid4().hex}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("WEFT_", "PMI"))}
        self.environment = dict(kept, LAB_NAME=self.name, SOAK_MARK=self.mark.split("=")[1], WEFT_SEGMENT_SIZE="64M")
        self.cluster = os.geteuid() == 0
        self.last = ""  # how to repeat the round under way
        self.counts = {}
        self.files_before = shared_files()

    # ---- The rounds. Each says what it did. ----

    def streams_on_this_machine(self):
        settings = self.random.choice((
            {"WEFT_CONDUIT": "ofi", "WEFT_OFI_PROVIDER": "tcp"}, {"WEFT_CONDUIT": "ofi", "WEFT_NET_INTERFACE": "lo,lo"},
            {"WEFT_CONDUIT": "ofi", "WEFT_PROGRESS": "thread"}, {"WEFT_CONDUIT": "ofi", "WEFT_NET_WAIT": "0"},
            {"WEFT_CONDUIT": "ofi", "WEFT_OFI_PROVIDER": "udp"}, {"WEFT_HOST_NAME": "a,b"}, {}))
        return self.streams([f"{self.bin}/weftrun"], dict(settings), self.random.choice((2, 3, 4)))

    def streams_between_hosts(self):
        rate = self.change_rate()
        rails = self.random.choice(("eth0", "eth0,eth1"))
        words = self.streams([f"{self.bin}/lab", "run"], {"WEFT_NET_INTERFACE": rails}, self.random.choice((2, 3, 6)))
        return f"{words}, {rails}, links {rate}"

    def streams(self, launcher, settings, ranks):
        seed = self.random.randrange(1 << 31)
        settings["WEFT_ORDER"] = self.random.choice(("strict", "default", "relaxed"))
        if self.random.random() < 0.5:
            settings["WEFT_FAULT"] = FAULTS.format(seed % 1000)
        if self.random.random() < 0.2:
            settings["WEFT_MAP_PEERS"] = "0"
        self.run([*launcher, "-n", str(ranks), f"{self.bin}/streams", "--seed", str(seed), "--operations", "4000"],
                 settings)
        return f"{ranks} ranks, seed {seed}, {settings}"

    def long_stream(self):
        """The ranks' own memory and descriptors, watched from outside."""
        seed = self.random.randrange(1 << 31)
        begun = self.begin([f"{self.bin}/weftrun", "-n", "2", f"{self.bin}/streams", "--seed", str(seed),
                            "--operations", "100000"], {"WEFT_CONDUIT": "ofi"})
        samples = []
        while begun.poll() is None:
            samples.append(self.of_ranks())
            time.sleep(0.2)
        self.finish(begun, 0, "")
        samples = [sample for sample in samples if len(sample) == 2][:-1]
        first, last = samples[len(samples) // 2], samples[-1]
        for (memory, descriptors), (memory_end, descriptors_end) in zip(first, last):
            if descriptors_end > descriptors or memory_end > memory + MEMORY_GROWTH_KB:
                raise RoundFailed(f"a rank grew from {memory} KB and {descriptors} descriptors to {memory_end} KB and "
                                  f"{descriptors_end}")
        return f"seed {seed}, {last[0][0] >> 10} MB and {last[0][1]} descriptors a rank"

    def ft(self):
        rate = self.change_rate() if self.cluster else ""
        program, variant = self.random.choice(("ft", "ft-upc")), self.random.choice(("pencils", "slabs", "exchange"))
        class_name = "S" if rate == "100mbit" else self.random.choice("SW")
        launcher = [f"{self.bin}/lab", "run"] if self.cluster else [f"{self.bin}/weftrun"]
        settings = {} if self.cluster else {"WEFT_CONDUIT": "ofi"}
        return self.verified(launcher, program, class_name, variant, settings) + f" {rate}"

    def verified(self, launcher, program, class_name, variant, settings):
        output = self.run([*launcher, "-n", "2", f"{self.bin}/{program}", "--class", class_name, "--variant", variant,
                           "--plan", "quick"], {**settings, "WEFT_SEGMENT_SIZE": "0"})
        if "Verification         passed" not in output:
            raise RoundFailed(f"not verified: {output}")
        return f"{program} {class_name} {variant}"

    def rank_lost(self):
        begun = self.begin([f"{self.bin}/weftrun", "-n", "3", f"{self.bin}/lab_stream", "0"], {"WEFT_CONDUIT": "ofi"})
        victim = self.random.choice(self.wait_for_ranks(3))
        time.sleep(self.random.random())
        os.kill(victim, signal.SIGKILL)
        self.finish(begun, 137, "was killed by signal 9")
        return "a rank was killed"

    def host_lost(self):
        self.lab("rate", "unlimited")
        begun = self.begin([f"{self.bin}/lab", "run", "-n", "3", "--host-timeout", "2", f"{self.bin}/lab_stream", "0"],
                           {})
        self.wait_for_ranks(3)
        time.sleep(self.random.random())
        self.lab("cut", "h2")
        try:
            self.finish(begun, 1, "host h2 does not answer any more")
        finally:
            self.lab("mend", "h2")
        return "a host was cut off"

    def cable_pulled_for_a_moment(self):
        self.lab("rate", "unlimited")
        begun = self.begin([f"{self.bin}/lab", "run", "-n", "2", f"{self.bin}/lab_stream", "3000", "100000"], {})
        self.wait_for_ranks(2)
        self.lab("cut", "h2")
        time.sleep(self.random.uniform(0.1, 1))
        self.lab("mend", "h2")
        self.finish(begun, 0, "")
        return "a cable was out for a moment"

    def bad_cable(self):
        """Over TCP of the kernel, conduit ip and libfabric: packets are lost, damaged, doubled and late."""
        self.lab("rate", "unlimited")
        seed = self.random.randrange(1 << 31)
        shares = {fault: self.random.choice((0, 0.001, 0.01)) for fault in CABLE_FAULTS}
        shares["drop"] = self.random.choice((0.001, 0.01, 0.03))
        cable = BadCable(self.name, "h2", seed)
        try:
            for fault, share in shares.items():
                cable.tell(fault, share)
            words = self.random.choice((self.streams_over_it, self.ft_over_it))()
            counts = cable.tell("drop", 0)
        finally:
            cable.close()
        if counts.get("carried", 0) == 0:
            raise RoundFailed(f"{words}: nothing went over the bad cable")
        return f"{words}, cable {seed} {shares}: {counts}"

    def streams_over_it(self):
        conduit = self.random.choice(("node-ip", "ip", "node"))
        return self.streams([f"{self.bin}/lab", "run"], {"WEFT_CONDUIT": conduit, "WEFT_NET_INTERFACE": "eth0"},
                            self.random.choice((2, 3)))

    def ft_over_it(self):
        return self.verified([f"{self.bin}/lab", "run"], "ft", "S", "slabs",
                             {"WEFT_CONDUIT": "ip", "WEFT_NET_INTERFACE": "eth0"})

    def network_lost(self):
        """Of the ranks only: the launcher hears all hosts, so it is they who must notice."""
        self.lab("rate", "unlimited")
        cable = BadCable(self.name, "h2", 0)
        try:
            begun = self.begin([f"{self.bin}/lab", "run", "-n", "2", "--hosts", "h1,h2", f"{self.bin}/lab_stream", "0"],
                               {"WEFT_CONDUIT": "ip", "WEFT_NET_INTERFACE": "eth0"})
            self.wait_for_ranks(2)
            cable.tell("drop", 1)
            lost = time.monotonic()
            self.finish(begun, 1, "lost contact with rank")
        finally:
            cable.close()
        waited = time.monotonic() - lost
        if not NETWORK_LOST_S[0] < waited < NETWORK_LOST_S[1]:
            raise RoundFailed(f"the ranks noticed after {waited:.1f} s, not {NETWORK_LOST_S}")
        return f"noticed after {waited:.1f} s"

    def simulated_seeds(self):
        """Some kinds of faults on simulated networks, each with seeds that nobody has tried."""
        first = self.random.randrange(1 << 40)
        return self.run([sys.executable, SEEDS, "--minutes", "0.3", "--seed", str(first), self.bin], {}).strip()

    # ---- Jobs ----

    def begin(self, command, settings):
        words = [f"{name}={value}" for name, value in settings.items()]
        self.last = " ".join(["env", *words, *command])
        return subprocess.Popen(command, env={**self.environment, **settings}, stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, begun, code, said):
        try:
            output, errors = begun.communicate(timeout=ROUND_LIMIT_S)
        except subprocess.TimeoutExpired:
            begun.terminate()
            output, errors = begun.communicate()
            raise RoundFailed(f"no end after {ROUND_LIMIT_S} s:\n{output}{errors}") from None
        if begun.returncode != code or said not in errors:
            raise RoundFailed(f"exit status {begun.returncode}, expected {code} {said}:\n"
                              f"{output[-3000:]}{errors[-3000:]}")
        return output

    def run(self, command, settings):
        return self.finish(self.begin(command, settings), 0, "")

    def lab(self, *arguments):
        done = subprocess.run([f"{self.bin}/lab", *map(str, arguments)], capture_output=True, text=True, check=False,
                              env=self.environment)
        if done.returncode != 0:
            raise RoundFailed(f"lab {' '.join(map(str, arguments))}: {done.stderr}")

    def change_rate(self):
        rate = self.random.choice(RATES)
        self.lab("rate", rate)
        return rate

    # ---- What there is ----

    def processes(self):
        """(process, command) of everything that the soak has started, but for the lab's own."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    mine = self.mark.encode() in file.read()
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    command = file.read().split(b"\0")
            except OSError:
                continue
            if mine and command != [b""] and not any(word.endswith(b"/host.py") for word in command):
                yield int(pid), command

    def ranks(self):
        return [pid for pid, command in self.processes() if os.path.basename(command[0]) in (b"streams", b"lab_stream")]

    def wait_for_ranks(self, count):
        end = time.monotonic() + 20
        while len(self.ranks()) < count:
            if time.monotonic() > end:
                raise RoundFailed(f"{count} ranks did not start")
            time.sleep(0.05)
        time.sleep(1)  # until they are past the start
        return self.ranks()

    def of_ranks(self):
        """(resident KB without what is shared, number of descriptors) of each rank."""
        found = []
        for pid in sorted(self.ranks()):
            try:
                with open(f"/proc/{pid}/status", encoding="ascii") as file:
                    memory_kib = int(re.search(r"RssAnon:\s+(\d+)", file.read())[1])
                found.append((memory_kib, len(os.listdir(f"/proc/{pid}/fd"))))
            except (OSError, TypeError):
                continue
        return found

    def traces(self):
        """Whatever a round might leave behind, by kind."""
        found = {"processes": [command for _, command in self.processes()],
                 "files in /dev/shm": sorted(shared_files() - self.files_before)}
        for host in (f"h{i + 1}" for i in range(HOSTS if self.cluster else 0)):
            listed = subprocess.run(["ip", "netns", "pids", f"weft-{self.name}-{host}"], capture_output=True, text=True,
                                    check=True).stdout.split()
            with open(f"/proc/{listed[0]}/net/sockstat", encoding="ascii") as file:
                # What else is there ("orphan", "alloc") counts the whole machine's sockets.
                counts = re.findall(r"(TCP|UDP): inuse (\d+)", file.read())
            found[f"sockets of {host}"] = counts
            found[f"descriptors of {host}"] = len(os.listdir(f"/proc/{listed[0]}/fd"))
        return found

    def check_for_leaks(self, before):
        end = time.monotonic() + SETTLE_S
        while (now := self.traces()) != before:
            if time.monotonic() > end:
                grown = {kind: (before[kind], now[kind]) for kind in now if now[kind] != before[kind]}
                raise RoundFailed(f"left behind (before, now): {grown}")
            time.sleep(0.1)

    # ---- All of it ----

    def kinds(self):
        kinds = [self.streams_on_this_machine, self.ft, self.rank_lost, self.long_stream, self.simulated_seeds]
        if self.cluster:
            kinds += [self.streams_between_hosts, self.host_lost, self.cable_pulled_for_a_moment]
            if os.path.exists(TAP_DEVICE):
                kinds += [self.bad_cable, self.network_lost]
        return kinds

    def run_rounds(self, minutes):
        end = time.monotonic() + 60 * minutes
        before = self.traces()
        while time.monotonic() < end:
            for kind in self.random.sample(self.kinds(), len(self.kinds())):
                begin = time.monotonic()
                words = kind()
                self.check_for_leaks(before)
                self.counts[kind.__name__] = self.counts.get(kind.__name__, 0) + 1
                print(f"{kind.__name__}: {words} ({time.monotonic() - begin:.1f} s)", flush=True)
                if time.monotonic() > end:
                    break


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="folder of the build")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of all that is drawn")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the lab is taken down
    soak = Soak(options)
    print(f"soak: --seed {options.seed}, {options.minutes:g} minutes"
          + ("" if soak.cluster else "; not root, so without a cluster"), flush=True)
    try:
        if soak.cluster:
            soak.lab("up", HOSTS, "--links", 2)
        soak.run_rounds(options.minutes)
    except RoundFailed as failure:
        print(f"soak: failed after {sum(soak.counts.values())} rounds: {failure}\nto repeat the job: {soak.last}",
              file=sys.stderr)
        return 1
    finally:
        if soak.cluster:
            soak.lab("down")
    print("soak: passed; rounds: " + ", ".join(f"{count} {name}" for name, count in sorted(soak.counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
