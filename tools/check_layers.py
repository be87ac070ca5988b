#!/usr/bin/python3
"""Checks the layer rule of docs/DESIGN.md: a folder includes only from folders above it in the list, inside the UPC
compiler too, one transport never names another, and public headers include only public headers. Prints each breach;
exit status 1 if there is one, or if there is a folder that the lists do not know.

  check_layers.py [ROOT]
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()

# Top to bottom: each may include from itself and from those before it.
LAYERS = ["include/weft", "include/upc", "src/base", "src/os", "src/sim", "src/boot", "src/conduit", "src/core",
          "src/rma", "src/coll", "src/upcrt", "src/capi", "src/two_sided"]
# The compiler's, in the same order. It shares nothing with the library but the headers that its programs include.
COMPILER = ["upcc/basic", "upcc/lex", "upcc/ast", "upcc/sema", "upcc/parse", "upcc/optimise", "upcc/emit", "upcc/lower",
            "upcc/driver", "upcc/fuzz"]
# Transports and decorators: siblings that must not know each other; conduit/make.cpp alone knows them all.
CONDUITS = "src/conduit"
REGISTRY = pathlib.PurePosixPath("src/conduit/make.cpp")
# Applications see the public interfaces and the FFT library only; benchmarks also run examples.
OUTSIDE = {"apps": ("include", "fft", "apps"), "fft": ("include", "fft"), "linalg": ("include", "linalg"),
           "bench": ("include", "bench", "examples"), "examples": ("include", "examples")}

INCLUDE = re.compile(r'^[ \t]*#\s*include\s*"([^"]+)"', re.M)
ANGLE = re.compile(r"^[ \t]*#\s*include\s*<(weft/[^>]+)>", re.M)
SOURCES = {".c", ".h", ".cpp", ".hpp"}


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in SOURCES)


def includes(file, *patterns):
    """(place, name) of each include: FILE:LINE as compilers write it, and what stands between the quotes."""
    text = file.read_text()
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield f"{file.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}", match[1]


def resolve(file, name):
    """The path, relative to the root, that a quoted include names; None if it is not ours."""
    for base in (file.parent, ROOT / "src", ROOT / "upcc", ROOT / "include", ROOT):
        candidate = (base / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(ROOT):
            return candidate.relative_to(ROOT)
    return None


def layer_of(path, layers):
    matches = [i for i, layer in enumerate(layers) if path.is_relative_to(layer)]
    return max(matches) if matches else None


def transport_of(path):
    parts = path.relative_to(CONDUITS).parts if path.is_relative_to(CONDUITS) else ()
    return parts[0] if len(parts) > 1 else None


def unknown_folders():
    """Those that no list has, so that nothing in them is looked at."""
    for parent, layers in (("include", LAYERS), ("src", LAYERS), ("upcc", COMPILER)):
        for file in sources(parent):
            here = file.relative_to(ROOT)
            if layer_of(here, layers) is None:
                yield f"{here}:1: is in no folder of the list: give {here.parent} its place in tools/check_layers.py"


def breaches():
    for layers in (LAYERS, COMPILER):
        yield from breaches_in(layers)
    for folder, allowed in OUTSIDE.items():
        for file in sources(folder):
            for place, name in includes(file, INCLUDE):
                there = resolve(file, name)
                if there is not None and not any(there.is_relative_to(a) for a in allowed):
                    yield f"{place}: includes {there}; {folder}/ may include {', '.join(allowed)} only"


def breaches_in(layers):
    for layer in layers:
        for file in sources(layer):
            here = file.relative_to(ROOT)
            for place, name in includes(file, INCLUDE, ANGLE):
                there = resolve(file, name)
                if there is None:
                    continue
                target = layer_of(there, layers)
                if target is None or target > layer_of(here, layers):
                    yield f"{place}: includes {there}, which is not above it in the list of docs/DESIGN.md"
                elif here != REGISTRY and transport_of(here) and transport_of(there) \
                        and transport_of(here) != transport_of(there):
                    yield f"{place}: includes {there}: one conduit names another"


def main():
    found = [*unknown_folders(), *breaches()]
    for line in found:
        print(f"check_layers: {line}", file=sys.stderr)
    if found:
        sys.exit(1)
    print("check_layers: every include obeys the layers")


if __name__ == "__main__":
    main()
