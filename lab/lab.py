#!/usr/bin/env -S --block-signal=INT /usr/bin/python3
"""lab: an emulated cluster on one Linux machine. See docs/LAB.md and lab --help."""

import argparse
import difflib
import os
import pathlib
import shutil
import signal
import sys

sys.dont_write_bytecode = True  # nothing that an uninstallation would not know of
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
# pylint: disable=wrong-import-position
from cluster import (MOST_HOSTS, MOST_LINKS, Cluster, LabError, all_names, check_machine, lock, parse_delay, parse_rate,
                     show_rate)
import host as host_program
import rsh

USAGE = """lab up N [--rate 2gbit] [--delay 50us] [--links 2] [--own-processors]   make a cluster of N hosts, h1 to hN
       lab run -n N [WEFTRUN OPTIONS] PROG [ARGS]    run a Weft job on all hosts
       lab mpirun -n N [OPTIONS] PROG [ARGS]         the same with Open MPI
       lab mpiexec -n N [OPTIONS] PROG [ARGS]        the same with MPICH
       lab exec HOST COMMAND [ARGS]                  run a command on one host
       lab rate RATE                                 limit all links, in both directions: 500mbit, 2gbit, unlimited
       lab cut HOST | lab mend HOST                  pull a host's cables out, put them back in
       lab status                                    show all labs
       lab down                                      end the lab and all that runs in it"""


def main():
    try:
        if sys.argv[1:2] == ["--agent"] and len(sys.argv) > 2:  # --agent LAB WORDS...: what stands in for ssh
            return run_agent(Cluster(sys.argv[2]), sys.argv[3:])
        options = parse_command_line()
        check_machine()
        code = options.action(Cluster(options.name), options)
        sys.stdout.flush()
        return code
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return error.code
    except BrokenPipeError:  # lab status | head -1
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE


class Parser(argparse.ArgumentParser):
    """Tells a mistake in one line."""

    known = {"--name"}  # all options of all commands

    def add_argument(self, *names, **words):
        self.known.update(name for name in names if name.startswith("--"))
        return super().add_argument(*names, **words)

    def error(self, message):
        wrong = [word.split("=")[0] for word in message.split() if word.startswith("--")]
        hint = ""
        if wrong and "unrecognized" in message:
            meant = difflib.get_close_matches(wrong[0], sorted(self.known), 1)
            if wrong[0] in self.known:
                hint = ", an option of another command"
            elif meant:
                hint = f", did you mean {meant[0]}?"
        self.exit(2, f"{self.prog}: {message}{hint} (lab --help)\n")


def whole_number(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a number")
    return int(text)


def parse_command_line():
    parser = Parser(prog="lab", usage=USAGE,
                    description="An emulated cluster on one Linux machine: each host has a network, a host name and "
                    "shared memory of its own. Needs root.")
    parser.add_argument("--name", default=os.environ.get("LAB_NAME", "lab"),
                        help="which lab, if there are several (default: $LAB_NAME, or 'lab')")
    parser.add_argument("--version", action="version", version="lab (Weft) @WEFT_VERSION@", help="print the version")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name, action):
        made = commands.add_parser(name, add_help=False, prog=f"lab {name}")
        made.set_defaults(action=action)
        return made

    def add_name(made):
        made.add_argument("--name", default=argparse.SUPPRESS)

    up = command("up", do_up)
    up.add_argument("hosts", type=whole_number)
    up.add_argument("--rate")
    up.add_argument("--delay")
    up.add_argument("--links", type=whole_number, default=1)
    up.add_argument("--own-processors", action="store_true")
    for name, action in (("cut", do_cut), ("mend", do_mend)):
        made = command(name, action)
        made.add_argument("host")
        add_name(made)
    rate = command("rate", do_rate)
    rate.add_argument("rate")
    for made in (up, rate, command("down", do_down), command("status", do_status)):
        add_name(made)
    for name, action in PASSING_ON.items():
        command(name, action)
    words = sys.argv[1:]
    # What follows such a command is not ours to understand.
    end = next((i + 1 for i, word in enumerate(words) if word in PASSING_ON and (i == 0 or words[i - 1] != "--name")),
               len(words))
    options = parser.parse_args(words[:end])
    options.rest = words[end:]
    return options


# ---- The lab itself ----

def do_up(lab, options):
    if not 1 <= options.hosts <= MOST_HOSTS:
        raise LabError(f"a lab has 1 to {MOST_HOSTS} hosts, not {options.hosts}")
    if not 1 <= options.links <= MOST_LINKS:
        raise LabError(f"a host has 1 to {MOST_LINKS} links, not {options.links}")
    rate, delay_us = parse_rate(options.rate), parse_delay(options.delay)
    with lock(lab.name):
        lab.up(options.hosts, options.links, rate, delay_us, options.own_processors)
    print(f"lab '{lab.name}' is up: {describe(lab)}")
    return 0


def describe(lab):
    state = lab.state
    links = "1 link" if state["links"] == 1 else f"{state['links']} links"
    delay = f", delayed by {state['delay_us']} us" if state["delay_us"] else ""
    rate = "unlimited" if state["rate"] is None else show_rate(state["rate"]) + " each way"
    return f"hosts {' '.join(lab.hosts)}, {links} each ({rate}{delay})"


def do_down(lab, _):
    with lock(lab.name):
        if not lab.leftovers():
            raise LabError(f"there is no lab '{lab.name}'")
        lab.clean()
    return 0


def do_status(_, __):
    names = all_names()
    for name in names:
        lab = Cluster(name)
        if not lab.exists:
            print(f"{name}: interrupted while it was made or ended; remove it with: lab down --name {name}")
            continue
        print(f"{name}: {describe(lab)}")
        for host in lab.hosts:
            addresses = " ".join(lab.address(host, link) for link in range(lab.state["links"]))
            count = max(len(lab.processes(host)) - 1, 0)  # its own process is not counted
            cut = ", cut off" if host in lab.state["cut"] else ""
            print(f"  {host}  {addresses}  {count} process{'' if count == 1 else 'es'}{cut}")
    if not names:
        print("no lab is up")
    return 0


def do_cut(lab, options):
    return change_cables(lab, options.host, True)


def do_mend(lab, options):
    return change_cables(lab, options.host, False)


def change_cables(lab, host, cut):
    lab.need(host)
    with lock(lab.name):
        lab.cut(host, cut)
    return 0


def do_rate(lab, options):
    lab.need()
    with lock(lab.name):
        lab.set_rate(parse_rate(options.rate))
    return 0


# ---- Programs ----

def log_in(lab, host):
    """Makes this process one of the host. Commands that start jobs are given on h1, as on a cluster's first host."""
    lab.need(host)
    for each in lab.hosts:  # all must answer the agent
        pid = lab.host_process(each)
        if each == host:
            own = pid
    host_program.enter(own)
    os.environ.update(LAB_NAME=lab.name, HOSTNAME=host, WEFT_RSH=str(lab.folder / "rsh"))


def execute(command):
    try:
        os.execvp(command[0], command)
    except OSError as error:
        # The codes of a shell.
        code = 127 if isinstance(error, FileNotFoundError) else 126
        raise LabError(f"cannot run {command[0]}: {error.strerror}", code) from None


def program(name, package):
    """A program beside this one if it is there (a build folder, an installation), else one in PATH."""
    beside = pathlib.Path(sys.argv[0]).absolute().parent / name
    found = str(beside) if os.access(beside, os.X_OK) and beside.is_file() else shutil.which(name)
    if not found:
        raise LabError(f"the program '{name}' is missing: {package}")
    return found


def rank_count(arguments, options=("-n", "-np", "--np", "-c")):
    for option, value in zip(arguments, arguments[1:]):
        if option in options and value.isdigit():
            return int(value)
    return None


def slots(lab, arguments):
    """Ranks per host, so that they spread evenly."""
    ranks = rank_count(arguments)
    return -(-ranks // len(lab.hosts)) if ranks else 1


def give_way(lab, arguments):
    """Ranks that outnumber the processors take turns. Hosts of their own cannot know that, so they are told to give way
    to others at once while they wait."""
    if (rank_count(arguments) or len(lab.hosts)) > len(os.sched_getaffinity(0)):
        os.environ.setdefault("WEFT_SPIN_US", "0")
        os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")


def hosts_unless_chosen(words, option, value, *others):
    """The option that names the lab's hosts, unless the user's words have it or one like it. A launcher adds the two up
    (Open MPI: --host h1,h2 put two ranks on h1) or refuses them."""
    chosen = any(word.split("=")[0] in (option, *others) for word in words)
    return [] if chosen else [option, value]


def do_run(lab, options):
    weftrun = program("weftrun", "build it, or install Weft")
    lab.need()
    give_way(lab, options.rest)
    log_in(lab, "h1")
    execute([weftrun, *hosts_unless_chosen(options.rest, "--hosts", ",".join(lab.hosts), "--hostfile"), *options.rest])


def do_mpirun(lab, options):
    lab.need()
    mpirun = program("mpirun.openmpi", "install openmpi-bin")
    hosts = ",".join(f"{host}:{slots(lab, options.rest)}" for host in lab.hosts)
    interfaces = ",".join(lab.interfaces)
    if os.geteuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    give_way(lab, options.rest)
    exported = ["-x", "WEFT_SPIN_US"] if "WEFT_SPIN_US" in os.environ else []
    log_in(lab, "h1")
    settings = {"plm_rsh_agent": lab.folder / "rsh", "plm_rsh_no_tree_spawn": "1", "pml": "ob1",
                "btl": "tcp,self,vader",
                "btl_tcp_if_include": interfaces, "oob_tcp_if_include": interfaces,
                "hwloc_base_binding_policy": "none"}
    chosen = hosts_unless_chosen(options.rest, "--host", hosts, "-host", "-H", "--hostfile", "-hostfile",
                                 "--machinefile", "-machinefile")
    words = [word for name, value in settings.items() for word in ("--mca", name, str(value))]
    execute([mpirun, *chosen, *words, *exported, *options.rest])


def do_mpiexec(lab, options):
    lab.need()
    mpiexec = program("mpiexec.hydra", "install mpich")
    hosts = ",".join(f"{host}:{slots(lab, options.rest)}" for host in lab.hosts)
    os.environ.setdefault("UCX_TLS", "tcp,self,sm")
    os.environ.setdefault("UCX_NET_DEVICES", ",".join(lab.interfaces))
    give_way(lab, options.rest)
    log_in(lab, "h1")
    chosen = hosts_unless_chosen(options.rest, "-hosts", hosts, "--hosts", "-host", "-hostfile", "-machinefile")
    execute([mpiexec, "-launcher", "ssh", "-launcher-exec", str(lab.folder / "rsh"), "-iface", "eth0", *chosen,
             *options.rest])


def do_exec(lab, options):
    if len(options.rest) < 2:
        raise LabError("on which host, which command? lab exec HOST COMMAND [ARGS]")
    log_in(lab, options.rest[0])
    execute(options.rest[1:])


def run_agent(lab, words):
    """What launchers call in place of ssh: [ssh's options] HOST COMMAND..."""
    check_machine()
    lab.need()
    while words and words[0].startswith("-"):  # none of them matters here
        option = words.pop(0)
        if option in ("-o", "-l", "-p", "-i", "-F") and words:
            words.pop(0)
    if not words or words[0] not in lab.hosts:
        print(f"lab: cannot reach host '{words[0] if words else ''}': lab '{lab.name}' has no such host",
              file=sys.stderr)
        return 255
    host, command = words[0], " ".join(words[1:])
    return rsh.run_remotely(lab.address(host), host, command, (lab.folder / "secret").read_text())


PASSING_ON = {"run": do_run, "mpirun": do_mpirun, "mpiexec": do_mpiexec, "exec": do_exec}

if __name__ == "__main__":
    try:
        # Blocked by the first line: Ctrl-C while Python starts waits for somebody who catches it; while Python ends,
        # nobody does.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        CODE = main()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    except KeyboardInterrupt:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        CODE = 130
    sys.exit(CODE)
