#!/usr/bin/env python3
"""Checks docs/UPC-CONFORMANCE.md: every test it names exists, every constraint test and trap is named, and so is every
clause of the specification that asks for something."""
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent
PAGE = TESTS.parent.parent / "docs" / "UPC-CONFORMANCE.md"
CLAUSES = """5.1.1 5.1.2.1 5.1.2.2 5.1.2.3 6.2 6.3 6.3.1 6.3.3 6.4.1.1 6.4.1.2 6.4.1.3 6.4.1.4 6.4.2 6.4.3 6.4.4 6.5
6.5.1.1 6.5.2 6.5.2.1 6.6.1 6.6.2 6.7.1 6.7.2 7.2.1 7.2.2 7.2.3 7.2.4 7.2.5 7.3 7.4 7.5 7.6 7.7 7.8 7.9""".split()


def find(name):
    """The file a reference means, and what must occur in it."""
    path, _, inside = name.partition(": ")
    folder = TESTS.parent / "upcrt" if path.startswith("upcrt/") else TESTS
    return folder / path.removeprefix("upcrt/"), inside


def main():
    text = PAGE.read_text()
    problems = []
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    names = re.findall(r"`((?:constraint|traps|run|driver|upcrt)/[^`.]+\.[^`]+|\w+_test\.cpp: [^`]+)`", text)
    for name in names:
        file, inside = find(name)
        if not file.is_file():
            problems.append(f"{name}: there is no such file")
        elif inside and not re.search(rf"\b{re.escape(inside)}\b", file.read_text()):
            problems.append(f"{name}: nothing is called so there")
    for file in [*TESTS.glob("constraint/*.upc"), *TESTS.glob("traps/trap*.upc")]:
        name = f"{file.parent.name}/{file.name}"
        if name not in names:
            problems.append(f"{name} is not in the table")
    clauses = {part.strip() for line in tables for part in line.split("|")[1].split(",")}
    problems += [f"clause {clause} is missing" for clause in CLAUSES if clause not in clauses]
    for line in tables:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "clause":
            continue
        state = cells[3].split(";")[0].split(" ")[0]
        if state not in ("yes", "limited", "no") or (state == "yes" and not cells[2]):
            problems.append(f"clause {cells[0]}: state '{cells[3]}'")
    print("\n".join(problems) or f"{len(names)} tests named, all there")
    return 1 if problems or len(names) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
