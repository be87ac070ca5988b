#!/usr/bin/env python3
"""NULL where a function needs a pointer: one line that says which, and exit code 1.

    null_test.py PROBE
"""

import os
import subprocess
import sys

ONLY_CHECKED = {"weft_put: the caller's buffer", "weft_get_nb: the caller's buffer",
                "weft_put_vector: the local address of a part", "weft_get_strided: the local address of a part"}


def main():
    probe = sys.argv[1]
    plain = {key: value for key, value in os.environ.items() if not key.startswith("WEFT_")}
    plain["WEFT_SEGMENT_SIZE"] = "16M"
    cases = subprocess.run([probe], capture_output=True, text=True, check=True).stdout.splitlines()
    if not ONLY_CHECKED <= set(cases):
        sys.exit(f"FAILED: the probe does not have {ONLY_CHECKED - set(cases)}")
    failed = 0
    for number, name in enumerate(cases):
        for check in (["1"] if name in ONLY_CHECKED else ["0", "1"]):
            done = subprocess.run([probe, str(number)], env=plain | {"WEFT_CHECK": check}, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=60)
            lines = done.stderr.splitlines()
            if done.returncode != 1 or len(lines) != 1 or f"error: {name} is NULL; WEFT_BACKTRACE" not in lines[0]:
                failed += 1
                print(f"FAILED: {name} (WEFT_CHECK={check}): exit code {done.returncode}\n{done.stderr}")
    sys.exit(1 if failed else 0)


main()
