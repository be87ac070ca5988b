"""What the tests in the lab share: labs that are gone after each test, and running the tests by name."""

import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

SKIPPED = 77
[BIN] = script_tests.paths(1)  # the folder of the programs


def where():
    """A name for what decides it: this start of the machine, namespaces, root and capabilities."""
    status = pathlib.Path("/proc/self/status").read_text()
    root = os.stat("/")
    parts = (pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(), os.readlink("/proc/self/ns/mnt"),
             os.readlink("/proc/self/ns/net"), str((root.st_dev, root.st_ino)), *re.findall(r"^Cap.*", status, re.M))
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


def why_not_here():
    """The reason why there can be no lab on this machine; None if there can. Only what the machine does not permit is
    one: a lab that fails otherwise must fail its tests."""
    if os.geteuid() != 0:
        return "the lab needs root"
    if not shutil.which("ip"):
        return "ip (iproute2) is not installed"
    known = pathlib.Path(BIN).parent / f"lab-is-permitted-{where()}"
    if known.exists():
        return None
    environment = dict(os.environ, LAB_NAME="t" + uuid.uuid4().hex[:8])
    made = subprocess.run([os.path.join(BIN, "lab"), "up", "1"], capture_output=True, text=True, check=False,
                          env=environment)
    subprocess.run([os.path.join(BIN, "lab"), "down"], capture_output=True, check=False, env=environment)
    said = " ".join(made.stderr.split())
    if made.returncode != 0 and re.search("not permitted|denied|is no mount point", said, re.I):
        return f"there can be no lab here, which takes CAP_NET_ADMIN and CAP_SYS_ADMIN: {said}"
    if made.returncode == 0:
        known.touch()
    return None


class LabTest(unittest.TestCase):
    """Each test has a lab name of its own."""

    def setUp(self):
        self.name = "t" + uuid.uuid4().hex[:8]
        self.names = [self.name]
        self.marker = f"LAB_TEST_MARK={uuid.uuid4().hex}"
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("PMI_", "PMIX_", "WEFT_"))}
        self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                LAB_NAME=self.name, LAB_TEST_MARK=self.marker.split("=")[1],
                                WEFT_IP_DATAGRAMS="1")  # hosts of a lab share processors, where Weft sends none

    def tearDown(self):
        for name in self.names:
            self.lab("down", lab_name=name)
        self.assertEqual(self.left_of_labs(), [], "namespaces were left behind")
        files = [name for name in os.listdir("/run/weft-lab") if name.split(".")[0] in self.names]
        self.assertEqual(files, [], "files were left behind")
        self.assertEqual(self.processes(), [], "processes were left behind")

    def lab(self, *arguments, lab_name=None, timeout=300, **options):
        environment = dict(options.pop("env", self.environment))
        if lab_name:
            environment["LAB_NAME"] = lab_name
        return subprocess.run([os.path.join(BIN, "lab"), *map(str, arguments)], capture_output=True, text=True,
                              env=environment, timeout=timeout, check=False, **options)

    def up(self, hosts, *options):
        done = self.lab("up", hosts, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def assert_refused(self, done, pattern, code=1):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def left_of_labs(self):
        listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
        return [line for line in listed.splitlines() if any(f"weft-{name}-" in line for name in self.names)]

    def processes(self, also_of_hosts=True):
        """The living processes that a test has started; those of the hosts themselves only if wanted."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/environ", "rb") as environ:
                    marked = self.marker.encode() in environ.read()
                if not marked or int(pid) == os.getpid():
                    continue
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    command = file.read().replace(b"\0", b" ").decode()
                if command and (also_of_hosts or "/host.py" not in command):
                    found.append((int(pid), command))
        return found


def main(test_class):
    if sys.argv[1:] != ["--list"] and (reason := why_not_here()):
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    script_tests.main(test_class, 1)
