#!/bin/sh
# Builds the Debian packages from a release tarball, in a folder of its own.
#   packaging/build_debian.sh build/dist/weft-VERSION.tar.gz FOLDER
# Needs debhelper and what packaging/debian/control names: tools/setup.sh develop. FOLDER has the packages afterwards.
# Where lintian is installed it reads them, and errors and warnings are failures.
set -eu
if [ $# -ne 2 ] || [ ! -f "$1" ]; then
  echo "usage: packaging/build_debian.sh TARBALL FOLDER; make dist makes the tarball" >&2
  exit 2
fi
name=$(basename "$1" .tar.gz)
mkdir -p "$2"
cp "$1" "$2/weft_${name#weft-}.orig.tar.gz"
cd "$2"
rm -rf "$name"
tar -xzf "weft_${name#weft-}.orig.tar.gz"
cd "$name"
cp -r packaging/debian debian
dpkg-buildpackage -us -uc -b
# A first upload to Debian closes the bug that asks for the package; these packages are not uploaded. What lintian takes
# for misspelt words of programs are pieces of strings that the compiler has put into instructions.
! command -v lintian >/dev/null || lintian --allow-root --info --display-info --fail-on error,warning \
  --suppress-tags initial-upload-closes-no-bugs,spelling-error-in-binary ../weft_*.changes
