"""The plots of report.py: one SVG and one PNG each."""
import matplotlib

matplotlib.use("Agg")  # no display needed
import matplotlib.pyplot as plt

COLOURS = {"weft": "#1f5fa8", "openmpi": "#d9822b", "mpich": "#4f9d57", "limit": "#8a8a8a"}
STYLE = {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
         "grid.color": "#e4e4e4", "grid.linewidth": 0.7, "axes.axisbelow": True, "legend.frameon": False,
         "svg.fonttype": "none", "axes.titlelocation": "left", "axes.titleweight": "bold"}


def size_text(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB" if size >= 1 << 10 else f"{size} B"


def curve(program, name, field="value"):
    points = sorted((size, result[field]) for (result_name, size), result in program.merged.items()
                    if result_name == name and result[field] is not None)
    return [size for size, _ in points], [value for _, value in points]


def lines(axes, programs, wanted):
    """`wanted`: (program key, result name, field, label, line style, colour key)."""
    by_key = {program.key: program for program in programs}
    for key, name, field, label, style, colour in wanted:
        if key not in by_key:
            continue
        sizes, values = curve(by_key[key], name, field)
        if not sizes:
            continue
        limit = colour == "limit"
        axes.plot(sizes, values, style, color=COLOURS[colour], label=label, linewidth=3.2 if limit else 1.8,
                  marker="" if limit else "o" if style == "-" else "s", markersize=3.5, zorder=2 if limit else 3,
                  alpha=0.55 if limit else 1)


def size_axis(axes, step):
    axes.set_xscale("log", base=2)
    low, high = (int(limit) for limit in axes.dataLim.intervalx)
    ticks = [1 << shift for shift in range(40) if low <= 1 << shift <= high and (shift % step == 0)]
    axes.set_xticks(ticks, [size_text(tick) for tick in ticks], rotation=40, ha="right", rotation_mode="anchor")
    axes.minorticks_off()


def latency(programs):
    figure, axes = plt.subplots(figsize=(8.6, 5.4))
    lines(axes, programs, [
        ("mpich", "send_ack", "value", "MPICH send + 0-byte ack", "-", "mpich"),
        ("mpich", "isend_ack", "value", "MPICH isend + 0-byte ack", "--", "mpich"),
        ("openmpi", "send_ack", "value", "Open MPI send + 0-byte ack", "-", "openmpi"),
        ("openmpi", "isend_ack", "value", "Open MPI isend + 0-byte ack", "--", "openmpi"),
        ("weft", "put", "limit", "memcpy (limit)", "-", "limit"),
        ("weft", "put", "value", "Weft put", "-", "weft"),
        ("weft", "get", "value", "Weft get", "--", "weft")])
    axes.set_yscale("log")
    size_axis(axes, 2)
    axes.set_xlabel("message size")
    axes.set_ylabel("time per blocking operation, ns")
    axes.set_title("Blocking transfer until it is complete at the target, 2 ranks on one host")
    axes.legend(loc="upper left")
    return figure


def bandwidth(programs):
    figure, axes = plt.subplots(figsize=(8.6, 5.4))
    lines(axes, programs, [
        ("weft", "put_flood", "limit", "memcpy (limit)", "-", "limit"),
        ("weft", "put_flood", "value", "Weft put", "-", "weft"),
        ("weft", "put_stream_flood", "value", "Weft put, WEFT_STREAM", "--", "weft"),
        ("openmpi", "put_flood", "value", "Open MPI put", "--", "openmpi"),
        ("openmpi", "isend_flood", "value", "Open MPI isend", "-", "openmpi"),
        ("mpich", "put_flood", "value", "MPICH put", "--", "mpich"),
        ("mpich", "isend_flood", "value", "MPICH isend", "-", "mpich")])
    size_axis(axes, 2)
    axes.set_yscale("log")
    axes.set_ylim(top=axes.get_ylim()[1] * 4)  # room for the legend
    axes.set_xlabel("message size")
    axes.set_ylabel("bandwidth, GB/s")
    axes.set_title("Flood of non-blocking transfers, 16 under way at once, 2 ranks on one host")
    axes.legend(loc="upper left", ncol=3)
    return figure


# (label, Weft's result, its bare form, MPI's result)
CROSSINGS = [
    ("barrier", ("barrier", 0), ("bare_barrier", 0), ("barrier", 0)),
    ("8 bytes one way:\nput with signal,\nMPI message", ("put_signal_line", 8), ("bare_signal", 0),
     ("message_one_way", 8)),
    ("8 bytes there and back:\nactive message and reply,\ntwo MPI messages", ("am_short_round_trip", 8),
     ("bare_two_lines", 0), ("message_round_trip", 8)),
]


def bars(axes, groups, series, text):
    """`series`: (label, colour, values); a value may be None."""
    width = 0.8 / len(series)
    for place, (label, colour, values) in enumerate(series):
        for group, value in enumerate(values):
            if value is None:
                continue
            at = group + (place - (len(series) - 1) / 2) * width
            axes.bar(at, value, width * 0.92, color=colour, label=label if group == 0 else None)
            axes.annotate(text(value), (at, value), xytext=(0, 2), textcoords="offset points", ha="center",
                          fontsize=8.5)
    axes.set_xticks(range(len(groups)), groups)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)


def crossings(programs):
    figure, axes = plt.subplots(figsize=(8.6, 5.0))
    weft = programs[0].merged
    series = [("bare form: lines and no library", COLOURS["limit"],
               [weft.get(bare, {}).get("ratio_to_limit") for _, _, bare, _ in CROSSINGS]),
              ("Weft", COLOURS["weft"], [weft[key]["ratio_to_limit"] for _, key, _, _ in CROSSINGS])]
    for program in programs[1:]:
        series.append((program.title, COLOURS[program.key],
                       [program.merged[key]["ratio_to_limit"] for _, _, _, key in CROSSINGS]))
    bars(axes, [label for label, _, _, _ in CROSSINGS], series, lambda value: f"{value:.2f}")
    axes.axhline(1, color="#444444", linewidth=1, linestyle=":")
    axes.set_ylim(top=axes.get_ylim()[1] * 1.12)
    axes.set_ylabel("cache-line round trips between the two cores")
    axes.set_title(f"What crosses between two cores; one line there and back: {weft[('barrier', 0)]['limit']:.0f} ns")
    axes.legend(loc="upper left", ncol=len(series))
    return figure


def rates(programs):
    figure, axes = plt.subplots(figsize=(8.6, 4.6))
    weft = programs[0].merged
    bars_of = [("memcpy", weft[("put_rate", 8)]["limit"], "limit"),
               ("Weft\nput", weft[("put_rate", 8)]["value"], "weft"),
               ("Weft\nput_nbi", weft[("put_nbi_rate", 8)]["value"], "weft"),
               ("Weft\nput_nb", weft[("put_nb_rate", 8)]["value"], "weft"),
               ("Weft\nshort AM", weft[("am_short_flood", 8)]["value"], "weft")]
    for program in programs[1:]:
        bars_of += [(f"{program.title}\nput", program.merged[("put_rate", 8)]["value"], program.key),
                    (f"{program.title}\nisend", program.merged[("isend_rate", 8)]["value"], program.key)]
    for place, (_, value, colour) in enumerate(bars_of):
        axes.bar(place, value, 0.72, color=COLOURS[colour])
        axes.annotate(f"{value:.0f}" if value >= 10 else f"{value:.1f}", (place, value), xytext=(0, 2),
                      textcoords="offset points", ha="center", fontsize=9)
    axes.set_xticks(range(len(bars_of)), [label for label, _, _ in bars_of], fontsize=9)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)
    axes.set_yscale("log")
    axes.set_ylabel("million messages per second")
    axes.set_title("8-byte messages per second from one rank to another (logarithmic)")
    return figure


def draw(programs, folder):
    """Draws everything and yields the paths."""
    with plt.rc_context(STYLE):
        for name, make in (("latency", latency), ("bandwidth", bandwidth), ("crossings", crossings), ("rates", rates)):
            figure = make(programs)
            figure.tight_layout()
            for kind in ("svg", "png"):
                path = folder / f"{name}.{kind}"
                figure.savefig(path, dpi=130)
                yield path
            plt.close(figure)
