"""What the scripts share that run programs which measure: a run and its JSON report, and mistakes told in one line."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile


OPEN_MPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # as in a container

# One variant of NAS FT among those that are compared.
Contender = collections.namedtuple("Contender", "label group program variant")


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


def records(value, file, path=""):
    """JSON of this file with all its objects as Records; `path` is where in it `value` is."""
    if isinstance(value, dict):
        fields = {key: records(inner, file, f"{path}.{key}" if path else key) for key, inner in value.items()}
        return Record(fields, f"{file}: {path}" if path else file)
    if isinstance(value, list):
        return [records(inner, file, f"{path}[{number}]") for number, inner in enumerate(value)]
    return value


def read_json(path, name=None):
    """What the file holds. The scripts go by the fields that docs/FORMATS.md names, of which there must be all. `name`:
    what to call it where one is missing."""
    try:
        with open(path, encoding="utf-8") as file:
            return records(json.load(file), name or str(path))
    except (OSError, ValueError) as error:
        give_up(f"cannot read {path}: {getattr(error, 'strerror', None) or f'it is not JSON ({error})'}")


def read_report(path, program, field, name=None):
    """The report that `program` wrote: an object with a list of objects, `field`."""
    report = read_json(path, name)
    entries = report.get(field) if isinstance(report, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        give_up(f"{name or path} is no report of {program}: it has no list of \"{field}\"")
    return report


def first_of(rows, where, what):
    """The first of these; gives up if there is none."""
    for row in rows:
        return row
    give_up(f"{where} has no {what}")


def run(command, limit_s, environment=None, codes=(0,)):
    """Runs a program whose output is not wanted; gives up if it fails. `environment` is added to this one's."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=limit_s,
                              check=False)
    except OSError as error:
        give_up(f"cannot run {command[0]}: {error.strerror}")
    except subprocess.TimeoutExpired:
        give_up(f"{' '.join(command)} did not end within {limit_s} s")
    if done.returncode not in codes:
        give_up(f"{' '.join(command)} failed with exit status {done.returncode}:\n{done.stderr.rstrip()}")
    return done


def report_of(command, limit_s, environment=None, codes=(0,), path=None):
    """Runs a program with --json; what it wrote. It stays at `path`, if one is given."""
    name = str(path or f"the report of {' '.join(map(str, command))}")
    with tempfile.TemporaryDirectory() as folder:
        path = path or os.path.join(folder, "report.json")
        pathlib.Path(path).unlink(missing_ok=True)
        done = run([*command, "--json", path], limit_s, environment, codes)
        if not os.path.exists(path):
            give_up(f"{' '.join(map(str, command))} wrote no report (exit status {done.returncode}):\n"
                    f"{done.stderr.rstrip()}")
        return read_json(path, name)


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
