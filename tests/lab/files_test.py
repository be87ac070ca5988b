#!/usr/bin/env python3
"""Tests of what goes wrong with parallel files (<upc_io.h>) between hosts. See support.py for how to run them.

The threads of all hosts get the same error, and what was synchronised stays whole.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support  # pylint: disable=wrong-import-position
from jobs import JobTest  # pylint: disable=wrong-import-position

BLOCK = 1 << 16  # of parallel_io.upc


class FilesTest(JobTest):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)  # after the lab has gone
        self.data = os.path.join(self.folder, "data")

    def parallel_io(self):
        upcc = os.path.join(support.BIN, "upcc")
        if not os.path.exists(upcc):
            self.skipTest("upcc is not built")
        program = os.path.join(self.folder, "io")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../upcrt/programs/parallel_io.upc")
        subprocess.run([upcc, "-O1", "-o", program, source], check=True)
        return program

    def assert_faults(self, ranks, *names):
        """Tests of upcrt_io_test, whose threads are then on both hosts, the first and the last on different ones."""
        job = self.run_job("-n", ranks, "--env", f"TMPDIR={self.folder}", os.path.join(support.BIN, "upcrt_io_test"),
                           f"--gtest_filter={':'.join(names)}")
        self.assertEqual(job.process.returncode, 0, job.output + job.errors)
        passed = re.findall(rf"\[  PASSED  \] {len(names)} tests?\.", job.output)
        self.assertEqual(len(passed), ranks, job.output)

    def test_input_and_output_errors_of_one_host_are_told_to_all(self):
        self.up(2)
        for ranks in 2, 3:
            self.assert_faults(ranks, "io_failure.is_told_to_all_threads")

    def test_a_full_device_a_limit_and_a_removed_file_are_told_to_all(self):
        self.up(2)
        self.assert_faults(3, "io_failure.of_the_real_system")

    def test_a_file_that_is_cut_off_is_read_short(self):
        self.up(2)
        self.assert_faults(3, "io_failure.what_others_cut_off_is_read_short", "io_model.random_operations")

    def test_a_full_disk_is_told_and_what_was_synchronised_is_whole(self):
        program, disk = self.parallel_io(), os.path.join(self.folder, "disk")
        os.mkdir(disk)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", disk], capture_output=True, text=True,
                              check=False)
        if made.returncode != 0:
            self.skipTest(f"no file system can be mounted here: {made.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        self.up(2)  # the hosts see what is mounted now
        name = os.path.join(disk, "data")
        job = self.run_job("-n", 3, program, name, "fill")
        self.assertEqual((job.process.returncode, job.output, job.errors), (0, "a full disk is told\n", ""))
        self.assertEqual(os.path.getsize(name), 6 * BLOCK)

    def test_file_helpers_leave_bound_threads_their_processor(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("that takes two processors")
        self.up(2)
        job = self.run_job("-n", 2, "--bind", self.parallel_io(), self.data, "processors")
        self.assertEqual((job.process.returncode, job.errors), (0, ""))
        for thread in "0", "1":
            lists = [line.split()[1] for line in job.output.splitlines() if line.split()[0] == thread]
            self.assertRegex(lists[0], r"^\d+$", "the thread itself is bound")
            self.assertTrue(any("," in one or "-" in one for one in lists), f"its helper is, too: {lists}")

    def killed(self, scenario, victim):
        """A job of which one thread is killed while all write; what its file holds then."""
        job = self.start("-n", 3, self.parallel_io(), self.data, scenario)
        lines = [job.process.stdout.readline().decode() for _ in range(3)]
        pids = dict(map(int, line.split()) for line in lines)
        time.sleep(0.3)
        os.kill(pids[victim], 9)
        self.assertNotEqual(job.wait(60), 0)
        self.assertRegex(job.errors, rf"thread {victim} |rank {victim} ")
        with open(self.data, "rb") as file:
            return file.read()

    def test_a_thread_killed_in_the_middle_of_a_write_leaves_what_was_synchronised(self):
        self.up(2)
        expected = b"".join(bytes([ord("a") + thread]) * BLOCK for thread in range(3))
        for victim in 0, 2:  # one on each host
            content = self.killed("for ever", victim)
            self.assertEqual(content[:len(expected)], expected)
            self.assertGreater(len(content), len(expected), "it was not in the middle")

    def test_a_thread_killed_while_hosts_write_together_leaves_what_was_synchronised(self):
        self.up(2)
        expected = b"".join(bytes([ord("a") + thread]) * 64 for thread in range(3)) * (BLOCK // 64)
        for victim in 0, 2:
            content = self.killed("together for ever", victim)
            self.assertEqual(content[:len(expected)], expected)
            self.assertGreater(len(content), len(expected), "it was not in the middle")


if __name__ == "__main__":
    support.main(FilesTest)
