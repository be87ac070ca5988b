#!/usr/bin/env python3
"""The programs of bench/upc/programs, quickly, on 1 to 4 threads: the obvious one, the one by hand and the one in MPI
compute the same, and what they compute is right. Then bench/upc/hosts/report.py --programs on one host.
upc_programs_bench_test.py BUILD SOURCE. Their times are not tested."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
PROGRAMS = ("gups", "heat", "histogram", "matvec", "cg-s", "is-s", "is-w")
RESULTS = {"gups", "heat", "count_atomic", "matvec_by_element", "matvec_by_row", "matvec_by_block", "cg_S", "cg_W",
           "is_S", "is_W"}


def run(*command, code=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, **AS_ROOT})
    assert done.returncode == code, done
    return done


def results_of(folder, *command):
    path = folder / "results.json"
    path.unlink(missing_ok=True)
    run(*command, "--quick", "--json", path)
    return {result["name"]: (result["size_bytes"], result["checksum"]) for result in
            json.loads(path.read_text())["results"]}


def check_full_disk():
    done = run("mpirun.openmpi", "-n", 1, BUILD / "bin/upc-programs-mpi", "--quick", "--json", "/dev/full", code=1)
    assert "cannot write /dev/full: No space left on device\n" in done.stderr, done


def check_programs(folder, threads):
    twins = results_of(folder, "mpirun.openmpi", "--oversubscribe", "-n", threads, BUILD / "bin/upc-programs-mpi")
    assert set(twins) == RESULTS, twins
    for program in PROGRAMS:
        found = results_of(folder, BUILD / "bin/upcrun", "-n", threads, BUILD / f"bin/upc-programs-{program}")
        for name, result in found.items():
            assert result == twins[name], (threads, name, result, twins[name])


def check_report(folder):
    output = folder / "report"
    run("/usr/bin/python3", SCRIPT, "--programs", "--build", BUILD, "--quick", "--rounds", 1, "--link", "--output",
        output)
    whole = json.loads((folder / "report.json").read_text())
    rows = whole["cases"][0]["results"]
    assert whole["benchmark"] == "upc_programs" and {row["name"] for row in rows} == RESULTS, whole
    for row in rows:
        assert [(goal["to"], goal["at_most"]) for goal in row["goals"]] == [("hand", 1.3)], row
        assert set(row["ratios"]) == {"hand", "mpi"}, row
    assert (folder / "report.svg").stat().st_size > 1000


def check_compile_time(folder):
    script = SOURCE / "bench/upc/compile_time.py"
    run(script, "--build", BUILD, "--runs", 1, "-k", "pi.upc", "--json", folder / "compile.json")
    told = json.loads((folder / "compile.json").read_text())
    assert told["benchmark"] == "upc_compile_time" and [row["name"] for row in told["results"]] == [
        "examples/upc/pi.upc", "all"], told
    row = told["results"][0]
    assert row["size"] > row["size_without"] > 0 and 0 < row["own"] < row["whole"], row
    refused = subprocess.run([script, "--build", BUILD, "-k", "no such program"], capture_output=True, text=True,
                             timeout=60, check=False)
    assert refused.returncode == 2 and "no program has that in its name" in refused.stderr, refused


SCRIPT = SOURCE / "bench/upc/hosts/report.py"
with tempfile.TemporaryDirectory() as name:
    check_full_disk()
    for count in (1, 2, 3, 4):
        check_programs(pathlib.Path(name), count)
    check_report(pathlib.Path(name))
    check_compile_time(pathlib.Path(name))
