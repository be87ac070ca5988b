"""What runs for real here: simulation against measurement on a lab of two hosts, 1 Gbit/s"""

from model import Claim, Figure, Run, Series, by_size

SIZES = (8, 4096, 65536, 524288)
OPERATIONS = ("broadcast", "reduce_all", "exchange")


def collective(operation):
    words = (operation, "--sizes", ",".join(map(str, SIZES)), "--calls", 20)
    there, here = f"{operation}, simulated", f"{operation}, measured"
    return Figure(
        f"{operation.replace('_', '-')}-lab", f"{operation.replace('_', ' ').capitalize()} on two hosts of the lab",
        "Weft's own goal: a mean error of 15 %",
        "No paper has this machine. It says how far the simulation is from a machine that can be measured.",
        (Series(there, Run("weft-bench-scale", words, 2, "lab", options=("--sim-per-host", "1")), by_size(1e-3)),
         Series(here, Run("weft-bench-scale", words, 2, hosts=2, rate="1gbit"), by_size(1e-3))),
        tuple(Claim(f"simulated over measured, {size} B", 1,
                    lambda data, size=size: data[there][size] / data[here][size]) for size in SIZES),
        "Twenty calls in a row. Small ones depend on the processors of this machine, large ones on the link.",
        y="us a call")


FIGURES = tuple(collective(operation) for operation in OPERATIONS)
