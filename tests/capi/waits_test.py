#!/usr/bin/env python3
"""Tests of a simulated rank that waits for some of what it has under way: each wait ends when its own part does.

    waits_test.py WEFTRUN PROGRAM [NAME...]   runs the tests (all, or those named); PROGRAM: waits.cpp
    waits_test.py --list                      prints the names
"""

import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

WEFTRUN, PROGRAM = script_tests.paths(2)
HANG = 60  # seconds after which a test gives up


def run(what, platform="lab", ranks=2, **settings):
    command = [WEFTRUN, "--sim", platform, "--sim-per-host", "1", "-n", str(ranks), PROGRAM, what]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False,
                          env=dict(os.environ, **settings))
    return {name: int(value) for name, value in (line.split() for line in done.stdout.splitlines())}, done.stderr


class WaitsTest(unittest.TestCase):
    def test_the_end_of_one_operation_ends_its_wait_while_others_are_under_way(self):
        times, errors = run("handles")
        self.assertEqual(set(times), {"little", "source", "much", "some", "all"}, errors)
        self.assertLess(times["little"], times["source"] / 4)
        self.assertLess(times["source"], times["much"])
        self.assertEqual(times["some"], times["little"])
        self.assertGreaterEqual(times["all"], times["much"])  # the link gives no second burst so soon

    def test_local_completion_of_what_fetches_says_that_the_result_is_there(self):
        results, errors = run("results")
        self.assertEqual(results, {"got": 41, "before": 41}, errors)

    def test_who_puts_more_than_there_is_room_for_goes_on_when_some_comes_free(self):
        results, errors = run("many", "bgp")
        self.assertEqual(set(results), {"half", "room", "many", "wrong"}, errors)
        self.assertEqual(results["wrong"], 0)
        # The link is as busy as with fewer. Who went on only when all had come would take 1.5 % longer.
        with_room = (results["room"] - results["half"]) / 32
        without = (results["many"] - results["room"]) / (512 - 64)
        self.assertLess(without, 1.005 * with_room)

    def test_who_waits_for_one_message_sleeps_while_many_others_come(self):
        ranks = 32
        results, errors = run("crowd", "bgp", ranks, WEFT_STATS="1", WEFT_COLL="exchange=flat")
        self.assertEqual(results, {"rounds": 10, "wrong": 0}, errors)
        slept = re.search(r"weft statistics, rank 1\b.*?slept (\d+) times", errors, re.DOTALL)
        self.assertIsNotNone(slept, errors)
        # Woken for each message it would have slept some 30 times a round.
        self.assertLess(int(slept.group(1)), results["rounds"] * ranks / 4, errors)


if __name__ == "__main__":
    script_tests.main(WaitsTest, 2)
