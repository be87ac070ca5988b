"""The emulated network: namespaces, links and their limits, made and unmade with ip and tc.

A lab NAME with N hosts and K links is N network namespaces weft-NAME-h1..hN and one of the switch, weft-NAME-switch.
Link L of host I is a veth pair between eth{L} of the host and port h{I}-{L} of bridge br{L} in the switch, with the
address 10.144.L.I/24. Nothing leads out of the lab, so several labs may use the same addresses.

A rate limits both ends of each pair: what the host sends, and what the switch sends to it. What a lab is, is written
down in /run/weft-lab/NAME; a folder without lab.json there is what a lab that was interrupted has left.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time

RUN = pathlib.Path("/run/weft-lab")
MOST_HOSTS = 64
MOST_LINKS = 8
HOST_PROGRAM = pathlib.Path(__file__).resolve().parent / "host.py"
RATE_UNITS = {"": 1, "bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
DELAY_UNITS = {"us": 1, "ms": 1000, "s": 10**6}


class LabError(Exception):
    """What the user is told, in one line, and the exit code."""

    def __init__(self, text, code=1):
        super().__init__(text)
        self.code = code


def parse_rate(text):
    """Bits per second; None for 'unlimited'."""
    if text in (None, "unlimited"):
        return None
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([a-z]*)", text.lower())
    if not match or match[2] not in RATE_UNITS:
        raise LabError(f"rate '{text}': give a number with bit, kbit, mbit or gbit, as in 2gbit, or 'unlimited'")
    rate = int(float(match[1]) * RATE_UNITS[match[2]])
    if not 10**5 <= rate <= 10**12:
        raise LabError(f"rate '{text}' is not from 100kbit to 1000gbit")
    return rate


def parse_delay(text):
    """Microseconds."""
    if text is None:
        return 0
    match = re.fullmatch(r"([0-9]+)([a-z]+)", text.lower())
    if not match or match[2] not in DELAY_UNITS:
        raise LabError(f"delay '{text}': give a number with us, ms or s, as in 50us")
    return int(match[1]) * DELAY_UNITS[match[2]]


def show_rate(rate):
    if rate is None:
        return "unlimited"
    unit, factor = next((u, f) for u, f in (("gbit", 10**9), ("mbit", 10**6), ("kbit", 10**3)) if rate >= f)
    return f"{rate / factor:g}{unit}"


def run(*command):
    """Runs a tool; what it complains of becomes the error."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise LabError(f"'{' '.join(command)}' failed: {said[-1] if said else f'exit code {done.returncode}'}")
    return done.stdout


def check_machine():
    """Says early what is missing."""
    if os.geteuid() != 0:
        raise LabError("needs root, for network namespaces: sudo lab ...")
    for tool in ("ip", "tc"):
        if not shutil.which(tool):
            raise LabError(f"the program '{tool}' is missing: install iproute2")
    mounted = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    if not any(line.split()[4] == "/" for line in mounted):
        raise LabError("the root is no mount point, as it is in a chroot, and no network namespace can be entered: "
                       "'mount --bind FOLDER FOLDER' before 'chroot FOLDER' makes it one")


@contextlib.contextmanager
def lock(name):
    """One command at a time changes a lab. Nothing is left of the lock afterwards."""
    RUN.mkdir(mode=0o755, exist_ok=True)
    path = RUN / f"{name}.lock"
    with open(path, "w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(os.fstat(file.fileno()), path.stat()):
                raise BlockingIOError  # another command has just removed it, and maybe a third made a new one
        except OSError:
            raise LabError(f"another command changes lab '{name}' now; try again when it is done") from None
        try:
            yield
        finally:
            path.unlink()


class Cluster:
    """One lab. All that is known of it is in `state`, which lab.json keeps."""

    def __init__(self, name):
        if not re.fullmatch(r"[a-z][a-z0-9]{0,15}", name):
            raise LabError(f"name '{name}': 1 to 16 of a-z and 0-9, a letter first")
        self.name = name
        self.folder = RUN / name
        self.state = None
        with contextlib.suppress(OSError, ValueError):
            self.state = json.loads((self.folder / "lab.json").read_text())

    # ---- Names ----

    @property
    def exists(self):
        return self.state is not None

    @property
    def hosts(self):
        return [f"h{i}" for i in range(1, self.state["hosts"] + 1)]

    @property
    def interfaces(self):
        return [f"eth{link}" for link in range(self.state["links"])]

    def namespace(self, host):
        return f"weft-{self.name}-{host}"

    def address(self, host, link=0):
        return f"10.144.{link}.{host[1:]}"

    def need(self, host=None):
        """Fails unless the lab is up and has the host."""
        if not self.exists:
            raise LabError(f"lab '{self.name}' is not up; start it with: lab up 2"
                           + ("" if self.name == "lab" else f" --name {self.name}"))
        if host is not None and host not in self.hosts:
            raise LabError(f"lab '{self.name}' has no host '{host}'; it has {self.hosts[0]} to {self.hosts[-1]}")

    # ---- Up ----

    def up(self, hosts, links, rate, delay_us, own_processors):
        if self.exists:
            raise LabError(f"lab '{self.name}' is up already with {self.state['hosts']} hosts; end it with 'lab down', "
                           "or give another --name")
        shares = share_processors(hosts) if own_processors else [None] * hosts
        self.clean()  # what an interrupted lab of this name has left
        self.state = {"hosts": hosts, "links": links, "rate": rate, "delay_us": delay_us, "cut": []}
        self.folder.mkdir(mode=0o700)
        try:
            self.make_switch()
            for host in self.hosts:
                self.make_host(host)
            (self.folder / "etc").mkdir()
            (self.folder / "etc" / "hosts").write_text("127.0.0.1 localhost\n" + "".join(
                f"{self.address(host)} {host}\n" for host in self.hosts))
            (self.folder / "secret").write_text(secrets.token_hex(16))
            for host, share in zip(self.hosts, shares):
                self.start_host(host, share)
            self.write_agent()
            self.save()
        except BaseException:
            self.clean()
            self.state = None
            raise

    def make_switch(self):
        switch = self.namespace("switch")
        run("ip", "netns", "add", switch)
        for link in range(self.state["links"]):
            run("ip", "-n", switch, "link", "add", f"br{link}", "type", "bridge", "stp_state", "0")
            run("ip", "-n", switch, "link", "set", f"br{link}", "addrgenmode", "none", "up")

    def make_host(self, host):
        inside, switch = self.namespace(host), self.namespace("switch")
        run("ip", "netns", "add", inside)
        run("ip", "-n", inside, "link", "set", "lo", "up")
        for link in range(self.state["links"]):
            port, interface = f"{host}-{link}", f"eth{link}"
            run("ip", "-n", switch, "link", "add", port, "type", "veth", "peer", "name", interface, "netns", inside)
            run("ip", "-n", switch, "link", "set", port, "addrgenmode", "none", "master", f"br{link}", "up")
            run("ip", "-n", inside, "link", "set", interface, "addrgenmode", "none", "up")
            run("ip", "-n", inside, "addr", "add", f"{self.address(host, link)}/24", "dev", interface)
            self.limit(host, link, self.state["rate"])

    def limit(self, host, link, rate):
        """Sets the rate of one link, in both directions, and the delay where the host sends."""
        delay_us = self.state["delay_us"]
        for namespace, device, delays in ((self.namespace(host), f"eth{link}", True),
                                          (self.namespace("switch"), f"{host}-{link}", False)):
            tc = ("tc", "-n", namespace, "qdisc")
            subprocess.run((*tc, "del", "dev", device, "root"), capture_output=True, check=False)  # none at first
            parent = ("root", "handle", "1:")
            if rate is not None:
                run(*tc, "add", "dev", device, *parent, "tbf", *bucket(rate))
                parent = ("parent", "1:1", "handle", "10:")
            if delays and delay_us:
                try:
                    run(*tc, "add", "dev", device, *parent, "netem", "delay", f"{delay_us}us", "limit", "100000")
                except LabError as error:
                    raise LabError("this kernel cannot delay packets (it has no netem, module sch_netem); use a lab "
                                   f"without --delay. tc said: {error}") from None

    def start_host(self, host, processors=None):
        """Starts the process that is the host: it holds its name and mounts, and runs what the agent asks for. What
        runs on the host is restricted to these processors."""
        restrict = (lambda: os.sched_setaffinity(0, processors)) if processors else None
        log = open(self.folder / f"{host}.log", "a", encoding="utf-8")
        with log, subprocess.Popen([sys.executable, HOST_PROGRAM, self.name, host, self.namespace(host), self.folder],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, cwd="/",
                                   start_new_session=True, preexec_fn=restrict) as process:
            if process.stdout.readline().strip() != "ready":
                process.kill()
                said = (self.folder / f"{host}.log").read_text().strip().splitlines()
                raise LabError(f"host {host} does not start: {said[-1] if said else 'it said nothing'}")
            process.stdout.close()
            (self.folder / f"{host}.pid").write_text(str(process.pid))
            process.returncode = 0  # it stays; nobody waits for it

    def write_agent(self):
        """A program that takes the place of ssh: rsh HOST COMMAND..."""
        agent = self.folder / "rsh"
        lab = pathlib.Path(__file__).resolve().parent / "lab.py"
        agent.write_text(f'#!/bin/sh\nexec {sys.executable} {lab} --agent {self.name} "$@"\n')
        agent.chmod(0o755)

    def save(self):
        new = self.folder / "lab.json.new"
        new.write_text(json.dumps(self.state))
        new.rename(self.folder / "lab.json")

    # ---- Changes ----

    def cut(self, host, cut):
        for link in range(self.state["links"]):
            run("ip", "-n", self.namespace("switch"), "link", "set", f"{host}-{link}", "down" if cut else "up")
        self.state["cut"] = sorted(set(self.state["cut"]) - {host} | ({host} if cut else set()))
        self.save()

    def set_rate(self, rate):
        self.state["rate"] = rate
        for host in self.hosts:
            for link in range(self.state["links"]):
                self.limit(host, link, rate)
        self.save()

    # ---- Processes ----

    def host_process(self, host):
        """The process id of the host's own process, started anew if somebody has ended it."""
        with contextlib.suppress(OSError, ValueError):
            pid = int((self.folder / f"{host}.pid").read_text())
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if self.namespace(host).encode() in command:
                self.need_own(pathlib.Path(os.fsdecode(command[1])))
                return pid
        self.start_host(host)
        return int((self.folder / f"{host}.pid").read_text())

    def need_own(self, host_program):
        """Fails if another lab program, such as an installed one, runs a host: two versions may not agree."""
        if host_program != HOST_PROGRAM:
            raise LabError(f"lab '{self.name}' was made by another lab program, {host_program.parent / 'lab.py'}: use "
                           f"that one, or make the lab anew: lab down --name {self.name}, then lab up")

    def processes(self, host):
        """The processes in the host's network."""
        done = subprocess.run(["ip", "netns", "pids", self.namespace(host)], capture_output=True, text=True,
                              check=False)
        return [int(pid) for pid in done.stdout.split()]

    # ---- Down ----

    def clean(self):
        """Removes all that bears the lab's name, whatever state it is in."""
        prefix = self.namespace("")
        listed = run("ip", "netns", "list").split("\n")
        namespaces = [word[0] for line in listed if (word := line.split()) and word[0].startswith(prefix)]
        end = time.monotonic() + 10
        while pids := [pid for n in namespaces for pid in self.processes(n.removeprefix(prefix)) if pid != os.getpid()]:
            for pid in pids:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if time.monotonic() > end:
                raise LabError(f"processes {pids} of lab '{self.name}' do not end")
            time.sleep(0.01)
        for namespace in namespaces:
            run("ip", "netns", "del", namespace)
        shutil.rmtree(self.folder, ignore_errors=True)

    def leftovers(self):
        """True if there is something of a lab of this name."""
        return self.folder.exists() or any(line.startswith(self.namespace(""))
                                           for line in run("ip", "netns", "list").split("\n"))


def share_processors(hosts):
    """As many processors for each host, and no processor for two."""
    all_of_them = sorted(os.sched_getaffinity(0))
    share = len(all_of_them) // hosts
    if share == 0:
        raise LabError(f"{hosts} hosts cannot have processors of their own: there are {len(all_of_them)}")
    return [set(all_of_them[i * share:(i + 1) * share]) for i in range(hosts)]


def bucket(rate):
    """Arguments of tbf. A burst of 2 ms, at most 256 KiB, but room for one unsegmented packet of 64 KiB; a queue of
    20 ms beyond it."""
    burst = min(max(rate // 8 // 500, 72 << 10), 256 << 10)
    limit = max(rate // 8 // 50, 128 << 10)
    return ("rate", f"{rate}bit", "burst", str(burst), "limit", str(limit))


def all_names():
    return sorted(path.name for path in RUN.iterdir() if path.is_dir()) if RUN.is_dir() else []
