#!/usr/bin/env python3
"""bench/linalg/report.py once, quickly: what it measures, compares and writes. linalg_bench_test.py BUILD SOURCE. Its
numbers are not tested: those depend on who else uses the machine."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])


def report(folder, *arguments):
    return subprocess.run([SOURCE / "bench/linalg/report.py", "--build", folder, "--hosts", "1", "--rounds", "1",
                           "--repeat", "1", *arguments], capture_output=True, text=True, timeout=300, check=False)


def check_peers_refuse_mistakes():
    for program in ("linalg-openblas", "linalg-scalapack"):
        done = subprocess.run([BUILD / "bin" / program, "--variant", "qr"], capture_output=True, text=True, timeout=60,
                              check=False, env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        assert done.returncode == 2, done
        assert f"{program}: unknown variant 'qr'; use one of gemm, cholesky, lu\n" in done.stderr, done.stderr


def main():
    check_peers_refuse_mistakes()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("bin", "lib"):
            os.symlink(BUILD / part, folder / part)
        done = report(folder, "--n", "200", "--ranks", "2", "--scalapack-nb", "32")
        assert done.returncode == 0, done.stderr
        found = json.loads((folder / "bench/linalg.json").read_text())
        assert list(found) == ["benchmark", "rounds", "cases"], found
        assert [case["problem"] for case in found["cases"]] == ["cholesky", "gemm", "lu"], found
        for case in found["cases"]:
            assert (case["n"], case["ranks"], case["hosts"], case["rate"]) == (200, 2, 1, None), case
            rates = {row["label"]: row["gflops"] for row in case["results"]}
            ours = case["results"][0]["label"]
            assert {"ScaLAPACK", "OpenBLAS"} < set(rates) and ours.startswith("Weft, "), case
            assert all(0 < row["residual"] < 16 and row["gflops_all"] == [row["gflops"]] for row in case["results"])
            for label, ratio in case["ratios"].items():
                assert abs(ratio * rates[label] - rates[ours]) < 1e-9 * rates[ours], case
                assert f"{ratio:9.2f}" in done.stdout, done.stdout
            assert set(case["ratios"]) == set(rates) - {ours}, case


if __name__ == "__main__":
    main()
