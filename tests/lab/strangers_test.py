#!/usr/bin/env python3
"""Strangers attack a job on conduit ip while it runs: other users of its hosts, and a host that is not of the job. See
support.py for how to run the tests; docs/IP-PROTOCOL.md says what the attacks know and what must become of them.

Called with --attack, this file is the stranger: it gives up root and prints what went wrong, or nothing."""

import encodings.idna  # noqa: a stranger cannot load what it needs later
import errno
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from concurrent.futures.thread import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support  # pylint: disable=wrong-import-position
from jobs import StreamTest  # pylint: disable=wrong-import-position

NOBODY = 65534
LISTENING, HELLO_BYTES, CHALLENGE_BYTES, PROOF_BYTES, PLACES = "0A", 48, 48, 32, 64
WELL_KNOWN = 10000  # ports below are the lab's
PATIENCE = 12  # seconds until the job must have hung up: it gives a handshake 5, and others use the machine


# ---- The strangers ----

def hello(initiator, responder, magic=b"weftip01", version=2, security=1, zero=0, reserved=0):
    return struct.pack("<8sHHIII16sQ", magic, version, security, initiator, responder, zero, os.urandom(16), reserved)


def call(place):
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(place, timeout=PATIENCE)
        except ConnectionRefusedError:  # for a moment, while more connections wait than the kernel lets
            if time.monotonic() > end:
                raise


def hear(connection, count=None):
    """What comes until `count` bytes are there or the other end hangs up; None if it does neither."""
    heard = b""
    try:
        while count is None or len(heard) < count:
            piece = connection.recv(65536)
            if not piece:
                break
            heard += piece
    except ConnectionError:
        pass
    except TimeoutError:
        return None
    return heard


def say(connection, data, slowly=False):
    try:
        for piece in ([data[i:i + 1] for i in range(len(data))] if slowly else [data]):
            connection.sendall(piece)
            if slowly:
                time.sleep(0.3)
    except OSError:
        pass  # it has hung up


def expect_silence(place, data, slowly=False):
    with call(place) as connection:
        say(connection, data, slowly)
        heard = hear(connection)
        assert heard == b"", f"{data[:60]!r}...: {heard}"


def expect_challenge_only(place, data, answer):
    """After a good hello the job tells its nonce; what answer() makes of that must end the connection."""
    with call(place) as connection:
        say(connection, data)
        challenge = hear(connection, CHALLENGE_BYTES)
        assert challenge and len(challenge) == CHALLENGE_BYTES, challenge
        say(connection, answer(challenge))
        heard = hear(connection)
        assert heard == b"", f"an answer to a wrong proof: {heard}"


def frames():
    """Puts, a get, messages: with lengths and offsets up to 2^64-1."""
    for kind in (1, 2, 4, 7, 9, 10):
        for size in (8, 2**20 + 1, 2**32, 2**63, 2**64 - 1):
            yield struct.pack("<BBHHHQQQ", kind, 2, 0, 0xffff, 0xffff, size, 0, size) + b"X" * 64


def mac_of_another(place, me, rank):
    """The responder's proof on another connection: reflected, it must not count as the initiator's."""
    with call(place) as other:
        say(other, hello(me, rank))
        return hear(other, CHALLENGE_BYTES)[16:]


def attack_refusals(host, port, rank):
    place, rank = (host, int(port)), int(rank)
    me, noise = 1 - rank, random.Random(int(port))
    silent = [noise.randbytes(size) for size in (0, 1, 47, 48, 49, 300, 70000)]  # garbage and parts
    silent += [hello(me, rank)[:size] for size in (1, 8, 20, 47)]
    silent += [hello(me, rank, magic=b"weftip00"), hello(me, rank, version=1), hello(me, rank, version=3),
               hello(me, rank, security=0), hello(me, rank, security=2),  # downgrades
               hello(me, me), hello(rank, rank), hello(2, rank), hello(2**32 - 1, rank),
               hello(me, rank, zero=1), hello(me, rank, reserved=1)]
    proofs = [lambda challenge: bytes(PROOF_BYTES), lambda challenge: os.urandom(PROOF_BYTES),
              lambda challenge: challenge[16:], lambda challenge: mac_of_another(place, me, rank),
              lambda challenge: challenge[:16] + challenge[:16] + b"".join(frames())]
    with ThreadPoolExecutor(len(silent) + len(proofs) + 1) as pool:
        runs = [pool.submit(expect_silence, place, data) for data in silent]
        runs += [pool.submit(expect_challenge_only, place, hello(me, rank), proof) for proof in proofs]
        runs += [pool.submit(expect_silence, place, hello(me, rank), True)]
        for run in runs:
            run.result()


def attack_knock(host, *ports):
    for port in ports:
        expect_silence((host, int(port)), b"X" * HELLO_BYTES)


def attack_from_elsewhere(host, port, rank):
    with call((host, int(port))) as connection:
        say(connection, hello(1 - int(rank), int(rank)))
        heard = hear(connection)
        assert heard == b"", f"a host that has no rank was answered: {heard}"


def attack_takeover(host, port, _rank):
    """The place of a rank that lives can be neither listened on nor called from."""
    for option in (None, socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        with socket.socket() as thief:
            if option is not None:
                thief.setsockopt(socket.SOL_SOCKET, option, 1)
            try:
                thief.bind((host, int(port)))
                thief.listen()
            except OSError as error:
                assert error.errno == errno.EADDRINUSE, error
            else:
                raise AssertionError(f"option {option}: the place of a rank was taken")


def forged_datagrams(rank, noise):
    """Parts, garbage, and what looks like a peer's: next in sequence, with acknowledgements and a put."""
    put = struct.pack("<BBHHHQQ", 1, 1, 0, 1, 1, 8, 0) + b"X" * 8
    for size in (0, 1, 39, 40, 55, 56, 57, 300, 1232, 1233, 9000):
        yield noise.randbytes(size)
    for number, sequence, acknowledged in ((0, 1, 1), (0, 2, 0), (2**64 - 1, 2**64 - 1, 2**64 - 1), (1, 17, 2)):
        yield struct.pack("<4sIQQQQ", b"wftd", 1 - rank, number, sequence, acknowledged, 0) + put + noise.randbytes(16)


def attack_datagrams(host, port, rank, folder):
    """Sends datagrams of its own, and again those that ranks have sent, to both; and cannot take the port."""
    place, noise = (host, int(port)), random.Random(int(port))
    with open(os.path.join(folder, "datagrams"), "rb") as file:
        recorded = [bytes.fromhex(line.decode()) for line in file.read().split()]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as thief:
        for _ in range(20):
            for datagram in (*forged_datagrams(int(rank), noise), *recorded):
                thief.sendto(datagram, place)
                changed = bytearray(datagram or b"X")
                changed[noise.randrange(len(changed))] ^= 1 << noise.randrange(8)
                thief.sendto(changed, place)
            time.sleep(0.01)
    for option in (None, socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as thief:
            if option is not None:
                thief.setsockopt(socket.SOL_SOCKET, option, 1)
            try:
                thief.bind(place)
            except OSError as error:
                assert error.errno in (errno.EADDRINUSE, errno.EADDRNOTAVAIL), error  # the latter on another host
            else:
                raise AssertionError(f"option {option}: the datagrams of a rank were taken")


def attack_impostor(host, port, rank):
    """Takes the place of a rank that has gone and answers the next who calls it."""
    end = time.monotonic() + PATIENCE
    with socket.socket() as place:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        while True:
            try:
                place.bind((host, int(port)))
                break
            except OSError as error:  # until it is gone
                assert error.errno == errno.EADDRINUSE and time.monotonic() < end, error
                time.sleep(0.02)
        place.listen()
        place.settimeout(PATIENCE)
        connection, _ = place.accept()
        with connection:
            connection.settimeout(PATIENCE)
            said = hear(connection, HELLO_BYTES)
            assert said and said[:8] == b"weftip01" and struct.unpack_from("<I", said, 16)[0] == int(rank), said
            say(connection, os.urandom(CHALLENGE_BYTES))
            heard = hear(connection)
            assert heard == b"", f"a caller gave this to one who does not know the secret: {heard}"


def attack_half_open(host, port, rank):
    """500 connections that say nothing or begin well; all must be hung up on, and others must still be served."""
    place = (host, int(port))
    held = []
    for i in range(500):
        held.append(call(place))
        if i % 2:
            say(held[-1], hello(1 - int(rank), int(rank))[:i % 49])
    for connection in held:
        heard = hear(connection)
        assert heard is not None and len(heard) in (0, CHALLENGE_BYTES), heard
        connection.close()


def attack_early(host, seconds):
    """Calls whatever begins to listen on the host, at once, and says nothing."""
    address = f"{struct.unpack('<I', socket.inet_aton(host))[0]:08X}"
    held, failed = {}, None
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        with open("/proc/net/tcp", encoding="utf-8") as table:
            ports = {int(line.split()[1].split(":")[1], 16) for line in table.readlines()[1:]
                     if line.split()[1].startswith(address) and line.split()[3] == LISTENING}
        for port in filter(lambda port: port > WELL_KNOWN, ports - held.keys()):
            connections = []
            try:
                while len(connections) < 2 * PLACES:
                    connections.append(socket.create_connection((host, port), timeout=5))
            except OSError as error:  # it is full, or has ended
                failed = error
            if connections:
                held[port] = connections
        time.sleep(0.005)  # reading that table without a pause keeps others from networks' tables for seconds
    assert held, f"nobody was listening; last error: {failed}"


def attack_replay(host, port, folder):
    """Says again what a rank has said, on a new connection."""
    with open(os.path.join(folder, "recorded"), "rb") as file:
        recorded = file.read()
    whole = len(hello(0, 1)) + PROOF_BYTES
    assert len(recorded) > whole, f"only {len(recorded)} bytes were recorded"
    for pause in (0, 0.1):
        with call((host, int(port))) as connection:
            say(connection, recorded[:48])
            time.sleep(pause)
            say(connection, recorded[48:])
            heard = hear(connection)
            assert heard is not None and len(heard) in (0, CHALLENGE_BYTES), f"a replayed handshake got {heard}"


def record(folder):
    """As root, on the host of rank 0 or 1: keeps what a caller says who is let in. Ranks that call each other at once
    end one of the calls."""
    calls = {}  # of each: what it said, by place in the stream
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as tap:
        tap.bind(("eth0", 0))
        tap.settimeout(60)
        open(os.path.join(folder, "recording"), "wb").close()
        while all(sum(map(len, said.values())) < 200 for _, said in calls.values()):
            packet = tap.recv(100000)
            if packet[12:14] != b"\x08\x00" or packet[23] != socket.IPPROTO_TCP:
                continue
            segment = packet[14 + 4 * (packet[14] & 15):14 + int.from_bytes(packet[16:18], "big")]
            data = segment[4 * (segment[12] >> 4):]
            flow, at = packet[26:34] + segment[:4], int.from_bytes(segment[4:8], "big")
            if data.startswith(b"weftip01"):
                calls.setdefault(flow, (at, {}))
            if data and flow in calls:
                first, said = calls[flow]
                said.setdefault((at - first) % 2**32, data)
    with open(os.path.join(folder, "recorded"), "wb") as file:
        file.write(b"".join(said[at] for at in sorted(said)))
    print(socket.inet_ntoa(flow[4:8]))


def record_datagrams(folder):
    """As root, on the host of rank 0 or 1: keeps what goes there as datagrams, in both directions."""
    kept = []
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as tap:
        tap.bind(("eth0", 0))
        tap.settimeout(60)
        while len(kept) < 100:
            packet = tap.recv(100000)
            data = packet[14 + 4 * (packet[14] & 15) + 8:14 + int.from_bytes(packet[16:18], "big")]
            if packet[12:14] == b"\x08\x00" and packet[23] == socket.IPPROTO_UDP and data.startswith(b"wftd"):
                kept.append(data.hex())
    with open(os.path.join(folder, "datagrams"), "w", encoding="ascii") as file:
        file.write("\n".join(kept))


def read_path():
    """As root, on the host of rank 0 or 1: among long packets between ranks, those that show a block's bytes, which are
    all the same."""
    shown, packets = 0, 0
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as tap:
        tap.bind(("eth0", 0))
        tap.settimeout(60)
        while packets < 200:
            packet = tap.recv(100000)
            ports = struct.unpack("!HH", packet[34:38])
            if packet[12:14] == b"\x08\x00" and len(packet) > 1400 and min(ports) > WELL_KNOWN:
                packets += 1
                shown += packet[1000:1001] * 256 in packet
    print(shown)


# ---- The tests ----

class StrangersTest(StreamTest):
    def setUp(self):
        super().setUp()
        self.environment["WEFT_CONDUIT"] = "ip"

    def place(self, pid, rank):
        """Where a rank listens: a TCP socket of the process that is bound to its host's address."""
        inodes = {link[8:-1] for link in self.descriptors(pid) if link.startswith("socket:[")}
        with open(f"/proc/{pid}/net/tcp", encoding="ascii") as table:
            lines = [line.split() for line in table.readlines()[1:]]
        ports = [int(fields[1].split(":")[1], 16) for fields in lines if fields[9] in inodes and fields[3] == LISTENING]
        self.assertEqual(len(ports), 1, lines)
        return f"10.144.0.{rank + 1}", ports[0]

    def stranger(self, host, attack, *arguments):
        lab = os.path.join(support.BIN, "lab")
        command = [lab, "exec", host, sys.executable, os.path.abspath(__file__), "--attack",
                   attack, *map(str, arguments)]
        return subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def assert_refused_all(self, strangers):
        for stranger in strangers:
            said = stranger.communicate(timeout=120)[0]
            self.assertEqual((stranger.returncode, said), (0, ""), said)

    def test_who_does_not_know_the_secret_is_refused(self):
        self.up(3)
        self.environment["WEFT_STATS"] = "1"
        job = self.begin()
        places = {rank: self.place(pid, rank) for rank, pid in job.ready(2).items()}
        self.assert_refused_all([self.stranger(host, attack, *places[rank], rank) for rank in (0, 1) for host, attack in
                                 (("h1", "refusals"), ("h2", "refusals"), ("h3", "from_elsewhere"))])
        self.end(job)
        self.assertRegex(job.errors,
                         r"refused a connection from 10\.144\.0\.\d:\d+ that does not know this job's secret")
        self.assertEqual(job.errors.count("refused a connection"), 2, job.errors)  # one of each rank
        self.assertEqual(len(re.findall(r"refused \d+ connections of others", job.errors)), 2, job.errors)

    def test_a_stranger_who_knocks_at_all_ranks_gets_few_lines(self):
        self.up(2)
        job = self.start("-n", 12, self.stream, 10**9, 1000, self.stop)
        self.jobs.append(job)
        places = [self.place(pid, rank // 6) for rank, pid in sorted(job.ready(12).items())]
        self.assert_refused_all([self.stranger("h1", "knock", host, *(port for its, port in places if its == host))
                                 for host in ("10.144.0.1", "10.144.0.2")])
        self.end(job)
        self.assertEqual(job.errors.count("refused a connection"), 8, job.errors)
        self.assert_one_line(job, r"held back 4 more lines of ranks that refused strangers \(WEFT_STATS=1 or "
                                  r"WEFT_LOG=info counts for each\)")

    def test_the_place_of_a_living_rank_cannot_be_taken(self):
        self.up(2)
        for ports in ("", "24100-24199"):
            self.environment["WEFT_IP_PORT_RANGE"] = ports
            job = self.begin()
            self.assert_refused_all([self.stranger(f"h{rank + 1}", "takeover", *self.place(pid, rank), rank)
                                     for rank, pid in job.ready(2).items()])
            self.end(job)

    def test_who_takes_the_port_of_a_rank_that_has_gone_is_refused(self):
        """The launcher is stopped meanwhile: it would end the job before anybody could take the port. The host does not
        keep the port of connections that have ended, as it would for a minute."""
        self.up(2)
        self.lab("exec", "h2", "sysctl", "-qw", "net.ipv4.tcp_max_tw_buckets=0")
        go = os.path.join(self.folder.name, "go")
        job = self.start("-n", 8, "--host-timeout", 60, os.path.join(support.BIN, "lab_late_put"), go)
        self.jobs.append(job)
        ranks = job.ready(8)
        host, port = self.place(ranks[5], 1)
        launchers = self.on_host("h1", "weftrun --hosts")
        self.assertTrue(launchers)
        for pid in launchers:
            os.kill(pid, signal.SIGSTOP)
        try:
            stranger = self.stranger("h2", "impostor", host, port, 5)
            self.wait_for(lambda: self.has_given_up_root("--attack impostor"))
            on_its_host = self.on_host("h2", "--attack impostor")[0]
            os.kill(ranks[5], signal.SIGKILL)
            self.wait_for(lambda: self.ended(ranks[5]) and self.somebody_listens(on_its_host, port))
            open(go, "wb").close()
            self.assert_refused_all([stranger])
            self.wait_for(lambda: self.ended(ranks[0]))
        finally:
            for pid in launchers:
                os.kill(pid, signal.SIGCONT)
        job.wait(60)
        self.assertIn(job.process.returncode, (1, 137))  # of the rank that refused, or of the one that was killed
        self.assertRegex(job.errors, rf"rank 0: error: cannot send to rank 5 at {host}:{port} through eth0 .*: what "
                                     r"listens there in place of it does not know this job's secret\n")
        self.assertNotIn("the put is done", job.output)

    def wait_for(self, condition):
        end = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def has_given_up_root(self, text):
        """A process on h2 whose command has this text, and so has loaded what it needs."""
        return any(os.stat(f"/proc/{pid}").st_uid == NOBODY for pid in self.on_host("h2", text))

    @staticmethod
    def somebody_listens(pid, port):
        """On the port, on this process's host."""
        with open(f"/proc/{pid}/net/tcp", encoding="ascii") as table:
            return any(fields[3] == LISTENING and int(fields[1].split(":")[1], 16) == port
                       for fields in map(str.split, table.readlines()[1:]))

    @staticmethod
    def ended(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                return file.read().rsplit(")")[1].split()[0] == "Z"
        except FileNotFoundError:
            return True

    def test_half_open_connections_are_bounded(self):
        self.up(2)
        job = self.begin()
        pids = job.ready(2)
        before = {rank: len(self.descriptors(pid)) for rank, pid in pids.items()}
        strangers = [self.stranger("h1", "half_open", *self.place(pid, rank), rank) for rank, pid in pids.items()]
        most = 0
        while any(stranger.poll() is None for stranger in strangers):
            most = max([most, *(len(self.descriptors(pid)) - before[rank] for rank, pid in pids.items())])
            time.sleep(0.05)
        self.assert_refused_all(strangers)
        self.assertGreater(most, PLACES // 4, "were there so many connections at all?")
        self.assertLessEqual(most, PLACES + 2)
        self.end(job)

    def test_strangers_that_come_before_the_ranks_do_no_harm(self):
        self.up(2)
        strangers = [self.stranger(f"h{i}", "early", f"10.144.0.{i}", 8) for i in (1, 2)]
        job = self.begin()
        job.ready(2)
        self.assert_refused_all(strangers)
        self.end(job)

    def test_a_recorded_handshake_cannot_be_replayed(self):
        self.up(2)
        tap = self.stranger("h1", "record", self.folder.name)
        while not os.path.exists(os.path.join(self.folder.name, "recording")):
            self.assertIsNone(tap.poll(), "the recorder has ended")
            time.sleep(0.02)
        job = self.begin()
        pids = job.ready(2)
        called, _ = tap.communicate(timeout=60)
        self.assertEqual(tap.returncode, 0, called)
        self.assertTrue(re.fullmatch(r"10\.144\.0\.[12]\n", called), called)
        rank = int(called.strip()[-1]) - 1
        os.chmod(self.folder.name, 0o755)
        self.assert_refused_all([self.stranger(host, "replay", *self.place(pids[rank], rank), self.folder.name)
                                 for host in ("h1", "h2")])
        self.end(job)

    def test_datagrams_of_strangers_and_recorded_ones_do_no_harm(self):
        self.up(2)
        os.chmod(self.folder.name, 0o755)
        for security in ("auth", "encrypt"):
            self.environment["WEFT_IP_SECURITY"] = security
            job = self.begin(size=100)
            pids = job.ready(2)
            tap = self.stranger("h1", "record_datagrams", self.folder.name)
            self.assert_refused_all([tap])
            self.assert_refused_all([self.stranger(host, "datagrams", *self.place(pids[rank], rank), rank,
                                                   self.folder.name) for rank in (0, 1) for host in ("h1", "h2")])
            self.assertGreater(self.end(job), 100)

    def test_who_reads_the_path_sees_what_is_not_encrypted(self):
        self.up(2)
        for security, shown in (("auth", "[1-9][0-9]*"), ("encrypt", "0")):
            self.environment["WEFT_IP_SECURITY"] = security
            job = self.begin()
            job.ready(2)
            seen, _ = self.stranger("h1", "read_path").communicate(timeout=120)
            self.assertRegex(seen, rf"^{shown}\n$", security)
            self.end(job)


def main():
    if sys.argv[1] != "--attack":
        support.main(StrangersTest)
        return
    attack, *arguments = sys.argv[2:]
    if attack in ("record", "record_datagrams", "read_path"):
        globals()[attack](*arguments)
        return
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    globals()[f"attack_{attack}"](*arguments)


if __name__ == "__main__":
    main()
