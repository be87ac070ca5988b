# weft_test.sh WEFT: WEFT in a folder of its own, with a PATH in which make, apt-get and id are what this test makes.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cp "$1" "$work/weft"
for tool in sh dirname mktemp rm cat chmod; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
tool() { # NAME TEXT
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
expect() { # WORDS CODE PATTERN
  code=0
  PATH=$work/bin "$work/weft" run fast >"$work/out" 2>&1 || code=$?
  if [ $code -ne "$2" ] || ! grep -q "$3" "$work/out"; then
    echo "$1: exit status $code instead of $2, or no '$3' in:"
    cat "$work/out"
    exit 1
  fi
}
tool id 'echo 1000'
expect "another user" 1 'make is missing; install it as root'
tool id 'echo 0'
tool apt-get 'echo no network; exit 100'
expect "no network" 1 'installing make failed'
tool apt-get "[ \"\$1\" = update ] ||
  { printf '#!/bin/sh\necho made \"\$@\"\n' >'$work/bin/make'; chmod +x '$work/bin/make'; }"
expect "root" 0 'installing make'
expect "with make" 0 '^made run fast$'
! grep -q installing "$work/out"
