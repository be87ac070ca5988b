"""The reference pages: what doxygen's XML says of each header, as reStructuredText in the order of the header."""

import pathlib
import re
import xml.etree.ElementTree as ElementTree

SPECIAL = re.compile(r"([\\`*_|])")


def escaped(text):
    return SPECIAL.sub(r"\\\1", text)


def flat(node):
    """The text in a node, on one line."""
    return " ".join("".join(node.itertext()).split()) if node is not None else ""


def indented(text, by="   "):
    return "\n".join(by + line if line else "" for line in text.split("\n"))


def inline(node):
    """What stands in a node, as text with marks."""
    parts = [escaped(node.text or "")]
    for child in node:
        parts.append(marked(child))
        parts.append(escaped(child.tail or ""))
    return "".join(parts)


def marked(node):
    if node.tag == "computeroutput":
        return f"``{flat(node)}``"
    if node.tag == "emphasis":
        return f"*{flat(node)}*"
    if node.tag == "bold":
        return f"**{flat(node)}**"
    if node.tag in ("ref", "sp"):
        return inline(node) or " "  # weft_links.py makes the links
    if node.tag in ("ndash", "mdash"):
        return "–"
    raise SystemExit(f"site: reference.py does not know <{node.tag}> in text")


class Description:
    """The parts of a comment: its text, and what it says of parameters, results and so on."""

    BLOCKS = {"parameterlist", "simplesect", "itemizedlist", "orderedlist", "table", "verbatim", "programlisting"}

    def __init__(self, *nodes):
        self.text, self.params, self.returns, self.retvals, self.since, self.see = [], [], [], [], "", []
        for node in nodes:
            for para in node if node is not None else []:
                if para.tag == "para":
                    self.add_paragraph(para)
                else:
                    raise SystemExit(f"site: reference.py does not know <{para.tag}>")

    def add_paragraph(self, para):
        run = escaped(para.text or "")
        for child in para:
            if child.tag in self.BLOCKS:
                self.add_text(run)
                run = ""
                self.add_block(child)
            else:
                run += marked(child)
            run += escaped(child.tail or "")
        self.add_text(run)

    def add_text(self, run):
        if run.strip():
            text = " ".join(run.split())
            self.text.append("\\" + text if text[0] in "-+" else text)  # not the mark of a list

    def add_block(self, node):
        if node.tag == "parameterlist":
            into = self.retvals if node.get("kind") == "retval" else self.params
            for item in node.iter("parameteritem"):
                name = item.find("parameternamelist/parametername")
                into.append((flat(name), name.get("direction"), self.within(item.find("parameterdescription"))))
        elif node.tag == "simplesect":
            kind, text = node.get("kind"), self.within(node)
            if kind == "return":
                self.returns.append(text)
            elif kind == "since":
                self.since = text
            elif kind == "see":
                self.see.append(text)
            elif kind == "note":
                self.text.append(".. note::\n\n" + indented(text))
            else:
                raise SystemExit(f"site: reference.py does not know @{kind}")
        elif node.tag in ("itemizedlist", "orderedlist"):
            mark = "-" if node.tag == "itemizedlist" else "#."
            self.text.append("\n".join(f"{mark} " + indented(self.within(item)).lstrip() for item in node))
        elif node.tag == "table":
            self.text.append(self.table(node))
        else:
            lines = [re.sub(r"^ \* ?", "", line) for line in "".join(node.itertext()).strip("\n ").split("\n")]
            self.text.append(".. code-block:: text\n\n" + indented("\n".join(lines)))

    @staticmethod
    def within(node):
        return "\n\n".join(Description(node).text)

    @classmethod
    def table(cls, node):
        rows = [".. list-table::\n   :header-rows: 1\n"]
        for row in node.iter("row"):
            for i, entry in enumerate(row.iter("entry")):
                rows.append(("   * - " if i == 0 else "     - ") + indented(cls.within(entry), "       ").lstrip())
        return "\n".join(rows)

    def rst(self):
        """Everything, for the body of a directive."""
        parts = list(self.text)
        fields = []
        for name, direction, text in self.params:
            out = {"out": "(out) ", "inout": "(in, out) "}.get(direction, "")
            fields.append(f":param {name}: {out}{indented(text).lstrip()}")
        fields += [f":returns: {indented(text).lstrip()}" for text in self.returns]
        fields += [f":retval {name}: {indented(text).lstrip()}" for name, _, text in self.retvals]
        parts.append("\n".join(fields))
        if self.see:
            parts.append("See also " + ", ".join(text.rstrip(".") for text in self.see) + ".")
        if self.since:
            parts.append(f".. rst-class:: since\n\nSince {self.since}")
        return "\n\n".join(part for part in parts if part)


def described(node):
    return Description(node.find("briefdescription"), node.find("detaileddescription"))


def directive(kind, signature, body):
    return f".. c:{kind}:: {signature}\n\n{indented(body)}\n"


def joined(type_, name):
    return f"{type_}{name}" if type_.endswith("*") else f"{type_} {name}"


def parameters(member):
    shown = []
    for param in member.findall("param"):
        text = joined(flat(param.find("type")), flat(param.find("declname")))
        array = flat(param.find("array"))
        if "(*)" in text:  # a pointer to a function: its name stands inside
            text = text.rsplit(" ", 1)[0].replace("(*)", f"(*{flat(param.find('declname'))})", 1)
        shown.append(text.strip() + array)
    return ", ".join(shown)


def result_type(member):
    return re.sub(r"\b(static|inline|extern) ", "", flat(member.find("type")) + " ").strip()


def function(member):
    name = flat(member.find("name"))
    return directive("function", f"{joined(result_type(member), name)}({parameters(member) or 'void'})",
                     described(member).rst())


def variable(member, kind="var"):
    text = joined(result_type(member), flat(member.find("name"))) + flat(member.find("argsstring"))
    return directive(kind, text, described(member).rst())


def typedef(member):
    name, type_, args = flat(member.find("name")), flat(member.find("type")), flat(member.find("argsstring"))
    signature = f"{type_}{name}{args}" if "(*" in type_ else joined(type_, name)
    if type_.startswith("struct "):  # programs do not look into it
        signature = name
    return directive("type", signature, described(member).rst())


def define(member):
    params = [flat(param.find("defname")) for param in member.findall("param")]
    signature = flat(member.find("name")) + (f"({', '.join(params)})" if params else "")
    return directive("macro", signature, described(member).rst())


def enumeration(member):
    name = flat(member.find("name"))
    values = []
    for value in member.findall("enumvalue"):
        signature = f"{flat(value.find('name'))} {flat(value.find('initializer'))}".strip()
        values.append(directive("enumerator", signature, described(value).rst()))
    if name and not name.startswith("@"):
        return directive("enum", name, described(member).rst() + "\n\n" + "\n".join(values))
    return described(member).rst() + "\n\n" + "\n".join(values)  # constants without a type of their own


def structure(path):
    compound = ElementTree.parse(path).getroot().find("compounddef")
    members = [variable(member, "member") for member in compound.iter("memberdef")]
    line = int(compound.find("location").get("line"))
    kind = compound.get("kind")
    name = flat(compound.find("compoundname"))
    return line, directive(kind, name, described(compound).rst() + "\n\n" + "\n".join(members))


WRITERS = {"function": function, "typedef": typedef, "define": define, "enum": enumeration, "variable": variable}


def line_of(member):
    return int(member.find("location").get("line"))


def underlined(heading, mark):
    return f"{heading}\n{mark * len(heading)}"


def group_at(source, line):
    """The heading of the group (@name) that a line of a header lies in."""
    heading = "Interface"
    for text in source.read_text().split("\n")[:line]:
        if "@name " in text:
            heading = text.partition("@name ")[2].strip()
        elif "@}" in text:
            heading = "Interface"
    return heading


class Header:
    """One header: its name as programs include it, what it is about, and its page."""

    def __init__(self, xml, includes):
        root = ElementTree.parse(xml).getroot().find("compounddef")
        self.name = root.find("location").get("file")
        source = next(folder / self.name for folder in includes if (folder / self.name).exists())
        self.brief = Description(root.find("briefdescription")).text[0].rstrip(".")
        self.page = self.name.removesuffix(".h").replace("/", "-")
        self.functions = []  # (line, name, role of Sphinx, first sentence)
        members = []         # (line, rst)
        texts = {}           # of groups, by their headings
        for section in root.findall("sectiondef"):
            if section.get("kind") == "user-defined":
                texts[flat(section.find("header"))] = "\n\n".join(Description(section.find("description")).text)
            for member in section.findall("memberdef"):
                role = "func" if member.get("kind") == "function" else "macro"
                if role == "func" or member.find("param/defname") is not None:
                    brief = Description(member.find("briefdescription")).text
                    self.functions.append((line_of(member), flat(member.find("name")), role, brief[0]))
                members.append((line_of(member), WRITERS[member.get("kind")](member)))
        members += [structure(xml.parent / (inner.get("refid") + ".xml")) for inner in root.findall("innerclass")]
        members.sort()
        title = f"{self.name}: {self.brief[0].lower() + self.brief[1:]}"
        parts = [underlined(title, "="), *Description(root.find("detaileddescription")).text, self.summary()]
        heading = None
        for line, rst in members:
            here = group_at(source, line)
            if here != heading:
                parts += [underlined(here, "-"), texts.get(here, "")]
                heading = here
            parts.append(rst)
        self.rst = "\n\n".join(part for part in parts if part) + "\n"

    def summary(self):
        """A table of the functions, and of macros like functions. Forms of one function share a line."""
        forms = {}
        briefs = {}
        for _, name, role, brief in sorted(self.functions):
            base = re.sub("_nbi?$", "", name)
            forms.setdefault(base if base in forms else name, []).append((name, role))
            briefs[name] = brief
        if len(forms) < 2:
            return ""
        rows = []
        for first, group in forms.items():
            names = ", ".join(f":c:{role}:`{name}`" for name, role in group)
            rows.append(f"   * - {names}\n     - {briefs[first]}")
        return ".. list-table::\n   :class: summary\n   :widths: 2 3\n\n" + "\n".join(rows)


def write_pages(xml, includes, folder):
    """Writes a page per header. Returns the headers by their names, which are relative to the folders `includes`."""
    headers = [Header(path, includes) for path in sorted(pathlib.Path(xml).glob("*_8h.xml"))]
    folder.mkdir(parents=True, exist_ok=True)
    for header in headers:
        (folder / f"{header.page}.rst").write_text(header.rst)
    return {header.name: header for header in headers}
