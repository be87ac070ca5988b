"""Makes runs and keeps their reports: BUILD/report/runs has one JSON file of each, with all that it depends on."""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(1, str(ROOT / "bench"))
# pylint: disable=wrong-import-position
from measuring import OPEN_MPI_AS_ROOT, Running, give_up, run_in_group, show_progress

PLATFORMS = ROOT / "src" / "sim" / "platforms"
PARTS_OF_ONE = {"link.contention"}
QUANTITY = re.compile(r"([0-9.]+)(.*)")
# The last line of a simulated job: what it was simulated on.
SIMULATED = re.compile(r"^weft: simulated .*?; (platform .*); compute \w+; seed \d+$", re.M)


def multiplied(value, factor, most):
    """A number of a platform file, whichever way it is written; not more than `most`."""
    if isinstance(value, dict):
        return {**value, "value": multiplied(value["value"], factor, most)}
    if isinstance(value, list):
        return [multiplied(each, factor, most) for each in value]
    if isinstance(value, str):
        number, unit = QUANTITY.fullmatch(value).groups()
        return f"{float(number) * factor:.12g}{unit}"
    changed = min(value * factor, most)
    return round(changed) if isinstance(value, int) else changed


def platform_text(name):
    """The text of a platform's file, with a number multiplied where the name says so."""
    base, *change = name.split("*")
    path = PLATFORMS / f"{base}.json"
    if not path.exists():
        give_up(f"there is no platform {base} in {PLATFORMS}")
    text = path.read_text(encoding="utf-8")
    if not change:
        return text
    section, key = change[0].split(".")
    platform = json.loads(text)
    if key not in platform[section]:
        give_up(f"platform {base} has no {section}.{key} to change")
    platform[section][key] = multiplied(platform[section][key], float(change[1]),
                                        most=1 if change[0] in PARTS_OF_ONE else float("inf"))
    return json.dumps(platform, indent=1)


class Failure(Exception):
    """A run that brought no report: one line that says why."""


class Runs:
    """All runs of a report. `results`: what each brought; `failures`: why some did not."""

    def __init__(self, build, folder, limit_s=None, jobs=1):
        self.bin = build.absolute() / "bin"
        self.folder = folder.absolute() / "runs"
        self.platforms = folder.absolute() / "platforms"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.platforms.mkdir(parents=True, exist_ok=True)
        self.limit_s, self.jobs = limit_s, jobs
        self.results, self.failures = {}, {}
        self.running = Running()
        self.lab_name = f"report{os.getpid()}"
        self.fingerprints = {}

    def fingerprint(self, path):
        """Of a file's contents: programs that were built again the same are the same."""
        if path not in self.fingerprints:
            if not path.exists():
                raise Failure(f"{path.parent} has no {path.name}; build it: make")
            self.fingerprints[path] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self.fingerprints[path]

    def key(self, run):
        """Everything that the result depends on."""
        library = self.bin.parent / "lib" / "libweft.so"
        parts = [dataclasses.asdict(run), platform_text(run.platform) if run.platform else "",
                 self.fingerprint(self.bin / run.program), self.fingerprint(library) if library.exists() else ""]
        parts[0].pop("limit_s")
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    def platform(self, name):
        """As weftrun and weft-sim take it: a name that is built in, or the file of a changed one."""
        if "*" not in name:
            return name
        path = self.platforms / (re.sub(r"[^\w.]", "-", name) + ".json")
        path.write_text(platform_text(name), encoding="utf-8")
        return str(path)

    def command(self, run, path):
        """The words of the command; `path`: where the report goes. weft-sim prints it."""
        program = [str(self.bin / run.program), *map(str, run.arguments)]
        if run.program == "weft-sim":
            return [*program[:2], self.platform(run.platform), *program[2:], "--json"]
        program += ["--json", str(path)]
        if run.platform:
            start = [str(self.bin / "weftrun"), "--sim", self.platform(run.platform), "--sim-seed", str(run.seed)]
        elif run.hosts > 1:
            start = [str(self.bin / "lab"), run.launcher]
        else:
            start = {"run": [str(self.bin / "weftrun")], "mpirun": ["mpirun.openmpi", "--oversubscribe"],
                     "mpiexec": ["mpiexec.mpich"]}[run.launcher]
        return [*start, *run.options, "-n", str(run.ranks), *program]

    def all(self, wanted):
        """Makes those that are not there yet: the simulated ones beside each other, the measured ones alone."""
        missing = []
        for run in dict.fromkeys(wanted):
            if run in self.results or run in self.failures:
                continue
            try:
                path = self.folder / f"{run.program}-{self.key(run)}.json"
            except Failure as error:
                self.failures[run] = str(error)
                continue
            if path.exists():
                self.results[run] = json.loads(path.read_text(encoding="utf-8"))
            else:
                missing.append((run, path))
        simulated = [each for each in missing if not each[0].hosts]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            try:
                for number, _ in enumerate(pool.map(lambda each: self.make(*each), simulated), 1):
                    show_progress(f"{number} of {len(simulated)} simulations")
            except BaseException:  # Ctrl-C, too: the threads wait for programs, which would run on
                pool.shutdown(wait=False, cancel_futures=True)
                self.running.end()
                raise
        measured = [each for each in missing if each[0].hosts]
        for hosts, rate in sorted({(run.hosts, run.rate) for run, _ in measured}):
            self.measure(hosts, rate, [each for each in measured if (each[0].hosts, each[0].rate) == (hosts, rate)])
        show_progress("")

    def measure(self, hosts, rate, runs):
        """Those on one lab, which is up meanwhile."""
        lab = [str(self.bin / "lab")]
        environment = {**os.environ, "LAB_NAME": self.lab_name}
        try:
            if hosts > 1:
                limit = [] if rate == "unlimited" else ["--rate", rate]
                done = subprocess.run([*lab, "up", str(hosts), *limit], env=environment, capture_output=True, text=True,
                                      timeout=120, check=False)
                if done.returncode != 0:
                    why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
                    self.failures.update({run: f"not measured: {why}" for run, _ in runs})
                    return
            for number, (run, path) in enumerate(runs, 1):
                show_progress(f"{number} of {len(runs)} measurements on {hosts} hosts")
                self.make(run, path)
        finally:
            if hosts > 1:
                subprocess.run([*lab, "down"], env=environment, capture_output=True, timeout=120, check=False)

    def make(self, run, path):
        """One run; its report goes to `path` when it is whole."""
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            try:
                command = self.command(run, report)
                output, errors = self.execute(command, run)
                if run.program == "weft-sim":
                    report.write_text(output, encoding="utf-8")
                value = json.loads(report.read_text(encoding="utf-8"))
            except Failure as error:
                self.failures[run] = str(error)
                return
            except (OSError, ValueError) as error:
                self.failures[run] = f"brought no report that can be read ({error})"
                return
        found = SIMULATED.search(errors)
        calibration = found[1] if found else run.platform
        entry = {"command": self.text(run), "platform": run.platform or None, "calibration": calibration,
                 "seed": run.seed if run.platform else None, "hosts": run.hosts or None, "simulated": not run.hosts,
                 "real_seconds": time.monotonic() - begin, "result": value}
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8")
        part.rename(path)
        self.results[run] = entry

    def execute(self, command, run):
        """Standard output and standard error of a command that ends in time with success."""
        limit_s = run.limit_s if self.limit_s is None else self.limit_s
        environment = {**os.environ, **dict(run.settings), **OPEN_MPI_AS_ROOT, "LAB_NAME": self.lab_name}
        try:
            status, output, errors = run_in_group(command, limit_s, environment, self.running)
        except subprocess.TimeoutExpired:
            raise Failure(f"did not end within {limit_s:g} s") from None
        if status != 0:
            why = errors.strip().splitlines() or ["no reason given"]
            raise Failure(f"exit status {status}: {why[0]}")
        return output, errors

    def text(self, run):
        """The command as one would type it in the build folder's parent."""
        short = [word.replace(str(self.bin.parent.parent) + "/", "") for word in self.command(run, "report.json")]
        lab = f"lab of {run.hosts} hosts, links {run.rate}: " if run.hosts > 1 else ""
        return lab + " ".join([*(f"{name}={value}" for name, value in run.settings), *short])
