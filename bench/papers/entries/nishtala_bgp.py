"""Nishtala, Zheng, Hargrove: team collectives and results on Blue Gene/P."""

import math

from model import AT_LEAST, FLOPS, Claim, Figure, Run, Series, by_size, of_size

PAPER = "Nishtala et al., BG/P results"
COUNTS = (256, 512, 1024, 2048, 4096, 8192, 16384)
LONG = 4096  # from so many ranks on a run takes minutes, or gigabytes


def exchange():
    """Whole exchanges on the bare network, beside what its bisection and its nodes' links allow."""
    runs = {ranks: Run("weft-sim", ("exchange", "-n", ranks, "--bytes", 1024), platform="bgp", limit_s=900,
                       is_long=ranks >= LONG) for ranks in COUNTS[:-2]}
    simulated, bound = "all to all, simulated", "bound by bisection and nodes' links, analytic"
    return Figure(
        "exchange-bgp", "Exchange of 1 KiB of all with all, beside its bound: Blue Gene/P", f"{PAPER}, bisection",
        "FFT has a kink at 2,048 cores, where the torus is complete: its bisection is four times that of the mesh of "
        "1,024, and an exchange takes no longer.",
        (Series(simulated, runs=runs, pick=lambda _, report: 1e3 * report["seconds"]),
         Series(bound, runs=runs, pick=lambda _, report: 1e3 * report["bound_seconds"])),
        (Claim("time on 2,048 over time on 1,024 cores, by their bisections", 1,
               lambda data: data[simulated][2048] / data[simulated][1024]),),
        "The platform's contention, 0.58, was fitted to the paper's FFT on 16,384 cores; the kink is not an input.",
        x="cores", y="ms", unknown=("link.contention", "interface.injection_rate"))


def scale(operation, ranks, algorithm, *words):
    """`algorithm`: as WEFT_COLL takes it."""
    return Run("weft-bench-scale", (operation, *words), ranks, "bgp", settings=(("WEFT_COLL", algorithm),),
               limit_s=900, is_long=ranks >= LONG)


def barrier():
    native, torus, binomial = "barrier network, simulated", "dissemination, simulated", "binomial tree, simulated"

    def at(label):
        return lambda data: data[label][256]
    return Figure(
        "barrier-bgp", "Barrier: Blue Gene/P", f"{PAPER}, barrier",
        "The barrier network is fastest (1.3 us at 72 racks), then an algorithm for the torus, then a binomial tree.",
        (Series(native, pick=of_size(8, 1e-3),
                runs={ranks: scale("barrier", ranks, "barrier=native", "--in-flight") for ranks in COUNTS}),
         Series(torus, pick=of_size(8, 1e-3),
                runs={ranks: scale("barrier", ranks, "barrier=dissemination:2") for ranks in COUNTS}),
         Series(binomial, pick=of_size(8, 1e-3),
                runs={ranks: scale("reduce_all", ranks, "reduce_all=tree:2") for ranks in COUNTS})),
        (Claim("torus over barrier network, 256 cores", 1, lambda data: at(torus)(data) / at(native)(data), AT_LEAST),
         Claim("binomial tree over torus, 256 cores", 1, lambda data: at(binomial)(data) / at(torus)(data), AT_LEAST)),
        "The paper's order. The network's 1.3 us are an input; to begin and notice a barrier takes as long again.",
        x="cores", y="us")


def broadcast():
    sizes = (8, 512, 4096, 16384, 65536)
    names = {"native": "tree network, simulated", "kary:2:4K": "segments along a binary tree of messages, simulated",
             "scatter-gather": "scatter and ring, simulated", "tree:2": "binomial tree of whole messages, simulated"}
    native, binomial = names["native"], names["tree:2"]

    def torus(data, size):
        return min(data[names["kary:2:4K"]][size], data[names["scatter-gather"]][size])
    return Figure(
        "broadcast-bgp", "Broadcast: Blue Gene/P, 256 cores", f"{PAPER}, broadcast",
        "The tree network is fastest, then the torus, then point-to-point messages.",
        tuple(Series(name, scale("broadcast", 256, f"broadcast={algorithm},broadcast=tree:2", "--sizes",
                                 ",".join(map(str, sizes))), by_size(1e-3)) for algorithm, name in names.items()),
        (Claim("torus over tree network at 64 KiB", 1, lambda data: torus(data, 65536) / data[native][65536], AT_LEAST),
         Claim("binomial tree over torus at 64 KiB", 1, lambda data: data[binomial][65536] / torus(data, 65536),
               AT_LEAST)),
        "Below their segments the algorithms of large messages are replaced by the binomial tree.", y="us")


def bound(points):
    """TFlop/s of a transform of so many points if nothing took time but its last round, which moves half of the data
    from one half of the machine to the other and as much back, over the links of the bisection."""
    def tflops(_, report):
        crossing = 16 * points / 4  # bytes, each way
        return 5 * points * math.log2(points) * report["derived"]["bisection_bytes_per_second"] / crossing / 1e12
    return tflops


def transform(variant, size, ranks, grid):
    """TFlop/s of one forward transform without data, whose computation the platform's processors take as the model
    says; `size`: the class of NAS FT."""
    words = ("--class", size, "--variant", variant, "--grid", grid, "--forward-only")
    return Run("ft", words, ranks, "bgp", options=("--sim-data", "none", "--sim-compute", "model"), limit_s=3600,
               is_long=ranks >= LONG)


def fft():
    machines = {ranks: Run("weft-sim", ("show", "--nodes", ranks // 4), platform="bgp") for ranks in COUNTS}
    weak, strong = "bound by bisection, 4k x 2k x 2k, analytic", "bound by bisection, 2k x 1k x 1k, analytic"
    slabs, packed = "UPC slabs, 4k x 2k x 2k, paper", "MPI packed slabs, 4k x 2k x 2k, paper"
    grids = {256: "16x16", 1024: "32x32", 4096: "64x64"}
    ours = {variant: f"Weft {name}, 2k x 1k x 1k, simulated"
            for variant, name in (("slabs-2d", "slabs"), ("packed-slabs-2d", "packed slabs"))}

    def rate(_, report):
        return report["fft_gflops"] / 1e3

    def at_most_cores(name):
        return lambda data: data[f"Weft {name}, 4k x 2k x 2k, simulated"][16384]
    return Figure(
        "fft-bgp", "3-D FFT on a grid of ranks, beside its bound: Blue Gene/P", f"{PAPER}, 3-D FFT",
        "On 16,384 cores UPC slabs reach 1.93 TFlop/s, the best MPI version (packed slabs) 1.37. With 2k x 1k x 1k on "
        "256 to 16,384 cores UPC slabs are on average 63 % faster than MPI slabs and 37 % than MPI packed slabs; there "
        "is a kink at 2,048 cores.",
        (Series(weak, runs=machines, pick=bound(2 ** 34)), Series(strong, runs=machines, pick=bound(2 ** 31)),
         *(Series(label, runs={ranks: transform(variant, "D", ranks, grid) for ranks, grid in grids.items()}, pick=rate)
           for variant, label in ours.items()),
         *(Series(f"Weft {name}, 4k x 2k x 2k, simulated", runs={16384: transform(variant, "E", 16384, "128x128")},
                  pick=rate) for variant, name in (("slabs-2d", "slabs"), ("packed-slabs-2d", "packed slabs"))),
         Series(slabs, points={16384: 1.93}), Series(packed, points={16384: 1.37})),
        (Claim("UPC slabs' TFlop/s on 16,384 cores, and the bound", 1.93, lambda data: data[weak][16384], AT_LEAST),
         Claim("UPC slabs' TFlop/s on 16,384 cores", 1.93, at_most_cores("slabs"), FLOPS),
         Claim("MPI packed slabs' TFlop/s on 16,384 cores, and Weft's", 1.37, at_most_cores("packed slabs"), FLOPS)),
        "The bound counts the last of two rounds and no computation. It rises fourfold where the torus is complete. "
        "The transforms run without data, and computation takes what the platform's assumed processor.flop_rate says.",
        x="cores", y="TFlop/s")


def small_fft():
    """Class B on 16 x 16 ranks has the messages of 4k x 2k x 2k on 128 x 128: packed 128 KB, slabs 8 KB."""
    programs = {"Weft": "ft", "MPI": "ft-mpi-sim"}
    variants = {"slabs": "slabs-2d", "packed slabs": "packed-slabs-2d"}
    point = "256 cores"

    def run(program, variant):
        words = ("--class", "B", "--variant", variant, "--grid", "16x16", "--plan", "quick", "--iterations", 1)
        return Run(program, words, 256, "bgp", options=("--sim-compute", "measured"),
                   settings=(("WEFT_SIM_SPEED", "10"),), limit_s=400)

    def over_slabs(name):
        return lambda data: data[f"MPI, {name}, simulated"][point] / data["Weft, slabs, simulated"][point]
    return Figure(
        "fft-variants-bgp", "Slabs and packed slabs, one-sided and MPI: Blue Gene/P",
        f"{PAPER}, 3-D FFT, strong scaling",
        "UPC slabs are on average 63 % faster than MPI slabs and 37 % faster than MPI packed slabs.",
        tuple(Series(f"{library}, {name}, simulated", run(program, variant),
                     lambda report: {point: 1e3 * report["seconds_per_transform"]})
              for library, program in programs.items() for name, variant in variants.items()),
        (Claim("MPI slabs over Weft slabs", 1.63, over_slabs("slabs")),
         Claim("MPI packed slabs over Weft slabs", 1.37, over_slabs("packed slabs"))),
        "Class B on 16 x 16 cores, an eighth of the paper's data a core in messages of the same size as on 16,384. "
        "Computation as it takes here, times 10, which is assumed.",
        x="", y="ms a transform", chart="bars", unknown=("processor.send_overhead", "link.contention"))


FIGURES = (exchange(), fft(), small_fft(), barrier(), broadcast())
