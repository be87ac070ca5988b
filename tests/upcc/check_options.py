#!/usr/bin/env python3
"""Checks that every option which upcc looks at is in the text of `upcc --help` and in its manual page, and that these
two name the same ones. Warnings that only upcc gives are in both by name, and in docs/UPC.md.

  check_options.py --upcc BUILD/bin/upcc [--bless]

The manual page's list of passes is the one of --help; --bless writes it there.

The options are the words in quotes of upcc/driver/options.cpp that begin with a dash. `-W...` stands for all that begin
so; one and two dashes are the same."""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "upcc" / "driver" / "options.cpp"
WARNINGS = ROOT / "upcc" / "sema" / "warnings.hpp"
GUIDE = ROOT / "docs" / "UPC.md"
PAGE = ROOT / "docs" / "man" / "upcc.1"
MACROS = {"Ar", "Cm", "Dv", "Ev", "Fl", "Ic", "It", "Nm", "Ns", "Op", "Pa", "Pf", "Pq", "Xr"}


class Options:
    def __init__(self, words):
        stripped = [re.sub(r"(?<=[a-z][-=])(PASS|FILE|[A-Z])$", "", word).lstrip("-") for word in words]
        self.families = {word.removesuffix("...") for word in stripped if word.endswith(("...", "-"))}
        self.names = {word.rstrip("=,") for word in stripped if not word.endswith("...")}

    def missing_in(self, other):
        covered = tuple(other.families) or ("\0",)
        return {name for name in self.names if name not in other.names and not name.startswith(covered)} | {
            family + "..." for family in self.families if family not in other.names and not family.startswith(covered)}


def of_source(text):
    # A prefix, an option that is not -o, and upcrun's.
    words = set(re.findall(r'"(-[^"\s]+)"', text)) - {"--", "-objc", "-n", "-np"}
    of_others = set(re.findall(r'Other\{"(-[^"]+)"', text)) | {
        "-trans", "-nopthreads", "-fupc-pthreads-model-tls", "-fupc-pthreads-model-none", "-save-all-temps", "-lang=",
        "-link-with=", "-Wc,", "-no"}
    return Options(words), Options(of_others)


def of_help(text):
    text = text.partition("Start programs")[0]
    words = [word.rstrip(",") if word.rstrip(",").endswith("...") else word.strip("(),;.") for word in text.split()]
    return Options(word for word in words if word.startswith("-") and "=lib" not in word)


def of_page(text):
    words = []
    for line in text.splitlines():
        is_flag = False
        for word in line.split() if line.startswith(".") else []:
            word = word.removeprefix(".")
            if word in MACROS:
                is_flag = word == "Fl"
            elif is_flag and word not in ("", ",", "|", "="):
                words.append("-" + word)
    return Options(words)


def with_passes(page, text):
    """The manual page with the passes of --help in its list."""
    passes = re.findall(r"^  (\S+) +(.*)$", text.partition("The passes:\n")[2].partition("\n\n")[0], re.M)
    items = "".join(f".It Cm {name}\n{what[0].upper()}{what[1:]}.\n" for name, what in passes)
    before, start, rest = page.partition("The passes:\n.Bl -tag -width Ds\n")
    _, end, after = rest.partition(".El\n")
    return before + start + items + end + after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upcc", required=True)
    parser.add_argument("--bless", action="store_true", help="write the passes to the manual page")
    arguments = parser.parse_args()
    text = subprocess.run([arguments.upcc, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    written = with_passes(PAGE.read_text(), text)
    if arguments.bless:
        PAGE.write_text(written)
    accepted, of_others = of_source(SOURCE.read_text())
    shown, page = of_help(text), of_page(PAGE.read_text())
    problems = [f"{name}: upcc looks at it, and the manual page does not name it" for name in accepted.missing_in(page)]
    problems += [f"{name}: upcc looks at it, and --help does not name it"
                 for name in accepted.missing_in(shown) if name not in of_others.names]
    problems += [f"{name}: in --help, not in the manual page" for name in shown.missing_in(page)]
    problems += [f"{name}: in the manual page, not in --help"
                 for name in page.missing_in(shown) if name not in of_others.names]
    if written != PAGE.read_text():
        problems.append("the manual page has other passes than --help: run this with --bless")
    for name in re.findall(r'= "(upc-[^"]+)"', WARNINGS.read_text()):
        texts = {"--help": f"  -W{name} " in text, "the manual page": f"\n.It Cm {name}\n" in PAGE.read_text(),
                 "docs/UPC.md": f"| `-W{name}` |" in GUIDE.read_text()}
        problems += [f"-W{name}: not in {place}" for place, there in texts.items() if not there]
    print("\n".join(sorted(problems)) or "every option is in both texts")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
