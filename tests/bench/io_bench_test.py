#!/usr/bin/env python3
"""bench/io/report.py once, quickly: what it measures, compares and writes. io_bench_test.py BUILD SOURCE. Its numbers
are not tested: those depend on who else uses the machine."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
SIZES = [64, 512, 4 << 10, 64 << 10, 1 << 20]  # the last is also what each rank has


def run(*command):
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, **as_root})


def bad_input_is_refused():
    bad = ("--mib x", "--mib 0", "--rounds -1", "--rounds 5x", "--block 100", "--block", "--other 1")
    for launcher, program, options in ((BUILD / "bin/upcrun", "upc-io", bad), ("mpirun.openmpi", "mpi-io", bad[:1]),
                                       ("mpirun.openmpi", "posix-io", bad[:1])):
        for option in options:
            done = run(launcher, "-n", "1", BUILD / "bin" / program, *option.split())
            assert done.returncode == 2 and "usage: " in done.stderr, (program, option, done.stderr)


def main():
    bad_input_is_refused()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").mkdir()
        for part in ("bin", "lib", "include"):
            os.symlink(BUILD / part, folder / "build" / part)
        done = run(SOURCE / "bench/io/report.py", "--build", folder / "build", "--file", folder / "data",
                   "--hosts", "1", "--mib", "1", "--rounds", "1", "--turns", "1", "--storage", "disk")
        assert done.returncode == 0, done.stderr
        report = json.loads((folder / "build/bench/io.json").read_text())
        assert list(report) == ["benchmark", "mib", "rounds", "cases"] and len(report["cases"]) == 2, report
        rates, hidden = (case["results"] for case in report["cases"])
        assert sorted({row["size_bytes"] for row in rates}) == SIZES, rates
        for row in rates:
            assert row["name"] in ("write", "read") and min(row["weft"], row["ompio"], row["romio321"]) > 0, row
            best = row["weft"] / max(row["ompio"], row["romio321"])
            assert abs(row["ratio"] - best) < 1e-9 * best and len(row["ratios"]) == 1, row
            assert f"{row['ratio']:8.2f}" in done.stdout, done.stdout
        assert [row["name"] for row in hidden] == ["hidden_read"], hidden
        assert not (folder / "data").exists()


if __name__ == "__main__":
    main()
