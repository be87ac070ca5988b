"""Jobs on the hosts of a lab, started and watched by tests."""

import os
import re
import select
import subprocess
import tempfile
import time

import support

# Seconds within which a failed job must have ended. It takes one or two on an idle machine; here others may be at work,
# and the next thing that would end it is a silent host, after 10.
LIMIT = 8
GONE = 1.5   # seconds after which nothing of it may be left


class Job:
    """A launcher that was started, with its output as it comes."""

    def __init__(self, command, environment, **options):
        self.output = self.errors = ""
        options.setdefault("stdin", subprocess.DEVNULL)
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        **options)
        self.pid = self.process.pid

    def ready(self, count):
        """Waits until `count` ranks are ready; the process ids by rank."""
        end = time.monotonic() + 15
        while len(found := re.findall(r"ready (\d+) (\d+)\n", self.output)) < count:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"not all ready: {self.output!r}")
            piece = os.read(self.process.stdout.fileno(), 65536).decode()
            if not piece:
                raise AssertionError(f"ended before all were ready: {self.output!r} {self.process.stderr.read()!r}")
            self.output += piece
        return {int(rank): int(pid) for rank, pid in found}

    def wait(self, timeout=300):
        output, errors = self.process.communicate(timeout=timeout)
        self.output += output.decode()
        self.errors += errors.decode()
        return self.process.returncode


class JobTest(support.LabTest):
    """Tests that start jobs with lab run."""

    def tearDown(self):
        try:
            self.wait_until_nothing_runs(GONE)
        finally:
            super().tearDown()

    def wait_until_nothing_runs(self, seconds):
        """Of jobs; the hosts themselves stay."""
        end = time.monotonic() + seconds
        while (left := self.processes(also_of_hosts=False)) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(left, [], "processes were left behind")

    # ---- Helpers ----

    def start(self, *arguments, environment=None, **options):
        command = [os.path.join(support.BIN, "lab"), "run", *map(str, arguments)]
        return Job(command, dict(self.environment, **(environment or {})), **options)

    def run_job(self, *arguments, **options):
        job = self.start(*arguments, **options)
        job.wait()
        return job

    def assert_one_line(self, job, pattern):
        lines = [line for line in job.errors.splitlines() if line.startswith("weftrun: ")]
        self.assertEqual(len(lines), 1, job.errors)
        self.assertRegex(lines[0], "^weftrun: " + pattern + "$")

    def assert_ended(self, job, code, pattern, since, limit=LIMIT):
        self.assertEqual(job.process.returncode, code, job.errors)
        self.assertLess(time.monotonic() - since, limit)
        self.assert_one_line(job, pattern)

    def on_host(self, host, text):
        """The processes on a host whose command has this text, the lowest process id first."""
        listed = subprocess.run(["ip", "netns", "pids", f"weft-{self.name}-{host}"], capture_output=True, text=True,
                                check=True).stdout.split()
        return sorted(pid for pid, command in self.processes() if str(pid) in listed and text in command)

    @staticmethod
    def descriptors(pid):
        found = []
        for name in os.listdir(f"/proc/{pid}/fd"):
            try:
                found.append(os.readlink(f"/proc/{pid}/fd/{name}"))
            except FileNotFoundError:
                pass  # closed meanwhile
        return found


class StreamTest(JobTest):
    """Tests of lab_stream: blocks travel between two hosts, and each is checked, until the test ends it."""

    def setUp(self):
        super().setUp()
        self.environment["WEFT_SEGMENT_SIZE"] = "64M"
        self.stream = os.path.join(support.BIN, "lab_stream")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.stop = os.path.join(self.folder.name, "stop")
        self.jobs = []

    def tearDown(self):
        for job in self.jobs:
            if job.process.poll() is None:
                job.process.terminate()
                job.process.wait(10)
        super().tearDown()

    def begin(self, size=100000):
        job = self.start("-n", 2, "--hosts", "h1,h2", self.stream, 10**9, size, self.stop)
        self.jobs.append(job)
        return job

    def end(self, job):
        """The job must end well; how many blocks have arrived."""
        open(self.stop, "wb").close()
        self.assertEqual(job.wait(60), 0, job.errors)
        os.unlink(self.stop)
        self.assertRegex(job.output, r"\n\d+ blocks arrived whole\n")
        return int(re.search(r"(\d+) blocks", job.output)[1])

    def sent(self, host, links=1):
        """Bytes that each of a host's links has sent."""
        counters = [f"/sys/class/net/eth{link}/statistics/tx_bytes" for link in range(links)]
        return [int(line) for line in self.lab("exec", host, "cat", *counters).stdout.split()]

    def wait_for_traffic(self, job, size, limit=40):
        """Until host h1 has sent this many bytes more."""
        goal, end = self.sent("h1")[0] + size, time.monotonic() + limit
        while self.sent("h1")[0] < goal:
            self.assertIsNone(job.process.poll(), "the job has ended")
            self.assertLess(time.monotonic(), end, f"fewer than {size} bytes in {limit} s")
            time.sleep(0.05)
