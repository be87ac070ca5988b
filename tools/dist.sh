#!/bin/sh
# Makes the release tarball of the last commit, build/dist/weft-VERSION.tar.gz, its SHA-256 sum and a recipe for Spack.
# The same commit gives the same bytes: git orders the files and dates them by the commit, gzip writes neither name nor
# time. Prints the tarball's path.
#   tools/dist.sh [FOLDER]
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/dist}
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" != "$(pwd -P)" ]; then
  echo "dist: this is no git checkout; the tarball is made from a commit" >&2
  exit 1
fi
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
  echo "dist: warning: changes that are not committed are not in the tarball" >&2
fi
version=$(git show HEAD:include/weft/version.h | sed -n 's/^#define WEFT_VERSION_TEXT "\([0-9.]*\)".*/\1/p')
if [ -z "$version" ]; then
  echo "dist: include/weft/version.h has no WEFT_VERSION_TEXT" >&2
  exit 1
fi
name=weft-$version
mkdir -p "$out"
# In two steps, so that an error of git ends this.
git archive --format=tar --prefix="$name/" HEAD >"$out/$name.tar"
gzip -9 -n -f "$out/$name.tar"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
# A repository for Spack in which the recipe knows this tarball.
spack=$out/spack_repo/weft
mkdir -p "$spack/packages/weft"
printf 'repo:\n  namespace: weft\n  api: v2.0\n' >"$spack/repo.yaml"
read -r sum _ <"$out/$name.tar.gz.sha256"
recipe=$spack/packages/weft/package.py
git show HEAD:packaging/spack/package.py | sed "s/@VERSION@/$version/g; s/@SHA256@/$sum/" >"$recipe"
echo "$out/$name.tar.gz"
