#!/usr/bin/env python3
"""tools/setup.sh with a system that has, or has not, the package that it wants: setup_test.py SOURCE."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SETUP = pathlib.Path(sys.argv[1], "tools/setup.sh")


def main():
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name)
        for folder in ("bin", "build", "build-tsan", "tools"):
            (tree / folder).mkdir()
        shutil.copy(SETUP, tree / "tools")
        (tree / "tools/packages.txt").write_text("# Packages.\nfirst\nsecond test\n")
        built = [tree / folder / "build.ninja" for folder in ("build", "build-tsan")]
        for file in built:
            file.touch()

        def setup(has, root=True, *words):
            commands = {"dpkg-query": f"case $* in {has}) echo installed ;; *) exit 1 ;; esac",
                        "id": f"echo {int(not root)}", "apt-get": f"echo $* >>{tree}/asked"}
            for command, body in commands.items():
                (tree / "bin" / command).write_text(f"#!/bin/sh\n{body}\n")
                (tree / "bin" / command).chmod(0o755)
            (tree / "asked").unlink(missing_ok=True)
            done = subprocess.run([tree / "tools/setup.sh", *words], capture_output=True, text=True, check=False,
                                  env={**os.environ, "PATH": f"{tree}/bin:{os.environ['PATH']}"})
            asked = (tree / "asked").read_text() if (tree / "asked").exists() else ""
            return done.returncode, done.stdout + done.stderr, asked

        new = [file.stat().st_mtime for file in built]
        assert setup("*first", True) == (0, "", ""), "it installs what is there, or is for tests"
        code, said, asked = setup("*first", False, "test")
        assert code == 1 and said.endswith("apt-get install --no-install-recommends second\n") and not asked, said
        assert [file.stat().st_mtime for file in built] == new
        code, said, asked = setup("*first", True, "test")
        assert (code, said) == (0, "setup: installing second\n"), said
        assert asked.endswith("--no-install-recommends second\n"), asked
        # CMake looks for it with the next build.
        assert all(file.stat().st_mtime < SETUP.stat().st_mtime for file in built)


if __name__ == "__main__":
    main()
