#!/usr/bin/env python3
"""The manual page names the functions that the header declares, and no others: man_page_test.py SOURCE"""

import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
header = (source / "include/weft/linalg.h").read_text()
page = (source / "docs/man/weft-linalg.3").read_text()
declared = set(re.findall(r"^\w[^/;(]*\b(weft_la_\w+)\(", header, re.MULTILINE))
named = set(re.findall(r"^\.Fn (weft_la_\w+)", page, re.MULTILINE))
assert len(declared) > 20, declared
if declared != named:
    sys.exit(f"not in the page: {sorted(declared - named)}; not in the header: {sorted(named - declared)}")
