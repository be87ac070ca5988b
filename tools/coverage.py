#!/usr/bin/python3
"""Tells per folder which lines the tests of a build with --coverage have run.

  coverage.py --build build-coverage [--files] [--json FILE]

`make coverage` builds, runs the tests, and prints this. Lines are those that gcov counts in the product's own folders;
a line of a header counts as run if any program ran it. What ends by a signal or _exit() leaves no counts.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCT = ("include", "src", "upcc", "fft", "linalg", "apps", "tools", "lab", "bench")


def counts_of(note):
    """(file, line, times run) of one compiled source."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", str(note)], capture_output=True, cwd=note.parent,
                          check=False)
    found = []
    for text in done.stdout.splitlines():
        for file in json.loads(text)["files"]:
            path = pathlib.Path(file["file"])
            path = (path if path.is_absolute() else note.parent / path).resolve()
            if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PRODUCT:
                found += [(str(path.relative_to(ROOT)), line["line_number"], line["count"]) for line in file["lines"]]
    return found


def folder_of(name):
    """As in the list of docs/DESIGN.md: two levels, three for conduits and algorithms."""
    parts = pathlib.PurePosixPath(name).parent.parts
    return "/".join(parts[:3])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--files", action="store_true", help="a row for each file, too")
    parser.add_argument("--json", type=pathlib.Path, help="write the lines that no test runs, by file")
    options = parser.parse_args()
    notes = sorted(options.build.resolve().rglob("*.gcno"))
    if not notes:
        sys.exit(f"coverage: {options.build} has no *.gcno: configure it with --preset coverage and build it")
    if not any(options.build.resolve().rglob("*.gcda")):
        sys.exit(f"coverage: {options.build} has no *.gcda: run its tests first")
    lines = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(counts_of, notes):
            for name, line, count in found:
                of_file = lines.setdefault(name, {})
                of_file[line] = max(of_file.get(line, 0), count)
    folders = {}
    for name, of_file in lines.items():
        folders.setdefault(folder_of(name), []).append(name)
    print(f"{'folder':40} {'lines':>7} {'run':>7} {'':>7}")
    total = [0, 0]

    def row(name, files):
        all_lines = sum(len(lines[file]) for file in files)
        run = sum(count > 0 for file in files for count in lines[file].values())
        print(f"{name:40} {all_lines:7} {run:7} {100 * run / max(all_lines, 1):6.1f}%")
        return all_lines, run

    for folder in sorted(folders):
        counted = row(folder, folders[folder])
        total = [a + b for a, b in zip(total, counted)]
        for file in sorted(folders[folder]) if options.files else ():
            row("  " + pathlib.PurePosixPath(file).name, [file])
    print(f"{'all':40} {total[0]:7} {total[1]:7} {100 * total[1] / max(total[0], 1):6.1f}%")
    if options.json:
        missed = {name: sorted(n for n, count in of_file.items() if count == 0) for name, of_file in lines.items()}
        options.json.write_text(json.dumps({name: numbers for name, numbers in sorted(missed.items()) if numbers}))


if __name__ == "__main__":
    main()
