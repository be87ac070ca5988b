#!/usr/bin/env python3
"""Tests of the FT programs as their users start them.

    ft_process_test.py BIN [NAME...]   runs the tests (all, or those named) with the programs in the folder BIN
    ft_process_test.py --list          prints the names
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

[BIN] = script_tests.paths(1)
HANG = 300  # seconds after which a test gives up
NETWORK_MESSAGE = 128 << 10  # bytes that rows are gathered to where memory of peers is not mapped
SHAPES = {"S": (64, 64, 64), "W": (128, 128, 32), "A": (256, 256, 128)}
KEYS = {"variant", "class", "ranks", "hosts", "grid", "library", "iterations", "pad", "seconds",
        "seconds_per_transform", "mops", "fft_gflops", "verified", "largest_error", "messages_per_rank",
        "bytes_per_rank", "messages_per_rank_forward", "bytes_per_rank_forward", "messages_per_rank_total",
        "bytes_per_rank_total", "phases", "checksums"}
PHASES = {"local_fft", "movement", "communication", "completion", "barrier", "other"}


def launcher(program, ranks, platform=None):
    """The command that starts a program with its own library's launcher."""
    if program == "ft":
        return [os.path.join(BIN, "weftrun"), "-n", str(ranks), *(["--sim", platform] if platform else [])]
    if program == "ft-upc":
        return [os.path.join(BIN, "upcrun"), "-n", str(ranks)]
    if program == "ft-mpi-mpich":
        return ["mpiexec.mpich", "-n", str(ranks)]
    return ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]


def run(program, ranks, *arguments, environment=None, platform=None):
    """Runs one job, simulated if there is a platform; returns its exit status, output and error output."""
    # HWLOC_HIDE_ERRORS and UCX_LOG_LEVEL: where there is no /sys, MPI's parts complain.
    variables = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                     OMPI_MCA_mpi_yield_when_idle="1", HWLOC_HIDE_ERRORS="2", UCX_LOG_LEVEL="fatal",
                     **(environment or {}))
    command = [*launcher(program, ranks, platform), os.path.join(BIN, program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, env=variables, check=False)
    return done.returncode, done.stdout, done.stderr


def expected(shape, ranks, variant, pad, least_message):
    """Messages and bytes of one rank: forward and inverse, by the formulas of docs/FFT.md."""
    nx, ny, nz = shape
    both = []
    for whole, divided in ((nx, nz), (nz, nx)):
        rows = whole * divided // ranks
        size = 16 * rows * ny
        part = whole // ranks
        gathered = next((g for g in range(1, part) if part % g == 0 and 16 * ny * g >= least_message), part)
        if variant == "exchange":
            both.append((ranks, size + 16 * divided * pad))
        else:
            both.append((divided if variant == "slabs" else rows // gathered, size))
    return both


def expected_on_grid(shape, grid, variant):
    """The same for the 2-D variants: two rounds, each of packed slabs or one slab at a time."""
    nx, ny, nz = shape
    ty, tz = grid
    both = []
    for (a, first), (b, second) in (((nx, ty), (nz, tz)), ((nz, tz), (nx, ty))):
        planes = b // second
        parts = (first, (ny // first) * (a // first)), (second, (a // first) * (ny // second))
        messages = sum(members for members, _ in parts) * (1 if variant.startswith("packed") else planes)
        both.append((messages, sum(16 * members * planes * part for members, part in parts)))
    return both


class FtTest(unittest.TestCase):
    def measure(self, program, ranks, class_name, *arguments, environment=None):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            status, output, errors = run(program, ranks, "--class", class_name, "--plan", "quick", "--json", file.name,
                                         *arguments, environment=environment)
            self.assertEqual(status, 0, output + errors)
            return json.load(file), output

    def check(self, program, ranks, class_name, variant, pad=28, environment=None, least_message=1):
        result = self.check_result(program, ranks, class_name, variant, pad, environment,
                                   expected(SHAPES[class_name], ranks, variant, pad, least_message))
        self.assertIsNone(result["grid"])

    def check_on_grid(self, program, class_name, variant, grid, given=True, pad=28, environment=None):
        """given: by --grid; else it must be the one that the program chooses."""
        text = f"{grid[0]}x{grid[1]}"
        with self.subTest(program=program, class_name=class_name, variant=variant, grid=text):
            result = self.check_result(program, grid[0] * grid[1], class_name, variant, pad, environment,
                                       expected_on_grid(SHAPES[class_name], grid, variant),
                                       *(["--grid", text] if given else []))
            self.assertEqual(result["grid"], text)

    def check_result(self, program, ranks, class_name, variant, pad, environment, traffic, *arguments):
        result, output = self.measure(program, ranks, class_name, "--variant", variant, "--pad", str(pad), *arguments,
                                      environment=environment)
        self.assertEqual(set(result), KEYS)
        self.assertEqual(set(result["phases"]), PHASES)
        self.assertEqual((result["variant"], result["class"], result["ranks"], result["hosts"], result["pad"]),
                         (variant, class_name, ranks, 1, pad))
        self.assertIs(result["verified"], True)
        self.assertLess(result["largest_error"], 1e-12)
        self.assertEqual(len(result["checksums"]), 6)
        self.assertGreater(result["seconds"], 6 * result["seconds_per_transform"])
        self.assertGreater(result["mops"], 0)
        self.assertLess(sum(result["phases"].values()), 1.05 * result["seconds"])
        forward, inverse = traffic
        self.assertEqual((result["messages_per_rank_forward"], result["bytes_per_rank_forward"]), forward)
        self.assertEqual((result["messages_per_rank"], result["bytes_per_rank"]), inverse)
        self.assertEqual(result["messages_per_rank_total"], forward[0] + 6 * inverse[0])
        self.assertEqual(result["bytes_per_rank_total"], forward[1] + 6 * inverse[1])
        self.assertIn("Verification         passed: 6 of 6", output)
        return result

    def check_grids(self, program, *variants):
        """Default grids at 1, 2, 4 and 8 ranks, every other one of 4 and 8; padded and not; a flat class too."""
        for variant in variants:
            for grid in ((1, 1), (1, 2), (2, 2), (2, 4)):
                self.check_on_grid(program, "S", variant, grid, given=False)
            for grid in ((2, 1), (1, 4), (4, 1), (4, 2), (8, 1)):
                self.check_on_grid(program, "S", variant, grid, pad=0)
            for grid in ((2, 2), (4, 2), (1, 8)):
                self.check_on_grid(program, "W", variant, grid)

    def test_packed_slabs_on_grids(self):
        self.check_grids("ft", "packed-slabs-2d")

    def test_slabs_on_grids(self):
        self.check_grids("ft", "slabs-2d")

    def test_grid_class_a(self):
        for variant in ("packed-slabs-2d", "slabs-2d"):
            self.check_on_grid("ft", "A", variant, (2, 2), given=False)

    def test_grid_by_messages_and_over_tcp(self):
        for variant in ("packed-slabs-2d", "slabs-2d"):
            self.check_on_grid("ft", "S", variant, (2, 2), environment={"WEFT_MAP_PEERS": "0"})
            self.check_on_grid("ft", "W", variant, (2, 2), environment={"WEFT_CONDUIT": "ofi"})

    def test_upc_on_grids(self):
        for variant in ("packed-slabs-2d", "slabs-2d"):
            for grid in ((1, 1), (1, 2), (2, 2), (2, 4)):
                self.check_on_grid("ft-upc", "S", variant, grid, given=False)
            self.check_on_grid("ft-upc", "W", variant, (4, 2))
            self.check_on_grid("ft-upc", "S", variant, (4, 1), pad=0)
            self.check_on_grid("ft-upc", "S", variant, (2, 2), environment={"WEFT_MAP_PEERS": "0"})

    def test_open_mpi_on_grids(self):
        for variant in ("packed-slabs-2d", "slabs-2d", "slabs-2d-ialltoall"):
            self.check_on_grid("ft-mpi", "S", variant, (2, 2), given=False)
            self.check_on_grid("ft-mpi", "W", variant, (1, 2))
            self.check_on_grid("ft-mpi", "S", variant, (4, 2))

    def test_mpich_on_grids(self):
        for variant in ("packed-slabs-2d", "slabs-2d", "slabs-2d-ialltoall"):
            self.check_on_grid("ft-mpi-mpich", "S", variant, (2, 2), given=False)
            self.check_on_grid("ft-mpi-mpich", "W", variant, (2, 1))

    def test_bad_grids_are_refused(self):
        self.refused("ft", 4, "cannot read --grid '4'; write TYxTZ, as 2x4", "--variant", "slabs-2d", "--grid", "4")
        self.refused("ft", 4, "--grid is for the 2-D variants, and slabs is none", "--variant", "slabs",
                     "--grid", "2x2")
        self.refused("ft", 4, "grid 2x4 has 8 places for 4 ranks; choose TY and TZ with TY * TZ = 4",
                     "--variant", "slabs-2d", "--grid", "2x4")
        self.refused("ft", 3, "grid 1x3 does not divide 64 x 64 x 64; TY must divide nx and ny, TZ must divide ny and "
                     "nz", "--variant", "packed-slabs-2d", "--grid", "1x3")
        self.refused("ft", 6, "no grid of 6 ranks divides 64 x 64 x 64", "--variant", "slabs-2d")
        self.refused("ft-upc", 4, "grid 2x4 has 8 places for 4 ranks", "--variant", "slabs-2d", "--grid", "2x4")
        self.refused("ft-mpi", 2, "grid 2x2 has 4 places for 2 ranks", "--variant", "slabs-2d", "--grid", "2x2")
        self.refused("ft", 2, "class F needs", "--class", "F", "--variant", "slabs-2d")

    def check_all_variants(self, program, ranks):
        for variant in ("pencils", "slabs", "exchange"):
            for class_name, pad in (("S", 28), ("W", 0)):
                with self.subTest(variant=variant, class_name=class_name):
                    self.check(program, ranks, class_name, variant, pad)

    def test_one_sided_1_rank(self):
        self.check_all_variants("ft", 1)

    def test_one_sided_2_ranks(self):
        self.check_all_variants("ft", 2)

    def test_one_sided_8_ranks(self):
        self.check_all_variants("ft", 8)

    def test_one_sided_by_messages(self):
        self.check("ft", 2, "S", "pencils", environment={"WEFT_MAP_PEERS": "0"}, least_message=NETWORK_MESSAGE)

    def test_one_sided_over_tcp(self):
        for variant in ("pencils", "slabs", "exchange"):
            with self.subTest(variant=variant):
                self.check("ft", 2, "W", variant, environment={"WEFT_CONDUIT": "ofi"}, least_message=NETWORK_MESSAGE)

    def test_upc_1_thread(self):
        self.check_all_variants("ft-upc", 1)

    def test_upc_2_threads(self):
        self.check_all_variants("ft-upc", 2)

    def test_upc_4_threads(self):
        self.check_all_variants("ft-upc", 4)

    def test_upc_8_threads(self):
        self.check_all_variants("ft-upc", 8)

    def test_upc_class_a(self):
        for variant in ("pencils", "slabs", "exchange"):
            with self.subTest(variant=variant):
                self.check("ft-upc", 2, "A", variant)

    def test_upc_by_messages(self):
        for variant in ("pencils", "slabs", "exchange"):
            with self.subTest(variant=variant):
                self.check("ft-upc", 2, "S", variant, environment={"WEFT_MAP_PEERS": "0"},
                           least_message=NETWORK_MESSAGE)

    def test_upc_checked(self):
        self.check("ft-upc", 2, "S", "pencils", environment={"WEFT_CHECK": "1"})

    def test_upc_gives_the_checksums_of_the_c_interface(self):
        for arguments in (("--class", "S"), ("--class", "W", "--kernel", "fftw")):
            c, _ = self.measure("ft", 2, *arguments[1:])
            upc, _ = self.measure("ft-upc", 2, *arguments[1:])
            for (a, b), (x, y) in zip(c["checksums"], upc["checksums"], strict=True):
                self.assertLess(abs(complex(a, b) - complex(x, y)), 1e-10)

    def test_open_mpi_2_ranks(self):
        self.check_all_variants("ft-mpi", 2)

    def test_open_mpi_4_ranks(self):
        self.check("ft-mpi", 4, "S", "pencils")

    def test_mpich_2_ranks(self):
        self.check_all_variants("ft-mpi-mpich", 2)

    def test_fftw_mpi(self):
        for class_name in ("S", "W"):
            result, _ = self.measure("ft-fftw-mpi", 2, class_name)
            self.assertEqual(set(result), KEYS)
            self.assertIs(result["verified"], True)
            self.assertEqual(result["variant"], "fftw")
            self.assertIsNone(result["messages_per_rank"])
            self.assertIsNone(result["phases"]["local_fft"])

    def test_fftw_kernels_give_the_same_checksums(self):
        own, _ = self.measure("ft", 2, "S")
        fftw, _ = self.measure("ft", 2, "S", "--kernel", "fftw")
        for (a, b), (c, d) in zip(own["checksums"], fftw["checksums"]):
            self.assertLess(abs(complex(a, b) - complex(c, d)), 1e-10)

    def test_progress_and_fewer_iterations(self):
        for program in ("ft", "ft-upc"):
            result, output = self.measure(program, 2, "S", "--progress", "--iterations", "4")
            lines = [line for line in output.splitlines() if line.startswith("iteration")]
            self.assertEqual([line.split()[1] for line in lines], ["1", "2", "3", "4"])
            self.assertIn("5.546087004", lines[0])
            self.assertEqual(len(result["checksums"]), 4)
            self.assertIn("passed: 4 of 4", output)

    def refused(self, program, ranks, text, *arguments, environment=None):
        """Rank 0 alone prints one line, and the exit status is 2."""
        status, output, errors = run(program, ranks, *arguments, environment=environment)
        self.assertEqual(status, 2, output + errors)
        self.assertEqual(output, "")
        mine = [line for line in errors.splitlines() if line.startswith(program.removesuffix("-mpich") + ":")]
        self.assertEqual(len(mine), 1, errors)
        self.assertIn(text, mine[0])

    def test_bad_input_is_refused(self):
        self.refused("ft", 2, "unknown class 'Q'; use one of S, W", "--class", "Q")
        self.refused("ft", 2, "unknown variant 'planes'; use one of pencils, slabs, exchange", "--variant", "planes")
        self.refused("ft", 2, "--pad -3 is out of range", "--pad", "-3")
        self.refused("ft", 3, "3 ranks do not divide both nx = 64 and nz = 64")
        self.refused("ft", 2, "cannot write /nowhere/x.json", "--json", "/nowhere/x.json")
        self.refused("ft", 2, "--nonsense", "--nonsense")

    def test_a_file_of_results_that_cannot_be_written_is_told(self):
        for program in ("ft", "ft-upc"):
            status, output, errors = run(program, 2, "--plan", "quick", "--iterations", "1", "--json", "/dev/full")
            self.assertEqual(status, 1, output + errors)
            self.assertEqual([line for line in errors.splitlines() if not line.startswith(("weftrun: ", "upcrun: "))],
                             [f"{program}: cannot write /dev/full: No space left on device"])

    def test_simulated_it_tells_the_machine_and_virtual_time(self):
        for variant in ("pencils", "slabs", "exchange", "slabs-2d", "packed-slabs-2d"):
            reports = []
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "ft.json")
                for _ in range(2):
                    status, output, errors = run(
                        "ft", 16, "--variant", variant, "--iterations", "2", "--plan", "quick", "--json", path,
                        platform="bgp")
                    self.assertEqual(status, 0, errors)
                    with open(path, encoding="utf-8") as file:
                        reports.append(json.load(file))
            self.assertEqual(reports[0], reports[1])
            report = reports[0]
            machine = {"simulated": True, "platform": "bgp", "contention": 0.58, "seed": 1, "compute": "free",
                       "data": "exact"}
            self.assertEqual({key: report[key] for key in machine}, machine)
            self.assertEqual((report["ranks"], report["hosts"], report["verified"]), (16, 4, True))
            self.assertRegex(output, r"(?m)^Simulated +bgp: 4 nodes with 4 ranks .+ 0\.58; computation: free$")
            # Without computation all is communication, and no more than the whole simulation took.
            whole = float(re.search(r"weft: simulated ([0-9.]+) s", errors).group(1))
            self.assertTrue(0 < report["seconds"] < whole, (report["seconds"], whole))
            self.assertLess(report["phases"]["local_fft"], report["seconds"] / 100)  # looks at the clock

    def test_without_data_it_takes_the_same_virtual_time(self):
        def report(data, variant, *arguments):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "ft.json")
                status, output, errors = run("ft", 16, "--variant", variant, "--plan", "quick", "--json", path,
                                             *arguments, platform="bgp",
                                             environment={"WEFT_SIM_DATA": data, "WEFT_SIM_COMPUTE": "model"})
                self.assertEqual(status, 0, errors)
                with open(path, encoding="utf-8") as file:
                    return json.load(file), output
        for variant in ("pencils", "slabs", "exchange", "slabs-2d", "packed-slabs-2d"):
            with self.subTest(variant=variant):
                (exact, _), (none, output) = (report(data, variant, "--iterations", "1") for data in ("exact", "none"))
                self.assertEqual((exact.pop("data"), none.pop("data")), ("exact", "none"))
                self.assertEqual((exact.pop("verified"), none.pop("verified")), (True, None))
                self.assertEqual((len(exact.pop("checksums")), none.pop("checksums")), (1, []))
                self.assertLess(exact.pop("largest_error"), 1e-12)
                self.assertIsNone(none.pop("largest_error"))
                self.assertEqual(exact, none)
                self.assertIn("Verification         none: the job is simulated without data\n", output)
        forward, output = report("exact", "slabs-2d", "--forward-only")
        self.assertEqual((forward["iterations"], forward["verified"], forward["checksums"]), (0, None, []))
        self.assertEqual(forward["seconds"], forward["seconds_per_transform"])
        self.assertIn("Verification         none: only the forward transform was run\n", output)
        self.assertGreater(forward["phases"]["local_fft"], 0.1 * forward["seconds"])  # as the model says

    def test_what_needs_data_is_refused_without(self):
        status, _, errors = run("ft", 2, "--progress", platform="bgp", environment={"WEFT_SIM_DATA": "none"})
        self.assertEqual(status, 2)
        self.assertIn("ft: --progress prints checksums, and with --sim-data none there is no data; leave it out",
                      errors)
        self.refused("ft-upc", 2, "--forward-only is for ft and ft-mpi", "--forward-only")
        self.refused("ft", 2, "--iterations excludes --forward-only", "--forward-only", "--iterations", "2")

    def test_more_ranks_than_planes_are_refused(self):
        self.refused("ft", 40, "use at most 32 ranks", "--class", "W")

    def test_too_little_memory_is_refused_before_any_is_used(self):
        self.refused("ft", 2, "class F needs", "--class", "F")
        self.refused("ft-mpi", 2, "use a smaller class or more hosts", "--class", "F")

    def test_too_small_a_segment_is_refused(self):
        self.refused("ft", 2, "class A needs 128 MiB of shared memory per rank, and 64 MiB are there; raise "
                     "WEFT_SEGMENT_SIZE", "--class", "A", "--pad", "0", environment={"WEFT_SEGMENT_SIZE": "64M"})

    def test_bad_input_is_refused_by_the_mpi_programs(self):
        self.refused("ft-mpi", 2, "unknown class 'Q'", "--class", "Q")
        self.refused("ft-mpi-mpich", 3, "3 ranks do not divide")
        self.refused("ft-fftw-mpi", 2, "unknown variant 'pencils'; use one of fftw", "--variant", "pencils")

    def test_bad_input_is_refused_by_the_upc_program(self):
        self.refused("ft-upc", 2, "unknown class 'Q'; use one of S, W", "--class", "Q")
        self.refused("ft-upc", 2, "unknown variant 'planes'; use one of pencils, slabs, exchange",
                     "--variant", "planes")
        self.refused("ft-upc", 3, "3 ranks do not divide both nx = 64 and nz = 64")
        self.refused("ft-upc", 2, "cannot write /nowhere/x.json", "--json", "/nowhere/x.json")
        self.refused("ft-upc", 2, "use a smaller class or more hosts", "--class", "F")
        self.refused("ft-upc", 2, "raise upcrun --shared-heap", "--class", "A",
                     environment={"UPC_SHARED_HEAP_SIZE": "64M"})

    def test_help_is_printed_once(self):
        for program in ("ft", "ft-upc"):
            status, output, _ = run(program, 2, "--help")
            self.assertEqual(status, 0)
            self.assertEqual(output.count("--variant"), 1)


if __name__ == "__main__":
    script_tests.main(FtTest, 1)
