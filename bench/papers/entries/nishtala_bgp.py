"""Nishtala, Zheng, Hargrove: team collectives and results on Blue Gene/P."""

from model import Claim, Figure, Run, Series, of_size

PAPER = "Nishtala et al., BG/P results"
COUNTS = (256, 512, 1024, 2048)


def exchange():
    """Whole exchanges on the bare network, beside what its bisection and its nodes' links allow."""
    runs = {ranks: Run("weft-sim", ("exchange", "-n", ranks, "--bytes", 1024), platform="bgp", limit_s=300)
            for ranks in COUNTS}
    simulated, bound = "all to all, simulated", "bound by bisection and nodes' links, analytic"
    return Figure(
        "exchange-bgp", "Exchange of 1 KiB of all with all, beside its bound: Blue Gene/P", f"{PAPER}, bisection",
        "FFT has a kink at 2,048 cores, where the torus is complete: its bisection is four times that of the mesh of "
        "1,024, and an exchange takes no longer.",
        (Series(simulated, runs=runs, pick=lambda _, report: 1e3 * report["seconds"]),
         Series(bound, runs=runs, pick=lambda _, report: 1e3 * report["bound_seconds"])),
        (Claim("time on 2,048 over time on 1,024 cores", 1, lambda data: data[simulated][2048] / data[simulated][1024]),
         Claim("time on 1,024 over time on 512 cores", 4, lambda data: data[simulated][1024] / data[simulated][512])),
        "The platform's contention, 0.58, was fitted to the paper's FFT on 16,384 cores; the kink is not an input.",
        x="cores", y="ms", unknown=("link.contention", "interface.injection_rate"))


def barrier():
    runs = {ranks: Run("weft-bench-scale", ("barrier",), ranks, "bgp") for ranks in COUNTS}
    return Figure(
        "barrier-bgp", "Barrier: Blue Gene/P", f"{PAPER}, barrier",
        "The barrier network is fastest (1.3 us at 72 racks), then the torus, then a binomial tree of messages.",
        (Series("dissemination on the torus, simulated", runs=runs, pick=of_size(8, 1e-3)),),
        sentence="Each doubling of the ranks is a round more.", x="cores", y="us",
        missing="The barrier network: needs native collectives of the simulated machine.")


FIGURES = (exchange(), barrier())
