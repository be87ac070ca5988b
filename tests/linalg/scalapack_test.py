#!/usr/bin/env python3
"""libweft-scalapack in programs of Open MPI and MPICH: scalapack_test.py BUILD [NAME]..."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(".")
HANG = 300
OVERRIDE = "lib/libweft-scalapack-override.so"


def mpirun(ranks, program, *arguments, code=0, mpi="openmpi", **environment):
    """Runs a job; returns its output."""
    names = [word for name in environment for word in ("-x", name)]
    start = ["mpirun.openmpi", "--oversubscribe", *names] if mpi == "openmpi" else ["mpiexec.mpich"]
    done = subprocess.run([*start, "-n", str(ranks), BUILD / "bin" / program, *arguments], capture_output=True,
                          text=True, timeout=HANG, check=False,
                          env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                               **environment})
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def served(output):
    """How many calls Weft and ScaLAPACK have served, and the reasons for the latter as they are printed."""
    line = re.search(r"Weft served (\d+) calls, ScaLAPACK (\d+)(?:: (.*))?", output)
    assert line, f"libweft-scalapack has said nothing about calls:\n{output}"
    return int(line[1]), int(line[2]), line[3]


class Scalapack(unittest.TestCase):
    def compare(self, program="scalapack_compare", ranks=(1, 2, 4, 6), **options):
        for count in ranks:
            said = mpirun(count, program, "5", WEFT_SCALAPACK_FROM="1", WEFT_STATS="1", **options)
            self.assertIn("\n0 failures\n", said)
            by_weft, _, others = served(said)
            self.assertGreater(by_weft, 100, said)
            # Those with a mistake, and twice six on a grid of some ranks.
            self.assertEqual(others, "1 below WEFT_SCALAPACK_FROM, " +
                             ("" if count == 1 else "12 on grids without all ranks, ") + "3 for their arguments", said)

    def test_same_results(self):
        self.compare()

    def test_same_results_between_hosts(self):
        self.compare(WEFT_HOST_NAME="a,b")

    def test_same_results_mpich(self):
        # Its ranks never give their processor to others while they wait: as many as there always are.
        self.compare("scalapack_compare_mpich", (1, 2), mpi="mpich")

    def test_unchanged_program(self):
        for problem, least, calls in (("gemm", "0", 1), ("cholesky", "0", 1), ("lu", "0", 1), ("lu", "501", 0)):
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "result.json")
                said = mpirun(4, "linalg-scalapack", "--variant", problem, "--n", "500", "--nb", "32", "--json", file,
                              LD_PRELOAD=str(BUILD / OVERRIDE), WEFT_STATS="1", WEFT_SCALAPACK_FROM=least)
                with open(file, encoding="utf-8") as result:
                    self.assertTrue(json.load(result)["verified"])
            self.assertEqual(served(said)[0], calls, said)
            # A program whose calls all go to ScaLAPACK never starts Weft.
            self.assertEqual("weft statistics" in said, calls > 0, said)

    def test_a_want_of_memory_is_told_once(self):
        said = mpirun(2, "linalg-scalapack", "--variant", "gemm", "--n", "700", "--repeat", "3",
                      LD_PRELOAD=str(BUILD / OVERRIDE), WEFT_STATS="1", WEFT_SEGMENT_SIZE="1M")
        self.assertEqual(served(said)[0], 0, said)
        self.assertRegex(served(said)[2], "[1-9] for want of memory")
        self.assertEqual([line for line in said.splitlines() if line.startswith("weft") and "memory" in line and
                          "calls, ScaLAPACK" not in line],
                         ["weft-scalapack: pdgemm: Weft has no memory for the copies of its operands, or to work "
                          "with; a rank's segment has 1.0 MiB; ScaLAPACK does this call, and others like it; raise "
                          "WEFT_SEGMENT_SIZE"], said)

    def test_a_nearly_full_segment_leaves_calls_to_scalapack(self):
        # From sizes that are served on, by steps, to one whose copy has no room: watched as well, where ranks do not
        # map each other's memory, and need more of their own.
        outcomes = set()
        for watch in {}, {"WEFT_STATS": "1"}:
            for n in range(1240, 1400, 20):
                said = mpirun(2, "linalg-scalapack", "--variant", "cholesky", "--n", str(n), "--nb", "64", "--grid",
                              "1x2", LD_PRELOAD=str(BUILD / OVERRIDE), WEFT_SCALAPACK_FROM="1",
                              WEFT_SEGMENT_SIZE="8M", **watch)
                self.assertIn("passed", said)
                lines = [line for line in said.splitlines() if line.startswith("weft") and "statistics" not in line and
                         "calls, ScaLAPACK" not in line]
                for line in lines:
                    self.assertRegex(line, "^weft-scalapack: pd[a-z]*: Weft has no memory for the copies")
                self.assertLessEqual(len(lines), 1, said)
                outcomes.add((bool(watch), len(lines)))
        self.assertEqual(outcomes, {(False, 0), (False, 1), (True, 0), (True, 1)})

    def test_arguments_that_differ_are_named(self):
        def job(first, second):
            start = ["mpirun.openmpi", "--oversubscribe", "-x", "LD_PRELOAD", "-x", "WEFT_CHECK"]
            program = BUILD / "bin/linalg-scalapack"
            done = subprocess.run([*start, "-n", "1", program, *first, ":", "-n", "1", program, *second],
                                  capture_output=True, text=True, timeout=HANG, check=False,
                                  env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "WEFT_CHECK": "1",
                                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "LD_PRELOAD": str(BUILD / OVERRIDE)})
            self.assertNotEqual(done.returncode, 0)
            return [line for line in done.stderr.splitlines() if line.startswith("weft-scalapack: ")]

        grid = ["--grid", "1x2", "--nb", "32"]
        # Below the least size that Weft serves, too: ScaLAPACK would wait there.
        for sizes in ("400", "390"), ("255", "257"):
            first, second = ([*grid, "--variant", "gemm", "--n", size] for size in sizes)
            self.assertEqual(job(first, second), [f"weft-scalapack: pdgemm: m is {sizes[0]} on process (0, 0) and "
                                                  f"{sizes[1]} on process (0, 1); all give the same"])
        first, second = ([*grid, "--n", "400", "--variant", problem] for problem in ("cholesky", "lu"))
        self.assertEqual(job(first, second), ["weft-scalapack: pdpotrf: process (0, 0) calls it, and process (0, 1) "
                                              "pdgetrf; all call the same function"])

    def test_scalars_that_differ_are_named(self):
        for name in "alpha", "beta":
            said = mpirun(2, "scalapack_compare", name, code=1, WEFT_CHECK="1", WEFT_SCALAPACK_FROM="1")
            self.assertEqual([line for line in said.splitlines() if line.startswith("weft")],
                             [f"weft-scalapack: pzgemm: the imaginary part of {name} is 0 on process (0, 0) and 1 on "
                              "process (0, 1); all give the same"])

    def test_small_and_foreign(self):
        # Too small for Weft. And where Weft cannot start ScaLAPACK does all, whether that is found by a rank alone or
        # after it has met the others.
        said = mpirun(2, "linalg-scalapack", "--variant", "gemm", "--n", "200", LD_PRELOAD=str(BUILD / OVERRIDE),
                      WEFT_STATS="1")
        self.assertEqual(served(said), (0, 4, "4 below WEFT_SCALAPACK_FROM"), said)
        self.assertNotIn("weft statistics", said)
        for setting, wrong in ("WEFT_CONDUIT", "pigeons"), ("WEFT_SEGMENT_SIZE", "banana"):
            said = mpirun(2, "linalg-scalapack", "--variant", "gemm", "--n", "400", LD_PRELOAD=str(BUILD / OVERRIDE),
                          WEFT_STATS="1", **{setting: wrong})
            self.assertIn("passed", said)
            self.assertEqual(served(said), (0, 4, "3 below WEFT_SCALAPACK_FROM, 1 as Weft cannot start"), said)
            self.assertIn(setting, said)
            self.assertNotIn("improper", said)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv[1]).absolute()
    chosen = ["test_" + name for name in sys.argv[2:]] or [name for name in dir(Scalapack) if name.startswith("test_")]
    suite = unittest.TestSuite(Scalapack(name) for name in chosen)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
