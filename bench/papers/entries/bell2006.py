"""Bell, Bonachea, Nishtala, Yelick, IPDPS 2006: five machines, one-sided against two-sided, NAS FT."""

from model import AT_LEAST, INPUT, SAME, Claim, Figure, Run, Series, by_size

PAPER = "Bell et al., IPDPS 2006"
SIZES = (16, 4096, 16384, 131072)
# Platform, machine, microseconds a message of GASNet and MPI by size, per cent of the peak at 512 KB.
MACHINES = (
    ("elan3", "Lemieux, Elan3", (2.02, 17.7, 65.2, 513), (47.5, 23.1, 75.7, 537), 85.3, 300),
    ("elan4", "Thunder, Elan4", (1.85, 5.03, 19.4, 153), (2.10, 8.28, 34.4, 155), 95.4, 900),
    ("myrinet", "Millennium, Myrinet 2000", (11.6, 18.4, 72.1, 573), (11.3, 26.9, 80.9, 609), 91.5, 250),
    ("ib4x-g5", "System X, InfiniBand 4x", (3.49, 6.04, 21.6, 165), (314, 16.3, 32.2, 188), 88.5, 900),
    ("ib4x", "Jacquard, InfiniBand 4x", (2.60, 5.74, 21.0, 164), (8.51, 10.2, 28.2, 207), 88.8, 900),
)
ONE_A_NODE = ("--sim-per-host", "1")
LAB_RATE = "1gbit"
NETWORK = ("network", "--max-size", 524288, "--repetitions", 5)


def messages(operation, platform, sizes, *more):
    words = (operation, "--sizes", ",".join(map(str, sizes)), *more)
    return Run("weft-bench-scale", words, 2, platform, options=ONE_A_NODE)


def flood(platform, machine, gasnet, mpi, peak_percent, peak):
    ours = "Weft's puts, simulated"
    return Figure(
        f"flood-{platform}", f"Flood of messages: {machine}", f"{PAPER}, Table 1",
        f"One-sided puts follow each other in {gasnet[0]:g} us at 16 B and {gasnet[1]:g} us at 4 KB, those of MPI "
        f"in {mpi[0]:g} and {mpi[1]:g} us. At 512 KB puts reach {peak_percent:g} % of the {peak} MB/s of "
        "link and bus.",
        (Series("GASNet, paper", points=dict(zip(SIZES, gasnet))),
         Series("MPI, paper", points=dict(zip(SIZES, mpi))),
         Series(ours, messages("put_flood", platform, (*SIZES, 524288)), by_size(1e-3))),
        (*(Claim(f"us a message of {size} B", value, lambda data, size=size: data[ours][size], INPUT)
           for size, value in zip(SIZES, gasnet)),
         Claim("per cent of the peak at 512 KB", peak_percent,
               lambda data: 100 * 524288 / data[ours][524288] / peak, INPUT)),
        "The platform was fitted to this table, and the whole library on top of it adds nothing to a flood.",
        y="us a message")


def latencies():
    sizes = (8, 64, 512, 4096, 16384)
    return Figure(
        "latency-2006", "A put until it is acknowledged: five machines", f"{PAPER}, latency",
        "The paper compares the latencies of the five machines in a picture. No numbers of it are at hand.",
        tuple(Series(f"{machine}, simulated", messages("latency", platform, sizes, "--calls", 4), by_size(1e-3))
              for platform, machine, *_ in MACHINES),
        sentence="From 512 B on Elan3, which has the slowest link but one, loses what its short overhead gains.",
        y="us until acknowledged", missing="MPI's latency: needs the model of two-sided messages.")


def on_the_lab():
    sizes = (16, 512, *SIZES[1:], 524288)
    words = ("put_flood", "--sizes", ",".join(map(str, sizes)))
    here, there = "Weft's puts, measured", "Weft's puts, simulated"
    mpi = "Open MPI's messages, measured"

    def of_mpi(report):
        return {row["size_bytes"]: row["size_bytes"] / row["value"] * 1e-3
                for row in report["results"] if row["name"] == "net_flood"}
    return Figure(
        "flood-lab", "The same where it runs for real: two hosts of the lab, 1 Gbit/s", f"{PAPER}, Table 1",
        "A put needs no matching and no handshake, so it is 1.3 to 2.7 times as fast as MPI at 4 KB.",
        (Series(there, Run("weft-bench-scale", words, 2, "lab", options=ONE_A_NODE), by_size(1e-3)),
         Series(here, Run("weft-bench-scale", words, 2, hosts=2, rate=LAB_RATE), by_size(1e-3)),
         Series(mpi, Run("weft-bench-mpi", NETWORK, 2, hosts=2, rate=LAB_RATE, launcher="mpirun"), of_mpi)),
        (Claim("MPI's time over a put's at 4 KB, least of five machines", 1.31, lambda data: None, AT_LEAST,
               lambda data: data[mpi][4096] / data[here][4096]),
         Claim("simulated over measured time at 16 KB", 1, lambda data: data[there][16384] / data[here][16384], INPUT),
         Claim("simulated over measured time at 512 KB", 1, lambda data: data[there][524288] / data[here][524288],
               INPUT)),
        "From 4 KB on the link of 1 Gbit/s is the bound of both, which the simulation shows as well.",
        y="us a message")


def message_counts():
    """A cube of 64 planes on 16 ranks: the paper's formulas hold for any size. The ranks share a node's memory, because
    Weft puts rows together where they have to leave it (docs/FFT.md)."""
    ranks, n = 16, 64
    variants = ("exchange", "slabs", "pencils")

    def run(variant):
        return Run("ft", ("--class", "S", "--variant", variant, "--iterations", 1, "--plan", "quick"), ranks, "ranger",
                   settings=(("WEFT_SIM_SHARE", "1"),))
    formulas = {"exchange": ranks, "slabs": n, "pencils": n * n // ranks}
    return Figure(
        "messages-per-thread", f"Messages of a rank in one transform: {n} x {n} x {n} on {ranks}",
        f"{PAPER}, messages per thread, of a cube of n planes on T threads",
        "Exchange sends T messages, slabs n, pencils n^2 / T; of their time 0, 1 - 2/n and 1 - 2T/n^2 can be hidden.",
        tuple(Series(f"{variant}, simulated", run(variant), lambda report: {"messages": report["messages_per_rank"]})
              for variant in variants),
        tuple(Claim(f"messages of {variant}", formulas[variant],
                    lambda data, name=variant: data[f"{name}, simulated"]["messages"], SAME) for variant in variants),
        "The programs send what the formulas say. Between nodes Weft puts up to 128 KiB of rows into one message.",
        chart="none")


def not_yet(name, title, place, statement):
    return Figure(name, title, f"{PAPER}, {place}", statement,
                  missing="Needs FFT without data, modelled computation and the model of two-sided messages.")


FIGURES = (
    *(flood(*machine) for machine in MACHINES), latencies(), on_the_lab(), message_counts(),
    not_yet("fft-speedups", "NAS FT on 64 to 512 processors: against the exchange of MPI", "Figure 7",
            "The best variant is 1.8 times as fast on average as Fortran's exchange, 1.9 times on InfiniBand and "
            "Elan4. Pencils are up to 10 % faster than slabs. With two-sided messages overlap gains 1.75 times."),
    not_yet("fft-overheads", "What pencils cost and save", "Figure 8",
            "What pencils save in the last FFT, which reads what has just arrived, exceeds what they cost."),
    not_yet("fft-communication", "Time in communication", "Figure 9", "InfiniBand has the least with UPC."),
    not_yet("fft-rates", "NAS FT, rates of all variants", "Figure 10",
            "The best UPC version (pencils) is on average 1.15 times as fast as the best MPI version (slabs); on 512 "
            "processors it reaches nearly 0.5 TFlop/s."))
