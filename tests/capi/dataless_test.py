#!/usr/bin/env python3
"""Tests of simulated jobs without data: what moves, what it takes, and what is refused.

    dataless_test.py WEFTRUN PROGRAM SETS [NAME...]  runs the tests (all, or those named); PROGRAM: dataless.cpp,
                                                     SETS: a file with a set of collective algorithms in each line
    dataless_test.py --list                          prints the names
"""

import os
import re
import resource
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

WEFTRUN, PROGRAM, SETS = script_tests.paths(3)
HANG = 120  # seconds after which a test gives up


def run(what, *options, ranks=4, per_host=2, environment=None):
    variables = {**os.environ, "WEFT_SEGMENT_SIZE": "64M", **(environment or {})}
    command = [WEFTRUN, "--sim", "bgp", "-n", str(ranks), "--sim-per-host", str(per_host), *options, PROGRAM, what]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG, env=variables, check=False)


class DatalessTest(unittest.TestCase):
    def walk(self, data, *options, **others):
        done = run("walk", "--sim-data", data, *options, **others)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual("; without data" in done.stderr, data == "none", done.stderr)
        errors = re.sub(r".*warning: setting WEFT_COLL has .*; another algorithm does\n", "", done.stderr)
        self.assertNotIn("warning", errors)
        return done.stdout, errors.replace("; without data", "")

    def test_times_and_messages_are_those_with_data(self):
        for ranks in (1, 2, 3, 8):
            for compute in ("free", "model"):
                with self.subTest(ranks=ranks, compute=compute):
                    runs = [self.walk(data, "--sim-compute", compute, ranks=ranks) for data in ("exact", "none")]
                    self.assertEqual(*runs)
                    self.assertEqual(len(runs[0][0].splitlines()), 8)

    def test_so_they_are_with_every_algorithm(self):
        with open(SETS, encoding="utf-8") as file:
            sets = file.read().split()
        self.assertGreater(len(sets), 5)
        for choice in sets:
            for per_host in (2, 4):
                with self.subTest(choice=choice, per_host=per_host):
                    runs = [self.walk(data, ranks=4, per_host=per_host, environment={"WEFT_COLL": choice})
                            for data in ("exact", "none")]
                    self.assertEqual(*runs)

    def test_faults_and_seeds_change_nothing_of_that(self):
        faults = "delay=0.2:20us,drop=0.05,retry=0.2,reorder,schedule,seed=5"
        runs = [self.walk(data, "--sim-fault", faults) for data in ("exact", "none")]
        self.assertEqual(*runs)

    def test_computation_takes_what_the_platform_says(self):
        def step(compute):
            lines = self.walk("none", "--sim-compute", compute, ranks=2)[0].splitlines()
            times = {line.split()[0]: int(line.split()[1]) for line in lines}
            return times["computation"] - times["exchange_v"]
        with open(os.path.join(os.path.dirname(__file__), "..", "..", "src", "sim", "platforms", "bgp.json"),
                  encoding="utf-8") as file:
            text = file.read()
        flops = float(re.search(r'"flop_rate": {"value": "([0-9.]+) Mflop/s"', text)[1]) * 1e6
        copies = float(re.search(r'"memory_rate": {"value": "([0-9.]+) GB/s"', text)[1]) * 1e9
        ranks_on_node = 2
        expected = (1e6 / flops + 1e6 * ranks_on_node / copies) * 1e9
        self.assertAlmostEqual(step("model") - step("free"), expected, delta=2)

    def test_what_asks_for_data_is_refused(self):
        no_data = "has no data, as large arrays under --sim-data none"
        for what, code, line in (
                ("get", 1, f"rank 1 in weft_get: data is wanted of memory that {no_data}"),
                ("put", 1, f"rank 1 in weft_put: data is wanted of memory that {no_data}"),
                ("atomic", 1, f"an atomic operation on memory that {no_data}"),
                ("collective", 1, "weft_exchange: the source has no data, as in all jobs with --sim-data none, and the "
                 "destination wants some"),
                ("twice", 1, r"weft_sim_drop_data: a part of the 4096 bytes at 0x\w+ has no data already"),
                ("restore", 1, r"weft_sim_restore_data: no memory without data begins at 0x\w+"),
                ("compute", 1, r"weft_sim_compute: -1 operations and 0 bytes; both must be 0 or more")):
            with self.subTest(what=what):
                done = run(what, "--sim-data", "none")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertRegex(done.stderr, line)
        for what in ("get", "put", "atomic", "collective"):
            self.assertEqual(run(what).returncode, 0, what)

    def test_loads_and_stores_are_refused(self):
        for what in ("load", "store"):
            with self.subTest(what=what):
                done = run(what, "--sim-data", "none")
                self.assertEqual(done.returncode, 139, done.stderr)
                self.assertRegex(done.stderr, "simulated rank 1 has accessed memory that has no data, as large arrays "
                                              "under --sim-data none")
                self.assertEqual(run(what).returncode, 0, what)

    def test_what_does_not_go_with_it_is_refused(self):
        for options, environment, line in (
                (["--sim-compute", "measured"], {}, "what is not computed cannot be measured: take free or model"),
                ([], {"WEFT_SIM_SHARE": "1"}, "WEFT_SIM_SHARE=1, which lets ranks copy what is not there"),
                ([], {"WEFT_MAP_PEERS": "0"}, "WEFT_MAP_PEERS=0, which makes messages of all data")):
            done = run("walk", "--sim-data", "none", *options, environment=environment)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("'none', which does not go with", done.stderr)
            self.assertIn(line, done.stderr)

    def test_it_takes_no_memory(self):
        # Three arrays of 3 MiB a rank are 576 MiB; without data only the third is there, where it is touched.
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.walk("none", ranks=64)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(max(before, after), 200 << 10)  # KiB


if __name__ == "__main__":
    script_tests.main(DatalessTest, 3)
