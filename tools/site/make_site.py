#!/usr/bin/python3
"""Makes the documentation's site: guides, the interface's reference and the commands' pages. `make site` runs it.

  make_site.py OUTPUT     OUTPUT/index.html is the first page; OUTPUT-work keeps what was made on the way
"""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import reference

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tools/site"
# The headers of the reference, in its order.
LIBRARY = ["job", "types", "segment", "rma", "vis", "atomic", "signal", "am", "barrier", "team", "coll",
           "linalg", "tune", "watch", "sim", "version"]
UPC = ["upcrt", "upcrt/view", "upcrt/pts", "upcrt/access", "upcrt/window", "upcrt/gather", "upcrt/replica",
       "upcrt/update", "upcrt/shadow", "upcrt/control", "upcrt/unit", "upcrt/library"]
UPC_LIBRARY = ["upc_team"]  # the others are the UPC specification's and Berkeley UPC's


def run(*command, **more):
    if subprocess.run(list(map(str, command)), **more).returncode != 0:
        sys.exit(f"site: {' '.join(map(str, command[:3]))} found the mistakes above")


def table(headers):
    rows = [f"   * - :doc:`{header.name} <{header.page}>`\n     - {header.brief}" for header in headers]
    entries = [f"   {header.name} <{header.page}>" for header in headers]
    return [".. list-table::", "", *rows, "", ".. toctree::", "   :hidden:", "", *entries, ""]


def make_reference(work, pages):
    include = ROOT / "include"
    parts = [[f"weft/{name}.h" for name in LIBRARY], [f"upc/{name}.h" for name in UPC_LIBRARY],
             [f"weft/{name}.h" for name in UPC]]
    settings = {"SITE_HEADERS": " ".join(str(include / name) for part in parts for name in part),
                "SITE_STRIP": f"{include / 'upc'} {include}", "SITE_XML": str(work)}
    run("doxygen", HERE / "Doxyfile", env=os.environ | settings)
    made = reference.write_pages(work / "xml", [include, include / "upc"], pages / "reference")
    library, upc, compiled = ([made[name.removeprefix("upc/")] for name in part] for part in parts)
    index = [reference.underlined("The C interface", "="), "",
             "``#include <weft/weft.h>`` has all but ``weft/linalg.h`` and ``weft/tune.h``; each header also compiles "
             "alone. "
             "The :ref:`index <genindex>` has all names in alphabetical order.", "", *table(library)]
    (pages / "reference/index.rst").write_text("\n".join(index))
    index = [reference.underlined("UPC", "="), "",
             "docs/UPC-CONFORMANCE.md names the functions of the UPC specification and of Berkeley UPC that programs "
             "find in the headers of ``include/upc``. This one is Weft's own:", "", *table(upc),
             "What compiled code calls, for those who write compilers (docs/UPC-RUNTIME.md):", "", *table(compiled)]
    (pages / "reference/upc.rst").write_text("\n".join(index))


def make_commands(pages):
    """The manual pages as Markdown, one level below the page's title."""
    folder = pages / "man"
    folder.mkdir()
    index = ["# Commands", ""]
    for path in sorted((ROOT / "docs/man").glob("*.1")):
        text = subprocess.run(["mandoc", "-T", "markdown", path], check=True, capture_output=True, text=True).stdout
        lines = text.strip().split("\n")[1:-1]  # without the lines that every page on paper has
        body = "\n".join("#" + line if line.startswith("#") else line for line in lines)
        (folder / f"{path.stem}.md").write_text(f"# {path.stem}(1)\n{body}\n")
        what = re.search(r"^\.Nd (.*)", path.read_text(), re.M)[1]
        index.append(f"- [{path.stem}]({path.stem}.md): {what}")
    index += ["", "```{toctree}", ":hidden:", "", *(path.stem for path in sorted(folder.glob("*.md"))), "```", ""]
    (folder / "index.md").write_text("\n".join(index))


def make_guides(pages):
    shutil.copytree(ROOT / "docs", pages / "docs", ignore=shutil.ignore_patterns("man"))
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        shutil.copy(ROOT / name, pages)
    (pages / "index.md").write_text((ROOT / "README.md").read_text() + (HERE / "contents.md").read_text())


class Page(html.parser.HTMLParser):
    """What a page links to, and the places in it that links can name."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)


def broken_links(site):
    pages = {path: Page(path) for path in site.rglob("*.html")}
    for path, page in sorted(pages.items()):
        for link in sorted(page.links):
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            there = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            if not there.is_file():
                yield f"{path.relative_to(site)}: {link} does not exist"
            elif url.fragment and there in pages and urllib.parse.unquote(url.fragment) not in pages[there].places:
                yield f"{path.relative_to(site)}: {link}: there is no such place on that page"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    site = pathlib.Path(sys.argv[1]).resolve()
    work = site.with_name(site.name + "-work")
    for folder in (site, work):
        shutil.rmtree(folder, ignore_errors=True)
    pages = work / "pages"
    pages.mkdir(parents=True)
    run(sys.executable, ROOT / "tools/check_docs.py")
    make_guides(pages)
    make_reference(work, pages)
    make_commands(pages)
    version = re.search(r'WEFT_VERSION_TEXT "(.*)"', (ROOT / "include/weft/version.h").read_text())[1]
    run(sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto", "-c", HERE, "-d", work / "doctrees",
        pages, site, env=os.environ | {"SITE_VERSION": version})
    broken = list(broken_links(site))
    for line in broken:
        print(f"site: {line}", file=sys.stderr)
    if broken:
        sys.exit("site: the links above lead nowhere")
    print(f"site: {site / 'index.html'}")


if __name__ == "__main__":
    main()
