#!/usr/bin/env python3
"""Jobs over libfabric that meet strangers, bad settings and dying peers: network_test.py BIN_FOLDER TEST, or --list."""
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import script_tests  # pylint: disable=wrong-import-position

[bin_folder] = script_tests.paths(1)


def environment(**extra):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
    return {**kept, "WEFT_CONDUIT": "ofi", "WEFT_SEGMENT_SIZE": "64M", **extra}


def weftrun(ranks, *command, timeout=300, **extra):
    start = time.monotonic()
    done = subprocess.run([f"{bin_folder}/weftrun", "-n", str(ranks), *command], env=environment(**extra), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                          check=False)
    done.seconds = time.monotonic() - start
    return done


def wait_for(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"no {what} after {seconds} s"
        time.sleep(0.02)


class Victim:
    """A running job of network_victim."""

    def __init__(self, ranks, mode, **extra):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.job = subprocess.Popen([f"{bin_folder}/weftrun", "-n", str(ranks), f"{bin_folder}/network_victim",
                                     str(self.path), mode], env=environment(**extra), text=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        ready = [0, 1] if mode == "guard" else [1]
        try:
            files = [self.path / f"ready.{rank}" for rank in ready]
            wait_for(lambda: all(file.exists() for file in files) or self.job.poll() is not None, "victim")
            assert self.job.poll() is None, self.job.communicate()
        except BaseException:
            self.job.terminate()
            raise
        self.pids = {rank: int((self.path / f"ready.{rank}").read_text()) for rank in ready}

    def finish(self, seconds=300):
        (self.path / "stop").touch()
        out, err = self.job.communicate(timeout=seconds)
        return self.job.returncode, out, err


def sockets_of(pid, table):
    """(address, port) of the process's bound sockets: listening ones for tcp, all for udp."""
    inodes = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        target = os.readlink(link)
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = []
    for line in pathlib.Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
        fields = line.split()
        address, port = fields[1].split(":")
        if fields[9] in inodes and (table == "udp" or fields[3] == "0A"):
            found.append((socket.inet_ntoa(bytes.fromhex(address)[::-1]), int(port, 16)))
    return found


def meet_strangers(provider, table):
    victim = Victim(2, "guard", WEFT_OFI_PROVIDER=provider, WEFT_NET_INTERFACE="lo")
    try:
        ports = {rank: sockets_of(pid, table) for rank, pid in victim.pids.items()}
        for rank, bound in ports.items():
            assert bound, f"rank {rank} has no socket"
            assert all(address == "127.0.0.1" for address, _ in bound), bound
        strangers = [subprocess.Popen([f"{bin_folder}/network_stranger", provider, address, str(port)],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                     for address, port in ports[0] + ports[1][:1]]
        noise = random.Random(7)
        kept = []
        for address, port in ports[0] + ports[1]:
            for size in (0, 1, 8, 40, 300, 70000):
                kind = socket.SOCK_STREAM if table == "tcp" else socket.SOCK_DGRAM
                other = socket.socket(socket.AF_INET, kind)
                other.settimeout(2)
                other.connect((address, port))
                try:
                    other.sendall(noise.randbytes(min(size, 60000 if table == "udp" else size)))
                except OSError:
                    pass  # the job has hung up
                kept.append(other)
        for stranger in strangers:
            out, err = stranger.communicate(timeout=300)
            print(out, err)
            assert stranger.returncode == 0, (out, err)
        code, out, err = victim.finish()
    finally:
        victim.job.terminate()
    assert code == 0 and out == "unharmed\n", (code, out, err)
    assert "does not carry this job's secret" in err, err
    assert err.count("\n") <= 30, err


def test_a_stranger_over_tcp_is_refused_and_logged():
    meet_strangers("tcp;ofi_rxm", "tcp")


def test_a_stranger_over_net_is_refused_and_logged():
    meet_strangers("net", "tcp")


def test_a_crash_over_the_network_is_reported_as_the_signal_it_was():
    victim = Victim(2, "flood")
    os.kill(victim.pids[1], signal.SIGSEGV)
    code, _, err = victim.finish(20)
    assert code == 139 and "rank 1" in err and "killed by signal 11" in err, (code, err)


def test_who_has_lost_a_rank_that_died_leaves_it_to_the_launcher_to_say_so():
    for settings in ({"WEFT_CONDUIT": "ip"}, {"WEFT_CONDUIT": "ip", "WEFT_IP_SECURITY": "encrypt"}, {}):
        victim = Victim(2, "flood", **settings)
        os.kill(victim.pids[1], signal.SIGKILL)
        code, _, err = victim.finish(20)
        assert code == 137 and err.count("\n") == 1 and "killed by signal 9" in err, (settings, code, err)


def test_an_unknown_provider_is_named_with_those_there_are():
    done = weftrun(2, f"{bin_folder}/network_victim", "/tmp", "guard", WEFT_OFI_PROVIDER="carrier-pigeon")
    assert done.returncode == 1, done
    assert "no provider 'carrier-pigeon' here" in done.stderr and "tcp;ofi_rxm" in done.stderr, done.stderr
    assert done.seconds < 10


def test_what_all_ranks_cannot_use_the_first_says():
    for setting, said in (("WEFT_OFI_PROVIDER=carrier-pigeon", "rank 0: error: .*no provider 'carrier-pigeon'"),
                          ("WEFT_NET_INTERFACE=nosuch", "rank 0: error: .*no interface 'nosuch'"),
                          ("WEFT_NET_INTERFACE=lo/8", "rank 0: error: .*'lo/8' is no network, expected ADDRESS/BITS"),
                          ("WEFT_NET_INTERFACE=203.0.113.0/24", "rank 0: error: .*no interface '203.0.113.0/24'")):
        done = weftrun(3, f"{bin_folder}/network_victim", "/tmp", "guard", **dict([setting.split("=")]))
        assert done.returncode == 1, done
        launcher = r"weftrun: rank \d .* exited with code 1 in weft_init; .*"
        assert re.fullmatch(f"weft: {said}.*\n{launcher}\n", done.stderr), done.stderr
    # Rank 0 can, the others cannot.
    done = weftrun(3, "sh", "-c", '[ "$PMI_RANK" = 0 ] || export WEFT_NET_INTERFACE=nosuch; exec "$@"', "-",
                   f"{bin_folder}/network_victim", "/tmp", "guard")
    assert done.returncode == 1, done
    assert re.findall(r"rank \d: error", done.stderr) == ["rank 1: error"], done.stderr


def test_providers_are_named_in_capitals_too():
    done = weftrun(2, f"{bin_folder}/example-hello", WEFT_OFI_PROVIDER="TCP;OFI_rxm", WEFT_LOG="info")
    assert done.returncode == 0 and "provider tcp;ofi_rxm" in done.stderr, done


def test_a_job_without_a_network_warns_of_a_provider_that_nobody_knows():
    for provider, warnings in (("tpc", 1), ("tcp", 0), ("Net", 0), ("udp;ofi_rxd", 0)):
        done = weftrun(2, f"{bin_folder}/example-hello", WEFT_OFI_PROVIDER=provider, WEFT_CONDUIT="auto")
        assert done.returncode == 0, done
        said = f"rank 0: warning: setting WEFT_OFI_PROVIDER is '{provider}', which Weft does not know"
        assert done.stderr.count("\n") == warnings == done.stderr.count(said), done.stderr


def network_told(exit_code=0, **settings):
    """What weft-info says a job across hosts would use."""
    done = subprocess.run([f"{bin_folder}/weft-info", "--network"], env=environment(**settings), text=True,
                          capture_output=True, check=False)
    assert done.returncode == exit_code, done
    return done.stdout + done.stderr


def test_what_joins_hosts_is_chosen_by_what_is_there_and_said():
    if os.path.exists("/sys/class/infiniband") and os.listdir("/sys/class/infiniband"):
        return  # libfabric decides
    for settings, conduit, why in (({}, "node-ip", "no device for RDMA here"),
                                   ({"WEFT_NET_INTERFACE": "lo,lo"}, "node-ip", "no device for RDMA here"),
                                   ({"WEFT_IP_SECURITY": "encrypt"}, "node-ip", "WEFT_IP_SECURITY is encrypt"),
                                   ({"WEFT_OFI_PROVIDER": "tcp"}, "node", "WEFT_OFI_PROVIDER is set")):
        settings = {"WEFT_CONDUIT": "auto", "WEFT_HOST_NAME": "a,b", "WEFT_LOG": "info", **settings}
        done = weftrun(2, f"{bin_folder}/example-hello", **settings)
        assert done.returncode == 0, done
        assert f"conduit {conduit}: {why}" in done.stderr, done.stderr
        assert ("is not authenticated" in done.stderr) == (conduit == "node"), done.stderr
        told = network_told(**settings)
        assert re.search(rf"across hosts +conduit {conduit}: {why}", told), told
        assert "connections authenticated" in told, told


def test_what_would_cross_hosts_unencrypted_although_encryption_is_asked_for_is_refused():
    for settings, conduit, why in (({"WEFT_CONDUIT": "ofi"}, "ofi", "WEFT_CONDUIT is set"),
                                   ({"WEFT_CONDUIT": "node"}, "node", "WEFT_CONDUIT is set"),
                                   ({"WEFT_CONDUIT": "mpi"}, "mpi", "WEFT_CONDUIT is set"),
                                   ({"WEFT_OFI_PROVIDER": "tcp"}, "node", "WEFT_OFI_PROVIDER is set")):
        settings = {"WEFT_CONDUIT": "auto", "WEFT_IP_SECURITY": "encrypt", **settings}
        said = f"WEFT_IP_SECURITY is encrypt, but conduit {conduit} ({why}) sends data between hosts unencrypted: unset"
        done = weftrun(3, f"{bin_folder}/example-hello", WEFT_HOST_NAME="a,b", **settings)
        assert done.returncode == 1, done
        assert re.findall(r"weft: rank (\d): error: (.*)\n", done.stderr)[0][0] == "0", done.stderr
        assert done.stderr.count("error:") == 1 and said in done.stderr and "or unset WEFT_IP_SECURITY" in done.stderr
        told = network_told(exit_code=1, **settings)
        assert f"would be refused    {said}" in told, told
        if conduit != "mpi":  # on one host nothing crosses
            done = weftrun(2, f"{bin_folder}/example-hello", **settings)
            assert done.returncode == 0 and not done.stderr, done
    told = network_told(WEFT_CONDUIT="node-ip", WEFT_IP_SECURITY="encrypt")
    assert "would be refused" not in told, told


def test_a_conduit_that_is_set_is_told_and_refused_where_it_joins_no_hosts():
    for conduit, meaning in (("ofi", "ranks anywhere, over libfabric"), ("node", "smp within hosts, ofi between them"),
                             ("ip", "ranks anywhere, over TCP"), ("node-ip", "smp within hosts, ip between them"),
                             ("mpi", "ranks anywhere, over an MPI library")):
        told = network_told(WEFT_CONDUIT=conduit, WEFT_NET_INTERFACE="lo", WEFT_HOST_NAME="a,b")
        assert re.search(rf"across hosts +conduit {conduit}: {meaning}.* \(WEFT_CONDUIT is set\)\n", told), told
        assert "WEFT_CONDUIT=auto" not in told and "would be refused" not in told, told
    for conduit in ("smp", "self", "sim"):
        told = network_told(exit_code=1, WEFT_CONDUIT=conduit)
        assert f"would be refused    conduit {conduit} (WEFT_CONDUIT is set) does not join hosts" in told, told
    told = network_told(exit_code=1, WEFT_CONDUIT="udp")
    assert "would be refused    there is no conduit 'udp' (WEFT_CONDUIT); this build has: smp, " in told, told


def test_settings_of_memory_and_hosts_that_a_job_would_refuse_are_told():
    for settings, said in (({"WEFT_SEGMENT_SIZE": "100"}, "WEFT_SEGMENT_SIZE is 100 bytes; a segment needs at least"),
                           ({"WEFT_SEGMENT_SIZE": "500T"}, "cannot map 512 TiB of address space"),
                           ({"WEFT_SEGMENT_SIZE": "500T", "WEFT_CONDUIT": "ip"}, "cannot map 500 TiB of address space"),
                           ({"WEFT_AM_SLOTS": "7"}, "WEFT_AM_SLOTS is 7, which is not a power of two")):
        told = network_told(exit_code=1, **{"WEFT_CONDUIT": "node-ip", **settings})
        assert said in told and re.search("segment +cannot be made\n", told), told
    for names in ("same", "same,same"):
        told = network_told(exit_code=1, WEFT_CONDUIT="auto", WEFT_HOST_NAME=names)
        assert "would be refused    WEFT_HOST_NAME gives all ranks the host 'same'" in told, told


def test_what_conduit_ip_would_use_is_told():
    def told(**settings):
        return network_told(WEFT_CONDUIT="ip", WEFT_HOST_NAME="a,b", **settings)
    for settings, said in (({}, "TCP, and datagrams unless ranks outnumber processors, on "),
                           ({"WEFT_IP_DATAGRAMS": "1", "WEFT_SPIN_US": "0"}, "TCP and datagrams on "),
                           ({"WEFT_SPIN_US": "0"}, "TCP on "), ({"WEFT_IP_DATAGRAMS": "0"}, "TCP on ")):
        assert re.search(f"conduit ip +{said}", told(**settings)), (settings, told(**settings))
    two = {"WEFT_NET_INTERFACE": "lo,lo"}
    assert "on lo (127.0.0.1), on lo (127.0.0.1), " in told(**two), told(**two)
    strict = told(WEFT_ORDER="strict", **two)
    assert re.search(r"conduit ip +TCP[^\n]* on lo \(127\.0\.0\.1\), connections", strict), strict
    unusable = {"WEFT_CONDUIT": "ip", "WEFT_SECRET_FILE": "/nowhere"}
    text = network_told(exit_code=1, **unusable)
    assert re.search("conduit ip +cannot be used", text) and "'/nowhere' on host" in text, text
    assert "cannot be used" not in told(WEFT_SECRET_FILE="/nowhere", WEFT_IP_SECURITY="off")
    text = network_told(exit_code=1, WEFT_CONDUIT="node-ip", WEFT_NET_INTERFACE="nosuch")
    assert re.search("conduit ip +cannot be used", text), text


def launched(launcher, *command, **extra):
    """A job of two ranks on two hosts by MPICH's or Open MPI's launcher."""
    settings = {"WEFT_CONDUIT": "auto", "WEFT_HOST_NAME": "a,b", **extra}
    options = ["--oversubscribe", "--allow-run-as-root"] if "openmpi" in launcher else []
    return subprocess.run([launcher, *options, "-n", "2", *command], env=environment(**settings), text=True, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)


def launchers_of_others():
    found = [launcher for launcher in ("mpiexec.mpich", "mpirun.openmpi") if shutil.which(launcher)]
    if not found:
        print("skipped: neither mpiexec.mpich nor mpirun.openmpi is here")
        sys.exit(77)
    return found


def secret_file(folder, size=32, mode=0o600):
    path = pathlib.Path(folder) / f"secret-{size}-{mode:o}"
    path.write_bytes(random.Random(size).randbytes(size))
    path.chmod(mode)
    return str(path)


def test_a_secret_that_an_mpi_launcher_carries_in_clear_is_warned_of_or_refused():
    hello = f"{bin_folder}/example-hello"
    for launcher in launchers_of_others():
        done = launched(launcher, hello)
        assert done.returncode == 0, done
        assert len(re.findall("rank 0: warning: the launcher .* carries the job's secret", done.stderr)) == 1, done
        assert "rank 1" not in done.stderr and "WEFT_SECRET_FILE" in done.stderr, done
        done = launched(launcher, hello, WEFT_IP_SECURITY="encrypt")
        assert done.returncode != 0 and done.stderr.count("error: WEFT_IP_SECURITY is encrypt, but the launcher") == 1
        assert "start with weftrun" in done.stderr and "WEFT_SECRET_FILE" in done.stderr, done
        with tempfile.TemporaryDirectory() as folder:
            for security in ("auth", "encrypt"):
                done = launched(launcher, hello, WEFT_IP_SECURITY=security, WEFT_SECRET_FILE=secret_file(folder))
                assert done.returncode == 0 and "launcher" not in done.stderr, done
        done = launched(launcher, hello, WEFT_HOST_NAME="a", WEFT_CONDUIT="ip", WEFT_IP_SECURITY="encrypt")
        assert done.returncode == 0 and "launcher" not in done.stderr, done
    done = weftrun(2, hello, WEFT_CONDUIT="auto", WEFT_HOST_NAME="a,b", WEFT_IP_SECURITY="encrypt")
    assert done.returncode == 0 and not done.stderr, done


def test_a_secret_file_that_cannot_serve_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        of_another = secret_file(folder, size=40)
        cases = [(secret_file(folder, size=31), "has 31 bytes, not 32 to 4096"),
                 (secret_file(folder, size=4097), "has 4097 bytes, not 32 to 4096"),
                 (secret_file(folder, mode=0o640), "may be read or changed by others: chmod 600 it"),
                 (secret_file(folder, mode=0o602), "may be read or changed by others: chmod 600 it"),
                 (folder, "is not a file"), (f"{folder}/none", "cannot be read: No such file or directory")]
        if os.geteuid() == 0:
            os.chown(of_another, 65534, 65534)
            cases.append((of_another, "belongs to user 65534, not to user 0 who runs the job"))
        for path, said in cases:
            done = weftrun(2, f"{bin_folder}/example-hello", WEFT_CONDUIT="ip", WEFT_SECRET_FILE=path)
            assert done.returncode == 1, (path, done)
            lines = re.findall(r"error: setting WEFT_SECRET_FILE: '(.*?)' on host \S+ (.*)", done.stderr)
            assert len(lines) == 1 and lines[0][0] == path and lines[0][1].startswith(said), (said, done)


def test_ranks_with_different_secret_files_say_so():
    with tempfile.TemporaryDirectory() as folder:
        one, other = secret_file(folder), secret_file(folder, size=33)
        for first, second, said in ((one, other, "rank 1 has another secret than rank 0"),
                                    (one, "", "rank 1 has no such file, rank 0 has one"),
                                    ("", other, "rank 1 has such a file, rank 0 has none")):
            done = weftrun(2, "sh", "-c", '[ "$PMI_RANK" = 0 ] && export WEFT_SECRET_FILE="$0" || '
                                          'export WEFT_SECRET_FILE="$1"; exec "$2"',
                           first, second, f"{bin_folder}/example-hello", WEFT_CONDUIT="ip")
            assert done.returncode == 1 and done.stderr.count("error:") == 1, done
            assert f"rank 0: error: setting WEFT_SECRET_FILE: {said}; all hosts" in done.stderr, done


def test_ranks_of_conduit_ip_that_name_different_numbers_of_interfaces_say_so():
    done = weftrun(3, "sh", "-c", '[ "$PMI_RANK" != 2 ] || export WEFT_NET_INTERFACE=lo,lo; exec "$@"', "-",
                   f"{bin_folder}/example-hello", WEFT_CONDUIT="ip")
    assert done.returncode == 1, done
    said = "the ranks' interfaces (WEFT_NET_INTERFACE): rank 0 names 0 and rank 2 2; name as many on all"
    assert done.stderr.count(said) == 1, done.stderr


def test_interfaces_of_conduit_ip_that_make_no_sense_are_refused():
    for value, said in (("lo,nope7", "there is no interface 'nope7' that is up with an address on host "),
                        ("lo,,lo", "WEFT_NET_INTERFACE is 'lo,,lo', expected interfaces, addresses or networks "),
                        ("127.0.0.0/33", "setting WEFT_NET_INTERFACE: '127.0.0.0/33' is no network, expected ADDRESS/"),
                        ("203.0.113.0/24", "there is no interface of network '203.0.113.0/24' that is up "),
                        ("lo,lo,lo,lo,lo", "at most 4")):
        done = weftrun(2, f"{bin_folder}/example-hello", WEFT_CONDUIT="ip", WEFT_NET_INTERFACE=value)
        assert done.returncode == 1 and done.stderr.count("error:") == 1 and said in done.stderr, done
        assert done.seconds < 10
        assert said in network_told(exit_code=1, WEFT_CONDUIT="ip", WEFT_NET_INTERFACE=value, WEFT_HOST_NAME="a,b")


def listening_ports(pid):
    """Of a process, by TCP."""
    links = [os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
    rows = [line.split() for line in pathlib.Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in links]


def ports_of(victim):
    """Of all its ranks, a port each. The kernel's table may leave out a row while others open and close sockets."""
    ports = []
    for _ in range(20):
        ports = [port for pid in victim.pids.values() for port in listening_ports(pid)]
        if len(ports) == len(victim.pids):
            break
        time.sleep(0.1)
    return ports


def test_ranks_of_conduit_ip_listen_on_ports_of_the_range():
    victim = Victim(2, "guard", WEFT_CONDUIT="ip", WEFT_IP_PORT_RANGE="24100-24199")
    try:
        ports = ports_of(victim)
    finally:
        victim.finish()
    assert len(set(ports)) == 2 and all(24100 <= port < 24200 for port in ports), ports
    told = network_told(WEFT_CONDUIT="ip", WEFT_IP_PORT_RANGE="24100-24199")
    assert "ports 24100-24199, " in told, told


def test_a_range_of_ports_is_nothing_to_libfabric_which_is_said():
    for settings, warnings in (({"WEFT_HOST_NAME": "a,b"}, 1), ({}, 0)):
        done = weftrun(2, f"{bin_folder}/example-hello", WEFT_OFI_PROVIDER="tcp", WEFT_IP_PORT_RANGE="24100-24199",
                       **settings)
        assert done.returncode == 0, done
        said = "rank 0: warning: WEFT_IP_PORT_RANGE is for conduit ip: libfabric's provider tcp;ofi_rxm listens on"
        assert done.stderr.count(said) == done.stderr.count("WEFT_IP_PORT_RANGE") == warnings, done.stderr


def test_a_secret_is_nothing_to_libfabric_which_is_said():
    for settings, warnings in (({"WEFT_HOST_NAME": "a,b"}, 1), ({}, 0)):
        done = weftrun(2, f"{bin_folder}/example-hello", WEFT_CONDUIT="ofi", WEFT_SECRET_FILE="/none/there", **settings)
        assert done.returncode == 0, done
        said = "rank 0: warning: WEFT_SECRET_FILE is for conduit ip: it does not protect this job"
        assert done.stderr.count(said) == done.stderr.count("WEFT_SECRET_FILE") == warnings, done.stderr


def test_interfaces_that_libfabric_cannot_have_are_no_error_where_it_is_not_used():
    told = network_told(WEFT_CONDUIT="node-ip", WEFT_HOST_NAME="a,b", WEFT_NET_INTERFACE="127.0.0.0/8,10.99.0.0/24")
    assert "error" not in told and "conduit ofi, which is not chosen, without WEFT_NET_INTERFACE:\n" in told, told


def test_libfabric_has_variables_for_its_ports():
    low, high = 22000, 23999  # wide: the provider tries a random one, and fails where another rank has it
    for provider, prefix in (("net", "FI_NET"), ("tcp;ofi_rxm", "FI_TCP")):
        names = {f"{prefix}_PORT_LOW_RANGE": str(low), f"{prefix}_PORT_HIGH_RANGE": str(high)}
        victim = Victim(2, "guard", WEFT_OFI_PROVIDER=provider, **names)
        try:
            ports = ports_of(victim)
        finally:
            victim.finish()
        assert len(ports) == 2 and all(low <= port <= high for port in ports), (provider, ports)


def test_a_range_of_ports_that_cannot_do_is_refused_in_one_line():
    for ranks, value, conduit, said in (
            (3, "24100-24101", "ip", "24100-24101 is too small for host .*, whose ranks .3. need 3 ports; open"),
            (2, "24100", "ip", "WEFT_IP_PORT_RANGE is '24100', expected LOW-HIGH "),
            (2, "24199-24100", "smp", "WEFT_IP_PORT_RANGE is '24199-24100', expected LOW-HIGH ")):
        done = weftrun(ranks, f"{bin_folder}/example-hello", WEFT_CONDUIT=conduit, WEFT_IP_PORT_RANGE=value)
        assert done.returncode == 1 and done.stderr.count("error:") == 1 and re.search(said, done.stderr), done


def test_the_log_names_provider_and_interface():
    done = weftrun(2, f"{bin_folder}/example-hello", WEFT_CONDUIT="ofi", WEFT_OFI_PROVIDER="tcp", WEFT_LOG="info")
    assert done.returncode == 0, done
    named = re.findall(r"libfabric [\d.]+, provider tcp;ofi_rxm, interface lo \(127\.0\.0\.1\)", done.stderr)
    assert len(named) == 1, done.stderr


def test_providers_within_a_host_are_refused():
    for provider in ("shm", "sm2"):
        done = weftrun(2, f"{bin_folder}/network_victim", "/tmp", "guard", WEFT_OFI_PROVIDER=provider)
        assert done.returncode == 1, done
        assert f"'{provider}' joins ranks of one host only" in done.stderr and "tcp;ofi_rxm" in done.stderr, done.stderr
        assert done.seconds < 10


def test_an_unknown_interface_is_named_with_those_there_are():
    done = weftrun(2, f"{bin_folder}/network_victim", "/tmp", "guard", WEFT_NET_INTERFACE="lo,nope7")
    assert done.returncode == 1, done
    assert "no interface 'nope7' here" in done.stderr and "lo (127.0.0.1)" in done.stderr, done.stderr


def test_values_out_of_range_are_named():
    for name, value, said in (("WEFT_ORDER", "random", "expected strict, default or relaxed"),
                              ("WEFT_PROGRESS", "often", "expected poll or thread"),
                              ("WEFT_NET_WAIT", "2", "expected auto, 0 or 1"),
                              ("WEFT_BOUNCE_SIZE", "1M", "WEFT_BOUNCE_SIZE"),
                              ("WEFT_NET_INTERFACE", "a,b,c,d,e", "at most 4")):
        done = weftrun(2, f"{bin_folder}/network_victim", "/tmp", "guard", **{name: value})
        assert done.returncode == 1 and said in done.stderr, done
        assert done.seconds < 10


def refuse_differing(setting, said):
    """Rank 1 has a setting that rank 0 has not; the start ends with what is said."""
    done = weftrun(2, "sh", "-c", f'[ "$PMI_RANK" = 0 ] || export {setting}; exec "$@"', "-",
                   f"{bin_folder}/network_victim", "/tmp", "guard")
    assert done.returncode == 1, done
    assert said in done.stderr, done.stderr
    assert done.seconds < 10


def test_ranks_that_chose_different_numbers_of_interfaces_say_so():
    refuse_differing("WEFT_NET_INTERFACE=lo,lo", "number of interfaces 2 here, 1 on rank 0")


def test_ranks_with_different_providers_say_so():
    refuse_differing("WEFT_OFI_PROVIDER=udp", "WEFT_OFI_PROVIDER is not set on rank 0 and 'udp' on rank 1")


def test_a_port_in_use_ends_the_start_with_a_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = weftrun(2, f"{bin_folder}/network_victim", "/tmp", "guard", WEFT_NET_INTERFACE="lo",
                       FI_TCP_PORT_LOW_RANGE=port, FI_TCP_PORT_HIGH_RANGE=port)
    assert done.returncode == 1, done
    assert "failed on tcp;ofi_rxm, interface lo (127.0.0.1)" in done.stderr, done.stderr
    assert done.seconds < 20


def test_a_peer_that_dies_in_the_middle_of_a_transfer_ends_the_job():
    for provider in ("tcp", "net", "udp"):
        victim = Victim(2, "flood", WEFT_OFI_PROVIDER=provider)
        start = time.monotonic()
        os.kill(victim.pids[1], signal.SIGKILL)
        code, _, err = victim.finish(20)
        assert code == 137, (provider, code, err)
        assert "rank 1" in err and "killed by signal 9" in err, err
        assert time.monotonic() - start < 6, provider


def test_a_progress_thread_serves_others_while_its_rank_computes():
    for provider in ("tcp", "net", "udp"):
        done = weftrun(2, f"{bin_folder}/network_victim", "-", "aloof", WEFT_OFI_PROVIDER=provider,
                       WEFT_PROGRESS="thread")
        assert done.returncode == 0, done
        assert float(done.stdout) < 1000, (provider, done.stdout)
    done = weftrun(2, f"{bin_folder}/network_victim", "-", "aloof", WEFT_OFI_PROVIDER="tcp")
    assert done.returncode == 0, done
    assert float(done.stdout) > 1000, "without the thread the target must have been waited for: is this test one?"


def test_a_machine_without_libfabric_still_runs_jobs_on_one_host():
    with tempfile.TemporaryDirectory() as folder:
        # A library by this name that is none is what the loader finds first.
        (pathlib.Path(folder) / "libfabric.so.1").write_text("not a library\n")
        done = weftrun(2, f"{bin_folder}/network_victim", folder, "guard", LD_LIBRARY_PATH=folder)
        assert done.returncode == 1 and "libfabric cannot be used" in done.stderr, done
        (pathlib.Path(folder) / "stop").touch()
        done = weftrun(2, f"{bin_folder}/network_victim", folder, "guard", LD_LIBRARY_PATH=folder, WEFT_CONDUIT="auto")
        assert done.returncode == 0 and done.stdout == "unharmed\n", done


if __name__ == "__main__":
    script_tests.main(globals(), 1)
