#!/bin/sh
# Installs the packages of tools/packages.txt that are missing. Usage: tools/setup.sh [test|site|report|develop]
# Without a word, those that only tests and benchmarks, the site or developers need are left out.
set -eu
here=$(dirname "$0")
wanted=$(awk -v all="${1:-}" '/^[^#]/ && NF && ($2 == "" || $2 == all) { print $1 }' "$here/packages.txt")
missing=
for package in $wanted; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=none
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "setup: these packages are missing; install them as root and try again:" >&2
  echo "  apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # a list of words on purpose
if ! { apt-get update && apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "setup: installing failed; see above" >&2
  exit 1
fi
# Builds that were configured without them look for them again, since build.ninja is older than what it is made of.
for built in "$here"/../build*/build.ninja; do
  [ ! -e "$built" ] || touch -d 2000-01-01 "$built"
done
