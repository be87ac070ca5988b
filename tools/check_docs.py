#!/usr/bin/python3
"""Checks the documentation that is read without a site: every public function of include/weft, and what UPC programs
and compiled UPC code call of upc_team.h and include/weft/upcrt, has a comment that names each parameter, says what it
returns and since which version it is there; every page that README, the guides and the headers name exists; and the
site has all pages of docs and all these headers. Prints what is missing; exit status 1 if there is something.

  check_docs.py [ROOT]

A comment with "@copydetails f" has what f's comment says of parameters, result and version.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()

# A declaration or definition at the start of a line, and the comment that ends right before it.
FUNCTION = re.compile(r"""(?:/\*\*(?P<doc>(?:(?!\*/).)*?)\*/\n)?
  ^(?P<type>(?:static\ inline\ |WEFT_DETAIL_NORETURN\ |UPCR_INLINE\ )*(?:const\ )?\w+\**)
  \ (?P<name>(?:weft_(?!detail_)|upcr_|upc_team_)\w+)
  \((?P<parameters>[^;{]*)\)\s*[;{]""", re.X | re.M | re.S)
DECLARED = re.compile(r"^\w[^#\n]*?\b((?:weft_(?!detail_)|upcr_|upc_team_)\w+)\(", re.M)
# What is only for the headers themselves, and the header whose functions are those of <upc.h> and its like.
INSIDE = re.compile(r"/\*\* @cond.*?@endcond \*/", re.S)
ELSEWHERE = {"functions.h"}
ATTRIBUTE = re.compile(r"(?:(?<=\n)|\s+)__attribute__\(\((?:[^()]|\([^()]*\))*\)\) ?")
ARRAY = re.compile(r"\[[^\]]*\]")
POINTER_TO_FUNCTION = re.compile(r"\(\*(\w+)\)\([^()]*\)")
# A structure that programs see: its name and body.
STRUCTURE = re.compile(r"^(?:typedef )?struct (weft_(?!detail_)\w+) \{\n(.*?)^\}", re.M | re.S)
MEMBER = re.compile(r"^  (?P<declaration>[^/*\s][^;/]*);(?P<behind>[^\n]*)$", re.M)
# Pages: as links of Markdown, and by their names in running text.
LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGE = re.compile(r"(?<![\w/.-])(?:docs/[\w-]+|README|CHANGELOG)\.md\b")
CODE = re.compile(r"^```.*?^```", re.M | re.S)


def names_of(parameters):
    """The names in a list of parameters."""
    if parameters.strip() in ("", "void"):
        return []
    simple = ARRAY.sub("", POINTER_TO_FUNCTION.sub(r"\1", parameters))
    return [re.findall(r"\w+", one)[-1] for one in simple.split(",") if one.strip() != "..."]


def without(pattern, text):
    """The text without what matches; the lines of the rest keep their numbers."""
    return pattern.sub(lambda match: "\n" * match[0].count("\n"), text)


def place(file, text, position):
    """FILE:LINE, as compilers write it."""
    return f"{file.relative_to(ROOT)}:{text.count(chr(10), 0, position) + 1}"


class Function:
    def __init__(self, where, match):
        self.place, self.name, self.doc = where, match["name"], match["doc"]
        self.is_void = match["type"].split()[-1] == "void"
        self.parameters = names_of(match["parameters"])

    def documented(self, functions):
        """The names of parameters and tags in the comment and in those that it copies."""
        found, doc, seen = set(), self.doc, {self.name}
        while doc is not None:
            found |= set(re.findall(r"@param(?:\[[a-z,]+\])?\s+(\w+)", doc))
            found |= set(re.findall(r"@(?:return|since)\b", doc))
            copied = re.search(r"@copydetails\s+(\w+)", doc)
            if copied is None or copied[1] in seen:
                return found
            seen.add(copied[1])
            doc = functions[copied[1]].doc if copied[1] in functions else None
        return found

    def mistakes(self, functions):
        if self.doc is None:
            yield "has no documentation"
            return
        found = self.documented(functions)
        for parameter in self.parameters:
            if parameter not in found:
                yield f"does not say what its parameter '{parameter}' is (@param)"
        for name in sorted(found):
            if not name.startswith("@") and name not in self.parameters:
                yield f"documents '{name}', which is none of its parameters"
        if not self.is_void and "@return" not in found:
            yield "does not say what it returns (@return)"
        if "@since" not in found:
            yield "does not say since which version it is there (@since)"


def public_functions():
    """The functions by their names, and what looks like one at the start of a line but could not be read."""
    functions, unread = {}, []
    include = ROOT / "include"
    headers = [*include.glob("weft/*.h"), *include.glob("weft/upcrt/*.h"), *include.glob("upc/upc_team.h")]
    for header in sorted(header for header in headers if header.name not in ELSEWHERE):
        text = without(ATTRIBUTE, without(INSIDE, header.read_text()))
        for match in FUNCTION.finditer(text):
            if match["doc"] or match["name"] not in functions:  # one of several definitions has the comment
                functions[match["name"]] = Function(place(header, text, match.start("name")), match)
        unread += [f"{place(header, text, match.start(1))}: cannot read the declaration of {match[1]}"
                   for match in DECLARED.finditer(text) if match[1] not in functions]
    return functions, unread


def undocumented_members():
    """Doxygen takes a comment behind a declaration for the last name in it."""
    for header in sorted((ROOT / "include").glob("weft/*.h")):
        text = without(INSIDE, header.read_text())
        for structure in STRUCTURE.finditer(text):
            name, body = structure[1], structure[2]
            for member in MEMBER.finditer(body):
                above = body[:member.start()].rpartition("\n")[0].rpartition("\n")[2]
                commented = "/**<" in member["behind"] or (above.endswith("*/") and "/**<" not in above)
                declaration = POINTER_TO_FUNCTION.sub(r"\1", ARRAY.sub("", member["declaration"]))
                where = f"{place(header, text, structure.start(2) + member.start())}: '{declaration.strip()}' of {name}"
                if "," in declaration:
                    yield f"{where} declares several members, of which one has the comment"
                elif not commented:
                    yield f"{where} has no documentation"


def missing_pages():
    guides = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    for file in sorted(guides + list((ROOT / "include").rglob("*.h"))):
        text = without(CODE, file.read_text()) if file.suffix == ".md" else file.read_text()
        named = {(name, ROOT / name) for name in PAGE.findall(text)}
        if file.suffix == ".md":
            named |= {(link, file.parent / link.split("#")[0]) for link in LINK.findall(text)
                      if "://" not in link and not link.startswith("#")}
        for name, path in sorted(named):
            if not path.exists():
                yield f"{place(file, text, text.find(name))}: {name} does not exist"


def left_out_of_the_site(functions):
    contents = ROOT / "tools/site/contents.md"
    if not contents.exists():
        return
    listed = set(contents.read_text().split())
    for page in sorted((ROOT / "docs").glob("*.md")):
        if f"docs/{page.stem}" not in listed:
            yield f"docs/{page.name} is in no list of tools/site/contents.md; add it"
    named = set(re.findall(r'"([\w/]+)"', (ROOT / "tools/site/make_site.py").read_text()))
    for header in sorted({function.place.partition(":")[0] for function in functions.values()}):
        if re.sub(r"^include/(weft|upc)/|\.h$", "", header) not in named:
            yield f"{header} is in no list of tools/site/make_site.py; add it"


def main():
    functions, found = public_functions()
    found += [f"{function.place}: {function.name} {mistake}"
              for function in functions.values() for mistake in function.mistakes(functions)]
    found += undocumented_members()
    found += missing_pages()
    found += left_out_of_the_site(functions)
    if not functions:
        found.append("include/weft has no functions")
    for line in found:
        print(f"check_docs: {line}", file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"check_docs: {len(functions)} functions are documented, and all pages that are named exist")


if __name__ == "__main__":
    main()
