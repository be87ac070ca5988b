#!/usr/bin/env python3
"""Tests of weftrun and of what becomes of a job when something goes wrong.

    launch_test.py WEFTRUN PROBE [NAME...]   runs the tests (all, or those named) with these two programs
    launch_test.py --list                    prints the names

After each test nothing of it may run any more, and nothing of it may be left in /dev/shm.
"""

import contextlib
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

WEFTRUN, PROBE = script_tests.paths(2)
LIMIT = 8.0  # seconds within which a failed job must have ended: one, but for machines where others are at work
HANG = 300.0  # seconds after which a test gives up

# What MPI libraries, whose tests may run at the same time, put into /dev/shm.
FOREIGN_SHM = ("vader", "mpich", "psm", "osc_rdma", "sm_", "sem.", "ucx", "ofi", "pmix", "ompi")


def processes_with(marker):
    """The living processes whose environment names the marker."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/environ", "rb") as environ:
                if marker.encode() in environ.read() and int(pid) != os.getpid() and state_of(pid) not in "ZX":
                    found.append(int(pid))
    return found


def state_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def shared_memory_files():
    return {name for name in os.listdir("/dev/shm") if not name.startswith(FOREIGN_SHM)}


class Job:
    """A launcher that was started, with its output as it comes."""

    def __init__(self, arguments, environment, **options):
        self.output = self.errors = ""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        self.process = subprocess.Popen(arguments, env=environment, **options)
        self.pid = self.process.pid

    def read_until(self, pattern, count=1):
        """Reads standard output until the pattern has come `count` times; what it matched."""
        end = time.monotonic() + HANG
        descriptor = self.process.stdout.fileno()
        while len(re.findall(pattern, self.output, re.M)) < count:
            if not select.select([descriptor], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"no '{pattern}' in {self.output!r}")
            piece = os.read(descriptor, 65536)
            if not piece:
                raise AssertionError(f"ended without '{pattern}': {self.output!r} {self.process.stderr.read()!r}")
            self.output += piece.decode()
        return re.findall(pattern, self.output, re.M)

    def ready(self, count):
        """Waits until `count` ranks of the probe are ready; their process ids in any order."""
        return [int(pid) for pid in self.read_until(r"^ready (\d+)$", count)]

    def wait(self):
        """Waits for the end; the exit code."""
        output, errors = self.process.communicate(timeout=HANG)
        self.output += (output or b"").decode()
        self.errors += (errors or b"").decode()
        return self.process.returncode


class LaunchTest(unittest.TestCase):
    def setUp(self):
        self.marker = f"LAUNCH_TEST_MARK={uuid.uuid4().hex}"
        # The last two: where there is no /sys, MPI's parts complain.
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                HWLOC_HIDE_ERRORS="2", UCX_LOG_LEVEL="fatal")
        for name in list(self.environment):
            if name.startswith(("PMI_", "PMIX_", "WEFT_")):
                del self.environment[name]
        name, value = self.marker.split("=")
        self.environment[name] = value
        # A crash is a crash, also where a sanitizer would make an exit of it.
        for sanitizer in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
            self.environment[sanitizer] = self.environment.get(sanitizer, "") + ":handle_segv=0"
        suppressions = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaks_of_others.supp")
        self.environment["LSAN_OPTIONS"] = f"suppressions={suppressions}:print_suppressions=0"
        self.shm_before = shared_memory_files()

    def tearDown(self):
        end = time.monotonic() + 1  # helpers of other launchers may end after their launcher
        while (left := processes_with(self.marker)) and time.monotonic() < end:
            time.sleep(0.01)
        names = [(pid, read_command(pid)) for pid in left]
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.assertEqual(names, [], "processes were left behind")
        self.assertEqual(shared_memory_files() - self.shm_before, set(), "left in /dev/shm")

    # ---- Helpers ----

    def start(self, *arguments, **options):
        return Job([WEFTRUN, *map(str, arguments)], self.environment, **options)

    def run_job(self, *arguments, **options):
        job = self.start(*arguments, **options)
        job.wait()
        return job

    def probe(self, ranks, *arguments, **options):
        return self.run_job("-n", ranks, PROBE, *arguments, **options)

    def assert_one_line(self, job, pattern):
        """The launcher says exactly one thing, and it matches."""
        lines = [line for line in job.errors.splitlines() if line.startswith("weftrun: ")]
        self.assertEqual(len(lines), 1, job.errors)
        self.assertRegex(lines[0], "^weftrun: " + pattern + "$")

    def assert_refused(self, job, code, pattern):
        self.assertEqual(job.process.returncode, code, job.errors)
        self.assertEqual(job.output, "")
        self.assert_one_line(job, pattern)
        self.assertEqual(job.errors.count("\n"), 1, job.errors)

    def fails(self, code, pattern, ranks, *arguments, options=()):
        """The probe fails by itself; at once, with this code and this line."""
        began = time.monotonic()
        job = self.run_job("-n", ranks, *options, PROBE, *arguments)
        self.assertLess(time.monotonic() - began, LIMIT)
        self.assertEqual(job.process.returncode, code, job.errors)
        self.assert_one_line(job, pattern)
        return job

    def ends(self, job, code, pattern, action):
        """After the action the job ends in time with this code and this line."""
        began = time.monotonic()
        action()
        self.assertEqual(job.wait(), code, job.errors)
        self.assertLess(time.monotonic() - began, LIMIT)
        if pattern:
            self.assert_one_line(job, pattern)

    def test_variables_are_set_for_all_ranks(self):
        shell = f'printf "%s;%s\\n" "$PROBE_A" "$WEFT_SPIN_US"; exec {PROBE} end'
        job = self.run_job("-n", 2, "--env", "PROBE_A=it's given", "--env", "WEFT_SPIN_US=7", "sh", "-c", shell)
        self.assertEqual((job.process.returncode, job.output), (0, "it's given;7\n" * 2), job.errors)
        job = self.run_job("-n", 2, "--env", "NO_SUCH", "true")
        self.assertEqual(job.process.returncode, 2)
        self.assert_one_line(job, "--env NO_SUCH: there is no such variable.*")

    # ---- Bad input ----

    def test_rank_counts_that_make_no_sense(self):
        for count in ("0", "-1", "x", "", "1.5", "65537"):
            self.assert_refused(self.run_job("-n", count, "true"), 2, r".*from 1 to 65536")

    def test_missing_rank_count(self):
        self.assert_refused(self.run_job("true"), 2, r"how many ranks\?.*")

    def test_missing_program(self):
        self.assert_refused(self.run_job("-n", 2), 2, r"no program given.*")

    def test_unknown_option(self):
        self.assert_refused(self.run_job("-n", 2, "--fast", "true"), 2, r".*--fast; see.*")
        self.assert_refused(self.run_job("-n", 2, "--host", "h1", "true"), 2,
                            r"unknown option --host; what it does is here: --hosts H1,H2")
        self.assert_refused(self.run_job("-n", 2, "--tagoutput", "true"), 2,
                            r".*--tagoutput \(did you mean --tag-output\?\);.*")
        self.assert_refused(self.run_job("-n", 2, "--bind=1", "true"), 2, r".*--bind=1 \(it takes no value\);.*")

    def test_help_and_version(self):
        for option, text in (("--help", "Usage: weftrun"), ("-h", "Usage: weftrun"), ("--version", "weftrun (Weft) ")):
            job = self.run_job(option)
            self.assertEqual((job.process.returncode, job.errors), (0, ""))
            self.assertTrue(job.output.startswith(text), job.output)

    def test_program_that_does_not_exist(self):
        self.assert_refused(self.run_job("-n", 2, "./nothing-here"), 127, r"\./nothing-here does not exist")
        self.environment["PATH"] = "/nowhere:/bin"
        self.assert_refused(self.run_job("-n", 2, "nothing-here"), 127, r".*'nothing-here'.*PATH \(/nowhere:/bin\)")

    def test_program_that_cannot_be_executed(self):
        self.assert_refused(self.run_job("-n", 2, "/etc/passwd"), 126, r"/etc/passwd is not executable.*")
        self.assert_refused(self.run_job("-n", 2, "/etc"), 126, r"/etc is a folder.*")

    def test_source_files_are_to_be_compiled(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, command in (("hello.c", "cc hello.c -o hello .*weft.*"), ("hello.cpp", r"c\+\+ hello.cpp .*"),
                                  ("a.b.upc", r"upcc -o a\.b a\.b\.upc")):
                with open(os.path.join(folder, name), "w", encoding="ascii"):
                    pass
                said = rf"{name} is a source file, not a program: compile it first, as in {command}"
                self.assert_refused(self.run_job("-n", 2, name, cwd=folder), 126, said)
                self.assert_refused(self.run_job("-n", 2, "./" + name, cwd=folder), 126, r"\./.* is a source file.*")

    def test_program_without_its_interpreter(self):
        with tempfile.NamedTemporaryFile("w", delete=False) as script:
            script.write("#!/nowhere/at/all\n")
        os.chmod(script.name, 0o755)
        try:
            self.assert_refused(self.run_job("-n", 2, script.name), 126, r"cannot run .*interpreter.*")
        finally:
            os.unlink(script.name)

    def test_program_here_but_not_in_the_path(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy("/bin/true", os.path.join(folder, "prog"))
            job = self.run_job("-n", 2, "prog", cwd=folder)
            self.assert_refused(job, 127, r".*; did you mean \./prog\?")

    def test_program_that_is_no_weft_program(self):
        job = self.run_job("-n", 2, "/bin/true")
        self.assert_refused(job, 1, r"/bin/true is not a Weft program \(it ended without calling weft_init\).*")

    def test_program_that_fails_before_weft_init(self):
        job = self.run_job("-n", 2, "sh", "-c", "exit 7")
        self.assert_refused(job, 7, r"rank [01] \(pid \d+ on .+\) exited with code 7 before weft_init; ending the job")

    # ---- Jobs that end in order ----

    def test_every_rank_runs_once(self):
        for ranks in (1, 2, 3, 4, 7):
            job = self.probe(ranks, "hello")
            self.assertEqual((job.process.returncode, job.errors), (0, ""))
            self.assertEqual(sorted(job.output.splitlines()), [f"rank {rank} of {ranks}" for rank in range(ranks)])

    def test_np_is_n(self):
        job = self.run_job("-np", 2, PROBE, "hello")
        self.assertEqual((job.process.returncode, sorted(job.output.splitlines())), (0, ["rank 0 of 2", "rank 1 of 2"]))

    def test_rank_0_says_what_the_job_runs_on_if_asked(self):
        self.environment["WEFT_LOG"] = "info"
        job = self.probe(3, "hello")
        self.assertRegex(job.errors, r"^weft: rank 0: Weft [\d.]+: 3 ranks on 1 host, started by weftrun; conduit smp, "
                                     r"segments of [\d.]+ \w+, all mapped.*\n$")
        self.environment["WEFT_LOG"] = "debug"
        job = self.probe(3, "hello")
        for rank in range(3):
            self.assertRegex(job.errors, rf"weft: rank {rank}: debug: process \d+ on .+, rank {rank} of 3 there, "
                                         r".*WEFT_LOG=debug")

    def test_statistics_end_with_the_sums(self):
        self.environment["WEFT_STATS"] = "1"
        job = self.probe(3, "hello")
        for rank in range(3):
            self.assertRegex(job.errors, rf"weft statistics, rank {rank}\n.*operation.*\n  barrier +1 +0\n")
        self.assertRegex(job.errors, r"weft statistics, all 3 ranks\n.*operation.*\n  barrier +3 +0\n$")

    def test_the_sums_are_those_of_what_the_ranks_print(self):
        self.environment["WEFT_STATS"] = "1"
        for unmapped in "0", "1":
            self.environment["WEFT_MAP_PEERS"] = str(1 - int(unmapped))
            job = self.probe(3, "communicate")
            self.assertEqual(job.process.returncode, 0)
            tables = job.errors.split("weft statistics, ")[1:]
            rows = [dict((name, (int(count), int(size))) for name, count, size in
                         re.findall(r"^  (\S[\w' ]*?) {2,}(\d+) +(\d+)$", table, re.MULTILINE)) for table in tables]
            self.assertEqual([table.partition("\n")[0] for table in tables][3], "all 3 ranks")
            for name, total in rows[3].items():
                parts = [row.get(name, (0, 0)) for row in rows[:3]]
                self.assertEqual(total, tuple(map(sum, zip(*parts))), name)
            self.assertGreater(rows[3]["Weft's own"][0], 0)
            self.assertEqual((rows[3]["am request"][0], rows[3]["am reply"][0]), (3, 3))
            if unmapped == "0":  # else the library carries them by messages of its own
                self.assertEqual((rows[3]["put"], rows[3]["signal"][0]), ((30, 240), 6))

    def test_a_misspelt_setting_is_warned_of_once(self):
        self.environment["WEFT_SEGMNT_SIZE"] = "1G"
        job = self.probe(3, "hello")
        self.assertRegex(job.errors, r"^weft: rank 0: warning: there is no setting WEFT_SEGMNT_SIZE, did you mean "
                                     r"[^\n]*\n$")

    def test_a_misspelt_protection_ends_the_job(self):
        for name, meant in (("WEFT_IP_SECURTY", "WEFT_IP_SECURITY"), ("WEFT_SECRT_FILE", "WEFT_SECRET_FILE"),
                            ("WEFT_SECURITY", "WEFT_IP_SECURITY"), ("WEFT_SECURE", "WEFT_IP_SECURITY"),
                            ("WEFT_ENCRYPT", "WEFT_IP_SECURITY=encrypt"), ("WEFT_JOB_SECRET", "WEFT_SECRET_FILE"),
                            ("WEFT_IP_ENCRYPT", "WEFT_IP_SECURITY=encrypt"), ("WEFT_TLS", "WEFT_IP_SECURITY=encrypt"),
                            ("WEFT_ENCRYPTION", "WEFT_IP_SECURITY=encrypt")):
            with self.subTest(name=name):
                self.environment[name] = "encrypt"
                job = self.probe(2, "hello")
                del self.environment[name]
                self.assertNotEqual(job.process.returncode, 0)
                self.assertEqual(job.errors.count("error: there is no setting"), 1, job.errors)
                self.assertIn(f"there is no setting {name}, did you mean {meant}? The job does not start", job.errors)

    def test_a_refused_table_is_told_once(self):
        with tempfile.NamedTemporaryFile("w") as table:
            table.write("weft-tune 1\nmachine abacus\n")
            table.flush()
            self.environment["WEFT_TUNE_FILE"] = table.name
            job = self.probe(3, "hello")
        self.assertEqual(job.process.returncode, 0)
        self.assertRegex(job.errors, r"^weft: rank 0: warning: WEFT_TUNE_FILE: [^\n]*another kind of machine[^\n]*\n$")

    def test_an_algorithm_that_cannot_serve_is_told_once(self):
        self.environment["WEFT_COLL"] = "reduce_all=shared"
        for settings, where in (({"WEFT_MAP_PEERS": "0"}, "1 host"), ({"WEFT_HOST_NAME": "a,b"}, "2 hosts")):
            environment = dict(self.environment, **settings)
            job = Job([WEFTRUN, "-n", "3", PROBE, "collective"], environment)
            self.assertEqual(job.wait(), 0, job.errors)
            self.assertRegex(job.errors, r"^weft: rank 0: warning: setting WEFT_COLL has 'reduce_all=shared', which "
                                         rf"cannot serve a team of 3 on {where}: it needs all members' memory mapped"
                                         r"[^\n]*\n$")

    def test_why_an_algorithm_cannot_serve_is_told(self):
        for plan, why in (("reduce_all=tree:7", "its radix is too large for so few members"),
                          ("reduce_all=hosts", "it needs several hosts, and several members on one of them"),
                          ("reduce_all=native", "it needs a conduit that has it")):
            self.environment["WEFT_COLL"] = plan
            job = self.probe(3, "collective")
            self.assertEqual(job.process.returncode, 0, job.errors)
            self.assertIn(f"'{plan}', which cannot serve a team of 3 on 1 host: {why}", job.errors)

    def test_an_algorithm_that_does_not_fit_a_call_is_told_once_to_who_asks(self):
        for level, coll, told in (("info", "reduce_all=halving", 1), ("warning", "reduce_all=halving", 0),
                                  ("info", "reduce_all=halving,reduce_all=doubling", 0)):
            self.environment.update(WEFT_LOG=level, WEFT_COLL=coll)
            job = self.probe(3, "collective")
            self.assertEqual(job.process.returncode, 0, job.errors)
            self.assertEqual(len(re.findall(r"WEFT_COLL has 'reduce_all=halving', which does not fit calls of "
                                            r"some 8 bytes on a team of 3 on 1 host; another", job.errors)), told,
                             job.errors)

    def test_a_start_that_fails_is_told_as_that(self):
        self.environment["WEFT_CONDUIT"] = "pigeon"
        job = self.probe(2, "hello")
        self.assertEqual(job.process.returncode, 99)
        self.assertRegex(job.errors, r"weftrun: rank \d .* exited with code 99 in weft_init; ending the job")

    def test_a_start_that_fails_on_another_rank_is_told_as_that(self):
        # Rank 1 finds the mistake, and rank 0 ends first.
        script = ('test "$PMI_RANK" = 1 || exec "$0" hello; '
                  'WEFT_NET_INTERFACE=nowhere0 "$0" hello; code=$?; sleep 1; exit $code')
        environment = dict(self.environment, WEFT_CONDUIT="ip", WEFT_HOST_NAME="a,b")
        job = Job([WEFTRUN, "-n", "2", "sh", "-c", script, PROBE], environment)
        self.assertEqual(job.wait(), 99, job.errors)
        self.assertRegex(job.errors, r"^weft: rank 1: error: [^\n]*nowhere0[^\n]*\n"
                                     r"weftrun: rank 0 [^\n]* exited with code 99 in weft_init; ending the job\n$")

    def test_many_ranks(self):
        job = self.probe(100, "hello")
        self.assertEqual((job.process.returncode, job.errors), (0, ""))
        self.assertEqual(len(set(job.output.splitlines())), 100)

    def test_a_small_stack_is_enough_for_the_launcher(self):
        job = Job(["bash", "-c", f'ulimit -s 64; exec "{WEFTRUN}" -n 2 --tag-output "{PROBE}" hello'], self.environment)
        self.assertEqual(job.wait(), 0, job.errors)
        self.assertEqual(sorted(job.output.splitlines()), ["[0] rank 0 of 2", "[1] rank 1 of 2"])

    def test_without_dev_the_missing_file_is_named(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0:
            self.skipTest("needs a mount namespace")
        script = f'mount -t tmpfs none /dev && exec "{WEFTRUN}" -n 2 "{PROBE}" hello'
        job = Job(["unshare", "-m", "sh", "-c", script], self.environment)
        self.assertEqual(job.wait(), 1, job.errors)
        self.assert_one_line(job, r"cannot start rank 1: /dev/null cannot be opened: No such file or directory")

    def test_few_descriptors(self):
        limit = f'ulimit -n 20 && exec "{WEFTRUN}" -n 50 "{PROBE}" wait'
        job = Job(["sh", "-c", limit], self.environment)
        self.assertEqual(job.wait(), 1)
        self.assert_one_line(job, r"cannot start rank \d+: Too many open files; .*")

    # ---- Where the ranks were ----

    def test_a_crash_and_those_who_waited_are_told_of(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            self.environment.update(WEFT_BACKTRACE="1", WEFT_STATS="1", WEFT_TRACE=trace)
            job = self.probe(2, "segfault", 1)
            self.assertRegex(job.errors, r"weft: rank 1: error: SIGSEGV at address (0x0|\(nil\)); backtrace.*\n"
                                         r"\S*launch_probe")
            self.assertRegex(job.errors, r"weft: rank 0: error: SIGTERM after waiting in weft_barrier for \d+\.\d s; "
                                         r"backtrace")
            # What the dynamic linker has no name for has one, too.
            self.assertRegex(job.errors, r"(libweft|launch_probe)\S*\(\+0x\w+\)\[0x\w+\] weft::\w+")
            self.assertRegex(job.errors, r"weft statistics, rank 0\n(.*\n)*  weft_barrier +[12] ")
            with open(trace, encoding="utf-8") as file:
                events = json.load(file)
            self.assertIn((0, "weft_barrier"), {(event["pid"], event["name"]) for event in events})

    def test_a_stack_that_overflows_is_told_of(self):
        self.environment.update(WEFT_BACKTRACE="1", WEFT_CHECK="1")
        for how in ("processes", "threads"):
            job = self.run_job("-n", 2, f"--ranks-as={how}", PROBE, "overflow", 1)
            self.assertRegex(job.errors, r"weft: rank 1: error: SIGSEGV at address 0x\w+, at the end of the stack: .*\n"
                                         r"\S*launch_probe")
            self.assertRegex(job.errors, r"was killed by signal 11 \(Segmentation fault\); ending the job")

    def test_a_rank_that_computes_is_told_of(self):
        self.environment["WEFT_BACKTRACE"] = "1"
        job = self.start("-n", 2, PROBE, "wait")
        job.ready(2)
        self.ends(job, 143, r"received signal 15 .*", lambda: os.kill(job.pid, signal.SIGTERM))
        for rank in range(2):
            self.assertRegex(job.errors, rf"weft: rank {rank}: error: SIGTERM while not waiting in Weft "
                                         r"\(last call: weft_barrier\)")

    def test_a_rank_that_waits_in_weft_init_is_told_of(self):
        self.environment["WEFT_BACKTRACE"] = "1"
        late = f'[ "$PMI_RANK" = 0 ] || exec sleep 100; echo "ready $$"; exec "{PROBE}" wait'
        job = self.start("-n", 2, "sh", "-c", late)
        rank_0, = job.ready(1)
        end = time.monotonic() + HANG
        caught = 0
        while not caught & 1 << signal.SIGTERM - 1 and time.monotonic() < end:  # until the library watches for it
            time.sleep(0.01)
            with open(f"/proc/{rank_0}/status", encoding="ascii") as status:
                caught = int(re.search(r"^SigCgt:\s*(\w+)", status.read(), re.M)[1], 16)
        self.ends(job, 143, r"received signal 15 .*", lambda: os.kill(job.pid, signal.SIGTERM))
        # weftrun, which got the signal, may speak before the rank has found its backtrace.
        self.assertRegex(job.errors, r"weft: rank 0: error: SIGTERM in weft_init; backtrace.*\n(weftrun: .*\n)?"
                                     r"\S*(libweft|launch_probe)")

    def test_a_trace_is_json(self):
        with tempfile.TemporaryDirectory() as folder:
            self.environment["WEFT_TRACE"] = trace = os.path.join(folder, "trace.json")
            self.assertEqual(self.probe(3, "hello").process.returncode, 0)
            with open(trace, encoding="utf-8") as file:
                names = [event["args"]["name"] for event in json.load(file) if event["name"] == "process_name"]
            self.assertEqual(sorted(names), ["rank 0", "rank 1", "rank 2"])

    def test_a_trace_counts_from_the_start_and_shows_what_is_under_way(self):
        for hosts in ("", "a,b"):
            with tempfile.TemporaryDirectory() as folder:
                trace = os.path.join(folder, "trace.json")
                self.environment.update(WEFT_TRACE=trace, WEFT_HOST_NAME=hosts)
                self.assertEqual(self.probe(3, "collective").process.returncode, 0)
                with open(trace, encoding="utf-8") as file:
                    events = json.load(file)
            starts = {event["pid"]: event["args"]["monotonic_ns"] for event in events if event["name"] == "start"}
            self.assertEqual(sorted(starts), [0, 1, 2])
            self.assertEqual(starts[0], starts[2])
            self.assertLess(abs(starts[0] - starts[1]), HANG * 10**9 if hosts else 1)
            for event in events:
                self.assertTrue(0 <= event.get("ts", 0) < HANG * 10**6, event)
            of = lambda phase: {(event["pid"], event["id"]): event["ts"] for event in events
                                if event["ph"] == phase and event["name"] == "weft_reduce_all_nb"}
            begun, ended = of("b"), of("e")
            self.assertEqual(sorted(pid for pid, _ in begun), [0, 1, 2])
            self.assertEqual(begun.keys(), ended.keys())
            self.assertTrue(all(begun[key] <= ended[key] for key in begun))

    # ---- Ranks that fail ----

    def test_rank_killed(self):
        job = self.start("-n", 4, PROBE, "wait")
        victim = job.ready(4)[2]
        pattern = rf"rank [0-3] \(pid {victim} on .+\) was killed by signal 9 \(Killed\); ending the job"
        self.ends(job, 137, pattern, lambda: os.kill(victim, signal.SIGKILL))

    def test_rank_crashes(self):
        self.fails(139, r"rank 1 \(pid \d+ on .+\) was killed by signal 11 \(Segmentation fault\); WEFT_BACKTRACE.*; "
                        r"ending the job", 3, "segfault", 1)

    def test_rank_exits_with_a_code(self):
        self.fails(3, r"rank 2 \(pid \d+ on .+\) exited with code 3 before weft_finalize; ending the job",
                   4, "exit", 3, 2)

    def test_rank_exits_with_code_0_before_finalize(self):
        self.fails(1, r"rank 0 \(pid \d+ on .+\) exited with code 0 before weft_finalize; ending the job",
                   2, "exit", 0, 0)

    def test_rank_exits_before_init_while_others_wait(self):
        for code, result in ((5, 5), (0, 1)):
            self.fails(result, r"(rank 1 .* exited with code \d before weft_init; ending the job|.*is not a Weft.*)",
                       3, "early-exit", code, 1)

    def test_rank_exits_with_a_code_after_finalize(self):
        pattern = r"rank 1 \(pid \d+ on .+\) exited with code 4 after weft_finalize"
        job = self.fails(4, pattern, 3, "late-exit", 4, 1)
        self.assertEqual(job.output, "done\n" * 2, "the others were not allowed to finish")

    def test_rank_exits_with_a_code_after_finalize_and_others_hang(self):
        self.fails(4, r".* exited with code 4 after weft_finalize", 3, "late-hang", 4, 1)

    def test_weft_exit_ends_the_job_with_its_code(self):
        self.fails(5, r"rank 1 \(pid \d+ on .+\) called weft_exit\(5\); ending the job", 3, "weft-exit", 5, 1)

    def test_weft_exit_with_code_0_ends_the_job_quietly(self):
        began = time.monotonic()
        job = self.probe(3, "weft-exit", 0, 1)
        self.assertLess(time.monotonic() - began, LIMIT)
        self.assertEqual((job.process.returncode, job.errors), (0, ""))

    def test_weft_abort_says_why(self):
        job = self.probe(3, "abort", 1)
        self.assertEqual(job.process.returncode, 134, job.errors)
        self.assertRegex(job.errors, r"(?m)^weft: .*the test wants it$")

    def test_ranks_that_fail_together_make_one_line(self):
        job = self.probe(4, "die-together")
        self.assert_one_line(job, r"rank [0-3] .* exited with code 1[0-3] before weft_finalize; ending the job")
        rank = int(re.search(r"rank (\d)", job.errors).group(1))
        self.assertEqual(job.process.returncode, 10 + rank)

    def test_rank_that_sends_nonsense_to_the_launcher(self):
        self.fails(1, r"rank 1 \(pid \d+ on .+\) sent a line that is not PMI-1; ending the job", 2, "babble")

    def test_a_rank_that_closes_its_descriptors_ends_the_job(self):
        # Between hosts, as these two ranks believe to be, nothing that the library does fails then: it would wait.
        self.environment["WEFT_HOST_NAME"] = "a,b"
        job = self.probe(2, "close-all", 1)
        self.assertEqual(job.process.returncode, 1, job.errors)
        self.assert_one_line(job, r"rank 1 .* has closed its connection to the launcher and runs on: .*; ending the "
                                  r"job")

    def test_rank_that_ignores_sigterm(self):
        job = self.start("-n", 3, PROBE, "stubborn")
        victim = job.ready(3)[0]
        self.ends(job, 137, r"rank .*Killed.*", lambda: os.kill(victim, signal.SIGKILL))

    def test_rank_that_is_stopped_ends_with_the_job(self):
        job = self.start("-n", 3, PROBE, "wait")
        pids = job.ready(3)
        os.kill(pids[0], signal.SIGSTOP)
        self.ends(job, 137, r"rank .*Killed.*", lambda: os.kill(pids[1], signal.SIGKILL))

    def test_what_mpich_leaves_in_shared_memory_is_removed(self):
        number = uuid.uuid4().hex[:12]
        left, held, older, other = (f"/dev/shm/{name}{number}" for name in (
            "mpich_shar_tmpA", "ucx_shm_posix_B", "mpich_shar_tmpC", "mpich_not_so_D"))
        for path in (left, held, older, other):
            self.addCleanup(lambda path=path: os.path.exists(path) and os.unlink(path))
        with open(older, "w", encoding="ascii"):
            pass
        time.sleep(0.05)  # files are stamped by a clock that ticks
        holder = ["python3", "-c", "import sys; f = open(sys.argv[1], 'w'); print(flush=True); sys.stdin.read()", held]
        job = self.start("-n", 1, "sh", "-c", f"sleep 0.05; touch {left} {other}; echo created; sleep 60")
        job.read_until("^created$")
        with subprocess.Popen(holder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holding:
            holding.stdout.readline()
            self.ends(job, 143, r"received signal 15 .*", lambda: os.kill(job.pid, signal.SIGTERM))
            self.assertEqual([os.path.exists(path) for path in (left, held, older, other)], [False, True, True, True])
            holding.stdin.close()

    # ---- Signals to the launcher ----

    def test_signals_to_the_launcher_end_the_job(self):
        for number, name in ((signal.SIGINT, "Interrupt"), (signal.SIGTERM, "Terminated"), (signal.SIGHUP, "Hangup")):
            job = self.start("-n", 3, PROBE, "wait")
            job.ready(3)
            hint = "; with WEFT_BACKTRACE=1 ranks say where they wait" if number == signal.SIGINT else ""
            pattern = rf"received signal {int(number)} \({name}\){hint}; ending the job"
            self.ends(job, 128 + number, pattern, lambda: os.kill(job.pid, number))

    def test_user_signals_reach_the_ranks(self):
        job = self.start("-n", 2, PROBE, "wait")
        job.ready(2)
        self.ends(job, 138, r"rank \d .* was killed by signal 10 .*", lambda: os.kill(job.pid, signal.SIGUSR1))

    def test_ignored_signals_stay_ignored(self):
        job = self.start("-n", 2, PROBE, "wait", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        job.ready(2)
        os.kill(job.pid, signal.SIGHUP)
        with self.assertRaises(subprocess.TimeoutExpired):
            job.process.wait(0.3)
        self.ends(job, 143, r"received signal 15 .*", lambda: os.kill(job.pid, signal.SIGTERM))

    def test_stop_and_continue(self):
        job = self.start("-n", 2, PROBE, "wait", preexec_fn=os.setpgrp)
        pids = job.ready(2)
        os.killpg(job.pid, signal.SIGTSTP)
        self.await_states(pids + [job.pid], "T")
        os.killpg(job.pid, signal.SIGCONT)
        self.await_states(pids + [job.pid], "RS")
        self.ends(job, 143, r"received signal 15 .*", lambda: os.kill(job.pid, signal.SIGTERM))

    def await_states(self, pids, states):
        end = time.monotonic() + LIMIT
        while not all(state_of(pid) in states for pid in pids):
            self.assertLess(time.monotonic(), end, [(pid, state_of(pid)) for pid in pids])
            time.sleep(0.01)

    def nothing_is_left(self):
        end = time.monotonic() + LIMIT
        while processes_with(self.marker):
            self.assertLess(time.monotonic(), end, "still running")
            time.sleep(0.01)

    def test_launcher_killed(self):
        for action in ("wait", "stubborn", "parent"):
            job = self.start("-n", 3, PROBE, action)
            job.ready(3)
            os.kill(job.pid, signal.SIGKILL)
            self.nothing_is_left()
            job.wait()
            self.assert_one_line(job, rf"lost its guard process \(pid {job.pid}\), which was killed; ending the job")

    def test_inner_launcher_killed(self):
        for action in ("wait", "parent"):
            job = self.start("-n", 3, PROBE, action)
            ranks = job.ready(3)
            self.ends(job, 137, r"its own process .* was killed by signal 9 \(Killed\); the job was ended",
                      lambda: os.kill(parent_of(ranks[0]), signal.SIGKILL))
            self.nothing_is_left()

    # ---- What ranks leave behind ----

    def test_children_of_ranks_end_with_a_job_that_ends_in_order(self):
        job = self.probe(2, "leave-children")
        self.assertEqual((job.process.returncode, job.errors), (0, ""))
        self.assertEqual(processes_with(self.marker), [])

    def test_children_of_ranks_end_with_a_job_that_fails(self):
        job = self.start("-n", 2, PROBE, "parent")
        victim = job.ready(2)[0]
        job.read_until("^child ", 4)
        self.ends(job, 137, r"rank .*Killed.*", lambda: os.kill(victim, signal.SIGKILL))
        self.assertEqual(processes_with(self.marker), [])

    def test_program_behind_a_script(self):
        job = self.start("-n", 2, "sh", "-c", f'"{PROBE}" wait; exit 0')
        job.ready(2)
        self.ends(job, 130, r"received signal 2 .*", lambda: os.kill(job.pid, signal.SIGINT))
        self.assertEqual(processes_with(self.marker), [])

    # ---- Input ----

    def test_input_from_a_pipe_goes_to_rank_0(self):
        text = "".join(f"line {number}\n" for number in range(5000))
        # Tagged, because rank 0's pieces do not end with lines, and others' output may come between two of them.
        job = self.start("-n", 3, "--tag-output", PROBE, "echo", stdin=subprocess.PIPE)
        output, errors = job.process.communicate(text.encode(), timeout=HANG)
        self.assertEqual((job.process.returncode, errors), (0, b""))
        lines = output.decode().splitlines()
        self.assertEqual([line for line in lines if line.startswith("[0] ")],
                         [f"[0] {line}" for line in text.splitlines()])
        self.assertEqual(sorted(line for line in lines if "read" in line),
                         [f"[{r}] rank {r} read 0 bytes" for r in (1, 2)])

    def test_input_from_a_file_goes_to_rank_0(self):
        with tempfile.TemporaryFile() as file:
            file.write(b"from a file\n")
            file.seek(0)
            job = self.probe(2, "echo", stdin=file)
        self.assertEqual(sorted(job.output.splitlines()), ["from a file", "rank 1 read 0 bytes"])

    def test_input_that_nobody_reads_is_left_to_the_next_program(self):
        job = Job(["sh", "-c", f'"{WEFTRUN}" -n 2 "{PROBE}" hello > /dev/null; cat'], self.environment,
                  stdin=subprocess.PIPE)
        output, _ = job.process.communicate(b"kept\n", timeout=HANG)
        self.assertEqual(output, b"kept\n")

    def test_closed_standard_streams(self):
        job = Job(["sh", "-c", f'exec "{WEFTRUN}" -n 2 "{PROBE}" echo <&- 2>&-'], self.environment)
        self.assertEqual(job.wait(), 0)
        self.assertEqual(job.output, "rank 1 read 0 bytes\n")

    @staticmethod
    def own_session():
        os.setsid()
        os.close(os.open(os.ttyname(0), os.O_RDWR))  # becomes the controlling terminal

    def at_a_terminal(self, *arguments):
        """Starts a job at a terminal of its own; the job and the terminal's other side."""
        master, slave = pty.openpty()
        settings = termios.tcgetattr(slave)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(slave, termios.TCSANOW, settings)

        job = self.start(*arguments, stdin=slave, preexec_fn=self.own_session)
        os.close(slave)
        self.addCleanup(os.close, master)
        return job, master

    def test_rank_0_reads_the_terminal(self):
        job, master = self.at_a_terminal("-n", 2, PROBE, "echo")
        os.write(master, b"typed\n")
        job.read_until("^typed$")
        os.write(master, b"\x04")  # Ctrl-D
        self.assertEqual(job.wait(), 0, job.errors)
        self.assertEqual(sorted(job.output.splitlines()), ["a terminal", "rank 1 read 0 bytes", "typed"])

    def test_ctrl_c_at_the_terminal(self):
        for action in ("wait", "stubborn", "parent"):
            job, master = self.at_a_terminal("-n", 3, PROBE, action)
            job.ready(3)
            self.ends(job, 130, r"received signal 2 \(Interrupt\); .*; ending the job",
                      lambda: os.write(master, b"\x03"))

    def test_a_terminal_that_closes_ends_the_job(self):
        # The job leads the terminal's session, as under `ssh -t host weftrun ...`: nobody else passes the signal on.
        for action in ("wait", "stubborn"):
            master, slave = pty.openpty()
            job = self.start("-n", 2, PROBE, action, stdin=slave, preexec_fn=self.own_session)
            os.close(slave)
            job.ready(2)
            self.ends(job, 129, r"received signal 1 \(Hangup\); ending the job", lambda: os.close(master))

    # ---- Output ----

    def test_tagged_lines(self):
        job = self.run_job("-n", 3, "--tag-output", PROBE, "lines")
        self.assertEqual(job.process.returncode, 0, job.errors)
        expected = [f"[{r}] {text}" for r in range(3) for text in (f"whole {r}", f"partial {r}", "", f"unfinished {r}")]
        self.assertEqual(sorted(job.output.splitlines()), sorted(expected))
        self.assertEqual(sorted(job.errors.splitlines()), [f"[{r}] error {r}" for r in range(3)])

    def test_tagged_lines_of_ranks_that_write_much_stay_whole(self):
        ranks, count = 4, 5000
        job = self.run_job("-n", ranks, "--tag-output", PROBE, "flood", count)
        lines = job.output.splitlines()
        for rank in range(ranks):
            mine = [line for line in lines if line.startswith(f"[{rank}] ")]
            self.assertEqual(mine, [f"[{rank}] {rank}: {n} {'x' * (n % 199)}" for n in range(count)])
        self.assertEqual(len(lines), ranks * count)

    def test_tagged_output_keeps_the_diagnosis_and_what_was_written_before(self):
        job = self.run_job("-n", 2, "--tag-output", PROBE, "abort", 1)
        self.assertEqual(job.process.returncode, 134)
        self.assertRegex(job.errors, r"(?m)^\[1\] weft: .*the test wants it$")

    def test_slow_reader_loses_nothing_and_does_not_stop_the_launcher(self):
        job = self.start("-n", 2, "--tag-output", PROBE, "flood", 20000)
        time.sleep(0.3)
        self.assertEqual(job.wait(), 0)
        self.assertEqual(len(job.output.splitlines()), 40000)
        job = self.start("-n", 2, "--tag-output", PROBE, "flood", 1000000)
        time.sleep(0.3)
        began = time.monotonic()
        os.kill(job.pid, signal.SIGINT)
        self.assertEqual(job.process.wait(HANG), 130)
        self.assertLess(time.monotonic() - began, LIMIT)
        job.wait()

    def test_reader_that_goes_away_ends_the_job(self):
        job = self.start("-n", 2, "--tag-output", PROBE, "flood", 1000000)
        job.read_until("^.0. 0: 5 ")
        self.ends(job, 141, None, job.process.stdout.close)
        self.assertEqual(job.errors, "")

    def test_output_that_cannot_be_written_is_told(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            job = self.start("-n", 2, "--tag-output", PROBE, "flood", 1000000, stdout=full)
            self.ends(job, 1, r"cannot write the standard output: No space left on device; ending the job", lambda: 0)

    # ---- Placement ----

    def test_bind_gives_each_rank_its_processor(self):
        allowed = sorted(os.sched_getaffinity(0))[:4]
        job = self.run_job("-n", len(allowed), "--bind", PROBE, "processors")
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertEqual(sorted(job.output.splitlines()), [f"rank {r}: {cpu}" for r, cpu in enumerate(allowed)])

    def test_bind_respects_what_is_allowed(self):
        last = max(os.sched_getaffinity(0))
        restrict = lambda: os.sched_setaffinity(0, {last})
        job = self.run_job("-n", 1, "--bind", PROBE, "processors", preexec_fn=restrict)
        self.assertEqual(job.output, f"rank 0: {last}\n")
        job = self.run_job("-n", 2, "--bind", PROBE, "processors", preexec_fn=restrict)
        self.assert_refused(job, 2, r"--bind: 2 ranks need a processor each, but only 1 is allowed.*")

    # ---- Ranks as threads ----

    def test_threads_are_ranks_of_one_process(self):
        for ranks in (1, 4):
            job = self.run_job("-n", ranks, "--ranks-as=threads", PROBE, "hello")
            self.assertEqual((job.process.returncode, job.errors), (0, ""))
            self.assertEqual(sorted(job.output.splitlines()), [f"rank {rank} of {ranks}" for rank in range(ranks)])

    def test_threads_that_crash(self):
        self.fails(139, r"the process of all 3 ranks \(pid \d+ on .+\) was killed by signal 11 .*; ending the job",
                   3, "segfault", 1, options=["--ranks-as=threads"])

    def test_threads_that_exit(self):
        self.fails(3, r"the process of all 3 ranks .* exited with code 3 before weft_finalize; ending the job",
                   3, "exit", 3, 2, options=["--ranks-as=threads"])
        job = self.run_job("-n", 3, "--ranks-as=threads", PROBE, "weft-exit", 5, 1)
        self.assertEqual(job.process.returncode, 5)
        self.assertEqual(job.errors, "weft: rank 1: error: ends the job with exit code 5\n")

    def test_threads_that_call_exit_after_finalize_are_told_to_return(self):
        for code in (0, 3):
            job = self.run_job("-n", 3, "--ranks-as=threads", PROBE, "exits", code, 1)
            self.assertIn(job.process.returncode, (1, code or 1), job.errors)
            self.assertRegex(job.errors, r"^weft: rank [12]: error: called exit\([03]\), which ends the other ranks, "
                                         r"too: all are threads; return from main instead\n")
            self.assertEqual(job.errors.count("error: "), 1, job.errors)

    def test_a_rank_of_several_in_a_process_that_calls_pthread_exit_ends_the_job(self):
        before = "called pthread_exit() before weft_finalize; return from main instead"
        shared = "called pthread_exit(), but all simulated ranks share a thread; return from main instead"
        for option, action, rank, line in (("--ranks-as=threads", "pthread-exit", 0, before),
                                           ("--ranks-as=threads", "pthread-exit", 1, before),
                                           ("--sim=flat", "pthread-exit", 0, before),
                                           ("--sim=flat", "pthread-exit", 1, shared),
                                           ("--sim=flat", "late-pthread-exit", 1, shared)):
            job = self.run_job("-n", 3, option, PROBE, action, rank)
            self.assertEqual(job.process.returncode, 1, job.errors)
            self.assertTrue(job.errors.startswith(f"weft: rank {rank}: error: {line}\n"), job.errors)
            self.assertEqual(job.errors.count("error: "), 1, job.errors)

    def test_threads_are_bound(self):
        allowed = sorted(os.sched_getaffinity(0))[:2]
        job = self.run_job("-n", len(allowed), "--ranks-as=threads", "--bind", PROBE, "processors")
        self.assertEqual((job.process.returncode, job.errors), (0, ""))
        self.assertEqual(sorted(job.output.splitlines()), [f"rank {r}: {cpu}" for r, cpu in enumerate(allowed)])

    # ---- What a rank takes ----

    def test_weft_info_tells_the_memory_of_a_rank(self):
        def info(*arguments):
            return subprocess.run([os.path.join(os.path.dirname(WEFTRUN), "weft-info"), *arguments], text=True,
                                  env=self.environment, capture_output=True, timeout=LIMIT, check=False)
        done = info("--memory", "-n", "1024", "--hosts", "256")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, "1,?024")
        self.environment["WEFT_CONDUIT"] = "sim"
        done = info("--memory", "-n", "4096")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\AMemory of a rank of 4096 .*\n  at least 32 KiB, .*\n.*\n\Z")
        del self.environment["WEFT_CONDUIT"]
        for arguments, line in (([], "--memory needs -n and a number of ranks"),
                                (["-n"], "-n needs a value"),
                                (["-n", "0"], "-n needs a number from 1 to 1048576, not '0'"),
                                (["-n", "many"], "-n needs a number from 1 to 1048576, not 'many'"),
                                (["-n", "8", "--hosts", "9"], "--hosts needs a number from 1 to 8, not '9'"),
                                (["-n", "8", "--frobnicate", "1"], "unknown or misused option --frobnicate"),
                                (["-n", "8", "--network"], "give one of --settings, --conduits, --network and"),
                                (["-n", "8", "more"], "unknown argument 'more'")):
            done = info("--memory", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertTrue(done.stderr.startswith("weft-info: " + line), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_values_of_options_are_read_one_by_one(self):
        for options, line in ((["--sim="], "--sim needs a platform, as in --sim flat"),
                              (["--hosts="], "--hosts : '' is not the name of a host"),
                              (["--hosts=::1"], "--hosts ::1: '::1' is not the name of a host; an address of IPv6 "),
                              (["-n", "many", "-n", "1"], "-n many: the number of ranks must be"),
                              (["--host-timeout", "1", "--host-timeout", "5"], "--host-timeout 1: give")):
            job = self.run_job("-n", 1, *options, PROBE, "hello")
            self.assertEqual((job.process.returncode, job.output), (2, ""), options)
            self.assertTrue(job.errors.startswith("weftrun: " + line), job.errors)
        job = self.run_job("-n", 1, "--sim", "flat", "--sim-fault=", PROBE, "hello")
        self.assertEqual((job.process.returncode, job.output), (0, "rank 0 of 1\n"), job.errors)

    # ---- Simulated ranks ----

    SUMMARY = (r"^weft: simulated (\d+\.\d{9}) s of (\d+) ranks: (\d+) messages, .+; platform (\w+): .+; "
               r"compute (?:free|measured|model)(?:; faults \S+)?; seed (\d+)$")

    def simulated(self, ranks, *arguments, platform="flat", options=()):
        return self.run_job("-n", ranks, "--sim", platform, *options, PROBE, *arguments)

    def test_simulated_ranks_say_what_was_simulated(self):
        for ranks in (1, 64):
            job = self.simulated(ranks, "hello")
            self.assertEqual(job.process.returncode, 0, job.errors)
            self.assertEqual(sorted(job.output.splitlines()), sorted(f"rank {r} of {ranks}" for r in range(ranks)))
            summary = re.fullmatch(self.SUMMARY, job.errors.strip())
            self.assertIsNotNone(summary, job.errors)
            self.assertEqual(summary.groups()[1:2] + summary.groups()[3:], (str(ranks), "flat", "1"))

    def test_simulations_with_one_seed_are_the_same(self):
        for platform in ("bgp", "gemini"):
            runs = [self.simulated(16, "collective", platform=platform, options=["--sim-seed", 7]) for _ in range(2)]
            self.assertEqual([run.process.returncode for run in runs], [0, 0], runs[0].errors)
            self.assertEqual(runs[0].errors, runs[1].errors)
            self.assertRegex(runs[0].errors.strip(), self.SUMMARY)

    def test_traces_of_simulated_hosts_have_one_origin_and_are_the_same_again(self):
        texts = []
        with tempfile.TemporaryDirectory() as folder:
            self.environment["WEFT_TRACE"] = trace = os.path.join(folder, "trace.json")
            for _ in range(2):
                job = self.simulated(4, "collective", options=["--sim-per-host", "1"])
                self.assertEqual(job.process.returncode, 0, job.errors)
                with open(trace, encoding="utf-8") as file:
                    texts.append(file.read())
        starts = [event["args"]["monotonic_ns"] for event in json.loads(texts[0]) if event["name"] == "start"]
        self.assertEqual(starts, [1_000_000_000] * 4)
        self.assertEqual(*texts)

    def test_a_loop_that_polls_in_vain_is_one_event_of_a_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            self.environment["WEFT_TRACE"] = trace = os.path.join(folder, "trace.json")
            job = self.simulated(2, "poll", 10**8)
            self.assertEqual(job.process.returncode, 0, job.errors)
            with open(trace, encoding="utf-8") as file:
                events = json.load(file)
        for rank in range(2):
            polls = [event["dur"] for event in events if event["name"] == "progress" and event["pid"] == rank]
            self.assertLess(len(polls), 20)
            self.assertAlmostEqual(max(polls), 10**5, delta=200)

    def test_ranks_of_a_process_that_cannot_write_the_trace_say_so_once(self):
        with tempfile.TemporaryDirectory() as folder:
            self.environment["WEFT_TRACE"] = trace = os.path.join(folder, "trace.json")
            job = Job(["sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh", WEFTRUN, "-n", "8", "--sim", "flat",
                       PROBE, "collective"], self.environment)
            self.assertEqual(job.wait(), 98, job.errors)  # weft_finalize() failed
        lines = [line for line in job.errors.splitlines() if "trace" in line]
        self.assertEqual(len(lines), 1, job.errors)
        self.assertIn(f"error: cannot write the trace file {trace} (WEFT_TRACE): File too large", lines[0])

    def test_the_links_of_a_simulated_network_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "links.json")
            self.environment["WEFT_SIM_LINKS"] = path
            job = self.simulated(16, "collective", platform="bgp")
            self.assertEqual(job.process.returncode, 0, job.errors)
            summary = re.fullmatch(self.SUMMARY, job.errors.strip())
            self.assertIsNotNone(summary, job.errors)
            with open(path, encoding="utf-8") as file:
                links = json.load(file)
            self.assertIs(links["simulated"], True)
            self.assertEqual(links["messages"], int(summary[3]))
            self.assertAlmostEqual(links["seconds"], float(summary[1]), delta=1e-9)
            self.assertEqual([group["name"] for group in links["links"]], ["x+", "x-", "y+", "y-", "z+", "z-"])
            self.assertGreater(sum(sum(filter(None, group["bytes"])) for group in links["links"]), 0)

    def test_a_links_file_that_cannot_be_written_fails_the_job(self):
        for path, code, why in (("/nowhere/links.json", 2, "No such file or directory"), ("/tmp", 2, "Is a directory"),
                                ("/dev/full", 1, "No space left on device")):
            self.environment["WEFT_SIM_LINKS"] = path
            job = self.simulated(4, "hello", platform="bgp")
            self.assertEqual(job.process.returncode, code, job.errors)
            self.assertEqual(job.output == "", code == 2, job.output)
            self.assertIn(f"error: cannot write the file of WEFT_SIM_LINKS, {path}: {why}\n", job.errors)

    def test_the_last_line_says_how_a_job_was_simulated(self):
        for options, line in ((["--sim-compute", "measured"], "compute measured; seed 1"),
                              (["--sim-data", "none"], "compute free; seed 1"),  # the program has dropped nothing
                              (["--sim-fault", "slow=h0:4,seed=3"], "compute free; faults slow=h0:4,seed=3; seed 1")):
            job = self.simulated(2, "hello", options=options)
            self.assertEqual(job.process.returncode, 0, job.errors)
            self.assertTrue(job.errors.endswith(f"; {line}\n"), job.errors)

    def test_simulated_ranks_that_end_the_job(self):
        self.fails(3, r"the process of all 3 ranks .* exited with code 3 before weft_finalize; ending the job",
                   3, "exit", 3, 2, options=["--sim", "flat"])
        job = self.run_job("-n", 3, "--sim", "flat", PROBE, "weft-exit", 5, 1)
        self.assertEqual(job.process.returncode, 5)
        self.assertEqual(job.errors, "weft: rank 1: error: ends the job with exit code 5\n")
        for action in ("late-exit", "late-weft-exit"):
            job = self.simulated(3, action, 4, 2)
            self.assertEqual((job.process.returncode, job.output.count("done")), (4, 2), job.errors)

    def test_simulated_ranks_that_call_exit_after_finalize_end_as_by_return(self):
        for code, rank in ((0, 0), (5, 0), (5, 2)):
            for options, processes in ((["--sim", "flat"], 1), ([], 3)):
                job = self.run_job("-n", 3, *options, PROBE, "exits", code, rank)
                self.assertEqual(job.process.returncode, code, job.errors)
                self.assertEqual(sorted(job.output.split()), ["bye"] * processes + ["done"] * 3)

    def test_thread_local_objects_of_each_rank_are_destroyed_at_its_end(self):
        program = os.path.join(os.path.dirname(PROBE), "launch_thread_objects")
        expected = [f"rank {rank}: the {which} of two that each rank has"
                    for rank in range(5) for which in ("later", "first")]
        for options in (["--sim", "flat"], ["--sim", "flat", "--sim-fault", "schedule"], []):
            job = self.run_job("-n", 5, *options, program)
            self.assertEqual((job.process.returncode, "error" in job.errors), (0, False), job.errors)
            self.assertEqual(sorted(job.output.splitlines(), key=lambda line: line.split(":")[0]), expected)

    def test_statically_linked_programs_are_simulated(self):
        job = self.run_job("-n", 3, "--sim", "flat", PROBE + "_static", "hello")
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertEqual(sorted(job.output.splitlines()), [f"rank {rank} of 3" for rank in range(3)])

    def test_simulated_ranks_in_a_deadlock_are_named(self):
        job = self.simulated(8, "deadlock", 3)
        self.assertEqual(job.process.returncode, 1, job.errors)
        self.assertRegex(job.errors, r"error: deadlock: nothing is under way, and all ranks wait: "
                                     r"ranks 0-2, 4-7 in weft_barrier; rank 3 in weft_signal_wait\n")

    def test_simulated_ranks_that_poll_for_ever_are_named(self):
        for fault in ([], ["--sim-fault", "schedule,seed=7"]):
            job = self.simulated(4, "polls", 3, options=fault)
            self.assertEqual(job.process.returncode, 1, job.errors)
            self.assertRegex(job.errors, r"error: deadlock: nothing is under way, and all ranks wait: "
                                         r"rank 3 in weft_barrier; ranks 0-2 in weft_signal_test\n")

    def test_a_simulated_job_that_ends_early_writes_all_that_was_asked_for(self):
        for options, action, line in (([], ["deadlock", 3], "error: deadlock: "),
                                      (["--sim-fault", "dead=h1@1ms"], ["barriers"], "error: host h1 does not")):
            with self.subTest(action=action), tempfile.TemporaryDirectory() as folder:
                trace, links = os.path.join(folder, "trace.json"), os.path.join(folder, "links.json")
                self.environment.update(WEFT_TRACE=trace, WEFT_SIM_LINKS=links, WEFT_STATS="1")
                job = self.simulated(4, *action, options=options)
                self.assertEqual(job.process.returncode, 1, job.errors)
                self.assertIn(line, job.errors)
                self.assertRegex(job.errors, r"weft: simulated \d+\.\d{9} s so far of 4 ranks: ")
                self.assertIn("weft statistics, rank 0\n", job.errors)
                with open(trace, encoding="utf-8") as file:
                    self.assertNotEqual(json.load(file), [])
                with open(links, encoding="utf-8") as file:
                    self.assertIs(json.load(file)["simulated"], True)

    def test_a_killed_simulation_leaves_no_links_of_an_earlier_job(self):
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as links:
            links.write("{}")
            links.flush()
            self.environment["WEFT_SIM_LINKS"] = links.name
            self.assertEqual(self.simulated(3, "exit", 3, 2).process.returncode, 3)
            self.assertEqual(os.path.getsize(links.name), 0)

    def test_a_simulated_rank_that_computes_for_long_is_named(self):
        self.environment["WEFT_SIM_WATCH"] = "0.2"
        job = self.simulated(4, "spin", 2)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertRegex(job.errors, r"simulated rank 2 has computed for \d+ s by the clock without waiting in Weft")

    def test_a_simulated_rank_that_spins_without_weft_ends_the_job(self):
        self.environment["WEFT_SIM_WATCH"] = "0.02"
        alone = self.simulated(1, "spin", 0)  # waits for nobody
        self.assertEqual(alone.process.returncode, 0, alone.errors)
        job = self.simulated(4, "spin", 2)
        self.assertEqual(job.process.returncode, 1, job.errors)
        self.assertRegex(job.errors, r"error: simulated rank 2 has computed for \d+ s of processor time without "
                                     r"waiting in Weft; the job ends, .* raise WEFT_SIM_WATCH, or set 0\n")

    def test_threads_of_simulated_ranks_are_refused(self):
        job = self.simulated(4, "thread", 1)
        self.assertEqual(job.process.returncode, 1, job.errors)
        self.assertIn("simulated ranks have no threads of their own\n", job.errors)
        self.environment["WEFT_PROGRESS"] = "thread"
        job = self.simulated(4, "hello")
        self.assertEqual((job.process.returncode, job.output), (2, ""), job.errors)
        self.assertIn("WEFT_PROGRESS is 'thread', but simulated ranks have no threads of their own", job.errors)

    def test_a_simulated_rank_with_a_full_stack_is_named(self):
        for action in ("overflow", "large-frame"):
            job = self.simulated(4, action, 2)
            self.assertEqual(job.process.returncode, 139, job.errors)
            self.assertIn("error: simulated rank 2 has used up its stack of 1024 KiB; raise WEFT_SIM_STACK\n",
                          job.errors)
        self.environment["WEFT_SIM_STACK"] = "8M"
        job = self.simulated(4, "large-frame", 2)
        self.assertEqual(job.process.returncode, 0, job.errors)

    def test_too_little_address_space_for_simulated_ranks_names_what_to_raise(self):
        job = Job(["sh", "-c", "ulimit -v 60000000; exec \"$@\"", "sh", WEFTRUN, "-n", "4096", "--sim", "flat", PROBE,
                   "hello"], self.environment)
        self.assertEqual(job.wait(), 99, job.errors)
        self.assertIn("; raise ulimit -v: a rank takes 17.0 MiB of address space, ", job.errors)

    def test_settings_of_a_simulation_without_one_are_warned_of(self):
        for variables, named in (({"WEFT_SIM_FAULT": "drop=0.5"}, "WEFT_SIM_FAULT"),
                                 ({"WEFT_SIM_FAULT": "", "WEFT_SIM_PLATFORM": "bgp"}, "WEFT_SIM_PLATFORM")):
            self.environment.update(variables)
            for options in ([], ["--ranks-as=threads"]):
                job = self.run_job("-n", 2, *options, PROBE, "hello")
                self.assertEqual(job.process.returncode, 0, job.errors)
                self.assertEqual(job.errors, f"weft: rank 0: warning: {named} set, but this job is not simulated: "
                                             "weftrun --sim PLATFORM simulates\n")
        self.assertNotIn("not simulated", self.simulated(2, "hello").errors)

    def test_what_cannot_be_simulated_is_refused(self):
        for options, variables, pattern in (
                (["--sim", "flatt"], {}, r"there is no platform 'flatt'; did you mean flat\?"),
                (["--sim", "none.json"], {}, r"none\.json"),
                (["--sim", "flat", "--sim-compute", "x"], {},
                 r"WEFT_SIM_COMPUTE is 'x', expected free, measured or model"),
                (["--sim", "flat", "--sim-seed", "x"], {}, r"WEFT_SIM_SEED is 'x'"),
                (["--sim", "flat"], {"WEFT_SIM_STACK": "4K"}, r"WEFT_SIM_STACK is 4 KiB; a rank needs at least 64K"),
                (["--sim", "flat"], {"WEFT_SIM_WATCH": "-1"}, r"WEFT_SIM_WATCH is -1; it must be from 0 \(never\)"),
                (["--sim", "flat"], {"WEFT_SIM_WATCH": "1e300"}, r"it must be from 0 \(never\) to 1000000 s"),
                (["--sim", "flat"], {"WEFT_SIM_SPEED": "0"}, r"WEFT_SIM_SPEED is 0; it must be above 0"),
                (["--sim", "flat"], {"WEFT_SIM_SPEED": "1e300"}, r"it must be above 0 and at most 1000000"),
                (["--sim", "flat"], {"WEFT_SIM_DATA": "x"}, r"WEFT_SIM_DATA is 'x', expected exact, early or none"),
                (["--sim", "flat"], {"WEFT_CONDUIT": "smp"}, None)):
            before = dict(self.environment)
            self.environment.update(variables)
            job = self.run_job("-n", 4, *options, PROBE, "hello")
            self.environment = before
            if pattern is None:  # the option counts
                self.assertEqual(job.process.returncode, 0, job.errors)
                continue
            self.assertEqual((job.process.returncode, job.output), (2, ""), job.errors)
            self.assertRegex(job.errors, pattern)
            self.assertEqual(job.errors.count("error: "), 1, job.errors)
        self.environment["WEFT_CONDUIT"] = "sim"
        job = self.probe(2, "hello")
        self.assertEqual(job.process.returncode, 99, job.errors)
        self.assertIn("WEFT_CONDUIT=sim is for simulated jobs: start with weftrun --sim PLATFORM", job.errors)

    @unittest.skipIf(os.geteuid() != 0, "needs root, to show the job another /proc/meminfo")
    def test_too_little_memory_for_simulated_ranks_is_said_before_the_start(self):
        for kib, refused in ((2047, True), (64 << 10, False)):
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(f"MemAvailable: {kib} kB\n")
                file.flush()
                command = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /proc/meminfo && exec "$@"', file.name,
                           WEFTRUN, "--sim", "flat", "-n", "64", PROBE, "hello"]
                done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=HANG,
                                      check=False)
            if done.stderr.split(":")[0] in ("mount", "unshare"):
                self.skipTest(done.stderr)
            self.assertEqual(done.returncode, 99 if refused else 0, done.stderr)
            if refused:
                self.assertIn("64 simulated ranks take at least 2 MiB (2097152 bytes) of memory, and this machine has",
                              done.stderr)
                self.assertEqual(done.stdout, "")

    # ---- Simulated faults ----

    FAULTS = "delay=0.2:20us,drop=0.05,retry=0.2,reorder,schedule"

    def under_faults(self, faults, *arguments, ranks=4):
        """On hosts of one rank each, so that there are some to lose."""
        return self.simulated(ranks, *arguments, options=["--sim-per-host", 1, "--sim-fault", faults])

    def test_simulated_faults_replay_from_their_seed(self):
        runs = [self.under_faults(f"{self.FAULTS},seed={seed}", "collective") for seed in (7, 7, 8)]
        self.assertEqual([run.process.returncode for run in runs], [0, 0, 0], runs[0].errors)
        self.assertEqual(runs[0].errors, runs[1].errors)
        self.assertNotEqual(runs[0].errors, runs[2].errors)

    def test_wrong_simulated_faults_are_refused(self):
        for faults, pattern in (("delai=0.1:5us", r"there is no 'delai'; did you mean delay\?"),
                                ("drop=2", r"drop is '2', expected a probability from 0 to below 1"),
                                ("dead=h4@1ms", r"there is no host h4: this job has 4, h0 to h3")):
            job = self.under_faults(faults, "hello")
            self.assertEqual((job.process.returncode, job.output), (2, ""), job.errors)
            self.assertRegex(job.errors, r"error: setting WEFT_SIM_FAULT \(--sim-fault\): " + pattern)

    def test_a_simulated_job_that_fails_under_faults_says_how_to_replay_it(self):
        self.environment["WEFT_CHECK"] = "1"
        job = self.under_faults("delay=0.1:1us,seed=5", "exit", 3, 2)
        self.assertEqual(job.process.returncode, 3, job.errors)
        self.assertRegex(job.errors, r"weftrun: replay: .*WEFT_CHECK=1 .*weftrun -n 4 --sim flat --sim-per-host 1 "
                                     r"--sim-fault delay=0.1:1us,seed=5 \S+ exit 3 2\n")
        self.assertNotIn("replay", self.simulated(4, "exit", 3, 2).errors)

    def test_a_wrong_setting_of_a_simulation_is_a_wrong_command_line(self):
        for ranks, platform, options, said in (
                (2, "flat", ["--sim-fault", "dalay=0.1:20us"], r"there is no 'dalay'; did you mean delay\?"),
                (2, "flat", ["--sim-fault", "slow=h5:2"], r"h5"), (2, "bgpp", [], r"there is no platform 'bgpp'"),
                (2, "flat", ["--sim-compute", "some"], r"WEFT_SIM_COMPUTE"),
                (2, "flat", ["--sim-data", "some"], r"WEFT_SIM_DATA"),
                (2, "bgp", ["--sim-per-host", "5"], r"4 cores per node, too few for 5 ranks"),
                (2, "bgp", ["--sim-per-host", "0"], r"WEFT_SIM_RANKS_PER_HOST \(--sim-per-host\) is 0"),
                (16385, "bgp", [], r"16385 ranks need 4097")):
            job = self.simulated(ranks, "hello", platform=platform,
                                 options=[*options, *([] if "--sim-fault" in options else ["--sim-fault", "seed=1"])])
            self.assertEqual((job.process.returncode, job.output), (2, ""), job.errors)
            self.assertRegex(job.errors, r"\Aweft: error: .*" + said + r".*\n\Z")

    def test_a_wrong_variable_of_a_simulation_is_a_wrong_command_line(self):
        for name, value, said in (("WEFT_COLL", "broadcast=bush", "WEFT_COLL has 'broadcast=bush': broadcast has no "),
                                  ("WEFT_SIM_STACK", "100T", "WEFT_SIM_STACK is 100 TiB; a rank of 2 can have 32 TiB"),
                                  ("WEFT_SIM_STACK", "4K", "WEFT_SIM_STACK is 4 KiB; a rank needs at least 64K")):
            self.environment[name] = value
            job = self.simulated(2, "hello")
            self.assertEqual((job.process.returncode, job.output), (2, ""), job.errors)
            self.assertRegex(job.errors, rf"\Aweft: error: setting {said}.*\n\Z")
            del self.environment[name]

    def test_a_model_of_computation_that_nobody_tells_is_warned_of(self):
        job = self.simulated(2, "hello", platform="bgp", options=["--sim-compute", "model"])
        self.assertRegex(job.errors, r"weft: .*warning: --sim-compute is model, but no rank called weft_sim_compute")
        self.assertIn("; compute model; seed 1\n", job.errors)
        with tempfile.TemporaryDirectory() as folder:
            self.environment["WEFT_TRACE"] = trace = os.path.join(folder, "trace.json")
            job = self.simulated(2, "compute", platform="bgp", options=["--sim-compute", "model"])
            self.assertRegex(job.errors.strip(), self.SUMMARY)
            with open(trace, encoding="utf-8") as file:
                spans = [event for event in json.load(file) if event["name"] == "weft_sim_compute"]
        self.assertEqual(sorted(span["pid"] for span in spans), [0, 1])
        self.assertGreater(min(span["dur"] for span in spans), 1000)

    def test_parts_of_a_nanosecond_that_ranks_compute_add_up(self):
        took = []
        for calls in (1, 10**6):  # on bgp ten operations take 2.94 ns
            job = self.simulated(2, "compute", calls, platform="bgp", options=["--sim-compute", "model"])
            self.assertEqual(job.process.returncode, 0, job.errors)
            took.append(float(re.search(r"simulated ([0-9.]+) s", job.errors)[1]))
        self.assertAlmostEqual(took[0], took[1], delta=1e-8)

    def test_the_clock_of_simulated_ranks_never_goes_back(self):
        job = self.simulated(3, "clock")
        self.assertEqual(job.process.returncode, 0, job.errors)
        times = [[int(word) for word in line.split()] for line in job.output.splitlines()]
        self.assertEqual(len(times), 3, job.output)
        for before, within, after in times:
            self.assertEqual(before, 10**9)
            self.assertLessEqual(before, within)
            self.assertLess(within, after)
            self.assertLess(after, 1.1 * 10**9)

    def test_different_collectives_over_hardware_end_the_job(self):
        one = r"a (broadcast of 8 bytes from rank \d|reduction of 8 bytes)"
        said = rf"weft: .*error: rank \d is in {one}, rank \d in {one}; all ranks must call the same collectives"
        for arguments in (("collectives", 2), ("roots",)):
            job = self.simulated(8, *arguments, platform="bgp", options=["--sim-per-host", "1"])
            self.assertEqual(job.process.returncode, 1, job.errors)
            self.assertRegex(job.errors, said + r" in the same order \(WEFT_CHECK=1 shows where\)\n")

    def test_missing_data_that_no_rank_wants_is_warned_of(self):
        job = self.simulated(2, "hello", options=["--sim-data", "none"])
        self.assertRegex(job.errors, r"\Aweft: [^\n]*warning: --sim-data is none, but no rank called weft_sim_drop_data"
                                     r"[^\n]*\nweft: simulated [^\n]*\n\Z")

    def test_simulated_faults_leave_deadlocks_exact(self):
        job = self.under_faults(self.FAULTS, "deadlock", 3, ranks=8)
        self.assertEqual(job.process.returncode, 1, job.errors)
        self.assertRegex(job.errors, r"deadlock: .*: ranks 0-2, 4-7 in weft_barrier; rank 3 in weft_signal_wait\n")

    def test_a_simulated_host_that_is_lost_ends_the_job(self):
        whole = self.under_faults("seed=1", "collective").errors
        span_us = 1.3 * 1e6 * float(re.match(self.SUMMARY, whole.strip()).group(1))
        ends = {"dead": r"host h2 does not answer any more \(nothing heard for 10 seconds\); ending the job\n",
                "cut": r"rank \d: error: lost contact with rank \d: nothing acknowledged for 20 s "
                       r"\(host h2 is cut off\)\n"}
        for kind, line in ends.items():
            codes = []
            for moment in range(25):
                job = self.under_faults(f"{kind}=h2@{int(span_us * 1000 * moment / 25)}ns", "collective")
                codes.append(job.process.returncode)
                if codes[-1] == 0:
                    self.assertRegex(job.errors.strip(), self.SUMMARY)
                    continue
                self.assertEqual(codes[-1], 1, job.errors)
                self.assertRegex(job.errors, line)
            # Early moments end the job, and those after its end change nothing.
            self.assertEqual((codes[0], codes[-1]), (1, 0), codes)
            self.assertEqual(codes, sorted(codes, reverse=True))

    def interrupted_simulation(self):
        job = Job([WEFTRUN, "-n", "4", "--sim", "flat", PROBE, "barriers"], self.environment)
        job.ready(4)
        job.process.send_signal(signal.SIGINT)
        job.wait()
        self.assertEqual(job.process.returncode, 130, job.errors)
        self.assertRegex(job.errors, r"weft: simulated \d+\.\d{9} s so far of 4 ranks: \d+ messages, ")
        return job

    def test_an_interrupted_simulation_reports_so_far(self):
        self.interrupted_simulation()

    def test_an_interrupted_simulation_writes_all_that_was_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, links = os.path.join(folder, "trace.json"), os.path.join(folder, "links.json")
            self.environment.update(WEFT_TRACE=trace, WEFT_SIM_LINKS=links, WEFT_STATS="1", WEFT_BACKTRACE="1")
            job = self.interrupted_simulation()
            self.assertRegex(job.errors, r"error: SIGTERM: ranks? [-0-9, ]+ (not )?waiting in .*weft_barrier.*; "
                                         r"backtrace")
            for rank in range(4):
                self.assertRegex(job.errors, rf"weft statistics, rank {rank}\n")
            with open(trace, encoding="utf-8") as file:
                barriers = [event["pid"] for event in json.load(file) if event["name"] == "weft_barrier"]
            self.assertEqual(set(barriers), set(range(4)))
            with open(links, encoding="utf-8") as file:
                self.assertIs(json.load(file)["simulated"], True)

    def test_an_interrupted_simulation_says_what_it_cannot_write(self):
        with tempfile.TemporaryDirectory() as folder:
            self.environment["WEFT_TRACE"] = trace = os.path.join(folder, "trace.json")
            job = Job([WEFTRUN, "-n", "2", "--sim", "flat", PROBE, "wait"], self.environment)
            job.ready(1)  # and now it sleeps, outside of Weft
            job.process.send_signal(signal.SIGINT)
            self.assertEqual(job.wait(), 130, job.errors)
            self.assertRegex(job.errors, r"weftrun: a simulated rank computes without calling Weft, or writes: the "
                                         rf"line so far is missing, and so are, or are incomplete: the trace {trace}\n")

    def test_an_interrupted_simulation_that_writes_for_long_is_not_said_to_compute(self):
        with tempfile.TemporaryDirectory() as folder:
            self.environment["WEFT_SIM_LINKS"] = links = os.path.join(folder, "links")
            os.mkfifo(links)  # the report waits for somebody who reads it
            job = self.start("-n", 4, "--sim", "bgp", PROBE, "barriers")
            job.ready(4)
            job.process.send_signal(signal.SIGINT)
            self.assertEqual(job.wait(), 130, job.errors)
            self.assertIn(" s so far of 4 ranks: ", job.errors)
            self.assertIn("weftrun: the job was killed while it wrote for more than 10 s; missing or incomplete: "
                          f"the links file {links}\n", job.errors)

    def test_a_rank_that_computes_leaves_an_empty_trace_and_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            self.environment["WEFT_TRACE"] = trace = os.path.join(folder, "trace.json")
            job = self.start("-n", 2, PROBE, "wait")
            job.ready(2)
            self.ends(job, 130, r"received signal 2 .*", lambda: os.kill(job.pid, signal.SIGINT))
            for rank in range(2):
                self.assertRegex(job.errors, rf"weft: rank {rank}: error: SIGTERM while not waiting in Weft "
                                             r"\(last call: weft_barrier\); this rank's trace is not written\n")
            with open(trace, encoding="utf-8") as file:
                self.assertEqual(json.load(file), [])

    def test_a_second_interrupt_ends_a_simulation_that_reports(self):
        settings = {"WEFT_RANKS_AS": "simulated", "WEFT_THREADS_SIZE": "4", "WEFT_CONDUIT": "sim",
                    "WEFT_SIM_PLATFORM": "bgp"}
        with tempfile.TemporaryDirectory() as folder:
            links = os.path.join(folder, "links")
            os.mkfifo(links)  # the report waits for somebody who reads it
            job = Job([PROBE, "barriers"], {**self.environment, **settings, "WEFT_SIM_LINKS": links})
            job.ready(4)
            job.process.send_signal(signal.SIGINT)
            while " s so far of 4 ranks: " not in job.errors:
                piece = os.read(job.process.stderr.fileno(), 65536).decode()
                self.assertNotEqual(piece, "", job.errors)
                job.errors += piece
            time.sleep(0.3)
            self.assertIsNone(job.process.poll(), job.errors)
            began = time.monotonic()
            job.process.send_signal(signal.SIGINT)
            self.assertEqual(job.wait(), -signal.SIGINT, job.errors)
            self.assertLess(time.monotonic() - began, LIMIT)

    # ---- Other launchers ----

    def with_launcher(self, launcher, *arguments):
        began = time.monotonic()
        job = Job([*launcher, *map(str, arguments)], self.environment)
        job.wait()
        self.assertLess(time.monotonic() - began, HANG)
        return job

    def check_launcher(self, launcher, passes_codes_on):
        program = next((path for path in map(shutil.which, launcher.pop(0)) if path), None)
        self.assertIsNotNone(program, "the launcher is not installed")
        for ranks in (1, 2, 4):
            job = self.with_launcher([program, *launcher], "-n", ranks, PROBE, "hello")
            self.assertEqual(job.process.returncode, 0, job.errors + job.output)
            self.assertEqual(sorted(job.output.splitlines()), [f"rank {rank} of {ranks}" for rank in range(ranks)])
        for arguments, code in ((("weft-exit", 5, 1), 5), (("exit", 3, 1), 3), (("segfault", 1), 139)):
            job = self.with_launcher([program, *launcher], "-n", 2, PROBE, *arguments)
            told = f"{arguments}: {job.errors} {job.output}"
            if passes_codes_on or arguments[0] == "weft-exit":
                self.assertEqual(job.process.returncode, code, told)
            else:
                self.assertNotEqual(job.process.returncode, 0, told)
        # Not every launcher says so itself.
        job = self.with_launcher([program, *launcher], "-n", 2, PROBE, "no-finalize", 1)
        self.assertNotEqual(job.process.returncode, 0)
        self.assertRegex(job.errors + job.output, r"weft: rank 1: error: the program ends without weft_finalize; "
                                                  r"ending the job")
        # A launcher inside the launcher: an independent job.
        job = self.with_launcher([program, *launcher], "-n", 1, WEFTRUN, "-n", 2, PROBE, "hello")
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertEqual(sorted(job.output.splitlines()), ["rank 0 of 2", "rank 1 of 2"])

    def test_open_mpi_mpirun(self):
        self.check_launcher([["mpirun.openmpi", "mpirun"], "--oversubscribe"], passes_codes_on=True)

    def test_mpich_mpiexec(self):
        # It may give the code of a rank that it has killed itself, 9, instead of that of the rank that failed first.
        self.check_launcher([["mpiexec.mpich", "mpiexec.hydra"]], passes_codes_on=False)

    def check_beside_mpi(self, launchers, mpi, mpi_size):
        """Weft and MPI in one process, begun and ended in both orders, as 2 ranks; MPI sees `mpi_size` in a job."""
        program = os.path.join(os.path.dirname(PROBE), "launch_mixed_" + mpi)
        for orders in (["mpi-first"], ["weft-first"], ["mpi-first", "ends-first"], ["weft-first", "ends-first"]):
            job = Job([*launchers, "-n", "2", program, *orders], self.environment)
            self.assertEqual(job.wait(), 0, job.errors + job.output)
            # The daemon that Open MPI starts for a process without mpirun crashes now and then when it ends, and says
            # so in lines of the form "[host:pid] ...". A rank that crashed would have failed the job.
            errors = [line for line in job.errors.splitlines() if not re.match(r"\[[^:\]]+:\d+\] ", line)]
            self.assertEqual(errors, [])
            expected = [f"MPI {rank % mpi_size} of {mpi_size}, Weft {rank} of 2, sum {mpi_size - 1}" for rank in (0, 1)]
            self.assertEqual(sorted(job.output.splitlines()), expected)

    def test_weft_beside_mpich_under_mpiexec(self):
        self.check_beside_mpi([shutil.which("mpiexec.mpich")], "mpich", 2)

    def test_weft_beside_mpich_under_weftrun(self):
        self.check_beside_mpi([WEFTRUN], "mpich", 2)

    def test_ranks_end_with_an_mpirun_that_is_killed(self):
        if shutil.which("mpirun.openmpi") is None:
            self.skipTest("no mpirun.openmpi")
        job = Job(["mpirun.openmpi", "--oversubscribe", "-n", "2", PROBE, "wait"], self.environment)
        pids = job.ready(2)
        os.kill(job.pid, signal.SIGKILL)
        job.wait()
        end = time.monotonic() + HANG
        while [pid for pid in pids if state_of(pid) not in ("X", "Z")]:
            self.assertLess(time.monotonic(), end, "a rank is still running")
            time.sleep(0.01)

    def test_weft_beside_open_mpi_under_mpirun(self):
        self.check_beside_mpi([shutil.which("mpirun.openmpi"), "--oversubscribe"], "ompi-c", 2)

    def test_weft_beside_open_mpi_under_weftrun(self):
        self.check_beside_mpi([WEFTRUN], "ompi-c", 1)

    def test_no_launcher_is_a_job_of_one(self):
        job = Job([PROBE, "hello"], self.environment)
        self.assertEqual((job.wait(), job.output), (0, "rank 0 of 1\n"))
        job = Job([PROBE, "no-finalize", "0"], self.environment)
        self.assertEqual(job.wait(), 1)
        self.assertRegex(job.errors, r"^weft: rank 0: error: the program ends without weft_finalize; ending the job\n$")


def read_command(pid):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
    return ""


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
        return int(stat.read().rpartition(")")[2].split()[1])


if __name__ == "__main__":
    script_tests.main(LaunchTest, 2)
