"""One host of a lab: the process that holds its name and mounts and stands in for its ssh server.

    host.py LAB HOST NAMESPACE FOLDER

It enters the host's network, gives itself the host's name, /etc/hosts, /sys, /dev/shm and System V IPC, prints "ready",
and then runs commands that come over the lab's own network, so that they suffer what the network suffers.

A request is two connections, each beginning with one line of JSON with the lab's secret and a number of the caller's
choice: first {"stream": "error"}, then {"command": text}. The command's standard input and output are the second,
its standard error the first. As with ssh, it goes on when the caller ends; it finds its streams closed.
"""

import contextlib
import ctypes
import hmac
import json
import os
import pathlib
import selectors
import signal
import socket
import subprocess
import sys
import time

PORT = 7022
PATIENCE_S = 5  # for a caller's first line
MOST_CALLERS = 200  # that have not sent it; a further one takes the oldest one's place
LONGEST_LINE = 1 << 20
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWNET = 0x20000, 0x4000000, 0x8000000, 0x40000000
MS_RDONLY, MS_BIND, MS_REC, MS_SLAVE = 0x1, 0x1000, 0x4000, 0x80000
MNT_DETACH = 2
libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def enter(pid):
    """Makes this process one of the host whose own process is `pid`."""
    folder = os.getcwd()
    root = os.open(f"/proc/{pid}/root", os.O_PATH)  # setns would go to the machine's, out of a chroot
    for kind in ("net", "uts", "ipc", "mnt"):
        with open(f"/proc/{pid}/ns/{kind}", "rb") as file:
            check(libc.setns(file.fileno(), 0), f"cannot enter the host's {kind} namespace")
    os.fchdir(root)
    os.chroot(".")
    os.close(root)
    os.chdir(folder)
    os.sched_setaffinity(0, os.sched_getaffinity(pid))


def mount(source, target, kind=None, flags=0, options=None):
    source, target, kind, options = (None if text is None else str(text).encode()
                                     for text in (source, target, kind, options))
    check(libc.mount(source, target, kind, flags, options), f"cannot mount {target.decode()}")


def give_names(folder):
    """The lab's hosts in /etc/hosts, which a minimal machine may not have."""
    if os.path.exists("/etc/hosts"):
        mount(f"{folder}/etc/hosts", "/etc/hosts", flags=MS_BIND)
    else:
        mount("overlay", "/etc", "overlay", MS_RDONLY, f"lowerdir={folder}/etc:/etc")


def become(host, namespace, folder):
    with open(f"/run/netns/{namespace}", "rb") as file:
        check(libc.setns(file.fileno(), CLONE_NEWNET), "cannot enter the network namespace")
    check(libc.unshare(CLONE_NEWUTS | CLONE_NEWNS | CLONE_NEWIPC), "cannot have namespaces of its own")
    socket.sethostname(host)
    mount(None, "/", flags=MS_SLAVE | MS_REC)
    give_names(folder)
    libc.umount2(b"/sys", MNT_DETACH)
    mount("sysfs", "/sys", "sysfs")
    mount("tmpfs", "/dev/shm", "tmpfs")


class Callers:
    """Connections that have not yet said what they want. Whoever says nothing keeps nobody else waiting."""

    def __init__(self, listener):
        self.listener = listener
        self.waiting = {}  # connection: its line so far and when it is given up; the oldest first
        self.selector = selectors.DefaultSelector()
        listener.setblocking(False)
        self.selector.register(listener, selectors.EVENT_READ)

    def next(self):
        """Waits for a connection whose first line is complete; the connection and the line."""
        while True:
            oldest = next(iter(self.waiting.values()), None)
            events = self.selector.select(max(0, oldest[1] - time.monotonic()) if oldest else None)
            for connection in [key.fileobj for key, _ in events if key.fileobj is not self.listener]:
                if self.read(connection):
                    line, _ = self.forget(connection)
                    connection.setblocking(True)
                    return connection, line
            if any(key.fileobj is self.listener for key, _ in events):
                self.accept()
            now = time.monotonic()
            self.give_up([each for each, (_, end) in self.waiting.items() if end <= now])

    def accept(self):
        with contextlib.suppress(OSError):
            connection, _ = self.listener.accept()
            connection.setblocking(False)
            self.waiting[connection] = b"", time.monotonic() + PATIENCE_S
            self.selector.register(connection, selectors.EVENT_READ)
        if len(self.waiting) > MOST_CALLERS:
            self.give_up([next(iter(self.waiting))])

    def read(self, connection):
        """True if the line is complete. Takes no byte beyond it: what follows is the command's input."""
        line, end = self.waiting[connection]
        try:
            seen = connection.recv(4096, socket.MSG_PEEK)
            line += connection.recv(seen.find(b"\n") + 1 or len(seen))
        except BlockingIOError:
            return False
        except OSError:
            seen = b""
        self.waiting[connection] = line, end
        if not seen or len(line) > LONGEST_LINE:
            self.give_up([connection])
            return False
        return line.endswith(b"\n")

    def forget(self, connection):
        self.selector.unregister(connection)
        return self.waiting.pop(connection)

    def give_up(self, connections):
        for connection in connections:
            self.forget(connection)
            connection.close()


def request_of(line, secret):
    """What the line asks for; None if it is no request of somebody who knows the secret."""
    try:
        request = json.loads(line)
        return request if hmac.compare_digest(str(request["secret"]), secret) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def serve(listener, secret):
    callers = Callers(listener)
    errors = {}
    while True:
        connection, line = callers.next()
        request = request_of(line, secret)
        if request is None:
            connection.close()
            continue
        if request.get("stream") == "error":
            errors[request["id"]] = connection
            continue
        error = errors.pop(request["id"], connection)
        subprocess.Popen(["/bin/sh", "-c", request["command"]], stdin=connection, stdout=connection, stderr=error,
                         start_new_session=True, cwd=os.environ.get("HOME", "/"))
        connection.close()
        error.close()


def main():
    _, host, namespace, folder = sys.argv[1:]
    secret = (pathlib.Path(folder) / "secret").read_text()
    become(host, namespace, folder)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how the commands end
    listener = socket.create_server(("0.0.0.0", PORT), backlog=256, reuse_port=False)
    print("ready", flush=True)
    nothing = os.open("/dev/null", os.O_WRONLY)
    os.dup2(nothing, 1)
    serve(listener, secret)


if __name__ == "__main__":
    try:
        main()
    except OSError as failure:
        sys.exit(f"{failure.strerror or failure}")
