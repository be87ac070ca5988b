#!/usr/bin/python3
"""tools/abi: the libraries and headers are as listed, and a change of each kind is seen and named.

  abi_test.py ROOT BUILD
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
# What is changed in a header, and what must be said then.
CHANGES = [
    ("am.h", "  size_t capacity;", "  int capacity;",
     ["struct weft_am_buffer at 8, 8 bytes: size_t capacity;' is gone",
      "struct weft_am_buffer at 8, 4 bytes: int capacity;' is new"]),
    ("types.h", "WEFT_ERR_SYSTEM = -6", "WEFT_ERR_SYSTEM = -9", ["constant WEFT_ERR_SYSTEM = -6' is gone"]),
    ("types.h", "typedef uint64_t weft_handle_t;", "typedef void* weft_handle_t;",
     ["type weft_handle_t: uint64_t' is gone"]),
    ("job.h", "int weft_finalize(void);", "int weft_finalize(int how);",
     ["function int weft_finalize .void.' is gone", "function int weft_finalize .int.' is new"]),
]


def check(*arguments):
    done = subprocess.run([sys.executable, ROOT / "tools/abi/check_abi.py", BUILD, *arguments], capture_output=True,
                          text=True)
    print(done.stdout, done.stderr, sep="")
    return done.returncode, done.stderr


def main():
    code, _ = check()
    if code != 0:
        sys.exit(code)
    with tempfile.TemporaryDirectory() as work:
        include, lists = pathlib.Path(work) / "include", pathlib.Path(work) / "lists"
        shutil.copytree(ROOT / "include", include)
        shutil.copytree(ROOT / "tools/abi", lists)
        expected = []
        for name, before, after, messages in CHANGES:
            header = include / "weft" / name
            assert before in header.read_text(), f"{name} has no '{before}' any more"
            header.write_text(header.read_text().replace(before, after))
            expected += messages
        listed = lists / "weft.abi"
        listed.write_text(listed.read_text() + "symbol weft_gone\n")
        expected.append("symbol weft_gone' is gone")
        code, said = check("--include", include, "--lists", lists)
        missing = [message for message in expected if not re.search(message, said)]
        if code != 1 or missing:
            sys.exit(f"exit status {code}; not said: {missing}")


if __name__ == "__main__":
    main()
