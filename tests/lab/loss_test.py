#!/usr/bin/env python3
"""Jobs on conduit ip over a bad cable (bad_cable.py). See support.py for how to run them."""

import os
import random
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support  # pylint: disable=wrong-import-position
from bad_cable import TAP_DEVICE, BadCable  # pylint: disable=wrong-import-position
from jobs import StreamTest  # pylint: disable=wrong-import-position


@unittest.skipUnless(os.path.exists(TAP_DEVICE), f"this machine has no {TAP_DEVICE}")
class LossTest(StreamTest):
    def setUp(self):
        super().setUp()
        self.environment["WEFT_CONDUIT"] = "ip"
        self.up(2)
        self.seed = int(os.environ.get("WEFT_TEST_SEED", random.randrange(1 << 31)))
        print(f"WEFT_TEST_SEED={self.seed}", flush=True)
        self.cable = BadCable(self.name, "h2", self.seed)

    def tearDown(self):
        self.cable.close()
        super().tearDown()

    def test_blocks_arrive_whole_over_a_cable_that_loses_one_packet_in_a_hundred(self):
        job = self.begin()
        job.ready(2)
        for words in (("drop", 0.01), ("damage", 0.005), ("double", 0.01), ("late", 0.01)):
            before = self.cable.tell(*words)
        self.wait_for_traffic(job, 5_000_000)
        counts = self.cable.tell("drop", 0)
        for fault in ("drop", "damage", "double", "late"):
            self.assertGreater(counts[fault] - before.get(fault, 0), 5, counts)
            self.cable.tell(fault, 0)
        self.assertGreater(self.end(job), 10)

    def test_small_blocks_arrive_whole_over_a_cable_that_loses_repeats_and_reorders_datagrams(self):
        for security in ("auth", "encrypt"):
            self.environment["WEFT_IP_SECURITY"] = security
            job = self.begin(size=100)
            job.ready(2)
            before = self.cable.tell("drop", 0)
            for words in (("drop", 0.003), ("damage", 0.003), ("double", 0.1), ("late", 0.02)):
                self.cable.tell(*words)
            self.wait_for_traffic(job, 500_000)
            for fault in ("damage", "double", "late", "drop"):
                counts = self.cable.tell(fault, 0)
            self.assertGreater(counts["datagrams"] - before.get("datagrams", 0), 300, counts)
            for fault in ("drop", "damage", "double", "late"):
                self.assertGreater(counts[fault] - before.get(fault, 0), 0, counts)
            self.assertGreater(self.end(job), 300)

    def test_all_goes_by_tcp_where_datagrams_are_blocked(self):
        self.environment["WEFT_LOG"] = "info"
        self.cable.tell("mute", 1)
        job = self.begin(size=100)
        job.ready(2)
        time.sleep(2)  # ten tries in a second, and a rank that shares its processor may be late
        self.assertGreater(self.end(job), 100)
        self.assertRegex(job.errors, r"rank [01]: there are no datagrams to rank [01] at 10\.144\.0\.\d:\d+ "
                                     r"\(none is answered\): all goes by TCP")

    def test_ranks_meet_when_the_network_comes_back(self):
        self.cable.tell("drop", 1)
        job = self.begin()
        end = time.monotonic() + 15
        while self.cable.tell("drop", 1).get("drop", 0) < 2:
            self.assertLess(time.monotonic(), end, "the ranks do not call each other")
            time.sleep(0.05)
        self.assertNotIn("ready", job.output)
        self.cable.tell("drop", 0)
        job.ready(2)
        self.end(job)

    def test_a_connection_that_is_cut_ends_the_job(self):
        job = self.begin()
        job.ready(2)
        begin = time.monotonic()
        self.cable.tell("cut")
        job.wait(30)
        self.assertEqual(job.process.returncode, 1, job.errors)
        self.assertRegex(job.errors, r"^weft: rank [01]: error: lost contact with rank [01]: "
                                     r"(Connection reset by peer|it has closed the connection); it was at [^\n]*\n$")
        self.assertLess(time.monotonic() - begin, 15)


if __name__ == "__main__":
    support.main(LossTest)
