#!/usr/bin/python3
"""Redraws the papers' figures: runs what is missing, compares each number with the paper's, and writes one page,
BUILD/report/index.html and .pdf. `make report` calls it; docs/REPORT.md says how to read the page and add to it.

Exit status 1 if a run failed; the page shows it with its command."""

import argparse
import importlib
import os
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE), str(HERE / "entries"), str(HERE.parent)]
# pylint: disable=wrong-import-position
import page
import verdicts
from measuring import give_up, need_programs
from runs import ROOT, Runs


MEMORY_OF_A_RUN = 4 << 30  # bytes that the largest takes


def entries():
    """(title, figures) of each file of entries/."""
    for path in sorted((HERE / "entries").glob("*.py")):
        module = importlib.import_module(path.stem)
        yield module.__doc__.strip().rstrip("."), module.FIGURES


def chosen(names):
    """The entries, with only the figures of these names; all if there are none."""
    known = [figure.name for _, figures in entries() for figure in figures]
    for name in names:
        if name not in known:
            give_up(f"there is no figure {name}; there are {', '.join(known)}")
    groups = [(title, [figure for figure in figures if not names or figure.name in names])
              for title, figures in entries()]
    return [(title, figures) for title, figures in groups if figures]


def wanted_runs(figures, options):
    for figure in figures:
        for series in figure.series:
            for run in series.all_runs:
                if (options.full or not run.is_long) and (options.measure or not run.hosts):
                    yield run


def run_all(figures, runs, options):
    """The runs of the figures, then those that show how numbers move that miss."""
    runs.all(wanted_runs(figures, options))
    if options.sensitivity:
        runs.all(run for figure in figures for run in verdicts.more_runs(figure, runs)
                 if options.full or not run.is_long)


def version():
    text = (ROOT / "include" / "weft" / "version.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"WEFT_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def write_page(groups, runs, folder, with_pdf):
    import drawing  # needs matplotlib, the runs do not

    def section(figure):
        drawn = drawing.draw(figure, verdicts.data_of(figure, runs, whole=False), folder)
        return figure, verdicts.rows_of(figure, runs), verdicts.moves_of(figure, runs), drawn
    sections = [(title, [section(figure) for figure in figures]) for title, figures in groups]
    path = folder / "index.html"
    page.write(sections, runs, path, version())
    if why := page.write_pdf(path) if with_pdf else "":
        print(f"report: {why}", file=sys.stderr)
    return sections


def print_summary(sections, runs):
    for _, figures in sections:
        for figure, rows, _, _ in figures:
            for row in rows:
                met = {True: "met", False: "MISSED", None: "not run"}[row.holds]
                print(f"{figure.name:22} {row.claim.what:60} paper {page.number(row.claim.paper):>8}  simulated "
                      f"{page.number(row.ours):>8}  measured {page.number(row.measured):>8}  {met}")
    for run, why in runs.failures.items():
        print(f"report: {runs.text(run)}: {why}", file=sys.stderr)


def usual_jobs():
    """Simulations beside each other: one for each processor, as far as memory goes."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(len(os.sched_getaffinity(0)), memory // MEMORY_OF_A_RUN))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help="only these; all if none is given")
    parser.add_argument("--list", action="store_true", help="print the figures' names")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"), help="the build folder")
    parser.add_argument("--output", type=pathlib.Path, help="the page's folder; BUILD/report if not given")
    parser.add_argument("--full", action="store_true", help="also the runs that take long: 16,384 ranks")
    parser.add_argument("--no-measure", dest="measure", action="store_false", help="only simulate")
    parser.add_argument("--no-sensitivity", dest="sensitivity", action="store_false",
                        help="do not look how missed numbers move with what is unknown of a machine")
    parser.add_argument("--no-pdf", dest="pdf", action="store_false", help="HTML only")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="of each run, instead of its own")
    parser.add_argument("--jobs", type=int, default=usual_jobs(), help="simulations beside each other")
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error("--jobs must be at least 1")
    if options.time_limit is not None and options.time_limit <= 0:
        parser.error("--time-limit must be above 0")
    return options


def main():
    options = parse_arguments()
    groups = chosen(options.figures)
    if options.list:
        print("\n".join(figure.name for _, figures in groups for figure in figures))
        return 0
    need_programs(options.build, "weftrun")
    folder = options.output or options.build / "report"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        give_up(f"cannot write {folder}: {error.strerror}")
    begin = time.monotonic()
    runs = Runs(options.build, folder, options.time_limit, options.jobs)
    run_all([figure for _, figures in groups for figure in figures], runs, options)
    print_summary(write_page(groups, runs, folder, options.pdf), runs)
    print(f"{folder}/index.html: {len(runs.results)} runs, {len(runs.failures)} failed, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if runs.failures else 0


if __name__ == "__main__":
    sys.exit(main())
