"""Zheng et al., SIAM PP 2010: collectives on Cray XT4, XT5 and Sun Constellation, by the radix of their trees."""

from model import SAME, SIZE_CLASS, Claim, Figure, Run, Series, by_size

PAPER = "Zheng et al., SIAM PP 2010"
SEND = "processor.send_overhead"


def collective(operation, platform, ranks, sizes, algorithm="", *more, limit_s=300):
    """Times by size. `algorithm`: as WEFT_COLL takes it; empty: what Weft chooses."""
    words = (operation, "--sizes", ",".join(map(str, sizes)), *more)
    settings = (("WEFT_COLL", f"{operation}={algorithm}"),) if algorithm else ()
    return Run("weft-bench-scale", words, ranks, platform, settings=settings, limit_s=limit_s)


def radix(label):
    """Of the label of a series."""
    return int(label.split("-")[0])


def trees(operation, platform, ranks, sizes, radices):
    return tuple(Series(f"{k}-nomial, simulated", collective(operation, platform, ranks, sizes, f"tree:{k}"),
                        by_size(1e-3)) for k in radices)


def best_radix(data, size):
    return radix(min((label for label in data if "-nomial" in label), key=lambda label: data[label][size]))


def broadcast_xt4():
    sizes, radices, ranks = (8, 512, 2048, 16384), (2, 4, 8, 16), 2048
    chosen = "Weft's choice, simulated"
    return Figure(
        "broadcast-xt4", "Broadcast by radix of its tree: Cray XT4, 2,048 ranks", f"{PAPER}, broadcast",
        "The 4-nomial tree is best below 2 KB; at 32 KB it is twice as slow as the best.",
        (*trees("broadcast", "xt4", ranks, sizes, radices),
         Series(chosen, collective("broadcast", "xt4", ranks, sizes), by_size(1e-3))),
        (Claim("best radix at 8 B", 4, lambda data: best_radix(data, 8), SAME),
         Claim("best radix at 512 B", 4, lambda data: best_radix(data, 512), SAME),
         Claim("4-nomial over the best at 16 KiB (paper: at 32 KB)", 2,
               lambda data: data["4-nomial, simulated"][16384] / data[data.best(16384)][16384])),
        "A tree's radix trades the sender's overhead against the number of levels; large messages go in segments.",
        y="us", unknown=(SEND, "interface.latency"))


def broadcast_ranger():
    sizes, radices = (8, 512, 2048, 16384), (2, 4, 8, 16)
    return Figure(
        "broadcast-ranger", "Broadcast by radix of its tree: Sun Constellation, 1,024 ranks", f"{PAPER}, broadcast",
        "The 8-nomial tree is best below 2 KB.", trees("broadcast", "ranger", 1024, sizes, radices),
        (Claim("best radix at 8 B", 8, lambda data: best_radix(data, 8), SAME),
         Claim("8-nomial over the best at 8 B", 1,
               lambda data: data["8-nomial, simulated"][8] / data[data.best(8)][8])),
        "The best radix grows with latency over the sender's overhead, which is not published for this machine.",
        y="us", unknown=(SEND, "interface.latency"))


def reduce(platform, machine, ranks, statement, claims):
    return Figure(
        f"reduce-{platform}", f"Reduction of 8 bytes by radix: {machine}, {ranks:,} ranks", f"{PAPER}, reduction",
        statement, trees("reduce", platform, ranks, (8,), (2, 4, 8, 16)), claims,
        "A parent takes in its children's operands one after the other, so its overhead bounds the radix.",
        y="us", chart="bars", unknown=(SEND, "processor.receive_overhead", "interface.latency"))


def exchange_ranger():
    sizes = (8, 64, 512, 1024, 4096)
    kinds = (("Bruck, radix 2", "bruck:2"), ("Bruck, radix 4", "bruck:4"), ("Bruck, radix 16", "bruck:16"),
             ("flat", "flat"), ("flat, in place", "put"))

    def flat(data, size):
        return min(data["flat, simulated"][size], data["flat, in place, simulated"][size])

    def crossover(data):
        return next(size for size in sizes if flat(data, size) <= data["Bruck, radix 2, simulated"][size])
    return Figure(
        "exchange-ranger", "Exchange, Bruck's algorithm against flat: Sun Constellation, 256 ranks",
        f"{PAPER}, exchange", "Radix 2 is best at 8 B, 10 times as fast as flat. Flat is best from 512 to 1,024 B on.",
        tuple(Series(f"{label}, simulated", collective("exchange", "ranger", 256, sizes, algorithm, "--repetitions", 1),
                     by_size(1e-3)) for label, algorithm in kinds),
        (Claim("flat over radix 2 at 8 B", 10, lambda data: flat(data, 8) / data["Bruck, radix 2, simulated"][8]),
         Claim("bytes from which on flat beats radix 2", 512, crossover, SIZE_CLASS)),
        "Bruck's algorithm sends log2(n) messages instead of n, and each byte log2(n) / 2 times.", y="us",
        unknown=(SEND, "node.memory_rate"),
        missing="MPI's exchange (28 % slower at 16 KB): with 256 ranks the two-sided model does not end within ten "
        "minutes.")


def broadcast_overlap():
    sizes, after, during = (2048, 8192, 16384), "computation after it, simulated", "computation meanwhile, simulated"

    def run(*more):
        words = ("broadcast", "--sizes", ",".join(map(str, sizes)), "--compute", "1e6", "--repetitions", 1, *more)
        return Run("weft-bench-scale", words, 1024, "xt4", options=("--sim-compute", "model"), limit_s=300)
    return Figure(
        "broadcast-overlap", "Broadcast that overlaps with computation: Cray XT4, 1,024 ranks",
        f"{PAPER}, non-blocking broadcast", "A non-blocking broadcast gains 100 to 200 us.",
        (Series(after, run(), by_size(1e-3)), Series(during, run("--in-flight"), by_size(1e-3))),
        (Claim("us gained at 16 KiB (paper: 100 to 200)", 150,
               lambda data: data[after][16384] - data[during][16384]),),
        "Each rank computes 10^6 operations, which is 1 ms at the platform's assumed rate, in 64 pieces with a poll "
        "after each. What a non-blocking broadcast gains is the time of the broadcast.",
        y="us, computation included", unknown=(SEND, "interface.latency"))


def loose(operation):
    sizes, ranks, calls = (8,), 1536, 20
    words = ("--calls", calls, "--repetitions", 1)
    names = {"loose": (), "strict": ("--strict",)}
    return Figure(
        f"loose-{operation}", f"{operation.capitalize()}, loose against strict synchronisation: Cray XT5, 1,536 ranks",
        f"{PAPER}, loose synchronisation", "Without barriers around each call small ones take a quarter of the time.",
        tuple(Series(f"{name}, simulated", collective(operation, "xt5", ranks, sizes, "", *words, *more), by_size(1e-3))
              for name, more in names.items()),
        (Claim("strict over loose at 8 B", 4,
               lambda data: data["strict, simulated"][8] / data["loose, simulated"][8]),),
        f"Of {calls} calls in a row loose ones overlap; strict ones pay two barriers each.", y="us a call",
        chart="bars", unknown=(SEND, "interface.latency"))


FIGURES = (
    broadcast_xt4(), broadcast_ranger(),
    reduce("xt4", "Cray XT4", 2048, "The 4-nomial tree is 25 % better than the 8-nomial, and twice as fast as MPI.",
           (Claim("8-nomial over 4-nomial", 1.25,
                  lambda data: data["8-nomial, simulated"][8] / data["4-nomial, simulated"][8]),)),
    reduce("ranger", "Sun Constellation", 1024, "The 8-nomial tree is best, 18 % faster than MPI.",
           (Claim("best radix", 8, lambda data: best_radix(data, 8), SAME),
            Claim("8-nomial over the best", 1, lambda data: data["8-nomial, simulated"][8] / data[data.best(8)][8]))),
    exchange_ranger(), loose("scatter"), loose("gather"),
    broadcast_overlap())
