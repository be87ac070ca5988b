#!/usr/bin/python3
"""Compares what programs compiled against Weft rely on with the lists in this folder: the symbols that each shared
library exports, and of its headers the functions' types, the structures' layouts, the types' and constants' values.
docs/ABI.md says what to do about a difference. Exit status 1 if there is one, 77 if a program that it needs is
missing.

  check_abi.py BUILD             compares
  check_abi.py BUILD --update    writes the lists anew
  check_abi.py BUILD --lists DIRECTORY --include DIRECTORY    with other lists, other headers
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
POLICY = "docs/ABI.md"


class Library(NamedTuple):
    headers: tuple  # what programs include
    names: str      # a regular expression: which of the names in the headers are this library's
    constants: str  # the same of constants


LIBRARIES = {
    "weft": Library(("weft/weft.h", "weft/tune.h", "weft/watch.h", "weft/version.h"), r"weft_(?!la_)\w+",
                    r"WEFT_(?!LA_|VERSION_|DETAIL_)\w+"),
    "weft-linalg": Library(("weft/linalg.h",), r"weft_la_\w+", r"WEFT_LA_\w+"),
    "weft-upcrt": Library(("weft/upcrt.h",), r"upcr_\w+", r"UPCR_(?!INLINE)\w+"),
    "weft-scalapack": Library((), "", ""),
    "weft-scalapack-override": Library((), "", ""),
}

NAMED_TYPE = re.compile(r"\b(struct|union|enum) (\w+) \{")
TYPEDEF = re.compile(r"^typedef\b[^;{]*?(?:\(\*)?(\w+)\)?(?:\([^;]*\))?;", re.M)
ENUMERATION = re.compile(r"\benum\b[^;{]*\{(.*?)\}", re.S)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
PROTOTYPE = re.compile(r"^/\* [^*]* \*/ extern (.*);", re.M)
# What gdb prints of a member: "/*  8  |  4 */  unsigned int first;", with bits, if it has some, before the bar.
MEMBER = re.compile(r"^/\* *([\d:]*) *(?:\| *(\d+))? *\*/ *(.*)$")
TOTAL = re.compile(r"/\* total size \(bytes\): +(\d+) \*/")


def output_of(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"check_abi: {' '.join(map(str, command))}:\n{done.stderr}")
    return done.stdout


def symbols(library):
    for line in output_of("nm", "-D", "--defined-only", "--format=posix", library).splitlines():
        name, kind = line.split()[:2]
        if kind != "A":
            yield f"symbol {name.split('@')[0]}"


class Headers:
    """What gcc and gdb say of the headers of one library."""

    def __init__(self, library, include, work):
        self.library = library
        source, self.object, prototypes = work / "all.c", work / "all.o", work / "prototypes"
        source.write_text("".join(f"#include <{name}>\n" for name in library.headers))
        compiler = ("gcc", "-std=gnu11", f"-I{include}")
        output_of(*compiler, "-g", "-fno-eliminate-unused-debug-types", "-aux-info", prototypes, "-c", source,
                  "-o", self.object)
        self.prototypes = prototypes.read_text()
        self.text = COMMENT.sub("", re.sub(r"^#.*\n", "", output_of(*compiler, "-E", source), flags=re.M))

    def ours(self, names):
        return sorted({name for name in names if re.fullmatch(self.library.names, name)})

    def functions(self):
        for declaration in set(PROTOTYPE.findall(self.prototypes)):
            if re.search(rf"\b{self.library.names} \(", declaration):
                yield f"function {declaration}"

    def ask(self, commands):
        """What gdb prints after each of its commands; what it cannot answer is empty."""
        mark = "--- next ---"
        asked = [part for command in commands for part in ("-ex", command, "-ex", f"echo {mark}\\n")]
        done = subprocess.run(["gdb", "-batch", "-nx", "-ex", "set language c", *asked, str(self.object)],
                              capture_output=True, text=True)
        return done.stdout.split(mark + "\n")[:len(commands)]

    def layouts(self):
        kinds = dict((name, kind) for kind, name in NAMED_TYPE.findall(self.text) if kind != "enum")
        names = self.ours(kinds)
        for name, said in zip(names, self.ask([f"ptype /o {kinds[name]} {name}" for name in names])):
            for line in said.splitlines():
                member, total = MEMBER.match(line), TOTAL.search(line)
                if total:
                    yield f"{kinds[name]} {name} has {total[1]} bytes"
                elif member and not member[3].startswith("type ="):
                    yield f"{kinds[name]} {name} at {member[1] or 'the same'}, {member[2]} bytes: {member[3]}"

    def types(self):
        names = self.ours(TYPEDEF.findall(self.text))
        for name, said in zip(names, self.ask([f"whatis {name}" for name in names])):
            if said:
                yield f"type {name}: {said.removeprefix('type = ').strip()}"

    def constants(self):
        named = re.findall(r"\b[A-Z]\w+", " ".join(ENUMERATION.findall(self.text)))
        names = sorted(name for name in set(named) if re.fullmatch(self.library.constants, name))
        for name, said in zip(names, self.ask([f"print (long long)({name})" for name in names])):
            if said:
                yield f"constant {name} = {said.split('=')[1].strip()}"


def facts(name, build, include):
    """The lines of the list of a library; none if it is not built."""
    file = build / "lib" / f"lib{name}.so"
    if not file.exists():
        return []
    found = set(symbols(file))
    if LIBRARIES[name].headers:
        with tempfile.TemporaryDirectory() as work:
            headers = Headers(LIBRARIES[name], include, pathlib.Path(work))
            found |= {*headers.functions(), *headers.layouts(), *headers.types(), *headers.constants()}
    return sorted(found, key=lambda line: re.sub(r"\d+", lambda digits: digits[0].zfill(8), line))


def differences(listed, found, path):
    for number, line in enumerate(listed, 1):
        if line not in found:
            yield f"{path}:{number}: '{line}' is gone or has changed: programs must be compiled again; see {POLICY}"
    for line in found:
        if line not in listed:
            yield f"{path}:{len(listed) + 1}: '{line}' is new: run tools/abi/check_abi.py BUILD --update; see {POLICY}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--lists", type=pathlib.Path, default=HERE)
    parser.add_argument("--include", type=pathlib.Path, default=HERE.parent.parent / "include")
    arguments = parser.parse_args()
    for needed in ("gcc", "gdb", "nm"):
        if not shutil.which(needed):
            print(f"check_abi: {needed} is missing; tools/setup.sh test installs it")
            return 77
    found, seen = [], 0
    for name in LIBRARIES:
        lines, path = facts(name, arguments.build, arguments.include.resolve()), arguments.lists / f"{name}.abi"
        seen += len(lines)
        if arguments.update and lines:
            path.write_text("\n".join(lines) + "\n")
            print(f"check_abi: wrote {path}; say in CHANGELOG.md what changed")
        elif lines:
            shown = path.relative_to(HERE.parent.parent) if path.is_relative_to(HERE) else path
            found += differences(path.read_text().splitlines() if path.exists() else [], lines, shown)
    if not seen:
        sys.exit(f"check_abi: {arguments.build} has none of the libraries; build them first (ninja product)")
    for line in found:
        print(f"check_abi: {line}", file=sys.stderr)
    if not found and not arguments.update:
        print(f"check_abi: {seen} names, types and values are as listed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
