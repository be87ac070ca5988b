#!/usr/bin/env python3
"""What becomes of Weft programs when the network between their hosts fails. See support.py for how to run them."""

import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support  # pylint: disable=wrong-import-position
from jobs import JobTest  # pylint: disable=wrong-import-position


class FaultsTest(JobTest):
    def setUp(self):
        super().setUp()
        self.stream = os.path.join(support.BIN, "lab_stream")
        self.environment["WEFT_SEGMENT_SIZE"] = "64M"

    def test_blocks_arrive_whole_on_all_hosts(self):
        self.up(4)
        job = self.run_job("-n", 8, self.stream, 20)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("20 blocks arrived whole", job.output)

    def test_a_link_of_1_megabit_is_slow_but_works(self):
        self.up(2)
        job = self.start("-n", 2, self.stream, 12, 32768)
        job.ready(2)
        self.lab("rate", "1mbit")
        self.assertEqual(job.wait(40), 0, job.errors)
        self.assertIn("12 blocks arrived whole", job.output)

    def test_a_host_cut_off_in_mid_transfer_ends_the_job(self):
        self.up(3)
        job = self.start("-n", 3, "--host-timeout", 2, self.stream, 0)
        job.ready(3)
        begin = time.monotonic()
        self.lab("cut", "h2")
        job.wait()
        self.assert_ended(job, 1, r"host h2 does not answer any more \(nothing heard for 2 seconds\); ending the job",
                          begin, 6)
        self.wait_until_nothing_runs(5)  # the agent on h2 finds out by itself

    def test_a_cable_that_is_put_back_in_time_does_no_harm(self):
        self.up(2)
        job = self.start("-n", 2, self.stream, 3000, 100000)
        job.ready(2)
        self.lab("cut", "h2")
        time.sleep(0.7)
        self.lab("mend", "h2")
        self.assertEqual(job.wait(40), 0, job.errors)
        self.assertIn("3000 blocks arrived whole", job.output)

    def test_a_peer_that_dies_in_mid_transfer_ends_the_job(self):
        self.up(2)
        job = self.start("-n", 2, self.stream, 0)
        ranks = job.ready(2)
        begin = time.monotonic()
        os.kill(ranks[1], signal.SIGKILL)
        job.wait()
        self.assert_ended(job, 137, r"rank 1 \(pid \d+ on h2\) was killed by signal 9 \(Killed\); ending the job",
                          begin)

    def test_programs_run_under_the_launchers_of_others(self):
        self.up(2)
        for launcher in ("mpirun", "mpiexec"):
            done = self.lab(launcher, "-n", 4, self.stream, 10)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("10 blocks arrived whole", done.stdout)

    def test_the_conduit_mpi_spans_hosts(self):
        self.up(2)
        environment = dict(self.environment, WEFT_CONDUIT="mpi", UCX_TLS="tcp,self", UCX_NET_DEVICES="eth0")
        for launcher, *options in (("mpirun", "-x", "WEFT_CONDUIT", "-x", "WEFT_SEGMENT_SIZE"), ("mpiexec",),
                                   ("run", "--env", "UCX_TLS", "--env", "UCX_NET_DEVICES")):
            done = self.lab(launcher, *options, "-n", 4, self.stream, 10, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("10 blocks arrived whole", done.stdout)


if __name__ == "__main__":
    support.main(FaultsTest)
