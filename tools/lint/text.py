"""Checks that read text: columns, blanks, links. And the wrapping of Markdown."""

import re
import textwrap

from tree import Finding

COLUMNS = 120
# Data, pictures and licences have the lines that they have.
DATA = (".svg", ".png", ".json", ".btr", ".abi", "LICENSE")
# What a compiler is tested with: a line carries the messages that are expected of it, or is odd on purpose.
TEST_INPUTS = tuple(f"tests/upcc/{folder}/" for folder in (
    "c", "c-constraint", "constraint", "corpus", "fuzz-corpus", "golden", "misuse", "usage", "warnings"))
TABS = ("Makefile", ".mk", "debian/rules", ".gitmodules")

HEADING = re.compile(r"^#{1,6}\s+(.*)$", re.M)
FENCED = re.compile(r"^( *)```.*?^\1```", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]*)#([^)\s]+)\)")
# A path of this tree between backticks, perhaps with a line or a function behind it.
FOLDERS = r"\.github|apps|bench|cmake|docs|examples|fft|include|lab|linalg|packaging|src|tests|tools|upcc"
NAMED_FILE = re.compile(rf"`((?:{FOLDERS})/[\w./-]*\w)`")


def is_text(name):
    return not name.endswith(DATA)


def long_lines(tree):
    for name in filter(is_text, tree.files):
        if name.startswith(TEST_INPUTS):
            continue
        for number, line in enumerate(tree.read(name).splitlines(), 1):
            if len(line) > COLUMNS and not cannot_be_wrapped(name, line):
                yield Finding(name, number, "lines", f"{len(line)} columns; {COLUMNS} is the limit"
                              + (", tools/lint/lint.py --fix wraps" if name.endswith(".md") else ""))


def cannot_be_wrapped(name, line):
    """A row of a table in Markdown is one line; a word, such as an address, has no place to break."""
    return (name.endswith(".md") and line.startswith("|")) or len(line.split()) == 1


def stray_blanks(tree):
    for name in filter(is_text, tree.files):
        if name.startswith(TEST_INPUTS) or name.startswith("tests/upcc/upc/"):
            continue
        content = tree.read(name)
        for number, line in enumerate(content.split("\n"), 1):
            if line != line.rstrip():
                yield Finding(name, number, "blanks", "blanks at the end of the line; delete them")
            if "\t" in line and not name.endswith(TABS):
                yield Finding(name, number, "blanks", "a tab; write blanks")
        if content and not content.endswith("\n"):
            yield Finding(name, content.count("\n") + 1, "blanks", "no newline at the end of the file; add one")


def anchor_of(heading):
    """The name by which a section is linked to, as forges and the site make it."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).strip().lower()).replace(" ", "-")


def dead_links(tree):
    sections = {name: {anchor_of(h) for h in HEADING.findall(FENCED.sub("", tree.read(name)))}
                for name in tree.with_suffix(".md")}
    for name in sections:
        for number, line in enumerate(tree.read(name).splitlines(), 1):
            for target, anchor in LINK.findall(line):
                if "://" in target:
                    continue
                page = str((tree.root / name).parent.joinpath(target).resolve().relative_to(tree.root)) if target \
                    else name
                if page in sections and anchor not in sections[page]:
                    yield Finding(name, number, "links", f"{page} has no section '#{anchor}'; name one that it has")
            if name != "CHANGELOG.md":  # which tells of files that are gone
                yield from missing_files(tree, name, number, line)


def missing_files(tree, name, number, line):
    for path in NAMED_FILE.findall(line):
        here = tree.root / path
        if "NAME" in path:  # what the reader makes
            continue
        # A name without its ending stands for a header and its source.
        if not here.exists() and not any(here.parent.glob(here.name + ".*")):
            yield Finding(name, number, "links", f"{path} does not exist; name the file that has it now")


def rewrap(tree, name):
    """Wraps the paragraphs and list items of a Markdown file that have a line that is too long; the others stay."""
    out, paragraph, fence = [], [], None

    def flush():
        if any(len(line) > COLUMNS for line in paragraph):
            out.extend(wrapped(paragraph))
        else:
            out.extend(paragraph)
        paragraph.clear()

    for line in tree.read(name).split("\n"):
        mark = re.match(r" *(```|~~~)", line)
        if fence or mark:
            flush()
            out.append(line)
            fence = None if fence and mark else fence or mark
        elif not line.strip() or line.startswith(("|", "#", "<", "    ")) and not paragraph:
            flush()
            out.append(line)
        else:
            if re.match(r"\s*([-*+]|\d+\.)\s", line) or line.startswith(("|", "#")):
                flush()
            paragraph.append(line)
    flush()
    (tree.root / name).write_text("\n".join(out), encoding="utf-8")


def wrapped(paragraph):
    indent = re.match(r"\s*", paragraph[0])[0]
    item = re.match(r"\s*(?:[-*+]|\d+\.)\s+", paragraph[0])
    words = " ".join(line.strip() for line in paragraph)
    # What would begin a list, a heading or a table at the start of a line stays behind the word before it.
    bound = re.sub(r"(?<=\S) (?=(?:[-*+>|=]|#+|\d+[.)])(?: |$))", "\0", words)
    lines = textwrap.wrap(bound, COLUMNS, initial_indent=indent, break_long_words=False, break_on_hyphens=False,
                          subsequent_indent=" " * len(item[0]) if item else indent)
    return [line.replace("\0", " ") for line in lines]
