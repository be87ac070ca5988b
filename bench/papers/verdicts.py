"""Compares a figure's numbers with the paper's: the rows of its table, and how those move that miss."""

import collections
import dataclasses

from model import Data

# `ours`, `measured`: None where a run is missing. `holds`: None without ours.
Row = collections.namedtuple("Row", "claim ours measured ratio holds")
# How a missed number moves with a number of the platform.
Moved = collections.namedtuple("Moved", "claim parameter half ours double")
FACTORS = (0.5, 2)


def data_of(figure, runs, changed=lambda run: run, whole=True):
    """The points that there are. `changed`: what to take instead of a run. `whole`: without series of which a run
    failed, since the best of some of its points says nothing."""
    points = {}
    for series in figure.series:
        taken = {run: changed(run) for run in series.all_runs}
        if whole and any(run in runs.failures for run in taken.values()):
            continue
        found = series.points_of({run: runs.results[instead] for run, instead in taken.items()
                                  if instead in runs.results})
        if found is not None:
            points[series.label] = found
    return Data([series.label for series in figure.series], points)


def value_of(function, data):
    """None if a run that it needs brought nothing."""
    try:
        return None if function is None else function(data)
    except KeyError:
        return None


def rows_of(figure, runs):
    """The table of a figure."""
    data = data_of(figure, runs)
    rows = []
    for claim in figure.claims:
        ours, measured = value_of(claim.ours, data), value_of(claim.measured, data)
        ratio = None if ours is None else ours / claim.paper
        holds = None if ours is None else claim.goal.holds(ours, claim.paper)
        rows.append(Row(claim, ours, measured, ratio, holds))
    return rows


def with_changed(run, parameter, factor):
    """The run with a number of its platform multiplied, or, if it is named like one, a setting of its own."""
    if not run.platform:
        return run
    if parameter in dict(run.settings):
        settings = tuple((name, f"{float(value) * factor:g}" if name == parameter else value)
                         for name, value in run.settings)
        return dataclasses.replace(run, settings=settings)
    return dataclasses.replace(run, platform=f"{run.platform}*{parameter}*{factor:g}")


def needed_by(figure, claim, runs):
    """The runs that the claim looks at."""
    data = data_of(figure, runs)
    value_of(claim.ours, data)
    return [run for series in figure.series if series.label in data.used for run in series.all_runs]


def more_runs(figure, runs):
    """What has to run to see how numbers move that miss: each unknown parameter halved and doubled."""
    for row in rows_of(figure, runs):
        if row.holds is False:
            for parameter in figure.unknown:
                for run in needed_by(figure, row.claim, runs):
                    yield from (with_changed(run, parameter, factor) for factor in FACTORS if run.platform)


def moves_of(figure, runs):
    """How the numbers move that miss."""
    moves = []
    for row in rows_of(figure, runs):
        for parameter in figure.unknown if row.holds is False else ():
            half, double = (value_of(row.claim.ours, data_of(
                figure, runs, lambda run, by=factor: with_changed(run, parameter, by))) for factor in FACTORS)
            moves.append(Moved(row.claim, parameter, half, row.ours, double))
    return moves
