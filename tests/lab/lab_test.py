#!/usr/bin/env python3
"""Tests of the emulated cluster itself. See support.py for how to run them."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support  # pylint: disable=wrong-import-position

# Sends for a second over TCP from the calling host to another, and prints the bits per second that arrived. The time
# begins at the sender, before its first byte: the receiver may come late to what has piled up (hosts share a clock).
RECEIVE = """
import socket, struct, time
server = socket.create_server(("0.0.0.0", 5001)); print("listening", flush=True)
peer = server.accept()[0]; begin = struct.unpack("d", peer.recv(8, socket.MSG_WAITALL))[0]; total = 0
while piece := peer.recv(1 << 20): total += len(piece)
print(total * 8 / (time.monotonic() - begin))
"""
SEND = """
import socket, struct, sys, time
peer = socket.create_connection((sys.argv[1], 5001)); begin = time.monotonic()
peer.sendall(struct.pack("d", begin))
while time.monotonic() < begin + 1: peer.sendall(bytes(65536))
"""
CROWD = """
import socket, sys
crowd = [socket.create_connection((sys.argv[1], 7022)) for _ in range(300)]
for each in crowd[::2]:
    try: each.sendall(b'{"secret":')
    except OSError: pass  # given up already
print("connected", flush=True)
sys.stdin.read()
"""
REACH = """
import socket, sys
try: socket.create_connection((sys.argv[1], 7022), 1); print("reached")
except OSError: print("not reached")
"""


class LabItselfTest(support.LabTest):
    def goodput(self, source, target, address):
        receiver = subprocess.Popen([os.path.join(support.BIN, "lab"), "exec", target, sys.executable, "-c", RECEIVE],
                                    stdout=subprocess.PIPE, text=True, env=self.environment)
        with receiver:
            self.assertEqual(receiver.stdout.readline(), "listening\n")
            self.lab("exec", source, sys.executable, "-c", SEND, address)
            return float(receiver.stdout.readline())

    def assert_rate(self, source, target, address, rate):
        """A link is never faster than asked. Whatever else the machine does makes a stream slower: so several tries."""
        for _ in range(10):
            goodput = self.goodput(source, target, address) / rate
            self.assertLess(goodput, 1.02)
            if goodput > 0.90:
                return
        self.fail(f"the last stream had {goodput:.2f} of the rate")

    def reaches(self, source, target):
        return self.lab("exec", source, sys.executable, "-c", REACH, target).stdout == "reached\n"

    def test_hosts_have_names_addresses_and_find_each_other(self):
        self.up(3)
        for host in ("h1", "h2", "h3"):
            self.assertEqual(self.lab("exec", host, "hostname").stdout, host + "\n")
        self.assertIn("10.144.0.2", self.lab("exec", "h2", "ip", "-4", "addr", "show", "eth0").stdout)
        self.assertTrue(self.reaches("h1", "h3"))
        status = self.lab("status").stdout
        self.assertIn(f"{self.name}: hosts h1 h2 h3, 1 link each (unlimited)", status)

    def test_shared_memory_is_the_hosts_own(self):
        self.up(2)
        self.lab("exec", "h1", "touch", "/dev/shm/of-h1")
        self.assertEqual(self.lab("exec", "h1", "ls", "/dev/shm").stdout, "of-h1\n")
        self.assertEqual(self.lab("exec", "h2", "ls", "/dev/shm").stdout, "")
        self.assertFalse(os.path.exists("/dev/shm/of-h1"))

    def test_links_are_as_fast_as_asked(self):
        self.up(2, "--rate", "100mbit", "--links", 2)
        for address in ("10.144.0.2", "10.144.1.2"):
            self.assert_rate("h1", "h2", address, 1e8)
        self.assertEqual(self.lab("rate", "400mbit").returncode, 0)
        self.assert_rate("h2", "h1", "10.144.0.1", 4e8)
        self.assertEqual(self.lab("rate", "unlimited").returncode, 0)
        self.assertGreater(self.goodput("h1", "h2", "10.144.0.2"), 1e9)

    def test_a_cut_host_is_reached_again_when_mended(self):
        self.up(3)
        self.assertEqual(self.lab("cut", "h2").returncode, 0)
        self.assertIn("cut off", self.lab("status").stdout)
        self.assertFalse(self.reaches("h1", "h2"))
        self.assertTrue(self.reaches("h1", "h3"))
        self.assertEqual(self.lab("mend", "h2").returncode, 0)
        self.assertNotIn("cut off", self.lab("status").stdout)
        self.assertTrue(self.reaches("h1", "h2"))

    def test_hosts_may_have_processors_of_their_own(self):
        count = len(os.sched_getaffinity(0))
        self.assert_refused(self.lab("up", count + 1, "--own-processors"), "cannot have processors of their own")
        if count < 2:
            return
        self.up(2, "--own-processors")
        command = [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
        direct = [self.lab("exec", host, *command).stdout for host in ("h1", "h2")]
        self.assertEqual(len(set(direct)), 2)
        agent = f"/run/weft-lab/{self.name}/rsh"
        remote = self.lab("exec", "h1", agent, "h2", f"{sys.executable} -c '{command[2]}'").stdout
        self.assertEqual(remote, direct[1])

    def test_ranks_that_outnumber_the_processors_give_way(self):
        self.up(2)
        many = len(os.sched_getaffinity(0)) + 1
        own = dict(self.environment, WEFT_SPIN_US="7", OMPI_MCA_mpi_yield_when_idle="0")

        def seen(launcher, ranks, name, environment=None):
            # One write with spaces around it: launchers join what ranks write at the same time, and print may write
            # a line in pieces.
            show = [sys.executable, "-c", f"import os; os.write(1, f' {{os.environ.get(\"{name}\")}} \\n'.encode())"]
            return set(self.lab(launcher, "-n", ranks, *show, env=environment or self.environment).stdout.split())

        for launcher, name in (("run", "WEFT_SPIN_US"), ("mpirun", "WEFT_SPIN_US"), ("mpiexec", "WEFT_SPIN_US"),
                               ("mpirun", "OMPI_MCA_mpi_yield_when_idle")):
            ours, users = ("0", "7") if name == "WEFT_SPIN_US" else ("1", "0")
            self.assertEqual(seen(launcher, 1, name), {"None"}, launcher)
            self.assertEqual(seen(launcher, many, name), {ours}, launcher)
            self.assertEqual(seen(launcher, many, name, own), {users}, launcher)

    def test_a_shell_on_a_host_can_start_jobs(self):
        self.up(2)
        done = self.lab("exec", "h1", os.path.join(support.BIN, "weftrun"), "--hosts", "h1,h2", "-n", 2,
                        os.path.join(support.BIN, "lab_stream"), 10)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("10 blocks arrived whole", done.stdout)

    def test_another_lab_program_names_the_one_that_made_the_lab(self):
        self.up(2)
        program = os.path.realpath(os.path.join(support.BIN, "lab"))
        with tempfile.TemporaryDirectory() as folder:
            other = shutil.copytree(os.path.dirname(program), os.path.join(folder, "weft-lab"))
            advice = f"use that one, or make the lab anew: lab down --name {self.name}, then lab up"
            for command in (("exec", "h1", "true"), ("run", "-n", "2", "true")):
                done = subprocess.run([os.path.join(other, "lab.py"), *command], capture_output=True, text=True,
                                      env=dict(self.environment, PATH=f"{support.BIN}:{os.environ['PATH']}"),
                                      check=False)
                self.assert_refused(
                    done, f"^lab: lab '{self.name}' was made by another lab program, {program}: {advice}\n$")
            done = subprocess.run([os.path.join(other, "lab.py"), "down"], capture_output=True, text=True,
                                  env=self.environment, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.left_of_labs(), [])

    def test_two_labs_at_once_do_not_meet(self):
        other = self.name + "b"
        self.names.append(other)
        self.up(2)
        self.assertEqual(self.lab("up", 2, lab_name=other).returncode, 0)
        self.lab("cut", "h2", lab_name=other)
        self.assertTrue(self.reaches("h1", "h2"))
        self.assertEqual(self.lab("down", lab_name=other).returncode, 0)
        self.assertTrue(self.reaches("h1", "h2"))

    def test_down_ends_what_runs_in_the_lab(self):
        self.up(2)
        command = [os.path.join(support.BIN, "lab"), "exec", "h2", "sh", "-c", "echo here; trap '' TERM; sleep 1000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self.environment) as sleeper:
            self.assertEqual(sleeper.stdout.readline(), "here\n")
            self.assertEqual(self.lab("down").returncode, 0)
            self.assertEqual(sleeper.wait(5), -signal.SIGKILL)
        self.assertEqual(self.left_of_labs(), [])

    def interrupt_a_start(self):
        with subprocess.Popen([os.path.join(support.BIN, "lab"), "up", "8"], env=self.environment,
                              stdout=subprocess.DEVNULL) as starting:
            while starting.poll() is None and not self.left_of_labs():
                time.sleep(0.01)
            starting.kill()
        self.assertNotEqual(self.left_of_labs(), [])

    def test_an_interrupted_start_is_cleaned_up_by_the_next(self):
        self.interrupt_a_start()
        self.up(2)
        self.assertTrue(self.reaches("h1", "h2"))
        self.assertEqual(len(self.left_of_labs()), 3)

    def test_an_interrupted_start_is_cleaned_up_by_down(self):
        self.interrupt_a_start()
        self.assertEqual(self.lab("down").returncode, 0)
        self.assertEqual(self.left_of_labs(), [])

    def test_a_host_whose_process_was_killed_comes_back(self):
        self.up(2)
        for pid, command in self.processes():
            if "/host.py" in command and " h2 " in command:
                os.kill(pid, signal.SIGKILL)
        self.assertEqual(self.lab("exec", "h2", "hostname").stdout, "h2\n")
        self.assertTrue(self.reaches("h1", "h2"))

    def test_the_agent_carries_all_streams(self):
        self.up(2)
        agent = f"/run/weft-lab/{self.name}/rsh"
        done = self.lab("exec", "h1", agent, "-x", "h2", "hostname; cat; echo wrong >&2", input="typed\n" * 50000)
        self.assertEqual(done.stdout, "h2\n" + "typed\n" * 50000)
        self.assertEqual(done.stderr, "wrong\n")
        self.assert_refused(self.lab("exec", "h1", agent, "h9", "true"), "cannot reach host 'h9'", 255)

    def test_connections_that_say_nothing_keep_nobody_waiting(self):
        self.up(2)
        agent = f"/run/weft-lab/{self.name}/rsh"
        # More than the host lets wait, and some that begin a line.
        with subprocess.Popen([os.path.join(support.BIN, "lab"), "exec", "h2", sys.executable, "-c", CROWD, "h1"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment) as crowd:
            self.assertEqual(crowd.stdout.readline(), "connected\n")
            begin = time.monotonic()
            done = self.lab("exec", "h2", agent, "h1", "hostname; cat", input="typed\n")
            self.assertEqual((done.stdout, done.stderr), ("h1\ntyped\n", ""))
            self.assertLess(time.monotonic() - begin, 5)  # so much the host gives each of them
            crowd.stdin.close()

    def test_ctrl_c_while_the_command_starts_leaves_no_traceback(self):
        for delay_ms in range(0, 100, 6):
            with subprocess.Popen([os.path.join(support.BIN, "lab"), "run", "-n", "2", "true"], env=self.environment,
                                  stderr=subprocess.PIPE, text=True) as command:
                time.sleep(delay_ms / 1000)
                command.send_signal(signal.SIGINT)
                said = command.communicate()[1]
            self.assertIn(said, ("", f"lab: lab '{self.name}' is not up; start it with: lab up 2 --name {self.name}\n"))
            self.assertIn(command.returncode, (1, 130, -signal.SIGINT))

    def test_a_reader_that_has_gone_leaves_no_traceback(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([os.path.join(support.BIN, "lab"), "status"], stdout=writing, stderr=subprocess.PIPE,
                              text=True, env=self.environment, check=False)
        os.close(writing)
        self.assertEqual((done.returncode, done.stderr), (141, ""))

    def test_both_mpi_libraries_start_on_all_hosts(self):
        self.up(3)
        for launcher in ("mpirun", "mpiexec"):
            done = self.lab(launcher, "-n", 6, "hostname")
            self.assertEqual(sorted(done.stdout.split()), ["h1", "h1", "h2", "h2", "h3", "h3"], done.stderr)

    def test_hosts_that_are_named_take_the_place_of_all_of_them(self):
        self.up(3)
        for launcher, *named in (("run", "--hosts", "h2,h3"), ("mpirun", "--host", "h2,h3"), ("mpirun", "-H", "h2,h3"),
                                 ("mpiexec", "-hosts", "h2,h3")):
            done = self.lab(launcher, *named, "-n", 2, "hostname")
            self.assertEqual(sorted(done.stdout.split()), ["h2", "h3"], done.stderr)

    def test_bad_input_is_refused_with_one_line(self):
        for arguments, pattern in (
                (("up", 0), "1 to 64 hosts, not 0"),
                (("up", 65), "1 to 64 hosts, not 65"),
                (("up", 2, "--links", 9), "1 to 8 links, not 9"),
                (("up", 2, "--rate", "fast"), "rate 'fast'"),
                (("up", 2, "--rate", "1bit"), "not from 100kbit"),
                (("up", 2, "--delay", "long"), "delay 'long'"),
                (("up", 2, "--name", "Not-a-name"), "name 'Not-a-name'"),
                (("down",), "there is no lab"),
                (("run", "-n", 2, "true"), "is not up"),
                (("cut", "h1"), "is not up"),
                (("rate", "1gbit"), "is not up"),
                (("exec", "h1"), "which command")):
            self.assert_refused(self.lab(*arguments), pattern)
        for arguments, pattern in (
                ((), "COMMAND"),
                (("frobnicate",), "'frobnicate' .*'?up'?, .*'?exec'?\\)"),
                (("up",), "lab up: .*hosts"),
                (("up", "x"), "lab up: .*'x' is not a number"),
                (("up", 2, "--links", "many"), "lab up: .*'many' is not a number"),
                (("up", 2, "--rates", "1gbit"), "lab: .*--rates.*, did you mean --rate\\?"),
                (("down", "--rate", "1gbit"), "lab: .*--rate.*, an option of another command"),
                (("cut",), "lab cut: .*host"),
                (("rate",), "lab rate: .*rate")):
            self.assert_refused(self.lab(*arguments), pattern, code=2)
        self.assertNotIn("rsh", self.lab("frobnicate").stderr)  # how launchers reach hosts is the lab's own matter
        self.up(2)
        self.assert_refused(self.lab("up", 2), "is up already with 2 hosts")
        self.assert_refused(self.lab("cut", "h3"), "has no host 'h3'; it has h1 to h2")
        self.assert_refused(self.lab("exec", "h2", "no-such-program"), "cannot run no-such-program", 127)

    def test_others_than_root_are_told_so(self):
        # A copy, since others may not be able to read this checkout.
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(os.path.dirname(os.path.realpath(os.path.join(support.BIN, "lab"))), folder + "/lab")
            for path in (folder, copy):
                os.chmod(path, 0o755)
            refused = subprocess.run(["/usr/bin/python3", "-B", os.path.join(copy, "lab.py"), "up", "2"], user=65534,
                                     group=65534, extra_groups=[], cwd="/", env=self.environment, text=True,
                                     capture_output=True, check=False)
            self.assert_refused(refused, "needs root")

    def test_a_machine_without_etc_hosts_will_do(self):
        script = """set -e
            etc=$(mktemp -d); trap 'rm -rf "$etc"' EXIT
            cp -a /etc/. "$etc"; rm -f "$etc/hosts"; mount --bind "$etc" /etc
            "$1" up 2; "$1" exec h1 cat /etc/hosts; "$1" down; umount /etc"""
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", os.path.join(support.BIN, "lab")], text=True,
                              capture_output=True, env=self.environment, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^10\.144\.0\.2 h2$")

    def test_a_chroot_is_told_so(self):
        with tempfile.TemporaryDirectory() as folder:
            script = """set -e
                mount -t tmpfs none "$1"; mkdir "$1/root"; cd "$1/root"
                for name in /*; do
                  [ -L "$name" ] && cp -a "$name" . || :
                  [ -d "$name" ] && [ ! -L "$name" ] || continue
                  mkdir ".$name"; mount --rbind "$name" ".$name"
                done
                exec chroot . "$2" up 2"""
            done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", folder, os.path.join(support.BIN, "lab")],
                                  text=True, capture_output=True, env=self.environment, check=False)
        self.assert_refused(done, "the root is no mount point")

    def test_a_missing_tool_is_named(self):
        self.assert_refused(subprocess.run([sys.executable, os.path.join(support.BIN, "lab"), "up", "2"],
                                           capture_output=True, text=True, check=False,
                                           env=dict(self.environment, PATH="/nowhere")), "'ip' is missing")

    def test_a_delay_works_or_the_kernel_is_named(self):
        done = self.lab("up", 2, "--delay", "5ms")
        if done.returncode == 0:
            begin = time.monotonic()
            self.assertTrue(self.reaches("h1", "h2"))
            self.assertGreater(time.monotonic() - begin, 0.010)
        else:
            self.assert_refused(done, "this kernel cannot delay packets .* without --delay")
            self.assertEqual(self.left_of_labs(), [])


if __name__ == "__main__":
    support.main(LabItselfTest)
