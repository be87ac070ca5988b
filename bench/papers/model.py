"""What an entry of the report is made of. entries/ has the entries: one Figure each, a few lines of data."""

import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Run:
    """A program of the build and how it runs: simulated on a platform, or for real on hosts. It is made once, and its
    report kept."""
    program: str                # of the build folder; its arguments:
    arguments: tuple = ()
    ranks: int = 0              # 0: it is no job
    platform: str = ""          # simulated on this one; "name*section.key*factor" with a number multiplied
    hosts: int = 0              # for real: 1 is this machine, more are those of a lab
    rate: str = "unlimited"     # of the lab's links
    launcher: str = "run"       # for real: run (Weft), mpirun (Open MPI), mpiexec (MPICH)
    settings: tuple = ()        # of the environment: (name, value)
    options: tuple = ()         # of weftrun
    seed: int = 1
    limit_s: float = 180
    is_long: bool = False       # only with --full


@dataclasses.dataclass(frozen=True)
class Series:
    """Points of a figure. They come from one run that brings many or from many that bring one each, or are those that
    the paper prints."""
    label: str
    run: Run | None = None
    pick: typing.Callable | None = None     # of the run's report: {x: y}; of x and a report of `runs`: y
    runs: dict | None = None                # {x: Run}
    points: dict | None = None              # the paper's: {x: y}

    @property
    def all_runs(self):
        return [*([self.run] if self.run else []), *(self.runs or {}).values()]

    @property
    def kind(self):
        if not self.all_runs:
            return "paper"
        return "measured" if self.all_runs[0].hosts else "simulated"

    def points_of(self, reports):
        """`reports`: by Run, of those that brought one. None if that is too little to draw."""
        if not self.all_runs:
            return self.points
        if self.run:
            return self.pick(reports[self.run]["result"]) if self.run in reports else None
        found = {x: self.pick(x, reports[run]["result"]) for x, run in self.runs.items() if run in reports}
        return found or None


@dataclasses.dataclass(frozen=True)
class Goal:
    """How near to the paper a number has to be. A paper's number that is itself a limit, or only an order, has its own
    goal."""
    text: str
    holds: typing.Callable      # (ours, paper) -> bool


VARIANTS = Goal("within 15 %", lambda ours, paper: abs(ours / paper - 1) <= 0.15)
FLOPS = Goal("within 20 %", lambda ours, paper: abs(ours / paper - 1) <= 0.20)
INPUT = Goal("within 5 %: an input", lambda ours, paper: abs(ours / paper - 1) <= 0.05)
SIZE_CLASS = Goal("one size class", lambda ours, paper: 0.5 <= ours / paper <= 2)
SAME = Goal("the same", lambda ours, paper: ours == paper)
AT_LEAST = Goal("at least", lambda ours, paper: ours >= paper)


@dataclasses.dataclass(frozen=True)
class Claim:
    """One number of the paper, and the same of ours."""
    what: str
    paper: float
    ours: typing.Callable                       # of Data; what is simulated
    goal: Goal = VARIANTS
    measured: typing.Callable | None = None     # of Data; where it runs for real


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    title: str
    source: str             # paper, and the place in it
    statement: str          # what the paper says
    series: tuple = ()
    claims: tuple = ()
    sentence: str = ""      # what to make of it
    x: str = "bytes"
    y: str = ""
    chart: str = "lines"    # lines (logarithmic), bars, or none
    unknown: tuple = ()     # numbers of the platform, "section.key", or settings of the runs that a miss may come from
    missing: str = ""       # what is not drawn, and why


class Data(dict):
    """The points of a figure's series by label: data["radix 4"][8]. Its labels are all that the figure has, so what
    compares them all is a KeyError where one is missing, not a wrong answer. `used`: those that were asked for."""

    def __init__(self, labels, points):
        super().__init__(points)
        self.labels, self.used = labels, set()

    def __iter__(self):
        return iter(self.labels)

    def __getitem__(self, label):
        self.used.add(label)
        return super().__getitem__(label)

    def best(self, x):
        """The label with the least value at x."""
        return min(self, key=lambda label: self[label][x])


def by_size(scale=1.0):
    """Picks what weft-bench and its like report: {size: value}, of the only name."""
    return lambda report: {row["size_bytes"]: row["value"] * scale for row in report["results"]}


def of_size(size, scale=1.0):
    """Picks one value of those, of one of many runs."""
    return lambda _, report: by_size(scale)(report)[size]
