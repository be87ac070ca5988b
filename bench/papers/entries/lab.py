"""What runs for real here: simulation against measurement on a lab of two hosts, 1 Gbit/s"""

from model import Claim, Figure, Run, Series, by_size

SIZES = (8, 4096, 65536, 524288)
OPERATIONS = ("broadcast", "reduce_all", "exchange")


def collective(operation):
    words = (operation, "--sizes", ",".join(map(str, SIZES)), "--calls", 400)
    there, here = f"{operation}, simulated", f"{operation}, measured"
    return Figure(
        f"{operation.replace('_', '-')}-lab", f"{operation.replace('_', ' ').capitalize()} on two hosts of the lab",
        "Weft's own goal: a mean error of 15 %",
        "No paper has this machine. It says how far the simulation is from a machine that can be measured.",
        (Series(there, Run("weft-bench-scale", words, 2, "lab", options=("--sim-per-host", "1")), by_size(1e-3)),
         Series(here, Run("weft-bench-scale", words, 2, hosts=2, rate="1gbit"), by_size(1e-3))),
        tuple(Claim(f"simulated over measured, {size} B", 1,
                    lambda data, size=size: data[there][size] / data[here][size]) for size in SIZES),
        "400 calls in a row: the first after a pause take some 20 us more, as processors wake. Small ones depend on "
        "the processors of this machine, large ones on the link. The root of a broadcast runs ahead, and the transport "
        "joins its small messages; the simulated network has a cost for each.",
        y="us a call")


def two_sided():
    words = ("flood", "--max-size", 131072, "--repetitions", 5)
    there, here, mpich = "the model, simulated", "Open MPI, measured", "MPICH, measured"

    def run(program, **where):
        return Run(program, words, 2, **where)
    return Figure(
        "two-sided-lab", "A flood of two-sided messages on two hosts of the lab",
        "Weft's own goal: a mean error of 15 %",
        "The model of MPI that draws its curves on other machines, beside two MPI libraries.",
        (Series(there, run("weft-two-sided-sim", platform="lab", options=("--sim-per-host", "1")), by_size(1e-3)),
         Series(here, run("weft-two-sided", hosts=2, rate="1gbit", launcher="mpirun"), by_size(1e-3)),
         Series(mpich, run("weft-two-sided-mpich", hosts=2, rate="1gbit", launcher="mpiexec"), by_size(1e-3))),
        tuple(Claim(f"simulated over Open MPI, {size} B", 1,
                    lambda data, size=size: data[there][size] / data[here][size]) for size in (8, 4096, 131072)),
        "Large messages are bound by the link, small ones by what the processors of this machine take.",
        y="us a message")


FIGURES = (*(collective(operation) for operation in OPERATIONS), two_sided())
