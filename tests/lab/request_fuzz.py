#!/usr/bin/env python3
"""Random first lines for a host of a lab (lab/host.py): request_fuzz.py [SECONDS [SEED]]. Nobody who does not know the
lab's secret may be heard, and none may end the host by an exception. Each case is a seed, as in start_fuzz."""

import json
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lab"))
from host import request_of  # pylint: disable=wrong-import-position

SECRET = "0123456789abcdef"
GOOD = {"secret": SECRET, "id": "7", "command": "true"}
VALUES = (None, True, 0, -1, 1.5, 10**30, "", "ä", SECRET, SECRET[:-1], SECRET + "0", [], {}, [SECRET],
          {"secret": SECRET})
EDGES = (b"", b"{", b"}", b'"', b"[" * 2000, b"\xff", b"\0", b"9" * 5000, b"NaN", b"\\u0000", b"\\ud800", b",", b":",
         b"\n")


def line_of(dice):
    """Of JSON, with other values or changed bytes or not."""
    request = dict(GOOD)
    if dice.random() < 0.5:
        request[dice.choice((*GOOD, "stream"))] = dice.choice(VALUES)
    if dice.random() < 0.1:
        del request[dice.choice(tuple(request))]
    line = json.dumps(request if dice.random() < 0.95 else dice.choice(VALUES)).encode()
    for _ in range(dice.choice((0, 0, 1, 3))):
        at = dice.randrange(len(line) + 1)
        line = line[:at] + dice.choice((dice.choice(EDGES), dice.randbytes(3))) + line[at + dice.randrange(4):]
    return line + b"\n"


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 31)
    print(f"request_fuzz: seeds from {seed}", flush=True)
    end = time.monotonic() + seconds
    heard = refused = 0
    while True:
        line = line_of(random.Random(seed))
        try:
            request = request_of(line, SECRET)
        except Exception as error:  # pylint: disable=broad-except # whatever it is, it would end the host
            sys.exit(f"request_fuzz: {error!r} (request_fuzz.py 0 {seed})")
        if request is not None and (not isinstance(request, dict) or request["secret"] != SECRET):
            sys.exit(f"request_fuzz: {line!r} was heard (request_fuzz.py 0 {seed})")
        heard, refused = heard + (request is not None), refused + (request is None)
        seed += 1
        if time.monotonic() >= end:
            break
    print(f"{heard + refused} lines: {heard} heard, {refused} refused")
    sys.exit(0 if (heard and refused) or seconds < 1 else 1)


if __name__ == "__main__":
    main()
