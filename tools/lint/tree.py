"""The files that are checked, what a finding is, and the list of files that do not obey yet."""

import pathlib
import subprocess
from typing import NamedTuple

PENDING = "tools/lint/pending.txt"


class Finding(NamedTuple):
    file: str
    line: int
    check: str
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}: [{self.check}] {self.text}"


class Tree:
    """The files of a checkout that git knows or would add; of a tree without git, all that are no build's."""

    def __init__(self, root, build="build", every_source=False):
        self.root, self.build, self.every_source = root, build, every_source
        self.in_git = (root / ".git").exists()
        self.files = sorted(self._from_git() if self.in_git else self._from_folders())

    def _from_git(self):
        listed = self.git("ls-files", "--cached", "--others", "--exclude-standard")
        return [name for name in listed if (self.root / name).is_file()]

    def _from_folders(self):
        for path in self.root.rglob("*"):
            name = path.relative_to(self.root)
            if path.is_file() and not name.parts[0].startswith("build") and "__pycache__" not in name.parts:
                yield str(name)

    def git(self, *arguments):
        """The lines that git prints; an error of git ends the program."""
        done = subprocess.run(["git", "-C", str(self.root), *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise OSError(f"git {arguments[0]}: {done.stderr.strip()}")
        return done.stdout.splitlines()

    def with_suffix(self, *suffixes):
        return [name for name in self.files if name.endswith(suffixes)]

    def read(self, name):
        """The text; bytes that are no UTF-8 become a replacement character each."""
        return (self.root / name).read_text(encoding="utf-8", errors="replace")

    def name_of(self, path):
        """A path as it was typed, relative to the root."""
        return str(pathlib.Path(path).resolve().relative_to(self.root))


class Pending:
    """tools/lint/pending.txt: "check file" in each line."""

    def __init__(self, tree):
        path = tree.root / PENDING
        self._lines = path.read_text().splitlines() if path.exists() else []
        self._entries = {}
        for number, line in enumerate(self._lines, 1):
            words = line.split("#")[0].split()
            if len(words) == 2:
                self._entries.setdefault(words[0], {})[words[1]] = number

    def files(self, check):
        return self._entries.get(check, {})

    def outdated(self, check, disobeying):
        """A finding for each file in the list that has none: it would hide the next mistake."""
        for file, number in self.files(check).items():
            if file not in disobeying:
                yield Finding(PENDING, number, check, f"{file} obeys now, or is gone; take this line out")
