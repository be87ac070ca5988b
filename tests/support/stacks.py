#!/usr/bin/python3
"""stacks.py PID stacks: prints the stack of every thread of each process below PID, by gdb; without gdb, where in the
kernel each thread is. stacks.py PID end: kills those processes.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys


def below(top):
    """The processes below `top`, parents first, without this one."""
    children = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        children.setdefault(parent, []).append(int(status.parent.name))
    found = []
    waiting = [top]
    while waiting:
        for child in sorted(children.get(waiting.pop(0), [])):
            if child != os.getpid():
                found.append(child)
                waiting.append(child)
    return found


def command_of(pid):
    return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()


def stack(pid):
    if shutil.which("gdb"):
        command = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off",
                   "-p", str(pid), "-ex", "thread apply all backtrace 30"]
        try:
            text = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stdout
        except subprocess.TimeoutExpired:
            text = ""
        kept = [line for line in text.splitlines() if line.startswith(("Thread", "#"))]
        if kept:
            return kept
    return [f"thread {task.name} in {(task / 'wchan').read_text() or 'no system call'}"
            for task in sorted(pathlib.Path(f"/proc/{pid}/task").iterdir())]


def main():
    for pid in below(int(sys.argv[1])):
        try:
            if sys.argv[2] == "end":
                os.kill(pid, signal.SIGKILL)
            else:
                print(f"stack of {pid}: {command_of(pid)}", *stack(pid), sep="\n  ", file=sys.stderr, flush=True)
        except OSError:
            pass  # it has ended


if __name__ == "__main__":
    main()
