"""Checks that other programs do: clang-format, clang-tidy, pyflakes, pycodestyle, shellcheck, mandoc, and two of this
folder's parent. Each function yields findings."""

import concurrent.futures
import os
import re
import shutil
import subprocess

from text import TEST_INPUTS
from tree import Finding

# Two versions of clang-format lay out the same file in two ways.
CLANG_FORMAT = ("clang-format-14", "clang-format")
CLANG_FORMAT_VERSION = "version 14."
# UPC in headers: clang-format takes it for C.
UPC_HEADERS = ("include/upc/", "apps/ft/upc/", "apps/linalg/upc/", "bench/upc/", "tests/upcc/check.h")
LANGUAGES = (".c", ".h", ".cpp", ".hpp")
PRODUCT = ("src/", "upcc/", "tools/", "fft/", "linalg/", "lab/", "apps/")
PLACE = re.compile(r"^(?P<file>[^:\s][^:]*):(?P<line>\d+)(?::\d+)?: *(?P<text>.*)$")
BATCH = 40


class Missing(Exception):
    """A program that is not installed."""


def program(*names):
    for name in names:
        if shutil.which(name):
            return name
    raise Missing(f"{names[0]} is missing; tools/setup.sh develop installs what the checks use")


def output_of(tree, command):
    done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, errors="replace")
    return done.stdout + done.stderr


def in_batches(tree, command, files, size=BATCH):
    """The lines that the command prints about the files, as many processes at a time as there are processors."""
    batches = [files[i:i + size] for i in range(0, len(files), size)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for printed in pool.map(lambda batch: output_of(tree, [*command, *batch]), batches):
            yield from printed.splitlines()


def places(tree, lines):
    """(file, line, text) of those lines that name a place in the tree."""
    for match in filter(None, map(PLACE.match, lines)):
        yield match["file"].removeprefix(f"{tree.root}/"), int(match["line"]), match["text"]


# ---- C and C++ -------------------------------------------------------------------------------------------------------

def is_formatted_language(name):
    return name.endswith(LANGUAGES) and not name.startswith(TEST_INPUTS + UPC_HEADERS)


def clang_format():
    name = program(*CLANG_FORMAT)
    version = subprocess.run([name, "--version"], capture_output=True, text=True).stdout.strip()
    if CLANG_FORMAT_VERSION not in version:
        raise Missing(f"clang-format 14 is needed, {name} is '{version}'; each version lays out code in its own way")
    return name


def format_findings(tree):
    command = [clang_format(), "--dry-run", "--ferror-limit=1"]
    files = [name for name in tree.files if is_formatted_language(name)]
    for file, line, text in places(tree, in_batches(tree, command, files)):
        if "clang-format-violations" in text:
            yield Finding(file, line, "format", f"not as clang-format lays it out; tools/lint/lint.py --fix {file}")


def reformat(tree, name):
    subprocess.run([clang_format(), "-i", name], cwd=tree.root, check=True)


def changed_files(tree):
    """Those that differ from the commit at which this branch left main."""
    branches = tree.git("branch", "--list", "--format=%(refname:short)", "main")
    base = tree.git("merge-base", "main", "HEAD")[0] if branches else "HEAD"
    return set(tree.git("diff", "--name-only", "--diff-filter=d", base))


def tidy_findings(tree):
    if not tree.every_source and not tree.in_git:
        return
    sources = [name for name in tree.files if name.endswith((".c", ".cpp")) and name.startswith(PRODUCT)]
    files = sources if tree.every_source else [name for name in sources if name in changed_files(tree)]
    if not files:
        return
    if not (tree.root / tree.build / "compile_commands.json").exists():
        raise Missing(f"{tree.build} has no compile_commands.json, which clang-tidy reads; run cmake --preset release")
    # The compilers' own warnings are the build's matter; the build may be another compiler's, with other options.
    command = [program("clang-tidy"), "--quiet", "-p", tree.build, "--extra-arg=-w"]
    seen = set()  # a header is read by many sources
    for file, line, text in places(tree, in_batches(tree, command, files, 1)):
        if re.match(r"(error|warning): ", text):
            seen.add(Finding(file, line, "tidy", re.sub(r"^\w+: |,-warnings-as-errors", "", text)))
    yield from seen


# ---- scripts and pages -----------------------------------------------------------------------------------------------

def python_findings(tree):
    files = tree.with_suffix(".py")
    # A recipe for Spack takes all of its names from a module that is not here.
    flakes = in_batches(tree, [program("pyflakes3")], [name for name in files if "/spack/" not in name])
    # Modules of a folder are found only after its path is set, so imports do not all stand at the top (E402).
    styles = in_batches(tree, [program("pycodestyle"), "--max-line-length=120", "--ignore=E402,E731,W503,W504"], files)
    for lines in (flakes, styles):
        for file, line, text in places(tree, lines):
            if "# noqa" not in tree.read(file).splitlines()[line - 1]:
                yield Finding(file, line, "python", text)


def shell_of(tree, name):
    """The shell that runs a script, None for what is no script. Parts of a larger script have no first line."""
    first = re.match(r"#! ?/(?:usr/)?bin/(?:env )?(sh|bash)\b", tree.read(name)) if is_perhaps_script(name) else None
    if first or not name.endswith(".sh"):
        return first and first[1]
    return "bash" if name.startswith("tests/upcc/driver/") else "sh"


def is_perhaps_script(name):
    return name.endswith(".sh") or "." not in name.rsplit("/", 1)[-1]


def shell_findings(tree):
    for shell in ("sh", "bash"):
        scripts = [name for name in tree.files if shell_of(tree, name) == shell]
        command = [program("shellcheck"), "--format=gcc", "--severity=warning", f"--shell={shell}"]
        for file, line, text in places(tree, in_batches(tree, command, scripts)):
            yield Finding(file, line, "shell", text)


def man_findings(tree):
    pages = [name for name in tree.files if re.match(r"docs/man/.*\.\d$", name)]
    for line in in_batches(tree, [program("mandoc"), "-T", "lint", "-W", "warning"], pages):
        for file, number, text in places(tree, [line.removeprefix("mandoc: ")]):
            yield Finding(file, number, "man", text)


# ---- the checks that are programs of their own -----------------------------------------------------------------------

def layer_findings(tree):
    return own_program(tree, "layers", "check_layers.py")


def docs_findings(tree):
    return own_program(tree, "docs", "check_docs.py")


def own_program(tree, check, name):
    lines = output_of(tree, ["/usr/bin/python3", "tools/" + name, str(tree.root)]).splitlines()
    said = name.removesuffix(".py") + ": "
    for file, line, text in places(tree, [line.removeprefix(said) for line in lines]):
        yield Finding(file, line, check, text)
