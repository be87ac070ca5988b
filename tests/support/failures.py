#!/usr/bin/env python3
"""What the tests that failed said last: failures.py BUILD_FOLDER.

ctest prints a failure where it happens, which is far up once all other tests have run."""

import os
import re
import sys

LINES = 8  # of each test
WIDTH = 200  # of each line


def outputs(log):
    """The tests of ctest's log, each with what it printed."""
    return re.findall(r"^\d+/\d+ Test: (.*)\n(?:.*\n)*?Output:\n-+\n((?:.*\n)*?)<end of output>$", log, re.MULTILINE)


def main():
    folder = os.path.join(sys.argv[1], "Testing", "Temporary")
    try:
        with open(f"{folder}/LastTestsFailed.log", encoding="utf-8") as file:
            failed = {line.split(":", 1)[1].strip() for line in file if ":" in line}
        with open(f"{folder}/LastTest.log", encoding="utf-8", errors="replace") as file:
            log = file.read()
    except OSError as error:
        return f"failures.py: {error}"
    for name, output in outputs(log):
        if name in failed:
            print(f"\n{name} said last:")
            print("\n".join(f"  {line[:WIDTH]}" for line in output.strip().splitlines()[-LINES:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
