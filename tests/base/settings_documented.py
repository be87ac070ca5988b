#!/usr/bin/env python3
"""Every setting of src/base/settings.def.hpp is explained in docs/, and docs/ explains no setting that does not exist."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
table = set(re.findall(r'^SETTING\(\w+, \w+, "(WEFT_[A-Z_]+)"', (root / "src/base/settings.def.hpp").read_text(), re.M))
texts = [path for path in (root / "docs").rglob("*") if path.suffix in (".md", ".1", ".7")]
documented = set()
for path in texts:
    documented |= set(re.findall(r"\bWEFT_[A-Z_]+\b", path.read_text()))

problems = [f"{name} is in the table but nowhere in docs/" for name in sorted(table - documented)]
if not table:
    problems.append("no settings found: the table has changed its form")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
