#!/usr/bin/env python3
"""The UPC benchmarks as programs: what they write, how they refuse. upc_bench_test.py BUILD SOURCE. Their numbers are
not tested: those depend on who else uses the machine."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
LAYOUTS = ("cyclic", "blocked", "star", "one")
NAMES = {"upc-triad": {f"triad_{layout}" for layout in LAYOUTS},
         "upc-triad-static": {f"triad_{layout}_static" for layout in LAYOUTS},
         "upc-triad-pthreads": {f"triad_{layout}_pthreads" for layout in LAYOUTS},
         "upc-kernels": {"matvec", "stencil"}, "upc-random": {"random_increment"}, "upc-chase": {"pointer_chase"}}
UNITS = {"GB/s", "Gflop/s", "M/s", "ms"}


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, check=False)


def check_results(results):
    for result in results:
        assert list(result)[:6] == ["name", "size_bytes", "value", "unit", "limit", "ratio_to_limit"], result
        assert result["unit"] in UNITS and result["value"] > 0 and result["limit"] > 0, result
        assert isinstance(result["size_bytes"], int), result
    keys = [(result["name"], result["size_bytes"]) for result in results]
    assert len(set(keys)) == len(keys), keys


def check_program(name, folder):
    path = folder / f"{name}.json"
    done = run(BUILD / "bin/upcrun", "-n", 2, BUILD / "bin" / name, "--quick", "--json", path)
    assert done.returncode == 0, done.stderr
    report = json.loads(path.read_text())
    assert list(report) == ["benchmark", "ranks", "conduit", "results"], report
    assert report["benchmark"] == name.replace("-", "_") and report["ranks"] == 2 and report["conduit"] == "smp", report
    check_results(report["results"])
    assert {result["name"] for result in report["results"]} == NAMES[name], report
    for result in report["results"]:
        assert abs(result["ratio_to_limit"] * result["limit"] - result["value"]) < 1e-9 * result["value"], result
        assert any(line.startswith(result["name"] + " ") for line in done.stdout.splitlines()), done.stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program in NAMES:
            check_program(program, folder)
        done = run(BUILD / "bin/upcrun", "-n", 2, BUILD / "bin/upc-chase", "--frobnicate")
        assert done.returncode == 2 and "unknown argument '--frobnicate'" in done.stderr, done
        done = run(BUILD / "bin/upcrun", "-n", 2, BUILD / "bin/upc-chase", "--quick", "--json", "/nowhere/x.json")
        assert done.returncode == 1 and "/nowhere/x.json" in done.stderr, done
        done = run(BUILD / "bin/upcrun", "-n", 2, BUILD / "bin/upc-chase", "--quick", "--json", "/dev/full")
        told = [line for line in done.stderr.splitlines() if not line.startswith("upcrun: ")]
        assert done.returncode == 1 and told == ["cannot write /dev/full: No space left on device"], done
        # The report: everything once, quickly, in a build folder that looks like the real one.
        (folder / "build").mkdir()
        for part in ("bin", "lib", "include"):
            os.symlink(BUILD / part, folder / "build" / part)
        report = SOURCE / "bench/upc/report.py"
        done = run("/usr/bin/python3", report, "--build", folder / "build", "--quick", "--runs", 1)
        assert done.returncode == 0, done.stderr
        whole = json.loads((folder / "build/bench/upc.json").read_text())
        check_results(whole["results"])
        expected = set().union(*NAMES.values()) | {"frontend_processor", "frontend_wall"}
        assert {result["name"] for result in whole["results"]} == expected
        assert (folder / "build/bench/upc.svg").stat().st_size > 1000
        done = run("/usr/bin/python3", report, "--build", folder)
        assert done.returncode != 0 and "build them first" in done.stderr, done


main()
