"""Ibrahim, Hargrove, Iancu, Yelick, IPDPS 2014: one-sided and two-sided messages on Cray XE6 (Gemini)."""

from model import INPUT, Claim, Figure, Run, Series, of_size

PAPER = "Ibrahim et al., IPDPS 2014"
CORES = 24
SENDERS = (1, 2, 4, 8, 16, 24)
SMALL, MIDDLE, LARGE = 8, 8192, 65536


def rates(label, size, unit, order="default", operation="put_flood"):
    """What the cores of a node send to those of the next, over how many do: messages (unit 1) or bytes (unit: the
    size), in 10^6 a second."""
    def run(senders):
        words = (operation, "--senders", senders, "--sizes", f"{SMALL},{MIDDLE},{LARGE}", "--repetitions", 1)
        return Run("weft-bench-scale", words, 2 * senders, "gemini",
                   options=("--sim-map", "txyz", "--sim-per-host", str(senders)), settings=(("WEFT_ORDER", order),))
    return Series(label, runs={senders: run(senders) for senders in SENDERS},
                  pick=lambda senders, report: 1e3 * senders * unit / of_size(size)(senders, report))


def message_rate():
    ours = "8-byte puts, simulated"
    return Figure(
        "rate-gemini", "Messages a second of a node: Cray XE6 (Gemini)", f"{PAPER}, message rate",
        "A node sends 12.5 million messages of 8 bytes a second.",
        (rates(ours, SMALL, 1),),
        (Claim("million messages a second, 24 cores", 12.5, lambda data: data[ours][CORES]),),
        "The interface takes one message at a time, so more cores than it takes to fill it add nothing.",
        x="cores that send", y="million messages a second",
        unknown=("interface.message_gap", "processor.send_overhead"))


def ordering():
    strict, free = "64 KiB, strict, simulated", "64 KiB, relaxed, simulated"
    middle, middle_free = "8 KiB, default, simulated", "8 KiB, relaxed, simulated"
    return Figure(
        "ordering-gemini", "Strict and relaxed ordering: Cray XE6 (Gemini)", f"{PAPER}, ordering modes",
        "With strict ordering 24 cores together are 4.6 times below the best, which is reached with 4 cores. Relaxed "
        "ordering rises with the cores, by up to 20 % at 4 to 16 KB.",
        (rates(strict, LARGE, LARGE, "strict"), rates(free, LARGE, LARGE, "relaxed"),
         rates(middle, MIDDLE, MIDDLE), rates(middle_free, MIDDLE, MIDDLE, "relaxed")),
        (Claim("best over 24 cores, strict", 4.6, lambda data: max(data[strict].values()) / data[strict][CORES], INPUT),
         Claim("cores of the best, strict", 4, lambda data: max(data[strict], key=data[strict].get), INPUT),
         Claim("relaxed over default at 8 KiB, 24 cores", 1.2,
               lambda data: data[middle_free][CORES] / data[middle][CORES], INPUT)),
        "What the modes cost and gain are numbers of the platform, so these shapes are inputs.",
        x="cores that send", y="MB/s of the node",
        missing="Registration of memory with many cores at once: no program measures it in simulated jobs.")


def put_and_get():
    put, get = "puts, simulated", "gets, simulated"
    return Figure(
        "put-get-gemini", "Puts and gets: Cray XE6 (Gemini)", f"{PAPER}, put and get",
        "Puts reach 80 % of the rate of gets.",
        (rates(put, MIDDLE, MIDDLE), rates(get, MIDDLE, MIDDLE, operation="get_flood")),
        (Claim("puts over gets, 24 cores", 0.8, lambda data: data[put][CORES] / data[get][CORES]),),
        f"Messages of {MIDDLE >> 10} KiB.", x="cores that send", y="MB/s of the node",
        unknown=("interface.injection_rate", "interface.ejection_rate"))


def two_sided():
    sizes = (8, 512, 2048, 8192, 32768, 65536)
    put, mpi = "puts, simulated", "MPI, simulated"
    ours = Run("weft-bench-scale", ("put_flood", "--sizes", ",".join(map(str, sizes))), 2, "gemini",
               options=("--sim-per-host", "1"))
    theirs = Run("weft-two-sided-sim", ("flood", "--max-size", max(sizes)), 2, "gemini",
                 options=("--sim-per-host", "1"))

    def rate(report):
        return {row["size_bytes"]: row["size_bytes"] / row["value"] * 1e3 for row in report["results"]}
    return Figure(
        "two-sided-gemini", "One-sided and two-sided messages between two cores: Cray XE6 (Gemini)",
        f"{PAPER}, two-sided", "MPI takes in a message in 1,933 cycles, and loses 23 to 33 % of the one-sided rate.",
        (Series(put, ours, rate), Series(mpi, theirs, rate)),
        (Claim("MPI's time for a message of 8 B, ns (1,933 cycles of 2.1 GHz)", 920,
               lambda data: 8 / data[mpi][8] * 1e3, INPUT),
         Claim("MPI's rate over puts' at 8 KiB (0.67 to 0.77)", 0.72, lambda data: data[mpi][8192] / data[put][8192])),
        "Copies to and from buffers cost MPI its rate up to the size from which it announces messages, 8 KiB.",
        y="MB/s", unknown=("two_sided.copy_rate", "two_sided.eager_limit"))


FIGURES = (message_rate(), ordering(), put_and_get(), two_sided())
