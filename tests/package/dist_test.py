#!/usr/bin/python3
"""`make dist`: the same commit gives the same bytes, with all of its files; a build of them begins; the recipes for
packages fit it. Exit status 77 where the source is no git checkout.

  dist_test.py SOURCE CXX
"""

import hashlib
import pathlib
import py_compile
import subprocess
import sys
import tarfile
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()


def run(*command, cwd=SOURCE):
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check_recipes(source, out, version, digest):
    first = (source / "packaging/debian/changelog").read_text().split("\n")[0]
    assert first.startswith(f"weft ({version}-"), f"packaging/debian/changelog begins with '{first}', not {version}"
    library = f"libweft{'.'.join(version.split('.')[:2])}"
    control = (source / "packaging/debian/control").read_text()
    assert f"\nPackage: {library}\n" in control, f"packaging/debian/control has no package {library}"
    for line in (source / "tools/packages.txt").read_text().splitlines():
        words = line.split()
        if len(words) == 1 and words[0].endswith("-dev") and words[0] != "libgtest-dev":
            assert f" {words[0]}" in control, f"packaging/debian/control does not need {words[0]} to build"
    recipe = out / "spack_repo/weft/packages/weft/package.py"
    py_compile.compile(str(recipe), doraise=True)
    text = recipe.read_text()
    assert f'version("{version}", sha256="{digest}")' in text and "@VERSION@" not in text, text


def check_build(source, work):
    """That the build of the libraries begins: every file that it reads is there, and a first one is compiled. BLAS and
    LAPACK have other names than Debian's, as the recipe for Spack gives them."""
    # A build that can make its own files again would do nothing else in a dry run.
    algebra = work / "libalgebra.so"
    algebra.touch()
    run("cmake", "-G", "Ninja", "-S", source, "-B", work / "build", f"-DCMAKE_CXX_COMPILER={sys.argv[2]}",
        f"-DWEFT_BLAS_LIBRARY={algebra}", f"-DWEFT_LAPACK_LIBRARY={algebra}", "-DWEFT_BUILD_APPS=OFF",
        "-DBUILD_TESTING=OFF", "-DCMAKE_SUPPRESS_REGENERATION=ON")
    commands = run("ninja", "-C", work / "build", "-n", "-v", "product")
    assert "algebra" in commands and " -lblas" not in commands, commands
    run("ninja", "-C", work / "build", "weft_pmi_wire")


def main():
    if not (SOURCE / ".git").exists():
        return 77
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        first = pathlib.Path(run("tools/dist.sh", work / "1").strip())
        second = pathlib.Path(run("tools/dist.sh", work / "2").strip())
        digest = hashlib.sha256(first.read_bytes()).hexdigest()
        assert first.read_bytes() == second.read_bytes(), "two runs give two tarballs"
        assert first.with_name(first.name + ".sha256").read_text() == f"{digest}  {first.name}\n"
        version = first.name.removeprefix("weft-").removesuffix(".tar.gz")
        with tarfile.open(first) as tarball:
            names = {member.name for member in tarball if not member.isdir()}
            tarball.extractall(work)
        committed = run("git", "ls-tree", "-r", "--name-only", "HEAD").splitlines()
        expected = {f"weft-{version}/{name}" for name in committed}
        assert names == expected, names ^ expected
        source = work / f"weft-{version}"
        check_recipes(source, first.parent, version, digest)
        check_build(source, work)
        outside = subprocess.run([source / "tools/dist.sh"], capture_output=True, text=True, cwd=work)
        assert outside.returncode == 1 and "no git checkout" in outside.stderr, outside
    return 0


if __name__ == "__main__":
    sys.exit(main())
