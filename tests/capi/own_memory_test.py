#!/usr/bin/env python3
"""Tests of a simulated rank and its memory: who looks there finds what has happened by then, and nothing of later.

    own_memory_test.py WEFTRUN PROGRAM [NAME...]   runs the tests (all, or those named); PROGRAM: own_memory.cpp
    own_memory_test.py --list                      prints the names
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

WEFTRUN, PROGRAM = script_tests.paths(2)
HANG = 60  # seconds after which a test gives up
COMPUTED_US = 1000  # in lab's time, by PROGRAM
PLACES = (("--sim-per-host", "1"), ())


def run(*what, ranks=2, options=(), platform="lab"):
    command = [WEFTRUN, "--sim", platform, "--sim-compute", "model", *options, "-n", str(ranks), PROGRAM, *what]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    return done.stdout.split(), done.stderr


class OwnMemoryTest(unittest.TestCase):
    def expect(self, output, *what):
        for options in PLACES:
            with self.subTest(what=what, options=options):
                words, errors = run(*what, options=options)
                self.assertEqual(words, [output], errors)

    def test_who_looks_late_sees_what_others_did(self):
        for access in ("atomic", "add", "get", "get_value", "load"):
            self.expect("1", "look", access)

    def test_who_looks_early_does_not_see_what_the_owner_does_later(self):
        for access in ("atomic", "put", "signal", "store"):
            self.expect("0", "change", access)

    def test_who_looks_again_and_again_sees_it_in_the_end(self):
        for access in ("atomic", "add", "get", "get_value"):
            for options in PLACES:
                with self.subTest(access=access, options=options):
                    words, errors = run("spin", access, options=options)
                    self.assertEqual(words[1:], ["us"], errors)
                    self.assertGreaterEqual(int(words[0]), COMPUTED_US)
                    self.assertLess(int(words[0]), COMPUTED_US * 1.1)

    def test_a_put_between_nodes_takes_what_weft_sim_shows(self):
        show = [os.path.join(os.path.dirname(WEFTRUN), "weft-sim"), "show", "lab", "--json"]
        if not os.path.exists(show[0]):
            self.skipTest("there is no weft-sim")
        shown = json.loads(subprocess.run(show, capture_output=True, text=True, timeout=HANG, check=True).stdout)
        words, errors = run("put", "", options=("--sim-per-host", "1"))
        self.assertEqual([int(word) for word in words], [round(shown["derived"]["acknowledged_seconds"] * 1e9)], errors)

    def test_a_put_inside_a_node_takes_what_the_platform_says_of_it(self):
        with open(os.path.join(os.path.dirname(__file__), "..", "..", "src", "sim", "platforms", "lab.json"),
                  encoding="utf-8") as file:
            platform = json.load(file)
        platform["node"].update(memory_rate="1 GB/s", memory_latency="300 ns")
        platform["processor"].update(send_overhead="1 us", receive_overhead="2 us", send_rate="1 GB/s")
        for costs, send, receive in (({"send_overhead": "0 ns", "receive_overhead": "0 ns"}, 1000 + 40, 2000),
                                     ({"send_overhead": "70 ns", "receive_overhead": "30 ns"}, 70, 30)):
            platform["node"].update(costs)
            with self.subTest(costs=costs), tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(platform, file)
                file.flush()
                words, errors = run("put", "", platform=file.name)
                # 8 bytes with a header of 32, and an acknowledgement of 16.
                self.assertEqual([int(word) for word in words], [send + 300 + 40 + 2 * receive + 300 + 16], errors)

    def test_ranks_that_take_tasks_by_a_counter_get_like_shares(self):
        for options in PLACES:
            with self.subTest(options=options):
                words, errors = run("pool", "", ranks=4, options=options)
                counts = [int(word) for word in words]
                self.assertEqual(sum(counts), 64, errors)
                self.assertLessEqual(max(counts) - min(counts), 2, counts)


if __name__ == "__main__":
    script_tests.main(OwnMemoryTest, 2)
