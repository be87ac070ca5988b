#!/usr/bin/env python3
"""bench/upc/hosts/report.py once, quickly, on one host: what it measures, compares and writes, and that it ends where
versions of a kernel do not compute the same. upc_hosts_bench_test.py BUILD SOURCE. Its numbers are not tested: those
depend on who else uses the machine."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
SCRIPT = SOURCE / "bench/upc/hosts/report.py"
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
OWN = {*(f"own_cyclic_{form}" for form in ("index", "address", "continue", "threadof", "pointer")),
       *(f"own_blocked_{form}" for form in ("quotient", "address", "continue", "threadof", "pointer"))}
KERNELS = {*(f"{name}{size}" for name in OWN for size in ("_64", "", "_16384")),
           "block_read", "block_write", "block_accumulate", "column", "matvec", "scalar", "scalar_branch", "stencil_1d",
           "stencil_2d", "cyclic_sum", "copy_get", "copy_put", "transpose", "gather", "scatter", "update", "histogram",
           "members", "list", "reads_random", "reads_in_order", "reads_again"}


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, **AS_ROOT})


def report(build, *options):
    return run("/usr/bin/python3", SCRIPT, "--build", build, "--quick", "--rounds", 1, *options)


def check_report(build):
    path = build / "bench/upc-hosts.json"
    done = report(build, "--link")
    assert done.returncode == 0, done.stderr
    whole = json.loads(path.read_text())
    assert list(whole) == ["benchmark", "rounds", "cases"] and len(whole["cases"]) == 1, whole
    case = whole["cases"][0]
    assert (case["hosts"], case["link"], case["ranks"]) == (1, None, 2), case
    assert {row["name"] for row in case["results"]} == KERNELS and len(case["results"]) == len(KERNELS), case
    for row in case["results"]:
        peer = "c" if row["name"].startswith("own_") else "mpi"
        assert min(row["naive"], row["hand"], row[peer]) > 0 and row["unit"] == "ns", row
        assert set(row["ratios"]) == {"hand", peer}, row
        assert abs(row["ratios"]["hand"] * row["hand"] - row["naive"]) < 1e-9 * row["naive"], row
        assert all(goal["met"] == (goal["value"] <= goal["at_most"]) for goal in row["goals"]), row
    # Of loops over a thread's own elements, what a start and an element take; a start has no goal to C.
    starts = done.stdout.partition("which is its start")[2]
    assert {line.split()[0] for line in starts.splitlines() if line.startswith("own_")} == OWN, done.stdout
    sizes = {row["name"]: row["elements"] for row in case["results"]}
    assert all((sizes[f"{name}_64"], sizes[name], sizes[f"{name}_16384"]) == (64, 2048, 16384) for name in OWN), sizes
    to_c = {row["name"] for row in case["results"] if any(goal["to"] == "c" for goal in row["goals"])}
    assert to_c == {f"{name}{size}" for name in OWN for size in ("", "_16384")
                    if name.endswith(("quotient", "continue", "threadof"))}, to_c
    for kind in ("svg", "png"):
        assert (build / f"bench/upc-hosts.{kind}").stat().st_size > 1000
    # Beside an earlier report each kernel has the goal not to be slower.
    earlier = build / "earlier.json"
    path.rename(earlier)
    done = report(build, "--link", "--no-plots", "--before", earlier)
    assert done.returncode == 0, done.stderr
    for row in json.loads(path.read_text())["cases"][0]["results"]:
        assert [goal["at_most"] for goal in row["goals"] if goal["to"] == "before"] == [1.02], row
    done = report(build, "--link", "--before", build / "nowhere.json")
    assert done.returncode == 1 and "nowhere.json" in done.stderr, done


def check_wrong(build):
    """Another program in the place of the twin, whose gather has another checksum."""
    twin = build / "bin/upc-hosts-mpi"
    said = build / "said.json"
    done = run("mpirun.openmpi", "--oversubscribe", "-n", 2, twin, "--quick", "--json", said)
    assert done.returncode == 0, done.stderr
    told = json.loads(said.read_text())
    next(result for result in told["results"] if result["name"] == "gather")["checksum"] += 1
    said.write_text(json.dumps(told))
    twin.unlink()
    copy = f'for to; do :; done; [ "$OMPI_COMM_WORLD_RANK" != 0 ] || cp {said} "$to"'
    twin.write_text(f"#!/bin/sh\n{copy}\n")
    twin.chmod(0o755)
    done = report(build, "--link")
    assert done.returncode == 1 and "gather on one host: wrong: UPC leaves checksum" in done.stderr, done


def check_refusals():
    done = run(BUILD / "bin/upcrun", "-n", 3, BUILD / "bin/upc-hosts-stencils", "--quick")
    assert done.returncode == 2 and "3 threads; this program takes 2" in done.stderr, done
    done = run("mpirun.openmpi", "--oversubscribe", "-n", 1, BUILD / "bin/upc-hosts-mpi", "--quick")
    assert done.returncode == 2 and "1 ranks; this program takes 2" in done.stderr, done
    done = run("mpirun.openmpi", "--oversubscribe", "-n", 2, BUILD / "bin/upc-hosts-mpi", "--json", "/nowhere/x.json",
               "--quick")
    assert done.returncode == 1 and "/nowhere/x.json" in done.stderr, done


def main():
    check_refusals()
    with tempfile.TemporaryDirectory() as name:
        build = pathlib.Path(name)
        (build / "bin").mkdir()
        for program in (BUILD / "bin").iterdir():
            os.symlink(program, build / "bin" / program.name)
        for part in ("lib", "include"):
            os.symlink(BUILD / part, build / part)
        check_report(build)
        check_wrong(build)


main()
