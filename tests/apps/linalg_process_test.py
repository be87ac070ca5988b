#!/usr/bin/env python3
"""Tests of gemm, cholesky, lu, matmul-upc and cholesky-upc as their users start them.

    linalg_process_test.py BIN [NAME...]   runs the tests (all, or those named) with the programs in the folder BIN
    linalg_process_test.py --list          prints the names
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

[BIN] = script_tests.paths(1)
HANG = 300  # seconds after which a test gives up
KEYS = ["program", "variant", "n", "nb", "grid", "ranks", "hosts", "seconds", "gflops", "residual", "verified"]


def run(ranks, *command, launcher=(), **environment):
    """Runs one job; returns its exit status, output and error output."""
    program = os.path.join(BIN, command[0])
    done = subprocess.run([os.path.join(BIN, "weftrun"), "-n", str(ranks), *launcher, program, *command[1:]],
                          check=False, capture_output=True, text=True, timeout=HANG,
                          env=dict(os.environ, **environment))
    return done.returncode, done.stdout, done.stderr


class Linalg(unittest.TestCase):
    def verified(self, ranks, *command, hosts=1, **environment):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "result.json")
            code, said, errors = run(ranks, *command, "--json", file, **environment)
            self.assertEqual((code, errors), (0, ""), said)
            with open(file, encoding="utf-8") as result:
                found = json.load(result)
        self.assertEqual(list(found), KEYS)
        self.assertEqual((found["program"], found["ranks"], found["hosts"]), (command[0], ranks, hosts))
        self.assertTrue(found["verified"])
        self.assertTrue(0 < found["residual"] < 16 and found["seconds"] > 0 and found["gflops"] > 0, found)
        self.assertIn("passed", said)
        return found

    def test_every_variant_multiplies(self):
        for variant in ("auto", "pull", "broadcast", "blocking", "flat"):
            found = self.verified(4, "gemm", "--n", "333", "--nb", "32", "--variant", variant, "--grid", "2x2")
            self.assertEqual((found["variant"], found["n"], found["nb"], found["grid"]), (variant, 333, 32, "2x2"))

    def test_a_simulated_machine_has_its_own_times(self):
        machine = ["simulated", "platform", "machine", "contention", "seed", "compute", "data"]
        for program in ("gemm", "cholesky", "lu"):
            seconds = set()
            for platform in ("bgp", "bgp", "gemini"):
                with tempfile.TemporaryDirectory() as folder:
                    file = os.path.join(folder, "result.json")
                    code, said, errors = run(8, program, "--n", "300", "--nb", "32", "--json", file,
                                             launcher=["--sim", platform, "--sim-compute", "model"])
                    self.assertEqual(code, 0, errors)
                    with open(file, encoding="utf-8") as result:
                        found = json.load(result)
                self.assertEqual(list(found), KEYS[:7] + machine + KEYS[7:])
                self.assertTrue(found["verified"] and found["platform"] == platform, found)
                self.assertIn(f"Simulated {platform}: ", said)
                seconds.add(found["seconds"])
            self.assertEqual(len(seconds), 2, f"{program}: the same machine gives the same time")

    def test_both_triangles_are_factored(self):
        for variant in ("lower", "upper"):
            for ranks in (1, 3):
                self.verified(ranks, "cholesky", "--n", "500", "--nb", "64", "--variant", variant)

    # Panels of several messages each, more than the inboxes have room for, and blocks as large as the matrix or larger.
    def test_panels_are_put_where_memory_is_not_mapped(self):
        for grid in ("1x4", "2x2", "4x1"):
            self.verified(4, "cholesky", "--n", "900", "--nb", "40", "--grid", grid, WEFT_MAP_PEERS="0")
            self.verified(4, "cholesky", "--n", "700", "--nb", "16", "--grid", grid, WEFT_MAP_PEERS="0")
        for block in ("100", "101", "4294967296"):
            self.verified(2, "cholesky", "--n", "100", "--nb", block, WEFT_MAP_PEERS="0", WEFT_SEGMENT_SIZE="64M")

    def test_a_system_is_solved_by_lu(self):
        for ranks in (1, 2, 3, 4):
            found = self.verified(ranks, "lu", "--n", "350", "--nb", "48")
            self.assertEqual(found["variant"], "hpl")

    def test_every_variant_in_upc(self):
        for variant in ("broadcast", "flat", "blocking", "library"):
            for threads in (1, 3, 4):
                for program in ("matmul-upc", "cholesky-upc"):
                    found = self.verified(threads, program, "--n", "333", "--nb", "32", "--variant", variant)
                    self.assertEqual(found["variant"], variant)
        # Threads without a block, and one block for all.
        self.verified(4, "matmul-upc", "--n", "20", "--nb", "16", "--grid", "1x4", "--variant", "flat")
        self.verified(3, "cholesky-upc", "--n", "10", "--variant", "flat", "--repeat", "3")

    def test_programs_run_between_two_hosts(self):
        self.verified(2, "gemm", "--n", "300", hosts=2, WEFT_HOST_NAME="a,b")
        self.verified(3, "cholesky", "--n", "300", "--nb", "32", hosts=2, WEFT_HOST_NAME="a,b")
        self.verified(4, "lu", "--n", "300", "--nb", "32", hosts=2, WEFT_HOST_NAME="a,b")
        for variant in ("broadcast", "flat", "blocking", "library"):
            self.verified(3, "matmul-upc", "--n", "200", "--nb", "32", "--variant", variant, hosts=2,
                          WEFT_HOST_NAME="a,b")
            self.verified(3, "cholesky-upc", "--n", "200", "--nb", "32", "--variant", variant, hosts=2,
                          WEFT_HOST_NAME="a,b")

    def test_ranks_may_be_threads(self):
        program = os.path.join(BIN, "cholesky")
        done = subprocess.run([os.path.join(BIN, "weftrun"), "-n", "2", "--ranks-as=threads", program, "--n", "200",
                               "--progress"], check=False, capture_output=True, text=True, timeout=HANG)
        code, said = done.returncode, done.stdout
        self.assertEqual(code, 0, said)
        self.assertIn("repetition 1:", said)

    def test_mistakes_are_told_in_one_line(self):
        cases = {
            ("--n", "0"): "gemm: --n 0 is out of range; it is at least 1",
            ("--nb", "-4"): "gemm: --nb -4 is out of range; it is at least 1",
            ("--grid", "2y1"): "gemm: cannot read --grid '2y1'; write ROWSxCOLUMNS, as 2x2",
            ("--grid", "2x2"): "gemm: --grid 2x2 has not as many places as there are ranks, 2",
            ("--variant", "best"): "gemm: unknown variant 'best'; use one of auto, pull, broadcast, blocking, flat",
        }
        for arguments, line in cases.items():
            code, said, errors = run(2, "gemm", *arguments)
            self.assertEqual((code, said), (2, ""))
            self.assertIn(line + "\n", errors)
        for program, variants in (("lu", "hpl"), ("matmul-upc", "broadcast, flat, blocking, library")):
            code, said, errors = run(2, program, "--variant", "pull")
            self.assertEqual((code, said), (2, ""))
            self.assertIn(f"{program}: unknown variant 'pull'; use one of {variants}\n", errors)

    def test_a_matrix_that_is_too_large_is_refused_with_the_bytes_it_needs(self):
        code, said, errors = run(2, "gemm", "--n", "2000000")
        self.assertEqual((code, said), (2, ""))
        self.assertRegex(errors, r"2000000 x 2000000 elements of 8 bytes need [\d.]+ GiB \(\d{14} bytes\) on a rank")

    def test_a_file_that_cannot_be_written_is_refused_before_the_work(self):
        for program in ("gemm", "cholesky-upc"):
            if not os.path.exists(os.path.join(BIN, program)):
                continue
            code, said, errors = run(2, program, "--n", "10", "--json", "/no/such/folder/x")
            self.assertEqual((code, said), (2, ""), program)
            self.assertIn(f"{program}: cannot write /no/such/folder/x (No such file or directory); "
                          "choose another file for --json", errors)


if __name__ == "__main__":
    script_tests.main(Linalg, 1)
