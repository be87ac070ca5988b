#!/usr/bin/python3
"""Draws how computation and communication overlap in one transform of FT on two lab hosts.

Runs FT with WEFT_TRACE, samples meanwhile what the switch gets from the first host,
and draws both over the same time. The
trace itself opens in Perfetto (https://ui.perfetto.dev). Needs root (docs/LAB.md).
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from measuring import OBJECTS, Record, first_of, give_up, need_folder_of, need_programs, read_json, run

LAB_NAME = f"bench{os.getpid()}"
TIME_LIMIT_S = 300
COLOURS = {"computing": "#2d4a5c", "progress (TCP)": "#7fa3b8", "starting puts": "#c8793a", "waiting": "#e8b98a",
           "barrier": "#c9c9c9"}
SAMPLE = """
import os, sys, time
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))  # on time, and soon asleep again
path = "/sys/class/net/h1-0/statistics/rx_bytes"
print("ready", flush=True)
samples = []
with open(path) as file, open(sys.argv[1], "w") as out:
    while True:
        file.seek(0); samples.append((time.monotonic_ns(), int(file.read())))
        if len(samples) == 10:
            out.writelines(f"{t} {b}\\n" for t, b in samples); out.flush(); samples.clear()
        time.sleep(0.001)
"""


def measure(options, folder):
    """Paths of the trace and of the samples."""
    lab = os.path.abspath(os.path.join(options.build, "bin", "lab"))
    ft = os.path.join(os.path.dirname(lab), "ft")
    named = {"LAB_NAME": LAB_NAME}
    trace, samples = os.path.join(folder, "trace.json"), os.path.join(folder, "samples")
    run([lab, "up", "2", "--own-processors", "--rate", options.rate], TIME_LIMIT_S, named)
    try:
        with subprocess.Popen(["ip", "netns", "exec", f"weft-{LAB_NAME}-switch", sys.executable, "-c", SAMPLE, samples],
                              stdout=subprocess.PIPE) as sampler:
            sampler.stdout.readline()
            try:
                run([lab, "run", "-n", "2", "--bind", ft, "--class", options.class_name, "--variant", options.variant,
                     "--iterations", "2"], TIME_LIMIT_S, {**named, "WEFT_TRACE": trace})
            finally:
                sampler.terminate()
    finally:
        run([lab, "down"], TIME_LIMIT_S, named)
    return trace, samples


def read_trace(path):
    """Events of each rank, by time: (start, end, name) in microseconds."""
    events = read_json(path, kind=OBJECTS)
    ranks = {}
    # The samples' times are those of the machine's clock.
    starts = Record({event["pid"]: event["args"]["monotonic_ns"] / 1000
                     for event in events if event["name"] == "start"}, f"{path}: the starts of ranks")
    for event in events:
        if event["ph"] == "X":
            begin = event["ts"] + starts[event["pid"]]
            ranks.setdefault(event["pid"], []).append((begin, begin + event["dur"], event["name"]))
    first_of((rank for rank in ranks if rank == 0), path, "events of rank 0")
    return {rank: sorted(found) for rank, found in ranks.items()}


def last_transform(events):
    """From the end of one transposition to the end of the next, the last of all."""
    ends = [end for _, end, name in events if name == "wait for targets"]
    if len(ends) < 2:
        give_up(f"the trace has {len(ends)} transpositions; one transform is from one to the next")
    return ends[-2], ends[-1]


def intervals(events, begin, end):
    """What a rank does, as kind: list of (start, length). What is no call of Weft is computation."""
    kinds = {kind: [] for kind in COLOURS}
    now = begin
    for start, stop, name in events:
        if stop <= now or start >= end or name == "sleep":
            continue
        kind = {"barrier": "barrier", "wait for sources": "waiting", "wait for targets": "waiting",
                "progress": "progress (TCP)"}.get(name, "starting puts")
        if start > now:
            kinds["computing"].append((now, start - now))
        start = max(start, now)
        kinds[kind].append((start, min(stop, end) - start))
        now = min(stop, end)
    if now < end:
        kinds["computing"].append((now, end - now))
    return kinds


def link_use(path, begin, end, bin_us):
    """Gbit/s that leave the host, per bin of the window."""
    with open(path, encoding="ascii") as file:
        samples = [(int(t) / 1000, int(b)) for t, b in (line.split() for line in file if line.count(" ") == 1)]
    bins = [0.0] * (int((end - begin) / bin_us) + 1)
    for (t0, b0), (t1, b1) in zip(samples, samples[1:]):
        middle = (t0 + t1) / 2
        if begin <= middle < end:
            bins[int((middle - begin) / bin_us)] += (b1 - b0) * 8e-3 / bin_us
    return bins


def draw(ranks, samples, options, output):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch
    matplotlib.rcParams["svg.hashsalt"] = "weft"
    begin, end = last_transform(ranks[0])
    figure, (top, bottom) = pyplot.subplots(2, 1, figsize=(11, 4.6), sharex=True, height_ratios=(1.2, 1),
                                            layout="constrained")
    for rank, events in ranks.items():
        for kind, found in intervals(events, begin, end).items():
            top.broken_barh([((start - begin) / 1000, length / 1000) for start, length in found], (-rank - 0.4, 0.8),
                            color=COLOURS[kind], linewidth=0, rasterized=True)
    top.set_yticks([0, -1], ["rank 0 on h1", "rank 1 on h2"])
    title = f"NAS FT class {options.class_name}, {options.variant}, 2 hosts, link {options.rate}: one transform"
    top.set_title(title, loc="left", fontsize=11)
    top.legend(handles=[Patch(color=colour, label=kind) for kind, colour in COLOURS.items()], ncols=5, frameon=False,
               fontsize=8.5, loc="lower left", bbox_to_anchor=(0, -0.24))
    bin_us = max((end - begin) / 60, 2000)
    use = link_use(samples, begin, end, bin_us)
    bottom.bar([(i + 0.5) * bin_us / 1000 for i in range(len(use))], use, width=bin_us / 1000, color="#0b6e99",
               linewidth=0)
    bottom.set_ylabel("h1 sends, Gbit/s")
    bottom.set_xlabel("milliseconds")
    bottom.set_xlim(0, (end - begin) / 1000)
    for axes in (top, bottom):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(output + ".svg", metadata={"Date": None}, dpi=200)
    figure.savefig(output + ".png", dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="folder of the build")
    parser.add_argument("--class", dest="class_name", default="A")
    parser.add_argument("--variant", default="pencils")
    parser.add_argument("--rate", default="4gbit")
    parser.add_argument("--output", help="where to write, without .json, .svg and .png; BUILD/net-overlap if not given")
    options = parser.parse_args()
    output = options.output or os.path.join(options.build, "net-overlap")
    need_programs(options.build, "lab", "weftrun", "ft")
    need_folder_of(output)
    with tempfile.TemporaryDirectory() as folder:
        trace, samples = measure(options, folder)
        draw(read_trace(trace), samples, options, output)
        with open(trace, "rb") as source, open(output + ".json", "wb") as target:
            target.write(source.read())
    print(f"Written: {output}.json (for Perfetto), {output}.svg, {output}.png")


if __name__ == "__main__":
    main()
