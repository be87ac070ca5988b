#!/usr/bin/env python3
"""Grids and matrices that are none: where that cannot be returned as a status, one line tells it and ends the job.

    misuse_test.py BIN [NAME...]   runs the tests (all, or those named) with the programs in the folder BIN
    misuse_test.py --list          prints the names
"""

import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

[BIN] = script_tests.paths(1)
HANG = 60  # seconds after which a test gives up
FREED = "matrix was freed before; free it once, after its last use"
NULL = "is NULL: it was not made, or this rank is outside the grid"
UNKNOWN = "matrix is none of the library's: it was never made, or freed long ago"


class Misuse(unittest.TestCase):
    def told(self, case, line, **environment):
        command = [os.path.join(BIN, "weftrun"), "-n", "3", os.path.join(BIN, "linalg_misuse_probe"), case]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=HANG,
                              env=dict(os.environ, WEFT_SEGMENT_SIZE="64M", **environment))
        self.assertEqual((done.returncode, done.stdout), (1 if line else 0, ""), done.stderr)
        self.assertEqual([said for said in done.stderr.splitlines() if "weft_la_" in said],
                         [f"weft: rank 1: error: {line}"] if line else [], done.stderr)

    def test_a_program_without_mistakes_passes(self):
        self.told("nothing", "", WEFT_CHECK="1")

    # Rank 1 does not know which ranks it would have to tell.
    def test_a_call_with_nothing_on_one_rank_ends_the_job_where_calls_are_checked(self):
        self.told("factor-null", f"weft_la_potrf: a.matrix {NULL}", WEFT_CHECK="1")
        self.told("factor-freed", f"weft_la_potrf: a.{FREED}", WEFT_CHECK="1")
        self.told("free-twice", f"weft_la_matrix_free: {FREED}", WEFT_CHECK="1")
        self.told("create-on-null", f"weft_la_matrix_create: grid {NULL}", WEFT_CHECK="1")

    def test_a_question_about_nothing_ends_the_job(self):
        self.told("rows-of-null", f"weft_la_grid_rows: grid {NULL}")
        self.told("local-of-freed", f"weft_la_matrix_local: {FREED}")
        self.told("layout-of-zeros", f"weft_la_matrix_layout: {UNKNOWN}")
        self.told("row-of-grid", f"weft_la_global_row: {UNKNOWN}")

    def test_an_index_outside_a_ranks_part_ends_the_job(self):
        self.told("row-behind", "weft_la_global_row: local is 3; this rank's part has 3 rows, from 0")
        self.told("column-before", "weft_la_global_column: local is -1; this rank's part has 10 columns, from 0")
        self.told("row-far", "weft_la_global_row: local is 9223372036854775807; this rank's part has 3 rows, from 0")

    def test_a_call_after_the_end_is_told_by_its_name(self):
        command = [os.path.join(BIN, "weftrun"), "-n", "1", os.path.join(BIN, "linalg_misuse_probe"), "after-end"]
        for function in "gemm", "matrix_local", "fill":
            done = subprocess.run([*command, function], check=False, capture_output=True, text=True, timeout=HANG,
                                  env=dict(os.environ, WEFT_SEGMENT_SIZE="64M"))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr.splitlines()[0],
                             f"weft: error: weft_la_{function} was called before weft_init or after weft_finalize")

    # What it sends instead are 32 bytes that cannot be printed.
    def test_a_grid_is_not_made_with_a_rank_that_calls_something_else(self):
        command = [os.path.join(BIN, "weftrun"), "-n", "3", os.path.join(BIN, "linalg_misuse_probe"), "create-without"]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=HANG,
                              env=dict(os.environ, WEFT_SEGMENT_SIZE="64M"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "weft: weft_la_grid_create: rank 0 calls it, and rank 1 something else; all "
                                      "members of the team call the same functions in the same order\n")


if __name__ == "__main__":
    script_tests.main(Misuse, 1)
