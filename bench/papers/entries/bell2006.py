"""Bell, Bonachea, Nishtala, Yelick, IPDPS 2006: five machines, one-sided against two-sided, NAS FT."""

from model import AT_LEAST, FLOPS, INPUT, SAME, Claim, Figure, Run, Series, by_size

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
VARIANTS = ("pencils", "slabs", "exchange")
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
        y="us until acknowledged", missing="MPI's latency: its costs on these machines are not known.")


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

    def run(variant):
        return Run("ft", ("--class", "S", "--variant", variant, "--iterations", 1, "--plan", "quick"), ranks, "ranger",
                   settings=(("WEFT_SIM_SHARE", "1"),))
    formulas = {"exchange": ranks, "slabs": n, "pencils": n * n // ranks}
    return Figure(
        "messages-per-thread", f"Messages of a rank in one transform: {n} x {n} x {n} on {ranks}",
        f"{PAPER}, messages per thread, of a cube of n planes on T threads",
        "Exchange sends T messages, slabs n, pencils n^2 / T; of their time 0, 1 - 2/n and 1 - 2T/n^2 can be hidden.",
        tuple(Series(f"{variant}, simulated", run(variant), lambda report: {"messages": report["messages_per_rank"]})
              for variant in VARIANTS),
        tuple(Claim(f"messages of {variant}", formulas[variant],
                    lambda data, name=variant: data[f"{name}, simulated"]["messages"], SAME) for variant in VARIANTS),
        "The programs send what the formulas say. Between nodes Weft puts up to 128 KiB of rows into one message.",
        chart="none")


def ft(program, platform, ranks, variant):
    """A transform of class D, as the paper's, without data; the platform's processors compute as the model says."""
    words = ("--class", "D", "--variant", variant, "--forward-only")
    return Run(program, words, ranks, platform, options=("--sim-data", "none", "--sim-compute", "model"), limit_s=600)


def fft(platform, machine, ranks, paper_speedup):
    weft = {f"Weft, {variant}, simulated": ft("ft", platform, ranks, variant) for variant in VARIANTS}
    mpi = {f"MPI, {variant}, simulated": ft("ft-mpi-sim", platform, ranks, variant)
           for variant in ("slabs", "exchange")}

    def best(data, names):
        return min(data[name][machine] for name in names)
    return Figure(
        f"fft-{platform}", f"NAS FT class D, one transform on {ranks} processors: {machine}",
        f"{PAPER}, Figures 7 and 10",
        f"The best one-sided variant is {paper_speedup:g} times as fast as the exchange of MPI, and 1.15 times as the "
        "best MPI version (mean of all machines). Pencils are up to 10 % faster than slabs.",
        tuple(Series(name, run, lambda report: {machine: 1e3 * report["seconds_per_transform"]})
              for name, run in (weft | mpi).items()),
        (Claim("MPI's exchange over the best of Weft", paper_speedup,
               lambda data: data["MPI, exchange, simulated"][machine] / best(data, weft)),
         Claim("the best of MPI over the best of Weft", 1.15, lambda data: best(data, mpi) / best(data, weft)),
         Claim("slabs over pencils, at most 1.10", 1,
               lambda data: data["Weft, slabs, simulated"][machine] / data["Weft, pencils, simulated"][machine])),
        "The paper's MPI exchange is NAS's Fortran program, which also computes more slowly; here all variants compute "
        "alike. The costs of this machine's MPI are taken as those of puts, which is too good for MPI. Weft puts the "
        "rows of pencils together into messages of slabs.",
        x="", y="ms", chart="bars", unknown=("processor.flop_rate",))


# Platform, machine and processors of the transforms.
FFT_MACHINES = (("myrinet", "Millennium, Myrinet 2000", 64), ("ib4x", "Jacquard, InfiniBand 4x", 256),
                ("elan3", "Lemieux, Elan3", 256), ("elan4", "Thunder, Elan4", 256))


def fft_communication():
    """What of a transform is communication that nothing hides, of the variant that hides most of it."""
    def share(_, report):
        phases = report["phases"]
        return 100 * sum(phases[name] for name in ("communication", "completion", "barrier")) / report["seconds"]
    series = {name: f"{name}, simulated" for name in VARIANTS}
    machines = {f"{machine.split(', ')[1]}, {ranks}": (platform, ranks) for platform, machine, ranks in FFT_MACHINES}
    infiniband = next(name for name, (platform, _) in machines.items() if platform == "ib4x")

    def least_elsewhere(data):
        return min(value for name, value in data[series["pencils"]].items() if name != infiniband)
    return Figure(
        "fft-communication", "NAS FT class D: the part of a transform in communication", f"{PAPER}, Figure 9",
        "InfiniBand has the least communication with UPC.",
        tuple(Series(label, pick=share, runs={name: ft("ft", platform, ranks, variant)
                                              for name, (platform, ranks) in machines.items()})
              for variant, label in series.items()),
        (Claim("the least of the others over InfiniBand's, pencils", 1,
               lambda data: least_elsewhere(data) / data[series["pencils"]][infiniband], AT_LEAST),),
        "Communication that is hidden behind computation is not counted.", x="", y="per cent", chart="bars")


def fft_rates():
    ranks, point = 512, "512 processors"
    series = {platform: f"{machine}, pencils, simulated"
              for platform, machine in (("elan3", "Lemieux, Elan3"), ("elan4", "Thunder, Elan4"))}
    return Figure(
        "fft-rates", "NAS FT class D on 512 processors", f"{PAPER}, Figures 7 and 10",
        "The best UPC version (pencils) reaches nearly 0.5 TFlop/s on 512 processors.",
        tuple(Series(label, ft("ft", platform, ranks, "pencils"), lambda report: {point: report["mops"] / 1e6})
              for platform, label in series.items()),
        (Claim("TFlop/s by NAS's count, Elan4", 0.5, lambda data: data[series["elan4"]][point], FLOPS),),
        "The rate of the processors is assumed, and what a transform reaches moves with it.",
        x="", y="TFlop/s", chart="bars", unknown=("processor.flop_rate",))


FIGURES = (
    *(flood(*machine) for machine in MACHINES), latencies(), on_the_lab(), message_counts(),
    *(fft(*machine, speedup) for machine, speedup in zip(FFT_MACHINES, (1.8, 1.9, 1.8, 1.9))),
    Figure("fft-overheads", "What pencils cost and save", f"{PAPER}, Figure 8",
           "What pencils save in the last FFT, which reads what has just arrived, exceeds what they cost.",
           missing="What is saved is misses of a cache, which the simulation has not."),
    fft_communication(), fft_rates())
