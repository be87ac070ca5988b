#!/usr/bin/env python3
"""docs/SETTINGS.md has the rows of src/base/settings.def.hpp: the same variables in the same order, with the same
types, defaults, scopes and texts."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
DEFINITION = re.compile(r'^SETTING\(\s*\w+, (\w+), "(WEFT_\w+)", "([^"]*)", "\w+", (\w+),'
                        r'((?:\s*"(?:[^"\\]|\\.)*")+)\)', re.M)
ROW = re.compile(r"^\| `(WEFT_\w+)` \| (\w+) \| (.*?) \| (\w+) \| (.*) \|$", re.M)

source = (root / "src/base/settings.def.hpp").read_text()
table = [(variable, kind, default or "(none)", scope, "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)))
         for kind, variable, default, scope, text in DEFINITION.findall(source)]
lines = len(re.findall(r"^SETTING\(", source, re.M))
rows = [(variable, kind, default, scope, text) for variable, kind, default, scope, text
        in ROW.findall((root / "docs/SETTINGS.md").read_text())]

problems = []
if not table or len(table) != lines:
    problems.append(f"read {len(table)} of the {lines} settings of the table: its form has changed")
problems += [f"docs/SETTINGS.md lacks or changes this row: {row}" for row in table if row not in rows]
problems += [f"docs/SETTINGS.md has a row that the table has not: {row}" for row in rows if row not in table]
if not problems and rows != table:
    problems.append("docs/SETTINGS.md has the rows in another order than the table")
print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
