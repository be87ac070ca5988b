"""Checks that read text: columns, blanks, links, names. And the wrapping of Markdown."""

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
# A section in quotes behind its page, perhaps on the next line of a comment. Sections are headings and what is bold.
NAMED_SECTION = re.compile(r"(docs/[\w-]+\.md),?[\s/*#(]+\\?\"([^\"\\\n]+)\\?\"")
BOLD = re.compile(r"\*\*([^*]+?)\.?\*\*")
# Functions, types, constants and settings.
NAMED_IN_CODE = re.compile(r"\b(?:weft|upcr|WEFT)_\w*[A-Za-z0-9]\b(?!\*)")
TARGETS = re.compile(r"^(?:\.PHONY: ((?:.*\\\n)*.*)|([a-z][\w -]*):)", re.M)
NAMED_TARGET = re.compile(r"(?:make|\./weft) ([a-z][a-z-]*)(?![\w-])")  # in code
CODE = re.compile(r"`([^`]+)`")
# A variable of the environment that the product reads.
READ = re.compile(r"(?:getenv\(|environ\.get\(|environ\[)\"((?:WEFT|UPC|UPCC|LAB)_\w+)\"")
PRODUCT = ("src/", "upcc/", "tools/", "lab/", "linalg/", "fft/")


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
    yield from missing_sections(tree)


def missing_sections(tree):
    sections = {name: {heading.replace("`", "").strip() for heading in HEADING.findall(content) + BOLD.findall(content)}
                for name, content in ((name, tree.read(name)) for name in tree.with_suffix(".md"))}
    for name in filter(is_text, tree.files):
        content = tree.read(name)
        for match in NAMED_SECTION.finditer(content):
            if match[1] in sections and match[2] not in sections[match[1]]:
                yield Finding(name, content.count("\n", 0, match.start()) + 1, "links",
                              f"{match[1]} has no section \"{match[2]}\"; name one that it has")


def unknown_names(tree):
    """What pages call by name and no other file has: a function, a constant, a setting, a target of make. And variables
    that no page names."""
    pages = [name for name in tree.with_suffix(".md", ".1", ".3") if name != "CHANGELOG.md"]
    known = set()
    for name in filter(is_text, tree.files):
        if name not in pages and name != "CHANGELOG.md":
            known.update(NAMED_IN_CODE.findall(tree.read(name)))
    told = set(re.findall(r"\w+", " ".join(map(tree.read, pages))))
    for name in tree.files:
        if name.startswith(PRODUCT) and is_text(name):
            for number, line in enumerate(tree.read(name).splitlines(), 1):
                for variable in READ.findall(line):
                    if variable not in told:
                        yield Finding(name, number, "names", f"no page names the variable {variable}; docs/SETTINGS.md "
                                      "has a table for it")
    targets = set()
    if "Makefile" in tree.files:
        targets.update(" ".join(" ".join(both) for both in TARGETS.findall(tree.read("Makefile"))).split())
    for name in pages:
        fenced = False
        for number, line in enumerate(tree.read(name).splitlines(), 1):
            fenced ^= line.startswith("```")
            for word in NAMED_IN_CODE.findall(line):
                if word not in known:
                    yield Finding(name, number, "names", f"nothing is called {word}; name what there is")
            for code in [line] if fenced else CODE.findall(line):
                target = NAMED_TARGET.match(code)
                if target and target[1] not in targets:
                    yield Finding(name, number, "names",
                                  f"the Makefile has no target '{target[1]}'; name one that it has")


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
