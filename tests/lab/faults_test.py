#!/usr/bin/env python3
"""What becomes of Weft programs when the network between their hosts fails. See support.py for how to run them."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support  # pylint: disable=wrong-import-position
from jobs import StreamTest  # pylint: disable=wrong-import-position


class FaultsTest(StreamTest):
    def test_blocks_arrive_whole_on_all_hosts(self):
        self.up(4)
        job = self.run_job("-n", 8, self.stream, 20)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("20 blocks arrived whole", job.output)

    def test_a_link_of_1_megabit_is_slow_but_works(self):
        self.up(2, "--rate", "1mbit")
        job = self.start("-n", 2, self.stream, 12, 32768)
        self.assertEqual(job.wait(40), 0, job.errors)
        self.assertIn("12 blocks arrived whole", job.output)

    def test_a_link_that_drops_to_1_megabit_under_a_transfer_does_no_harm(self):
        self.up(2)
        job = self.begin(65536)
        job.ready(2)
        self.lab("rate", "1mbit")
        before = self.sent("h1")[0]
        time.sleep(3)  # a block takes half a second now
        self.assertLess(self.sent("h1")[0] - before, 20 * 65536, "the link did not become slow")
        self.lab("rate", "unlimited")
        self.wait_for_traffic(job, 100 * 65536)
        self.end(job)

    def test_two_links_share_large_transfers_and_take_turns_with_small_ones(self):
        self.up(2, "--links", 2)
        self.environment.update(WEFT_CONDUIT="node", WEFT_NET_INTERFACE="eth0,eth1")
        self.share(2, (60, 1 << 20, 0.45), (3000, 8192, 0.3))

    def test_interfaces_that_hosts_name_in_another_order_are_paired_by_their_networks(self):
        self.up(2, "--links", 2)
        self.environment.update(WEFT_NET_INTERFACE="eth0,eth1", WEFT_LOG="info")
        with tempfile.TemporaryDirectory() as folder:
            before = self.sent("h1", 2)
            job = self.run_job("-n", 2, self.on_h2(folder, "WEFT_NET_INTERFACE=eth1,eth0"), self.stream, 60, 1 << 20)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("ip on eth0 (10.144.0.1), eth1 (10.144.1.1), security", job.errors)
        moved = [after - first for first, after in zip(before, self.sent("h1", 2))]
        self.assertGreater(min(moved), 0.4 * sum(moved), moved)

    def test_links_that_all_hosts_have_share_large_transfers_by_themselves(self):
        self.up(2, "--links", 3)
        self.share(3, (60, 1 << 20, 0.3))
        self.environment["WEFT_NET_INTERFACE"] = "eth2"
        job = self.run_job("-n", 2, self.stream, 60, 1 << 20)
        self.assertEqual(job.process.returncode, 0, job.errors)

    def test_slow_links_share_transfers_evenly_however_long_one_takes(self):
        self.up(2, "--links", 2, "--rate", "10mbit")
        self.share(2, (8, 1500000, 0.4))

    def test_a_slow_second_link_slows_no_job_down(self):
        self.up(2, "--links", 2, "--rate", "200mbit")
        for host in ("h1", "h2"):
            done = self.lab("exec", host, "tc", "qdisc", "replace", "dev", "eth1", "root", "handle", "1:", "tbf",
                            "rate", "20mbit", "burst", 73728, "limit", 131072)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.environment["WEFT_LOG"] = "info"
        took = {}
        for interfaces in ("eth0", "eth0,eth1"):
            self.environment["WEFT_NET_INTERFACE"] = interfaces
            before, begin = self.sent("h1", 2), time.monotonic()
            job = self.run_job("-n", 2, self.stream, 130, 1 << 20)
            took[interfaces] = time.monotonic() - begin
            self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertLess(took["eth0,eth1"], 1.5 * took["eth0"], "half of each block on eth1 takes five times as long")
        self.assertRegex(job.errors, r"eth1 \(10\.144\.1\.[12]\) carries \d+ MB/s to rank [01] where eth0 "
                                     r"\(10\.144\.0\.[12]\) carries \d+; it gets as much less")
        moved = [after - first for first, after in zip(before, self.sent("h1", 2))]
        self.assertGreater(moved[1], 0.02 * moved[0], f"{moved} bytes: eth1 is used as well")

    def test_rates_that_are_told_after_an_outage_are_possible(self):
        self.up(2, "--links", 2, "--rate", "200mbit")
        self.environment["WEFT_LOG"] = "info"
        job = self.start("-n", 2, self.stream, 150, 1 << 20)
        job.ready(2)
        time.sleep(1.5)
        for state, pause in (("down", 4), ("up", 0)):
            subprocess.run(["ip", "-n", f"weft-{self.name}-switch", "link", "set", "h2-1", state], check=True)
            time.sleep(pause)
        self.assertEqual(job.wait(60), 0, job.errors)
        told = [int(rate) for rate in re.findall(r"carries (\d+)", job.errors)]
        self.assertLess(max(told, default=0), 50, f"a link carries 25 MB/s: {job.errors}")

    def test_a_link_that_leads_nowhere_is_left_out(self):
        self.up(2, "--links", 2)
        self.lab("exec", "h2", "ip", "link", "set", "eth1", "down")
        job = self.run_job("-n", 2, self.stream, 60, 1 << 20)
        self.assertEqual(job.process.returncode, 0, job.errors)
        # The address is there and says the same network, but packets do not arrive.
        self.lab("exec", "h2", "ip", "link", "set", "eth1", "up")
        self.lab("exec", "h2", "ip", "route", "add", "blackhole", "10.144.1.1/32")
        self.environment["WEFT_LOG"] = "info"
        job = self.run_job("-n", 2, self.stream, 60, 1 << 20)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("60 blocks arrived whole", job.output)

    def test_a_network_names_interfaces_whose_names_differ(self):
        self.up(2, "--links", 2)
        for command in ("set eth1 down", "set eth1 name lan7", "set lan7 up"):
            done = self.lab("exec", "h2", "ip", "link", *command.split())
            self.assertEqual(done.returncode, 0, done.stderr)
        for conduit, said in (("ip", r"ip on eth1 \(10\.144\.1\.1\)"), ("ofi", r"interface eth1 \(10\.144\.1\.1\)")):
            self.environment.update(WEFT_NET_INTERFACE="10.144.1.0/24", WEFT_LOG="info", WEFT_CONDUIT=conduit)
            job = self.run_job("-n", 2, self.stream, 3)
            self.assertEqual(job.process.returncode, 0, job.errors)
            self.assertRegex(job.errors, said)
        self.environment.update(WEFT_NET_INTERFACE="10.144.7.0/24", WEFT_CONDUIT="ip")
        job = self.run_job("-n", 2, self.stream, 3)
        self.assertEqual((job.process.returncode, job.errors.count("error:")), (1, 1), job.errors)
        self.assertRegex(job.errors,
                         r"there is no interface of network '10\.144\.7\.0/24' that is up with an address on host h1")

    @unittest.skipUnless(os.path.exists("/proc/sys/net/ipv6"), "this kernel has no IPv6")
    def test_hosts_meet_over_ipv6(self):
        self.up(2, "--links", 2)
        self.environment["WEFT_NET_INTERFACE"] = "eth1"
        for number in (1, 2):
            self.lab("exec", f"h{number}", "ip", "-4", "addr", "flush", "dev", "eth1")
            self.lab("exec", f"h{number}", "sysctl", "-qw", "net.ipv6.conf.eth1.disable_ipv6=0")
            self.lab("exec", f"h{number}", "ip", "addr", "add", f"fd00::{number}/64", "dev", "eth1", "nodad")
        self.environment["WEFT_LOG"] = "info"
        job = self.run_job("-n", 4, self.stream, 20, 1 << 20)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("ip on eth1 (fd00::1)", job.errors)
        self.assertIn("20 blocks arrived whole", job.output)
        # Networks of both families: that of the first is used, and the job and weft-info say so.
        for networks, first, other, family in (("fd00::/64,10.144.0.0/24", "eth1 (fd00::1)", "eth0 (10.144.0.1)", 6),
                                               ("10.144.0.0/24,fd00::/64", "eth0 (10.144.0.1)", "eth1 (fd00::1)", 4)):
            self.environment["WEFT_NET_INTERFACE"] = networks
            job = self.run_job("-n", 2, self.stream, 3)
            self.assertEqual(job.process.returncode, 0, job.errors)
            self.assertIn(f"ip on {first}, security", job.errors)
            self.assertIn(f"{networks.split(',')[1]} is not used: the addresses of a job are of one family, and this "
                          f"job's are of IPv{family}\n", job.errors)
            told = self.lab("exec", "h1", os.path.join(support.BIN, "weft-info"), "--network").stdout
            self.assertIn(f"on {first}, or where these do not join all hosts on {other}, ", told)
        self.environment["WEFT_NET_INTERFACE"] = "eth1"
        # One with IPv6 alone and one with IPv4 alone cannot meet.
        self.lab("exec", "h1", "ip", "-6", "addr", "flush", "dev", "eth1")
        self.lab("exec", "h1", "ip", "addr", "add", "10.9.0.1/24", "dev", "eth1")
        job = self.run_job("-n", 2, self.stream, 20, 1 << 20)
        self.assertEqual(job.process.returncode, 1, job.output)
        self.assertIn("rank 1 uses no address of IPv4 and rank 0 uses no address of IPv6", job.errors)

    def share(self, links, *cases):
        """Jobs of two ranks, of (blocks, bytes of each, the least part of what is sent that each link takes)."""
        for blocks, size, least in cases:
            before = self.sent("h1", links)
            job = self.run_job("-n", 2, self.stream, blocks, size)
            self.assertEqual(job.process.returncode, 0, job.errors)
            moved = [after - first for first, after in zip(before, self.sent("h1", links))]
            self.assertGreater(sum(moved), blocks * size)
            self.assertGreater(min(moved), least * sum(moved), f"{moved} bytes for {blocks} blocks of {size}")

    def on_h2(self, folder, setting):
        """A command to put before the program, which sets this on host h2 only."""
        path = os.path.join(folder, "on_h2")
        with open(path, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\n[ "$(hostname)" = h2 ] && export {setting}\nexec "$@"\n')
        os.chmod(path, 0o755)
        return path

    def test_loopback_is_refused_between_hosts(self):
        self.up(2)
        for name, provider, shown in (("lo", "", "127.0.0.1"), ("127.0.0.1", "", "127.0.0.1"), ("::1", "tcp", "::1"),
                                      ("lo", "udp", "127.0.0.1")):
            self.environment.update(WEFT_NET_INTERFACE=name, WEFT_OFI_PROVIDER=provider)
            job = self.run_job("-n", 2, self.stream, 3)
            self.assertEqual(job.process.returncode, 1, job.errors)
            self.assertRegex(job.errors, rf"WEFT_NET_INTERFACE: lo \({shown}\) is loopback, but the job spans hosts; "
                                         r"name one of: eth0 [^l]*\n")

    def own_ports(self, pid):
        """Where a process takes connections and datagrams from anybody."""
        inodes = {match[1] for match in map(re.compile(r"socket:\[(\d+)\]").match, self.descriptors(pid)) if match}
        ports = set()
        for table, state in (("tcp", "0A"), ("udp", "07")):
            with open(f"/proc/{pid}/net/{table}", encoding="ascii") as file:
                rows = [line.split() for line in file.readlines()[1:]]
            ports |= {int(row[1].split(":")[1], 16) for row in rows if row[9] in inodes and row[3] == state}
        return ports

    def test_ranks_listen_on_ports_of_the_range_and_launchers_on_none(self):
        self.up(2)
        self.environment["WEFT_IP_PORT_RANGE"] = "24100-24101"
        for _ in range(2):  # the second at once: connections of the first, which have ended, are in nobody's way
            job = self.start("-n", 4, self.stream, 10**9, 100000, self.stop)
            self.jobs.append(job)
            ranks = job.ready(4)
            for first in (0, 2):
                self.assertEqual([self.own_ports(ranks[rank]) for rank in (first, first + 1)], [{24100}, {24101}])
            launchers = [pid for host in ("h1", "h2") for pid in self.on_host(host, "weftrun --")]
            self.assertGreater(len(launchers), 2)
            self.assertEqual([self.own_ports(pid) for pid in launchers], [set()] * len(launchers))
            self.end(job)
        job = self.run_job("-n", 5, self.stream, 3)
        self.assertEqual((job.process.returncode, job.errors.count("error:")), (1, 1), job.errors)
        self.assertRegex(job.errors, r"WEFT_IP_PORT_RANGE: 24100-24101 is too small for host h1, whose ranks "
                                     r"\(3\) need 3 ports; open a wider range, or start fewer ranks there\n")

    def test_a_port_for_datagrams_that_another_program_has_is_not_taken_or_told_of(self):
        self.up(2)
        self.environment["WEFT_IP_PORT_RANGE"] = "24100-24199"
        holds = ("import socket\nheld = socket.socket(type=socket.SOCK_DGRAM)\nheld.bind(('10.144.0.2', 24100))\n"
                 "print('held', flush=True)\ninput()")
        with subprocess.Popen(["ip", "netns", "exec", f"weft-{self.name}-h2", sys.executable, "-c", holds], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            self.assertEqual(holder.stdout.readline(), "held\n")
            other = self.run_job("-n", 2, self.stream, 20)
            self.environment["WEFT_IP_PORT_RANGE"] = "24100-24100"
            job = self.run_job("-n", 2, self.stream, 20)
            holder.communicate("\n")
        self.assertEqual((other.process.returncode, other.errors), (0, ""))
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertEqual(job.errors.count("no datagrams"), 1, job.errors)
        self.assertRegex(job.errors, r"rank 1: warning: no datagrams at 10\.144\.0\.2:24100 of host h2: Address "
                                     r"already in use; what is short comes to this rank by TCP")

    def test_a_name_that_hosts_share_is_blamed_on_its_setting(self):
        self.up(2)
        self.environment["WEFT_HOST_NAME"] = "a"
        job = self.run_job("-n", 2, self.stream, 3)
        self.assertEqual(job.process.returncode, 1, job.errors)
        self.assertRegex(job.errors, r"rank 0 runs on host h1, this rank on h2, but .* on one host: "
                                     r"unset WEFT_HOST_NAME")

    def test_settings_that_mpirun_does_not_pass_on_are_said(self):
        self.up(2)
        self.environment["WEFT_MAP_PEERS"] = "0"
        done = self.lab("mpirun", "-n", 2, self.stream, 3)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("WEFT_MAP_PEERS is '0' on rank 0 and '1', the default, on rank 1; all ranks must have the same: "
                      "mpirun -x WEFT_MAP_PEERS ... passes it to all hosts", done.stderr)
        done = self.lab("mpirun", "-x", "WEFT_MAP_PEERS", "-n", 2, self.stream, 3)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_addresses_that_several_hosts_have_are_passed_over(self):
        self.up(2, "--links", 2)
        for number in (1, 2):  # the launcher comes by the second address
            self.on_host_do(number, "addr flush dev eth0", "addr add 172.17.0.1/16 dev eth0",
                            f"addr add 10.144.0.{number}/24 dev eth0")
        self.environment["WEFT_LOG"] = "info"
        job = self.run_job("-n", 2, self.stream, 3)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("ip on eth1 (10.144.1.1), security auth", job.errors)

    def test_an_address_that_several_hosts_have_is_refused_if_it_is_the_only_one(self):
        self.up(3)
        for number in (2, 3):
            self.on_host_do(number, "link add docker0 type bridge", "addr add 172.17.0.1/16 dev docker0",
                            "link set docker0 up")
        self.on_host_do(1, "link add docker0 type bridge", "addr add 172.17.0.9/16 dev docker0", "link set docker0 up")

        def refused(said, **settings):
            begin = time.monotonic()
            job = self.run_job("-n", 6, self.stream, 3, environment={**settings, "WEFT_IP_DATAGRAMS": "0"})
            self.assertEqual((job.process.returncode, job.errors.count("error:")), (1, 1), job.errors)
            self.assertIn(f"(WEFT_NET_INTERFACE): {said}", job.errors)
            self.assertNotIn("secret", job.errors)
            self.assertLess(time.monotonic() - begin, 10)

        both = "has an address that host h3 has as well, so their ranks would call themselves; "
        for named in ("docker0", "172.17.0.0/16", "eth0,docker0"):
            refused(f"docker0 (172.17.0.1) of host h2 {both}name another interface or network",
                    WEFT_NET_INTERFACE=named)
        refused(f"lo (127.0.0.1) of host h1 {both.replace('h3', 'h2')}unset WEFT_HOST_NAME, which is for hosts",
                WEFT_CONDUIT="ip", WEFT_HOST_NAME="a")
        told = self.lab("exec", "h2", "env", "WEFT_NET_INTERFACE=docker0", os.path.join(support.BIN, "weft-info"),
                        "--network").stdout
        self.assertIn("docker0 is a bridge inside this host, which others reach by routes alone\n", told)
        self.environment["WEFT_LOG"] = "info"
        job = self.run_job("-n", 3, self.stream, 3)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("ip on eth0 (10.144.0.1), security auth", job.errors)
        begin = time.monotonic()
        over_ofi = {"WEFT_CONDUIT": "ofi", "WEFT_NET_INTERFACE": "docker0"}
        job = self.run_job("-n", 6, self.stream, 3, environment=over_ofi)
        self.assertEqual((job.process.returncode, job.errors.count("error:")), (1, 1), job.errors)
        self.assertIn("ranks 2 and 4, on different hosts, both have the address 172.17.0.1, so each would call itself; "
                      "name another interface or network", job.errors)
        self.assertLess(time.monotonic() - begin, 20)
        self.on_host_do(1, "addr flush dev docker0", "addr add 172.17.0.1/16 dev docker0")
        job = self.run_job("-n", 3, self.stream, 3,
                           environment={"WEFT_NET_INTERFACE": "172.17.0.0/16,10.144.0.0/24"})
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("no host has an address in 172.17.0.0/16 that is used", job.errors)

    def test_no_route_to_a_peer_is_said(self):
        self.up(2, "--links", 2)
        self.lab("exec", "h1", "ip", "link", "set", "eth1", "down")
        self.environment["WEFT_NET_INTERFACE"] = "eth0"
        with tempfile.TemporaryDirectory() as folder:
            begin = time.monotonic()
            job = self.run_job("-n", 2, self.on_h2(folder, "WEFT_NET_INTERFACE=eth1"), self.stream, 3)
        self.assertEqual((job.process.returncode, job.errors.count("error:")), (1, 1), job.errors)
        self.assertIn("(WEFT_NET_INTERFACE): no network has them all, and host h1 (10.144.0.1/24) has no way to "
                      "10.144.1.2 of host h2 (10.144.1.2/24): Network is unreachable; connect all hosts to one network",
                      job.errors)
        self.assertLess(time.monotonic() - begin, 20)  # not the minutes of the kernel

    def on_networks(self, *networks):
        """A lab whose hosts are on these of the networks from 1 on. The launcher has a network of its own, on which
        ranks see an address that all hosts have."""
        links = 1 + max(map(max, networks))
        self.up(len(networks), "--links", links)
        for number, own in enumerate(networks, 1):
            self.on_host_do(number, *(f"addr flush dev eth{other}" for other in set(range(links)) - set(own)),
                            "addr add 172.17.0.1/16 dev eth0", f"addr add 10.144.0.{number}/32 dev eth0",
                            f"route add 10.144.0.0/24 dev eth0 src 10.144.0.{number}")

    def on_host_do(self, number, *commands):
        for command in commands:
            done = self.lab("exec", f"h{number}", "ip", *command.split())
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_ranks_meet_after_a_cable_was_out_when_they_began(self):
        self.up(2, "--links", 2)
        self.environment["WEFT_NET_INTERFACE"] = "eth1"
        switch = f"weft-{self.name}-switch"
        subprocess.run(["ip", "-n", switch, "link", "set", "h2-1", "down"], check=True)
        job = self.start("-n", 2, self.stream, 20)
        time.sleep(6)
        subprocess.run(["ip", "-n", switch, "link", "set", "h2-1", "up"], check=True)
        self.assertEqual(job.wait(60), 0, job.errors)
        self.assertIn("20 blocks arrived whole", job.output)

    def test_an_address_on_the_network_of_another_that_hosts_share_serves(self):
        self.up(2, "--links", 2)
        for number in (1, 2):
            self.on_host_do(number, "addr flush dev eth1", "addr add 10.9.0.100/24 dev eth1",
                            f"addr add 10.9.0.{number}/24 dev eth1", "addr flush dev eth0",
                            f"addr add 169.254.{number}.1/16 dev eth0", f"addr add 10.144.0.{number}/32 dev eth0",
                            "route add 10.144.0.0/24 dev eth0")
        self.environment["WEFT_LOG"] = "info"
        job = self.run_job("-n", 2, self.stream, 3)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("ip on eth1 (10.9.0.1), security auth", job.errors)

    def test_a_route_that_forbids_is_named(self):
        self.up(2, "--links", 2)
        self.on_host_do(1, "route add prohibit 10.144.1.2/32")
        self.on_host_do(2, "route add prohibit 10.144.1.1/32")
        self.environment["WEFT_NET_INTERFACE"] = "eth1"
        job = self.run_job("-n", 2, self.stream, 3)
        self.assertEqual(job.process.returncode, 1, job.errors)
        self.assertRegex(job.errors, r"cannot send to rank [01] at 10\.144\.1\.[12]:\d+ through eth1 \([0-9.]+\) of "
                                     r"host h[12]: Permission denied; a route or a firewall of this host forbids it\n")

    def test_the_first_interfaces_are_on_a_network_of_all_hosts(self):
        self.on_networks([1, 2], [2], [1, 2])
        self.environment["WEFT_LOG"] = "info"
        job = self.run_job("-n", 3, self.stream, 10)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("ip on eth2 (10.144.2.1), security auth", job.errors)

    def test_benchmarks_beside_a_socket_find_where_hosts_meet(self):
        self.on_networks([1, 2], [2])  # the first address is one that both have
        for benchmark in ("network", "tail"):
            before = self.sent("h1", 3)
            job = self.run_job("-n", 2, os.path.join(support.BIN, "weft-bench"), benchmark, "--quick", "--max-size", 8)
            self.assertEqual((job.process.returncode, job.errors), (0, ""))
            self.assertIn("tcp round trip", job.output)
            moved = [after - first for first, after in zip(before, self.sent("h1", 3))]
            self.assertGreater(moved[2], 4 * moved[0], "the socket is not where the job is")
            job = self.run_job("-n", 2, os.path.join(support.BIN, "weft-bench"), benchmark, "--quick", "--max-size", 8,
                               environment={"WEFT_NET_INTERFACE": "10.144.2.0/24 , fd00:1::/64"})
            self.assertEqual((job.process.returncode, job.errors.count("warning")), (0, 1), job.errors)

    @unittest.skipUnless(os.path.exists("/proc/sys/net/ipv6"), "this kernel has no IPv6")
    def test_benchmarks_beside_a_socket_say_that_it_takes_ipv4(self):
        self.up(2)
        for number in (1, 2):
            self.lab("exec", f"h{number}", "sysctl", "-qw", "net.ipv6.conf.eth0.disable_ipv6=0")
            self.on_host_do(number, f"addr add fd00:1::{number}/64 dev eth0 nodad")
        for benchmark in ("network", "tail"):
            job = self.run_job("-n", 2, os.path.join(support.BIN, "weft-bench"), benchmark, "--quick", "--max-size", 8,
                               environment={"WEFT_NET_INTERFACE": "fd00:1::/64"})
            self.assertEqual(job.process.returncode, 1, job.errors)
            self.assertIn("weft-bench: the TCP socket beside the benchmark needs an address of IPv4, and 'fd00:1::/64' "
                          "(WEFT_NET_INTERFACE) has none here; name one that has\n", job.errors)

    def test_hosts_of_which_each_two_have_a_network_need_no_other(self):
        self.on_networks([1, 2], [1, 3], [2, 3])
        self.environment["WEFT_LOG"] = "info"
        streams = (os.path.join(support.BIN, "streams"), "--operations", 100, "--seed", 7)
        for settings in ({}, {"WEFT_IP_DATAGRAMS": "1"}, {"WEFT_CONDUIT": "ip", "WEFT_ORDER": "strict"},
                         {"WEFT_PROGRESS": "thread", "WEFT_IP_SECURITY": "encrypt"}):
            job = self.run_job("-n", 6, *streams, environment=settings)
            self.assertEqual(job.process.returncode, 0, job.errors)
            self.assertIn("ip on eth1 (10.144.1.1), eth2 (10.144.2.1), each to the hosts on its network", job.errors)

    def test_networks_that_are_named_need_not_be_on_all_hosts(self):
        self.up(3, "--links", 4)
        for number in (1, 2, 3):  # each two have a network, and eth0 joins all
            self.on_host_do(number, f"addr flush dev eth{number}")
        networks = "10.144.1.0/24,10.144.2.0/24,10.144.3.0/24,10.9.0.0/16"
        self.environment.update(WEFT_LOG="info", WEFT_NET_INTERFACE=networks)
        job = self.run_job("-n", 3, os.path.join(support.BIN, "streams"), "--operations", 100, "--seed", 7)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("ip on eth3 (10.144.3.1), eth2 (10.144.2.1), each to the hosts on its network", job.errors)
        self.assertIn("WEFT_NET_INTERFACE: no host has an address in 10.9.0.0/16 that is used", job.errors)

    def test_second_addresses_serve_and_bridges_inside_of_hosts_do_not(self):
        self.up(2)
        for number in (1, 2):
            self.on_host_do(number, "addr flush dev eth0", f"addr add 10.9.{number}.1/24 dev eth0",
                            f"addr add 10.144.0.{number}/24 dev eth0", "link add docker0 type bridge",
                            "link add v0 type veth peer name v1", "link set v0 master docker0", "link set v0 up",
                            "link set v1 up", "link set docker0 up", f"addr add 172.18.0.{number}/16 dev docker0")
        self.environment["WEFT_LOG"] = "info"
        job = self.run_job("-n", 2, self.stream, 3)
        self.assertEqual(job.process.returncode, 0, job.errors)
        self.assertIn("ip on eth0 (10.144.0.1), security auth", job.errors)

    def test_hosts_that_no_network_joins_are_named(self):
        self.on_networks([1, 2], [1], [2])
        job = self.run_job("-n", 6, self.stream, 10)
        self.assertEqual((job.process.returncode, job.errors.count("error:")), (1, 1), job.errors)
        self.assertIn("no network has them all, and host h2 (10.144.1.2/24, 10.144.0.2/32) has no way to 10.144.2.3 "
                      "of host h3 (10.144.2.3/24, 10.144.0.3/32): Network is unreachable; connect all hosts to one "
                      "network, or each two, or name interfaces on one", job.errors)
        # Routes join them as well as a network does.
        for host, command in (("h1", "sysctl -qw net.ipv4.ip_forward=1"),
                              ("h2", "ip route add 10.144.2.0/24 via 10.144.1.1"),
                              ("h3", "ip route add 10.144.1.0/24 via 10.144.2.1")):
            done = self.lab("exec", host, *command.split())
            self.assertEqual(done.returncode, 0, done.stderr)
        job = self.run_job("-n", 3, self.stream, 10)
        self.assertEqual(job.process.returncode, 0, job.errors)

    def test_hosts_with_different_versions_of_the_library_say_so(self):
        self.up(2)
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "other.so")
            subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-o", other], text=True, check=True,
                           input='const char* weft_version(void) { return "9.9.9"; }')
            job = self.run_job("-n", 2, self.on_h2(folder, f"LD_PRELOAD={other}"), self.stream, 3)
        self.assertEqual(job.process.returncode, 1, job.errors)
        self.assertRegex(job.errors, r"rank 1: error: .*Weft 9\.9\.9 here, \S+ on rank 0; make them the same")

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
        job = self.begin()
        job.ready(2)
        self.lab("cut", "h2")
        before = self.sent("h1")[0]
        time.sleep(0.7)
        self.assertLess(self.sent("h1")[0] - before, 100000, "the cable is still there")
        self.lab("mend", "h2")
        self.wait_for_traffic(job, 100 * 100000)
        self.end(job)

    def test_a_peer_that_computes_for_long_is_not_lost(self):
        # It reads nothing meanwhile, and more is sent to it than its socket holds.
        self.up(2)
        job = self.run_job("-n", 2, os.path.join(support.BIN, "lab_late_reader"), 24, 4 << 20)
        self.assertEqual((job.process.returncode, job.errors), (0, ""))
        self.assertIn("all arrived", job.output)

    def test_ranks_notice_that_their_network_fails_and_not_the_launchers(self):
        self.up(2, "--links", 2)
        self.environment["WEFT_NET_INTERFACE"] = "eth1"
        late = os.path.join(support.BIN, "lab_late_reader")  # the one that does not read, and the one that does
        jobs = [self.start("-n", 2, *arguments) for arguments in ((late, 90, 4 << 20), (self.stream, 0))]
        for job in jobs:
            job.ready(2)
        time.sleep(1)
        subprocess.run(["ip", "-n", f"weft-{self.name}-switch", "link", "set", "h2-1", "down"], check=True)
        begin = time.monotonic()
        for job in jobs:
            self.assertEqual(job.wait(60), 1, job.errors)
            self.assertRegex(job.errors, r"rank [01]: error: lost contact with rank [01]: Connection timed out; it was")
            self.assertGreater(time.monotonic() - begin, 15, "an outage of a few seconds does no harm")
            self.assertLess(time.monotonic() - begin, 50)

    def test_a_peer_that_dies_in_mid_transfer_ends_the_job(self):
        self.up(2)
        job = self.start("-n", 2, self.stream, 0)
        ranks = job.ready(2)
        begin = time.monotonic()
        os.kill(ranks[1], signal.SIGKILL)
        job.wait()
        self.assert_ended(job, 137, r"rank 1 \(pid \d+ on h2\) was killed by signal 9 \(Killed\); ending the job",
                          begin)

    def test_long_messages_of_several_hosts_arrive_whole_over_slow_links(self):
        # They come in piece by piece, and share receive buffers.
        self.up(4, "--rate", "50mbit")
        for provider in ("tcp", "net"):
            done = self.lab("run", "-n", 4, os.path.join(support.BIN, "conformance_test"), "--gtest_brief=1",
                            "--gtest_filter=Reply.*", env=dict(self.environment, WEFT_OFI_PROVIDER=provider))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

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
