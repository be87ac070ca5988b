#!/usr/bin/env python3
"""libweft-scalapack in programs of Open MPI: scalapack_test.py BUILD [NAME]..."""

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


def mpirun(ranks, program, *arguments, code=0, **environment):
    """Runs a job; returns its output."""
    names = [word for name in environment for word in ("-x", name)]
    done = subprocess.run(["mpirun.openmpi", "--oversubscribe", "-n", str(ranks), *names, BUILD / "bin" / program,
                           *arguments], capture_output=True, text=True, timeout=HANG, check=False,
                          env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                               **environment})
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def served(output):
    """How many calls Weft and ScaLAPACK have served."""
    return tuple(map(int, re.search(r"Weft served (\d+) calls, ScaLAPACK (\d+)", output).groups()))


class Scalapack(unittest.TestCase):
    def compare(self, **environment):
        for ranks in (1, 2, 4, 6):
            said = mpirun(ranks, "scalapack_compare", "5", WEFT_SCALAPACK_FROM="1", WEFT_STATS="1", **environment)
            self.assertIn("\n0 failures\n", said)
            by_weft, by_scalapack = served(said)
            self.assertGreater(by_weft, 100, said)
            self.assertEqual(by_scalapack, 4, said)  # those with a mistake

    def test_same_results(self):
        self.compare()

    def test_same_results_between_hosts(self):
        self.compare(WEFT_HOST_NAME="a,b")

    def test_unchanged_program(self):
        for problem, least, calls in (("gemm", "0", 1), ("cholesky", "0", 1), ("lu", "0", 1), ("lu", "501", 0)):
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "result.json")
                said = mpirun(4, "linalg-scalapack", "--variant", problem, "--n", "500", "--nb", "32", "--json", file,
                              LD_PRELOAD=str(BUILD / OVERRIDE), WEFT_STATS="1", WEFT_SCALAPACK_FROM=least)
                with open(file, encoding="utf-8") as result:
                    self.assertTrue(json.load(result)["verified"])
            # A program whose calls all go to ScaLAPACK never starts Weft.
            self.assertEqual(served(said)[0] if calls else "weft" in said, calls, said)

    def test_small_and_foreign(self):
        # Too small for Weft. And where Weft cannot start ScaLAPACK does all; Open MPI notices that ranks had begun to
        # join a job, and counts the end as improper.
        said = mpirun(2, "linalg-scalapack", "--variant", "gemm", "--n", "200", LD_PRELOAD=str(BUILD / OVERRIDE),
                      WEFT_STATS="1")
        self.assertNotIn("weft", said)
        said = mpirun(2, "linalg-scalapack", "--variant", "gemm", "--n", "400", LD_PRELOAD=str(BUILD / OVERRIDE),
                      WEFT_CONDUIT="pigeons", code=1)
        self.assertIn("passed", said)
        self.assertIn("WEFT_CONDUIT", said)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv[1]).absolute()
    chosen = ["test_" + name for name in sys.argv[2:]] or [name for name in dir(Scalapack) if name.startswith("test_")]
    suite = unittest.TestSuite(Scalapack(name) for name in chosen)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
