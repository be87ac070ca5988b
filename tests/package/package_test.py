#!/usr/bin/env python3
"""An installed copy, as a separate project sees it: by CMake's find_package and by pkg-config, shared and static; as a
user of UPC sees it, by what README says; each program's help, version, answer to an unknown option and manual page; and
nothing is left after uninstalling.

    package_test.py SOURCE BUILD BUILD_TYPE WORK
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

source, build, build_type, work = (pathlib.Path(argument) for argument in sys.argv[1:])
project = source / "tests/package/project"
prefix = work / "prefix"


def run(*command, **options):
    print("+", *command, flush=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WEFT_")}
    environment.update(options.pop("environment", {}))
    done = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True, **options)
    if done.returncode != 0:
        print(done.stdout, done.stderr, f"exit code {done.returncode}", sep="\n")
        sys.exit(1)
    return done.stdout


def check_program(program, environment):
    said = run(prefix / "bin/weftrun", "-n", "2", program, environment=environment)
    assert said.count("hello from rank") == 2, said
    assert "1 of 2: 17" in said and "0 of 2: 17" in said, said


def check_multiply(program, environment):
    said = run(prefix / "bin/weftrun", "-n", "2", program, environment=environment)
    assert "0: 100" in said and "1: 100" in said, said


def check_upc():
    """README's program and commands, in an empty folder with nothing but the installed programs."""
    section = (source / "README.md").read_text().split("## A first UPC program")[1].split("\n## ")[0]
    program = section.split("```upc\n")[1].split("```")[0]
    session = section.split("```")[3].strip().splitlines()
    folder = work / "upc"
    folder.mkdir()
    (folder / "first.upc").write_text(program)
    said = []
    for line in session:
        if not line.startswith("$ "):
            assert said and said.pop(0) == line, (line, said)
            continue
        assert not said, said
        path = {"PATH": f"{prefix / 'bin'}:/usr/bin:/bin"}
        said = run("sh", "-c", line[2:], cwd=folder, environment=path).splitlines()
    assert not said and sum(line.startswith("$ ") for line in session) == 2, session
    for more in ("upcc -T 3 --pthreads -o p first.upc && upcrun ./p",
                 "CC=clang upcc -c first.upc && upcc -o q first.o && ./q"):
        assert "threads, the last element is" in run("sh", "-c", more, cwd=folder, environment=path)


def check_command_lines():
    """Each installed program tells its help, its version, and what is no option of its. Options that upcc does not know
    are the C compiler's."""
    needed = {"weft-sim": ["show", "crossbar"], "lab": ["status"], "weft-sim-links": ["a", "b.png"],
              "weft-sim-shrink": ["true"], "weft-tune-plot": ["table", "folder"]}
    for program in sorted((prefix / "bin").iterdir()):
        name = program.name
        said = {}
        for words in (["--help"], ["--version"], ["--no-such", *needed.get(name, [])]):
            done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
            said[words[0]] = (done.returncode, done.stdout, done.stderr)
        code, out, err = said["--help"]
        assert code == 0 and "--help" in out and not err, (name, said["--help"])
        code, out, err = said["--version"]
        assert code == 0 and version in out and not err, (name, said["--version"])
        assert "--version" in said["--help"][1], (name, said["--help"])
        code, out, err = said["--no-such"]
        refused = code == 2 and not out and "--no-such" in err and ("--help" in err or "[-h]" in err)
        assert refused or name in ("upcc", "gupc"), (name, said["--no-such"])


def check_manual_pages():
    """`man` finds a page for each installed program, and the page speaks of it."""
    for program in sorted((prefix / "bin").iterdir()):
        done = subprocess.run(["mandoc", "-T", "utf8", f"man1/{program.name}.1"], cwd=prefix / "share/man",
                              capture_output=True, text=True, timeout=60)
        text = re.sub(r".\x08", "", done.stdout)  # bold letters are printed twice
        assert done.returncode == 0 and program.name in text, (program.name, done)


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
manifest = build / "install_manifest.txt"
# What was really installed from this build folder must stay known to `make uninstall`.
kept = manifest.read_bytes() if manifest.exists() else None
run("cmake", "--install", build, "--prefix", prefix)
installed = [pathlib.Path(line) for line in manifest.read_text().splitlines()]
assert (prefix / "include/weft/weft.h").exists() and (prefix / "bin/weftrun").exists()

# Nothing installed speaks of the place it was built in.
for path in installed:
    if path.suffix in (".cmake", ".pc", ".h"):
        text = path.read_text()
        assert str(source) not in text and str(build) not in text, f"{path} names the build's folders"

sanitize = os.environ.get("TEST_SANITIZE", "")
flags = [f"-fsanitize={sanitize}"] if sanitize else []
for kind in ("weft::weft", "weft::static"):
    folder = work / ("cmake-" + kind.replace("::", "-"))
    run("cmake", "-S", project, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DWEFT_TARGET={kind}",
        f"-DCMAKE_BUILD_TYPE={build_type}", f"-DCMAKE_C_FLAGS={' '.join(flags)}",
        f"-DCMAKE_CXX_FLAGS={' '.join(flags)}")
    run("cmake", "--build", folder)
    check_program(folder / "hello", {})
    check_multiply(folder / "multiply", {})
    both = run(folder / "scalapack").splitlines()
    libraries = [pathlib.Path(line).name.split(".so")[0] for line in both]
    assert libraries == ["libweft-scalapack", "libweft-scalapack-override"], both
    linked = run("ldd", folder / "hello")
    assert ("libweft.so" in linked) == (kind == "weft::weft"), linked

# A component that is not there is named, with those that are.
done = subprocess.run(["cmake", "-S", project, "-B", work / "cmake-more", "-G", "Ninja", "-DMORE_COMPONENTS=fortran",
                       f"-DCMAKE_PREFIX_PATH={prefix}"], capture_output=True, text=True, timeout=60)
assert done.returncode != 0, done.stdout
assert "weft has no component fortran; its components are linalg and scalapack" in " ".join(done.stderr.split()), done

pc = next(prefix.rglob("weft.pc")).parent
pkg = {"PKG_CONFIG_PATH": str(pc)}
library = next(prefix.rglob("libweft.so")).parent
for static in (False, True):
    words = run("pkg-config", "--cflags", "--libs", *(["--static"] if static else []), "weft", environment=pkg).split()
    if static:  # the archive by name, so that the linker does not take the shared library beside it
        words = [str(library / "libweft.a") if word == "-lweft" else word for word in words]
    program = work / ("hello-static" if static else "hello-shared")
    includes = [word for word in words if word.startswith("-I")]
    run("cc", *flags, "-c", "-O1", project / "hello.c", "-o", work / "hello.o", *includes)
    run("cc", *flags, work / "hello.o", "-o", program, *words)
    check_program(program, {"LD_LIBRARY_PATH": ""})
words = run("pkg-config", "--cflags", "--libs", "weft-linalg", environment=pkg).split()
run("cc", *flags, "-O1", project / "multiply.c", "-o", work / "multiply", *words)
check_multiply(work / "multiply", {"LD_LIBRARY_PATH": ""})
version = run("pkg-config", "--modversion", "weft", environment=pkg).strip()
assert version in (prefix / "include/weft/version.h").read_text(), version

check_command_lines()
check_manual_pages()
if (prefix / "bin/upcc").exists():
    check_upc()

run(source / "tools/uninstall.sh", build)
if kept is not None:
    manifest.write_bytes(kept)
left = [path for path in prefix.rglob("*") if not path.is_dir()]
assert not left, f"left after uninstalling: {left}"
shutil.rmtree(work)
