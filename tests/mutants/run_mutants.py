"""Plants each fault of mutants.py in a copy of the committed tree, builds what is needed, and says whether the tests on
simulated networks notice (killed) or not (alive).

  run_mutants.py                          # all, some minutes each on a busy machine: the command make mutants
  run_mutants.py --only bank-turns-alone  # some
  run_mutants.py --list                   # their names and reasons
  run_mutants.py --check                  # whether each finds its text in the tree, which make test asks
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from mutants import MUTANTS

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ("streams", "collective_test", "conformance_test", "capi_test")
sys.path.insert(0, str(SOURCE / "tests/sim"))
import fault_seeds  # noqa: E402  (its folder is not that of this script)


def run(*words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


def checked(*words, **options):
    done = run(*words, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}:\n{done.stdout}")


def copy_tree(folder):
    archive = folder / "tree.tar"
    checked("git", "-C", SOURCE, "archive", "-o", archive, "HEAD")
    shutil.unpack_archive(archive, folder / "tree")
    archive.unlink()
    return folder / "tree"


def configure(tree):
    checked("cmake", "-S", tree, "-B", tree / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")


def build(tree, jobs):
    return run("ninja", "-C", tree / "build", f"-j{jobs}", *TARGETS)


def noticed_by(tree):
    """The first kind of test that fails, and how; empty if none does."""
    for name, kind in sorted(fault_seeds.KINDS.items(), key=lambda item: not item[0].startswith("streams")):
        wrong = fault_seeds.run(kind, str(tree / "build/bin"), kind.seeds, 1)
        if wrong:
            told = [line for line in wrong.splitlines() if "deadlock" in line or ": wrong " in line or "failed" in line]
            return f"{name}: {(told or wrong.splitlines()[-2:])[0][:160]}"
    return ""


def planted(tree, mutant):
    """The file with it, and its text with and without."""
    path = tree / mutant.file
    before = text = path.read_text(encoding="utf-8")
    for old, new in mutant.edits:
        if text.count(old) != 1:
            sys.exit(f"{mutant.name}: {mutant.file} has {text.count(old)} times, not once:\n{old}")
        text = text.replace(old, new)
    return path, before, text


def try_mutant(tree, mutant, jobs):
    path, before, text = planted(tree, mutant)
    path.write_text(text, encoding="utf-8")
    try:
        built = build(tree, jobs)
        if built.returncode != 0:
            return f"not built:\n{built.stdout[-3000:]}"
        name = noticed_by(tree)
        return f"killed by {name}" if name else "alive"
    finally:
        path.write_text(before, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[mutant.name for mutant in MUTANTS], metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{mutant.name}: {mutant.why}" for mutant in MUTANTS))
        return 0
    if options.check:
        for mutant in MUTANTS:
            planted(SOURCE, mutant)
        return 0
    fault_seeds.LIMIT_S = 100  # what hangs has been noticed
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = copy_tree(pathlib.Path(folder))
        configure(tree)
        built = build(tree, options.jobs)
        name = noticed_by(tree) if built.returncode == 0 else "its build"
        if name:
            sys.exit(f"the tree without a mutant fails: {name}\n{built.stdout[-3000:]}")
        bad = 0
        for mutant in MUTANTS:
            if options.only and mutant.name not in options.only:
                continue
            begin = time.monotonic()
            words = try_mutant(tree, mutant, options.jobs)
            bad += not words.startswith("killed")
            print(f"{mutant.name}: {words} ({time.monotonic() - begin:.0f} s)", flush=True)
    print("mutants: all killed" if bad == 0 else f"mutants: {bad} not killed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
