#!/usr/bin/env python3
"""ScaLAPACK's own test programs with libweft-scalapack-override preloaded: scalapack_testers.py BUILD FOLDER [NAME]...

FOLDER has openmpi-tests and mpich-tests of Debian's package scalapack-mpi-test; without it the tests are skipped.
Condition estimates and iterative refinement stay out: PDLACON of ScaLAPACK 2.2.1 hangs at times on grids of several
columns, without Weft as well (Reference-ScaLAPACK, issue 121).
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(".")
FOLDER = pathlib.Path(".")
HANG = 300
# Three grids in a job: two of all ranks, which Weft serves, and one of one rank, which it does not.
GRIDS = {2: ("1 2 1", "2 1 1"), 4: ("2 4 1", "2 1 1")}

# What the input files of both factorisations have behind their sizes.
SOLUTIONS = """2         block sizes
3 16      NB
2         right sides
1 9       NRHS
1         block sizes of right sides
5         NBRHS
3         grids
{0}       P
{1}       Q
{threshold} threshold
F         condition estimates and refinement
"""

LU = """'LU factorization'
'as libweft-scalapack is tested'
'LU.out'  no file is written
6         to standard output
3         sizes
13 57 130 M
13 50 130 N
""" + SOLUTIONS

CHOLESKY = """'Cholesky factorization'
'as libweft-scalapack is tested'
'LLT.out' no file is written
6         to standard output
'{triangle}' triangle
3         sizes
13 57 130 N
""" + SOLUTIONS

# One problem a column. In the last one the first blocks have sizes of their own, so ScaLAPACK gets it.
PROBLEMS = """F         stop on failures
T         error exits
0         verbosity
10        gap in the leading dimension
16.0      threshold
10        logical block size
3         grids
{0}       P
{1}       Q
{alpha}   ALPHA
{beta}    BETA
5         problems
'N' 'U' 'N' 'U' 'N'  DIAG
'L' 'R' 'L' 'R' 'L'  SIDE
'N' 'T' 'N' 'C' 'N'  TRANSA
'N' 'N' 'T' 'T' 'N'  TRANSB
'U' 'L' 'U' 'L' 'U'  UPLO
22 30 61 20 11       M
23 29 40 21 12       N
24 28 52 22 13       K
"""


def distributed(name, size, blocks, last_first_block):
    """The lines about a matrix: SIZE x SIZE in square blocks, the last problem's first block of a size of its own."""
    def row(values, what):
        return " ".join(map(str, values)) + f"  {what}_{name}\n"
    first = [*blocks[:-1], last_first_block]
    return (row([size] * 5, "M") + row([size] * 5, "N") + row(first, "IMB") + row(first, "INB") +
            row(blocks, "MB") + row(blocks, "NB") + row([0] * 5, "RSRC") + row([0] * 5, "CSRC") +
            row([5, 1, 7, 12, 1], "I") + row([5, 1, 7, 12, 1], "J"))


def products(letter, ranks):
    """The input file of the tester of level 3 of PBLAS."""
    number = (lambda value: f"({value},0.5)") if letter in "CZ" else str
    names = ["GEMM", "SYMM", *(["HEMM"] if letter in "CZ" else []), "SYRK", *(["HERK"] if letter in "CZ" else []),
             "SYR2K", *(["HER2K"] if letter in "CZ" else []), "TRMM", "TRSM", "GEADD", "TRADD"]
    return (f"'level 3 of PBLAS'\n'as libweft-scalapack is tested'\n'P{letter}BLAS3TST.SUMM'  no file\n6  to output\n" +
            PROBLEMS.format(*GRIDS[ranks], alpha=number("2.0"), beta=number("3.0")) +
            distributed("A", 75, [4, 5, 16, 3, 5], 2) + distributed("B", 76, [4, 5, 16, 3, 5], 2) +
            distributed("C", 77, [4, 5, 16, 3, 5], 2) +
            "".join(f"P{letter}{name:<6}{'T' if name == 'GEMM' else 'F'}\n" for name in names))


def run(mpi, ranks, program, file, text):
    """Runs a tester with its input FILE; returns what it printed."""
    settings = {"LD_PRELOAD": str(BUILD / "lib/libweft-scalapack-override.so"), "WEFT_STATS": "1",
                "WEFT_SCALAPACK_FROM": "1"}
    if mpi == "openmpi":
        start = ["mpirun.openmpi", "--oversubscribe", "-n", str(ranks)]
        start += [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]
    else:
        start = ["mpiexec.mpich", "-n", str(ranks)]
        start += [word for name, value in settings.items() for word in ("-genv", name, value)]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, file).write_text(text, encoding="utf-8")
        done = subprocess.run([*start, FOLDER / f"{mpi}-tests" / program], cwd=folder, capture_output=True, text=True,
                              timeout=HANG, check=False,
                              env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OPENBLAS_NUM_THREADS": "1"})
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def calls(errors):
    """How many calls process 0 made that Weft served, and that went to ScaLAPACK by reason."""
    line = re.search(r"Weft served (\d+) calls, ScaLAPACK (\d+)(?:: (.*))?", errors)
    assert line, f"libweft-scalapack has said nothing about calls:\n{errors}"
    reasons = dict(reversed(reason.split(" ", 1)) for reason in line[3].split(", ")) if line[3] else {}
    return int(line[1]), {why: int(count) for why, count in reasons.items()}


class Testers(unittest.TestCase):
    def residuals(self, mpi, ranks, program, file, text, tests):
        """A tester of a factorisation: all its tests ran and passed. Returns calls()."""
        printed, errors = run(mpi, ranks, program, file, text)
        passed, failed, skipped = (int(re.search(rf"(\d+) tests (?:completed and )?{what}", printed)[1])
                                   for what in ("passed residual", "failed residual", "skipped"))
        self.assertEqual((passed, failed, skipped), (tests, 0, 0), printed + errors)
        served, others = calls(errors)
        self.assertEqual(set(others), {"on grids without all ranks"}, errors)
        return served, others

    def cholesky(self, mpi, ranks):
        for letter in "sdcz":
            for triangle in "LU":
                with self.subTest(letter=letter, triangle=triangle, ranks=ranks):
                    text = CHOLESKY.format(*GRIDS[ranks], triangle=triangle, threshold=3.0)
                    served, others = self.residuals(mpi, ranks, f"x{letter}llt", "LLT.dat", text, 36)
                    # On each grid 6 factorisations, and each with 2 numbers of right sides.
                    self.assertEqual((served, *others.values()), (36, 18))

    def lu(self, mpi, ranks):
        for letter in "sdcz":
            with self.subTest(letter=letter, ranks=ranks):
                served, others = self.residuals(mpi, ranks, f"x{letter}lu", "LU.dat",
                                                LU.format(*GRIDS[ranks], threshold=1.0), 30)
                # On each grid 6 factorisations; and products with which the tester checks them.
                self.assertGreaterEqual(served, 12)
                self.assertGreaterEqual(sum(others.values()), 6)

    def products(self, mpi, ranks):
        for letter in "sdcz":
            with self.subTest(letter=letter, ranks=ranks):
                printed, errors = run(mpi, ranks, f"PBLAS/{letter}pb3tst", f"P{letter.upper()}BLAS3TST.dat",
                                      products(letter.upper(), ranks))
                for check in "Computational", "Input-only parameter":
                    self.assertEqual(len(re.findall(rf"{check} check: P.GEMM +PASSED", printed)), 15, printed + errors)
                summary = re.search(r"P.GEMM +(\d+) +(\d+) +(\d+) +(\d+)", printed)
                self.assertEqual(summary.groups(), ("15", "15", "0", "0"), printed)
                served, others = calls(errors)
                self.assertEqual(served, 8, errors)  # 4 problems on two grids
                self.assertEqual(others["on grids without all ranks"], 6, errors)  # 5 problems, and a wrong context

    def test_products(self):
        for ranks in 2, 4:
            self.products("openmpi", ranks)

    def test_cholesky(self):
        for ranks in 2, 4:
            self.cholesky("openmpi", ranks)

    def test_lu(self):
        for ranks in 2, 4:
            self.lu("openmpi", ranks)

    # Ranks of MPICH never give their processor to others while they wait: as many as there always are.
    def test_products_mpich(self):
        self.products("mpich", 2)

    def test_cholesky_mpich(self):
        self.cholesky("mpich", 2)

    def test_lu_mpich(self):
        self.lu("mpich", 2)


if __name__ == "__main__":
    BUILD, FOLDER = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
    if not FOLDER.is_dir():
        print("skipped: ScaLAPACK's test programs are not here (Debian: scalapack-mpi-test)")
        sys.exit(77)
    chosen = ["test_" + name for name in sys.argv[3:]] or [name for name in dir(Testers) if name.startswith("test_")]
    suite = unittest.TestSuite(Testers(name) for name in chosen)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
