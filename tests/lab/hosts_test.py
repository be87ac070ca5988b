#!/usr/bin/env python3
"""Tests of starting jobs on several hosts: weftrun and the launchers of others. See support.py for how to run them.

After each test no rank, agent or launcher may run any more on any host.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support  # pylint: disable=wrong-import-position
from jobs import GONE, Job, JobTest  # pylint: disable=wrong-import-position


def inner_processes(pid):
    """The children of a process."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


class HostsTest(JobTest):
    def setUp(self):
        super().setUp()
        self.probe = os.path.join(support.BIN, "boot_probe")

    # ---- Jobs that end in order ----

    def test_ranks_are_spread_over_the_hosts_and_meet(self):
        self.up(4)
        job = self.run_job("-n", 10, self.probe, "hello")
        self.assertEqual((job.process.returncode, job.errors), (0, ""))
        hosts = ["h1"] * 3 + ["h2"] * 3 + ["h3"] * 2 + ["h4"] * 2
        expected = [f"rank {i} of 10 on {hosts[i]}, next on {hosts[(i + 1) % 10]}" for i in range(10)]
        self.assertEqual(sorted(job.output.splitlines()), sorted(expected))

    def test_slots_are_filled_in_order(self):
        self.up(3)
        job = self.run_job("--hosts", "h3:1,h1:2,h2", "-n", 4, "--tag-output", self.probe, "hello")
        self.assertEqual(sorted(line.split(",")[0] for line in job.output.splitlines()),
                         ["[0] rank 0 of 4 on h3", "[1] rank 1 of 4 on h1", "[2] rank 2 of 4 on h1",
                          "[3] rank 3 of 4 on h2"])
        job = self.run_job("--hosts", "h3:1,h1:2,h2", "-n", 5, self.probe, "hello")
        self.assertEqual(job.process.returncode, 2)
        self.assert_one_line(job, "-n 5 ranks do not fit the 4 slots of the hosts.*")

    def test_upc_threads_of_two_hosts_share_files_if_the_file_is_one(self):
        upcc = os.path.join(support.BIN, "upcc")
        if not os.path.exists(upcc):
            self.skipTest("upcc is not built")
        self.up(2)
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../upcrt/programs/parallel_io.upc")
        with tempfile.TemporaryDirectory() as folder:
            program, data = os.path.join(folder, "io"), os.path.join(folder, "data")
            subprocess.run([upcc, "-O1", "-o", program, source], check=True)
            job = self.run_job("-n", 3, program, data)
            self.assertEqual((job.process.returncode, job.output), (0, "parallel files are right\n"), job.errors)
            # Each host has a /dev/shm of its own.
            name = f"/dev/shm/weft-test-{os.getpid()}"
            job = self.run_job("-n", 2, program, name)
            self.assertNotEqual(job.process.returncode, 0)
            self.assertRegex(job.errors,
                             f"thread 1: .*upc_all_fopen: thread 0 has a file '{name}', this thread finds none")
            for host in "h1", "h2":
                self.lab("exec", host, "touch", name)
            job = self.run_job("-n", 2, program, name)
            self.assertNotEqual(job.process.returncode, 0)
            self.assertRegex(job.errors, f"upc_all_fopen: '{name}' is another file here than on thread 0")

    def run_hello_with_hostfile(self, text, ranks):
        """The job, and where each rank was."""
        with tempfile.NamedTemporaryFile("w", suffix=".hosts") as file:
            file.write(text)
            file.flush()
            job = self.run_job("--hostfile", file.name, "-n", ranks, self.probe, "hello")
        return job, sorted(line.split(",")[0] for line in job.output.splitlines())

    def test_hostfile(self):
        self.up(2)
        _, places = self.run_hello_with_hostfile("# two hosts\nh2 slots=2  # first\n\nh1:1\n", 3)
        self.assertEqual(places, ["rank 0 of 3 on h2", "rank 1 of 3 on h2", "rank 2 of 3 on h1"])

    def test_hostfile_with_a_line_per_slot(self):
        self.up(2)
        job, places = self.run_hello_with_hostfile("h2\nh1\nh2\nh1\n", 4)
        self.assertEqual((job.process.returncode, job.errors), (0, ""))
        self.assertEqual(places, ["rank 0 of 4 on h2", "rank 1 of 4 on h2", "rank 2 of 4 on h1", "rank 3 of 4 on h1"])

    def test_sixteen_hosts(self):
        self.up(16)
        job = self.run_job("-n", 32, self.probe, "many", 3)
        self.assertEqual((job.process.returncode, job.output, job.errors), (0, "all values arrived\n", ""))

    def test_input_goes_to_rank_0_wherever_it_is(self):
        self.up(2)
        text = "".join(f"line {i}\n" for i in range(40000))
        with tempfile.TemporaryFile("w+") as file:
            file.write(text)
            file.seek(0)
            job = self.run_job("--hosts", "h2,h1", "-n", 2, "--tag-output", self.probe, "echo", stdin=file)
        lines = job.output.splitlines()
        self.assertEqual([line[4:] for line in lines if line.startswith("[0]")], text.splitlines())
        self.assertIn("[1] rank 1 read 0 bytes", lines)

    def test_input_that_nobody_reads_does_no_harm(self):
        self.up(2)
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
            job = self.run_job("--hosts", "h2,h1", "-n", 2, self.probe, "hello", stdin=endless.stdout)
            endless.kill()
        self.assertEqual(job.process.returncode, 0, job.errors)

    def test_much_output_arrives_whole_though_the_reader_is_slow(self):
        self.up(2)
        job = self.start("-n", 4, "--tag-output", self.probe, "flood", 20000)
        time.sleep(1)  # more is written than fits all pipes and windows
        job.wait()
        self.assertEqual(job.process.returncode, 0, job.errors)
        seen = {rank: [] for rank in range(4)}
        for line in job.output.splitlines():
            match = re.fullmatch(r"\[(\d)\] \1: (\d+) (x*)", line)
            self.assertTrue(match, line)
            self.assertEqual(len(match[3]), int(match[2]) % 199)
            seen[int(match[1])].append(int(match[2]))
        self.assertEqual(seen, {rank: list(range(20000)) for rank in range(4)})

    def test_folder_and_environment_are_those_of_the_launcher(self):
        self.up(2)
        variables = {"PROBE_A": "from here", "WEFT_LOG": "error"}
        with tempfile.TemporaryDirectory() as folder:
            job = self.run_job("-n", 2, "--env", "PROBE_A", "--env", "PROBE_B=it's given", self.probe, "where",
                               cwd=folder,
                               environment=variables)
        self.assertEqual(sorted(job.output.splitlines()),
                         [f"{rank}: {folder} from here it's given error" for rank in (0, 1)])
        job = self.run_job("-n", 2, "--env", "NO_SUCH", self.probe, "where")
        self.assertEqual(job.process.returncode, 2)
        self.assert_one_line(job, "--env NO_SUCH: there is no such variable.*")

    def test_other_launchers_start_ranks_on_all_hosts(self):
        self.up(3)
        for launcher in ("mpirun", "mpiexec"):
            done = self.lab(launcher, "-n", 6, self.probe, "hello")
            self.assertEqual(done.returncode, 0, done.stderr)
            hosts = ["h1", "h1", "h2", "h2", "h3", "h3"]
            self.assertEqual(sorted(done.stdout.splitlines()),
                             [f"rank {i} of 6 on {hosts[i]}, next on {hosts[(i + 1) % 6]}" for i in range(6)])

    def test_an_mpich_program_runs_under_weftrun(self):
        self.up(2)
        done = self.lab("run", "-n", 2, os.path.join(support.BIN, "lab_mpi_hello"),
                        env=dict(self.environment, UCX_TLS="tcp,self", UCX_NET_DEVICES="eth0"))
        self.assertEqual(done.stdout, "2 ranks, sum 3\n", done.stderr)

    # ---- Jobs that fail ----

    def test_the_first_failure_names_rank_and_host_and_gives_the_code(self):
        self.up(3)
        for arguments, code, pattern in (
                (("exit", 7, 2), 7,
                 r"rank 2 \(pid \d+ on h3\) exited with code 7 before weft_finalize; ending the job"),
                (("crash", 1), 139,
                 r"rank 1 \(pid \d+ on h2\) was killed by signal 11 \(Segmentation fault\);.* ending the job"),
                (("abort", 5, 2), 5, r"rank 2 \(pid \d+ on h3\) called weft_exit\(5\); ending the job")):
            begin = time.monotonic()
            self.assert_ended(self.run_job("-n", 3, self.probe, *arguments), code, pattern, begin)

    def test_a_rank_that_closes_its_descriptors_ends_the_job(self):
        self.up(2)
        begin = time.monotonic()
        self.assert_ended(self.run_job("-n", 2, self.probe, "close-all", 1), 1,
                          r"rank 1 \(pid \d+ on h2\) has closed its connection to the launcher and runs on: .*; ending "
                          r"the job", begin, limit=10)

    def test_rank_killed(self):
        self.up(2)
        job = self.start("-n", 2, self.probe, "wait")
        ranks = job.ready(2)
        begin = time.monotonic()
        os.kill(ranks[1], signal.SIGKILL)
        job.wait()
        self.assert_ended(job, 137, r"rank 1 \(pid \d+ on h2\) was killed by signal 9 \(Killed\); ending the job",
                          begin)

    def test_ranks_that_lose_contact_by_the_first_failure_are_not_told_of(self):
        self.up(3)
        stream = os.path.join(support.BIN, "lab_stream")
        for tags in ([], ["--tag-output"]):
            for end, code, pattern in (
                    (lambda _, ranks: os.kill(ranks[2], signal.SIGKILL), 137, r"rank 2 .* was killed by signal 9 .*"),
                    (lambda job, _: os.kill(job.pid, signal.SIGTERM), 143, "received signal 15 .*")):
                job = self.start("-n", 6, *tags, stream, 10**9, 1000)
                ranks = job.ready(6)
                begin = time.monotonic()
                end(job, ranks)
                job.wait()
                self.assert_ended(job, code, pattern, begin)
                self.assertEqual(len(job.errors.splitlines()), 1, job.errors)

    def test_signals_end_the_job(self):
        self.up(2)
        hint = r"with WEFT_BACKTRACE=1 ranks say where they wait; "
        for number, after in ((signal.SIGINT, hint), (signal.SIGTERM, "")):
            job = self.start("-n", 2, self.probe, "wait")
            job.ready(2)
            begin = time.monotonic()
            os.kill(job.pid, number)
            job.wait()
            self.assert_ended(job, 128 + number, rf"received signal {int(number)} \(\w+\); {after}ending the job",
                              begin)

    def test_user_signals_reach_the_ranks(self):
        self.up(2)
        job = self.start("-n", 2, self.probe, "wait")
        job.ready(2)
        begin = time.monotonic()
        os.kill(job.pid, signal.SIGUSR2)
        job.wait()
        self.assert_ended(job, 128 + signal.SIGUSR2, r"rank \d .* was killed by signal 12 .*", begin)

    def test_stop_and_continue(self):
        self.up(2)
        job = self.start("-n", 2, "--host-timeout", 2, self.probe, "wait", preexec_fn=os.setpgrp)
        ranks = job.ready(2)

        def states():
            return {open(f"/proc/{pid}/stat", encoding="ascii").read().rpartition(")")[2].split()[0]
                    for pid in ranks.values()}
        os.killpg(job.pid, signal.SIGTSTP)
        end = time.monotonic() + 3  # longer than the timeout
        while time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(states(), {"T"})
        os.killpg(job.pid, signal.SIGCONT)
        end = time.monotonic() + 2
        while states() != {"S"} and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(states(), {"S"})
        os.kill(job.pid, signal.SIGTERM)
        self.assertEqual(job.wait(), 143)

    def test_launcher_killed(self):
        self.up(2)
        for victims in (lambda pid: [pid], inner_processes, lambda pid: [pid, *inner_processes(pid)]):
            job = self.start("-n", 4, self.probe, "wait")
            job.ready(4)
            for pid in victims(job.pid):
                os.kill(pid, signal.SIGKILL)
            job.wait()  # what is left is found in tearDown
            self.wait_until_nothing_runs(GONE)

    def test_agent_killed(self):
        self.up(2)
        for which in (0, 1):  # its guard, and the one that runs the ranks
            job = self.start("-n", 4, self.probe, "wait")
            job.ready(4)
            agents = self.on_host("h2", "weftrun --agent")
            self.assertEqual(len(agents), 2)
            begin = time.monotonic()
            os.kill(agents[which], signal.SIGKILL)
            job.wait()
            self.assert_ended(job, 1, "host h2.*", begin)

    def test_agent_that_gets_a_signal(self):
        self.up(2)
        job = self.start("-n", 4, self.probe, "wait")
        job.ready(4)
        begin = time.monotonic()
        os.kill(self.on_host("h2", "weftrun --agent")[1], signal.SIGHUP)
        job.wait()
        self.assert_ended(job, 1, r"host h2: weftrun received signal 1 \(Hangup\); ending the job", begin)

    def test_connection_killed(self):
        self.up(2)
        job = self.start("-n", 2, self.probe, "wait")
        job.ready(2)
        begin = time.monotonic()
        connections = self.on_host("h1", "lab.py --agent")
        self.assertTrue(connections)
        for pid in connections:
            os.kill(pid, signal.SIGKILL)
        job.wait()
        self.assert_ended(job, 1, "host h2 is lost: its connection was killed by signal 9; ending the job", begin)

    def test_agent_that_hangs(self):
        self.up(2)
        job = self.start("-n", 2, "--host-timeout", 2, self.probe, "wait")
        job.ready(2)
        agents = self.on_host("h2", "weftrun --agent")
        begin = time.monotonic()
        for pid in agents:
            os.kill(pid, signal.SIGSTOP)
        job.wait()
        self.assert_ended(job, 1, r"host h2 does not answer any more \(nothing heard for 2 seconds\); ending the job",
                          begin, 6)
        for pid in agents:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def test_host_cut_off(self):
        self.up(3)
        job = self.start("-n", 3, "--host-timeout", 2, self.probe, "wait")
        job.ready(3)
        begin = time.monotonic()
        self.lab("cut", "h2")
        job.wait()
        self.assert_ended(job, 1, r"host h2 does not answer any more \(nothing heard for 2 seconds\); ending the job",
                          begin, 6)
        self.wait_until_nothing_runs(5)  # nobody can tell the agent there: it finds out by itself

    def test_slow_links_are_no_failure(self):
        self.up(2, "--rate", "1mbit")
        job = self.run_job("-n", 4, "--host-timeout", 3, "--tag-output", self.probe, "flood", 2000)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertEqual(len(job.output.splitlines()), 8000)

    # ---- What is wrong before the start ----

    def test_hosts_that_cannot_be_used(self):
        self.up(2)
        begin = time.monotonic()
        job = self.run_job("--hosts", "h1,h9", "-n", 2, self.probe, "wait")
        self.assert_ended(job, 1, "host h9 cannot be used: lab: cannot reach host 'h9': .*", begin)
        self.lab("cut", "h2")
        begin = time.monotonic()
        job = self.run_job("-n", 2, self.probe, "wait")
        self.assert_ended(job, 1, "host h2 cannot be used: lab: cannot reach host h2: (timed out|No route to host); a "
                          r"firewall may be the reason \(.*", begin, 20)

    def test_a_firewall_between_ranks_is_thought_of(self):
        self.up(2)
        self.environment["WEFT_IP_PORT_RANGE"] = "24100-24199"
        for host in ("h1", "h2"):
            # Without forwarding the kernel drops where it should reject.
            self.lab("exec", host, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
            for rule in ("add pref 100 table local", "del pref 0", "add pref 50 iif eth0 dport 24100-24199 prohibit"):
                done = self.lab("exec", host, "ip", "rule", *rule.split())
                self.assertEqual(done.returncode, 0, done.stderr)
        said = (r"weft: rank [01]: error: cannot send to rank [01] at 10\.144\.0\.[12]:241\d\d through [^\n]*: "
                r"No route to host; a firewall may be the reason \(docs/LAUNCHING.md, \"Firewalls\"\), or the hosts "
                r"meet on another network: name its interface \(WEFT_NET_INTERFACE\)\n")
        job = self.run_job("-n", 2, os.path.join(support.BIN, "lab_stream"), 1)
        self.assertEqual(job.process.returncode, 1)
        self.assertRegex(job.errors, f"^{said}$")
        # Under the launchers of others, which may have an opinion of their own.
        done = self.lab("mpiexec", "-n", 2, os.path.join(support.BIN, "lab_stream"), 1)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, said)

    def run_here(self, *arguments, **environment):
        command = [os.path.join(support.BIN, "weftrun"), *map(str, arguments)]
        job = Job(command, dict(self.environment, **environment))
        job.wait()
        return job

    def test_this_host_names_itself_if_it_cannot_start_agents(self):
        with tempfile.TemporaryDirectory() as folder:
            agent = self.agent(folder, "cat >/dev/null")
            hosts = ",".join(f"other{number}" for number in range(20))
            command = f"ulimit -n 16; exec {support.BIN}/weftrun --hosts {hosts} -n 20 {self.probe}"
            job = Job(["sh", "-c", command], dict(self.environment, WEFT_RSH=agent))
            job.wait()
        self.assertEqual(job.process.returncode, 1)
        this = rf"this host \({os.uname().nodename}\)"
        self.assert_one_line(job, rf"cannot start the agent of host other\d: {this} cannot start a process: Too many "
                             r"open files; raise the limit on open files \(ulimit -n\), or use fewer hosts")

    def test_a_name_that_does_not_resolve(self):
        job = self.run_here("--hosts", "no-such-host.invalid", "-n", 1, self.probe)
        self.assertEqual(job.process.returncode, 1)
        self.assert_one_line(job, "host no-such-host.invalid cannot be used: ssh: Could not resolve hostname.*")

    def test_an_agent_that_is_not_there(self):
        job = self.run_here("--hosts", "other", "-n", 1, self.probe, WEFT_RSH="/nowhere/rsh -x")
        self.assertEqual(job.process.returncode, 1)
        self.assert_one_line(job, "host other cannot be used: cannot run /nowhere/rsh: No such file or directory")

    def agent(self, folder, script):
        """A stand-in for ssh."""
        path = os.path.join(folder, "rsh")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        return path

    def test_other_versions_and_other_programs(self):
        for script, pattern in (
                ("echo 'weftrun-agent 9.8.7 protocol 77'; cat >/dev/null",
                 r"has another version of weftrun \(9\.8\.7 protocol 77, here .*\): install the same Weft .*"),
                ("exec sh -c 'exec /nowhere/weftrun --agent'", "cannot be used: .*/nowhere/weftrun: not found"),
                ("exit 0", "cannot be used: its connection was closed before weftrun answered there .*"),
                ("head -c 100000 /dev/zero | tr '\\0' x; cat >/dev/null",
                 "answers with something else than weftrun's agent"),
                (f"echo welcome; echo; printf '{self.greeting()}\\n\\377\\377\\377\\377nonsense, much'; cat >/dev/null",
                 "sends what is not weftrun's")):
            with tempfile.TemporaryDirectory() as folder:
                job = self.run_here("--hosts", "other", "-n", 1, self.probe, WEFT_RSH=self.agent(folder, script))
            self.assertEqual(job.process.returncode, 1, job.errors)
            self.assert_one_line(job, "host other " + pattern)

    def greeting(self):
        with subprocess.Popen([os.path.join(support.BIN, "weftrun"), "--agent"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, env=self.environment) as agent:
            line = agent.stdout.readline().strip()
            agent.stdin.close()
            return line

    def test_lines_of_start_up_files_are_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            agent = self.agent(folder, "echo welcome to other; shift; exec sh -c \"$*\"")
            job = self.run_here("--hosts", "other", "-n", 2, self.probe, "hello", WEFT_RSH=agent)
        self.assertEqual((job.process.returncode, len(job.output.splitlines())), (0, 2), job.errors)

    def test_a_host_that_cannot_start_all_its_ranks_says_why(self):
        with tempfile.TemporaryDirectory() as folder:
            agent = self.agent(folder, "shift; ulimit -n 20; exec sh -c \"$*\"")
            job = self.run_here("--hosts", "other", "-n", 60, self.probe, "wait", WEFT_RSH=agent)
        self.assertEqual(job.process.returncode, 1)
        self.assert_one_line(job, r"host other: cannot start rank \d+: Too many open files; raise the limit on open "
                             r"files \(ulimit -n\), or start fewer ranks")

    def test_a_folder_that_is_not_there(self):
        self.up(2)
        self.lab("exec", "h1", "mkdir", "/dev/shm/work")
        command = (f"cd /dev/shm/work && WEFT_RSH=/run/weft-lab/{self.name}/rsh "
                   f"exec {support.BIN}/weftrun --hosts h1,h2 -n 2 {self.probe}")
        done = self.lab("exec", "h1", "sh", "-c", command)
        self.assert_refused(done,
                            "host h2: cannot enter the working directory /dev/shm/work: No such file or directory")

    def test_host_lists_that_make_no_sense(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("h1\nh2 slots=many\n")
            file.flush()
            for arguments, pattern in (
                    (("--hosts", "h1,,h2"), "--hosts h1,,h2: '' is not the name of a host"),
                    (("--hosts", "-oProxyCommand=x"), ".* is not the name of a host"),
                    (("--hosts", "h1:0"),
                     "--hosts h1:0: host h1: the number of slots must be from 1 to 65536, not '0'"),
                    (("--hosts", "h1:65536,h1"),
                     "--hosts h1:65536,h1: host h1: all times that it is named together give it more than 65536 slots"),
                    (("--hosts", "h1", "--hosts", "h2"),
                     "hosts have been given already; give --hosts or --hostfile once"),
                    (("--hostfile", "/nowhere"), "--hostfile /nowhere: cannot be read: No such file or directory"),
                    (("--hostfile", "/dev/null"), "--hostfile /dev/null: names no host"),
                    (("--hostfile", file.name), "--hostfile .*: line 2: host h2: the number of slots .*, not 'many'"),
                    (("--host-timeout", "1", "--hosts", "h1"), "--host-timeout 1: give a whole number .*"),
                    (("--ranks-as=threads", "--hosts", "h1"), "--ranks-as=threads is for one host; .*")):
                job = self.run_here(*arguments, "-n", 1, self.probe)
                self.assertEqual(job.process.returncode, 2, job.errors)
                self.assert_one_line(job, pattern)


if __name__ == "__main__":
    support.main(HostsTest)
