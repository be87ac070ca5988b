"""What the scripts share that run programs which measure: a run and its JSON report, and mistakes told in one line."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading


OPEN_MPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # as in a container

# One variant of NAS FT among those that are compared.
Contender = collections.namedtuple("Contender", "label group program variant")


# Whoever ends a script ends what it runs (run_in_group), and its lab.
if threading.current_thread() is threading.main_thread():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: sys.exit(128 + received))


def give_up(text):
    """Ends the script with a line that begins with its name."""
    sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: {text}")


def need_programs(build, *names):
    """Gives up unless the build folder has these programs."""
    folder = pathlib.Path(build) / "bin"
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        give_up(f"{folder} has no {', '.join(missing)}; build them first: make")


def need_folder_of(path):
    """Gives up unless files can be made there, whatever is added to the name."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        give_up(f"cannot write {path}: {folder} is not a folder that can be written to")


# A kind of JSON value: how to name it, and whether a value is of it.
Kind = collections.namedtuple("Kind", "words holds")
TEXT = Kind("a string", lambda value: isinstance(value, str))
INTEGER = Kind("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool))
NUMBER = Kind("a number", lambda value: isinstance(value, (int, float)) and not isinstance(value, bool))
NUMBER_OR_NULL = Kind("a number or null", lambda value: value is None or NUMBER.holds(value))
VERDICT = Kind("true, false or null", lambda value: value is None or isinstance(value, bool))
OBJECT = Kind("an object", lambda value: isinstance(value, dict))
OBJECTS = Kind("a list of objects",
               lambda value: isinstance(value, list) and all(isinstance(entry, dict) for entry in value))

# What the scripts read, wherever it stands (docs/FORMATS.md). All fields of `phases` are numbers or null.
FIELDS = {
    **dict.fromkeys(("class", "variant", "label", "group", "rate", "name", "unit", "ph"), TEXT),
    **dict.fromkeys(("ranks", "hosts", "size_bytes", "pid"), INTEGER),
    **dict.fromkeys(("seconds", "seconds_per_transform", "mops", "goodput_bytes_per_s", "computation_s", "wire_s",
                     "value", "ts", "dur", "monotonic_ns"), NUMBER),
    **dict.fromkeys(("bytes_per_rank", "limit", "ratio_to_limit"), NUMBER_OR_NULL),
    **dict.fromkeys(("phases", "args"), OBJECT),
    **dict.fromkeys(("results", "sweep"), OBJECTS),
    "verified": VERDICT}


def need_kind(kind, value, where):
    """Gives up unless the value is of this kind. `where`: the words before it."""
    if not kind.holds(value):
        text = json.dumps(value)
        give_up(f"{where} {text if len(text) <= 40 else text[:40] + '...'}, not {kind.words}")


class Record(dict):
    """Fields of a file. To look for one that is not there ends the script with a line that says which, and where."""

    def __init__(self, fields, where):
        super().__init__(fields)
        self.where = where

    def __missing__(self, key):
        give_up(f"{self.where} has no result {key[0]} of {key[1]} bytes" if isinstance(key, tuple) else
                f"{self.where} has no \"{key}\"")

    def copy(self):
        return Record(self, self.where)

    def number(self, name):
        """A field that may be null, but not for what it is wanted for."""
        need_kind(NUMBER, self[name], f"{self.where} has \"{name}\":")
        return self[name]


def records(value, file, path=""):
    """JSON of this file with all its objects as Records; `path` is where in it `value` is. Gives up where a field is
    not of its kind."""
    if isinstance(value, dict):
        where = f"{file}: {path}" if path else file
        in_phases = path.rpartition(".")[2] == "phases"
        for key, inner in value.items():
            if kind := NUMBER_OR_NULL if in_phases else FIELDS.get(key):
                need_kind(kind, inner, f"{where} has \"{key}\":")
        fields = {key: records(inner, file, f"{path}.{key}" if path else key) for key, inner in value.items()}
        return Record(fields, where)
    if isinstance(value, list):
        return [records(inner, file, f"{path}[{number}]") for number, inner in enumerate(value)]
    return value


def read_json(path, name=None, kind=OBJECT):
    """What the file holds. The scripts go by the fields that docs/FORMATS.md names, of which there must be all. `name`:
    what to call it where one is missing or of another kind."""
    name = name or str(path)
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, ValueError) as error:
        give_up(f"cannot read {path}: {getattr(error, 'strerror', None) or f'it is not JSON ({error})'}")
    need_kind(kind, value, f"{name} is")
    return records(value, name)


def read_report(path, program, field):
    """The report that `program` wrote: an object with a list of objects, `field`."""
    report = read_json(path)
    if field not in report:
        give_up(f"{path} is no report of {program}: it has no \"{field}\"")
    return report


def by_key(report):
    """The results of weft-bench and its peers by (name, size)."""
    return Record({(result["name"], result["size_bytes"]): result for result in report["results"]}, report.where)


def first_of(rows, where, what):
    """The first of these; gives up if there is none."""
    for row in rows:
        return row
    give_up(f"{where} has no {what}")


def end_group(process):
    """Ends what is left of the process and its children: first so that they can tidy up, then for good."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            continue


class Running(set):
    """The processes that several threads run."""

    over = False

    def end(self):
        """Ends them, and for good: one that is about to be started is ended by its thread."""
        self.over = True
        for process in list(self):
            end_group(process)


def run_in_group(command, limit_s, environment, running=None, stdout=subprocess.PIPE):
    """Runs a program in a process group of its own. The group is ended if the program takes too long (TimeoutExpired)
    or this script is interrupted or terminated. Gives exit status, standard output and standard error. `running` has
    the process as long as it runs."""
    running = Running() if running is None else running
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=stdout,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            running.add(process)
            if running.over:
                raise InterruptedError("the script ends")
            output, errors = process.communicate(timeout=limit_s)
        except BaseException:
            end_group(process)
            raise
        finally:
            running.discard(process)
    return process.returncode, output, errors


def run(command, limit_s, environment=None, codes=(0,)):
    """Runs a program whose output is not wanted; gives up if it fails. `environment` is added to this one's. Exit
    status and standard error."""
    command = [str(word) for word in command]
    try:
        status, _, errors = run_in_group(command, limit_s, {**os.environ, **(environment or {})},
                                         stdout=subprocess.DEVNULL)
    except OSError as error:
        give_up(f"cannot run {command[0]}: {error.strerror}")
    except subprocess.TimeoutExpired:
        give_up(f"{' '.join(command)} did not end within {limit_s} s")
    if status not in codes:
        give_up(f"{' '.join(command)} failed with exit status {status}:\n{errors.rstrip()}")
    return status, errors


def report_of(command, limit_s, environment=None, codes=(0,), path=None):
    """Runs a program with --json; what it wrote. It stays at `path`, if one is given."""
    name = str(path or f"the report of {' '.join(map(str, command))}")
    with tempfile.TemporaryDirectory() as folder:
        path = path or os.path.join(folder, "report.json")
        pathlib.Path(path).unlink(missing_ok=True)
        status, errors = run([*command, "--json", path], limit_s, environment, codes)
        if not os.path.exists(path):
            give_up(f"{' '.join(map(str, command))} wrote no report (exit status {status}):\n{errors.rstrip()}")
        return read_json(path, name)


class Hosts:
    """Where programs run: this host, or hosts of a lab with links of this rate (None: no limit), which is up as long as
    this is open. A host has processors of its own where there are enough."""

    def __init__(self, build, hosts, rate=None):
        self.bin = pathlib.Path(build).absolute() / "bin"
        self.hosts, self.rate = hosts, rate
        self.processors = len(os.sched_getaffinity(0))
        self.environment = {"LAB_NAME": f"bench{os.getpid()}", **OPEN_MPI_AS_ROOT}

    def lab(self, *arguments):
        run([self.bin / "lab", *arguments], 600, self.environment)

    def __enter__(self):
        if self.hosts > 1:
            own = ["--own-processors"] if self.processors >= self.hosts else []
            self.lab("up", self.hosts, *own, *(["--rate", self.rate] if self.rate else []))
        return self

    def __exit__(self, *_):
        if self.hosts > 1:
            self.lab("down")

    def launcher(self, here, there):
        """The beginning of a command: a launcher of this host, or the lab's way to start the same on its hosts."""
        return [here] if self.hosts == 1 else [self.bin / "lab", there]


def median_report(reports, key):
    """FT's report of the median repetition, without what is long; verified if all are."""
    verdicts = [report["verified"] for report in reports]
    row = sorted(reports, key=lambda report: report[key])[(len(reports) - 1) // 2].copy()
    row["verified"] = False if False in verdicts else None if None in verdicts else True
    row.pop("checksums", None)
    return row


def show_progress(text):
    """Rewrites one line of the terminal, if there is one."""
    if sys.stderr.isatty():
        print(f"\r{text:60}\r", end="", file=sys.stderr, flush=True)
