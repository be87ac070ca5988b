"""One host of a lab: the process that holds its name and mounts and stands in for its ssh server.

    host.py LAB HOST NAMESPACE FOLDER

It enters the host's network, gives itself the host's name, /etc/hosts, /sys, /dev/shm and System V IPC, prints "ready",
and then runs commands that come over the lab's own network, so that they suffer what the network suffers.

A request is two connections, each beginning with one line of JSON with the lab's secret and a number of the caller's
choice: first {"stream": "error"}, then {"command": text}. The command's standard input and output are the second,
its standard error the first. As with ssh, it goes on when the caller ends; it finds its streams closed.
"""

import ctypes
import hmac
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys

PORT = 7022
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWNET = 0x20000, 0x4000000, 0x8000000, 0x40000000
MS_BIND, MS_REC, MS_SLAVE = 0x1000, 0x4000, 0x80000
MNT_DETACH = 2
libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def enter(pid):
    """Makes this process one of the host whose own process is `pid`."""
    folder = os.getcwd()
    for kind in ("net", "uts", "ipc", "mnt"):
        with open(f"/proc/{pid}/ns/{kind}", "rb") as file:
            check(libc.setns(file.fileno(), 0), f"cannot enter the host's {kind} namespace")
    os.chdir(folder)
    os.sched_setaffinity(0, os.sched_getaffinity(pid))


def mount(source, target, kind=None, flags=0):
    as_bytes = [None if text is None else str(text).encode() for text in (source, target, kind)]
    check(libc.mount(*as_bytes, flags, None), f"cannot mount {target}")


def become(host, namespace, folder):
    with open(f"/run/netns/{namespace}", "rb") as file:
        check(libc.setns(file.fileno(), CLONE_NEWNET), "cannot enter the network namespace")
    check(libc.unshare(CLONE_NEWUTS | CLONE_NEWNS | CLONE_NEWIPC), "cannot have namespaces of its own")
    socket.sethostname(host)
    mount(None, "/", flags=MS_SLAVE | MS_REC)
    mount(f"{folder}/hosts", "/etc/hosts", flags=MS_BIND)
    libc.umount2(b"/sys", MNT_DETACH)
    mount("sysfs", "/sys", "sysfs")
    mount("tmpfs", "/dev/shm", "tmpfs")


def read_line(connection):
    """The first line, byte by byte: what follows is the command's."""
    line = b""
    while len(line) < 1 << 20 and not line.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            break
        line += byte
    return line


def serve(listener, secret):
    errors = {}
    while True:
        connection, _ = listener.accept()
        connection.settimeout(5)
        try:
            request = json.loads(read_line(connection))
            known = hmac.compare_digest(str(request["secret"]), secret)
        except (OSError, ValueError, KeyError, TypeError):
            known = False
        if not known:
            connection.close()
            continue
        connection.settimeout(None)
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
