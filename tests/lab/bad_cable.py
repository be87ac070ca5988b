#!/usr/bin/env python3
"""A bad cable between a host of a lab and its switch: packets get lost, damaged, doubled or late, connections are cut.

It stands in for netem, which some kernels lack. Between the host's port and the switch's bridge it puts two TAP devices
and carries every packet from one to the other by itself; the kernel's TCP on both ends is real. Use it by BadCable, or

    ip netns exec weft-LAB-switch bad_cable.py HOST SEED

which reads lines from its input: one of FAULTS and a share of the packets from 0 to 1 ("drop 0.01"), or "cut": the next
packet with data becomes a reset of its connection. It answers each line with its counts, as JSON, those of "carried"
packets and "datagrams" among them too. Only packets between ranks are touched (TCP and UDP, both ports above
WELL_KNOWN): the launcher's connections stay whole. The end of the input ends
it, and puts the right cable back."""

import collections
import fcntl
import heapq
import json
import os
import random
import select
import struct
import subprocess
import sys
import time

FAULTS = ("drop", "mute", "damage", "double", "late")  # mute: datagrams are lost, and nothing else
LATE_S = 0.005
WELL_KNOWN = 10000  # ports below are the lab's
TAP_DEVICE = "/dev/net/tun"  # without which there is no bad cable
BRIDGE, SWITCH = "br0", "bad-bridge"
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 2, 0x1000
TCP, UDP = 6, 17
TCP_RESET, TCP_ACK = 4, 16
BUFFER = 65536
READS_IN_TURN = 64  # from one side before the other has its turn


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def open_tap(name, bridge):
    tap = os.open(TAP_DEVICE, os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    ip("link", "set", name, "addrgenmode", "none", "master", bridge, "up")
    return tap


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


class Packet:
    """Where things are in an Ethernet frame of TCP or UDP over IPv4 between ranks; `ours` is False for all others."""

    def __init__(self, frame):
        self.ours = False
        if frame[12:14] != b"\x08\x00" or frame[23] not in (TCP, UDP):
            return
        self.is_tcp = frame[23] == TCP
        self.begin = 14 + 4 * (frame[14] & 15)
        self.data = self.begin + (4 * (frame[self.begin + 12] >> 4) if self.is_tcp else 8)
        self.end = 14 + int.from_bytes(frame[16:18], "big")
        self.ours = min(struct.unpack_from("!HH", frame, self.begin)) > WELL_KNOWN


def reset_in_place_of(frame, packet):
    """The sender of this packet seems to end its connection at once."""
    addresses = frame[26:34]
    segment = bytearray(frame[packet.begin:packet.begin + 20])
    segment[12:14] = bytes((5 << 4, TCP_RESET | TCP_ACK))
    segment[16:20] = bytes(4)
    segment[16:18] = checksum(addresses + struct.pack("!HH", 6, len(segment)) + segment).to_bytes(2, "big")
    header = bytearray(frame[14:34])
    header[0] = 0x45
    header[2:4] = (len(header) + len(segment)).to_bytes(2, "big")
    header[10:12] = bytes(2)
    header[10:12] = checksum(bytes(header)).to_bytes(2, "big")
    return bytes(frame[:14] + header + segment)


class Cable:
    def __init__(self, ends, seed):
        self.ends = ends
        self.random = random.Random(seed)
        self.shares = dict.fromkeys(FAULTS, 0.0)
        self.cut_next = False
        self.late = []  # heap of (when, number, end, frame)
        self.counts = collections.Counter()

    def obey(self, line):
        words = line.split()
        if words == ["cut"]:
            self.cut_next = True
        else:
            self.shares[words[0]] = float(words[1])

    @staticmethod
    def put(end, frame):
        try:
            os.write(end, frame)
        except BlockingIOError:
            pass  # a full queue loses packets, as it does everywhere

    def carry(self, frame, end):
        packet = Packet(frame)
        if not packet.ours:
            return self.put(end, frame)
        self.counts["carried"] += 1
        self.counts["datagrams"] += not packet.is_tcp
        if self.cut_next and packet.is_tcp and packet.end > packet.data:
            self.cut_next = False
            self.counts["cut"] += 1
            return self.put(end, reset_in_place_of(frame, packet))
        happens = {fault: share > 0 and self.random.random() < share for fault, share in self.shares.items()}
        self.counts.update(fault for fault, does in happens.items() if does)
        if happens["drop"] or (happens["mute"] and not packet.is_tcp):
            return None
        if happens["damage"]:
            place = self.random.randrange(packet.begin, len(frame))
            frame = frame[:place] + bytes((frame[place] ^ 1 << self.random.randrange(8),)) + frame[place + 1:]
        if happens["late"]:
            return heapq.heappush(self.late, (time.monotonic() + LATE_S, self.counts["carried"], end, frame))
        self.put(end, frame)
        return self.put(end, frame) if happens["double"] else None

    def run(self):
        while True:
            wait = max(0, self.late[0][0] - time.monotonic()) if self.late else None
            ready = select.select([*self.ends, sys.stdin], [], [], wait)[0]
            while self.late and self.late[0][0] <= time.monotonic():
                _, _, end, frame = heapq.heappop(self.late)
                self.put(end, frame)
            for end, other in (self.ends, self.ends[::-1]):
                for _ in range(READS_IN_TURN if end in ready else 0):
                    try:
                        self.carry(os.read(end, BUFFER), other)
                    except BlockingIOError:
                        break
            if sys.stdin in ready:
                line = sys.stdin.readline()
                if not line:
                    return
                self.obey(line)
                print(json.dumps(self.counts), flush=True)


def main():
    host, seed = sys.argv[1:]
    port = f"{host}-0"
    ip("link", "add", SWITCH, "type", "bridge", "stp_state", "0")
    ip("link", "set", SWITCH, "addrgenmode", "none", "up")
    ends = open_tap("bad-near", SWITCH), open_tap("bad-far", BRIDGE)
    ip("link", "set", port, "master", SWITCH)
    print("ready", flush=True)
    try:
        Cable(ends, seed).run()
    finally:
        ip("link", "set", port, "master", BRIDGE)
        ip("link", "del", SWITCH)


class BadCable:
    """The cable of a host, bad from here to close(). `lab` is the lab's name."""

    def __init__(self, lab, host, seed):
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", f"weft-{lab}-switch", sys.executable, os.path.abspath(__file__), host, str(seed)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            self.close()
            raise RuntimeError("the bad cable did not come up")

    def tell(self, *words):
        """A line of those above; the counts so far, by fault, and "carried"."""
        print(*words, file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


if __name__ == "__main__":
    main()
