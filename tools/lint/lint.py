#!/usr/bin/python3
"""Checks the source tree without building it: layout, lines, scripts, pages, layers, documentation. Prints one line for
each finding, "file:line: [check] what is wrong; what to do", and exits with status 1 if there is one.

  lint.py                    all checks
  lint.py format lines       some of them (--list names them)
  lint.py tidy --all         clang-tidy on all sources of the product, not only on those that changed since main
  lint.py --fix [FILE...]    formats C and C++ and wraps Markdown: the files given, else all with findings

tools/lint/pending.txt lists the files that do not obey yet, by check. A file that obeys has to leave the list.
"""

import argparse
import pathlib
import sys

import programs
import text
from tree import Pending, Tree

# Each check: its name, what it looks for, and the function that yields its findings.
CHECKS = {
    "format": ("C and C++ as clang-format lays it out", programs.format_findings),
    "lines": ("lines of at most 120 columns", text.long_lines),
    "blanks": ("no tabs, no blanks at the end of a line, a newline at the end of a file", text.stray_blanks),
    "links": ("sections and files that documents name exist", text.dead_links),
    "names": ("functions, settings and targets of make that documents name exist; documents name all variables",
              text.unknown_names),
    "python": ("Python: pyflakes and pycodestyle", programs.python_findings),
    "shell": ("shell scripts: shellcheck", programs.shell_findings),
    "man": ("manual pages: mandoc", programs.man_findings),
    "layers": ("includes obey the layers", programs.layer_findings),
    "docs": ("every public function is documented, pages that are named exist", programs.docs_findings),
    "tidy": ("mistakes in C++ that clang-tidy sees, in files that changed since main", programs.tidy_findings),
}


def run(tree, pending, names):
    """Runs the checks and returns their findings, those of pending files left out."""
    found = []
    for name in names:
        seen = [finding for finding in CHECKS[name][1](tree)]
        found += [f for f in seen if f.file not in pending.files(name)]
        found += pending.outdated(name, {f.file for f in seen})
    return sorted(found)


def parse_arguments():
    here = pathlib.Path(__file__).resolve().parent.parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="CHECK", help="what to check (all); with --fix: files")
    parser.add_argument("--list", action="store_true", help="name the checks")
    parser.add_argument("--fix", action="store_true", help="format and wrap instead of checking")
    parser.add_argument("--all", action="store_true", help="tidy: all sources of the product")
    parser.add_argument("--root", type=pathlib.Path, default=here, help="another source tree")
    parser.add_argument("--build", default="build", help="tidy: the build folder, for how files are compiled")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.list:
        for name, (what, _) in CHECKS.items():
            print(f"{name:8} {what}")
        return 0
    tree = Tree(arguments.root.resolve(), arguments.build, arguments.all)
    if arguments.fix:
        return fix(tree, arguments.names)
    unknown = [name for name in arguments.names if name not in CHECKS]
    if unknown:
        sys.exit(f"lint: there is no check '{unknown[0]}'; there are {', '.join(CHECKS)}")
    names = arguments.names or list(CHECKS)
    found = run(tree, Pending(tree), names)
    for finding in found:
        print(finding)
    print(f"lint: {len(found)} findings" if found else f"lint: {len(tree.files)} files are clean ({', '.join(names)})")
    return 1 if found else 0


def fix(tree, names):
    wanted = [tree.name_of(name) for name in names] or sorted(
        {f.file for check in ("format", "lines") for f in CHECKS[check][1](tree)})
    for file in wanted:
        if programs.is_formatted_language(file):
            programs.reformat(tree, file)
        elif file.endswith(".md"):
            text.rewrap(tree, file)
        else:
            continue
        print(f"lint: {file} is as it should be, or as near as a program gets it")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (programs.Missing, OSError) as problem:
        sys.exit(f"lint: {problem}")
