#!/bin/sh
# Removes what the last `make install` from this build folder installed. Usage: tools/uninstall.sh BUILD
set -eu
manifest=$1/install_manifest.txt
if [ ! -f "$manifest" ]; then
  echo "uninstall: $manifest does not exist: nothing was installed from $1" >&2
  exit 1
fi
# CMake writes no newline at the end of the list.
{ cat "$manifest"; echo; } | while IFS= read -r file; do
  [ -n "$file" ] || continue
  rm -f -- "$file"
  # Folders that are empty now go too, up to the first that is not.
  rmdir -p --ignore-fail-on-non-empty -- "$(dirname "$file")" 2>/dev/null || true
done
rm -f -- "$manifest"
